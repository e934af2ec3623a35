#include "tui/app/key_bar.h"
#include "tui/app/state.h"
#include "tui/tables/object_commands.h"
#include "tui/session/snapshots.h"
#include "model/base/text.h"
#include "tui/app/views.h"
#include <string.h>

enum {
	COLUMNS_FOR_LABELS = 60, /* below this width ? and q have no labels */
	GAP = 2,                 /* columns between keys */
	KEY_BYTES = 16,
};

/* Adds a key. False: it does not fit into `room` columns. */
static bool
add_item(struct key_bar *bar, int key, const char *label, int room)
{
	const struct key_bar_item *last = bar->count ? &bar->items[bar->count - 1] : NULL;
	int column = last ? last->column + last->width + GAP : 0;
	int label_width = *label ? 1 + text_width(label) : 0;
	char name[KEY_BYTES];
	struct key_bar_item item = { key, label, column,
				     text_width(key_spell(key, name)) + label_width };

	if (bar->count == KEY_BAR_MAX || column + item.width > room)
		return false;
	bar->items[bar->count++] = item;
	return true;
}

/* Returns whether the view needs several heaps and there is only one. */
static bool
lacks_heaps(const struct view_ops *opens, const struct session *s)
{
	return opens->list.needs & NEED_SNAPSHOTS &&
	       (!s->snapshots || snapshots_heaps(s->snapshots) < 2);
}

static bool
can_sort(const struct view *v)
{
	for (const struct column *c = v->ops->table->columns; c->id; c++)
		if (c->sort != UNSORTED)
			return true;
	return false;
}

/* Returns whether the command may produce rows in an empty view. */
static bool
brings_rows(const struct command *c)
{
	return c->args[0].kind != ARG_NONE || c->flags & COMMAND_MAKES_ROWS;
}

/* Returns the label of a command; "" if it has no effect on this row. */
static const char *
label_of(const struct view *v, const struct command *c)
{
	struct target target = view_target(v);
	struct row row;

	if (c == &view_merged.command && target.node == NODE_NONE)
		return view_tree.command.bar;
	if (!strcmp(c->name, "mine") && v->session->shows_mine)
		return "all types";
	if (!view_code(v->ops)->tree || strcmp(c->bar, "inspect") != 0 || !view_selected(v, &row))
		return c->bar;
	if (row.kind == ROW_MORE)
		return "more";
	if (row.node != NODE_NONE)
		return c->bar;
	return row.fold == FOLD_CLOSED ? "open" : row.fold == FOLD_OPEN ? "close" : "";
}

static bool
is_idle_at(const struct command *c, const struct row *row)
{
	if (c->run == view_command_unfold)
		return row->fold != FOLD_CLOSED;
	return row->kind == ROW_ROOT && (!strcmp(c->name, "follow") || !strcmp(c->name, "unfold"));
}

/* Returns whether a command of the view has no effect on the selected row. */
static bool
is_idle_here(const struct view *v, const struct command *c)
{
	struct row row;

	if (!command_is_of(v->ops, c))
		return false;
	return view_selected(v, &row) ? is_idle_at(c, &row) : !brings_rows(c);
}

/* Returns whether a command has no effect on the selected row. */
static bool
is_idle(const struct view *v, const struct command *c)
{
	struct target target = view_target(v);

	if (is_idle_here(v, c))
		return true;

	if (c->run == object_inspect)
		return target.node == NODE_NONE;
	if (!strcmp(c->name, "holds"))
		return target.node == NODE_NONE && target.type == TYPE_NONE;
	if (!strcmp(c->name, "mine"))
		return !(v->ops->list.flags & VIEW_MINE);
	return !strcmp(c->name, "sort") && !can_sort(v);
}

/* Returns whether the view that a command opens would show nothing new here. */
static bool
opens_nothing(const struct view *v, const struct view_ops *opens)
{
	struct target target = view_target(v);

	if (view_is(v, opens) || lacks_heaps(opens, v->session))
		return true;
	if (opens == &view_record)
		return !snapshots_pid(v->session);
	/* Both keys show the same tree for a type. */
	return opens == &view_tree && target.node == NODE_NONE;
}

/* Returns whether a command has an effect on the selected row. */
static bool
is_useful(const struct view *v, const struct command_iterator *it)
{
	struct target target = view_target(v);
	unsigned takes = it->opens ? view_takes(it->opens) & ~(unsigned)TAKES_SET : TAKES_NOTHING;
	struct error ignored = { 0 };

	if (!command_is_possible(it->command, it->opens, v->session, &ignored))
		return false;
	if (it->opens ? opens_nothing(v, it->opens) : is_idle(v, it->command))
		return false;
	return takes == TAKES_NOTHING || takes & (TAKES_OPTIONAL | TAKES_TOPIC) ||
	       target_fits(&target, takes);
}

