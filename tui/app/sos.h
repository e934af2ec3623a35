#ifndef TUI_APP_SOS_H
#define TUI_APP_SOS_H

/*
 * Translates SOS commands into commands of heaptop: "dumpheap -type Session
 * -min 100" becomes "objects; where …". The tables are used by the prompt, help
 * and the manual. To add a command, add a row to sos_commands; to add an option, a row to the table
 * in sos_options.c; to add a hint for a command that heaptop does not have, a row to sos_answers
 * (sos_line.h).
 */
#include "model/base/error.h"
#include <stddef.h>

struct heap;
struct sos_line;
struct sos_command {
	const char *name;
	const char *becomes;             /* the command it becomes; may have arguments */
	const char *becomes_for_capture; /* the same for a heap that was not
					read from memory; NULL: `becomes` */
	const char *where;               /* a condition for its rows; NULL: all rows */
	bool (*expand)(struct sos_line *l, struct error *err);
	const char *help;
};
extern const struct sos_command sos_commands[];

/* Returns whether it is an SOS command, supported or not; ignores case. */
bool sos_has(const char *name, size_t len);
/*
 * Translates a line that begins with an SOS command. `heap` may be NULL before it is loaded; the
 * translation then only shows which views the line needs. False sets `err` to the reason and, where
 * possible, to what to use instead.
 */
bool sos_expand(const char *line, const struct heap *heap, char *out, size_t out_size,
		struct error *err) MUST_USE;

#endif
