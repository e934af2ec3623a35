/*
 * Any bytes as GC info: slots with places that exist, and at each offset a state, or a reason why
 * it is unknown. The input is a byte that chooses the version, then the bytes.
 */
#include "io/runtime/gc_live.h"
#include "tests/drive/fuzz.h"
#include "tests/made/made_memory.h"
#include <stdlib.h>

enum { AT = 0x10000, OFFSETS = 8 };

static void
check_slots(const struct gc_info *info)
{
	if (info->slots_count > GC_SLOTS_MAX || info->tracked_count > info->slots_count)
		fuzz_fail("too many slots", NULL);
	for (uint32_t i = 0; i < info->slots_count; i++) {
		const struct gc_slot *slot = &info->slots[i];

		if (slot->place > GC_SLOT_FROM_FRAME ||
		    (slot->place == GC_SLOT_REGISTER && (slot->offset < 0 || slot->offset > 15)) ||
		    (slot->place == GC_SLOT_FROM_FRAME && info->frame_register > 15) ||
		    slot->is_untracked != (i >= info->tracked_count))
			fuzz_fail("a slot without a place", NULL);
	}
}

static void
check_moment(struct gc_info *info, const struct gc_moment *moment)
{
	enum gc_state state = gc_live_find(info, moment);
	uint32_t live = 0;

	for (uint32_t i = 0; i < info->slots_count; i++)
		live += info->slots[i].is_live;
	if ((state == GC_UNKNOWN) != (info->why != NULL) || (state == GC_UNKNOWN && live))
		fuzz_fail("an unknown state without a reason, or with live slots", NULL);
}

static void
check(struct gc_info *info)
{
	check_slots(info);
	for (uint32_t i = 0; i < OFFSETS; i++)
		for (int who = 0; who < 3; who++) {
			struct gc_moment moment = {
				.offset =
				    i < 4 ? i : (uint32_t)((uint64_t)info->code_bytes * i / 7),
				.is_leaf = who == 1,
				.is_interrupted = who == 2,
			};

			check_moment(info, &moment);
		}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct made_memory *m;
	struct memory_reader *r;
	struct gc_info *info;
	struct error err = { 0 };

	if (size < 2)
		return 0;
	m = made_memory_new(MEMORY_X64);
	made_memory_put(m, AT, data + 1, size - 1);
	r = memory_reader_new(made_memory_open(m), &err);
	info = gc_info_new(&err);
	if (!r || !info)
		abort();
	info->reads_left = 1 << 22;
	if (gc_info_read(info, r, AT, 2 + data[0] % 4))
		check(info);
	else if (!info->why || info->slots_count)
		fuzz_fail("no GC info, and no reason", NULL);
	gc_info_free(info);
	memory_reader_free(r);
	made_memory_free(m);
	return 0;
}
