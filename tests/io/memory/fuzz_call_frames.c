/*
 * Call frame information that is made up, damaged: a step gives the caller's registers, or leaves
 * them as they were, and a walk ends. The input is:
 *
 *   u8 form of the CIE (see forms)   u8 number of changes, 3 bytes each:
 *   u16 offset in the file, u8 value; then instructions of the first function
 */
#include "io/memory/call_frames.h"
#include "tests/drive/fuzz.h"
#include "tests/made/made_frames.h"
#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 2, CHANGE_BYTES = 3, CHANGES_MAX = 32, PROGRAM_MAX = 200, STEPS_MAX = 64 };

static const struct made_frames forms[] = {
	{ .augmentation = "zR" }, { .augmentation = "zPLR" }, { .augmentation = "zRS" },
	{ .augmentation = "" },   { .encoding = 0x1c },       { .encoding = 0x04, .version = 3 },
};
enum { FORMS_COUNT = sizeof(forms) / sizeof(forms[0]) };

static const uint64_t addresses[] = {
	MADE_FRAMES_CODE,
	MADE_FRAMES_CODE + 1,
	MADE_FRAMES_CODE + 0x20,
	MADE_FRAMES_CODE + MADE_FUNCTION_BYTES - 1,
	MADE_FRAMES_CODE + MADE_SECOND_FUNCTION,
};

static void
walk(struct call_frames *frames, uint64_t address)
{
	struct x64_state state, before;
	bool is_exact = true;

	made_frames_state(&state, address);
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		before = state;
		if (!call_frames_step(frames, &state, is_exact, &is_exact)) {
			if (memcmp(&state, &before, sizeof(state)) != 0)
				fuzz_fail("a step failed and changed the registers", NULL);
			return;
		}
		if (i % 2)
			state.ip = address;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct made_frames form;
	struct made_memory *mm;
	struct memory_reader *r;
	struct call_frames frames;
	struct error err = { 0 };
	size_t changes, at;

	if (size < HEAD_BYTES)
		return 0;
	changes = data[1] % (CHANGES_MAX + 1);
	if (changes > (size - HEAD_BYTES) / CHANGE_BYTES)
		changes = (size - HEAD_BYTES) / CHANGE_BYTES;
	at = HEAD_BYTES + changes * CHANGE_BYTES;
	form = forms[data[0] % FORMS_COUNT];
	form.program = (const char *)data + at;
	form.len = size - at < PROGRAM_MAX ? size - at : PROGRAM_MAX;
	mm = made_frames_new(&form);
	for (size_t i = 0; i < changes; i++) {
		const uint8_t *change = data + HEAD_BYTES + i * CHANGE_BYTES;

		made_memory_u8(mm, MADE_FRAMES + change[0] + 256 * (change[1] % 16U), change[2]);
	}
	r = memory_reader_new(made_memory_open(mm), &err);
	if (!r)
		abort();
	call_frames_begin(&frames, made_memory_open(mm), r);
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		walk(&frames, addresses[i]);
	memory_reader_free(r);
	made_memory_free(mm);
	return 0;
}
