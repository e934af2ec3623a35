/* Restores the position on the screen after a process was captured again. */
#include "tui/app/save_session.h"
#include "tui/app/state.h"
#include <stdio.h>
#include <string.h>

enum { ROWS_MAX = 100000 }; /* upper limit of rows searched for a name */

/* Rows that are not about an object are found again by their names. */
static void
name_row(const struct view *v, size_t index, char *out, size_t out_size)
{
	struct value value;
	struct row row;

	view_row(v, index, &row);
	view_cell(v, table_name_column(v->ops->table), &row, &value);
	snprintf(out, out_size, "%s", value.kind == VALUE_TEXT ? value.text : "");
}

/* Returns the next row with that name from `from` on, or the number of rows. */
static size_t
next_named(const struct view *v, size_t from, const char *name)
{
	char other[VALUE_TEXT_BYTES];

	for (; from < v->rows_count; from++) {
		name_row(v, from, other, sizeof other);
		if (!strcmp(other, name))
			break;
	}
	return from;
}

static void
keep_row(struct app *app, const struct view *v)
{
	char *name = app->again.row;
	size_t i;

	if (v->rows_count > ROWS_MAX)
		return;
	name_row(v, v->cursor, name, sizeof app->again.row);
	for (i = next_named(v, 0, name); i < v->cursor; i = next_named(v, i + 1, name))
		app->again.rows_above++;
}

void
app_again_show(struct app *app, const struct view *v)
{
	struct row row;

	app_again_forget(app);
	app->again.commands = save_session_view(v);
	app->again.view = app->views[app->current]->number;
	app->again.was_object = v->target.node != NODE_NONE;
	if (!view_selected(v, &row))
		return;
	if (row.node == NODE_NONE)
		keep_row(app, v);
	else
		app->again.was_object = true;
}

/* Selects the row with as many such names above it, or the last of them. */
static void
select_row(struct view *v, const char *name, size_t above)
{
	size_t at = next_named(v, 0, name), next;

	if (at == v->rows_count)
		return;
	for (; above > 0; above--) {
		next = next_named(v, at + 1, name);
		if (next == v->rows_count)
			break;
		at = next;
	}
	view_move_to(v, at);
}

void
app_again_select(struct app *app)
{
	struct view *v = app->views[app->current];

	if (app->again.commands || v->number != app->again.view ||
	    (!view_has_settled(v) && app_is_busy(app)))
		return;
	if (*app->again.row && v->rows_count <= ROWS_MAX)
		select_row(v, app->again.row, app->again.rows_above);
	app_again_forget(app);
}
