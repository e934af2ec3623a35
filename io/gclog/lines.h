#ifndef IO_GCLOG_LINES_H
#define IO_GCLOG_LINES_H

/*
 * Splits the text of a GC log into lines and elements; all pointer arithmetic on it is here. A line
 * ends with LF, CR LF, CR or the text; elements are separated by blanks and tabs.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GCLOG_NOWHERE SIZE_MAX

struct gclog_line {
	const uint8_t *data; /* starts with any leading blanks */
	size_t len;          /* without trailing blanks */
	uint64_t number;     /* from 1 */
	size_t nul_at;       /* of a NUL that ends it; or GCLOG_NOWHERE */
	bool has_end;        /* false: the text ends in this line */
	bool ends_blank;     /* it had trailing blanks */
};

struct gclog_lines {
	const uint8_t *data;
	size_t len, at;
	size_t next_lf, next_cr, next_nul; /* at or after `at` */
	uint64_t number;                   /* lines so far */
};

void gclog_lines_init(struct gclog_lines *l, const uint8_t *data, size_t len);
bool gclog_lines_next(struct gclog_lines *l, struct gclog_line *line);

/* The place in a line where the next element is looked for. */
struct gclog_cursor {
	const uint8_t *data;
	size_t len, at;
};

struct gclog_element {
	size_t at, len;  /* in the line */
	uint64_t value;  /* of a number, which is always hexadecimal */
	unsigned digits; /* without 0x */
	bool is_number;  /* has 1 to 16 digits */
};

static inline bool
gclog_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

/* False at the end of the line, where `at` becomes its length. */
bool gclog_element_next(struct gclog_cursor *c, struct gclog_element *e);
/* Skips blanks. */
void gclog_skip_blanks(struct gclog_cursor *c);
/* Start of the last element; GCLOG_NOWHERE: there is none. */
size_t gclog_last_element(const struct gclog_line *line);

#endif
