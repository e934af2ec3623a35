#include "io/clr/verify.h"
#include "io/runtime/threads.h"
#include "io/clr/verify_state.h"
#include <inttypes.h>
#include <stdio.h>

enum {
	OBJECTS_AT_ONCE = 256,
	WORD = 8,
	HEADER_HAS_INDEX = 3 << 26,
	HEADER_INDEX = 2 << 26, /* of these two bits */
	THREAD_BITS = 0xffff,
};

/* --- faults -------------------------------------------------------------- */

static bool
note(struct clr_verify *v, enum fault_kind kind, uint64_t address, uint64_t offset, uint64_t value,
     const char *text)
{
	return clr_verify_note(v, (struct fault){ .address = address,
						  .offset = offset,
						  .value = value,
						  .text = text,
						  .kind = (uint8_t)kind });
}

/* --- headers ------------------------------------------------------------- */

static bool
is_thread(const struct clr_verify *v, uint32_t id)
{
	return clr_thread_find(&v->runtime, CLR_THREAD_BY_ID, id) != NULL;
}

static bool
check_thin_lock(struct clr_verify *v, uint64_t object, uint32_t word)
{
	uint32_t id = word & THREAD_BITS;
	uint32_t short_bits = v->runtime.layout.facts->thin_lock_bits;

	/* Native AOT does not describe the ids of threads. */
	if (!id || !v->runtime.are_threads_known || v->runtime.native || is_thread(v, id) ||
	    (short_bits && (!(id & short_bits) || is_thread(v, id & short_bits))))
		return true;
	return note(v, FAULT_THIN_LOCK, object, 0, id, NULL);
}

/* With segments, the header of the first object may be on an unused page. */
static bool
may_lack_header(const struct clr_verify *v, uint64_t object)
{
	const struct clr_range *range = clr_heaps_range_at(v->heaps, object);

	return range && range->start == object;
}

static bool
check_header(struct clr_verify *v, uint64_t object)
{
	uint32_t word, index;

	if (!memory_u32(v->reader, object - 4, &word))
		return may_lack_header(v, object) ||
		       note(v, FAULT_NO_OBJECT, object, 0, 0, "its header is not in memory");
	if (!(word & HEADER_HAS_INDEX))
		return check_thin_lock(v, object, word);
	if ((word & HEADER_HAS_INDEX) != HEADER_INDEX)
		return true;
	index = clr_sync_of_header(word);
	if (!index)
		return note(v, FAULT_SYNC_ZERO, object, 0, word, NULL);
	return APPEND(v->syncs, v->syncs_count, v->syncs_room, v->err,
		      (struct clr_synced){ object, index });
}

/* --- references ---------------------------------------------------------- */

/* The generation whose collections include it: LOH and POH belong to gen2. */
static unsigned
age_of(enum generation generation)
{
	return generation < GEN_2 ? generation : GEN_2;
}

static bool
is_older(struct clr_verify *v, const struct clr_object *o, uint64_t target)
{
	const struct clr_range *r = v->target_range;

	if (!r || target < r->start || target >= r->end)
		r = v->target_range = clr_heaps_range_at(v->heaps, target);
	return r &&
	       age_of((enum generation)o->generation) > age_of(clr_range_generation(r, target));
}

/* Checks the card of a reference to a younger object. */
static bool
check_card(struct clr_verify *v, const struct clr_object *o, uint64_t offset, uint64_t target)
{
	enum clr_card card = clr_cards_at(&v->cards, v->reader, o->address + offset);
	struct fault f = {
		.address = o->address, .offset = offset, .value = target, .kind = FAULT_CARD
	};

	v->faults->cards_count++;
	if (card == CLR_CARD_SET)
		return true;
	if (card == CLR_CARD_ABSENT)
		f.kind = FAULT_NO_CARD;
	f.is_excused = clr_verify_is_in_register(v, o->address, o->address + o->size);
	return clr_verify_note(v, f);
}

static inline bool
check_ref(struct clr_verify *v, const struct clr_object *o, uint64_t offset, uint64_t target)
{
	if (!target)
		return true;
	v->faults->refs_count++;
	if (clr_verify_is_start(v, target))
		return !v->has_cards || o->generation == GEN_0 || o->generation == GEN_FROZEN ||
		       !is_older(v, o, target) || check_card(v, o, offset, target);
	return note(v,
		    target % WORD                   ? FAULT_REF_NOT_ALIGNED
		    : clr_verify_free_at(v, target) ? FAULT_REF_TO_FREE
						    : FAULT_REF,
		    o->address, offset, target, NULL);
}

/* Checks `count` references. False: absent if !*is_there, else `err` is set. */
static bool
check_run(struct clr_verify *v, const struct clr_object *o, uint64_t offset, uint64_t count,
	  bool *is_there)
{
	for (; count; count--, offset += WORD) {
		uint64_t target;

		*is_there = true;
		if (offset + WORD <= o->bytes_len)
			target = bytes_load_u64(o->bytes + offset);
		else
			*is_there = memory_u64(v->reader, o->address + offset, &target);
		if (!*is_there || !check_ref(v, o, offset, target))
			return false;
	}
	return true;
}

