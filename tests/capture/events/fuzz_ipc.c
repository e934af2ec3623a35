/*
 * Answers of a runtime, or of another program at its socket. The first byte says what was asked: 1
 * to 3 for facts about the process, by version of the question; else the bytes are a reply's header
 * or a greeting. An answer is understood, or there is an error with a message.
 */
#include "tests/drive/fuzz.h"
#include "capture/events/message.h"
#include <stdlib.h>
#include <string.h>

static void
check(bool is_good, const struct error *err)
{
	if (is_good != (err->kind == ERROR_NONE) || (!is_good && !err->message[0]))
		abort();
}

static void
check_text(const char *text, size_t size)
{
	size_t len = strnlen(text, size);

	if (len == size)
		abort();
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			abort();
}

static void
try_info(unsigned version, const uint8_t *data, size_t size, struct error *err)
{
	struct runtime_info info;

	check(runtime_info_read(&info, version, data, size, err), err);
	check_text(info.system, sizeof(info.system));
	check_text(info.machine, sizeof(info.machine));
	check_text(info.assembly, sizeof(info.assembly));
	check_text(info.version, sizeof(info.version));
	if (runtime_info_major(&info) >= 1000)
		abort();
}

static void
try_heads(const uint8_t *data, size_t size, struct error *err)
{
	struct advertise a;
	struct reply reply;

	if (size >= MESSAGE_HEADER_BYTES)
		check(reply_read(&reply, data, err), err);
	if (size >= MESSAGE_ADVERTISE_BYTES && advertise_read(&a, data) && data[0] != 'A')
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = { 0 };

	if (!size)
		return 0;
	if (data[0] >= 1 && data[0] <= 3)
		try_info(data[0], data + 1, size - 1, &err);
	else
		try_heads(data + 1, size - 1, &err);
	return 0;
}
