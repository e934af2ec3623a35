#include "io/heaptop/derived.h"
#include "io/heaptop/format.h"
#include "model/base/hash.h"
#include "model/base/varint.h"
#include <inttypes.h>

enum { PART_NODES = CHUNK_NODES };

/* ---- identity of the heap ---- */

static bool
is_part_of_heap(uint32_t kind)
{
	static const uint32_t others[] = { SAVED_DERI, SAVED_DWAY, SAVED_DDOM,
					   SAVED_PAD,  SAVED_DIRE, SAVED_END };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i] == kind)
			return false;
	return true;
}

/*
 * A sum of hashes, as threads write sections in any order. Compressed content is represented by the
 * checksum at the end of its zstd frame.
 */
uint64_t
saved_fingerprint(uint64_t so_far, const struct saved_section *s)
{
	const uint64_t head[] = { s->kind, s->index, s->raw_len };
	uint64_t hash = hash_bytes(HASH_START, head, sizeof(head));

	if (!is_part_of_heap(s->kind))
		return so_far;
	if (!(s->flags & SAVED_IS_STORED) && s->stored_len >= 4)
		hash = hash_bytes(hash, s->data + s->stored_len - 4, 4);
	return so_far + hash;
}

/* ---- one part of 65,536 ---- */

static bool
fail_item(struct bytes *b, uint64_t i, const char *what)
{
	return bytes_fail(b, b->at, "number %" PRIu64 ": %s", i, what);
}

static bool
read_way(struct bytes *b, struct reach_restoring *r, uint32_t nodes_count, node_id n)
{
	uint64_t distance = bytes_varint(b, "a distance"), next;

	r->distance[n] = DISTANCE_UNREACHABLE;
	if (!distance)
		return true;
	next = bytes_varint(b, "the next step to a root");
	if (distance > 1)
		next = (uint64_t)((int64_t)n + varint_unzigzag(next));
	if (distance > nodes_count || next > UINT32_MAX)
		return fail_item(b, n, "its next step is invalid");
	r->distance[n] = (uint32_t)(distance - 1);
	r->next[n] = (uint32_t)next;
	return true;
}

/* Reads the object at a position of the tree, and its dominator. */
static bool
read_position(struct bytes *b, struct dominators_restoring *r, uint32_t nodes_count, uint32_t p,
	      int64_t *object)
{
	uint64_t above;

	*object += varint_unzigzag(bytes_varint(b, "an object"));
	above = bytes_varint(b, "its dominator");
	if (*object < 0 || *object >= nodes_count || above > p)
		return fail_item(b, p, "no such object or dominator");
	r->objects[p] = (node_id)*object;
	r->parents[p] = above ? p + 1 - (uint32_t)above : 0;
	return true;
}

/* Either `reach` or `dominators` is set. */
struct restoring {
	struct saved_sections in;
	uint32_t nodes_count, kind;
	struct reach_restoring *reach;
	struct dominators_restoring *dominators;
	uint8_t *seen; /* by part */
	struct progress *progress;
};

static bool
read_part(struct restoring *r, struct bytes *b, uint32_t part)
{
	uint32_t first = part * PART_NODES, left = r->nodes_count - first;
	int64_t object = 0;
	bool ok = true;

	if (left > PART_NODES)
		left = PART_NODES;
	for (uint32_t i = first; ok && bytes_ok(b) && i < first + left; i++)
		ok = r->reach ? read_way(b, r->reach, r->nodes_count, i)
			      : read_position(b, r->dominators, r->nodes_count, i, &object);
	return ok && bytes_ok(b);
}

static bool
run_part(void *context, uint64_t item, unsigned thread, struct error *err)
{
	struct restoring *r = context;
	const struct saved_section *s = &r->in.items[item];
	struct error why = { 0 };
	struct bytes b;

	if (s->kind != r->kind)
		return true;
	if (!progress_add(r->progress, PART_NODES))
		return error_cancelled(err);
	if (!saved_unpack(&r->in, thread, s, &b, err))
		return false;
	b.err = &why;
	return read_part(r, &b, (uint32_t)s->index) || saved_fail(s, &why, err);
}

/* Each part must occur once, so that threads do not collide. */
static bool
check_parts(struct restoring *r, struct error *err)
{
	uint64_t parts = ((uint64_t)r->nodes_count + PART_NODES - 1) / PART_NODES, found = 0;

	for (size_t i = 0; i < r->in.count; i++) {
		const struct saved_section *s = &r->in.items[i];

		if (s->kind != r->kind)
			continue;
		if (s->index >= parts || r->seen[s->index]++)
			return error_at(err, s->at, "an unexpected or repeated part");
		found++;
	}
	return found == parts ||
	       error_set(err, ERROR_INPUT, "%" PRIu64 " of %" PRIu64 " parts were found", found,
			 parts);
}

