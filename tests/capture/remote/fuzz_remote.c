/*
 * Any bytes as a message, after one byte for its kind: a struct, all of whose texts end and which
 * gives the same bytes when it is sent again; or a sentence.
 */
#include "capture/remote/wire.h"
#include "tests/drive/fuzz.h"
#include <string.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static union {
		struct wire_ask ask;
		struct wire_progress progress;
		struct wire_end end;
		struct live_process process;
		struct live_card card;
		struct wire_code code;
	} first, second;
	static uint8_t bytes[WIRE_BYTES], again[WIRE_BYTES];
	enum wire_kind kind;
	struct error err;
	size_t len;

	if (!size)
		return 0;
	kind = (enum wire_kind)(data[0] % (WIRE_CODE + 1));
	error_clear(&err);
	memset(&first, 0, sizeof(first));
	memset(&second, 0, sizeof(second));
	if (!wire_take(kind, data + 1, size - 1, &first, &err)) {
		if (err.kind != ERROR_INPUT || !err.message[0])
			fuzz_fail("an error without a sentence", &err);
		return 0;
	}
	len = wire_put(kind, &first, bytes);
	if (!wire_take(kind, bytes, len, &second, &err))
		fuzz_fail("what was sent cannot be read", &err);
	if (wire_put(kind, &second, again) != len || memcmp(bytes, again, len))
		fuzz_fail("it has changed on the way", NULL);
	return 0;
}
