/*
 * Checks the runtime's own structures, and counts in v->faults what was checked. A fault is excused
 * if the heap may have been stopped while a thread was writing there.
 */
#include "io/clr/verify_state.h"
#include "io/runtime/finalizers.h"
#include "io/runtime/free_lists.h"
#include "io/runtime/handles.h"
#include <inttypes.h>
#include <stdio.h>

enum { WORD = 8 };

static bool
note(struct clr_verify *v, enum fault_kind kind, uint64_t address, uint64_t value, const char *text)
{
	return clr_verify_note(
	    v, (struct fault){
		   .address = address, .value = value, .text = text, .kind = (uint8_t)kind });
}

/* --- sync blocks --------------------------------------------------------- */

/* Compares an object's header with the sync block table. */
static bool
check_synced(struct clr_verify *v, const struct clr_syncs *table, const struct clr_synced *s)
{
	struct clr_sync sync = { 0 };
	char text[96];

	if (s->index >= table->used) {
		snprintf(text, sizeof text, "its header has index %" PRIu32 ", of %" PRIu32,
			 s->index, table->used - 1);
		return note(v, FAULT_SYNC_INDEX, s->object, s->index, text);
	}
	if (clr_syncs_at(table, v->reader, s->index, &sync) && sync.object == s->object)
		return true;
	return note(v, FAULT_SYNC_MISMATCH, s->object, sync.object, NULL);
}

/* Compares an entry of the table with its object's header. The runtime fills a new entry first and
 * writes the header afterwards. */
static bool
check_entry(struct clr_verify *v, const struct clr_syncs *table, uint32_t index)
{
	struct fault f = { .kind = FAULT_SYNC_OBJECT, .value = index };
	struct clr_sync sync;
	uint32_t word;
	char text[96];

	if (!clr_syncs_at(table, v->reader, index, &sync) || !sync.object)
		return true;
	snprintf(text, sizeof text, "entry %" PRIu32 " of the table refers to it", index);
	f.address = sync.object;
	f.text = text;
	v->faults->syncs_count++;
	if (clr_verify_is_start(v, sync.object)) {
		if (!memory_u32(v->reader, sync.object - 4, &word) ||
		    clr_sync_of_header(word) == index)
			return true;
		f.kind = FAULT_SYNC_MISMATCH;
		f.is_excused = clr_verify_is_in_register(v, sync.object, sync.object + WORD);
	}
	return clr_verify_note(v, f);
}

bool
clr_verify_syncs(struct clr_verify *v)
{
	struct clr_syncs table;

	if (!clr_syncs_find(&table, &v->runtime)) {
		v->faults->unchecked_syncs = v->syncs_count;
		return true;
	}
	for (size_t i = 0; i < v->syncs_count; i++)
		if (!check_synced(v, &table, &v->syncs[i]))
			return false;
	return true;
}

static bool
check_entries(struct clr_verify *v, struct progress *progress)
{
	struct clr_syncs table;

	if (!clr_syncs_find(&table, &v->runtime))
		return true;
	for (uint32_t i = 1; i < table.used; i++) {
		if (progress_is_cancelled(progress))
			return error_cancelled(v->err);
		if (!check_entry(v, &table, i))
			return false;
	}
	return true;
}

/* --- free blocks --------------------------------------------------------- */

struct free_check {
	struct clr_verify *verify;
	const struct clr_free_list *list;
	bool *is_listed; /* by free object */
	uint64_t before; /* previous in this list, or 0 */
};

static bool
note_free(const struct free_check *c, enum fault_kind kind, uint64_t address, uint64_t value,
	  const char *what)
{
	struct clr_verify *v = c->verify;
	struct fault f = { .kind = (uint8_t)kind, .address = address, .value = value };
	char text[96];

	snprintf(text, sizeof text, "%s of %s", what,
		 generation_name((enum generation)c->list->generation));
	f.text = text;
	f.is_excused = clr_verify_is_in_register(v, address, address + WORD);
	return clr_verify_note(v, f);
}

/* Returns true if the address is in a part of the heap that could not be read, which is reported
 * already. */
static bool
is_in_hole(const struct clr_verify *v, uint64_t address)
{
	const struct heap_memory *m = v->heap->memory;

	for (uint32_t i = 0; i < m->holes_count; i++)
		if (address >= m->holes[i].start && address < m->holes[i].end)
			return true;
	return false;
}

/* Checks one block of a list. *is_good: its link can be followed. */
static bool
check_free(struct free_check *c, uint64_t address, bool *is_good)
{
	struct clr_verify *v = c->verify;
	const struct heap_free_block *b = clr_verify_free_at(v, address);
	bool *is_listed;
	uint64_t back = 0;

	*is_good = false;
	if (!b || b->address != address)
		return is_in_hole(v, address) || note_free(c, FAULT_FREE_LIST, address, c->before,
							   "not a free block, but on a free list");
	is_listed = &c->is_listed[b - v->heap->memory->free_blocks];
	if (*is_listed)
		return note_free(c, FAULT_FREE_TWICE, address, c->before, "twice on a free list");
	*is_listed = *is_good = true;
	v->faults->listed_count++;
	if (c->list->generation != GEN_2 ||
	    (memory_u64(v->reader, address + CLR_FREE_PREV, &back) && back == c->before))
		return true;
	return note_free(c, FAULT_FREE_LIST, address, back,
			 "its back link is wrong, on a free list");
}

