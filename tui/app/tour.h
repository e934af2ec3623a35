#ifndef TUI_APP_TOUR_H
#define TUI_APP_TOUR_H

/*
 * `:tour`: a leak is found in the dumps that come with the program, with the
 * keys that are for it. A panel above the status line says what to look at and
 * which key comes next; it goes on when that has led where it leads to,
 * whatever other keys were pressed on the way. heaptop-tutorial(7) tells the
 * same leak.
 */
#include "tui/term/screen.h"

struct app;
struct snapshots;
struct view_ops;

enum { TOUR_TEXT_LINES = 3, TOUR_LINES_MAX = TOUR_TEXT_LINES + 1 };

struct tour {
	bool is_on;
	unsigned step; /* of tour_steps */
	int strayed;   /* the key that was pressed instead; 0: none */
};

/* Where one is, and how it goes on. */
struct tour_step {
	const struct view_ops *in; /* NULL: the end of the table */
	/* What is selected there, or what the view is about: the full name of
	   a type, or what a row says; "": whatever. */
	const char *at;
	bool ignores;     /* something is left out, by `x` */
	const char *text; /* at most TOUR_TEXT_LINES of 40 columns */
	const char *keys; /* that lead to the next step; "": the last one */
};
extern const struct tour_step tour_steps[];

/*
 * Opens the dumps beside what is open, the first of them first. False sets
 * `err`: they are not there.
 */
bool tour_open_dumps(struct snapshots *all, struct error *err) MUST_USE;
/* Opens them, if that was not done, and shows the first step. */
bool tour_begin(struct app *app, struct error *err) MUST_USE;
void tour_end(struct app *app);
/* After a key was obeyed, or (0) when something has arrived. */
void tour_look(struct app *app, int key);

/* Lines of the panel; 0: there is no tour. */
int tour_lines(const struct app *app, int columns);
/* From `row` on, as many lines. */
void tour_draw(struct app *app, struct screen *s, int row);
/* What stands there, in one line; and its last line: what to press. */
const char *tour_text(const struct app *app, char *out, size_t out_size);
const char *tour_prompt(struct app *app, char *out, size_t out_size);

#endif
