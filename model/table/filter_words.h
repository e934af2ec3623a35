#ifndef MODEL_TABLE_FILTER_WORDS_H
#define MODEL_TABLE_FILTER_WORDS_H

/*
 * The word that begins at a place in a filter's text, read without parsing the
 * text before it; for filter*.c only. Lengths and places are in bytes; no word
 * allocates or fails.
 */
#include "model/table/filter_code.h"

struct filter_operator {
	const char *sign; /* "<=" */
	enum comparison comparison;
};

/* live and dead suit lists of objects, the other two suit captures. */
struct filter_live_word {
	const char *word;
	enum comparison comparison; /* with what lives */
};

/* Letters, digits and _; 0: no word begins here. */
size_t word_len(const char *text);
const char *word_skip_blanks(const char *text);
/* True if `text` begins with this word, and not with a longer one. */
bool word_is(const char *text, const char *word);
/* "and" or "or", and then what cannot go on in a name. */
bool word_is_junction(const char *text);
/* "held by T", "holds T", "under A". */
bool word_is_phrase(const char *text);
/* "#3" */
bool word_is_object(const char *text);
/* The condition that is just this word; or NULL. */
const struct filter_live_word *word_live(const char *text);
/* All but "in"; or NULL. */
const struct filter_operator *word_operator(const char *text);
/* One that cannot be part of a name, "in" with its range among them. */
bool word_is_operator(const char *text);
/* Where the other slash is; the end of the text if there is none. */
size_t word_regex_end(const char *text);
/*
 * Without quotes a value goes on to "and", "or", the closing bracket or `stop`,
 * if that is not NULL: names of types have blanks and brackets of their own.
 */
size_t word_value_len(const char *text, const char *stop);

#endif
