#include "tui/app/replay.h"
#include "tui/app/command.h"
#include "tui/app/keymap.h"
#include "tui/app/views.h"
#include "tui/app/script.h"
#include <string.h>

static const char map[] = "map";

static bool
is_map(const char *line)
{
	size_t len = strcspn(line, " \t");

	return len == sizeof map - 1 && !strncmp(line, map, len);
}

/* A command without arguments is not meant by a line that has some: "open FILE" opens a file. */
static const struct command *
find_replayed(const struct command *table, const char *line)
{
	size_t len = strcspn(line, " \t");
	const struct command *c = table;

	while (c && c->name &&
	       (c->replay == REPLAY_NEVER || strlen(c->name) != len ||
		strncmp(c->name, line, len) != 0 || (line[len] && c->args[0].kind == ARG_NONE)))
		c++;
	return c && c->name ? c : NULL;
}

/* Looks in all views: it is unknown in which of them the line will run. */
const struct command *
replay_command(const char *line)
{
	const struct command *c = find_replayed(commands_global, line);

	for (const struct view_ops *const *v = all_views; *v && !c; v++)
		c = find_replayed((*v)->commands, line);
	return c;
}

bool
replay_allows(const char *line, enum replay *wait, struct error *err)
{
	const struct command *c = replay_command(line);
	size_t len = strcspn(line, " \t"), view;
	char command[KEYMAP_COMMAND_BYTES];

	if (is_map(line) && !replay_allows_key(keymap_command(line + len, command)))
		return error_set(err, ERROR_USAGE, "a session may not map a key to that: %.80s",
				 line);

	*wait = c ? c->replay : REPLAY_HEAP;
	if (c)
		return true;
	view = views_number(line, len);
	if (view == SIZE_MAX)
		return error_set(err, ERROR_USAGE, "sessions may not run %.*s",
				 len < 40 ? (int)len : 40, line);
	/* Without an argument it is about the selected row. */
	*wait = line[len] ? REPLAY_HEAP : REPLAY_ROWS;
	return !(all_views[view]->list.flags & VIEW_QUERIES_PROCESSES) ||
	       error_set(err, ERROR_USAGE,
			 "a session does not query running processes; type it yourself: %.80s",
			 line);
}

bool
replay_allows_key(const char *commands)
{
	char line[SCRIPT_COMMAND_BYTES];
	struct error err;
	struct script s;
	enum replay wait;

	error_clear(&err);
	script_init(&s, commands);
	while (script_next(&s, line, &err))
		if (command_is_for_shell(line) || is_map(line) || !replay_allows(line, &wait, &err))
			return false;
	return err.kind == ERROR_NONE;
}
