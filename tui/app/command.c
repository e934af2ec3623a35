#include "model/base/nearest.h"
#include "tui/app/command.h"
#include "tui/app/sos.h"
#include "tui/term/term.h"
#include "tui/app/views.h"
#include <string.h>

enum { PART_LEAST = 3 }; /* bytes of a name in the middle of another */

bool
keys_have(const char *keys, int key)
{
	const char *at = keys;
	char name[16];
	size_t len;

	while (*at) {
		len = strcspn(at, " ");
		if (len > 0 && len < sizeof name) {
			memcpy(name, at, len);
			name[len] = '\0';
			if (key_parse(name) == key)
				return true;
		}
		at += len;
		at += strspn(at, " ");
	}
	return false;
}

int
command_key(const struct command *c)
{
	size_t len = strcspn(c->keys, " ");
	char name[sizeof c->keys];

	snprintf(name, sizeof name, "%.*s", (int)len, c->keys);
	return len ? key_parse(name) : 0;
}

bool
command_is_of(const struct view_ops *view, const struct command *c)
{
	const struct command *own = view->commands;

	while (own && own->name && own != c)
		own++;
	return own && own->name;
}

/* Sets `is_of_row` if the command needs a selected row. Returns enum need. */
static unsigned
needs_of(const struct command *c, const struct view_ops *opens, const struct session *s,
	 bool *is_of_row)
{
	*is_of_row = opens && view_takes(opens) & (TAKES_OBJECT | TAKES_TYPE) &&
		     !(view_takes(opens) & TAKES_OPTIONAL);
	if (opens)
		return view_own_needs(opens, s);
	*is_of_row = c->flags & COMMAND_OF_ROW;
	return c->needs;
}

bool
command_is_possible(const struct command *c, const struct view_ops *opens, const struct session *s,
		    struct error *err)
{
	bool is_of_row;
	unsigned needs = needs_of(c, opens, s, &is_of_row);

	return session_can_have(s, needs, err) &&
	       (!is_of_row || !needs || session_has_settled(s, err));
}

bool
command_next(struct command_iterator *it, const struct view_ops *view)
{
	enum { OWN, VIEWS_OPENED, GLOBAL };
	const struct command *table =
	    it->part == OWN ? (view ? view->commands : NULL) : commands_global;

	it->opens = NULL;
	if (it->part == VIEWS_OPENED) {
		it->opens = all_views[it->index];
		it->command = it->opens ? &it->opens->command : NULL;
	} else {
		it->command = table && table[it->index].name ? &table[it->index] : NULL;
	}
	it->index++;
	if (it->command)
		return true;
	if (it->part == GLOBAL)
		return false;
	it->part++;
	it->index = 0;
	return command_next(it, view);
}

struct binding
command_by_key(const struct view_ops *view, int key)
{
	struct command_iterator it = { 0 };

	while (command_next(&it, view))
		if (keys_have(it.command->keys, key))
			return (struct binding){ it.command, it.opens };
	return (struct binding){ 0 };
}

struct binding
command_by_name(const struct view_ops *view, const char *name, size_t name_len, struct error *err)
{
	struct command_iterator it = { 0 };
	struct binding found = { 0 };
	unsigned found_count = 0;
	const char *within = NULL; /* the first command that has the name in its middle */
	char part[64];
	struct nearest near;
	int shown;

	if (name_len > 1 && name[name_len - 1] == '!')
		name_len--;
	/* "w" is "write" and "e" is "open", as in vi, although other names begin with them. */
	if (name_len == 1 && (*name == 'w' || *name == 'e')) {
		view = *name == 'e' ? NULL : view;
		name = *name == 'e' ? "open" : "write";
		name_len = strlen(name);
	}
	shown = name_len < 60 ? (int)name_len : 60;
	snprintf(part, sizeof part, "%.*s", shown, name);
	nearest_init(&near, name, name_len);
	while (command_next(&it, view)) {
		nearest_try(&near, it.command->name);
		if (!within && name_len >= PART_LEAST && strstr(it.command->name, part))
			within = it.command->name;
		if (strncmp(it.command->name, name, name_len))
			continue;
		if (!it.command->name[name_len])
			return (struct binding){ it.command, it.opens };
		if (found.command && !strcmp(found.command->name, it.command->name))
			continue;
		found = (struct binding){ it.command, it.opens };
		found_count++;
	}
	if (found_count == 1)
		return found;
	for (const struct sos_command *c = sos_commands; c->name; c++)
		nearest_try(&near, c->name);
	if (found_count)
		error_set(err, ERROR_USAGE, "%u commands begin with \"%.*s\"; Tab shows them",
			  found_count, (int)name_len, name);
	else if (within || near.best)
		error_set(err, ERROR_USAGE, "no command \"%.*s\"; perhaps: %s", shown, name,
			  within ? within : near.best);
	else
		error_set(err, ERROR_USAGE, "no command \"%.*s\": see ? or heaptop --help keys",
			  shown, name);
	return (struct binding){ 0 };
}

struct binding
command_by_line(const struct view_ops *view, const char *line, struct error *err)
{
	size_t len = strcspn(line, " \t");
	struct binding b = command_by_name(view, line, len, err);

	if (!line[len] || !b.command || b.opens || b.command->args[0].kind != ARG_NONE)
		return b;
	for (const struct command *c = commands_global; c->name; c++)
		if (c->args[0].kind != ARG_NONE && !strcmp(c->name, b.command->name))
			b.command = c;
	return b;
}

/* Returns whether it is an SOS command and not rather one of the shell. */
static bool
is_sos_after_mark(const char *name)
{
	size_t len = strcspn(name, " \t\n;");

	return sos_has(name, len) && !((len == 4 && !strncmp(name, "exit", len)) ||
				       (len == 5 && !strncmp(name, "watch", len)));
}

bool
command_is_for_shell(const char *line)
{
	size_t len = strcspn(line, " \t\n;!");

	if (*line == '!')
		return !is_sos_after_mark(line + 1);
	/* "w !cmd", but not "w! FILE". */
	if (!len || !strchr(" \t", line[len]))
		return false;
	if (!strncmp(line, "write", len)) {
		line += len;
		line += strspn(line, " \t");
		/* A format may come first: "w csv !cmd". */
		line += strspn(line, "abcdefghijklmnopqrstuvwxyz");
		return line[strspn(line, " \t")] == '!';
	}
	return len > 1 && !strncmp(line, "shell", len);
}

struct binding
command_anywhere(const char *line, struct error *err)
{
	char expanded[256]; /* only the command's name matters */
	struct error ignored;
	size_t len;

	line = command_expand_alias(line, NULL, expanded, sizeof expanded, err);
	if (!line)
		return (struct binding){ 0 };
	len = strcspn(line, " \t;");
	for (const struct view_ops *const *v = all_views; *v; v++) {
		struct binding found;

		error_clear(&ignored);
		found = command_by_name(*v, line, len, &ignored);
		if (found.command)
			return found;
	}
	return command_by_name(NULL, line, len, err);
}

const char *
command_expand_alias(const char *line, const struct heap *heap, char *out, size_t out_size,
		     struct error *err)
{
	if (*line == '!' && command_is_for_shell(line)) {
		snprintf(out, out_size, "shell %s", line + 1);
		return out;
	}
	line += *line == '!';
	if (!sos_has(line, strcspn(line, " \t")))
		return line;
	return sos_expand(line, heap, out, out_size, err) ? out : NULL;
}
