#ifndef TUI_APP_TOUR_H
#define TUI_APP_TOUR_H

/*
 * `:tour` shows how to find a leak, in two dumps that come with the program. A panel above the
 * status line explains what to look at and which key to press. The tour goes on when the key's
 * result is on the screen, whatever other keys were pressed. heaptop-tutorial(7) describes the same
 * leak.
 */
#include "tui/term/screen.h"

struct app;
struct snapshots;
struct view_ops;

enum { TOUR_TEXT_LINES = 3, TOUR_LINES_MAX = TOUR_TEXT_LINES + 1 };

struct tour {
	bool is_on;
	unsigned step; /* index in tour_steps */
	int strayed;   /* the other key that was pressed; 0: none */
};

/* A place, and the keys that lead to the next one. */
struct tour_step {
	const struct view_ops *in; /* NULL ends the table */
	/* The selection or the target of the view: a type's full name or a row's text; "": any. */
	const char *at;
	bool ignores;     /* whether something is ignored */
	const char *text; /* at most TOUR_TEXT_LINES lines of 40 columns */
	const char *keys; /* that lead to the next step; "": the last step */
};
extern const struct tour_step tour_steps[];

/* Opens the tour's dumps beside other heaps. False sets `err`. */
bool tour_open_dumps(struct snapshots *all, struct error *err) MUST_USE;
/* Opens the dumps unless they are open, and shows the first step. */
bool tour_begin(struct app *app, struct error *err) MUST_USE;
void tour_end(struct app *app);
/* Checks for progress, after a key or, with 0, after a job has ended. */
void tour_look(struct app *app, int key);

/* Returns the height of the panel; 0 without a tour. */
int tour_lines(const struct app *app, int columns);
/* Draws the panel from `row` on. */
void tour_draw(struct app *app, struct screen *s, int row);
/* Writes the panel's text as one line. */
const char *tour_text(const struct app *app, char *out, size_t out_size);
/* Writes the panel's last line, which says what to press. */
const char *tour_prompt(struct app *app, char *out, size_t out_size);

#endif
