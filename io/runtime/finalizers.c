#include "io/runtime/finalizers.h"
#include "model/base/arena.h"
#include <string.h>

enum {
	QUEUE_BYTES = 72,
	ARRAY_START = 56,
	ARRAY_END = 64,
	SLOTS_AT_ONCE = 1024,
};

struct queue {
	uint64_t start, ends[CLR_FINALIZER_PARTS];
};

/* False: no finalization queue is at `address`. */
static bool
read_queue(struct queue *q, const struct memory *m, uint64_t address)
{
	uint8_t bytes[QUEUE_BYTES];
	uint64_t last, end;

	if (memory_copy(m, address, bytes, sizeof(bytes)) != sizeof(bytes))
		return false;
	q->start = bytes_load_u64(bytes + ARRAY_START);
	end = bytes_load_u64(bytes + ARRAY_END);
	last = q->start;
	for (int i = 0; i < CLR_FINALIZER_PARTS; i++) {
		q->ends[i] = bytes_load_u64(bytes + 8 * i);
		if (q->ends[i] < last || q->ends[i] > end || (q->ends[i] - q->start) % 8)
			return false;
		last = q->ends[i];
	}
	return true;
}

static bool
add_slots(struct clr_finalizers *out, const uint8_t *slots, size_t count, unsigned part,
	  struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t object = bytes_load_u64(slots + 8 * i);

		if (!object)
			continue; /* its finalizer is running */
		if (!APPEND(out->items, out->count, out->room, err,
			    (struct clr_finalizer){ object, (uint8_t)part }))
			return false;
		out->counts[part]++;
	}
	return true;
}

static bool
add_part(struct clr_finalizers *out, const struct memory *m, uint64_t at, uint64_t end,
	 unsigned part, struct error *err)
{
	uint8_t slots[8 * SLOTS_AT_ONCE];

	while (at < end) {
		size_t wanted = sizeof(slots), got;

		if (end - at < wanted)
			wanted = (size_t)(end - at);
		got = memory_copy(m, at, slots, wanted);
		if (!add_slots(out, slots, got / 8, part, err))
			return false;
		if (got < wanted) {
			out->missing_count++;
			return true;
		}
		at += wanted;
	}
	return true;
}

static bool
add_queue(struct clr_finalizers *out, const struct memory *m, uint64_t address, struct error *err)
{
	struct queue q;
	uint64_t at;

	if (!read_queue(&q, m, address)) {
		out->missing_count++;
		return true;
	}
	at = q.start;
	for (unsigned part = 0; part < CLR_FINALIZER_PARTS; part++) {
		if (!add_part(out, m, at, q.ends[part], part, err))
			return false;
		at = q.ends[part];
	}
	return true;
}

bool
clr_finalizers_read(struct clr_finalizers *out, const struct clr_heaps *heaps, struct error *err)
{
	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < heaps->heaps_count; i++)
		if (heaps->heaps[i].finalize_queue &&
		    !add_queue(out, heaps->runtime->memory, heaps->heaps[i].finalize_queue, err)) {
			clr_finalizers_clear(out);
			return false;
		}
	return true;
}

void
clr_finalizers_clear(struct clr_finalizers *finalizers)
{
	memory_free(finalizers->items);
	memset(finalizers, 0, sizeof(*finalizers));
}
