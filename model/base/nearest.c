#include "model/base/nearest.h"
#include <stdbool.h>
#include <string.h>

char
letter_lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Two swapped letters are one edit. */
static bool
is_swapped(const char *a, const char *b)
{
	return letter_lower(a[-1]) == letter_lower(b[0]) &&
	       letter_lower(a[0]) == letter_lower(b[-1]);
}

unsigned
letters_apart(const char *a, const char *b)
{
	enum { ROWS = 3 };
	unsigned rows[ROWS][NEAREST_BYTES + 1];
	size_t a_len = strnlen(a, NEAREST_BYTES);
	size_t b_len = strnlen(b, NEAREST_BYTES);

	for (unsigned j = 0; j <= b_len; j++)
		rows[0][j] = j;
	for (unsigned i = 1; i <= a_len; i++) {
		const unsigned *above = rows[(i - 1) % ROWS];
		const unsigned *higher = rows[(i + 1) % ROWS];
		unsigned *row = rows[i % ROWS];

		row[0] = i;
		for (unsigned j = 1; j <= b_len; j++) {
			unsigned cost = letter_lower(a[i - 1]) != letter_lower(b[j - 1]);

			row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + cost);
			if (i > 1 && j > 1 && is_swapped(a + i - 1, b + j - 1))
				row[j] = least(row[j], higher[j - 2] + 1);
		}
	}
	return rows[a_len % ROWS][b_len];
}

/* One to three edits, fewer for short names. */
static unsigned
slips_allowed(size_t len)
{
	return len < 6 ? 1 : len < 9 ? 2 : 3;
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
