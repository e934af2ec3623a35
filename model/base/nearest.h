#ifndef MODEL_BASE_NEAREST_H
#define MODEL_BASE_NEAREST_H

/*
 * What somebody may have meant who typed a name that is not there: the one of
 * those that are with the fewest letters to change. Knows nothing of what it
 * is that has names. Each costs the product of both lengths, some 100 ns.
 */
#include <stddef.h>

enum { NEAREST_BYTES = 64 }; /* letters behind these are not looked at */

/* Not tolower(): it follows the locale. */
char letter_lower(char c);
/* Letters to change, or to swap with the next, to make one of the other; case
   is none. */
unsigned letters_apart(const char *a, const char *b);

struct nearest {
	char text[NEAREST_BYTES];
	const char *best; /* borrowed from who tried it; NULL: none is near */
	unsigned distance;
};

void nearest_init(struct nearest *n, const char *text, size_t len);
void nearest_try(struct nearest *n, const char *candidate);

#endif
