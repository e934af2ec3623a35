#ifndef TUI_APP_WRITE_VIEW_H
#define TUI_APP_WRITE_VIEW_H

/*
 * `:w FILE`: what a view shows as a table in a file, all of its rows in the
 * order and with the filter of the screen. The end of the name says the format.
 * One at a time. It begins when all numbers of the rows are there; a long table
 * is written on a worker, by the view's job: whatever changes the rows stops
 * it, and then there is no file.
 */
#include "tui/app/app.h"
#include "model/table/table_writer.h"

/* By its id, ".csv" or "csv"; false: there is no such format. */
bool write_view_format(const char *suffix, enum table_format *out);

/* False sets `err`: nothing will be written. */
bool write_view(struct app *app, const char *path, bool may_replace,
		struct error *err) MUST_USE;
/*
 * The rows as they are now, into a stream, until there are no more or it takes
 * no more: that is left in `to`. False sets `err`, and nothing was written.
 */
bool write_view_print(struct view *v, enum table_format format, FILE *to,
		      struct error *err) MUST_USE;

/* All numbers are there, and nothing will bring more. */
bool write_view_is_ready(const struct view *v);

/* Begins what waits, takes what has ended. */
void write_view_poll(struct app *app);
/* NULL: nothing is being written by now. */
const struct job *write_view_job(const struct app *app);
/* False: nothing is or will be written. */
bool write_view_cancel(struct app *app);
/* The view is about to be closed. */
void write_view_forget(struct app *app, const struct view *v);

#endif
