#include "io/clr_verify.h"
#include "io/clr_finalizers.h"
#include "io/clr_handles.h"
#include "io/clr_walk.h"
#include "model/addresses.h"
#include <inttypes.h>
#include <stdio.h>

enum {
	OBJECTS_AT_ONCE = 256,
	WORD = 8,
	STATE_SWEEPING = 1, /* clr_heaps.state */
	HANDLE_MAP = 232,   /* in GcDacVars */

	HEADER_IS_INDEX = 1 << 27,
	HEADER_IS_HASH = 1 << 26,
	HEADER_INDEX = (1 << 26) - 1,
	THREAD_BITS = 0xffff,
	THREAD_BITS_8 = 0x3ff,

	SYNC_ENTRY_BYTES = 16, /* u64 block, u64 object */
	SYNC_TRIES = 32,
};

/* An object with a sync block. */
struct synced {
	uint64_t object, index;
};

struct verify {
	struct clr_runtime runtime; /* a copy, with a reader of this thread */
	const struct clr_types *types;
	const struct heap *heap;
	struct clr_heaps *heaps;
	struct clr_tables *tables;
	struct clr_walk *walk;
	struct memory_reader *reader;
	struct clr_types_near near;
	struct addresses_page page;
	struct synced *syncs;
	size_t syncs_count, syncs_room;
	struct faults *faults;
	struct error *err;
};

/* --- what is wrong ------------------------------------------------------- */

/* The objects around an address; those of a range have ids in a row. */
static void
find_neighbours(const struct heap *h, struct fault *f)
{
	for (uint32_t i = 0; i < h->ranges_count; i++) {
		const struct range *r = &h->ranges[i];
		node_id low = r->first, high = r->first + r->count;

		if (f->address < r->start || f->address >= r->end)
			continue;
		while (low < high) {
			node_id middle = low + (high - low) / 2;

			if (heap_address(h, middle) < f->address)
				low = middle + 1;
			else
				high = middle;
		}
		high = r->first + r->count;
		if (low > r->first)
			f->before = heap_address(h, low - 1);
		if (low < high && heap_address(h, low) == f->address)
			low++;
		if (low < high)
			f->after = heap_address(h, low);
		return;
	}
}

static bool
is_of_refs(enum fault_kind kind)
{
	return kind == FAULT_REF || kind == FAULT_REF_TO_FREE ||
	       kind == FAULT_REF_NOT_ALIGNED;
}

static bool
note(struct verify *v, enum fault_kind kind, uint64_t address, uint64_t offset,
     uint64_t value, const char *text)
{
	struct fault f = { .address = address,
			   .offset = offset,
			   .value = value,
			   .text = text,
			   .kind = (uint8_t)kind };

	f.is_excused = is_of_refs(kind) && v->heaps->state == STATE_SWEEPING;
	if (v->faults->count < FAULTS_MAX)
		find_neighbours(v->heap, &f);
	return faults_add(v->faults, &f, v->err);
}

