#include "tui/app/jumps.h"
#include "tui/app/state.h"
#include "tui/app/resume.h"
#include "tui/base/quoting.h"
#include "tui/session/snapshots.h"
#include "tui/term/term.h"
#include "tui/app/views.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- views ---------------------------------------------------------------- */

static bool
choose_view(struct app *app, int index, struct error *err)
{
	(void)err;
	if ((size_t)index < app->views_count)
		app_show_view(app, (size_t)index);
	return true;
}

/* If the menu cannot hold all views, show those around the current one. */
bool
jumps_show(const struct call *call, struct error *err)
{
	struct app *app = call->app;
	size_t first = 0, most = MENU_ITEMS_MAX;

	(void)err;
	if (app->views_count > most && app->current > most / 2)
		first = app->current - most / 2;
	if (app->views_count > most && first > app->views_count - most)
		first = app->views_count - most;
	menu_clear(&app->menu, " go to ");
	for (size_t i = first; i < app->views_count && i < first + most; i++) {
		if (i == app->current)
			app->menu.cursor = app->menu.count;
		menu_add(&app->menu, app->views[i]->title,
			 i < app->current   ? "back"
			 : i > app->current ? "forward"
					    : "here",
			 (int)i);
	}
	app_open_menu(app, call->key, choose_view);
	return true;
}

/* --- heaps ---------------------------------------------------------------- */

/* Reads digits and spaces after them. False: no digits. */
static bool
read_number(const char **text, size_t *out)
{
	char *end;
	unsigned long long number;

	*text += strspn(*text, " \t");
	if (**text < '0' || **text > '9')
		return false;
	number = strtoull(*text, &end, 10);
	*text = end + strspn(end, " \t");
	*out = (size_t)number;
	return true;
}

bool
jumps_to_heap(const struct call *call, struct error *err)
{
	const struct snapshots *all = call->app->snapshots;
	const char *rest = call->arg;
	size_t number;

	if (!read_number(&rest, &number) || *rest)
		return error_set(err, ERROR_USAGE, "heap needs a number from :snapshots: heap 2");
	for (size_t i = 0; all && i < all->count; i++)
		if (number && snapshots_number(all->sessions[i]) == number)
			return app_open_in(call->app, all->sessions[i], &view_types, &target_none,
					   err);
	return error_set(err, ERROR_USAGE, "there is no heap %zu; :snapshots lists them", number);
}

/* Standard input is the terminal, and a pipe may never end. */
static bool
may_open(const struct app *app, const char *path, struct error *err)
{
	struct stat st = { 0 };

	if (!app->snapshots || !app->snapshots->file_loader.load || app->session->is_batch)
		return error_set(err, ERROR_USAGE, "open works only on the screen");
	if (!secure_allows(&app->snapshots->secure, SECURE_OPEN, "open", err))
		return false;
	if (strcmp(path, "-") != 0 && stat(path, &st) < 0)
		return error_sys(err, errno, "cannot open %.150s", path);
	if (strcmp(path, "-") != 0 && S_ISREG(st.st_mode))
		return true;
	return error_set(err, ERROR_USAGE, "open needs a file, and %.100s is none", path);
}

/* Errors of reading are shown when they occur; the views of the other heaps stay. */
bool
jumps_open_file(const struct call *call, struct error *err)
{
	struct app *app = call->app;
	char typed[SCRIPT_COMMAND_BYTES], path[SCRIPT_COMMAND_BYTES];
	struct session *s;
	bool is_first;

	if (!*call->arg)
		return error_set(err, ERROR_USAGE, "open needs a file: open FILE");
	strcpy(typed, call->arg);
	if (!quoting_path(quoting_strip(typed), path, sizeof path, err) ||
	    !may_open(app, path, err))
		return false;
	is_first = !snapshots_heaps(app->snapshots);
	s = snapshots_add_file(app->snapshots, path, err);
	if (!s || !snapshots_start_next(app->snapshots, err))
		return false;
	if (is_first)
		return app_open_in(app, s, &view_types, &target_none, err);
	app_message(app, STYLE_STATUS, "reading %s", s->name);
	return true;
}

