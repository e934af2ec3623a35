#ifndef MODEL_TABLE_VALUE_H
#define MODEL_TABLE_VALUE_H

/*
 * What stands in one cell of a table, before anybody decides how it looks: the
 * screen writes "1,234,567" and "12.3%", CSV writes 1234567 and 0.123456.
 * A cell function fills one of these; it never formats numbers itself.
 */
#include "model/heap/heap.h"
#include "model/table/style.h"

enum value_kind {
	VALUE_BLANK,   /* nothing to say here */
	VALUE_PENDING, /* not known yet: "…"; "?" where nobody looks for it */
	VALUE_COUNT,
	VALUE_PLAIN, /* the number of a thing, not of things: 4711 */
	VALUE_BYTES,
	VALUE_SHARE,        /* number of whole */
	VALUE_CHANGE,       /* of a count: +1,024 */
	VALUE_CHANGE_BYTES, /* the same of bytes */
	VALUE_HUNDREDTHS,   /* 1880: 18.80 */
	VALUE_DURATION, /* nanoseconds: 1.23 ms here, 1234 us for machines */
	VALUE_ADDRESS,
	VALUE_TEXT,
};

/* How bytes are written for people: "1.21 GiB", "1,299,227,607 B", "12.3%". */
enum bytes_shown { BYTES_SHORT, BYTES_EXACT, BYTES_SHARE, BYTES_SHOWN_COUNT };

enum { VALUE_TEXT_BYTES = 512 };
struct value {
	enum value_kind kind;
	enum style style;
	uint64_t number, whole;
	/* Of bytes and their changes: the most that stand in the same column,
	   for the unit; 0: they stand alone. */
	uint64_t largest;
	bool is_negative; /* of a change: less by `number` */
	/* Of VALUE_TEXT: lives as long as the view, or stands in `buffer`. */
	const char *text;
	const char *also; /* another spelling that search and filter look at */
	const struct type *type; /* whose name it is, all spellings; or NULL */
	uint8_t bytes_shown;     /* of VALUE_BYTES: enum bytes_shown; a share is
				    one of `whole`, if that is known */
	bool is_exact; /* of VALUE_BYTES: never in other units, if not shares */
	bool is_brief; /* `also` does not outlive the next cell */
	bool
	    has_number; /* of VALUE_TEXT: `number` says the same, for filters */
	char buffer[VALUE_TEXT_BYTES];
};

void value_blank(struct value *v);
void value_pending(struct value *v);
void value_count(struct value *v, uint64_t n);
void value_plain(struct value *v, uint64_t n);
/* Of many objects: all of a column in one unit. */
void value_bytes(struct value *v, uint64_t bytes);
/* The same where they may not be known yet: then it is pending. */
void value_bytes_if(struct value *v, bool is_known, uint64_t bytes);
/* Of one object or the like: 24 matter, whatever else stands there. */
void value_exact_bytes(struct value *v, uint64_t bytes);
void value_share(struct value *v, uint64_t part, uint64_t whole);
/* Bytes become their share; anything else stays what it is. */
void value_to_share(struct value *v, uint64_t whole);
void value_hundredths(struct value *v, uint64_t n);
void value_duration(struct value *v, uint64_t ns);
void value_address(struct value *v, uint64_t address);
/* Seconds since 1970 by the clock of who tells them; blank: 0, not known. */
void value_time(struct value *v, int64_t seconds);
/* "gen2", and 2 for filters; nothing if it is not known. */
void value_generation(struct value *v, enum generation gen);
/* From one number to a later one. */
void value_change(struct value *v, uint64_t before, uint64_t after);
void value_change_bytes(struct value *v, uint64_t before, uint64_t after);
/* Borrowed: `text` must outlive the view, as names in a heap do. */
void value_text(struct value *v, enum style style, const char *text);
/* Copied, at most VALUE_TEXT_BYTES. For composed texts. */
void value_printf(struct value *v, enum style style, const char *format, ...)
    PRINTF_LIKE(3, 4);

bool
value_is_number(const struct value *v); /* right-aligned, sorts by number */
/* What numbers sort by: changes that are less come before 0. */
uint64_t value_order(const struct value *v);

/*
 * As people read it, or as programs do. Points into `v`, into a text that the
 * value borrows, or into `out`, which must hold VALUE_TEXT_BYTES.
 */
const char *value_for_people(const struct value *v, char *out);
const char *value_for_machines(const struct value *v, char *out);

#endif
