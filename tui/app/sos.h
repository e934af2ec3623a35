#ifndef TUI_APP_SOS_H
#define TUI_APP_SOS_H

/*
 * Commands of SOS in our words: "dumpheap -type Session -min 100" becomes
 * "objects; where …". One table for the prompt, help and the manual; a new
 * name is a row of sos_commands, an option of one a row of the options, a name
 * that is only answered one of sos_answers (sos_line.h).
 */
#include "model/base/error.h"
#include <stddef.h>

struct heap;
struct sos_line;
struct sos_command {
	const char *name;
	const char *ours; /* what it becomes; perhaps two, with a ';' */
	const char *ours_of_capture; /* …of a heap that was not made of memory;
					NULL: the same */
	const char *where;           /* only such rows of it; NULL: all */
	bool (*expand)(struct sos_line *l, struct error *err);
	const char *help;
};
/* Ends with {0}. */
extern const struct sos_command sos_commands[];

/*
 * Is this word, `len` long, the name of one, or of one that is answered?
 * Capitals do not matter.
 */
bool sos_has(const char *name, size_t len);
/*
 * A line that begins with one, about this heap; NULL: it is not there yet, and
 * only which views it leads to counts. False sets `err`: what these arguments
 * cannot be here, and what can.
 */
bool sos_expand(const char *line, const struct heap *heap, char *out,
		size_t out_size, struct error *err) MUST_USE;

#endif
