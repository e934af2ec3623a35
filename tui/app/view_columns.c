/*
 * The view `columns`: which columns of another view are shown, in which order and how wide. Each
 * change is stored in the setting columns.VIEW and takes effect at once.
 */
#include "tui/app/state.h"
#include "tui/app/views.h"
#include "model/table/column_choice.h"
#include "tui/widget/request.h"
#include <string.h>

enum { WIDTH_STEP = 2 };

/* Whether a chosen column is on the screen, and if not, why. */
enum presence { ON_SCREEN, NO_ROOM, NO_DATA };

/* The setting's value before a change, for undo. */
struct columns_step {
	struct columns_step *before;
	const char *text;
};

struct columns_state {
	const char *chosen;        /* the setting's current value */
	const struct view_ops *of; /* the view; maybe a copy of its ops */
	char setting[64];
	char seen[SETTING_TEXT_BYTES]; /* text that `list` was read from */
	struct column_list list;
	enum presence presence[COLUMNS_MAX]; /* by index in list.of->columns */
	struct columns_step *steps;
};

static const struct column *
item_column(const struct columns_state *state, const struct column_item *item)
{
	return &state->list.of->columns[item->column];
}

static const struct column_item *
row_item(const struct columns_state *state, const struct row *row)
{
	return &state->list.items[row->data];
}

/* Returns the column of a row. */
static const void *
record(const struct cells *in, const struct row *row)
{
	return item_column(in->rows, row_item(in->rows, row));
}

/* --- cells ---------------------------------------------------------------- */

static void
cell_shown(const struct cells *in, const struct row *row, struct value *out)
{
	const struct columns_state *state = in->rows;
	const struct column_item *item = row_item(state, row);

	if (!item->is_shown)
		value_text(out, STYLE_DIM, "no");
	else if (state->presence[item->column] == NO_ROOM)
		value_text(out, STYLE_WARNING, "no room");
	else if (state->presence[item->column] == NO_DATA)
		value_text(out, STYLE_DIM, "no data");
	else
		value_text(out, STYLE_NORMAL, "yes");
}

static void
cell_column(const struct cells *in, const struct row *row, struct value *out)
{
	const struct column_item *item = row_item(in->rows, row);

	value_text(out, item->is_shown ? STYLE_TYPE : STYLE_DIM, item_column(in->rows, item)->id);
}

static void
cell_width(const struct cells *in, const struct row *row, struct value *out)
{
	int width = row_item(in->rows, row)->width;

	if (width)
		value_plain(out, (uint64_t)width);
	else
		value_text(out, STYLE_DIM, "as needed");
}

/* --- rows ----------------------------------------------------------------- */

static void
read_setting(struct columns_state *state)
{
	snprintf(state->seen, sizeof state->seen, "%s", state->chosen);
	column_list_read(&state->list, state->chosen);
}

/* Notes which columns fitted in the last layout of the view, if any. */
static void
note_room(struct columns_state *state, const struct view *of)
{
	memset(state->presence, 0, sizeof state->presence);
	if (!of || of->ops != state->of || !of->order_count)
		return;
	for (int i = 0; of->ops->table->columns[i].id; i++)
		state->presence[i] = of->widths[i] ? ON_SCREEN
				     : view_knows_column(of, &of->ops->table->columns[i], false)
					 ? NO_ROOM
					 : NO_DATA;
}

static bool
columns_open(struct view *v, struct error *err)
{
	struct columns_state *state = arena_new(&v->arena, struct columns_state, err);
	const char *topic = v->target.topic, *name;
	size_t number;

	v->state = state;
	if (!state)
		return false;
	name = *topic || !v->target.view ? topic : v->target.view->command.name;
	number = views_number(name, strlen(name));
	if (number == SIZE_MAX)
		return error_set(err, ERROR_USAGE,
				 "columns wants the name of a view, not \"%.60s\"", name);
	if (!v->target.settings)
		return error_set(err, ERROR_USAGE, "there are no settings here");
	state->of = all_views[number];
	state->list.name_id = table_name_column(state->of->table)->id;
	/* The open view may have columns of its own. */
	if (v->target.view && v->target.view->command.name == all_views[number]->command.name)
		state->of = v->target.view;
	state->list.of = state->of->table;
	state->chosen = v->target.settings->columns[number];
	snprintf(state->setting, sizeof state->setting, "columns.%.40s", name);
	snprintf(v->title, sizeof v->title, "columns of %.200s", name);
	read_setting(state);
	note_room(state, v->target.of);
	return true;
}

