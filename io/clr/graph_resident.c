/*
 * The resident memory of the process by use: what the runtime's records say about addresses, and
 * the mappings for the rest.
 */
#include "io/clr/graph_state.h"
#include "io/memory/malloc_arenas.h"
#include "io/runtime/cards.h"

static bool
clue(struct mapping_clues *to, uint64_t start, uint64_t bytes, enum resident_kind kind,
     uint8_t flags, struct error *err)
{
	uint64_t end;

	if (__builtin_add_overflow(start, bytes, &end))
		end = UINT64_MAX;
	return mapping_clues_add(to, (struct mapping_clue){ start, end, (uint8_t)kind, flags },
				 err);
}

/* With regions, the card table covers the whole range that they come from. */
static bool
clues_of_collector(const struct clr_graph *g, struct mapping_clues *to, struct error *err)
{
	const struct clr_heaps *h = g->heaps;
	struct clr_cards cards;
	uint64_t bytes;

	for (size_t i = 0; i < h->ranges_count; i++) {
		const struct clr_range *r = &h->ranges[i];

		if (!clue(to, r->start, r->committed - r->start, RESIDENT_MANAGED, 0, err))
			return false;
	}
	if (!clr_cards_find(&cards, h))
		return true;
	bytes = clr_cards_bytes(&cards, h->runtime->reader);
	return clue(to, cards.words, bytes, RESIDENT_COLLECTOR, CLUE_RESERVED, err) &&
	       (!h->has_regions || clue(to, cards.start, cards.end - cards.start, RESIDENT_MANAGED,
					CLUE_RESERVED, err));
}

/* Method tables and modules lie in loader heaps. */
static bool
clues_of_loader(const struct heap_memory *m, struct mapping_clues *to, struct error *err)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < m->tables_count; i++)
		ok = clue(to, m->tables[i].address, 1, RESIDENT_CODE, 0, err);
	for (uint32_t i = 0; ok && i < m->modules_count; i++)
		ok = clue(to, m->modules[i].address, 1, RESIDENT_CODE, 0, err) &&
		     clue(to, m->modules[i].image, m->modules[i].image_bytes, RESIDENT_IMAGES, 0,
			  err);
	return ok;
}

static bool
clues_of_threads(const struct memory *m, struct mapping_clues *to, struct error *err)
{
	bool ok = true;

	for (size_t i = 0; ok && i < m->threads_count; i++)
		ok = clue(to, m->threads[i].sp, 1, RESIDENT_STACKS, 0, err);
	return ok;
}

/* --- malloc --------------------------------------------------------------- */

enum { FREE_CHUNKS_MAX = 500000 }; /* up to 0.2 s from a copy or a core */

static bool
add_free(void *free_bytes, uint64_t chunk, uint64_t bytes)
{
	(void)chunk;
	*(uint64_t *)free_bytes += bytes;
	return true;
}

/* Adds up the free memory of malloc(). */
static bool
read_malloc(const struct clr_graph *g, struct heap_malloc *out, struct error *err)
{
	struct memory_reader *r = memory_reader_new(g->memory, err);
	struct malloc_arenas arenas;
	uint64_t system = 0, free = 0;
	bool ok;

	if (!r)
		return false;
	ok = malloc_arenas_find(&arenas, r, err);
	out->other = malloc_other(g->memory);
	for (size_t i = 0; i < arenas.count; i++) {
		system += arenas.items[i].system_bytes;
		free += arenas.items[i].top_bytes;
	}
	if (ok && malloc_visit_free(&arenas, r, false, FREE_CHUNKS_MAX, add_free, &free) &&
	    free <= system)
		*out = (struct heap_malloc){ system, free, (uint32_t)arenas.count, out->other };
	memory_free(arenas.items);
	memory_reader_free(r);
	return ok;
}

bool
clr_graph_resident(struct clr_graph *g, struct error *err)
{
	struct mapping_list *list = g->options->mappings;
	struct resident *out = &heap_builder_info(g->builder)->resident;
	struct heap_memory *m = heap_builder_memory(g->builder, err);
	struct mapping_clues clues = { 0 };
	bool ok;

	if (!m || !list)
		return m != NULL;
	if (list->fill && !list->fill(list, g->options->progress, err))
		return false;
	ok = read_malloc(g, &m->malloc, err) && clues_of_collector(g, &clues, err) &&
	     clues_of_loader(m, &clues, err) && clues_of_threads(g->memory, &clues, err) &&
	     mapping_use_sum(out, list, &clues, err);
	mapping_clues_clear(&clues);
	return ok;
}
