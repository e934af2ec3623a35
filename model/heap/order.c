#include "model/heap/order.h"

#include "model/base/worker.h"
#include "model/heap/sweep.h"
#include <string.h>

enum {
	SLICE = 1 << 16, /* objects between checks for cancellation */
	DIGIT_BITS = 11,
	DIGITS = 1 << DIGIT_BITS,
	KEY_BITS = 32, /* key bits sorted at a time, above the id */
};

void
id_list_free(struct id_list *list)
{
	memory_free(list->ids);
	*list = (struct id_list){ 0 };
}

/* --- listing ------------------------------------------------------------- */

struct listing {
	const struct heap *heap;
	const uint8_t *types; /* NULL: all */
	struct progress *progress;
	uint32_t *starts; /* index of each chunk's first object in the list */
	uint64_t *bytes;  /* sum of sizes, by chunk */
	node_id *ids;
};

static inline bool
is_listed(const struct listing *l, node_id n)
{
	return !l->types || l->types[heap_type_of(l->heap, n)];
}

static bool
count_chunk(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct listing *l = context;
	uint32_t chunk = (uint32_t)part, count = 0;
	node_id end = chunk_end(l->heap, chunk);

	(void)thread;
	for (node_id n = chunk_first(chunk); n < end; n++)
		count += is_listed(l, n);
	l->starts[chunk] = count;
	return progress_add(l->progress, end - chunk_first(chunk)) || error_cancelled(err);
}

static bool
fill_chunk(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct listing *l = context;
	uint32_t chunk = (uint32_t)part;
	node_id end = chunk_end(l->heap, chunk);
	node_id *out = l->ids + l->starts[chunk];

	(void)thread;
	for (node_id n = chunk_first(chunk); n < end; n++) {
		if (!is_listed(l, n))
			continue;
		*out++ = n;
		l->bytes[chunk] += heap_size(l->heap, n);
	}
	return progress_add(l->progress, end - chunk_first(chunk)) || error_cancelled(err);
}

static bool
listing_run(struct listing *l, struct id_list *list, struct error *err)
{
	uint32_t chunks_count = sweep_chunks_count(l->heap);
	unsigned threads = worker_threads();

	if (!worker_run_all(threads, chunks_count, count_chunk, l, err))
		return false;
	for (uint32_t c = 0; c < chunks_count; c++) {
		uint32_t count = l->starts[c];

		l->starts[c] = list->count;
		list->count += count;
	}
	list->ids = l->ids = memory_resize(NULL, (size_t)list->count + 1, sizeof(node_id), err);
	if (!l->ids || !worker_run_all(threads, chunks_count, fill_chunk, l, err))
		return false;
	for (uint32_t c = 0; c < chunks_count; c++)
		list->bytes_count += l->bytes[c];
	return true;
}

bool
id_list_of_types(struct id_list *list, const struct heap *h, const uint8_t *types,
		 struct progress *progress, struct error *err)
{
	uint32_t chunks_count = sweep_chunks_count(h);
	struct listing l = { .heap = h, .types = types, .progress = progress };
	struct arena scratch;
	bool is_ok;

	*list = (struct id_list){ 0 };
	arena_init(&scratch, 0);
	l.starts = arena_array(&scratch, uint32_t, (size_t)chunks_count + 1, err);
	l.bytes = arena_array(&scratch, uint64_t, (size_t)chunks_count + 1, err);
	progress_begin(progress, "listing objects", "objects", (uint64_t)h->nodes_count * 2);
	is_ok = l.starts && l.bytes && listing_run(&l, list, err);
	arena_clear(&scratch);
	if (!is_ok)
		id_list_free(list);
	return is_ok;
}

/* --- sorting ------------------------------------------------------------- */

/*
 * An LSD radix sort. Each item is 64 bits: 32 bits of the key above the id. Wider keys are sorted
 * by their low half and then, as the sort is stable, by their high half.
 */
struct sorting {
	order_key *key;
	const void *context;
	bool is_descending;
	struct progress *progress;
	uint32_t count, slices_count;
	const node_id *ids;
	uint64_t min, max; /* minimum and maximum of all keys */
	unsigned key_shift, digit_shift;
	uint64_t *from, *to;
	struct slice *slices; /* one for each thread, in order */
};

struct slice {
	uint32_t first, end;
	uint64_t min, max;
	uint32_t starts[DIGITS]; /* counts, then positions, of each digit */
};

static bool
sorting_go_on(const struct sorting *s, uint32_t i, struct error *err)
{
	return (i & (SLICE - 1)) || progress_add(s->progress, 0) || error_cancelled(err);
}

static bool
measure_slice(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct sorting *s = context;
	struct slice *slice = &s->slices[part];
	uint64_t min = UINT64_MAX, max = 0;

	(void)thread;
	for (uint32_t i = slice->first; i < slice->end; i++) {
		uint64_t key = s->key(s->context, s->ids[i]);

		if (!sorting_go_on(s, i, err))
			return false;
		min = key < min ? key : min;
		max = key > max ? key : max;
	}
	slice->min = min;
	slice->max = max;
	return true;
}

