#include "tui/nearest.h"
#include <string.h>

char
letter_lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

unsigned
letters_apart(const char *a, const char *b)
{
	unsigned row[NEAREST_BYTES + 1], diagonal, above;
	size_t b_len = strlen(b);

	if (b_len > NEAREST_BYTES)
		b_len = NEAREST_BYTES;
	for (unsigned j = 0; j <= b_len; j++)
		row[j] = j;
	for (unsigned i = 0; i < NEAREST_BYTES && a[i]; i++) {
		diagonal = row[0];
		row[0] = i + 1;
		for (unsigned j = 1; j <= b_len; j++) {
			unsigned cost =
			    letter_lower(a[i]) != letter_lower(b[j - 1]);

			above = row[j];
			row[j] = diagonal + cost;
			if (above + 1 < row[j])
				row[j] = above + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			diagonal = above;
		}
	}
	return row[b_len];
}

/* A slip or two of the finger, fewer in short names. */
static unsigned
slips_allowed(size_t len)
{
	return len < 3 ? 1 : len < 7 ? 2 : 3;
}

void
nearest_init(struct nearest *n, const char *text, size_t len)
{
	*n = (struct nearest){ .distance = slips_allowed(len) + 1 };
	memcpy(n->text, text, len < NEAREST_BYTES ? len : NEAREST_BYTES - 1);
}

void
nearest_try(struct nearest *n, const char *candidate)
{
	unsigned distance = letters_apart(n->text, candidate);

	if (distance >= n->distance)
		return;
	n->distance = distance;
	n->best = candidate;
}
