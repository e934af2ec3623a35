#ifndef MODEL_TABLE_PATTERN_H
#define MODEL_TABLE_PATTERN_H

/*
 * A POSIX extended regular expression as typed after `/` and `&`. Without capitals it ignores the
 * case of ASCII letters, independently of the locale. The [] and [,] of arrays are literal: /byte[]
 * finds byte[]. Answers for recent texts are cached by address, as millions of objects share
 * thousands of type names.
 */
#include "model/base/error.h"
#include <stddef.h>

struct pattern;

/* Also refuses expressions that would take minutes or all memory, such as (a{1,255}){1,255}. */
struct pattern *pattern_new(const char *text, struct error *err) MUST_USE;
void pattern_free(struct pattern *p); /* NULL is allowed */
const char *pattern_text(const struct pattern *p);
bool pattern_is_case_sensitive(const struct pattern *p);
/* `stable`: the text at this address does not change until pattern_forget(). */
bool pattern_matches(struct pattern *p, const char *text, bool stable);
void pattern_forget(struct pattern *p);
/* Returns the byte range of the first match, or false. */
bool pattern_find(const struct pattern *p, const char *text, size_t *from, size_t *to);

#endif
