#include "tui/app/write_view.h"
#include "tui/app/state.h"
#include "model/base/format.h"
#include "tui/session/snapshots.h"
#include "tui/widget/view_search.h"
#include "tui/app/views.h"
#include "tui/widget/view_print.h"
#include <inttypes.h>
#include <string.h>

enum {
	PATH_BYTES = 4096,
	WRITE_AT_ONCE = 5000, /* rows; longer tables are written by a job */
};

struct view_writing {
	struct app *app;
	struct view *view;
	/*
	 * Copies from the start of writing, so that changes of names and sizes on the screen do not
	 * affect the file. The rows are not copied: whatever changes them stops the job.
	 */
	struct view as_begun;
	struct session session;
	struct table_writer table;
	bool may_replace, has_begun;
	uint64_t rows_written;
	char path[PATH_BYTES];
};

/* --- formats -------------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *id;
	enum table_format format;
} formats[] = {
	{ "csv",   TABLE_CSV },
	{ "tsv",   TABLE_TSV },
	{ "json",  TABLE_JSON },
	{ "jsonl", TABLE_JSONL },
	{ "md",    TABLE_MD },
	{ "txt",   TABLE_TEXT },
};
/* clang-format on */

bool
write_view_format(const char *suffix, enum table_format *out)
{
	suffix += *suffix == '.';
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
		if (!strcmp(suffix, formats[i].id)) {
			*out = formats[i].format;
			if (*out == TABLE_TEXT && !term_wants_utf8())
				*out = TABLE_ASCII;
			return true;
		}
	return false;
}

static bool
holds_heap(const char *suffix)
{
	return !strcmp(suffix, ".heaptop") || !strcmp(suffix, ".gcdump") ||
	       !strcmp(suffix, ".gclog") || !strcmp(suffix, ".nettrace") ||
	       !strcmp(suffix, ".sqlite");
}

static bool
format_of_path(const char *path, enum table_format *out, struct error *err)
{
	const char *slash = strrchr(path, '/');
	const char *suffix = strrchr(slash ? slash : path, '.');

	if (suffix && write_view_format(suffix, out))
		return true;
	if (suffix && holds_heap(suffix))
		return error_set(
		    err, ERROR_USAGE,
		    "%.100s is a name for a heap, but w writes the rows of this view; save %.60s "
		    "saves the heap",
		    path, path);
	return error_set(err, ERROR_USAGE,
			 "w writes FILE.csv, .tsv, .json, .jsonl, .md or .txt, not \"%.80s\"; w "
			 "!COMMAND gives the rows to a command",
			 path);
}

/* --- writing -------------------------------------------------------------- */

static bool
print_rows(void *context, FILE *to, struct error *err)
{
	struct view_writing *w = context;

	w->rows_written = view_print(to, &w->table, &w->as_begun);
	return !w->table.progress || !progress_is_cancelled(w->table.progress) ||
	       error_cancelled(err);
}

static bool
write_work(void *context, struct progress *progress, struct error *err)
{
	struct view_writing *w = context;
	const struct snapshots *all = w->view->session->snapshots;

	w->table.progress = progress;
	progress_begin(progress, "writing", "rows", w->view->rows_count);
	return all->write(w->path, w->may_replace, print_rows, w, err);
}

static void
write_done(struct view *v, void *context, bool ok)
{
	struct view_writing *w = context;
	struct app *app = w->app;
	char count[FORMAT_BYTES];

	(void)v;
	app->writing = NULL;
	if (ok) {
		app_message(app, STYLE_STATUS, "wrote %s row%s to %s",
			    format_count(w->rows_written, count), w->rows_written == 1 ? "" : "s",
			    w->path);
	} else {
		app_message(app, STYLE_WARNING, "%s was not written", w->path);
		app->quits_when_written = false;
	}
	memory_free(w);
}

static bool
is_computing(const struct session *s)
{
	for (int kind = 0; kind < JOB_KINDS; kind++)
		if (kind != JOB_SAVE && s->jobs[kind])
			return true;
	return false;
}