/* Returns whether the key means another command in this view. */
static bool
is_hidden(const struct keymap *keys, const struct view *v, const struct command *c)
{
	int key = command_key(c);

	return !key || keymap_meaning(keys, v, key).binding.command != c;
}

static bool
is_shown(const struct keymap *keys, const struct view *v, const struct command_iterator *it)
{
	return *label_of(v, it->command) && strcmp(it->command->name, "help") != 0 &&
	       strcmp(it->command->name, "close") != 0 && is_useful(v, it) &&
	       !is_hidden(keys, v, it->command);
}

/* The order of commands in the bar: those for the row first, number keys of views last. */
enum turn { TURN_ROW, TURN_ANSWERS, TURN_OTHERS, TURN_NUMBERS, TURNS };

static enum turn
turn_of(const struct view *v, const struct command *c)
{
	if (command_is_of(v->ops, c))
		return TURN_ROW;
	if (c->flags & COMMAND_ANSWERS)
		return TURN_ANSWERS;
	return c->keys[0] >= '1' && c->keys[0] <= '9' ? TURN_NUMBERS : TURN_OTHERS;
}

size_t
key_bar_commands(const struct view *v, const struct keymap *keys, const struct command **out,
		 size_t max)
{
	size_t count = 0;

	for (int turn = 0; turn < TURNS; turn++) {
		struct command_iterator it = { 0 };

		while (count < max && command_next(&it, v->ops))
			if (turn_of(v, it.command) == (enum turn)turn && is_shown(keys, v, &it))
				out[count++] = it.command;
	}
	return count;
}

/* Fills the bar with the keys of a prompt or a menu. */
static void
fill_for_typing(struct key_bar *bar, const struct app *app, int columns)
{
	static const char *const enter[PROMPT_KINDS] = { "run", "find", "filter" };
	bool completes = app->prompt_kind != PROMPT_SEARCH;
	const struct {
		int key;
		const char *label;
	} prompt[] = {
		{ TK_ENTER, enter[app->prompt_kind] },
		{ TK_ESCAPE, "cancel" },
		{ completes ? TK_TAB : TK_UP, completes ? "complete" : "earlier" },
		{ completes ? TK_UP : 'R' & 0x1f, completes ? "earlier" : "search the history" },
		{ completes ? 'R' & 0x1f : 0, "search the history" },
	}, menu[] = {
		{ TK_ENTER, "choose" }, { TK_ESCAPE, "cancel" }, { 'j', "down" }, { 'k', "up" }, { 0 },
	};

	for (size_t i = 0; i < sizeof prompt / sizeof prompt[0]; i++) {
		int key = app->menu.is_open ? menu[i].key : prompt[i].key;

		if (key)
			add_item(bar, key, app->menu.is_open ? menu[i].label : prompt[i].label,
				 columns);
	}
}

void
key_bar_fill(struct key_bar *bar, struct app *app, int columns)
{
	const struct view *v = app_view(app);
	const struct command *commands[KEY_BAR_MAX];
	bool has_labels = columns >= COLUMNS_FOR_LABELS, has_room = true;
	const char *help = has_labels ? "help" : "";
	const char *close = !has_labels                           ? ""
			    : app->current || app->has_pane_focus ? "close"
								  : "quit";
	/* Reserve room for these two: a way out must always be visible. */
	int room = columns - text_width(has_labels ? "? help  q close" : "?  q");
	size_t count;

	bar->count = 0;
	if (app->is_prompting || app->menu.is_open) {
		fill_for_typing(bar, app, columns);
		return;
	}
	count = key_bar_commands(v, &app->settings->keys, commands, KEY_BAR_MAX);
	for (size_t i = 0; i < count && has_room; i++)
		has_room =
		    add_item(bar, command_key(commands[i]), label_of(v, commands[i]), room - GAP);
	add_item(bar, '?', help, columns);
	add_item(bar, 'q', close, columns);
}

void
key_bar_draw(const struct key_bar *bar, struct screen *s, int row)
{
	char name[KEY_BYTES];

	for (int i = 0; i < bar->count; i++) {
		const struct key_bar_item *item = &bar->items[i];
		int used = screen_put(s, row, item->column, item->width, STYLE_KEY,
				      key_spell(item->key, name));

		screen_put(s, row, item->column + used + 1, item->width, STYLE_NORMAL, item->label);
	}
}

int
key_bar_at(const struct key_bar *bar, int column)
{
	for (int i = 0; i < bar->count; i++)
		if (column >= bar->items[i].column &&
		    column < bar->items[i].column + bar->items[i].width)
			return bar->items[i].key;
	return 0;
}
