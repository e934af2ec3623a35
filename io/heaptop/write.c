#include "io/heaptop/format.h"
#include "io/heaptop/heaptop.h"
#include "io/heaptop/packer.h"
#include "model/base/hash.h"
#include "model/base/seed.h"
#include "model/base/u64_map.h"
#include "model/graph/retained.h"
#include "model/heap/packed.h"
#include <string.h>

struct writer {
	struct saved_packer packer;
	const struct heap *heap;
	struct progress *progress;
	struct saved_how how;
	struct sheet texts;
	struct u64_map text_places; /* by a hash of the text */
};

static uint64_t
bits_of_double(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static uint32_t
bits_of_float(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* ---- texts --------------------------------------------------------------- */

/* The offset of a text, and its key in the map. */
static uint32_t
find_text(const struct writer *w, const char *text, uint64_t *key)
{
	uint32_t place;

	*key = hash_text(seed_random(), text);
	U64_MAP_FIND(place, &w->text_places, *key,
		     !strcmp((const char *)w->texts.data + place, text));
	return place;
}

/* Each text is written once. */
static bool
put_text(struct writer *w, const char *text, struct error *err)
{
	uint64_t key;

	if (find_text(w, text, &key) != U64_MAP_NONE)
		return true;
	if (w->texts.len > UINT32_MAX - 4096)
		return error_set(err, ERROR_USAGE, "the names of this heap have more than 4 GiB");
	return u64_map_put(&w->text_places, key, (uint32_t)w->texts.len, err) &&
	       sheet_put(&w->texts, text, strlen(text) + 1, err);
}

static uint32_t
text_place(const struct writer *w, const char *text)
{
	uint64_t key;

	return find_text(w, text, &key);
}

static bool
gather_texts(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;

	for (type_id t = 0; t < h->types_count; t++)
		if (!put_text(w, h->types[t].raw, err) || !put_text(w, h->types[t].module, err))
			return false;
	for (uint32_t i = 0; i < h->roots_count; i++)
		if (!put_text(w, h->roots[i].name, err) || !put_text(w, h->roots[i].label, err))
			return false;
	return true;
}

static bool
write_texts(struct writer *w, struct error *err)
{
	struct sheet *s = saved_packer_begin(&w->packer, 0);

	return gather_texts(w, err) && sheet_put(s, w->texts.data, w->texts.len, err) &&
	       saved_packer_end(&w->packer, 0, SAVED_TEXT, 0, err);
}

/* ---- facts about the heap ------------------------------------------------ */

static bool
put_info_text(struct sheet *s, enum saved_key key, const char *text, struct error *err)
{
	size_t len = text ? strlen(text) : 0;

	return !len || (sheet_put_number(s, key, 4, err) && sheet_put_number(s, len, 4, err) &&
			sheet_put(s, text, len, err));
}

static bool
put_info_number(struct sheet *s, enum saved_key key, uint64_t value, struct error *err)
{
	return sheet_put_number(s, key, 4, err) && sheet_put_number(s, 8, 4, err) &&
	       sheet_put_number(s, value, 8, err);
}

static bool
put_losses(struct sheet *s, const struct losses *l, struct error *err)
{
	const uint64_t numbers[] = {
#define NUMBER(name) l->name,
		SAVED_LOSSES(NUMBER)
#undef NUMBER
	};
	size_t count = sizeof(numbers) / sizeof(numbers[0]);

	if (!sheet_put_number(s, SAVED_KEY_LOSSES, 4, err) ||
	    !sheet_put_number(s, count * 8, 4, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!sheet_put_number(s, numbers[i], 8, err))
			return false;
	return true;
}

static bool
put_resident(struct sheet *s, const struct resident *r, struct error *err)
{
	const uint64_t numbers[] = {
#define NUMBER(name) r->name,
		SAVED_RESIDENT(NUMBER)
#undef NUMBER
	};
	size_t count = sizeof(numbers) / sizeof(numbers[0]);
	size_t bytes = (count + (size_t)2 * RESIDENT_KIND_COUNT) * 8;

	if (r->detail == RESIDENT_UNKNOWN)
		return true;
	if (!sheet_put_number(s, SAVED_KEY_RESIDENT, 4, err) || !sheet_put_number(s, bytes, 4, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!sheet_put_number(s, numbers[i], 8, err))
			return false;
	for (int i = 0; i < RESIDENT_KIND_COUNT; i++)
		if (!sheet_put_number(s, r->parts[i].bytes, 8, err) ||
		    !sheet_put_number(s, r->parts[i].count, 8, err))
			return false;
	return true;
}

/* Texts end with NUL, as in TEXT. */
static bool
put_domain(struct sheet *s, const struct heap_domain *d, struct error *err)
{
	size_t name = strlen(d->name) + 1, module = strlen(d->module) + 1;
	size_t facts = strlen(d->facts) + 1;

	return sheet_put_number(s, SAVED_KEY_DOMAIN, 4, err) &&
	       sheet_put_number(s, SAVED_DOMAIN_BYTES + name + module + facts, 4, err) &&
	       sheet_put_number(s, d->start, 8, err) && sheet_put_number(s, d->uptime_ms, 4, err) &&
	       sheet_put_number(s, d->has_uptime, 4, err) && sheet_put(s, d->name, name, err) &&
	       sheet_put(s, d->module, module, err) && sheet_put(s, d->facts, facts, err);
}

static bool
put_info_texts(struct sheet *s, const struct heap_info *info, struct error *err)
{
	for (uint32_t i = 0; i < info->warnings_count; i++)
		if (!put_info_text(s, SAVED_KEY_WARNING, info->warnings[i], err))
			return false;
	for (uint32_t i = 0; i < info->domains_count; i++)
		if (!put_domain(s, &info->domains[i], err))
			return false;
	return put_info_text(s, SAVED_KEY_SOURCE, info->source, err) &&
	       put_info_text(s, SAVED_KEY_FORMAT, info->format, err) &&
	       put_info_text(s, SAVED_KEY_TOOL, info->tool, err) &&
	       put_info_text(s, SAVED_KEY_MACHINE, info->machine, err) &&
	       put_info_text(s, SAVED_KEY_PROCESS, info->process, err) &&
	       put_info_text(s, SAVED_KEY_PROGRAM, info->program, err) &&
	       put_info_text(s, SAVED_KEY_POD, info->pod, err) &&
	       put_info_text(s, SAVED_KEY_CONTAINER, info->container, err) &&
	       put_info_text(s, SAVED_KEY_LOG, info->log, err);
}

static bool
write_info(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;
	const struct heap_info *info = &h->info;
	struct sheet *s = saved_packer_begin(&w->packer, 0);
	uint64_t flags = (h->has_objects ? SAVED_HAS_OBJECTS : 0) |
			 (info->is_64bit ? SAVED_IS_64BIT : 0) |
			 (info->is_sampled ? SAVED_IS_SAMPLED : 0) |
			 (info->losses.is_unfinished ? SAVED_IS_UNFINISHED : 0);

	return put_info_texts(s, info, err) && put_info_number(s, SAVED_KEY_FLAGS, flags, err) &&
	       put_info_number(s, SAVED_KEY_PID, (uint64_t)info->pid, err) &&
	       put_info_number(s, SAVED_KEY_TIME, (uint64_t)info->time, err) &&
	       put_info_number(s, SAVED_KEY_COMMIT, info->commit_bytes, err) &&
	       put_info_number(s, SAVED_KEY_WORKING_SET, info->working_set_bytes, err) &&
	       put_info_number(s, SAVED_KEY_COUNT_MULTIPLIER,
			       bits_of_double(info->count_multiplier), err) &&
	       put_info_number(s, SAVED_KEY_SIZE_MULTIPLIER, bits_of_double(info->size_multiplier),
			       err) &&
	       put_info_number(s, SAVED_KEY_NODES, h->nodes_count, err) &&
	       put_info_number(s, SAVED_KEY_REFS, h->refs_count, err) &&
	       put_info_number(s, SAVED_KEY_ROOTS, h->roots_count, err) &&
	       (!info->gc_number || put_info_number(s, SAVED_KEY_GC, info->gc_number, err)) &&
	       (!info->time_ns || put_info_number(s, SAVED_KEY_TIME_NS, info->time_ns, err)) &&
	       put_losses(s, &info->losses, err) && put_resident(s, &info->resident, err) &&
	       saved_packer_end(&w->packer, 0, SAVED_INFO, 0, err);
}

static bool
write_types(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;
	struct sheet *s = saved_packer_begin(&w->packer, 0);

	for (type_id t = 0; t < h->types_count; t++) {
		const struct type *type = &h->types[t];

		if (!sheet_put_number(s, text_place(w, type->raw), 4, err) ||
		    !sheet_put_number(s, text_place(w, type->module), 4, err) ||
		    !sheet_put_number(s, type->flags, 4, err) ||
		    !sheet_put_number(s, bits_of_float(type->multiplier), 4, err) ||
		    !sheet_put_number(s, type->count, 8, err) ||
		    !sheet_put_number(s, type->bytes, 8, err) ||
		    !sheet_put_number(s, type->min_bytes, 8, err) ||
		    !sheet_put_number(s, type->max_bytes, 8, err))
			return false;
	}
	if (!saved_packer_end(&w->packer, 0, SAVED_TYPE, 0, err))
		return false;
	s = saved_packer_begin(&w->packer, 0);
	for (int i = 0; i < SIZE_CODES; i++)
		if (!sheet_put_number(s, h->sizes[i], 8, err))
			return false;
	return saved_packer_end(&w->packer, 0, SAVED_SIZE, 0, err);
}

/* For readers of types alone. */
static bool
write_generations(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;
	size_t cells = (size_t)h->types_count * GEN_COUNT;
	struct sheet *s = saved_packer_begin(&w->packer, 0);

	if (!h->generation_counts)
		return true;
	for (size_t i = 0; i < cells; i++)
		if (!sheet_put_number(s, h->generation_counts[i], 8, err) ||
		    !sheet_put_number(s, h->generation_bytes[i], 8, err))
			return false;
	return saved_packer_end(&w->packer, 0, SAVED_GENS, 0, err);
}

static bool
write_ranges(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;
	struct sheet *s = saved_packer_begin(&w->packer, 0);

	for (uint32_t i = 0; i < h->ranges_count; i++) {
		const struct range *r = &h->ranges[i];

		if (!sheet_put_number(s, r->start, 8, err) ||
		    !sheet_put_number(s, r->end, 8, err) ||
		    !sheet_put_number(s, (uint32_t)r->heap_number, 4, err) ||
		    !sheet_put_number(s, r->generation, 4, err))
			return false;
	}
	if (s->len && !saved_packer_end(&w->packer, 0, SAVED_RANGE, 0, err))
		return false;
	s = saved_packer_begin(&w->packer, 0);
	for (uint32_t i = 0; i < h->weak_count; i++)
		if (!sheet_put_number(s, h->weak[i].object, 4, err) ||
		    !sheet_put_number(s, h->weak[i].count, 4, err))
			return false;
	return !s->len || saved_packer_end(&w->packer, 0, SAVED_WEAK, 0, err);
}

static bool
write_roots(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;

	for (uint32_t i = 0; i < h->roots_count;) {
		struct sheet *s = saved_packer_begin(&w->packer, 0);
		uint32_t first = i;

		for (; i < h->roots_count && i - first < SAVED_ROOTS_EACH; i++) {
			const struct root *r = &h->roots[i];

			if (!sheet_put_number(s, r->object, 4, err) ||
			    !sheet_put_number(s, r->kind, 1, err) ||
			    !sheet_put_number(s, r->is_pinned, 3, err) ||
			    !sheet_put_number(s, text_place(w, r->name), 4, err) ||
			    !sheet_put_number(s, text_place(w, r->label), 4, err))
				return false;
		}
		if (!saved_packer_end(&w->packer, 0, SAVED_ROOT, first, err))
			return false;
	}
	return true;
}

/* ---- objects ------------------------------------------------------------- */

static bool
write_pages(struct writer *w, const struct addresses_parts *parts, struct error *err)
{
	struct sheet *s = saved_packer_begin(&w->packer, 0);

	if (!sheet_put_number(s, parts->granule_shift, 4, err) ||
	    !sheet_put_number(s, parts->page_shift, 4, err) ||
	    !sheet_put_number(s, parts->pages_count, 4, err) ||
	    !sheet_put_number(s, parts->made_up_count, 4, err))
		return false;
	for (uint32_t i = 0; i < parts->pages_count; i++)
		if (!sheet_put_number(s, parts->numbers[i], 8, err))
			return false;
	return saved_packer_end(&w->packer, 0, SAVED_PAGE, 0, err);
}

static size_t
blocks_of(uint32_t nodes_count)
{
	return ((size_t)nodes_count + (1 << BLOCK_SHIFT) - 1) >> BLOCK_SHIFT;
}

struct parts_job {
	struct writer *w;
	struct addresses_parts addresses;
};

/* Written as in memory, which is little endian on all supported machines. */
static bool
write_words(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct parts_job *job = context;
	uint64_t first = part * SAVED_WORDS_EACH;
	uint64_t count = job->addresses.words_count - first;
	struct sheet *s = saved_packer_begin(&job->w->packer, thread);

	if (count > SAVED_WORDS_EACH)
		count = SAVED_WORDS_EACH;
	if (job->w->how.is_raw)
		return saved_packer_as_is(&job->w->packer, SAVED_BITS, first,
					  job->addresses.words + first, count * 8, err);
	return sheet_put(s, job->addresses.words + first, count * 8, err) &&
	       saved_packer_end(&job->w->packer, thread, SAVED_BITS, first, err);
}

static bool
put_large_sizes(struct sheet *s, const struct heap *h, uint32_t chunk, uint32_t count,
		struct error *err)
{
	uint8_t out[PACKED_LARGE_BYTES];

	for (uint32_t i = 0; i < count; i++) {
		heap_pack_large(h, chunk, i, out);
		if (!sheet_put(s, out, sizeof(out), err))
			return false;
	}
	return true;
}

static bool
write_chunk(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct parts_job *job = context;
	struct writer *w = job->w;
	const struct heap *h = w->heap;
	struct sheet *s = saved_packer_begin(&w->packer, thread);
	size_t type_bytes = h->types16 ? 2 : 4;
	struct packed_chunk c;

	heap_pack_chunk(h, (uint32_t)part, &c);
	if (!progress_add(w->progress, c.nodes_count))
		return error_cancelled(err);
	return sheet_put_number(s, c.nodes_count, 4, err) &&
	       sheet_put_number(s, c.large_count, 4, err) &&
	       sheet_put_number(s, c.refs_len, 8, err) &&
	       sheet_put(s, c.types, c.nodes_count * type_bytes, err) &&
	       sheet_put(s, c.size_codes, c.nodes_count, err) &&
	       put_large_sizes(s, h, (uint32_t)part, c.large_count, err) &&
	       sheet_put(s, c.refs, c.refs_len, err) &&
	       saved_packer_end(&w->packer, thread, SAVED_NODE, part, err);
}

/* ---- raw columns ---- */

static bool
write_column(struct writer *w, uint32_t kind, const void *column, size_t len, struct error *err)
{
	return saved_packer_align(&w->packer, err) &&
	       saved_packer_as_is(&w->packer, kind, 0, column, len, err);
}

/* Writes, chunk by chunk, the references or the offsets of their blocks. */
static bool
write_chunks(struct writer *w, uint32_t kind, size_t len, struct error *err)
{
	const struct heap *h = w->heap;
	struct packed_chunk c;

	if (!write_column(w, kind, NULL, len, err))
		return false;
	for (uint32_t i = 0; i < heap_chunks_count(h); i++) {
		heap_pack_chunk(h, i, &c);
		if (kind == SAVED_CREF)
			output_write(w->packer.to, c.refs, c.refs_len);
		else
			output_write(w->packer.to, h->chunks[i].offsets,
				     blocks_of(c.nodes_count) * sizeof(uint32_t));
		if (!progress_add(w->progress, c.nodes_count / 2))
			return error_cancelled(err);
	}
	return true;
}

static bool
write_begins(struct writer *w, uint64_t *refs_len, struct error *err)
{
	const struct heap *h = w->heap;
	struct sheet *s = saved_packer_begin(&w->packer, 0);
	struct packed_chunk c;

	*refs_len = 0;
	for (uint32_t i = 0; i < heap_chunks_count(h); i++) {
		if (!sheet_put_number(s, *refs_len, 8, err))
			return false;
		heap_pack_chunk(h, i, &c);
		*refs_len += c.refs_len;
	}
	return sheet_put_number(s, *refs_len, 8, err) &&
	       saved_packer_end(&w->packer, 0, SAVED_CBEG, 0, err);
}

static bool
write_columns(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;
	size_t count = h->nodes_count;
	uint64_t refs_len;

	return write_begins(w, &refs_len, err) &&
	       (h->types16 ? write_column(w, SAVED_CTYP, h->types16, count * 2, err)
			   : write_column(w, SAVED_CTYP, h->types32, count * 4, err)) &&
	       write_column(w, SAVED_CSIZ, h->size_codes, count, err) &&
	       write_column(w, SAVED_CLRG, h->large_sizes,
			    h->large_sizes_count * sizeof(*h->large_sizes), err) &&
	       write_chunks(w, SAVED_COFF, blocks_of(h->nodes_count) * sizeof(uint32_t), err) &&
	       write_chunks(w, SAVED_CREF, (size_t)refs_len, err);
}

static bool
write_objects(struct writer *w, unsigned threads, struct error *err)
{
	struct parts_job job = { .w = w };
	uint64_t words;

	if (!w->heap->has_objects)
		return true;
	addresses_parts(w->heap->addresses, &job.addresses);
	words = job.addresses.words_count;
	if (!write_pages(w, &job.addresses, err) ||
	    !worker_run_all(threads, (words + SAVED_WORDS_EACH - 1) / SAVED_WORDS_EACH, write_words,
			    &job, err))
		return false;
	if (w->how.is_raw)
		return write_columns(w, err);
	return worker_run_all(threads, heap_chunks_count(w->heap), write_chunk, &job, err);
}

/* ---- derived data -------------------------------------------------------- */

static bool
write_way(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct writer *w = context;
	const struct reach *reach = w->how.reach;
	node_id first = (node_id)(part << CHUNK_SHIFT);
	uint32_t left = w->heap->nodes_count - first;
	struct sheet *s = saved_packer_begin(&w->packer, thread);
	uint8_t *at;

	left = left < CHUNK_NODES ? left : CHUNK_NODES;
	if (!sheet_reserve(s, (size_t)left * 2 * VARINT_MAX_BYTES, err))
		return false;
	at = s->data;
	for (node_id n = first; n < first + left; n++) {
		uint32_t distance = reach->distance[n], next = reach->next[n];

		if (distance == DISTANCE_UNREACHABLE) {
			*at++ = 0;
			continue;
		}
		at = varint_put(at, (uint64_t)distance + 1);
		at = varint_put(at, distance ? varint_zigzag((int64_t)next - (int64_t)n) : next);
	}
	s->len = (size_t)(at - s->data);
	return saved_packer_end_with(&w->packer, thread, 0, SAVED_DWAY, part, err);
}

static bool
write_dominators(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct writer *w = context;
	const struct dominators *d = w->how.dominators;
	uint32_t first = (uint32_t)(part << CHUNK_SHIFT);
	uint32_t left = w->heap->nodes_count - first;
	struct sheet *s = saved_packer_begin(&w->packer, thread);
	int64_t before = 0;
	uint8_t *at;

	left = left < CHUNK_NODES ? left : CHUNK_NODES;
	if (!sheet_reserve(s, (size_t)left * 2 * VARINT_MAX_BYTES, err))
		return false;
	at = s->data;
	for (uint32_t p = first; p < first + left; p++) {
		uint32_t parent = d->parents[p];

		at = varint_put(at, varint_zigzag(d->objects[p] - before));
		at = varint_put(at, parent ? p + 1 - parent : 0);
		before = d->objects[p];
	}
	s->len = (size_t)(at - s->data);
	return saved_packer_end_with(&w->packer, thread, 0, SAVED_DDOM, part, err);
}

static bool
write_derived(struct writer *w, unsigned threads, struct error *err)
{
	const struct reach *reach = w->how.reach;
	const struct dominators *d = w->how.dominators;
	uint32_t parts = heap_chunks_count(w->heap);
	const struct retained_sum *types = d ? w->how.types : NULL;
	uint32_t flags =
	    (w->how.prefers_statics ? SAVED_PREFERS_STATICS : 0) | (types ? SAVED_HAS_TYPES : 0);
	struct sheet *s;

	if (!reach || !w->heap->has_objects)
		return true;
	if (!worker_run_all(threads, parts, write_way, w, err) ||
	    (d && !worker_run_all(threads, parts, write_dominators, w, err)))
		return false;
	s = saved_packer_begin(&w->packer, 0);
	if (!sheet_put_number(s, w->packer.fingerprint, 8, err) ||
	    !sheet_put_number(s, flags, 4, err) ||
	    !sheet_put_number(s, d ? d->reachable_count : 0, 4, err) ||
	    !sheet_put_number(s, reach->static_refs_count, 8, err) ||
	    !sheet_put_number(s, reach->static_tables_count, 4, err) ||
	    !sheet_put_number(s, REACH_COSTS_VERSION, 4, err))
		return false;
	for (uint32_t i = 0; i < reach->static_tables_count; i++)
		if (!sheet_put_number(s, reach->static_tables[i], 4, err))
			return false;
	for (uint32_t i = 0; types && i < w->heap->types_count; i++)
		if (!sheet_put_number(s, types[i].bytes, 8, err))
			return false;
	return saved_packer_end_with(&w->packer, 0, 0, SAVED_DERI, 0, err);
}

/* ---- the file ------------------------------------------------------------ */

static bool
write_all(struct writer *w, unsigned threads, struct error *err)
{
	progress_begin(w->progress, "writing", "objects", w->heap->nodes_count);
	return write_info(w, err) && write_texts(w, err) && write_types(w, err) &&
	       write_generations(w, err) && write_ranges(w, err) && write_roots(w, err) &&
	       write_objects(w, threads, err) && write_derived(w, threads, err) &&
	       saved_packer_finish(&w->packer, err);
}

bool
saved_write(struct output *to, const struct heap *h, const struct saved_how *how,
	    struct progress *progress, struct error *err)
{
	struct writer w = { .heap = h, .progress = progress };
	unsigned threads = worker_threads();
	bool ok;

	if (how)
		w.how = *how;
	ok = saved_packer_init(&w.packer, to, threads, err) && write_all(&w, threads, err);
	/* output_close() reports errors of the disk. */
	if (!output_ok(to)) {
		error_clear(err);
		ok = true;
	}
	saved_packer_clear(&w.packer);
	sheet_clear(&w.texts);
	u64_map_clear(&w.text_places);
	return ok;
}
