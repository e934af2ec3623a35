#ifndef TUI_APP_WRITE_VIEW_H
#define TUI_APP_WRITE_VIEW_H

/*
 * `:w FILE` writes all rows of a view as a table, in the order and with the filter of the screen.
 * The suffix selects the format. Only one file is written at a time. Writing starts when all values
 * of the rows are computed. A long table is written by the view's job, which any change of the rows
 * cancels; no file is left then.
 */
#include "tui/app/app.h"
#include "model/table/table_writer.h"

/* Finds a format by its suffix, ".csv" or "csv"; false if unknown. */
bool write_view_format(const char *suffix, enum table_format *out);

/* Starts writing. False sets `err`, and nothing will be written. */
bool write_view(struct app *app, const char *path, bool may_replace, struct error *err) MUST_USE;
/*
 * Writes the rows as they are to a stream. A write error is left in `to`; false sets `err`, and
 * nothing was written.
 */
bool write_view_print(struct view *v, enum table_format format, FILE *to,
		      struct error *err) MUST_USE;

/* Returns whether all values are computed and no job will change them. */
bool write_view_is_ready(const struct view *v);

/* Starts a pending write once its view is ready. */
void write_view_poll(struct app *app);
/* Returns the job that is writing, or NULL. */
const struct job *write_view_job(const struct app *app);
/* Cancels writing; false if nothing was being or to be written. */
bool write_view_cancel(struct app *app);
/* Cancels writing at the end of the program. False sets `err`: a file was not written. */
bool write_view_end(struct app *app, struct error *err) MUST_USE;
/* Cancels writing of a view that is about to be closed. */
void write_view_forget(struct app *app, const struct view *v);

#endif
