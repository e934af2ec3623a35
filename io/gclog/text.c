#include "io/gclog/text.h"
#include "model/base/utf8.h"
#include <string.h>

enum {
	REPLACEMENT = 0xfffd,
	HIGH_FIRST = 0xd800,
	LOW_FIRST = 0xdc00,
	LOW_END = 0xe000,
};

/* --- UTF-16 --- */

struct units {
	const uint8_t *data;
	size_t count;
	bool is_big;
};

static uint32_t
unit_at(const struct units *u, size_t i)
{
	uint32_t first = u->data[2 * i], second = u->data[2 * i + 1];

	return u->is_big ? first << 8 | second : second << 8 | first;
}

static bool
is_between(uint32_t c, uint32_t first, uint32_t end)
{
	return c >= first && c < end;
}

/* Takes the character at *i. */
static uint32_t
next_character(const struct units *u, size_t *i)
{
	uint32_t c = unit_at(u, (*i)++), low;

	if (!is_between(c, HIGH_FIRST, LOW_END))
		return c;
	if (c >= LOW_FIRST || *i == u->count)
		return REPLACEMENT;
	low = unit_at(u, *i);
	if (!is_between(low, LOW_FIRST, LOW_END))
		return REPLACEMENT;
	(*i)++;
	return 0x10000 + ((c - HIGH_FIRST) << 10) + (low - LOW_FIRST);
}

/* Drops half a unit at the end. */
static bool
convert_utf16(struct gclog_text *t, bool is_big, struct error *err)
{
	struct units u = { t->data, t->len / 2, is_big };
	char *out = memory_new(u.count + 1, 3, err);
	size_t len = 0;

	if (!out)
		return false;
	for (size_t i = 1; i < u.count;)
		len += utf8_put(next_character(&u, &i), out + len);
	t->data = t->converted = (uint8_t *)out;
	t->len = len;
	return true;
}

bool
gclog_text_open(struct gclog_text *t, const uint8_t *data, size_t len, struct error *err)
{
	*t = (struct gclog_text){ .data = data, .len = len };
	if (len >= 3 && !memcmp(data, "\xef\xbb\xbf", 3)) {
		t->data += 3;
		t->len -= 3;
		return true;
	}
	if (len < 2)
		return true;
	if (!memcmp(data, "\xff\xfe", 2))
		return convert_utf16(t, false, err);
	if (!memcmp(data, "\xfe\xff", 2))
		return convert_utf16(t, true, err);
	return true;
}

void
gclog_text_close(struct gclog_text *t)
{
	memory_free(t->converted);
	*t = (struct gclog_text){ 0 };
}

/* --- UTF-8 --- */

/* Length of the character at the start; 0: it is invalid. */
static size_t
utf8_character(const uint8_t *bytes, size_t len)
{
	/* The first byte from, to; the second byte from, to; the length. */
	static const uint8_t forms[][5] = {
		{ 0x00, 0x7f, 0, 0, 1 },       { 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};
	const uint8_t *form = NULL;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]) && !form; i++)
		if (bytes[0] >= forms[i][0] && bytes[0] <= forms[i][1])
			form = forms[i];
	if (!form || len < form[4])
		return 0;
	if (form[4] > 1 && (bytes[1] < form[2] || bytes[1] > form[3]))
		return 0;
	for (size_t i = 2; i < form[4]; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	return form[4];
}

size_t
gclog_text_valid(const uint8_t *bytes, size_t len)
{
	size_t at = 0;

	while (at < len) {
		size_t step = bytes[at] < 0x80 ? 1 : utf8_character(bytes + at, len - at);

		if (!step)
			return at;
		at += step;
	}
	return len;
}

/* 0x80 to 0x9f, of which five are undefined; the rest is Latin-1. */
static const uint16_t windows_1252[32] = {
	0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
	0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
	0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178,
};

char *
gclog_text_copy(struct arena *a, const uint8_t *bytes, size_t len, bool is_utf8, struct error *err)
{
	char *out;
	size_t at = 0;

	if (is_utf8)
		return arena_strndup(a, (const char *)bytes, len, err);
	out = arena_take(a, len + 1, UTF8_MAX_BYTES - 1, err);
	for (size_t i = 0; out && i < len; i++) {
		bool is_special = bytes[i] >= 0x80 && bytes[i] < 0xa0;

		at += utf8_put(is_special ? windows_1252[bytes[i] - 0x80] : bytes[i], out + at);
	}
	return out;
}
