#include "io/clr/verify_state.h"
#include "model/base/sorted.h"

/* Sets the objects around f->address; a range's objects have consecutive ids. */
static void
find_neighbours(const struct heap *h, struct fault *f)
{
	for (uint32_t i = 0; i < h->ranges_count; i++) {
		const struct range *r = &h->ranges[i];
		node_id at, end = r->first + r->count;

		if (f->address < r->start || f->address >= r->end)
			continue;
		LOWER_BOUND(at, r->first, end, heap_address(h, at) < f->address);
		if (at > r->first)
			f->before = heap_address(h, at - 1);
		if (at < end && heap_address(h, at) == f->address)
			at++;
		if (at < end)
			f->after = heap_address(h, at);
		return;
	}
}

/* True if a sweeping background GC causes such faults in a sound heap. */
static bool
is_from_sweep(enum fault_kind kind)
{
	return kind == FAULT_REF || kind == FAULT_REF_TO_FREE || kind == FAULT_REF_NOT_ALIGNED ||
	       kind == FAULT_FREE_LIST || kind == FAULT_FREE_TWICE || kind == FAULT_SYNC_MISMATCH ||
	       kind == FAULT_CARD;
}

bool
clr_verify_note(struct clr_verify *v, struct fault f)
{
	if (is_from_sweep((enum fault_kind)f.kind) && v->heaps->state == CLR_STATE_SWEEPING)
		f.is_excused = true;
	if (v->faults->count < FAULTS_MAX)
		find_neighbours(v->heap, &f);
	return faults_add(v->faults, &f, v->err);
}

const struct heap_free_block *
clr_verify_free_at(const struct clr_verify *v, uint64_t address)
{
	const struct heap_memory *m = v->heap->memory;
	uint32_t at;

	LOWER_BOUND(at, 0, m->free_blocks_count, m->free_blocks[at].address <= address);
	return at && address - m->free_blocks[at - 1].address < m->free_blocks[at - 1].bytes
		   ? &m->free_blocks[at - 1]
		   : NULL;
}

bool
clr_verify_is_in_register(const struct clr_verify *v, uint64_t start, uint64_t end)
{
	const struct memory *m = v->runtime.memory;

	for (size_t i = 0; i < m->threads_count; i++)
		for (uint32_t k = 0; k < m->threads[i].registers_count; k++)
			if (m->threads[i].registers[k] >= start && m->threads[i].registers[k] < end)
				return true;
	return false;
}