static bool
check_refs(struct clr_verify *v, const struct clr_object *o)
{
	const struct clr_type *type = clr_types_find_near(v->types, o->table, &v->near);
	struct clr_refs_walk walk;
	uint64_t offset, count;

	if (!type || type->refs.kind == CLR_REFS_NONE)
		return note(v, FAULT_NO_GC_DESC, o->address, 0, o->table, NULL);
	clr_refs_begin(&walk, &type->refs, o->size);
	while (clr_refs_next(&walk, &offset, &count)) {
		bool is_there;

		if (!check_run(v, o, offset, count, &is_there))
			return !is_there && note(v, FAULT_NO_OBJECT, o->address, 0, 0, NULL);
	}
	return true;
}

static bool
check_object(struct clr_verify *v, const struct clr_object *o)
{
	v->faults->objects_count++;
	return check_header(v, o->address) &&
	       (!(o->flags & CLR_MT_HAS_POINTERS) || check_refs(v, o));
}

/* --- ranges -------------------------------------------------------------- */

static bool
note_hole(struct clr_verify *v, const struct clr_hole *h)
{
	uint64_t word = 0, ignored;
	enum fault_kind kind = FAULT_METHOD_TABLE;
	char text[96];

	(void)!memory_u64(v->reader, h->start, &word);
	switch (h->reason) {
	case CLR_HOLE_UNFINISHED:
		return true; /* an allocation was under way */
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
		 "%" PRIu64 " bytes, up to %" PRIx64 ", hold no recognisable objects",
		 h->end - h->start, h->end);
	return note(v, kind, h->start, 0, word, text);
}

static bool
note_holes(struct clr_verify *v)
{
	size_t count;
	const struct clr_hole *holes = clr_walk_holes(v->walk, &count);
	uint64_t all = clr_walk_sums(v->walk)->holes_count;

	for (size_t i = 0; i < count; i++)
		if (!note_hole(v, &holes[i]))
			return false;
	v->faults->total += all - count; /* holes that the walk did not list */
	return true;
}

static bool
check_range(struct clr_verify *v, const struct clr_range *range, struct progress *progress)
{
	struct clr_object objects[OBJECTS_AT_ONCE];
	uint64_t done = range->start;
	size_t count;

	clr_walk_start(v->walk, range);
	while (clr_walk_next(v->walk, objects, OBJECTS_AT_ONCE, &count)) {
		for (size_t i = 0; i < count; i++)
			if (!objects[i].is_free && !check_object(v, &objects[i]))
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
check_ranges(struct clr_verify *v, struct progress *progress)
{
	progress_begin_bytes(progress, "verifying the heap", clr_heaps_bytes(v->heaps));
	for (size_t i = 0; i < v->heaps->ranges_count; i++)
		if (!check_range(v, &v->heaps->ranges[i], progress))
			return false;
	return true;
}

static bool
check_one(struct clr_verify *v, node_id only)
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

/* --- the whole heap ------------------------------------------------------ */

static bool
open_all(struct clr_verify *v, const struct clr_runtime *rt)
{
	v->reader = memory_reader_new(rt->memory, v->err);
	if (!v->reader)
		return false;
	v->runtime = *rt;
	v->runtime.reader = v->reader;
	v->heaps = clr_heaps_open(&v->runtime, v->err);
	if (!v->heaps)
		return false;
	v->tables = clr_tables_new(v->heaps, v->err);
	v->walk = v->tables ? clr_walk_new(v->heaps, v->tables, v->err) : NULL;
	/* While objects are being moved, cards are those of their old places. */
	v->has_cards = !v->heaps->invalid_count && clr_cards_find(&v->cards, v->heaps);
	v->faults->has_cards = v->has_cards;
	return v->walk != NULL;
}

static bool
check_all(struct clr_verify *v, struct progress *progress)
{
	return check_ranges(v, progress) && clr_verify_syncs(v) &&
	       clr_verify_structures(v, progress);
}

bool
clr_verify(const struct clr_runtime *rt, const struct clr_types *types, const struct heap *h,
	   node_id only, struct faults *out, struct progress *progress, struct error *err)
{
	struct clr_verify *v = memory_new(1, sizeof(*v), err);
	bool is_good;

	if (!v)
		return false;
	v->types = types;
	v->heap = h;
	v->faults = out;
	v->err = err;
	out->has_free_lists = only != NODE_NONE; /* not checked for a single object */
	is_good =
	    open_all(v, rt) && (only == NODE_NONE ? check_all(v, progress)
						  : check_one(v, only) && clr_verify_syncs(v));
	memory_free(v->syncs);
	clr_walk_free(v->walk);
	clr_tables_free(v->tables);
	clr_heaps_close(v->heaps);
	memory_reader_free(v->reader);
	memory_free(v);
	return is_good;
}
