#ifndef TUI_APP_COMMAND_H
#define TUI_APP_COMMAND_H

/*
 * Keys and commands are rows of tables: the key, its name at the prompt, its
 * arguments, its label in the key bar, its help and its function stand in one
 * row, and the key bar, help, completion, `--help keys` and the check of the
 * man page are all made from it. Tables end with an empty row.
 *
 * A key is looked up in the commands of the view, then among the commands that
 * open views (tui/app/views.h), then in the global table (command_global.c).
 */
#include "tui/widget/call.h"

struct view_ops;
/* A command found, and the view that it opens if it is such a one. */
struct binding {
	const struct command *command; /* NULL: not found */
	const struct view_ops *opens;
};

/* `view` is the ops of the current view, or NULL for none. */
struct binding command_by_key(const struct view_ops *view, int key);
/* Full names, or a beginning that only one command has; "w!" is "w". */
struct binding command_by_name(const struct view_ops *view, const char *name,
			       size_t name_len, struct error *err);
/* The command of a line, in whatever view it works; SOS names as well. */
struct binding command_anywhere(const char *line, struct error *err);
/* True if this is one of command.keys. */
bool keys_have(const char *keys, int key);
/* True of those that work in this view alone. */
bool command_is_of(const struct view_ops *view, const struct command *c);

struct session;
/*
 * False sets `err`: whatever is selected in this view, it is refused, as the
 * heap has only types, or none is there. `opens` is the view that it opens, or
 * NULL. Key bar and help leave out what is refused here.
 */
bool command_is_possible(const struct command *c, const struct view_ops *opens,
			 const struct session *s, struct error *err);

/*
 * Goes through every command that can be used in a view, its own first. Start
 * with a zeroed iterator; false at the end.
 */
struct command_iterator {
	unsigned part, index;
	const struct command *command;
	const struct view_ops *opens;
};
bool command_next(struct command_iterator *it, const struct view_ops *view);

/* The global table; NULL before tables_hand_in(). */
extern const struct command *commands_global;
extern const struct command command_table[];
/*
 * What users of SOS type, in our words (sos.h): "dumpheap -type X" becomes
 * "objects; where …"; `heap` is what it is about, or NULL before it is there.
 * And what a shell is given: "!ls" becomes "shell ls". Returns `line` or the
 * text in `out`; NULL sets `err`: these arguments mean nothing here.
 */
const char *command_expand_alias(const char *line, const struct heap *heap,
				 char *out, size_t out_size,
				 struct error *err) MUST_USE;
/*
 * "!cmd", "w !cmd" and "w csv !cmd": the rest of the line is a shell's,
 * whatever is in it. Not "!gcroot": that is what users of SOS type.
 */
bool command_is_for_shell(const char *line);
#endif
