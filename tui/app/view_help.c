/* The view `help`, made from the tables of commands. */
#include "tui/app/arguments.h"
#include "tui/app/key_bar.h"
#include "tui/app/moving.h"
#include "tui/app/state.h"
#include "tui/app/settings.h"
#include "tui/session/snapshots.h"
#include "tui/app/sos.h"
#include "tui/term/term.h"
#include "model/base/text.h"
#include "tui/app/views.h"
#include "model/heap/contents.h"
#include <string.h>

/* A row: a heading, a mapped key, or an item that has a name. */
struct help_item {
	const char *group;           /* a heading */
	const struct view_ops *view; /* a heading: rows about this view */
	const struct keymap_entry *mapped;
	const char *name, *sentence; /* no sentence for SOS commands */
	const char *kind;            /* shown as keys: "column", "mouse", "1 … 9" … */
	/* The thing that has this name; at most one is set. */
	const struct command *command;
	const struct column *column;
	const struct sos_command *sos;
	const struct setting *setting;
	uint32_t number; /* counted from 1, shared by the lines of an item */
	int line;        /* of a sentence that needs several rows */
};

/* 80 columns have room for keys, names and LINE_WIDTH. */
enum { ITEMS_MAX = 1024, LINE_WIDTH = 40, LINES_MAX = 64, WHOLE_BYTES = 1024 };
/* The first page fits a screen of 80x24 with these commands. */
enum { FIRST_COMMANDS = 9, BRIEF_BYTES = 64 };
struct first_command {
	const struct command *command;
	char brief[BRIEF_BYTES];
};
struct help_state {
	struct first_command first[FIRST_COMMANDS];
	size_t first_count;
	struct help_item items[ITEMS_MAX];
	size_t count;
	uint32_t numbered; /* number of items so far */
	int line_width;    /* width of sentences */
	const char *topic; /* only items about this word; NULL: all */
	/* Mapped keys are those of the view that help was called from. */
	const struct settings *settings;
	const struct view_ops *view;
};

/* clang-format off */
const struct mouse_gesture mouse_gestures[] = {
	{ "wheel",                "three rows up or down, as with Up and Down" },
	{ "click",                "select the row, or the part of a picture" },
	{ "click again",          "the same as Enter there" },
	{ "click in a pane",      "move the focus there" },
	{ "click on a title",     "sort by that column; again: reverse the order" },
	{ "click on a finding",   "above the types: open it" },
	{ "drag behind a title",  "change the column's width; numbers are never cut" },
	{ "click on a key",       "in the last line: run its command" },
	{ "click in a menu",      "choose that item; outside it: close the menu" },
	{ "Shift",                "held down: let the terminal select text" },
	{ 0 },
};
/* clang-format on */

static const struct help_item *
row_item(const struct help_state *state, const struct row *row)
{
	return &state->items[row->data];
}

/* Writes the keys that are not mapped to something else in this view. */
static void
keys_left(const struct help_state *state, const struct command *c, struct value *out)
{
	const struct settings *s = state->settings;
	const struct view_ops *in = state->view;
	size_t view = in ? views_number(in->command.name, strlen(in->command.name)) : SIZE_MAX;
	char left[64] = "", name[16];
	const char *at = c->keys;

	for (size_t len; *at; at += len + (at[len] == ' ')) {
		len = strcspn(at, " ");
		snprintf(name, sizeof name, "%.*s", (int)len, at);
		if (s && keymap_find(&s->keys, key_parse(name), view))
			continue;
		snprintf(left + strlen(left), sizeof left - strlen(left), "%s%s", *left ? " " : "",
			 name);
	}
	value_printf(out, STYLE_KEY, "%s", left);
}

static void
cell_keys(const struct cells *in, const struct row *row, struct value *out)
{
	const struct help_item *item = row_item(in->rows, row);
	char key[64];

	if (item->line)
		value_blank(out);
	else if (item->mapped)
		value_printf(out, STYLE_KEY, "%s", keymap_spell(item->mapped, key));
	else if (item->command)
		keys_left(in->rows, item->command, out);
	else if (item->kind)
		value_text(out, STYLE_DIM, item->kind);
	else
		value_blank(out);
}

