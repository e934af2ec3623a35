#ifndef MODEL_TABLE_FILTER_H
#define MODEL_TABLE_FILTER_H

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
 *               #N                      the object without an address
 *               /REGEX/                 its name matches
 *   VALUE       text up to "and", "or" or the closing bracket; 'text', "text"
 *               1,024  1.5k  1M  2 GiB  -24 of changes; units are powers of
 *               1024, as sizes are
 *               shown; 10% of shares; 7fe019c08938 or #3 of addresses
 *   TYPE        the name of a type, or a /REGEX/ for several
 *
 * Any other text is a regular expression for names:
 * filter_is_expression() has the rule.
 *
 * A condition about what a row has no value for (a distance without a root, a
 * number still being computed) is neither true nor false, and so is what it
 * decides: such rows are not shown, but counted.
 *
 * Compiled once to postfix with jumps over what need not be known; rows are
 * tested through the listing's cells, whole heaps 4,096 objects at a time
 * (filter_list). No recursion; text, conditions and brackets have limits.
 */
#include "model/heap/order.h"
#include "model/table/listing.h"

struct filter;

enum filter_language {
	FILTER_ANY,        /* an expression if it looks like one */
	FILTER_EXPRESSION, /* nothing else */
};

/*
 * For the columns of this listing; its first rows tell what may be compared
 * with them. `err` says at which character what was expected.
 */
struct filter *filter_new(const struct listing *l, const char *text,
			  enum filter_language language,
			  struct error *err) MUST_USE;
void filter_free(struct filter *f); /* NULL is allowed */

/* As typed; lives as long as the filter. */
const char *filter_text(const struct filter *f);
/* A regular expression for names and nothing else. */
bool filter_is_pattern(const struct filter *f);
/* The needs of its columns, enum need; rows are unknown without them. */
unsigned filter_needs(const struct filter *f);
/* The same before there are rows, for batch mode; 0 if the text is wrong. */
unsigned filter_needs_of(const struct listing *l, const char *text);

/*
 * Before rows are tested, and again whenever types or results have changed:
 * finds the types it names and forgets what it learned.
 */
bool filter_bind(struct filter *f, const struct listing *l,
		 struct error *err) MUST_USE;
/*
 * After filter_bind(). Not from two threads at once: it remembers answers, and
 * counts what is unknown.
 */
bool filter_lets_through(struct filter *f, const struct listing *l,
			 const struct row *row);
/*
 * After filter_bind(), of a listing that no filter has cut: a name or pattern
 * that all rows would have to meet and none does, as typed; NULL: there is none
 * such. Of filters with `or` and `not` always NULL.
 */
const char *filter_unmatched_name(struct filter *f, const struct listing *l);
/* Rows since filter_bind() that it can say nothing about. */
uint64_t filter_unknown_count(const struct filter *f);
/* ", 12 unknown" behind `text`, or nothing; for status lines. */
const char *filter_remark(const struct filter *f, char *out, size_t out_size);

/*
 * Lists the objects, by id, that it lets through and whose type is
 * marked (one byte a type; NULL: all). After filter_bind(); runs on a worker,
 * which may start more. What object_columns.h has a number for takes some 2 ns
 * an object and thread, other columns as long as their cells. One bit an
 * object while it runs, one more for each `held by`.
 */
bool filter_list(struct filter *f, const struct listing *l,
		 const uint8_t *types, struct progress *progress,
		 struct id_list *list, struct error *err) MUST_USE;

/*
 * At the start, once: the tables whose columns are words of the language even
 * where another table is filtered, NULL at the end. Without them what begins
 * with such a column, and has no blanks around its operator, is a pattern.
 */
void filter_know_tables(const struct table *const *tables);
/* True if FILTER_ANY takes it for an expression; see filter_parse.c. */
bool filter_is_expression(const char *text);
/* Calls `add` with the words that may stand at the end of `text`. */
void filter_complete(const struct listing *l, const char *text,
		     void (*add)(void *to, const char *word), void *to);

/* The forms of the language, for help; ends with {0}. */
struct filter_form {
	const char *form, *help;
};
extern const struct filter_form filter_forms[];

#endif
