/* Findings about ConditionalWeakTables and collectible load contexts. */
#include "model/analysis/finder.h"
#include <string.h>

enum { HEAD_BYTES = 24, ENTRY_BYTES = 16, REFERRERS_ASKED = 65536 };

/* --- weak tables --------------------------------------------------------- */

/* Returns the array with the entries. A container that the table refers to has it; in .NET
   Framework the table refers to it directly. */
static node_id
entries_of(const struct heap *h, node_id table)
{
	struct refs outer = heap_refs(h, table), inner;
	node_id target, entries = NODE_NONE;

	while (refs_next(&outer, &target)) {
		if (heap_type(h, target)->flags & TYPE_ARRAY) {
			entries = target;
			continue;
		}
		if (!strstr(heap_type(h, target)->raw, "Container"))
			continue;
		inner = heap_refs(h, target);
		while (refs_next(&inner, &target))
			if (strstr(heap_type(h, target)->raw, "Entry"))
				return target;
	}
	return entries;
}

static bool
report_tables(void *context, const struct members *m, uint32_t from, uint32_t end,
	      struct error *err)
{
	struct finder *f = context;
	struct finding *out;
	uint64_t bytes = 0, entries = 0;

	for (uint32_t i = from; i < end; i++) {
		uint64_t size = heap_size(f->heap, m->items[i].node);

		bytes += size;
		entries += size > HEAD_BYTES ? (size - HEAD_BYTES) / ENTRY_BYTES : 0;
	}
	if (bytes < f->much)
		return true;
	out = finder_add(f, FINDING_WEAK_TABLE, err);
	if (!out)
		return false;
	out->type = (type_id)m->items[from].key;
	out->subject = m->items[from].other;
	out->count = entries;
	out->whole = end - from;
	return finding_set_members(f, out, m, from, end, err);
}

bool
find_weak_tables(struct finder *f, struct error *err)
{
	const struct node_list *tables = &f->by_role[ROLE_WEAK_TABLE];
	struct members m = { 0 };
	uint64_t steps = 0;
	bool ok = true;

	for (uint32_t i = 0; ok && i < tables->count; i++) {
		node_id table = tables->items[i];
		node_id entries = entries_of(f->heap, table);

		if (entries != NODE_NONE)
			ok = members_add(
			    &m, (struct member){ heap_type_of(f->heap, table), 0, entries, table },
			    err);
		ok = ok && finder_may_go_on(f, &steps, err);
	}
	ok = ok && members_report(&m, report_tables, f, err);
	memory_free(m.items);
	return ok;
}

/* --- load contexts ------------------------------------------------------- */

/*
 * Tally the objects whose type was loaded into the context. They refer to its LoaderAllocator, as
 * do the runtime's descriptions of types and assemblies, which do not count.
 */
static bool
count_instances(struct finder *f, node_id context, struct error *err)
{
	struct referrers r = reverse_of(f->reverse, context);
	uint64_t steps = 0;
	node_id source;

	for (int i = 0; i < REFERRERS_ASKED && referrers_next(&r, &source); i++) {
		if (!is_description(heap_type(f->heap, source)) && finder_is_live(f, source))
			tally_add(&f->tally, f->heap, source);
		if (!finder_may_go_on(f, &steps, err))
			return false;
	}
	return true;
}

/* Group contexts by the type that most objects from the context have. */
static bool
note_context(struct finder *f, struct members *m, node_id context, struct error *err)
{
	struct referrers r = reverse_of(f->reverse, context);
	bool ok = count_instances(f, context, err);
	type_id type = tally_best(&f->tally);
	node_id source, last = NODE_NONE;

	tally_clear(&f->tally);
	if (type == TYPE_NONE)
		return ok && members_add(m, (struct member){ TYPE_NONE, 0, context, context }, err);
	for (int i = 0; ok && i < REFERRERS_ASKED && referrers_next(&r, &source); i++) {
		if (heap_type_of(f->heap, source) != type || !finder_is_live(f, source) ||
		    source == last)
			continue;
		last = source;
		ok = members_add(m, (struct member){ type, 0, source, context }, err);
	}
	return ok;
}

static bool
report_contexts(void *context, const struct members *m, uint32_t from, uint32_t end,
		struct error *err)
{
	struct finder *f = context;
	struct finding *out = finder_add(f, FINDING_CONTEXT, err);
	node_id first;

	if (!out)
		return false;
	out->type = (type_id)m->items[from].key;
	out->subject = m->items[from].node;
	return members_others(m, from, end, &out->count, &first, err) &&
	       finding_set_members(f, out, m, from, end, err);
}

bool
find_contexts(struct finder *f, struct error *err)
{
	const struct node_list *contexts = &f->by_role[ROLE_CONTEXT];
	struct members m = { 0 };
	bool ok = true;

	for (uint32_t i = 0; ok && i < contexts->count; i++)
		ok = note_context(f, &m, contexts->items[i], err);
	ok = ok && members_report(&m, report_contexts, f, err);
	memory_free(m.items);
	return ok;
}