static void
cell_name(const struct cells *in, const struct row *row, struct value *out)
{
	const struct help_item *item = row_item(in->rows, row);
	char form[64], usage[USAGE_BYTES];

	if (item->line)
		value_blank(out);
	else if (item->command)
		value_printf(out, STYLE_TYPE, ":%s %s", item->name,
			     arguments_usage(item->command, usage));
	else if (item->sos)
		value_printf(out, STYLE_TYPE, ":%s", item->name);
	else if (item->mapped)
		value_printf(out, STYLE_TYPE, ":%s", item->mapped->command);
	else if (item->setting)
		value_printf(out, STYLE_TYPE, "%s", setting_form(item->setting, form));
	else if (item->name)
		value_text(out, STYLE_TYPE, item->name);
	else
		value_blank(out);
}

static void
cell_what(const struct cells *in, const struct row *row, struct value *out)
{
	const struct help_state *state = in->rows;
	const struct help_item *item = row_item(state, row);
	char line[VALUE_TEXT_BYTES], origin[ORIGIN_BYTES];

	if (item->sentence) {
		text_line(item->sentence, state->line_width, item->line, line, sizeof line);
		value_printf(out, STYLE_NORMAL, "%s", line);
	} else if (item->sos)
		value_printf(out, STYLE_NORMAL, ":%s; %s", item->sos->becomes, item->sos->help);
	else if (item->mapped)
		value_printf(out, STYLE_NORMAL, "mapped: %s",
			     origin_text(&item->mapped->origin, origin));
	else if (item->view)
		value_printf(out, STYLE_HEADER, "In the view %s", item->view->command.name);
	else
		value_text(out, STYLE_HEADER, item->group);
	out->also = item->name;
}

/* Returns the whole sentence, so that a search matches across line breaks. */
static const char *
whole_sentence(const struct cells *in, const struct row *row, struct arena *a)
{
	const struct help_item *item = row_item(in->rows, row);
	struct row first = *row;
	char whole[WHOLE_BYTES], out[3][VALUE_TEXT_BYTES];
	struct value keys, name, what;
	struct error ignored = { 0 };

	first.data -= (uint64_t)item->line;
	cell_keys(in, &first, &keys);
	cell_name(in, &first, &name);
	cell_what(in, &first, &what);
	snprintf(whole, sizeof whole, "%s  %s  %s", value_for_people(&keys, out[0]),
		 value_for_people(&name, out[1]),
		 item->sentence ? item->sentence : value_for_people(&what, out[2]));
	return arena_strndup(a, whole, strlen(whole), &ignored);
}

/* --- contents ------------------------------------------------------------- */

static void
add_item(struct help_state *state, struct help_item item)
{
	char line[VALUE_TEXT_BYTES];

	if (state->topic && (!item.name || strcmp(item.name, state->topic)))
		return;
	item.number = ++state->numbered;
	do {
		if (state->count < ITEMS_MAX)
			state->items[state->count++] = item;
		item.line++;
	} while (item.sentence &&
		 text_line(item.sentence, state->line_width, item.line, line, sizeof line));
}

static void
add_group(struct help_state *state, const char *title)
{
	add_item(state, (struct help_item){ .group = title });
}

static void
add_command(struct help_state *state, const struct command *c)
{
	add_item(state, (struct help_item){ .name = c->name, .sentence = c->help, .command = c });
}

/* Adds an item of which there is no more than name and sentence. */
static void
add_named(struct help_state *state, const char *name, const char *sentence, const char *kind)
{
	add_item(state, (struct help_item){ .name = name, .sentence = sentence, .kind = kind });
}

/* Adds the commands that are possible in this view, or those that are not. */
static void
add_possible(struct help_state *state, const struct command *table, const struct session *s,
	     bool is_possible)
{
	struct error ignored = { 0 };

	for (; table && table->name; table++)
		if (command_is_possible(table, NULL, s, &ignored) == is_possible)
			add_command(state, table);
}

static void
add_columns(struct help_state *state, const struct view_ops *ops)
{
	for (const struct column *c = ops->table->columns; c->id; c++)
		add_item(state,
			 (struct help_item){
			     .name = c->id, .sentence = c->help, .kind = "column", .column = c });
}