/* Makes items: half of each key, relative to the smallest or largest, and the id. */
static bool
load_slice(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct sorting *s = context;
	const struct slice *slice = &s->slices[part];

	(void)thread;
	for (uint32_t i = slice->first; i < slice->end; i++) {
		node_id n = s->key_shift ? (node_id)s->from[i] : s->ids[i];
		uint64_t key = s->key(s->context, n);

		if (!sorting_go_on(s, i, err))
			return false;
		key = s->is_descending ? s->max - key : key - s->min;
		s->from[i] = (key >> s->key_shift) << KEY_BITS | n;
	}
	return true;
}

static bool
count_slice(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct sorting *s = context;
	struct slice *slice = &s->slices[part];

	(void)thread;
	memset(slice->starts, 0, sizeof(slice->starts));
	for (uint32_t i = slice->first; i < slice->end; i++) {
		if (!sorting_go_on(s, i, err))
			return false;
		slice->starts[s->from[i] >> s->digit_shift & (DIGITS - 1)]++;
	}
	return true;
}

static bool
move_slice(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct sorting *s = context;
	struct slice *slice = &s->slices[part];

	(void)thread;
	for (uint32_t i = slice->first; i < slice->end; i++) {
		uint64_t item = s->from[i];
		uint64_t digit = item >> s->digit_shift & (DIGITS - 1);

		if (!sorting_go_on(s, i, err))
			return false;
		s->to[slice->starts[digit]++] = item;
	}
	return true;
}

/* Turns counts into positions; false if all items have the same digit. */
static bool
sorting_place_digits(struct sorting *s)
{
	uint32_t sum = 0;

	for (uint32_t digit = 0; digit < DIGITS; digit++) {
		uint32_t before = sum;

		for (uint32_t i = 0; i < s->slices_count; i++) {
			uint32_t count = s->slices[i].starts[digit];

			s->slices[i].starts[digit] = sum;
			sum += count;
		}
		if (sum - before == s->count)
			return false;
	}
	return true;
}

static bool
sorting_run(struct sorting *s, worker_run *run, struct error *err)
{
	return worker_run_all(s->slices_count, s->slices_count, run, s, err);
}

static bool
sorting_half(struct sorting *s, struct error *err)
{
	uint64_t range = (s->max - s->min) >> s->key_shift;

	if (!sorting_run(s, load_slice, err))
		return false;
	for (unsigned bit = 0; bit < KEY_BITS && range >> bit; bit += DIGIT_BITS) {
		uint64_t *swap = s->from;

		s->digit_shift = KEY_BITS + bit;
		if (!sorting_run(s, count_slice, err))
			return false;
		if (!sorting_place_digits(s))
			continue;
		if (!sorting_run(s, move_slice, err))
			return false;
		s->from = s->to;
		s->to = swap;
		if (!progress_add(s->progress, s->count))
			return error_cancelled(err);
	}
	return true;
}

static bool
sorting_slices(struct sorting *s, struct arena *scratch, struct error *err)
{
	s->slices_count = s->count > SLICE ? worker_threads() : 1;
	s->slices = arena_array(scratch, struct slice, s->slices_count, err);
	if (!s->slices)
		return false;
	for (uint32_t i = 0; i < s->slices_count; i++) {
		s->slices[i].first = (uint32_t)((uint64_t)s->count * i / s->slices_count);
		s->slices[i].end = (uint32_t)((uint64_t)s->count * (i + 1) / s->slices_count);
	}
	return true;
}

static bool
sorting_all(struct sorting *s, struct error *err)
{
	if (!sorting_run(s, measure_slice, err))
		return false;
	s->min = UINT64_MAX;
	for (uint32_t i = 0; i < s->slices_count; i++) {
		const struct slice *slice = &s->slices[i];

		s->min = slice->min < s->min ? slice->min : s->min;
		s->max = slice->max > s->max ? slice->max : s->max;
	}
	if (!sorting_half(s, err))
		return false;
	if ((s->max - s->min) >> KEY_BITS) {
		s->key_shift = KEY_BITS;
		return sorting_half(s, err);
	}
	return true;
}

bool
id_list_sort(struct id_list *list, order_key *key, const void *context, bool is_descending,
	     struct progress *progress, struct error *err)
{
	struct sorting s = { .key = key,
			     .context = context,
			     .is_descending = is_descending,
			     .progress = progress,
			     .count = list->count,
			     .ids = list->ids };
	struct arena scratch;
	bool is_ok;

	if (list->count < 2)
		return true;
	arena_init(&scratch, 0);
	progress_begin(progress, "sorting", "objects", (uint64_t)list->count * 3);
	s.from = memory_resize(NULL, list->count, sizeof(*s.from), err);
	s.to = memory_resize(NULL, list->count, sizeof(*s.to), err);
	is_ok = s.from && s.to && sorting_slices(&s, &scratch, err) && sorting_all(&s, err);
	for (uint32_t i = 0; is_ok && i < list->count; i++)
		list->ids[i] = (node_id)s.from[i];
	memory_free(s.from);
	memory_free(s.to);
	arena_clear(&scratch);
	return is_ok;
}
