#ifndef TESTS_DRIVE_SCREENS_H
#define TESTS_DRIVE_SCREENS_H

/*
 * Runs the program on heaps without a terminal and compares what it would show with
 * tests/golden/NAME.screen. `make golden` writes those files anew.
 */
#include "tests/drive/run_tests.h"
#include "model/table/table_writer.h"
#include "tui/app/state.h"

/*
 * Hands in the tables, as main() does, in a program that uses nothing else of this:
 * TESTS_BETWEEN(screens_begin, NULL). Others need not ask for it.
 */
int screens_begin(void **state);

/* A small heap with everything that is awkward to show. */
const struct heap *awkward_heap(void);
/* tests/data/leaky-10.gcdump */
const struct heap *leaky_heap(void);

/* Of a loader: reads the file at its path. */
const struct heap *load_path(const struct loader *from, enum load_what what,
			     struct progress *progress, struct preview *preview, struct error *err);
/* Of a loader: nothing is read until it is cancelled. */
const struct heap *load_for_ever(const struct loader *from, enum load_what what,
				 struct progress *progress, struct preview *preview,
				 struct error *err);

/* Everything computed, the type table on screen. */
struct app *app_on(const struct heap *h);
/* With what every object holds, too. */
struct app *app_with_retention(const struct heap *h);
/* Frees the session and the heap as well. */
void app_end(struct app *app);

/*
 * Steps are separated by blanks: names of keys ("j", "Enter", "^D"), "wait"
 * for no key in time, or commands with '_' for blanks (":sort_size"). The screen is drawn after
 * each of them.
 */
void app_steps(struct app *app, struct screen *s, const char *steps);
/*
 * Clicks on every cell of the view: each is of a row, which is selected then, or of none. How many
 * rows there were, up to 256 of them.
 */
size_t app_click_everywhere(struct app *app, struct screen *s);
/* The screen with its styles, without what is told once; the caller frees. */
char *app_screen_text(struct app *app, struct screen *s);
/* Is this text on the screen? */
bool app_has_text(struct app *app, struct screen *s, const char *text);
/*
 * The rows of a view as `-b` prints them, at most so many; `columns` NULL: those of the format. The
 * caller frees.
 */
char *view_printed(const struct view *v, enum table_format format, const char *columns,
		   uint64_t rows_max);
/* As many views, with the same titles, rows and cursors. */
void expect_same_views(const struct app *a, const struct app *b);
/* Each cell of the view is of the kind that its column declares: heaptop-json(5) lists those. */
void expect_kinds(const struct view *v);
/* Compares the screen with the file; fails the test where they differ. */
void expect_screen(struct app *app, struct screen *s, const char *name, bool with_styles);

/* The same after these steps, without styles. */
void expect_steps(struct app *app, struct screen *s, const char *steps, const char *name);

/* What is on the screen after some steps: tests/golden/NAME.screen. */
struct screen_case {
	const char *name;
	const struct heap *(*heap)(void);
	int rows, columns;
	bool is_ascii, with_styles;
	const char *steps;
};
/* The test of a row of such a table (see ROWS), or of all in one test. */
void test_screen_case(void **state);
void test_retained_screen_case(void **state);
void expect_screens(const struct screen_case *cases, size_t count,
		    struct app *(*open)(const struct heap *));
/* The same for text of another origin: tests/golden/NAME, with its suffix. */
void expect_text(const char *text, const char *name);
/* Never NULL; released at the end of the test. */
struct screen *screen_for_test(int rows, int columns, bool is_ascii);

#endif
