#include "model/analysis/groups.h"

enum { LOOK_EVERY = 65536 };

/*
 * One walk over the dominators in preorder, like retained_by_type(). An object
 * dominated by another of its group adds nothing: the outermost object opens
 * the group, and the group closes when the walk leaves its subtree. Open
 * positions form a chain of parents, so no stack is needed.
 */
struct walk {
	struct groups *g;
	const struct retained *r;
	const uint32_t *of_node; /* group of each object; NULL: use of_type */
	uint32_t *opened;        /* by group: 1 + position of the object that
				    opened it */
	uint64_t *opened_bytes;  /* by group: `bytes` at that position */
	uint64_t bytes;          /* bytes of all positions before the current
				    one */
};

static uint32_t
group_at(const struct walk *w, uint32_t position)
{
	node_id n = w->r->dominators->objects[position];

	return w->of_node ? w->of_node[n]
			  : w->g->of_type[heap_type_of(w->r->heap, n)];
}

static void
leave(struct walk *w, uint32_t position, uint32_t end)
{
	uint32_t group = group_at(w, position);
	struct retained_sum *sum = &w->g->items[group].retained;

	if (w->opened[group] != position + 1)
		return;
	w->opened[group] = 0;
	sum->count += end - position;
	sum->bytes += w->bytes - w->opened_bytes[group];
}

static bool
walk_all(struct walk *w, struct progress *progress, struct error *err)
{
	const struct dominators *d = w->r->dominators;
	const struct heap *h = w->r->heap;
	uint32_t open = 0; /* 1 + the previous position */

	progress_begin(progress, "adding up retained sizes", "objects",
		       h->nodes_count);
	for (uint32_t p = 0; p < h->nodes_count; p++) {
		uint32_t group = group_at(w, p);

		for (; open != d->parents[p]; open = d->parents[open - 1])
			leave(w, open - 1, p);
		if (!w->opened[group]) {
			w->opened[group] = p + 1;
			w->opened_bytes[group] = w->bytes;
		}
		open = p + 1;
		w->bytes += heap_size(h, d->objects[p]);
		if (p % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
	}
	for (; open; open = d->parents[open - 1])
		leave(w, open - 1, h->nodes_count);
	return true;
}

bool
groups_retain(struct groups *g, const struct retained *r,
	      const struct reach *reach, struct progress *progress,
	      struct error *err)
{
	const struct heap *h = r->heap;
	struct walk w = { .g = g, .r = r };
	uint32_t *of_node = NULL;
	bool ok = true;

	if (!g->of_type) {
		of_node = memory_new((size_t)h->nodes_count + 1,
				     sizeof *of_node, err);
		ok = of_node &&
		     groups_number(g, h, reach, of_node, progress, err);
		w.of_node = of_node;
	}
	w.opened = memory_new((size_t)g->count + 1, sizeof *w.opened, err);
	w.opened_bytes =
	    memory_new((size_t)g->count + 1, sizeof *w.opened_bytes, err);
	ok = ok && w.opened && w.opened_bytes && walk_all(&w, progress, err);
	memory_free(of_node);
	memory_free(w.opened);
	memory_free(w.opened_bytes);
	return ok;
}
