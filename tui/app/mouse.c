/* Mouse clicks and the wheel. Most act like a key at a place on the screen. */
#include "tui/app/key_bar.h"
#include "tui/app/resume.h"
#include "tui/app/state.h"
#include "tui/app/views.h"
#include "model/table/column_choice.h"
#include "tui/widget/spot.h"
#include <string.h>

enum { WHEEL_ROWS = 3 };

/* --- dragging the edge of a column ---------------------------------------- */

static void
begin_sizing(struct app *app, const struct view *v, int column, int from)
{
	app->mouse.sized = v;
	app->mouse.column = column;
	app->mouse.width = v->widths[column];
	app->mouse.from = from;
}

/* Sets the column's width in the setting columns.VIEW. */
static bool
set_width(struct app *app, const struct view *v, int width, struct error *err)
{
	static const struct origin at_screen = { .kind = ORIGIN_PROMPT };
	const char *name = v->ops->command.name;
	size_t view = views_number(name, strlen(name));
	char setting[64], text[SETTING_TEXT_BYTES];
	struct column_list list = { .of = v->ops->table };

	if (view == SIZE_MAX)
		return true;
	list.name_id = table_name_column(all_views[view]->table)->id;
	column_list_read(&list, app->settings->columns[view]);
	for (size_t i = 0; i < list.count; i++)
		if (list.items[i].column == app->mouse.column) {
			if (list.items[i].width == width)
				return true;
			list.items[i].width = width;
			list.items[i].is_shown = true;
		}
	settings_refresh_views(app);
	snprintf(setting, sizeof setting, "columns.%s", name);
	if (!column_list_write(&list, text, sizeof text))
		return error_set(err, ERROR_USAGE, "too many columns");
	return settings_set_value(app->settings, setting, setting, text, &at_screen, err);
}

static void
drag(struct app *app, int column)
{
	int width = app->mouse.width + column - app->mouse.from;
	struct error err;

	if (!app->mouse.sized || app->mouse.sized != app_view(app))
		return;
	if (width < COLUMN_WIDTH_LEAST)
		width = COLUMN_WIDTH_LEAST;
	if (width > COLUMN_WIDTH_MAX)
		width = COLUMN_WIDTH_MAX;
	error_clear(&err);
	if (!set_width(app, app->mouse.sized, width, &err))
		app_show_error(app, &err);
}

/* --- clicks --------------------------------------------------------------- */

/*
 * Selects a row. Returns true if the click before selected the same row and nothing has happened
 * since. The key is compared because rows may have been replaced.
 */
static bool
select_row(struct app *app, struct view *v, size_t index)
{
	struct row row;
	bool is_again;

	view_row(v, index, &row);
	is_again = app->mouse.clicked == v && app->mouse.row == index && app->mouse.key == row.key;
	app_begin_input(app);
	view_move_to(v, index);
	app->mouse.clicked = v;
	app->mouse.row = index;
	app->mouse.key = row.key;
	return is_again;
}

static void
sort(struct app *app, struct view *v, int column)
{
	struct error err;

	error_clear(&err);
	app_begin_input(app);
	(void)resume_stop(app);
	if (!view_sort(v, column, &err))
		app_show_error(app, &err);
}

/* Runs the command of the view for a line of its heading. */
static void
click_on_heading(struct app *app, const struct view *v, size_t line)
{
	const char *name = view_code(v->ops)->heading_command;
	struct binding b;
	struct error err;

	if (!name || line >= view_code(v->ops)->heading_command_lines(v))
		return;
	error_clear(&err);
	app_begin_input(app);
	b = command_by_name(v->ops, name, strlen(name), &err);
	if (!b.command || !app_run_binding(app, &b,
					   (struct call){ .arg = "",
							  .count = (uint32_t)line + 1,
							  .key = command_key(b.command) },
					   &err))
		app_show_error(app, &err);
}

/* Returns the key that the click acts like, or KEY_NONE_. */
static int
click_on_view(struct app *app, int row, int column)
{
	struct view *v;
	struct spot spot;

	if (!app_focus_at(app, row, column))
		return KEY_NONE_;
	v = app_view(app);
	spot = spot_at(v, row, column);
	switch (spot.kind) {
	case SPOT_ROW:
		return select_row(app, v, spot.row) ? TK_ENTER : KEY_NONE_;
	case SPOT_TITLE:
		sort(app, v, spot.column);
		break;
	case SPOT_EDGE:
		app_begin_input(app);
		begin_sizing(app, v, spot.column, column);
		break;
	case SPOT_HEADING:
		click_on_heading(app, v, spot.row);
		break;
	case SPOT_NOTHING:
		break;
	}
	return KEY_NONE_;
}

static int
click_on_menu(struct app *app, int row, int column)
{
	int item = menu_item_at(&app->menu, app->rows, app->columns, row, column);

	if (item < 0)
		return TK_ESCAPE;
	app->menu.cursor = item;
	return TK_ENTER;
}

static int
click(struct app *app, int row, int column)
{
	struct key_bar bar;

	app->mouse.sized = NULL;
	if (app->menu.is_open)
		return click_on_menu(app, row, column);
	if (!app->settings->bar || row != app->rows - 1)
		return click_on_view(app, row, column);
	key_bar_fill(&bar, app, app->columns);
	return key_bar_at(&bar, column);
}

/* Returns the key that the event acts like, or KEY_NONE_. */
static int
feed_mouse(struct app *app, const struct mouse *m)
{
	switch (m->kind) {
	case MOUSE_PRESS:
		return click(app, m->row, m->column);
	case MOUSE_DRAG:
		drag(app, m->column);
		return KEY_NONE_;
	case MOUSE_RELEASE:
		app->mouse.sized = NULL;
		return KEY_NONE_;
	case MOUSE_WHEEL_UP:
	case MOUSE_WHEEL_DOWN:
		if (!app->menu.is_open && !app_focus_at(app, m->row, m->column))
			return KEY_NONE_;
		return m->kind == MOUSE_WHEEL_UP ? TK_UP : TK_DOWN;
	}
	return KEY_NONE_;
}

int
app_mouse_key(struct app *app, const struct mouse *m, int *times)
{
	int key;

	*times = 1;
	/* An accidental click must not discard what is typed. */
	if (app->is_prompting || m->row >= app->rows ||
	    (m->column >= app->columns && m->kind != MOUSE_DRAG))
		return KEY_NONE_;
	app_enter(app);
	app_update_view(app);
	key = feed_mouse(app, m);
	if ((key == TK_UP || key == TK_DOWN) && !app->menu.is_open && !app_view(app)->is_picture)
		*times = WHEEL_ROWS;
	app_leave(app);
	return key;
}
