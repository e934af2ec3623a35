#ifndef MODEL_TABLE_PATTERN_H
#define MODEL_TABLE_PATTERN_H

/*
 * A POSIX extended regular expression as typed after `/` and `&`. Without
 * capitals it ignores case, of ASCII letters only and in every locale alike.
 * The [] and [,] of arrays mean themselves, though: /byte[] finds byte[].
 * Remembers the answers for texts seen lately, by their place in memory:
 * millions of objects have thousands of type names.
 */
#include "model/base/error.h"
#include <stddef.h>

struct pattern;

/* Refuses also what would take minutes or all memory: (a{1,255}){1,255}. */
struct pattern *pattern_new(const char *text, struct error *err) MUST_USE;
void pattern_free(struct pattern *p); /* NULL is allowed */
const char *pattern_text(const struct pattern *p);
bool pattern_minds_case(const struct pattern *p);
/*
 * `stable`: this text will not change while the pattern lives, or not before
 * pattern_forget().
 */
bool pattern_matches(struct pattern *p, const char *text, bool stable);
void pattern_forget(struct pattern *p);
/* Where it matches: bytes from, to. False if it does not. */
bool pattern_find(const struct pattern *p, const char *text, size_t *from,
		  size_t *to);

#endif
