#ifndef MODEL_TABLE_FILTER_CODE_H
#define MODEL_TABLE_FILTER_CODE_H

/*
 * The compiled form of a filter, for filter*.c only. filter_parse.c writes it,
 * filter_compare.c knows values, filter.c tests rows, filter_scan.c heaps.
 */
#include "model/base/arena.h"
#include "model/table/pattern.h"
#include "model/table/value.h"
#include "model/table/filter.h"
#include <stdatomic.h>

enum {
	FILTER_TEXT_MAX = 2000, /* bytes */
	FILTER_CONDITIONS_MAX = 64,
	FILTER_DEPTH_MAX = 32, /* brackets, not, and, or in one another */
	FILTER_STACK_MAX = FILTER_DEPTH_MAX + 1,
	/* One for each condition, two for each and, or; one for each not. */
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

/* A value as typed. Its column says whether it means a number or a text. */
struct literal {
	const char *text;
	size_t at; /* byte of the filter's text */
	bool has_number, has_address;
	bool is_share;    /* 10% */
	bool is_time;     /* 2ms: `number` counts microseconds */
	bool is_negative; /* below 0: only changes can be */
	wide number;      /* over `scale`, which is a power of ten */
	uint64_t scale;
	uint64_t address;
};

/* Numbers from low to high, or all others. */
struct interval {
	uint64_t low, high;
	bool is_outside;
};

enum condition_kind {
	CONDITION_COLUMN,
	CONDITION_OBJECT,  /* #N */
	CONDITION_HELD_BY, /* some object of these types refers to it */
	CONDITION_HOLDS,
	CONDITION_UNDER, /* dominated by an object */
	CONDITION_LIVE,  /* a root reaches it: COMPARE_IS; or none */
};

struct condition {
	enum condition_kind kind;
	enum comparison comparison;
	int column;               /* of the table */
	size_t at;                /* byte of the filter's text */
	struct literal low, high; /* `high` of COMPARE_WITHIN alone */
	struct pattern *pattern;  /* of ~, and of TYPE as a regex; or NULL */
	/* Since filter_bind(), in filter.bound. */
	uint8_t *types; /* HELD_BY, HOLDS: one byte a type, those meant */
	struct interval positions; /* UNDER: in the order of dominators */
	uint8_t *answers; /* of a column that goes by type: 1 + enum truth */
};

enum op {
	OP_TEST, /* what a condition says is the truth so far */
	OP_NOT,  /* the truth so far turned round */
	/*
	 * Behind the left side of `and`, `or`: jumps behind their end if the
	 * truth so far decides, else lays it aside.
	 */
	OP_SKIP_AND,
	OP_SKIP_OR,
	OP_AND, /* of what was laid aside last and the truth so far */
	OP_OR,
};

struct instruction {
	uint8_t op;
	uint16_t operand; /* which condition, or where to jump */
};

struct filter {
	const char *text;
	bool is_pattern;
	unsigned needs;
	struct condition conditions[FILTER_CONDITIONS_MAX];
	unsigned conditions_count;
	struct instruction code[FILTER_CODE_MAX];
	unsigned code_count;
	_Atomic uint64_t unknown_count; /* a worker counts, the screen reads */
	uint32_t types_count;           /* of the facts, at filter_bind() */
	struct arena arena;             /* texts */
	struct arena bound;             /* what filter_bind() found */
};

/* Fills conditions and code from the text; reads no rows. */
bool filter_parse(struct filter *f, const struct listing *l,
		  enum filter_language language, struct error *err) MUST_USE;
/* "at character 12: " and the rest; always false. */
bool filter_error(const struct filter *f, size_t at, struct error *err,
		  const char *format, ...) PRINTF_LIKE(4, 5);

/* Reads what `text` may mean beside a text. */
void literal_read(struct literal *l);
/*
 * In a range, ends with fewer digits than any address of the heap has would
 * mean nothing: they stand for how addresses begin. 7f00..7fff is from
 * 7f0000000000 to 7fffffffffff where the lowest address has twelve digits.
 */
void condition_bind_addresses(struct condition *c, uint64_t lowest);
/* Whether a cell meets the condition of its column. */
enum truth condition_compare(const struct condition *c,
			     const struct value *value);
/*
 * The same of whole numbers that are no shares. False if it is not about
 * numbers.
 */
bool condition_interval(const struct condition *c, struct interval *out);
static inline bool
interval_has(const struct interval *i, uint64_t n)
{
	return (n - i->low <= i->high - i->low) != i->is_outside;
}

/* Whether a row meets a condition; see filter_lets_through(). */
enum truth condition_test(struct condition *c, const struct listing *l,
			  const struct row *row);
/* The same for all objects of a type, in columns with COLUMN_BY_TYPE. */
enum truth condition_test_type(struct condition *c, const struct listing *l,
			       type_id type);

static inline enum truth
truth_of(bool is_true)
{
	return is_true ? TRUTH_YES : TRUTH_NO;
}

#endif
