#ifndef MODEL_FILTER_FILTER_H
#define MODEL_FILTER_FILTER_H

/*
 * The language of `&`, :where and -f:
 *
 *   type ~ /Session/ and size > 85000 and (gen = 2 or in > 100)
 *
 *   expression  condition, or expressions with and, or, not, ( ); not binds
 *               tightest, then and, then or
 *   condition   COLUMN OPERATOR VALUE   = != < <= > >= ~ !~
 *               COLUMN in VALUE..VALUE  both ends included
 *               held by TYPE            an object of TYPE refers to it
 *               holds TYPE              it refers to an object of TYPE
 *               under ADDRESS           dominated by it: would go with it
 *               live, dead              some root reaches it, or none
 *               new, gone, survived     since the heap it was compared with
 *               mine                    its type is the application's
 *               #N                      the object without an address
 *               /REGEX/                 its name matches
 *   VALUE       text up to "and", "or" or the closing bracket; 'text', "text";
 *               numbers: 1,024  1.5k  1M  2 GiB, units are powers of 1024;
 *               changes: -24; shares: 10%; addresses: 7fe019c08938 or #3
 *   TYPE        the name of a type, or a /REGEX/ for several
 *
 * Any other text is a regular expression for names:
 * filter_is_expression() has the rule.
 *
 * A condition on a missing value (the distance of an unreachable object, a number still being
 * computed) is unknown: neither true nor false. Rows for which the whole filter is unknown are
 * counted and not shown.
 *
 * A filter is compiled once, to postfix with jumps past operands that do not matter. Rows are
 * tested through the listing's cells, whole heaps 4,096 objects at a time (filter_list). Nothing
 * recurses; text, conditions and brackets have limits.
 */
#include "model/heap/order.h"
#include "model/table/listing.h"

struct filter;

enum filter_language {
	FILTER_ANY,        /* an expression if the text looks like one */
	FILTER_EXPRESSION, /* always an expression */
};

/* A filter that can be kept, compared, saved and applied again. */
struct filter_value {
	const char *text; /* as typed; "": all rows pass */
	enum filter_language language;
};

/*
 * Compiles a filter for the columns of this listing; its first rows show which values the columns
 * can be compared with. `err` names the character and what was expected there.
 */
struct filter *filter_new(const struct listing *l, struct filter_value value,
			  struct error *err) MUST_USE;
void filter_free(struct filter *f); /* NULL is allowed */

/* Returns the text as typed; it lives as long as the filter. */
const char *filter_text(const struct filter *f);
/* Returns the text, and the language in which it is the same filter again. NULL: all rows pass. */
struct filter_value filter_value(const struct filter *f);
/* True if the filter is just a regular expression for names. */
bool filter_is_pattern(const struct filter *f);
/* True if it asks for what a comparison of heaps has found out: which objects are new, gone or have
   survived. */
bool filter_asks_for_fates(const struct filter *f);
/* Returns why `gone` or `new` cannot match in this heap, as a sentence: such objects are in the
   heap that it was compared with. NULL: they can. */
const char *filter_other_heap(const struct filter *f, const struct facts *facts);
/* Returns the needs of its columns, enum need; rows are unknown until they are met. */
unsigned filter_needs(const struct filter *f);
/* The same before there are rows, for batch mode; 0 if the text is invalid. */
unsigned filter_needs_of(const struct listing *l, const char *text);

/* Resolves the types named in the filter and drops cached answers; to be called before testing
   rows, and again when types or results have changed. */
bool filter_bind(struct filter *f, const struct listing *l, struct error *err) MUST_USE;
/* Tests a row, after filter_bind(). Not thread-safe: it caches answers and counts unknown rows. */
bool filter_passes(struct filter *f, const struct listing *l, const struct row *row);
/*
 * Returns a name or pattern that every row must match and none does, as typed, or NULL. To be
 * called after filter_bind() with an unfiltered listing. Filters with `or` or `not` always give
 * NULL.
 */
const char *filter_unmatched_name(struct filter *f, const struct listing *l);
/* Returns the number of unknown rows since filter_bind(). */
uint64_t filter_unknown_count(const struct filter *f);
/* Writes ", 12 unknown", or "" if there are none, for status lines. */
const char *filter_remark(const struct filter *f, char *out, size_t out_size);

/*
 * Lists by id the objects that pass and whose type is marked (one byte a type; NULL: all), after
 * filter_bind(). Runs on a worker, which may start more. Columns for which object_columns.h has a
 * number take about 2 ns an object and thread, others as long as their cells. Memory: one bit an
 * object, one more for each `held by`.
 */
bool filter_list(struct filter *f, const struct listing *l, const uint8_t *types,
		 struct progress *progress, struct id_list *list, struct error *err) MUST_USE;

/*
 * True if FILTER_ANY treats the text as an expression for rows of this table; see filter_words.c.
 * Columns of the table and of all_tables are words of the language in every filter. Other words
 * that begin a text, without blanks around an operator, make it a pattern.
 */
bool filter_is_expression(const struct table *own, const char *text);
/* Calls `add` with the words that can follow at the end of `text`. */
void filter_complete(const struct listing *l, const char *text,
		     void (*add)(void *to, const char *word), void *to);

/* The forms of the language, for help; ends with {0}. */
struct filter_form {
	const char *form, *help;
};
extern const struct filter_form filter_forms[];

#endif
