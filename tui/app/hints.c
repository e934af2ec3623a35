#include "tui/app/arguments.h"
#include "tui/app/hints.h"
#include "tui/app/command.h"
#include "tui/term/line.h"
#include "tui/app/sos.h"
#include "model/base/text.h"
#include <stdio.h>
#include <string.h>

enum {
	HINTS_MAX = 6,
	/*
	 * Fixed, so that the help texts stay where they are when the list changes: slow connections
	 * redraw less.
	 */
	HELP_COLUMN = 30,
	COLUMNS_FOR_LIST = 60,
	ROWS_FOR_LIST = 14,
};

struct hint {
	const char *name, *help;
	const struct command *command; /* NULL: an SOS command */
};
struct hints {
	struct hint shown[HINTS_MAX];
	int count, total;
};

static bool
has_hint(const struct hints *h, const char *name)
{
	for (int i = 0; i < h->count; i++)
		if (!strcmp(h->shown[i].name, name))
			return true;
	return false;
}

/* Adds a command, unless one of the view's own has the same name. */
static void
add_hint(struct hints *h, const char *name, const char *help, const struct command *command)
{
	if (has_hint(h, name))
		return;
	if (h->count < HINTS_MAX)
		h->shown[h->count++] = (struct hint){ name, help, command };
	h->total++;
}

static void
add_beginnings(struct hints *h, const struct view_ops *view, const char *typed, size_t len)
{
	struct command_iterator it = { 0 };

	while (command_next(&it, view))
		if (!strncmp(it.command->name, typed, len))
			add_hint(h, it.command->name, it.command->help, it.command);
	for (const struct sos_command *c = sos_commands; c->name; c++)
		if (!strncmp(c->name, typed, len))
			add_hint(h, c->name, c->help, NULL);
}

/* Shows the command whose arguments are being typed. */
static void
add_meant(struct hints *h, const struct view_ops *view, const char *typed, size_t len)
{
	struct error ignored = { 0 };
	struct binding b = command_by_line(view, typed, &ignored);

	if (b.command) {
		add_hint(h, b.command->name, b.command->help, b.command);
		return;
	}
	for (const struct sos_command *c = sos_commands; c->name; c++)
		if (strlen(c->name) == len && !strncmp(c->name, typed, len))
			add_hint(h, c->name, c->help, NULL);
}

/* Returns the last of several commands; does not recognise a quoted ';'. */
static const char *
last_command(const char *line)
{
	const char *semicolon = strrchr(line, ';');

	line = semicolon ? semicolon + 1 : line;
	return line + strspn(line, " :");
}

/* Draws one hint; `of` > 1 is the number of commands it stands for. */
static void
draw_hint(const struct hint *hint, int of, struct screen *s, int row, int help_column)
{
	struct line l = { s, row, 0 };
	char count[32] = "", usage[USAGE_BYTES] = "";
	int start, right;

	if (of > 1)
		snprintf(count, sizeof count, " (1 of %d)", of);
	right = s->columns - text_width(count);
	if (hint->command)
		arguments_usage(hint->command, usage);
	line_add(&l, STYLE_TYPE, "%s%s%s  ", hint->name, *usage ? " " : "", usage);
	if (l.column < help_column)
		line_fill(&l, STYLE_NORMAL, " ", help_column - l.column);
	start = l.column;
	line_add(&l, STYLE_DIM, "%s", hint->help);
	if (text_width(hint->help) > right - start)
		screen_put(s, row, right - 1, 1, STYLE_DIM, "…");
	line_fill(&l, STYLE_NORMAL, " ", s->columns - l.column);
	screen_put(s, row, right, s->columns - right, STYLE_DIM, count);
}

void
hints_draw(const struct view_ops *view, const char *line, struct screen *s, int row)
{
	const char *typed = last_command(line);
	size_t len = strcspn(typed, " !");
	struct hints h = { .count = 0 };
	bool is_list = s->columns >= COLUMNS_FOR_LIST && s->rows >= ROWS_FOR_LIST;
	struct line more = { s, row - 1, 0 };
	int count;

	if (!len || row < 2)
		return;
	if (typed[len])
		add_meant(&h, view, typed, len);
	else
		add_beginnings(&h, view, typed, len);
	count = is_list || h.count < 1 ? h.count : 1;
	if (is_list && h.total > h.count) {
		line_add(&more, STYLE_DIM, "and %d more; Tab goes through them", h.total - h.count);
		line_fill(&more, STYLE_NORMAL, " ", s->columns - more.column);
		row--;
	}
	for (int i = 0; i < count; i++)
		draw_hint(&h.shown[i], is_list ? 1 : h.total, s, row - count + i,
			  is_list ? HELP_COLUMN : 0);
}