/* Returns whether the view can have rows for this heap. */
static bool
has_data(const struct session *s, const struct view_ops *ops)
{
	const struct heap *h = s->heap;
	struct error ignored = { 0 };

	if (!command_is_possible(&ops->command, ops, s, &ignored))
		return false;
	if (ops == &view_gcs || ops == &view_gc)
		return s->loader.collections != NULL;
	if (ops == &view_allocations || ops == &view_callers || ops == &view_callees)
		return s->recording || s->loader.allocations;
	if (ops == &view_card || ops == &view_record)
		return s->is_empty || snapshots_pid(s);
	if (ops == &view_heapmap)
		return !h || h->ranges_count;
	return !h || table_fits(ops->table, h);
}

static void
add_views(struct help_state *state, const struct session *s, bool with_data)
{
	for (const struct view_ops *const *v = all_views; *v; v++)
		if (has_data(s, *v) == with_data)
			add_command(state, &(*v)->command);
}

/* Mapped keys come first, since they replace others. */
static void
add_mapped(struct help_state *state, const struct settings *s)
{
	if (!s || !s->keys.count)
		return;
	add_group(state, "Mapped keys");
	for (size_t i = 0; i < s->keys.count; i++)
		add_item(state, (struct help_item){ .mapped = &s->keys.entries[i] });
}

/* Inserts a heading above the items added since `at`, if any. */
static void
insert_above(struct help_state *state, size_t at, struct help_item item)
{
	if (state->count == at || state->count == ITEMS_MAX)
		return;
	memmove(state->items + at + 1, state->items + at,
		(state->count - at) * sizeof *state->items);
	item.number = ++state->numbered;
	state->items[at] = item;
	state->count++;
}

static const char *
why_not(const struct session *s)
{
	struct error ignored = { 0 };

	return s->is_empty                         ? "Not here: needs a heap"
	       : session_only_types(s)             ? "Not here: needs objects or memory"
	       : !session_has_settled(s, &ignored) ? "Not yet: types are still being counted"
						   : "Not here: needs memory or a process";
}

/* Writes the first clause of the help, or the label in the key bar if that is too long for a line.
 */
static void
write_brief(const struct command *c, char out[BRIEF_BYTES])
{
	size_t len = strlen(c->help);

	for (size_t i = 0; i + 1 < len; i++)
		if (strchr(",:;", c->help[i]) && c->help[i + 1] == ' ')
			len = i;
	if (len <= LINE_WIDTH)
		snprintf(out, BRIEF_BYTES, "%.*s", (int)len, c->help);
	else
		snprintf(out, BRIEF_BYTES, "%s", c->bar);
}

/* Notes the commands of the first page: those of the key bar for the row that help was called at.
 */
static void
choose_first(struct help_state *state, const struct target *asked)
{
	const struct command *commands[FIRST_COMMANDS];

	if (!asked->of || !asked->settings)
		return;
	state->first_count =
	    key_bar_commands(asked->of, &asked->settings->keys, commands, FIRST_COMMANDS);
	for (size_t i = 0; i < state->first_count; i++) {
		state->first[i].command = commands[i];
		write_brief(commands[i], state->first[i].brief);
	}
}

/* Adds the first page: what most people need, a line each. */
static void
add_first_page(struct help_state *state)
{
	/* clang-format off */
	static const struct {
		const char *keys, *sentence;
	} moving[] = {
		{ "j k",         "a row; ^F ^B: a screen; g G: the ends" },
		{ "Left Right",  "fold, unfold, or scroll long names" },
		{ "Backspace",   "to the view before; >: forward again" },
		{ "Esc",         "one step back; q: close, Q: quit" },
	}, asking[] = {
		{ ":",           "a command by its name; Tab lists them" },
		{ ":help WORD",  "what a word means: a column, a setting" },
	};
	/* clang-format on */

	if (!state->first_count)
		return;
	add_group(state, "Most useful here; everything else is below");
	for (size_t i = 0; i < state->first_count; i++)
		add_item(state, (struct help_item){ .name = state->first[i].command->name,
						    .sentence = state->first[i].brief,
						    .command = state->first[i].command });
	add_group(state, "To move");
	for (size_t i = 0; i < sizeof moving / sizeof moving[0]; i++)
		add_item(state, (struct help_item){ .kind = moving[i].keys,
						    .sentence = moving[i].sentence });
	add_group(state, "To ask");
	for (size_t i = 0; i < sizeof asking / sizeof asking[0]; i++)
		add_item(state, (struct help_item){ .kind = asking[i].keys,
						    .sentence = asking[i].sentence });
}

