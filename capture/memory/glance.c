#include "capture/memory/glance.h"
#include "io/runtime/walk.h"
#include <inttypes.h>
#include <stdio.h>

/* The beginning of each range is walked as a sample; a small heap is walked
   completely. */
enum {
	SMALL_BYTES = 16 << 20,
	SAMPLE_SHARE = 16,
	SAMPLE_MIN_BYTES = 64 << 10,
	SAMPLE_MAX_BYTES = 4 << 20,
	ALL_MAX_BYTES = 64 << 20, /* of all ranges together */
	OBJECTS_AT_ONCE = 64,
};

static uint64_t
sample_len(uint64_t len)
{
	uint64_t some = len / SAMPLE_SHARE;

	if (some < SAMPLE_MIN_BYTES)
		some = SAMPLE_MIN_BYTES;
	if (some > SAMPLE_MAX_BYTES)
		some = SAMPLE_MAX_BYTES;
	return some < len ? some : len;
}

static void
walk_sample(struct clr_walk *w, const struct clr_range *range, uint64_t len,
	    struct clr_walk_sums *sums)
{
	struct clr_object objects[OBJECTS_AT_ONCE];
	struct clr_range some = *range;
	size_t count;

	some.end = some.start + len;
	clr_walk_start(w, &some);
	while (clr_walk_next(w, objects, OBJECTS_AT_ONCE, &count))
		;
	*sums = *clr_walk_sums(w);
}

/* A range longer than all that was walked counts as a single object. */
static uint64_t
count_objects(struct clr_walk *w, const struct clr_heaps *h)
{
	bool is_small = clr_heaps_bytes(h) < SMALL_BYTES;
	uint64_t walked = 0, objects = 0, left = 0;
	double sum = 0;

	for (size_t i = 0; i < h->ranges_count; i++) {
		uint64_t len = h->ranges[i].end - h->ranges[i].start, good;
		uint64_t some = is_small ? len : sample_len(len);
		struct clr_walk_sums sums;

		if (walked + some > ALL_MAX_BYTES) {
			left += len;
			continue;
		}
		walk_sample(w, &h->ranges[i], some, &sums);
		good = some - sums.holes_bytes;
		walked += good;
		objects += sums.objects_count;
		sum += good ? (double)sums.objects_count * (double)len /
				  (double)good
			    : len != 0;
	}
	if (walked)
		sum += (double)left * (double)objects / (double)walked;
	return (uint64_t)sum;
}

static void
fill_objects(struct live_card *card, const struct clr_heaps *h)
{
	struct clr_tables *tables;
	struct clr_walk *w = NULL;
	struct error ignored;

	error_clear(&ignored);
	tables = clr_tables_new(h, &ignored);
	if (tables)
		w = clr_walk_new(h, tables, &ignored);
	if (w) {
		card->objects = count_objects(w, h);
		card->is_seen = true;
	}
	clr_walk_free(w);
	clr_tables_free(tables);
}

static uint64_t
longest_range(const struct clr_heaps *h)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < h->ranges_count; i++) {
		uint64_t len = h->ranges[i].end - h->ranges[i].start;

		if (len > longest)
			longest = len;
	}
	return longest;
}

void
glance_fill(struct live_card *card, const struct clr_heaps *h)
{
	const struct clr_runtime *rt = h->runtime;

	card->major = rt->version[0];
	if (rt->version_from == CLR_VERSION_TABLE)
		snprintf(card->runtime, sizeof(card->runtime), "%" PRIu32,
			 rt->version[0]);
	else
		snprintf(card->runtime, sizeof(card->runtime),
			 "%" PRIu32 ".%" PRIu32 ".%" PRIu32, rt->version[0],
			 rt->version[1], rt->version[2]);
	card->is_single_file = rt->is_single_file;
	card->is_server_gc = h->is_server;
	card->heaps_count = h->heaps_count;
	card->heap_bytes = clr_heaps_bytes(h);
	card->need.range_bytes = longest_range(h);
	fill_objects(card, h);
}