static void
row_of_item(const struct view *v, uint32_t item, struct row *out)
{
	const struct columns_state *state = v->state;

	*out = row_of(ROW_PLAIN);
	out->data = item;
	out->key = (uint64_t)state->list.items[item].column;
}

static bool
columns_rows(struct view *v, struct error *err)
{
	struct columns_state *state = v->state;

	if (strcmp(state->seen, state->chosen) != 0)
		read_setting(state);
	return view_show_all(v, state->list.count, err);
}

/* --- commands ------------------------------------------------------------- */

/* Lays out the view below with its new columns. */
static void
lay_out_below(const struct app *app, struct columns_state *state)
{
	struct view *below = app->current ? app->views[app->current - 1] : NULL;

	if (below && below->ops == state->of && below->order_count)
		view_layout(below, below->area);
	note_room(state, below);
}

static bool
store(const struct call *call, const char *text, struct error *err)
{
	static const struct origin at_screen = { .kind = ORIGIN_PROMPT };
	struct columns_state *state = call->view->state;

	if (!settings_set_value(call->app->settings, state->setting, state->setting, text,
				&at_screen, err)) {
		read_setting(state);
		return false;
	}
	snprintf(state->seen, sizeof state->seen, "%s", text);
	lay_out_below(call->app, state);
	return view_reload(call->view, err);
}

/* Stores the changed list in the setting, with a step for undo. */
static bool
store_items(const struct call *call, struct error *err)
{
	struct columns_state *state = call->view->state;
	struct arena *a = &call->view->arena;
	struct columns_step *step = arena_new(a, struct columns_step, err);
	char text[SETTING_TEXT_BYTES];

	if (!step)
		return false;
	step->before = state->steps;
	step->text = arena_strndup(a, state->chosen, strlen(state->chosen), err);
	if (!step->text)
		return false;
	if (!column_list_write(&state->list, text, sizeof text))
		return error_set(err, ERROR_USAGE, "too many columns");
	if (!store(call, text, err))
		return false;
	state->steps = step;
	return true;
}

static struct column_item *
selected_item(const struct call *call, struct error *err)
{
	struct columns_state *state = call->view->state;
	struct row row;

	if (view_selected(call->view, &row))
		return &state->list.items[row.data];
	error_set(err, ERROR_USAGE, "no column is selected");
	return NULL;
}

static bool
toggle(const struct call *call, struct error *err)
{
	struct column_item *item = selected_item(call, err);

	if (!item)
		return false;
	if (item_column(call->view->state, item)->width == FILL)
		return error_set(err, ERROR_USAGE, "%s names the rows: it cannot be hidden",
				 item_column(call->view->state, item)->id);
	item->is_shown = !item->is_shown;
	return store_items(call, err);
}

/* Returns the default width; 40 for the column that fills the line. */
static int
usual_width(const struct column *c)
{
	return c->width < 0 ? -c->width : c->width ? c->width : 40;
}

static bool
change_width(const struct call *call, int by, struct error *err)
{
	struct column_item *item = selected_item(call, err);
	int width;

	if (!item)
		return false;
	width = item->width ? item->width : usual_width(item_column(call->view->state, item));
	width += by;
	if (width < COLUMN_WIDTH_LEAST || width > COLUMN_WIDTH_MAX)
		return error_set(err, ERROR_USAGE, "a column is %d to %d cells wide",
				 COLUMN_WIDTH_LEAST, COLUMN_WIDTH_MAX);
	item->width = width;
	item->is_shown = true;
	return store_items(call, err);
}

static bool
widen(const struct call *call, struct error *err)
{
	return change_width(call, WIDTH_STEP, err);
}

static bool
narrow(const struct call *call, struct error *err)
{
	return change_width(call, -WIDTH_STEP, err);
}

static bool
fit(const struct call *call, struct error *err)
{
	struct column_item *item = selected_item(call, err);

	if (!item)
		return false;
	item->width = 0;
	app_message(call->app, STYLE_STATUS, "as wide as it needs to be");
	return store_items(call, err);
}