static void
add_everything(struct help_state *state, const struct session *s, const struct view_ops *asked_in)
{
	size_t before;

	if (asked_in && asked_in->commands) {
		before = state->count;
		add_possible(state, asked_in->commands, s, true);
		insert_above(state, before, (struct help_item){ .group = "In this view" });
	}
	add_group(state, "Views");
	if (asked_in)
		add_item(state, (struct help_item){
				    .kind = "1 … 9",
				    .sentence = "alone: open that view; before a motion: so many "
						"times, as in 3j" });
	add_views(state, s, true);
	add_group(state, "Everywhere");
	add_possible(state, commands_global, s, true);
	before = state->count;
	if (asked_in)
		add_possible(state, asked_in->commands, s, false);
	add_possible(state, commands_global, s, false);
	add_views(state, s, false);
	if (!state->topic)
		insert_above(state, before, (struct help_item){ .group = why_not(s) });
	if (asked_in) {
		add_group(state, "Columns of this view");
		add_columns(state, asked_in);
	}
	add_group(state, "Commands of SOS");
	for (const struct sos_command *c = sos_commands; c->name; c++)
		add_item(state, (struct help_item){ .name = c->name, .sos = c });
}

static void
add_mouse(struct help_state *state)
{
	add_group(state, "The mouse, after :set mouse");
	for (const struct mouse_gesture *g = mouse_gestures; g->name; g++)
		add_named(state, g->name, g->help, "mouse");
}

static void
add_filter(struct help_state *state)
{
	add_group(state, "Parts of a filter");
	for (const struct filter_form *f = filter_forms; f->form; f++)
		add_named(state, f->form, f->help, NULL);
}

/* Collects all items of that name, from all views. */
static void
add_topic(struct help_state *state, const struct session *session, const char *topic)
{
	state->topic = topic;
	add_everything(state, session, NULL);
	for (const struct view_ops *const *v = all_views; *v; v++) {
		size_t before = state->count;

		for (const struct command *c = (*v)->commands; c && c->name; c++)
			add_command(state, c);
		add_columns(state, *v);
		insert_above(state, before, (struct help_item){ .view = *v });
	}
	for (const struct setting *s = settings_table; s->name; s++)
		add_item(state, (struct help_item){ .name = s->name,
						    .sentence = s->help,
						    .kind = "setting",
						    .setting = s });
	state->topic = NULL;
	if (!strcmp(topic, "filter") || !strcmp(topic, "where"))
		add_filter(state);
	if (!strcmp(topic, "mouse"))
		add_mouse(state);
}

/* --- the view ------------------------------------------------------------- */

static void
fill(const struct view *v)
{
	struct help_state *state = v->state;

	state->count = state->numbered = 0;
	state->line_width = v->fitted ? v->fitted : LINE_WIDTH;
	if (v->target.topic[0]) {
		add_topic(state, v->session, v->target.topic);
		return;
	}
	add_mapped(state, v->target.settings);
	add_first_page(state);
	add_everything(state, v->session, v->target.view);
	add_mouse(state);
}

static bool
help_open(struct view *v, struct error *err)
{
	struct help_state *state = arena_new(&v->arena, struct help_state, err);

	v->state = state;
	if (!state)
		return false;
	state->settings = v->target.settings;
	state->view = v->target.view;
	choose_first(state, &v->target);
	if (v->target.topic[0])
		snprintf(v->title, sizeof v->title, "help %.200s", v->target.topic);
	fill(v);
	return state->count ||
	       error_set(err, ERROR_USAGE, "no help about \"%s\"; ? shows all", v->target.topic);
}

