/* The view `settings`: all settings with values and origins; mapped keys. */
#include "tui/app/set_command.h"
#include "tui/app/state.h"
#include "tui/app/views.h"
#include <string.h>

enum { ITEMS_MAX = SETTINGS_MAX + SETTING_VIEWS_MAX + KEYMAP_MAX + 4 };

/* A row: a heading, a setting, or the index of a mapped key. */
struct settings_item {
	const char *group;
	struct setting_place place;
	bool is_of_all_views; /* the setting, rather than its value in one view */
	size_t key;
};

struct settings_state {
	const struct settings *settings;
	struct settings_item items[ITEMS_MAX];
	size_t count;
};

static const struct settings_item *
row_item(const struct settings_state *state, const struct row *row)
{
	return &state->items[row->data];
}

/* Returns NULL if the key was unmapped: the rows will be refreshed. */
static const struct keymap_entry *
item_key(const struct settings_state *state, const struct settings_item *item)
{
	const struct keymap *k = &state->settings->keys;

	return item->key < k->count ? &k->entries[item->key] : NULL;
}

static bool
is_about_keys(const struct settings_item *item)
{
	return !item->group && !item->place.setting;
}

static const char *
item_name(const struct settings_item *item, char out[SETTING_NAME_BYTES])
{
	if (!item->is_of_all_views)
		return settings_spell(&item->place, out);
	snprintf(out, SETTING_NAME_BYTES, "%s.VIEW", item->place.setting->name);
	return out;
}

/* --- cells ---------------------------------------------------------------- */

static void
cell_setting(const struct cells *in, const struct row *row, struct value *out)
{
	const struct settings_item *item = row_item(in->rows, row);
	const struct keymap_entry *e = item_key(in->rows, item);
	char name[64];

	value_blank(out);
	if (item->group) {
		value_text(out, STYLE_HEADER, item->group);
	} else if (item->place.setting) {
		value_printf(out, STYLE_TYPE, "%s", item_name(item, name));
	} else if (e) {
		value_printf(out, STYLE_KEY, "%s", keymap_spell(e, name));
	}
}

static void
cell_value(const struct cells *in, const struct row *row, struct value *out)
{
	const struct settings_state *state = in->rows;
	const struct settings_item *item = row_item(state, row);
	char text[SETTING_TEXT_BYTES];

	value_blank(out);
	if (item->place.setting && !item->is_of_all_views)
		value_printf(
		    out, STYLE_NORMAL, "%s",
		    setting_show(item->place.setting, state->settings, item->place.view, text));
	else if (is_about_keys(item))
		value_text(out, STYLE_DIM, "key");
}

static void
cell_origin(const struct cells *in, const struct row *row, struct value *out)
{
	const struct settings_state *state = in->rows;
	const struct settings_item *item = row_item(state, row);
	const struct keymap_entry *e = item_key(state, item);
	const struct origin *o = NULL;
	char text[ORIGIN_BYTES];

	value_blank(out);
	if (item->place.setting && !item->is_of_all_views)
		o = settings_origin(state->settings, &item->place);
	else if (is_about_keys(item) && e)
		o = &e->origin;
	if (o)
		value_printf(out, o->kind == ORIGIN_DEFAULT ? STYLE_DIM : STYLE_NORMAL, "%s",
			     origin_text(o, text));
}

static void
cell_what(const struct cells *in, const struct row *row, struct value *out)
{
	const struct settings_item *item = row_item(in->rows, row);
	const struct keymap_entry *e = item_key(in->rows, item);

	value_blank(out);
	if (item->place.setting)
		value_text(out, STYLE_NORMAL, item->place.setting->help);
	else if (is_about_keys(item) && e)
		value_printf(out, STYLE_NORMAL, ":%s", e->command);
}

/* --- rows ----------------------------------------------------------------- */

static struct settings_item *
add_item(struct settings_state *state)
{
	struct settings_item *item = &state->items[state->count++];

	*item = (struct settings_item){ .key = SIZE_MAX };
	return item;
}

/* Adds the views that have a value of this setting. */
static void
add_of_views(struct settings_state *state, const struct setting *s)
{
	for (size_t i = 0; all_views[i]; i++) {
		struct setting_place place = { s, i };

		if (settings_origin(state->settings, &place)->kind != ORIGIN_DEFAULT &&
		    state->count < ITEMS_MAX - KEYMAP_MAX - 4)
			add_item(state)->place = place;
	}
}

