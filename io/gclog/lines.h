#ifndef IO_GCLOG_LINES_H
#define IO_GCLOG_LINES_H

/*
 * The text of a GC log, line by line and element by element. All pointer
 * arithmetic on it is here. A line ends with LF, CR LF or CR, or with the
 * text; elements are separated by blanks and tabs.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GCLOG_NOWHERE SIZE_MAX

struct gclog_line {
	const uint8_t *data; /* from its first byte, blanks too */
	size_t len;          /* without blanks at the end */
	uint64_t number;     /* from 1 */
	size_t nul_at;       /* a zero ended it early, or GCLOG_NOWHERE */
	bool has_end;        /* false: the text ends in this line */
	bool ends_blank;     /* blanks were at the end */
};

struct gclog_lines {
	const uint8_t *data;
	size_t len, at;
	size_t next_lf, next_cr, next_nul; /* at or behind `at` */
	uint64_t number;                   /* lines so far */
};

void gclog_lines_init(struct gclog_lines *l, const uint8_t *data, size_t len);
bool gclog_lines_next(struct gclog_lines *l, struct gclog_line *line);

/* Where in a line the next element is looked for. */
struct gclog_cursor {
	const uint8_t *data;
	size_t len, at;
};

struct gclog_element {
	size_t at, len;  /* in the line */
	uint64_t value;  /* if it is a number: hexadecimal, always */
	unsigned digits; /* without 0x */
	bool is_number;  /* of 1 to 16 digits */
};

static inline bool
gclog_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

/* False at the end of the line, and then `at` is one past its end. */
bool gclog_element_next(struct gclog_cursor *c, struct gclog_element *e);
/* Steps over blanks. */
void gclog_skip_blanks(struct gclog_cursor *c);
/* Where the last element begins; GCLOG_NOWHERE: there is none. */
size_t gclog_last_element(const struct gclog_line *line);

#endif
