#include "io/base/utf16.h"
#include "model/base/utf8.h"

struct bytes_array
utf16_take(struct bytes *b, const char *what)
{
	size_t left = bytes_left(b), start = b->at;
	const uint8_t *text;

	for (size_t i = 0; i + 1 < left && bytes_ok(b); i += 2) {
		if (b->data[start + i] || b->data[start + i + 1])
			continue;
		text = bytes_take(b, i + 2, what);
		return (struct bytes_array){ text, i / 2 };
	}
	bytes_fail(b, start, "%s has no end", what);
	return (struct bytes_array){ 0 };
}

static uint32_t
unit_at(const struct bytes_array *text, uint64_t i)
{
	return (uint32_t)(text->data[2 * i] | text->data[2 * i + 1] << 8);
}

static bool
is_surrogate(uint32_t unit, uint32_t first)
{
	return unit >= first && unit < first + 0x400;
}

/* Decodes the character at *i and moves past it. */
static uint32_t
next_character(const struct bytes_array *text, uint64_t *i)
{
	uint32_t high = unit_at(text, (*i)++), low;

	if (high < 0xd800 || high >= 0xe000)
		return high;
	low = *i < text->count ? unit_at(text, *i) : 0;
	if (!is_surrogate(high, 0xd800) || !is_surrogate(low, 0xdc00))
		return 0xfffd;
	++*i;
	return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

const char *
utf16_to_utf8(const struct bytes_array *text, struct arena *a, struct error *err)
{
	size_t len = 1;
	char *copy, *out, ignored[UTF8_MAX_BYTES];

	for (uint64_t i = 0; i < text->count;)
		len += utf8_put(next_character(text, &i), ignored);
	copy = arena_array(a, char, len, err);
	if (!copy)
		return NULL;
	out = copy;
	for (uint64_t i = 0; i < text->count;)
		out += utf8_put(next_character(text, &i), out);
	return copy;
}
