#include "tui/command.h"
#include "tui/sos.h"
#include "tui/term.h"
#include "tui/views.h"
#include <string.h>

/* clang-format off */
const struct command_alias command_aliases[] = {
	/* theirs            ours                       takes_text */
	{ "dumpheap -stat",  "types",                   false },
	{ "dumpheap -type",  "objects; filter",         true },
	{ "dumpheap",        "objects",                 false },
	{ "dumpobj",         "inspect",                 false },
	{ "do",              "inspect",                 false },
	{ "dumparray",       "fields",                  false },
	{ "da",              "fields",                  false },
	{ "eeheap -gc",      "segments",                false },
	{ "eeheap",          "segments",                false },
	{ "clrthreads",      "threads",                 false },
	{ "clrmodules",      "modules",                 false },
	{ "gcroot",          "paths",                   false },
	{ "verifyheap",      "verify",                  false },
	{ "verifyobj",       "verify",                  false },
	{ "gchandles",       "roots; filter handles?$", false },
	{ "finalizequeue",   "roots; filter finalizer", false },
	{ "fq",              "roots; filter finalizer", false },
	{ "gcheapstat",      "segments",                false },
	{ 0 },
};
/* What else they may type: what there is instead. */
static const struct {
	const char *theirs, *answer;
} answers[] = {
	{ "dumpgen",    "dumpgen: dumpgen gen0, gen1, gen2, loh, poh or foh; and options of dumpheap" },
	{ "gcwhere",    "gcwhere: gcwhere ADDRESS, in a heap from memory" },
	{ "lno",        "lno: see objects, sorted by address; verify ADDRESS tells what is before and after a damaged one" },
	{ "listnearobj", "listnearobj: see objects, sorted by address; verify ADDRESS tells what is before and after a damaged one" },
	{ "syncblk",    "syncblk: locks are told object by object, in the heading of fields" },
	{ "dumpmt",     "dumpmt: types have names here; see types, and fields of an object" },
	{ "dumpvc",     "dumpvc: structures are taken apart where they are; see fields" },
};
/* clang-format on */

bool
command_has_key(const struct command *c, int key)
{
	const char *at = c->keys;
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
		it->command =
		    table && table[it->index].name ? &table[it->index] : NULL;
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
		if (command_has_key(it.command, key))
			return (struct binding){ it.command, it.opens };
	return (struct binding){ 0 };
}

/* What fingers know from vi, though other names begin so as well. */
static const struct {
	const char *typed, *name;
} abbreviations[] = {
	{ "w", "write" },
};

struct binding
command_by_name(const struct view_ops *view, const char *name, size_t name_len,
		struct error *err)
{
	struct command_iterator it = { 0 };
	struct binding found = { 0 };
	unsigned found_count = 0;

	if (name_len > 1 && name[name_len - 1] == '!')
		name_len--;
	for (size_t i = 0; i < sizeof abbreviations / sizeof abbreviations[0];
	     i++)
		if (strlen(abbreviations[i].typed) == name_len &&
		    !strncmp(abbreviations[i].typed, name, name_len)) {
			name = abbreviations[i].name;
			name_len = strlen(name);
		}
	while (command_next(&it, view)) {
		if (strncmp(it.command->name, name, name_len))
			continue;
		if (!it.command->name[name_len])
			return (struct binding){ it.command, it.opens };
		found = (struct binding){ it.command, it.opens };
		found_count++;
	}
	if (found_count == 1)
		return found;
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
		if (strlen(answers[i].theirs) == name_len &&
		    !strncmp(answers[i].theirs, name, name_len)) {
			error_set(err, ERROR_USAGE, "%s", answers[i].answer);
			return (struct binding){ 0 };
		}
	if (found_count)
		error_set(err, ERROR_USAGE,
			  "%u commands begin with \"%.*s\"; Tab shows them",
			  found_count, (int)name_len, name);
	else
		error_set(err, ERROR_USAGE,
			  "no command \"%.*s\": see ? or heaptop --help keys",
			  name_len < 60 ? (int)name_len : 60, name);
	return (struct binding){ 0 };
}

/* The words of SOS, behind its `!`. */
static bool
is_theirs(const char *name, size_t len)
{
	/* Ours are called so, too. */
	static const char *const same[] = { "objsize", "threads", "modules" };

	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
		if (strlen(answers[i].theirs) == len &&
		    !strncmp(answers[i].theirs, name, len))
			return true;
	for (const struct command_alias *a = command_aliases; a->theirs; a++)
		if (strcspn(a->theirs, " ") == len &&
		    !strncmp(a->theirs, name, len))
			return true;
	for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
		if (strlen(same[i]) == len && !strncmp(same[i], name, len))
			return true;
	return sos_has(name, len);
}

bool
command_is_for_shell(const char *line)
{
	size_t len = strcspn(line, " \t\n;!");

	if (*line == '!')
		return !is_theirs(line + 1, strcspn(line + 1, " \t\n;"));
	/* "w !cmd"; "w! FILE" is another thing. */
	if (!len || !strchr(" \t", line[len]))
		return false;
	if (!strncmp(line, "write", len)) {
		line += len;
		line += strspn(line, " \t");
		/* Perhaps behind a format: "w csv !cmd". */
		line += strspn(line, "abcdefghijklmnopqrstuvwxyz");
		return line[strspn(line, " \t")] == '!';
	}
	return len > 1 && !strncmp(line, "shell", len);
}

struct binding
command_anywhere(const char *line, struct error *err)
{
	char expanded[256]; /* its name is all that counts */
	struct error ignored;
	size_t len;

	line = command_expand_alias(line, expanded, sizeof expanded);
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
command_expand_alias(const char *line, char *out, size_t out_size)
{
	const char *rest;
	size_t len;

	if (*line == '!' && command_is_for_shell(line)) {
		snprintf(out, out_size, "shell %s", line + 1);
		return out;
	}
	line += *line == '!';
	if (sos_expand(line, out, out_size))
		return out;
	for (const struct command_alias *a = command_aliases; a->theirs; a++) {
		len = strlen(a->theirs);
		if (strncmp(line, a->theirs, len) ||
		    (line[len] && line[len] != ' '))
			continue;
		rest = line + len;
		len = strlen(a->ours);
		snprintf(out, out_size, "%s%s", a->ours, rest);
		if (a->takes_text && len < out_size)
			sos_escape(rest, out + len, out_size - len);
		return out;
	}
	return line;
}