bool
jumps_read_again(const struct call *call, struct error *err)
{
	struct session *s = call->view->session;
	struct loader loader = s->loader;

	if (!s->is_stopped && !*s->refused[JOB_LOAD])
		return error_set(err, ERROR_USAGE, "reading of this heap was not stopped");
	if (loader.capture)
		return error_set(err, ERROR_USAGE,
				 "this heap is from a process: :capture captures it again");
	if (!s->snapshots || !strcmp(loader.path, "-"))
		return error_set(err, ERROR_USAGE,
				 "this input cannot be read twice: start heaptop again");
	s = snapshots_add(s->snapshots, &loader, err);
	return s && snapshots_start_next(s->snapshots, err) &&
	       app_open_in(call->app, s, &view_types, &target_none, err);
}

/* --- rows ----------------------------------------------------------------- */

static bool
no_such_row(const struct view *v, size_t row, struct error *err)
{
	return error_set(err, ERROR_USAGE, "there are %zu rows: no row %zu", v->rows_count, row);
}

static bool
is_no_tree(const struct view *v, struct error *err)
{
	return error_set(err, ERROR_USAGE, "%.100s is not a tree", v->ops->command.name);
}

bool
jumps_to_row(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	const char *rest = call->arg;
	size_t row, top = 0;

	if (!read_number(&rest, &row) || !row || (*rest && (!read_number(&rest, &top) || *rest)))
		return error_set(err, ERROR_USAGE,
				 "row needs a number, and optionally the row at the top of the "
				 "screen: row 12 3");
	view_move_to(v, row - 1);
	if (top && top <= row)
		v->top = top - 1;
	return row <= v->rows_count || no_such_row(v, row, err);
}

/*
 * Counts the children of `row`, or the top rows for 0. `more` gets the row that stands for further
 * ones, or SIZE_MAX.
 */
static size_t
count_below(const struct view *v, size_t row, size_t *more)
{
	struct row r;
	size_t count = 0;
	uint32_t depth = 0;

	*more = SIZE_MAX;
	if (row) {
		view_row(v, row - 1, &r);
		depth = r.depth + 1;
	}
	for (size_t i = row; i < v->rows_count; i++) {
		view_row(v, i, &r);
		if (r.depth < depth)
			break;
		if (r.depth == depth && r.kind == ROW_MORE)
			*more = i;
		else
			count += r.depth == depth;
	}
	return count;
}

bool
jumps_more_rows(const struct call *call, struct error *err)
{
	const struct binding enter = command_by_key(call->view->ops, TK_ENTER);
	struct view *v = call->view;
	const char *rest = call->arg;
	size_t row, wanted, more, before;

	if (!read_number(&rest, &row) || !read_number(&rest, &wanted) || *rest)
		return error_set(err, ERROR_USAGE,
				 "more-rows needs a row and the number of rows to show below it: "
				 "more-rows 3 200");
	if (wanted > MORE_ROWS_MAX)
		return error_set(err, ERROR_USAGE, "more-rows shows at most %d rows",
				 MORE_ROWS_MAX);
	if (row > v->rows_count)
		return no_such_row(v, row, err);
	do {
		before = v->rows_count;
		if (count_below(v, row, &more) >= wanted || more == SIZE_MAX)
			return true;
		view_move_to(v, more);
		if (!app_run_binding(call->app, &enter, (struct call){ .arg = "" }, err))
			return false;
	} while (app_view(call->app) == v && v->rows_count > before);
	if (app_view(call->app) == v && view_is_busy(v) && !resume_is_running(call->app))
		app_message(call->app, STYLE_WARNING,
			    "some rows are still being computed; run :more-rows again after that");
	return true;
}

bool
jumps_fold_rows(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	struct row row;

	if (!view_code(v->ops)->tree)
		return is_no_tree(v, err);
	view_rows_change(v);
	for (size_t end = v->rows_count; end > 0; end--) {
		view_row(v, end - 1, &row);
		if (row.fold == FOLD_OPEN && !view_fold(v, end - 1, false, err))
			return false;
		/* With a filter, folding may remove the ancestors, too. */
		if (end > v->rows_count + 1)
			end = v->rows_count + 1;
	}
	return true;
}

bool
jumps_unfold_row(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	const char *rest = call->arg;
	struct row row;
	size_t number;

	if (!view_code(v->ops)->tree)
		return is_no_tree(v, err);
	if (!read_number(&rest, &number) || !number || *rest)
		return error_set(err, ERROR_USAGE, "unfold-row needs a number: unfold-row 3");
	if (number > v->rows_count)
		return no_such_row(v, number, err);
	view_row(v, number - 1, &row);
	return row.fold != FOLD_CLOSED || view_fold(v, number - 1, true, err);
}