static bool
move_column(const struct call *call, int by, struct error *err)
{
	struct columns_state *state = call->view->state;
	struct column_item *item = selected_item(call, err), moved;
	size_t at;

	if (!item)
		return false;
	at = (size_t)(item - state->list.items);
	if (by < 0 ? at == 0 : at + 1 == state->list.count)
		return error_set(err, ERROR_USAGE, "it is already the %s",
				 by < 0 ? "first" : "last");
	moved = *item;
	*item = item[by];
	item[by] = moved;
	call->view->has_moved = true; /* the selection moves with the column */
	if (!store_items(call, err))
		return false;
	for (size_t i = 0; i < call->view->rows_count; i++)
		if (state->list.items[call->view->items[i]].column == moved.column)
			view_move_to(call->view, i);
	return true;
}

static bool
move_up(const struct call *call, struct error *err)
{
	return move_column(call, -1, err);
}

static bool
move_down(const struct call *call, struct error *err)
{
	return move_column(call, 1, err);
}

static bool
take_back(const struct call *call, struct error *err)
{
	struct columns_state *state = call->view->state;
	struct columns_step *step = state->steps;

	if (!step)
		return error_set(err, ERROR_USAGE, "no column was changed here");
	if (!store(call, step->text, err))
		return false;
	state->steps = step->before;
	read_setting(state);
	return view_reload(call->view, err);
}

static bool
reset(const struct call *call, struct error *err)
{
	struct columns_state *state = call->view->state;

	column_list_read(&state->list, "");
	app_message(call->app, STYLE_STATUS, "the default columns are shown");
	return store_items(call, err);
}

static bool
show_settings(const struct call *call, struct error *err)
{
	(void)err;
	return request_command(call, "settings");
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title     width sorts     cell         help                                 rank flags needs */
	{ "shown",  "Shown",   -7,   UNSORTED, CELL(VALUE_TEXT, cell_shown),  "is it on the screen; no data: not in this heap", 0, 0, 0 },
	{ "column", "Column",  -14,  UNSORTED, CELL(VALUE_TEXT, cell_column), "its name in :sort, :set and filters", 0, 0, 0 },
	{ "title",  "Title",   -14,  UNSORTED, TEXT_AT(STYLE_NORMAL, struct column, title),  "its title on the screen",              1, 0, 0 },
	{ "width",  "Width",   9,    UNSORTED, CELL(VALUE_PLAIN, cell_width),  "in cells; numbers are never cut",   0, COLUMN_MIXED, 0 },
	{ "what",   "What",    FILL, UNSORTED, TEXT_AT(STYLE_NORMAL, struct column, help),   "what the column shows", 1, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "columns", .columns = columns, .record = record };
static const struct command commands[] = {
	/* name         keys       bar          help, .run, and optional members */
	{ "toggle",    "Space",   "show/hide", "show the column, or hide it", .run = toggle },
	{ "wider",     "+ Right", "wider",     "two cells wider", .run = widen },
	{ "narrower",  "- Left",  "narrower",  "two cells narrower; numbers are never cut", .run = narrow },
	{ "fit",       "=",       "",          "as wide as it needs to be", .run = fit },
	{ "move-up",   "K F7",    "up",        "one place to the left", .run = move_up },
	{ "move-down", "J F8",    "down",      "one place to the right", .run = move_down },
	{ "take-back", "u",       "undo",      "undo the last change of columns", .run = take_back },
	{ "reset",     "D",       "",          "the default columns", .run = reset },
	{ "options",   "F2",      "settings",  "all other settings", .run = show_settings },
	{ 0 },
};
/* clang-format on */

static const struct view_code columns_code = {
	.open = columns_open,
	.rows = columns_rows,
	.item_row = row_of_item,
};

const struct view_ops view_columns = {
	.command = { .name = "columns",
		     .keys = "F2",
		     .args = { MAY(ARG_VIEW) },
		     .help = "choose this view's columns and their order; F2 again: settings" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "there is no column to choose here; :settings lists other settings" },
	.list = { .flags = VIEW_HIDDEN },
	.code = &columns_code,
};