static bool
is_free_space(const struct verify *v, uint64_t address)
{
	const struct heap_memory *m = v->heap->memory;
	uint32_t low = 0, high = m->free_blocks_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (m->free_blocks[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address - m->free_blocks[low - 1].address <
			  m->free_blocks[low - 1].bytes;
}

static inline bool
is_start(struct verify *v, uint64_t address)
{
	return addresses_find_near(v->heap->addresses, address, &v->page) !=
	       NODE_NONE;
}

/* --- headers ------------------------------------------------------------- */

static bool
is_thread(const struct verify *v, uint32_t id)
{
	for (size_t i = 0; i < v->runtime.threads_count; i++)
		if (v->runtime.threads[i].id == id)
			return true;
	return false;
}

static bool
check_thin_lock(struct verify *v, uint64_t object, uint32_t word)
{
	uint32_t id = word & THREAD_BITS;

	/* In .NET 8 the number has ten bits, or sixteen. */
	if (!id || !v->runtime.are_threads_known || is_thread(v, id) ||
	    (v->runtime.layout.version == 8 &&
	     (!(id & THREAD_BITS_8) || is_thread(v, id & THREAD_BITS_8))))
		return true;
	return note(v, FAULT_THIN_LOCK, object, 0, id, NULL);
}

/* In segments the first object's is on a page that nobody writes. */
static bool
may_lack_header(const struct verify *v, uint64_t object)
{
	const struct clr_range *range = clr_heaps_range_at(v->heaps, object);

	return range && range->start == object;
}

static bool
check_header(struct verify *v, uint64_t object)
{
	uint32_t word, index;

	if (!memory_u32(v->reader, object - 4, &word))
		return may_lack_header(v, object) ||
		       note(v, FAULT_NO_OBJECT, object, 0, 0,
			    "its header is not in memory");
	if (!(word & HEADER_IS_INDEX))
		return check_thin_lock(v, object, word);
	if (word & HEADER_IS_HASH)
		return true;
	index = word & HEADER_INDEX;
	if (!index)
		return note(v, FAULT_SYNC_ZERO, object, 0, word, NULL);
	if (!memory_make_room(&v->syncs, v->syncs_count, &v->syncs_room,
			      sizeof(*v->syncs), v->err))
		return false;
	v->syncs[v->syncs_count++] = (struct synced){ object, index };
	return true;
}

static bool
sync_object(const struct verify *v, uint64_t table, const struct synced *s,
	    uint64_t *object)
{
	return memory_u64(v->reader, table + SYNC_ENTRY_BYTES * s->index + WORD,
			  object);
}

/*
 * No version says where the table is, but its entries lead back to their
 * objects: of the runtime's variables it is the one that most agree with.
 */
static uint64_t
find_sync_table(const struct verify *v)
{
	uint64_t best = 0;
	unsigned best_count = 0;

	for (uint32_t slot = 0; slot < v->runtime.dac_slots_count; slot++) {
		uint64_t table, object;
		unsigned count = 0;

		if (!clr_variable(&v->runtime, slot, &table))
			continue;
		for (size_t i = 0; i < v->syncs_count && i < SYNC_TRIES; i++)
			count += sync_object(v, table, &v->syncs[i], &object) &&
				 object == v->syncs[i].object;
		if (count > best_count) {
			best_count = count;
			best = table;
		}
	}
	return best;
}

static bool
check_syncs(struct verify *v)
{
	uint64_t table = v->syncs_count ? find_sync_table(v) : 0;

	if (!table) {
		v->faults->unchecked_syncs = v->syncs_count;
		return true;
	}
	for (size_t i = 0; i < v->syncs_count; i++) {
		const struct synced *s = &v->syncs[i];
		uint64_t object;

		if (sync_object(v, table, s, &object) && object == s->object)
			continue;
		if (!note(v, FAULT_SYNC_MISMATCH, s->object, 0, object, NULL))
			return false;
	}
	return true;
}

/* --- references ---------------------------------------------------------- */

static inline bool
check_ref(struct verify *v, uint64_t object, uint64_t offset, uint64_t target)
{
	if (!target)
		return true;
	v->faults->refs_count++;
	if (is_start(v, target))
		return true;
	return note(v,
		    target % WORD              ? FAULT_REF_NOT_ALIGNED
		    : is_free_space(v, target) ? FAULT_REF_TO_FREE
					       : FAULT_REF,
		    object, offset, target, NULL);
}

/* `count` of them; false with *is_there: `err` is set. */
static bool
check_run(struct verify *v, const struct clr_object *o, uint64_t offset,
	  uint64_t count, bool *is_there)
{
	for (; count; count--, offset += WORD) {
		uint64_t target;

		*is_there = true;
		if (offset + WORD <= o->bytes_len)
			target = bytes_load_u64(o->bytes + offset);
		else
			*is_there =
			    memory_u64(v->reader, o->address + offset, &target);
		if (!*is_there || !check_ref(v, o->address, offset, target))
			return false;
	}
	return true;
}

static bool
check_refs(struct verify *v, const struct clr_object *o)
{
	const struct clr_type *type =
	    clr_types_find_near(v->types, o->table, &v->near);
	struct clr_refs_walk walk;
	uint64_t offset, count;

	if (!type || type->refs.kind == CLR_REFS_NONE)
		return note(v, FAULT_NO_GC_DESC, o->address, 0, o->table, NULL);
	clr_refs_begin(&walk, &type->refs, o->size);
	while (clr_refs_next(&walk, &offset, &count)) {
		bool is_there;

		if (!check_run(v, o, offset, count, &is_there))
			return !is_there &&
			       note(v, FAULT_NO_OBJECT, o->address, 0, 0, NULL);
	}
	return true;
}

static bool
check_object(struct verify *v, const struct clr_object *o)
{
	v->faults->objects_count++;
	return check_header(v, o->address) &&
	       (!(o->flags & CLR_MT_HAS_POINTERS) || check_refs(v, o));
}

/* --- ranges -------------------------------------------------------------- */

static bool
note_hole(struct verify *v, const struct clr_hole *h)
{
	uint64_t word = 0, ignored;
	enum fault_kind kind = FAULT_METHOD_TABLE;
	char text[96];

	(void)!memory_u64(v->reader, h->start, &word);
	switch (h->reason) {
	case CLR_HOLE_UNFINISHED:
		return true; /* a thread was about to make an object */
	case CLR_HOLE_ABSENT:
		kind = FAULT_NO_OBJECT;
		break;
	case CLR_HOLE_TOO_LARGE:
		kind = FAULT_TOO_LARGE;
		break;
	case CLR_HOLE_BAD_TABLE:
		if (!memory_u64(v->reader, word & ~CLR_OBJECT_MARKS, &ignored))
			kind = FAULT_NO_METHOD_TABLE;
		break;
	case CLR_HOLE_NO_TABLE:
		break;
	}
	snprintf(text, sizeof text,
		 "%" PRIu64 " bytes cannot be told apart, up to %" PRIx64,
		 h->end - h->start, h->end);
	return note(v, kind, h->start, 0, word, text);
}

static bool
note_holes(struct verify *v)
{
	size_t count;
	const struct clr_hole *holes = clr_walk_holes(v->walk, &count);
	uint64_t all = clr_walk_sums(v->walk)->holes_count;

	for (size_t i = 0; i < count; i++)
		if (!note_hole(v, &holes[i]))
			return false;
	v->faults->total += all - count; /* the walk has dropped those */
	return true;
}

static bool
check_range(struct verify *v, const struct clr_range *range,
	    struct progress *progress)
{
	struct clr_object objects[OBJECTS_AT_ONCE];
	uint64_t done = range->start;
	size_t count;

	clr_walk_start(v->walk, range);
	while (clr_walk_next(v->walk, objects, OBJECTS_AT_ONCE, &count)) {
		for (size_t i = 0; i < count; i++)
			if (!objects[i].is_free &&
			    !check_object(v, &objects[i]))
				return false;
		if (!count) {
			if (progress_is_cancelled(progress))
				return error_cancelled(v->err);
			continue;
		}
		if (!progress_add(progress, objects[count - 1].address - done))
			return error_cancelled(v->err);
		done = objects[count - 1].address;
	}
	return note_holes(v);
}

static bool
check_ranges(struct verify *v, struct progress *progress)
{
	uint64_t total = 0;

	for (size_t i = 0; i < v->heaps->ranges_count; i++)
		total += v->heaps->ranges[i].end - v->heaps->ranges[i].start;
	progress_begin(progress, "verifying the heap", total);
	for (size_t i = 0; i < v->heaps->ranges_count; i++)
		if (!check_range(v, &v->heaps->ranges[i], progress))
			return false;
	return true;
}

static bool
check_one(struct verify *v, node_id only)
{
	uint64_t address = heap_address(v->heap, only);
	const struct clr_range *around = clr_heaps_range_at(v->heaps, address);
	struct clr_range range;
	struct clr_object o;
	size_t count;

	if (!around)
		return note(v, FAULT_NOT_ON_HEAP, address, 0, 0, NULL);
	range = *around;
	range.start = address;
	clr_walk_start(v->walk, &range);
	if (clr_walk_next(v->walk, &o, 1, &count) && count)
		return check_object(v, &o);
	return note_holes(v);
}

/* --- what is beside the objects ------------------------------------------ */

static bool
check_structures(struct verify *v)
{
	for (size_t i = 0; i < v->heaps->doubts_count; i++)
		if (!note(v, FAULT_STRUCTURE, 0, 0, 0, v->heaps->doubts[i]))
			return false;
	return true;
}

/* A room that is used up may begin where its segment ends. */
static bool
check_contexts(struct verify *v)
{
	for (size_t i = 0; i < v->heaps->contexts_count; i++) {
		const struct clr_context *c = &v->heaps->contexts[i];
		const struct clr_range *r =
		    clr_heaps_range_at(v->heaps, c->pointer - 1);

		if (r && r->generation <= GEN_2 && c->limit <= r->end)
			continue;
		if (!note(v, FAULT_CONTEXT, c->pointer, 0, c->limit, NULL))
			return false;
	}
	return true;
}

/* What a slot outside of the heap leads to must be an object. */
static bool
check_slot(struct verify *v, enum fault_kind kind, uint64_t slot,
	   uint64_t object)
{
	char text[96];

	if (!object || is_start(v, object))
		return true;
	if (kind == FAULT_HANDLE)
		snprintf(text, sizeof text, "the handle %" PRIx64 " leads here",
			 slot);
	else
		snprintf(text, sizeof text,
			 "a finalizer queue says that it has a finalizer");
	if (object % WORD)
		kind = FAULT_NOT_ALIGNED;
	else if (!clr_heaps_range_at(v->heaps, object))
		kind = FAULT_NOT_ON_HEAP;
	return note(v, kind, object, 0, slot, text);
}

static bool
check_handles(struct verify *v, struct progress *progress)
{
	struct clr_handles all = { 0 };
	uint64_t map;
	bool is_good;

	if (!memory_u64(v->reader, v->runtime.gc_vars + HANDLE_MAP, &map))
		return true; /* what is missing, was said with the heap */
	is_good = clr_handles_read(&all, v->reader, map, v->heaps->is_server,
				   progress, v->err);
	for (size_t i = 0; is_good && i < all.count; i++) {
		const struct clr_handle *h = &all.items[i];

		if (h->kind == HANDLE_WEAK_INTERIOR)
			continue;
		v->faults->handles_count++;
		is_good = check_slot(v, FAULT_HANDLE, h->address, h->object) &&
			  check_slot(v, FAULT_HANDLE, h->address, h->second);
	}
	clr_handles_clear(&all);
	return is_good;
}

static bool
check_finalizers(struct verify *v)
{
	struct clr_finalizers all = { 0 };
	bool is_good = true;

	for (uint32_t i = 0; is_good && i < v->heaps->heaps_count; i++)
		if (v->heaps->heaps[i].finalize_queue)
			is_good = clr_finalizers_add(
			    &all, v->runtime.memory,
			    v->heaps->heaps[i].finalize_queue, v->err);
	for (size_t i = 0; is_good && i < all.count; i++)
		is_good =
		    check_slot(v, FAULT_FINALIZABLE, 0, all.items[i].object);
	v->faults->finalizables_count = all.count;
	clr_finalizers_clear(&all);
	return is_good;
}

/* --- all of it ----------------------------------------------------------- */

static bool
open_all(struct verify *v, const struct clr_runtime *rt)
{
	v->reader = memory_reader_new(rt->memory, v->err);
	if (!v->reader)
		return false;
	v->runtime = *rt;
	v->runtime.reader = v->reader;
	v->heaps = clr_heaps_open(&v->runtime, v->err);
	if (!v->heaps)
		return false;
	v->tables = clr_tables_new(&v->runtime, v->err);
	v->walk = v->tables ? clr_walk_new(v->heaps, v->tables, v->err) : NULL;
	return v->walk != NULL;
}

static bool
check_all(struct verify *v, struct progress *progress)
{
	return check_structures(v) && check_contexts(v) &&
	       check_ranges(v, progress) && check_syncs(v) &&
	       check_handles(v, progress) && check_finalizers(v);
}

bool
clr_verify(const struct clr_runtime *rt, const struct clr_types *types,
	   const struct heap *h, node_id only, struct faults *out,
	   struct progress *progress, struct error *err)
{
	struct verify *v = memory_new(1, sizeof(*v), err);
	bool is_good;

	if (!v)
		return false;
	v->types = types;
	v->heap = h;
	v->faults = out;
	v->err = err;
	is_good = open_all(v, rt) &&
		  (only == NODE_NONE ? check_all(v, progress)
				     : check_one(v, only) && check_syncs(v));
	memory_free(v->syncs);
	clr_walk_free(v->walk);
	clr_tables_free(v->tables);
	clr_heaps_close(v->heaps);
	memory_reader_free(v->reader);
	memory_free(v);
	return is_good;
}
