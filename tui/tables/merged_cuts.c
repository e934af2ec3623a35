#include "tui/tables/merged_cuts.h"
#include "tui/tables/merged_opening.h"
#include <string.h>

enum {
	ROWS_MAX = 24,
	/* Objects visited for all rows together: some seconds of a worker in a large heap. */
	OBJECTS_MAX = 200000000,
};

void
merged_cuts_clear(struct merged_cuts *cuts)
{
	memory_free(cuts->items);
	*cuts = (struct merged_cuts){ 0 };
}

const struct merged_cut *
merged_cuts_find(const struct merged_cuts *cuts, uint64_t key)
{
	for (size_t i = 0; i < cuts->count; i++)
		if (cuts->items[i].key == key)
			return &cuts->items[i];
	return NULL;
}

const struct merged_cut *
merged_cuts_best(const struct merged_cuts *cuts)
{
	const struct merged_cut *best = NULL;

	for (size_t i = 0; i < cuts->count; i++)
		if (cuts->items[i].bytes && (!best || cuts->items[i].bytes > best->bytes))
			best = &cuts->items[i];
	return best;
}

static bool
cuts_add(struct merged_cuts *cuts, const struct merged_cut *cut, struct error *err)
{
	return APPEND(cuts->items, cuts->count, cuts->room, err, *cut);
}

bool
merged_cuts_plan(struct merged_cuts *plan, const struct merged_cuts *known, const struct rows *rows,
		 const struct heap *h, struct error *err)
{
	uint64_t budget = OBJECTS_MAX;

	for (size_t i = 1; i < rows->count; i++) {
		const struct row *row = &rows->items[i];
		struct merged_cut cut = { .key = row->key };

		if (known->count + plan->count >= ROWS_MAX || budget < h->nodes_count)
			return true;
		if ((row->kind != ROW_ROOT && row->kind != ROW_TYPE) ||
		    merged_cuts_find(known, row->key))
			continue;
		cut.holders = merged_set_of(row);
		cut.held = merged_set_of(&rows->items[rows_parent_of(rows, i)]);
		if (!cuts_add(plan, &cut, err))
			return false;
		budget -= h->nodes_count;
	}
	return true;
}

static void
bits_fill(uint64_t *bits, const struct merged_row *set)
{
	for (uint32_t i = 0; i < set->count; i++)
		bits_add(bits, set->nodes[i]);
}

static bool
row_names(const struct merged_row *row, const struct root *root)
{
	return row->root_kind == root->kind &&
	       (row->has_all_names || !strcmp(row->root_name, root->name));
}

struct cut_bits {
	uint64_t *sources, *targets, *roots;
};

static bool
measure_one(struct merged_cut *m, const struct cut_bits *bits, const struct reach *reach,
	    const struct ignored *ignored, struct progress *progress, struct error *err)
{
	const struct heap *h = reach->heap;
	size_t words = bits_words(h->nodes_count) * sizeof(uint64_t);
	struct cut cut = { 0 };
	struct freed freed;

	memset(bits->targets, 0, words);
	bits_fill(bits->targets, m->held);
	if (m->holders->type == TYPE_NONE) {
		memset(bits->roots, 0, bits_words(h->roots_count) * sizeof(uint64_t));
		for (uint32_t i = 0; i < h->roots_count; i++)
			if (row_names(m->holders, &h->roots[i]) &&
			    bits_has(bits->targets, h->roots[i].object))
				bits_add(bits->roots, i);
		cut.roots = bits->roots;
	} else {
		memset(bits->sources, 0, words);
		bits_fill(bits->sources, m->holders);
		cut.sources = bits->sources;
		cut.targets = bits->targets;
	}
	if (!freed_by_cut(&freed, reach, ignored, &cut, progress, err))
		return false;
	m->count = freed.count;
	m->bytes = freed.bytes;
	return true;
}

bool
merged_cuts_measure(struct merged_cuts *plan, const struct reach *reach,
		    const struct ignored *ignored, struct progress *progress, struct error *err)
{
	const struct heap *h = reach->heap;
	size_t words = bits_words(h->nodes_count);
	struct cut_bits bits = {
		memory_new(words, sizeof(uint64_t), err),
		memory_new(words, sizeof(uint64_t), err),
		memory_new(bits_words(h->roots_count), sizeof(uint64_t), err),
	};
	bool ok = bits.sources && bits.targets && bits.roots;
	const struct ignored *tables = NULL;

	if (ok && !ignored) {
		/* Cutting a static's root frees nothing while a table still holds the static, so
		   ignore those tables. */
		tables = ignored_with_tables(h, NULL, 0, reach->static_tables,
					     reach->static_tables_count, progress, err);
		ignored = tables;
		ok = tables != NULL;
	}
	progress_begin(progress, "what each row would free", "objects",
		       (uint64_t)h->nodes_count * plan->count);
	for (size_t i = 0; ok && i < plan->count; i++)
		ok = measure_one(&plan->items[i], &bits, reach, ignored, progress, err);
	ignored_free(tables);
	memory_free(bits.sources);
	memory_free(bits.targets);
	memory_free(bits.roots);
	return ok;
}

bool
merged_cuts_take(struct merged_cuts *cuts, struct merged_cuts *plan, struct error *err)
{
	for (size_t i = 0; i < plan->count; i++) {
		struct merged_cut *cut = &plan->items[i];

		cut->holders = NULL;
		cut->held = NULL;
		if (!cuts_add(cuts, cut, err))
			return false;
	}
	return true;
}
