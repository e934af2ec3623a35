#ifndef TUI_SOS_H
#define TUI_SOS_H

/*
 * Commands of SOS in our words: "dumpheap -type Session -min 100" becomes
 * "objects; where …". One table for the prompt, help and the manual; a new
 * name is a row of sos_commands, an option of one a row of the options.
 */
#include "model/error.h"
#include <stddef.h>

struct sos_line;
struct sos_command {
	const char *name;
	const char *ours; /* what it becomes; perhaps two, with a ';' */
	const char *ours_of_memory; /* …of a heap from memory; NULL: the same */
	bool (*expand)(struct sos_line *l, struct error *err);
	const char *help;
};
/* Ends with {0}. */
extern const struct sos_command sos_commands[];

/* Is this word, `len` long, the name of one? Capitals do not matter. */
bool sos_has(const char *name, size_t len);
/*
 * A line that begins with one. `has_memory`: of the heap that it is about.
 * False sets `err`: what these arguments cannot be here, and what can.
 */
bool sos_expand(const char *line, bool has_memory, char *out, size_t out_size,
		struct error *err) MUST_USE;

#endif
