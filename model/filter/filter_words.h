#ifndef MODEL_FILTER_FILTER_WORDS_H
#define MODEL_FILTER_FILTER_WORDS_H

/*
 * The lexer of filters: recognizes the word at a place in the text without parsing the text before
 * it. For filter*.c only. Lengths and places are in bytes; nothing allocates or fails.
 */
#include "model/filter/filter_code.h"

struct filter_operator {
	const char *sign; /* "<=" */
	enum comparison comparison;
};

/* A condition that is one word. The words live and dead are for heaps, reachable and unreachable
   for captures. */
struct filter_single_word {
	const char *word;
	enum condition_kind kind;
	enum comparison comparison;
	unsigned needs; /* enum need */
};

/* Returns the length of a word of letters, digits and _; 0: none. */
size_t word_len(const char *text);
const char *word_skip_blanks(const char *text);
/* True if `text` begins with exactly this word. */
bool word_is(const char *text, const char *word);
/* True for "and" or "or" followed by something that cannot continue a name. */
bool word_is_junction(const char *text);
/* True for "held by T", "holds T", "under A". */
bool word_is_phrase(const char *text);
/* True for an object such as "#3". */
bool word_is_object(const char *text);
/* Returns the condition that is this single word, or NULL. */
const struct filter_single_word *word_single(const char *text);
/* Returns the operator here, except "in", or NULL. */
const struct filter_operator *word_operator(const char *text);
/* True for an operator that cannot be part of a name; "in" counts if a range follows. */
bool word_is_operator(const char *text);
/* Returns the offset of the closing slash, or of the end of the text. */
size_t word_regex_end(const char *text);
/*
 * Returns the length of an unquoted value, which extends to "and", "or", the closing bracket or
 * `stop` (may be NULL): names of types contain blanks and brackets.
 */
size_t word_value_len(const char *text, const char *stop);

#endif
