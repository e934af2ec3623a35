/*
 * Any text as /proc/PID/smaps: its mappings are in order, and every resident byte is in one part.
 * The first 8 bytes are the address of two clues.
 */
#include "capture/process/smaps.h"
#include "tests/drive/fuzz.h"

enum { ADDRESS_BYTES = 8, INPUT_MAX = 64 << 10, CLUE_BYTES = 1 << 20 };

static uint64_t
bytes_of(const struct smaps *s)
{
	const struct mapping_list *list = &s->list;
	uint64_t bytes = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct memory_mapping *m = &list->items[i].map;

		if (m->start >= m->end || (i && list->items[i - 1].map.end > m->start))
			fuzz_fail("mappings in disorder", NULL);
		bytes += list->items[i].bytes;
	}
	return bytes;
}

static void
check_sum(const struct smaps *s, uint64_t address)
{
	const struct mapping_clue made[] = {
		{ address, address + 1, RESIDENT_MANAGED, CLUE_JOINS },
		{ address + CLUE_BYTES, address + 2 * (uint64_t)CLUE_BYTES, RESIDENT_MANAGED,
		  CLUE_JOINS },
		{ address / 2, address, RESIDENT_CODE, 0 },
	};
	struct mapping_clues clues = { 0 };
	struct error err = { 0 };
	struct resident r;
	uint64_t bytes = 0;

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		if (!mapping_clues_add(&clues, made[i], &err))
			fuzz_fail("a clue is refused", &err);
	if (!mapping_use_sum(&r, &s->list, &clues, &err))
		fuzz_fail("no sum", &err);
	for (int i = 0; i < RESIDENT_KIND_COUNT; i++)
		bytes += r.parts[i].bytes;
	if (r.bytes != bytes || bytes != bytes_of(s))
		fuzz_fail("bytes in no part, or in two", NULL);
	mapping_clues_clear(&clues);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = { 0 };
	struct smaps s = { 0 };

	if (size < ADDRESS_BYTES || size > INPUT_MAX)
		return 0;
	arena_init(&s.names, 0);
	if (!smaps_parse(&s, (const char *)data + ADDRESS_BYTES, size - ADDRESS_BYTES, &err))
		fuzz_fail("no error was expected", &err);
	check_sum(&s, bytes_load_u64(data));
	smaps_clear(&s);
	return 0;
}
