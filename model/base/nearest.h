#ifndef MODEL_BASE_NEAREST_H
#define MODEL_BASE_NEAREST_H

/*
 * Suggests a name for a mistyped one: the candidate with the smallest edit distance. Each candidate
 * costs the product of both lengths, about 100 ns.
 */
#include <stddef.h>

enum { NEAREST_BYTES = 64 }; /* further letters are ignored */

/* tolower() depends on the locale. */
char letter_lower(char c);
/* Edit distance (insertions, deletions, replacements, swaps), ignoring case. */
unsigned letters_apart(const char *a, const char *b);

struct nearest {
	char text[NEAREST_BYTES];
	const char *best; /* borrowed from nearest_try(); NULL: none is near */
	unsigned distance;
};

void nearest_init(struct nearest *n, const char *text, size_t len);
void nearest_try(struct nearest *n, const char *candidate);

#endif