static void
add_settings(struct settings_state *state)
{
	for (const struct setting *s = settings_table; s->name; s++) {
		struct settings_item *item = add_item(state);

		item->place.setting = s;
		item->is_of_all_views = (s->flags & SETTING_OF_VIEWS) != 0;
		if (item->is_of_all_views)
			add_of_views(state, s);
	}
}

static void
add_keys(struct settings_state *state)
{
	const struct keymap *k = &state->settings->keys;

	add_item(state)->group = k->count ? "Mapped keys" : "No key is mapped";
	for (size_t i = 0; i < k->count; i++)
		add_item(state)->key = i;
}

static bool
settings_open(struct view *v, struct error *err)
{
	struct settings_state *state = arena_new(&v->arena, struct settings_state, err);

	v->state = state;
	if (!state)
		return false;
	state->settings = v->target.settings;
	if (!strcmp(v->target.topic, "map"))
		snprintf(v->title, sizeof v->title, "mapped keys");
	return state->settings || error_set(err, ERROR_USAGE, "there are no settings here");
}

static void
row_of_item(const struct view *v, uint32_t item, struct row *out)
{
	const struct settings_state *state = v->state;

	*out = row_of(state->items[item].group ? ROW_GROUP : ROW_PLAIN);
	out->data = out->key = item;
}

static bool
settings_rows(struct view *v, struct error *err)
{
	struct settings_state *state = v->state;

	state->count = 0;
	if (strcmp(v->target.topic, "map") != 0)
		add_settings(state);
	add_keys(state);
	return view_show_all(v, state->count, err);
}

/* --- commands ------------------------------------------------------------- */

/* Toggle a switch; prompt for any other value. */
static bool
change(const struct call *call, struct error *err)
{
	const struct settings_item *item;
	const struct keymap_entry *e;
	char name[64], line[SETTING_TEXT_BYTES + KEYMAP_COMMAND_BYTES];
	char value[SETTING_TEXT_BYTES];
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no setting is selected");
	item = row_item(call->view->state, &row);
	e = item_key(call->view->state, item);
	if (!item->place.setting) {
		snprintf(line, sizeof line, "map %s%s%s", e ? keymap_spell(e, name) : "",
			 e ? " " : "", e ? e->command : "");
		app_begin_prompt(call->app, PROMPT_COMMAND, line);
		return true;
	}
	item_name(item, name);
	if (item->place.setting->kind == SETTING_SWITCH) {
		snprintf(line, sizeof line, "%s!", name);
		return set_command(call->app, line, err);
	}
	if (item->is_of_all_views)
		snprintf(line, sizeof line, "set %s.", item->place.setting->name);
	else
		snprintf(line, sizeof line, "set %s=%s", name,
			 setting_show(item->place.setting, call->app->settings, item->place.view,
				      value));
	app_begin_prompt(call->app, PROMPT_COMMAND, line);
	return true;
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title       width sorts     cell          help                           rank flags needs */
	{ "setting", "Setting",  -16,  UNSORTED, CELL(VALUE_TEXT, cell_setting), "its name, or the mapped key", 0, 0, 0 },
	{ "value",   "Value",    -14,  UNSORTED, CELL(VALUE_TEXT, cell_value),   "its value",              0, 0, 0 },
	{ "origin",  "Set by",   -14,  UNSORTED, CELL(VALUE_TEXT, cell_origin),  "where it was set",            0, 0, 0 },
	{ "what",    "What",     FILL, UNSORTED, CELL(VALUE_TEXT, cell_what),    "what it does",                0, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "settings", .columns = columns };
static const struct command commands[] = {
	/* name      keys     bar       help, .run, and optional members */
	{ "change", "Enter", "change", "toggle the switch, or type another value", .run = change },
	{ 0 },
};
/* clang-format on */

static const struct view_code settings_code = {
	.open = settings_open,
	.rows = settings_rows,
	.item_row = row_of_item,
};

const struct view_ops view_settings = {
	.command = { .name = "settings",
		     .help = "all settings and mapped keys, and where they were set" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "there is no setting to change here; :help shows what else can be "
			      "done" },
	.list = { .flags = VIEW_HIDDEN },
	.code = &settings_code,
};

void
settings_refresh_views(struct app *app)
{
	for (size_t i = 0; i < app->views_count; i++)
		if (app->views[i]->ops == &view_settings || app->views[i]->ops == &view_columns)
			app->views[i]->is_stale = true;
}

bool
settings_show(struct app *app, const char *topic, struct error *err)
{
	struct target target = target_none;

	snprintf(target.topic, sizeof target.topic, "%s", topic);
	target.settings = app->settings;
	return app_open(app, &view_settings, &target, err);
}
