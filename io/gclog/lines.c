#include "io/gclog/lines.h"
#include <string.h>

void
gclog_lines_init(struct gclog_lines *l, const uint8_t *data, size_t len)
{
	*l = (struct gclog_lines){ .data = data, .len = len };
}

/* The next such byte at or after `from`, or the end. */
static size_t
find_byte(const struct gclog_lines *l, int byte, size_t from)
{
	const uint8_t *found = memchr(l->data + from, byte, l->len - from);

	return found ? (size_t)(found - l->data) : l->len;
}

/* Looks for each byte only once, so that all line ends cost the same. */
static void
look_ahead(struct gclog_lines *l)
{
	if (l->next_lf < l->at || !l->at)
		l->next_lf = find_byte(l, '\n', l->at);
	if (l->next_cr < l->at || !l->at)
		l->next_cr = find_byte(l, '\r', l->at);
	if (l->next_nul < l->at || !l->at)
		l->next_nul = find_byte(l, '\0', l->at);
}

bool
gclog_lines_next(struct gclog_lines *l, struct gclog_line *line)
{
	size_t start = l->at, end, text_end;

	if (start >= l->len)
		return false;
	look_ahead(l);
	end = l->next_lf < l->next_cr ? l->next_lf : l->next_cr;
	text_end = l->next_nul < end ? l->next_nul : end;
	*line = (struct gclog_line){
		.data = l->data + start,
		.number = ++l->number,
		.nul_at = text_end < end ? text_end - start : GCLOG_NOWHERE,
		.has_end = end < l->len,
	};
	l->at = end < l->len ? end + 1 : end;
	if (end == l->next_cr && end + 1 == l->next_lf)
		l->at++;
	while (text_end > start && gclog_is_blank(l->data[text_end - 1])) {
		text_end--;
		line->ends_blank = true;
	}
	line->len = text_end - start;
	return true;
}

/* 0xff: not a digit. */
/* clang-format off */
#define X 0xff
#define X16 X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X
static const uint8_t digit_values[256] = {
	X16, X16, X16,
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, X, X, X, X, X, X,
	X, 10, 11, 12, 13, 14, 15, X, X, X, X, X, X, X, X, X,
	X16,
	X, 10, 11, 12, 13, 14, 15, X, X, X, X, X, X, X, X, X,
	X16, X16, X16, X16, X16, X16, X16, X16, X16,
};
#undef X16
#undef X
/* clang-format on */
enum { DIGITS_MAX = 16 };

void
gclog_skip_blanks(struct gclog_cursor *c)
{
	while (c->at < c->len && gclog_is_blank(c->data[c->at]))
		c->at++;
}

static bool
has_prefix(const struct gclog_cursor *c)
{
	return c->len - c->at > 2 && c->data[c->at] == '0' && (c->data[c->at + 1] | 0x20) == 'x';
}

bool
gclog_element_next(struct gclog_cursor *c, struct gclog_element *e)
{
	const uint8_t *data = c->data;
	size_t at, start, len = c->len;
	uint64_t value = 0;
	uint8_t digit;

	gclog_skip_blanks(c);
	if (c->at == len)
		return false;
	e->at = start = at = c->at;
	if (has_prefix(c))
		start = at += 2;
	for (; at < len && (digit = digit_values[data[at]]) != 0xff; at++)
		value = value << 4 | digit;
	e->digits = at - start > DIGITS_MAX ? DIGITS_MAX + 1 : (unsigned)(at - start);
	e->is_number =
	    e->digits && e->digits <= DIGITS_MAX && (at == len || gclog_is_blank(data[at]));
	while (at < len && !gclog_is_blank(data[at]))
		at++;
	e->value = value;
	e->len = at - e->at;
	c->at = at;
	return true;
}

size_t
gclog_last_element(const struct gclog_line *line)
{
	size_t at = line->len;

	while (at && !gclog_is_blank(line->data[at - 1]))
		at--;
	return line->len ? at : GCLOG_NOWHERE;
}
