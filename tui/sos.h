#ifndef TUI_SOS_H
#define TUI_SOS_H

/*
 * Commands of SOS whose arguments are options or places, in our words:
 * "dumpheap -type Session -min 100" becomes "objects; where …". Those that
 * only have another name are rows of command_aliases (command.h).
 */
#include <stdbool.h>
#include <stddef.h>

/* False: the line is none of these, or has what is not known here. */
bool sos_expand(const char *line, char *out, size_t out_size);
/* Is this word, `len` long, the name of one? */
bool sos_has(const char *name, size_t len);
/* So that a regular expression means just this text. */
void sos_escape(const char *text, char *out, size_t out_size);

#endif