static bool
check_list(struct free_check *c)
{
	uint64_t at = c->list->head;

	for (c->before = 0; at;) {
		bool is_good;

		if (!check_free(c, at, &is_good))
			return false;
		if (!is_good)
			return true;
		c->before = at;
		if (!memory_u64(c->verify->reader, at + CLR_FREE_NEXT, &at))
			return note_free(c, FAULT_FREE_LIST, c->before, 0,
					 "its link cannot be read, on a free list");
	}
	return c->before == c->list->tail ||
	       note_free(c, FAULT_FREE_LIST, c->list->tail, c->before,
			 "it should be the last block, on a free list");
}

static bool
check_lists(struct clr_verify *v, const struct clr_free_list *lists, size_t count,
	    struct progress *progress)
{
	struct free_check c = { .verify = v };
	bool is_good = true;

	c.is_listed =
	    memory_new(v->heap->memory->free_blocks_count + 1, sizeof(*c.is_listed), v->err);
	if (!c.is_listed)
		return false;
	for (size_t i = 0; i < count && is_good; i++) {
		c.list = &lists[i];
		is_good =
		    check_list(&c) && (!progress_is_cancelled(progress) || error_cancelled(v->err));
	}
	memory_free(c.is_listed);
	return is_good;
}

/* While objects are being moved, there are no lists to check. */
static bool
check_free_lists(struct clr_verify *v, struct progress *progress)
{
	const struct clr_free_list *lists;
	struct error err = { 0 };
	struct arena a;
	size_t count;
	bool is_good;

	if (v->heaps->invalid_count)
		return true;
	arena_init(&a, 0);
	v->faults->has_free_lists = clr_free_lists_read(v->heaps, &lists, &count, &a, &err);
	is_good = v->faults->has_free_lists ? check_lists(v, lists, count, progress)
					    : err.kind == ERROR_NONE;
	if (err.kind != ERROR_NONE)
		*v->err = err;
	arena_clear(&a);
	return is_good;
}

/* --- ranges, handles, finalizers ----------------------------------------- */

/* Reports what was doubtful when the structures were read. */
static bool
note_doubts(struct clr_verify *v)
{
	for (size_t i = 0; i < v->heaps->doubts.count; i++)
		if (!note(v, FAULT_STRUCTURE, 0, 0, v->heaps->doubts.texts[i]))
			return false;
	return true;
}

/* Checks that allocation contexts lie in generations 0 to 2. A full context may begin at the end of
 * its segment, so the byte before it is looked up. */
static bool
check_contexts(struct clr_verify *v)
{
	for (size_t i = 0; i < v->heaps->contexts_count; i++) {
		const struct clr_context *c = &v->heaps->contexts[i];
		const struct clr_range *r = clr_heaps_range_at(v->heaps, c->pointer - 1);

		if (r && r->generation <= GEN_2 && c->limit <= r->end)
			continue;
		if (!note(v, FAULT_CONTEXT, c->pointer, c->limit, NULL))
			return false;
	}
	return true;
}

/* Checks that a handle or a finalizer queue refers to the start of an object.
 */
static bool
check_slot(struct clr_verify *v, enum fault_kind kind, uint64_t slot, uint64_t object)
{
	char text[96];

	if (!object || clr_verify_is_start(v, object))
		return true;
	if (kind == FAULT_HANDLE)
		snprintf(text, sizeof text, "the handle %" PRIx64 " refers to it", slot);
	else
		snprintf(text, sizeof text, "it is in a finalizer queue");
	if (object % WORD)
		kind = FAULT_NOT_ALIGNED;
	else if (!clr_heaps_range_at(v->heaps, object))
		kind = FAULT_NOT_ON_HEAP;
	return note(v, kind, object, slot, text);
}

static bool
check_handles(struct clr_verify *v, struct progress *progress)
{
	struct clr_handles all;
	bool is_good;

	is_good = clr_handles_read_all(&all, v->heaps, progress, v->err);
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
check_finalizers(struct clr_verify *v)
{
	struct clr_finalizers all;
	bool is_good = clr_finalizers_read(&all, v->heaps, v->err);

	for (size_t i = 0; is_good && i < all.count; i++)
		is_good = check_slot(v, FAULT_FINALIZABLE, 0, all.items[i].object);
	v->faults->finalizables_count = all.count;
	clr_finalizers_clear(&all);
	return is_good;
}

bool
clr_verify_structures(struct clr_verify *v, struct progress *progress)
{
	return note_doubts(v) && check_contexts(v) && check_entries(v, progress) &&
	       check_free_lists(v, progress) && check_handles(v, progress) && check_finalizers(v);
}
