/* Structs in messages: what the other side may send, and what is refused. */
#include "capture/remote/wire.h"
#include "tests/drive/run_tests.h"
#include <string.h>

enum { PATH_AT = 3 * 8 + 2, PATH_MAX_LEN = sizeof(((struct wire_code *)0)->path) - 1 };

/* A struct wire_code with a path of `len` bytes; returns its length. */
static size_t
put_code(uint8_t bytes[WIRE_BYTES], size_t len)
{
	memset(bytes, 0, WIRE_BYTES);
	bytes[PATH_AT - 2] = (uint8_t)len;
	bytes[PATH_AT - 1] = (uint8_t)(len >> 8);
	memset(bytes + PATH_AT, 'x', len);
	return PATH_AT + len;
}

static void
assert_refused(enum wire_kind kind, const uint8_t *bytes, size_t len, const char *why)
{
	static union {
		struct wire_ask ask;
		struct wire_end end;
		struct wire_code code;
		struct live_card card;
	} taken;
	struct error err = { 0 };

	assert_false(wire_take(kind, bytes, len, &taken, &err));
	assert_int_equal(err.kind, ERROR_INPUT);
	if (!strstr(err.message, why))
		fail_msg("\"%s\", not \"%s\"", err.message, why);
}

TEST(a_text_fits_with_its_end)
{
	uint8_t bytes[WIRE_BYTES];
	struct error err = { 0 };
	struct wire_code code;
	size_t len = put_code(bytes, PATH_MAX_LEN);

	assert_ok(wire_take(WIRE_CODE, bytes, len, &code, &err), &err);
	assert_int_equal(strlen(code.path), PATH_MAX_LEN);
	len = put_code(bytes, PATH_MAX_LEN + 1);
	assert_refused(WIRE_CODE, bytes, len, "a text is too long");
}

TEST(refuses_other_lengths)
{
	uint8_t bytes[WIRE_BYTES];
	size_t len = put_code(bytes, 5);

	for (size_t i = 0; i < len; i++)
		assert_refused(WIRE_CODE, bytes, i, "the input ends inside");
	assert_refused(WIRE_CODE, bytes, len + 1, "it is too long");
	bytes[PATH_AT + 2] = '\0';
	assert_refused(WIRE_CODE, bytes, len, "a text contains a NUL");
}

TEST(refuses_numbers_out_of_range)
{
	const struct wire_ask ask = { .pid = 1 };
	const struct wire_end end = { .err.kind = ERROR_CANCELLED };
	uint8_t bytes[WIRE_BYTES];
	struct error err = { 0 };
	struct wire_end taken;
	size_t len = wire_put(WIRE_ASK, &ask, bytes);

	bytes[4] = 1; /* above the 32 bits of a process id */
	assert_refused(WIRE_ASK, bytes, len, "a number is too large");
	len = wire_put(WIRE_END, &end, bytes);
	assert_ok(wire_take(WIRE_END, bytes, len, &taken, &err), &err);
	bytes[0]++; /* no kind of error */
	assert_refused(WIRE_END, bytes, len, "a number is too large");
}
