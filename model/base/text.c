#include "model/base/text.h"
#include "model/base/glyph.h"
#include "model/base/utf8.h"
#include <stdio.h>
#include <string.h>

enum {
	UNIT_BYTES = 3, /* "GiB", "µs", also "of" */
	TEXT_MIN = 128  /* bytes of a growing text at first */
};
#define MORE "…"

/* --- building a text ----------------------------------------------------- */

struct text
text_in(char *buffer, size_t size)
{
	*buffer = '\0';
	return (struct text){ .bytes = buffer, .size = size };
}

struct text
text_in_arena(struct arena *a)
{
	static char none[1];

	return (struct text){ .bytes = none, .arena = a };
}

/* Puts an ellipsis after the last whole character of a buffer that is full. */
static void
text_cut(struct text *t)
{
	size_t end = t->size < sizeof MORE ? 0 : t->size - sizeof MORE, at = end;

	t->is_cut = true;
	t->len = t->size ? t->size - 1 : 0;
	if (t->size < sizeof MORE)
		return;
	while (at > 0 && ((unsigned char)t->bytes[at - 1] & 0xc0) == 0x80)
		at--;
	if (at > 0 && utf8_bytes_to_follow((unsigned char)t->bytes[at - 1]) > (int)(end - at))
		end = at - 1;
	memcpy(t->bytes + end, MORE, sizeof MORE);
	t->len = end + sizeof MORE - 1;
}

static bool
text_grow(struct text *t, size_t more)
{
	size_t size = 2 * (t->len + more) + TEXT_MIN;
	struct error ignored = { 0 };
	char *bytes = t->arena ? arena_take(t->arena, size, 1, &ignored) : NULL;

	if (!bytes)
		return false;
	memcpy(bytes, t->bytes, t->len);
	t->bytes = bytes;
	t->size = size;
	return true;
}

void
text_vaddf(struct text *t, const char *format, va_list args)
{
	va_list again;
	int len;

	if (t->is_cut)
		return;
	va_copy(again, args);
	/* A text above INT_MAX bytes has no length. */
	len = vsnprintf(t->bytes + t->len, t->size - t->len, format, args);
	if (len >= 0 && (size_t)len < t->size - t->len)
		t->len += (size_t)len;
	else if (len >= 0 && text_grow(t, (size_t)len) &&
		 vsnprintf(t->bytes + t->len, (size_t)len + 1, format, again) == len)
		t->len += (size_t)len;
	else
		text_cut(t);
	va_end(again);
}

void
text_add(struct text *t, const char *piece)
{
	text_addf(t, "%s", piece);
}

void
text_addf(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vaddf(t, format, args);
	va_end(args);
}

void
text_shorten(struct text *t, size_t len)
{
	if (len >= t->len)
		return;
	t->len = len;
	t->bytes[len] = '\0';
	t->is_cut = false;
}

/* --- texts on a screen --------------------------------------------------- */

static bool
append(char *out, size_t out_size, size_t *len, const char *bytes, size_t count)
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
		if (append(out, out_size, &len, text, strlen(text)))
			return out;
		width = whole - 1; /* `out` is too small: shorten anyway */
	}
	/* The end of a name is more telling than its beginning. */
	head = text_head(text, (width - 1) * 2 / 5, &taken);
	skip = whole - (width - 1 - taken);
	tail = text_head(text, skip, &taken);
	if (taken < skip) /* half of a wide character */
		tail += text_head(text + tail, 2, &taken);
	append(out, out_size, &len, text, head);
	append(out, out_size, &len, "\xe2\x80\xa6", 3);
	append(out, out_size, &len, text + tail, strlen(text + tail));
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
