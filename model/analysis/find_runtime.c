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
	out = finder_add(f, &finding_weak_table, err);
	if (!out)
		return false;
	out->type = (type_id)m->items[from].key;
	out->subject = m->items[from].other;
	out->count = entries;
	out->holder_type = out->type;
	out->holders_count = end - from;
	return finding_set_members(f, out, m, from, end, err);
}

static bool
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

static void
what_weak_table(struct finding_words *w, struct text *out)
{
	text_addf(out, "%s %s", words_count(w, w->finding->holders_count), words_type(w));
}

static void
why_weak_table(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	text_addf(out, "%s room for %s entries", verb_for(f->holders_count, "has", "have"),
		  words_count(w, f->count));
}

/* ConditionalWeakTables whose entries take `much`. `type`: the tables; `holders_count`: how many;
   `count`: entries for which there is room. */
const struct finding_kind finding_weak_table = {
	.id = "weak-table",
	.title = "weak tables",
	.harmless = "no leak if so many keys are alive; the table does not keep them alive, but "
		    "does not shrink either",
	.find = find_weak_tables,
	.what = what_weak_table,
	.why = why_weak_table,
	.id_parts = ID_TYPE,
};

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
	struct finding *out = finder_add(f, &finding_context, err);
	node_id first;

	if (!out)
		return false;
	out->type = (type_id)m->items[from].key;
	out->subject = m->items[from].node;
	return members_others(m, from, end, &out->count, &first, err) &&
	       finding_set_members(f, out, m, from, end, err);
}

static bool
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

static void
write_contexts(struct finding_words *w, struct text *out)
{
	uint64_t count = w->finding->count;

	text_addf(out, "%s collectible load context%s", words_one_or(w, count), plural(count));
}

static void
what_context(struct finding_words *w, struct text *out)
{
	if (w->finding->type == TYPE_NONE)
		write_contexts(w, out);
	else
		text_addf(out, "%s %s", words_count(w, w->finding->nodes_count), words_type(w));
}

static void
why_context(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	if (f->type == TYPE_NONE) {
		text_addf(out, "%s still loaded, without objects of %s types",
			  verb_for(f->count, "is", "are"), verb_for(f->count, "its", "their"));
		return;
	}
	text_addf(out, "%s ", verb_for(f->nodes_count, "keeps", "keep"));
	write_contexts(w, out);
	text_add(out, " from being unloaded");
}

/*
 * Collectible load contexts that are still loaded. `type`: the most frequent type from such a
 * context; evidence: objects of that type. If contexts have no objects: TYPE_NONE, and the contexts
 * are evidence. `count`: contexts.
 */
const struct finding_kind finding_context = {
	.id = "context",
	.title = "load contexts",
	.harmless = "no leak while the plugin is in use, or if the assembly was made by a "
		    "serializer or a mock and is used again",
	.find = find_contexts,
	.what = what_context,
	.why = why_context,
	.held = held_by_root,
	.id_parts = ID_TYPE | ID_STATIC,
};