static void
row_of_item(const struct view *v, uint32_t item, struct row *out)
{
	const struct help_state *state = v->state;

	*out = row_of(state->items[item].group || state->items[item].view ? ROW_GROUP : ROW_PLAIN);
	out->data = item;
	out->goes_on = state->items[item].line > 0;
	out->key =
	    (uint64_t)state->items[item].number * LINES_MAX + (uint64_t)state->items[item].line;
}

static bool
help_rows(struct view *v, struct error *err)
{
	struct help_state *state = v->state;

	fill(v);
	return view_show_all(v, state->count, err);
}

/* --- running a row -------------------------------------------------------- */

/* Runs the command in the view below; prompts for arguments that it needs. */
static bool
run_command(struct app *app, const struct command *c, struct error *err)
{
	int key = command_key(c);
	struct binding b;
	char text[64];

	snprintf(text, sizeof text, "%s%s", c->name, c->args[0].kind != ARG_NONE ? " " : "");
	b = command_by_line(app_view(app)->ops, text, err);
	if (!b.command)
		return false;
	if (b.command != c)
		return error_set(err, ERROR_USAGE, "%s is another command in this view", c->name);
	if (!key && c->args[0].kind != ARG_NONE && !(c->flags & COMMAND_FORCES) &&
	    !c->args[0].is_optional) {
		app_begin_prompt(app, PROMPT_COMMAND, text);
		return true;
	}
	return app_run_binding(app, &b, (struct call){ .arg = "", .key = key ? key : TK_ENTER },
			       err);
}

/* Writes the beginning of a command for the prompt; NULL: there is none. */
static const char *
item_line(const struct help_item *item, char out[64])
{
	if (item->sos)
		snprintf(out, 64, "%s ", item->sos->name);
	else if (item->setting)
		snprintf(out, 64, "set %s%s", item->setting->name,
			 item->setting->kind == SETTING_SWITCH ? "" : "=");
	else if (item->column)
		snprintf(out, 64, "sort %s", item->column->id);
	else
		return NULL;
	return out;
}

static bool
run_row(const struct call *call, struct error *err)
{
	struct app *app = call->app;
	struct help_item item;
	struct row row;
	char line[64];

	if (!view_selected(call->view, &row) || !app->current)
		return true;
	item = *row_item(call->view->state, &row);
	if (!item.command && !item.mapped && !item_line(&item, line))
		return error_set(err, ERROR_USAGE, "this row has nothing to run");
	app_close(app); /* closes call->view */
	if (item.command)
		return run_command(app, item.command, err);
	if (item.mapped)
		return app_run_mapping(app, item.mapped->command, err);
	app_begin_prompt(app, PROMPT_COMMAND, line);
	return true;
}

/* clang-format off */
static const struct command commands[] = {
	{ "run",         "Enter", "run", "run this command in the view below", .run = run_row },
	{ "screen-down", "Space", "",    "a screen down, as in less", .run = moving_page_down, .flags = COMMAND_COUNTS },
	{ "screen-up",   "b",     "",    "a screen up, as in less", .run = moving_page_up, .flags = COMMAND_COUNTS },
	{ 0 },
};
static const struct column columns[] = {
	/* id        title      width sorts     cell       help                     rank flags needs */
	{ "keys",    "Keys",    -12,  UNSORTED, CELL(VALUE_TEXT, cell_keys), "keys that do it",       0, 0, 0 },
	{ "command", "Command", -26,  UNSORTED, CELL(VALUE_TEXT, cell_name), "its name after :",      1, 0, 0 },
	{ "what",    "What",    FILL, UNSORTED, LONG_TEXT(cell_what, whole_sentence), "what it does",          0, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "help", .columns = columns };
/* clang-format on */

static const struct view_code help_code = {
	.open = help_open,
	.rows = help_rows,
	.item_row = row_of_item,
};

const struct view_ops view_help = {
	.command = { .name = "help",
		     .keys = "? F1",
		     .args = { MAY(ARG_COMMAND) },
		     .bar = "help",
		     .help = "show keys and commands, or help about a word" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "there is no help about that; :help shows all keys and commands" },
	.list = { .flags = VIEW_HIDDEN | VIEW_FITS },
	.code = &help_code,
};