static bool
restore(const struct saved_kept *kept, struct restoring *r, struct error *err)
{
	bool ok;

	r->in = (struct saved_sections){ .data = kept->sections.data,
					 .len = kept->sections.len,
					 .items = kept->sections.items,
					 .count = kept->sections.count };
	r->nodes_count = kept->nodes_count;
	r->seen = memory_new((size_t)r->nodes_count / PART_NODES + 1, 1, err);
	progress_begin(r->progress, "reading saved results", "objects", r->nodes_count);
	ok = r->seen && check_parts(r, err) &&
	     worker_run_all(worker_threads(), r->in.count, run_part, r, err) &&
	     input_is_intact(&kept->input, err);
	memory_free(r->seen);
	r->in.items = NULL; /* owned by the heap */
	saved_sections_clear(&r->in);
	return ok;
}

static bool
read_ways(void *kept, struct reach_restoring *reach, struct progress *progress, struct error *err)
{
	struct restoring r = { .kind = SAVED_DWAY, .reach = reach, .progress = progress };

	return restore(kept, &r, err);
}

static bool
read_dominators(void *kept, struct dominators_restoring *dominators, struct progress *progress,
		struct error *err)
{
	struct restoring r = { .kind = SAVED_DDOM, .dominators = dominators, .progress = progress };

	return restore(kept, &r, err);
}

/* ---- the head ---- */

static bool
read_tables(struct saved_kept *kept, struct bytes *b, uint32_t count)
{
	kept->static_tables = memory_new(count, sizeof(node_id), b->err);
	for (uint32_t i = 0; kept->static_tables && i < count; i++)
		kept->static_tables[i] = bytes_u32(b, "a table");
	return kept->static_tables && bytes_ok(b);
}

/* A type retains at least its own objects, and at most the heap. */
static bool
read_types(struct saved_kept *kept, struct bytes *b, const struct heap_builder *heap)
{
	const struct type *types = heap_builder_types(heap);
	uint32_t count = heap_builder_types_count(heap);
	uint64_t all = 0;

	for (uint32_t i = 0; i < count; i++)
		all += types[i].bytes;
	kept->retained_by_type = memory_new(count, sizeof(*kept->retained_by_type), b->err);
	for (uint32_t i = 0; kept->retained_by_type && i < count; i++) {
		uint64_t bytes = bytes_u64(b, "what a type retains");

		if (bytes < types[i].bytes || bytes > all)
			return fail_item(b, i, "no type retains that much");
		kept->retained_by_type[i] = bytes;
	}
	return kept->retained_by_type && bytes_ok(b);
}

/* False if nothing can be used. */
static bool
read_head(struct saved_kept *kept, const struct heap_builder *heap, struct error *err)
{
	struct saved_sections *in = &kept->sections;
	struct heap_derived *d = &kept->derived;
	uint64_t fingerprint = 0;
	struct bytes b;
	uint32_t flags, version;

	if (!saved_unpack_first(in, SAVED_DERI, &b, err))
		return false;
	for (size_t i = 0; i < in->count; i++)
		fingerprint = saved_fingerprint(fingerprint, &in->items[i]);
	if (bytes_u64(&b, "the fingerprint") != fingerprint)
		return error_set(err, ERROR_INPUT, "the saved results belong to another heap");
	flags = bytes_u32(&b, "flags");
	d->prefers_statics = flags & SAVED_PREFERS_STATICS;
	d->reachable_count = bytes_u32(&b, "reachable objects");
	d->static_refs_count = bytes_u64(&b, "references of tables");
	d->static_tables_count = bytes_u32(&b, "the number of tables");
	version = bytes_u32(&b, "the version of costs");
	if (!bytes_ok(&b) || d->static_tables_count > bytes_left(&b) / 4 ||
	    !read_tables(kept, &b, d->static_tables_count))
		return false;
	d->static_tables = kept->static_tables;
	if (flags & SAVED_HAS_TYPES && !read_types(kept, &b, heap))
		return false;
	d->retained_by_type = kept->retained_by_type;
	d->kept = kept;
	if (saved_section_of(in, SAVED_DWAY) && version == REACH_COSTS_VERSION)
		d->read_ways = read_ways;
	if (saved_section_of(in, SAVED_DDOM))
		d->read_dominators = read_dominators;
	return true;
}

struct saved_kept *
saved_kept_new(struct input *input, struct saved_sections *sections, uint32_t nodes_count,
	       const struct heap_builder *heap, struct error *err)
{
	struct saved_kept *kept = memory_new(1, sizeof(*kept), err);
	struct error ignored = { 0 };

	if (!kept)
		return NULL;
	kept->input = *input;
	*input = (struct input){ 0 };
	kept->nodes_count = nodes_count;
	kept->sections = *sections;
	sections->items = NULL;
	sections->count = sections->room = 0;
	for (unsigned i = 0; i < WORKER_MAX; i++)
		kept->sections.unpackers[i] = NULL;
	for (unsigned i = 0; i < WORKER_MAX; i++)
		kept->sections.raw[i] = NULL;
	/* Damaged results are computed again, at no loss but time. */
	if (!read_head(kept, heap, &ignored))
		kept->derived = (struct heap_derived){ 0 };
	return kept;
}

void
saved_kept_free(void *argument)
{
	struct saved_kept *kept = argument;

	saved_sections_clear(&kept->sections);
	memory_free(kept->static_tables);
	memory_free(kept->retained_by_type);
	input_close(&kept->input);
	memory_free(kept);
}
