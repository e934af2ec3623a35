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
	return opens && opens->list.needs & NEED_SNAPSHOTS &&
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
	struct row row;

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
	return !strcmp(c->name, "sort") && !can_sort(v);
}

/*
 * Returns whether to show a command. Commands for types alone are left out on rows of types, where
 * others do the same.
 */
static bool
is_useful(const struct view *v, const struct command_iterator *it)
{
	struct target target = view_target(v);
	unsigned takes = it->opens ? view_takes(it->opens) & ~(unsigned)TAKES_SET : TAKES_NOTHING;

	struct error ignored = { 0 };

	if (!command_is_possible(it->command, it->opens, v->session, &ignored) ||
	    (!it->opens && is_idle(v, it->command)))
		return false;
	if ((it->opens && view_is(v, it->opens)) || lacks_heaps(it->opens, v->session))
		return false;
	if (!it->opens || takes == TAKES_NOTHING || takes & TAKES_OPTIONAL)
		return true;
	if (takes == TAKES_TYPE && target.node == NODE_NONE)
		return false;
	return target_fits(&target, takes);
}

/* Returns whether the key means another command in this view. */
static bool
is_hidden(struct app *app, const struct command_iterator *it)
{
	int key = command_key(it->command);

	return !key || keymap_meaning(&app->settings->keys, app_view(app), key).binding.command !=
			   it->command;
}

static bool
is_number_key(const struct command *c)
{
	return c->keys[0] >= '1' && c->keys[0] <= '9';
}

static bool
is_shown(struct app *app, const struct command_iterator *it)
{
	return *label_of(app_view(app), it->command) && it->opens != &view_help &&
	       strcmp(it->command->name, "close") != 0 && is_useful(app_view(app), it) &&
	       !is_hidden(app, it);
}

void
key_bar_fill(struct key_bar *bar, struct app *app, int columns)
{
	bool has_labels = columns >= COLUMNS_FOR_LABELS, has_room = true;
	const char *help = has_labels ? view_help.command.bar : "";
	const char *close = !has_labels                           ? ""
			    : app->current || app->has_pane_focus ? "close"
								  : "quit";
	/* Reserve room for these two: a way out must always be visible. */
	int room = columns - text_width(has_labels ? "? help  q close" : "?  q");

	bar->count = 0;
	/* Commands for the row first, number keys of views last. */
	for (int pass = 0; pass < 2 && has_room; pass++) {
		struct command_iterator it = { 0 };

		while (has_room && command_next(&it, app_view(app)->ops))
			if ((pass == 1) == is_number_key(it.command) && is_shown(app, &it))
				has_room =
				    add_item(bar, command_key(it.command),
					     label_of(app_view(app), it.command), room - GAP);
	}
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
