#include "capture/memory/glance.h"
#include "io/runtime/layout.h"
#include "io/runtime/walk.h"
#include "model/base/less.h"
#include <inttypes.h>
#include <stdio.h>

/* The beginning of each range is walked as a sample; a small heap is walked completely. */
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

struct sample {
	uint64_t len; /* walked */
	uint64_t objects, ref_bytes;
};

/* Walks a range up to the end of the object at `len`. */
static struct sample
walk_sample(struct clr_walk *w, const struct clr_range *range, uint64_t len)
{
	struct clr_object objects[OBJECTS_AT_ONCE];
	struct sample s = { 0 };
	size_t count;

	clr_walk_start(w, range);
	while (s.len < len && clr_walk_next(w, objects, OBJECTS_AT_ONCE, &count))
		for (size_t i = 0; i < count; i++) {
			s.objects++;
			if (objects[i].flags & CLR_MT_HAS_POINTERS)
				s.ref_bytes += objects[i].size;
			s.len = objects[i].address + objects[i].size - range->start;
		}
	s.len = less(s.len, clr_walk_sums(w)->holes_bytes);
	return s;
}

/* Adds the objects of a range of which a sample was walked. A range in which nothing could be read
   counts as a single object without references. */
static void
add_range(struct live_card *card, const struct sample *s, uint64_t len)
{
	double factor = s->len ? (double)len / (double)s->len : 0;

	card->objects += s->len ? (uint64_t)((double)s->objects * factor) : len != 0;
	card->ref_bytes += (uint64_t)((double)s->ref_bytes * factor);
}

/* Ranges beyond ALL_MAX_BYTES are taken to be like those that were walked. */
static void
count_objects(struct live_card *card, struct clr_walk *w, const struct clr_heaps *h)
{
	bool is_small = clr_heaps_bytes(h) < SMALL_BYTES;
	struct sample all = { 0 };
	uint64_t asked = 0, left = 0;

	card->objects = card->ref_bytes = 0;
	for (size_t i = 0; i < h->ranges_count; i++) {
		uint64_t len = h->ranges[i].end - h->ranges[i].start;
		uint64_t some = is_small ? len : sample_len(len);
		struct sample s;

		if (asked + some > ALL_MAX_BYTES) {
			left += len;
			continue;
		}
		s = walk_sample(w, &h->ranges[i], some);
		add_range(card, &s, len);
		asked += some;
		all.len += s.len;
		all.objects += s.objects;
		all.ref_bytes += s.ref_bytes;
	}
	if (left && all.len)
		add_range(card, &all, left);
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
		count_objects(card, w, h);
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

		if (h->ranges[i].generation <= GEN_2 && len > longest)
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
		snprintf(card->runtime, sizeof(card->runtime), "%" PRIu32, rt->version[0]);
	else
		snprintf(card->runtime, sizeof(card->runtime), "%" PRIu32 ".%" PRIu32 ".%" PRIu32,
			 rt->version[0], rt->version[1], rt->version[2]);
	card->is_single_file = rt->is_single_file;
	card->is_server_gc = h->is_server;
	card->heaps_count = h->heaps_count;
	card->heap_bytes = clr_heaps_bytes(h);
	card->need.range_bytes = longest_range(h);
	fill_objects(card, h);
}
