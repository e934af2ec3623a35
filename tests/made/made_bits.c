#include "tests/made/made_bits.h"
#include "tests/drive/run_tests.h"
#include <string.h>

struct writer {
	uint8_t *to;
	size_t room, at;
};

static void
put(struct writer *w, uint64_t value, unsigned count)
{
	for (unsigned i = 0; i < count; i++, w->at++) {
		if (w->at / 8 >= w->room)
			fail_msg("more than %zu bytes of bits", w->room);
		w->to[w->at / 8] |= (uint8_t)((value >> i & 1) << w->at % 8);
	}
}

/* Writes chunks until the rest is 0, or what the sign of the last chunk gives. */
static void
put_chunks(struct writer *w, int64_t value, unsigned base, bool is_signed)
{
	const int64_t limit = INT64_C(1) << (is_signed ? base - 1 : base);

	for (;;) {
		bool is_last = value < limit && value >= (is_signed ? -limit : 0);

		put(w, (uint64_t)value, base);
		put(w, !is_last, 1);
		if (is_last)
			return;
		value >>= base;
	}
}

static void
put_word(struct writer *w, const char *word)
{
	bool is_chunked = *word == 'u' || *word == 's';
	char *colon;
	unsigned long base = strtoul(word + is_chunked, &colon, 10);
	long value;

	if (*word == '(')
		return;
	if (*word == '|') {
		w->at = (w->at + 7) & ~(size_t)7;
		return;
	}
	assert_int_equal(*colon, ':');
	value = strtol(colon + 1, NULL, 0);
	if (is_chunked)
		put_chunks(w, value, (unsigned)base, *word == 's');
	else
		put(w, (uint64_t)value, (unsigned)base);
}

size_t
made_bits(const char *text, uint8_t *to, size_t room)
{
	struct writer w = { to, room, 0 };

	memset(to, 0, room);
	while (*(text += strspn(text, " "))) {
		put_word(&w, text);
		text += *text == '(' ? strcspn(text, ")") + 1 : strcspn(text, " ");
	}
	return (w.at + 7) / 8;
}
