/* The objects that have to do with one object, as tables: its references, its referrers, everything
   that it reaches, and the path that keeps it alive. */
#include "model/graph/flood.h"
#include "model/graph/reach.h"
#include "model/heap/bits.h"
#include "model/sql/made.h"
#include <string.h>

static bool
take_ids(struct id_list *out, uint64_t count, struct error *err)
{
	out->ids = memory_new((size_t)count + 1, sizeof *out->ids, err);
	return out->ids != NULL;
}

static bool
list_outgoing(struct sql *s, uint32_t heap, node_id n, struct id_list *out, struct error *err)
{
	struct refs refs = heap_refs(s->heaps[heap].facts.heap, n);

	if (!take_ids(out, refs.left, err))
		return false;
	while (refs_next(&refs, &out->ids[out->count]))
		out->count++;
	return true;
}

static bool
list_referrers(struct sql *s, uint32_t heap, node_id n, struct id_list *out, struct error *err)
{
	const struct reverse *reverse = sql_reverse(s, heap, err);
	struct referrers referrers;

	if (!reverse)
		return false;
	referrers = reverse_of(reverse, n);
	if (!take_ids(out, referrers.left, err))
		return false;
	while (referrers_next(&referrers, &out->ids[out->count]))
		out->count++;
	return true;
}

/* Lists the objects of a set of bits. */
static bool
list_bits(const struct heap *h, const uint64_t *bits, uint64_t count, struct id_list *out,
	  struct error *err)
{
	if (!take_ids(out, count, err))
		return false;
	for (node_id n = 0; n < h->nodes_count && out->count < count; n++)
		if (bits_has(bits, n))
			out->ids[out->count++] = n;
	return true;
}

static bool
list_reachable(struct sql *s, uint32_t heap, node_id n, struct id_list *out, struct error *err)
{
	const struct heap *h = s->heaps[heap].facts.heap;
	struct flood f;
	bool ok;

	ok = flood_init(&f, h, s->progress, err) && flood_add(&f, n) && flood_run(&f) &&
	     list_bits(h, f.seen, f.count, out, err);
	flood_clear(&f);
	return ok;
}

/* Lists the objects from the one with a root to this one. */
static bool
list_path(struct sql *s, uint32_t heap, node_id n, struct id_list *out, struct error *err)
{
	const struct reach *r = s->heaps[heap].facts.reach;
	uint32_t steps = r->distance[n];

	if (steps == DISTANCE_UNREACHABLE)
		return true;
	if (!take_ids(out, (uint64_t)steps + 1, err))
		return false;
	out->count = steps + 1;
	for (uint32_t i = steps; i > 0; i--) {
		out->ids[i] = n;
		n = r->next[n];
	}
	out->ids[0] = n;
	return true;
}

const struct sql_list sql_lists[] = {
	{ "outgoing", 0, "the objects that it refers to, in order", list_outgoing },
	{ "referrers", 0, "the objects that refer to it", list_referrers },
	{ "reachable", 0, "everything that it reaches, itself included", list_reachable },
	{ "path", NEED_REACH, "the objects from a root to it, cheapest path", list_path },
	{ 0 },
};

const struct sql_list *
sql_list_named(const char *name)
{
	for (const struct sql_list *l = sql_lists; l->name; l++)
		if (!strcmp(l->name, name))
			return l;
	return NULL;
}
