#include "capture/process/target_need.h"
#include <inttypes.h>
#include <stdio.h>

/*
 * With buffers of 64 MiB a process of 2 million small objects grew by 51 to 61 MiB, of 5 million by
 * 104 to 158, of 12 million by 192; see tests/tui/views/test_card.c. The events that describe a
 * heap take at most twice its size, so that a larger buffer is never filled.
 */
enum {
	TABLES_SHARE = 8,
	RESERVE_SHARE = 8,
};
#define EVENTS_BYTES_MIN (UINT64_C(16) << 20)
#define OTHERS_BYTES     (UINT64_C(12) << 20) /* threads, three sessions */
#define RESERVE_BYTES    (UINT64_C(8) << 20)
/* Assumed if the heap's ranges are unknown; a large array has a range of its own, of at least this
   size. */
#define RANGE_BYTES_ABOUT (UINT64_C(32) << 20)

/* The bytes of objects of ordinary size that take as many events. */
static uint64_t
object_bytes(const struct live_need *need)
{
	return need->event_bytes ? need->event_bytes / EVENTS_SHARE : need->private_bytes;
}

/*
 * The need besides event buffers. A collection may copy its longest range, and reads back swapped
 * pages.
 */
static uint64_t
fixed_bytes(const struct live_need *need)
{
	uint64_t range = need->range_bytes;

	if (!range)
		range = need->private_bytes < RANGE_BYTES_ABOUT ? need->private_bytes
								: RANGE_BYTES_ABOUT;
	return range + object_bytes(need) / TABLES_SHARE + need->swapped_bytes + OTHERS_BYTES;
}

/* Memory that a walk takes with a buffer of this size. */
static uint64_t
target_need_bytes(const struct live_need *need, uint32_t buffer_mb)
{
	uint64_t buffers = (uint64_t)buffer_mb << 20;
	uint64_t events = object_bytes(need) * EVENTS_SHARE;

	if (events < EVENTS_BYTES_MIN)
		events = EVENTS_BYTES_MIN;
	return (buffers < events ? buffers : events) + fixed_bytes(need);
}

/* Part of the headroom that a capture leaves free. */
static uint64_t
target_need_reserve(const struct live_room *room)
{
	return room->headroom_bytes / RESERVE_SHARE + RESERVE_BYTES;
}

/* Without any known limit there is no reason to refuse. */
static bool
fits(const struct live_card *card, uint64_t bytes)
{
	const struct live_room *room = &card->target;

	return (!room->limit_bytes && !room->headroom_bytes) ||
	       bytes + card->need.shared_bytes + target_need_reserve(room) <= room->headroom_bytes;
}

uint32_t
target_need_buffer_mb(const struct live_card *card, uint32_t wanted_mb)
{
	const struct live_room *room = &card->target;
	uint64_t taken =
	    fixed_bytes(&card->need) + card->need.shared_bytes + target_need_reserve(room);
	uint64_t left_mb = 0;

	if (wanted_mb <= TARGET_BUFFER_MIN_MB ||
	    fits(card, target_need_bytes(&card->need, wanted_mb)))
		return wanted_mb;
	if (taken < room->headroom_bytes)
		left_mb = (room->headroom_bytes - taken) >> 20;
	return left_mb > TARGET_BUFFER_MIN_MB ? (uint32_t)left_mb : TARGET_BUFFER_MIN_MB;
}

static uint64_t
mib_up(uint64_t bytes)
{
	return (bytes + (1 << 20) - 1) >> 20;
}

void
target_need_judge(struct live_card *card)
{
	const struct live_room *room = &card->target;
	struct live_need *need = &card->need;
	char limit[80] = "this machine", ours[40] = "";

	error_clear(&card->refusal);
	need->bytes = target_need_bytes(need, card->buffer_mb);
	need->reserve_bytes = target_need_reserve(room);
	if (fits(card, need->bytes))
		return;
	if (room->limit[0])
		snprintf(limit, sizeof(limit), "%s, %" PRIu64 " MiB,", room->limit,
			 room->limit_bytes >> 20);
	if (need->shared_bytes)
		snprintf(ours, sizeof(ours), " and %" PRIu64 " MiB here",
			 mib_up(need->shared_bytes));
	error_set(&card->refusal, ERROR_ATTACH,
		  "%s leaves the process %" PRIu64
		  " MiB, and describing its heap takes about %" PRIu64 " MiB there%s, with %" PRIu64
		  " MiB in reserve: nothing was done to the process; %s",
		  limit, room->headroom_bytes >> 20, mib_up(need->bytes), ours,
		  mib_up(need->reserve_bytes),
		  need->shared_bytes ? "-m takes less" : "-m needs none of its memory");
}
