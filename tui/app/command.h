#ifndef TUI_APP_COMMAND_H
#define TUI_APP_COMMAND_H

/*
 * Commands are rows of tables: key, name at the prompt, arguments, label in the key bar, help and
 * function. The key bar, help, completion, `--help keys` and the check of the man page are all made
 * from these rows. Tables end with an empty row.
 *
 * A key is looked up in the commands of the view, then among the commands that open views
 * (tui/app/views.h), then in the global table (command_global.c).
 */
#include "tui/widget/call.h"

struct view_ops;
/* A command, and the view that it opens, if any. */
struct binding {
	const struct command *command; /* NULL: not found */
	const struct view_ops *opens;
};

/* Finds the command of a key; `view` is the current view or NULL. */
struct binding command_by_key(const struct view_ops *view, int key);
/* Finds a command by name or unambiguous prefix; ignores a '!' at the end. */
struct binding command_by_name(const struct view_ops *view, const char *name, size_t name_len,
			       struct error *err);
/*
 * The same for a line with arguments. A view's own command that takes none, such as the `open` of
 * Enter, leaves its name to the program's command when a space follows: "open FILE".
 */
struct binding command_by_line(const struct view_ops *view, const char *line, struct error *err);
/* Finds the command of a line in any view; SOS names are translated. */
struct binding command_anywhere(const char *line, struct error *err);
/* Returns whether `keys`, a member of struct command, has this key. */
bool keys_have(const char *keys, int key);
/* Returns the first key of the command, or 0. */
int command_key(const struct command *c);
/* Returns whether the command is one of the view's own. */
bool command_is_of(const struct view_ops *view, const struct command *c);

struct session;
/*
 * Returns false and sets `err` if the command can work for no row of this view, because the heap
 * has only types or is not loaded. `opens` is the view that it opens, or NULL. The key bar and help
 * leave out such commands.
 */
bool command_is_possible(const struct command *c, const struct view_ops *opens,
			 const struct session *s, struct error *err);

/*
 * Iterates over every command that can be used in a view, its own first. Start with a zeroed
 * iterator; command_next() returns false at the end.
 */
struct command_iterator {
	unsigned part, index;
	const struct command *command;
	const struct view_ops *opens;
};
bool command_next(struct command_iterator *it, const struct view_ops *view);

/* The commands that every view has. */
extern const struct command commands_global[];
/*
 * Translates SOS commands (sos.h) and "!ls", which becomes "shell ls". `heap` is NULL before it is
 * loaded. Returns `line` if there is nothing to translate, otherwise the text in `out`. NULL sets
 * `err`: the arguments are wrong for this heap.
 */
const char *command_expand_alias(const char *line, const struct heap *heap, char *out,
				 size_t out_size, struct error *err) MUST_USE;
/*
 * Returns whether the rest of the line is a shell command, whatever it contains: "!cmd", "w !cmd",
 * "w csv !cmd". "!gcroot" is not: that is an SOS command.
 */
bool command_is_for_shell(const char *line);
#endif