/* Returns whether the rows are final, and nothing will stop a job on them. */
bool
write_view_is_ready(const struct view *v)
{
	const struct snapshots *all = v->session->snapshots;

	if (view_is_busy(v) || v->is_stale || v->is_waiting || view_search_is_due(v) ||
	    is_computing(v->session))
		return false;
	for (size_t i = 0; all && view_needs(v->ops) & NEED_SNAPSHOTS && i < all->count; i++)
		if (is_computing(all->sessions[i]))
			return false;
	return true;
}

static bool
begin(struct view_writing *w, struct error *err)
{
	struct view *v = w->view;
	bool ok;

	w->has_begun = true;
	w->session = *v->session;
	w->as_begun = *v;
	w->as_begun.session = &w->session;
	if (v->rows_count > WRITE_AT_ONCE && view_can_run_on_rows(v))
		return view_run_on_rows(v, "writing", write_work, write_done, w, err);
	ok = write_work(w, NULL, err);
	write_done(v, w, ok);
	return ok;
}

bool
write_view(struct app *app, const char *path, bool may_replace, struct error *err)
{
	struct view *v = app_view(app);
	enum table_format format;
	struct view_writing *w;

	if (!format_of_path(path, &format, err) || !app_may_write(app, path, may_replace, "w", err))
		return false;
	if (app->writing)
		return error_set(err, ERROR_USAGE, "%.200s is still being written; Esc stops that",
				 app->writing->path);
	w = memory_new(1, sizeof *w, err);
	if (!w)
		return false;
	w->app = app;
	w->view = v;
	w->may_replace = may_replace;
	/* The path comes from a command, which is shorter than this. */
	snprintf(w->path, sizeof w->path, "%s", path);
	if (!view_print_init(&w->table, v, format, NULL, err)) {
		memory_free(w);
		return false;
	}
	app->writing = w;
	if (write_view_is_ready(v))
		return begin(w, err);
	app_message(app, STYLE_STATUS, "%s will be written when all values are computed", path);
	return true;
}

bool
write_view_print(struct view *v, enum table_format format, FILE *to, struct error *err)
{
	struct table_writer table;

	if (!view_print_init(&table, v, format, NULL, err))
		return false;
	view_print(to, &table, v);
	return true;
}

/* --- while the program goes on -------------------------------------------- */

void
write_view_poll(struct app *app)
{
	struct view_writing *w = app->writing;
	struct view *v = w ? w->view : NULL;
	struct error err;

	/* Only the current view may use a heap that is still being read. */
	if (!w || (!v->session->heap && v->session != app->entered))
		return;
	error_clear(&err);
	/* The view may no longer be on the screen. */
	if (!view_update(v, &err)) {
		app_show_error(app, &err);
		error_clear(&err);
	}
	if (app->writing != w || w->has_begun || !write_view_is_ready(v))
		return;
	/* Columns may have been added. The progress replaces the message. */
	app->message[0] = '\0';
	if (!view_print_init(&w->table, v, w->table.format, NULL, &err)) {
		write_done(v, w, false);
		app_show_error(app, &err);
	} else if (!begin(w, &err)) {
		app_show_error(app, &err);
	}
}

const struct job *
write_view_job(const struct app *app)
{
	return app->writing ? view_job(app->writing->view) : NULL;
}

bool
write_view_cancel(struct app *app)
{
	struct view_writing *w = app->writing;

	if (!w)
		return false;
	if (w->has_begun)
		return view_cancel(w->view);
	write_done(w->view, w, false);
	return true;
}

bool
write_view_end(struct app *app, struct error *err)
{
	if (!app->writing)
		return true;
	write_view_cancel(app);
	return app->message_style != STYLE_WARNING ||
	       error_set(err, ERROR_SYSTEM, "%s", app->message);
}

void
write_view_forget(struct app *app, const struct view *v)
{
	if (app->writing && app->writing->view == v)
		write_view_cancel(app);
}
