#ifndef MODEL_FILTER_FILTER_CODE_H
#define MODEL_FILTER_FILTER_CODE_H

/*
 * The compiled form of a filter, for filter*.c only. filter_parse.c writes it, filter_compare.c
 * compares values, filter.c tests rows, filter_scan.c whole heaps.
 */
#include "model/base/arena.h"
#include "model/table/pattern.h"
#include "model/table/value.h"
#include "model/filter/filter.h"
#include <stdatomic.h>

enum {
	FILTER_TEXT_MAX = 2000, /* bytes */
	FILTER_CONDITIONS_MAX = 64,
	FILTER_DEPTH_MAX = 32, /* nested brackets, not, and, or */
	FILTER_STACK_MAX = FILTER_DEPTH_MAX + 1,
	/* One for each condition, two for each and/or, one for each not. */
	FILTER_CODE_MAX = FILTER_CONDITIONS_MAX * (3 + FILTER_DEPTH_MAX),
};

__extension__ typedef unsigned __int128 wide;

enum truth { TRUTH_NO, TRUTH_UNKNOWN, TRUTH_YES };

enum comparison {
	COMPARE_IS,
	COMPARE_IS_NOT,
	COMPARE_BELOW,
	COMPARE_AT_MOST,
	COMPARE_ABOVE,
	COMPARE_AT_LEAST,
	COMPARE_MATCHES,
	COMPARE_MATCHES_NOT,
	COMPARE_WITHIN,
};

/* A value as typed; whether it is a number or a text depends on the column. */
struct literal {
	const char *text;
	size_t at; /* byte of the filter's text */
	bool has_number, has_address;
	bool is_share;    /* as in 10% */
	bool is_time;     /* as in 2ms: `number` is in microseconds */
	bool is_negative; /* below 0: only changes are */
	wide number;      /* divided by `scale`, a power of ten */
	uint64_t scale;
	uint64_t address;
};

/* The numbers from low to high, or all others. */
struct interval {
	uint64_t low, high;
	bool is_outside;
};

enum condition_kind {
	CONDITION_COLUMN,
	CONDITION_OBJECT,  /* #N */
	CONDITION_HELD_BY, /* an object of these types refers to it */
	CONDITION_HOLDS,
	CONDITION_UNDER,    /* dominated by an object */
	CONDITION_LIVE,     /* COMPARE_IS: a root reaches it; else none does */
	CONDITION_NEW,      /* in the later of two heaps that were compared */
	CONDITION_GONE,     /* in the earlier of them */
	CONDITION_SURVIVED, /* in both */
	CONDITION_MINE,     /* its type is the application's: `answers` */
};

struct condition {
	enum condition_kind kind;
	enum comparison comparison;
	int column;               /* of the table */
	size_t at;                /* byte of the filter's text */
	struct literal low, high; /* `high` only for COMPARE_WITHIN */
	struct pattern *pattern;  /* for ~ and for TYPE as a regex; or NULL */
	/* Set by filter_bind(), in filter.bound. */
	uint8_t *types;            /* HELD_BY, HOLDS: one byte a type, 1 if meant */
	struct interval positions; /* UNDER: positions in the dominator order */
	/* Answers by type, as 1 + enum truth: a cache for COLUMN_BY_TYPE, and complete for MINE. */
	uint8_t *answers;
};

enum op {
	OP_TEST, /* set the current truth to a condition's */
	OP_NOT,  /* negate the current truth */
	/* After the left side of `and`, `or`: jump past the end if the current truth decides, else
	   push it. */
	OP_SKIP_AND,
	OP_SKIP_OR,
	OP_AND, /* combine the popped truth with the current one */
	OP_OR,
};

struct instruction {
	uint8_t op;
	uint16_t operand; /* index of the condition, or jump target */
};

struct filter {
	const char *text;
	bool is_pattern;
	bool is_expression;            /* it looks like one, in any language */
	enum filter_language language; /* in which it was typed */
	unsigned needs;
	struct condition conditions[FILTER_CONDITIONS_MAX];
	unsigned conditions_count;
	struct instruction code[FILTER_CODE_MAX];
	unsigned code_count;
	_Atomic uint64_t unknown_count; /* counted by a worker */
	uint32_t types_count;           /* number of types at filter_bind() */
	struct arena arena;             /* texts */
	struct arena bound;             /* results of filter_bind() */
};

/* Fills conditions and code from the text, without reading rows. */
bool filter_parse(struct filter *f, const struct listing *l, enum filter_language language,
		  struct error *err) MUST_USE;
/* Sets `err` to "at character 12: " and the formatted text; returns false. */
bool filter_error(const struct filter *f, size_t at, struct error *err, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* Parses `text` as a number, share, time and address. */
void literal_read(struct literal *l);
/*
 * Completes the ends of an address range: ends shorter than any address of the heap are prefixes.
 * If the lowest address has twelve digits, 7f00..7fff means 7f0000000000 to 7fffffffffff.
 */
void condition_bind_addresses(struct condition *c, uint64_t lowest);
/* Returns whether a cell meets the condition of its column. */
enum truth condition_compare(const struct condition *c, const struct value *value);
/* Converts the condition to an interval of whole numbers, not shares. Returns false if it does not
   compare numbers. */
bool condition_interval(const struct condition *c, struct interval *out);
static inline bool
interval_has(const struct interval *i, uint64_t n)
{
	return (n - i->low <= i->high - i->low) != i->is_outside;
}

/* Returns whether a row meets a condition; see filter_passes(). */
enum truth condition_test(struct condition *c, const struct listing *l, const struct row *row);
/* Returns the same for all objects of a type, in COLUMN_BY_TYPE columns. */
enum truth condition_test_type(struct condition *c, const struct listing *l, type_id type);

static inline enum truth
truth_of(bool is_true)
{
	return is_true ? TRUTH_YES : TRUTH_NO;
}

#endif
