#include "model/base/text.h"
#include "model/base/glyph.h"
#include <stdio.h>
#include <string.h>

enum { UNIT_BYTES = 3 }; /* "GiB", "µs", also "of" */

static bool
text_add(char *out, size_t out_size, size_t *len, const char *bytes, size_t count)
{
	if (count >= out_size - *len)
		return false;
	memcpy(out + *len, bytes, count);
	*len += count;
	out[*len] = '\0';
	return true;
}

int
text_width(const char *text)
{
	return glyphs_width(text, GLYPHS_UNICODE, INT32_MAX - 8);
}

/* The length of a prefix of at most `width` columns; `taken`: its width. */
static size_t
text_head(const char *text, int width, int *taken)
{
	struct glyph g;
	size_t used, len = 0;

	*taken = 0;
	while ((used = glyph_read(text + len, len == 0, GLYPHS_UNICODE, &g)) > 0) {
		if (g.width > width - *taken)
			break;
		*taken += g.width;
		len += used;
	}
	return len;
}

const char *
text_fit(const char *text, int width, char *out, size_t out_size)
{
	int whole = text_width(text), taken, skip;
	size_t len = 0, head, tail;

	if (out_size == 0)
		return "";
	out[0] = '\0';
	if (width <= 0)
		return out;
	if (whole <= width) {
		if (text_add(out, out_size, &len, text, strlen(text)))
			return out;
		width = whole - 1; /* `out` is too small: shorten anyway */
	}
	/* The end of a name is more telling than its beginning. */
	head = text_head(text, (width - 1) * 2 / 5, &taken);
	skip = whole - (width - 1 - taken);
	tail = text_head(text, skip, &taken);
	if (taken < skip) /* half of a wide character */
		tail += text_head(text + tail, 2, &taken);
	text_add(out, out_size, &len, text, head);
	text_add(out, out_size, &len, "\xe2\x80\xa6", 3);
	text_add(out, out_size, &len, text + tail, strlen(text + tail));
	return out;
}

size_t
text_bytes(const char *text, int columns)
{
	int taken;

	return text_head(text, columns, &taken);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A break between words; a short word after a number is its unit. */
static bool
is_break(const char *text, size_t at)
{
	const char *word = text + at + 1;

	return text[at] == ' ' && (!at || !is_digit(text[at - 1]) || is_digit(*word) ||
				   strcspn(word, " ,;:.)") > UNIT_BYTES);
}

bool
text_line(const char *text, int width, int n, char *out, size_t out_size)
{
	for (; *text; n--) {
		size_t len = text_bytes(text, width), end = len;

		while (text[len] && end > 0 && !is_break(text, end))
			end--;
		if (!end)
			end = len ? len : strlen(text);
		if (n == 0) {
			snprintf(out, out_size, "%.*s", (int)end, text);
			return true;
		}
		text += end;
		text += strspn(text, " ");
	}
	return false;
}

const char *
text_clean(const char *text, char *out, size_t out_size)
{
	return glyphs_text(GLYPHS_UNICODE, text, out, out_size);
}

const char *
text_to_ascii(const char *text, char *out, size_t out_size)
{
	return glyphs_text(GLYPHS_ASCII, text, out, out_size);
}
