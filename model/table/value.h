#ifndef MODEL_TABLE_VALUE_H
#define MODEL_TABLE_VALUE_H

/*
 * The value of one cell of a table, before it is formatted: the screen shows "1,234,567" and
 * "12.3%", CSV has 1234567 and 0.123456. Cell functions fill values and never format numbers
 * themselves.
 */
#include "model/base/text.h"
#include "model/heap/heap.h"
#include "model/table/style.h"

enum value_kind {
	VALUE_BLANK,   /* no value */
	VALUE_PENDING, /* not known yet: "…", or "?" if nothing computes it */
	VALUE_COUNT,   /* the first kind of number */
	VALUE_PLAIN,   /* an id, not a count: 4711 */
	VALUE_BYTES,
	VALUE_SHARE,        /* number / whole */
	VALUE_CHANGE,       /* of a count: +1,024 */
	VALUE_CHANGE_BYTES, /* of bytes: +1,024 B */
	VALUE_HUNDREDTHS,   /* 1880: 18.80 */
	VALUE_REAL,         /* any number: see value_real_number() */
	VALUE_DURATION,     /* in ns; shown as 1.23 ms, for machines 1234 us */
	VALUE_ADDRESS,      /* the last kind of number */
	VALUE_TEXT,
};

/* How bytes are shown: "1.21 GiB", "1,299,227,607 B", "12.3%". */
enum bytes_shown { BYTES_SHORT, BYTES_EXACT, BYTES_SHARE, BYTES_SHOWN_COUNT };

enum { VALUE_TEXT_BYTES = 512 };
struct value {
	enum value_kind kind;
	enum style style;
	uint64_t number, whole;
	/* The largest bytes in the same column, which choose the unit; 0: no column. */
	uint64_t largest;
	bool is_negative; /* of a change: a decrease by `number` */
	/* A text that lives as long as the view, or is in `buffer`. */
	const char *text;
	const char *also;        /* another spelling for search and filter */
	const struct type *type; /* the type whose name it is; or NULL */
	uint8_t bytes_shown;     /* enum bytes_shown; shares are of `whole`, unless it is 0 */
	bool keeps_unit;         /* bytes too small for the column's unit are "<0.01" */
	bool is_exact;           /* bytes are never shown in larger units */
	bool is_brief;           /* `also` is valid until the next cell */
	bool has_number;         /* `number` equals the text, for filters */
	char buffer[VALUE_TEXT_BYTES];
};

void value_blank(struct value *v);
void value_pending(struct value *v);
void value_count(struct value *v, uint64_t n);
void value_plain(struct value *v, uint64_t n);
/* Bytes of many objects: a column uses one unit. */
void value_bytes(struct value *v, uint64_t bytes);
/* Bytes, or pending if they are not known yet. */
void value_bytes_if(struct value *v, bool is_known, uint64_t bytes);
/* Bytes of one object or the like, never rounded: 24 matter here. */
void value_exact_bytes(struct value *v, uint64_t bytes);
void value_share(struct value *v, uint64_t part, uint64_t whole);
/* Turns bytes into a share of `whole`; other values stay. */
void value_to_share(struct value *v, uint64_t whole);
void value_hundredths(struct value *v, uint64_t n);
void value_real(struct value *v, double n);
double value_real_number(const struct value *v);
void value_duration(struct value *v, uint64_t ns);
void value_address(struct value *v, uint64_t address);
/* Seconds since 1970 by the clock of the reporting machine; 0 is blank. */
void value_time(struct value *v, int64_t seconds);
/* Shows "gen2", with 2 for filters; nothing if unknown. */
void value_generation(struct value *v, enum generation gen);
/* The change from one number to a later one. */
void value_change(struct value *v, uint64_t before, uint64_t after);
void value_change_bytes(struct value *v, uint64_t before, uint64_t after);
/* Borrows `text`, which must outlive the view, as names in a heap do. */
void value_text(struct value *v, enum style style, const char *text);
/* Formats into the value's buffer, at most VALUE_TEXT_BYTES. */
void value_printf(struct value *v, enum style style, const char *format, ...) PRINTF_LIKE(3, 4);
/* Begins a text that is built in the value's buffer. */
struct text value_begin_text(struct value *v, enum style style);

bool value_is_number(const struct value *v); /* numbers are right-aligned */
/* Returns the sort key of a number: decreases come before 0. */
uint64_t value_order(const struct value *v);

/* Formats the value for people, or for programs. The result is in `v`, in a text borrowed by it, or
   in `out`, which must hold VALUE_TEXT_BYTES. */
const char *value_for_people(const struct value *v, char *out);
const char *value_for_machines(const struct value *v, char *out);

#endif
