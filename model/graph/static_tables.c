#include "model/graph/static_tables.h"

#include "model/heap/bits.h"
#include <string.h>

static bool
root_is_static(const struct root *r)
{
	return r->kind == ROOT_STATIC || r->kind == ROOT_THREAD_STATIC;
}

static bool
root_is_handle(const struct root *r)
{
	switch ((enum root_kind)r->kind) {
	case ROOT_STRONG:
	case ROOT_PINNED:
	case ROOT_ASYNC_PINNED:
	case ROOT_REF_COUNTED:
	case ROOT_SIZED_REF:
		return true;
	default:
		return false;
	}
}

bool
static_root_names(const struct heap *h, node_id n)
{
	uint32_t count;
	const struct root *roots = heap_roots_of(h, n, &count);

	for (uint32_t i = 0; i < count; i++)
		if (root_is_static(&roots[i]))
			return true;
	return false;
}

/* Returns true if a handle refers to the Object[] and no static variable
   does. */
static bool
is_candidate(const struct heap *h, uint32_t first, uint32_t end)
{
	bool has_handle = false;

	for (uint32_t i = first; i < end; i++) {
		if (root_is_static(&h->roots[i]))
			return false;
		has_handle |= root_is_handle(&h->roots[i]);
	}
	return has_handle && !strcmp(heap_type(h, h->roots[first].object)->raw, "System.Object[]");
}

bool
static_tables_init(struct static_tables *t, const struct heap *h, struct arena *a,
		   struct arena *scratch, struct error *err)
{
	size_t words = bits_words(h->nodes_count);

	*t = (struct static_tables){ 0 };
	t->is_candidate = arena_array(scratch, uint64_t, words, err);
	t->is_static = arena_array(scratch, uint64_t, words, err);
	if (!t->is_candidate || !t->is_static)
		return false;
	for (uint32_t i = 0, first = 0; i < h->roots_count; i++) {
		node_id n = h->roots[i].object;

		if (n != h->roots[first].object)
			first = i;
		if (root_is_static(&h->roots[i]))
			bits_add(t->is_static, n);
		if (i + 1 < h->roots_count && h->roots[i + 1].object == n)
			continue;
		if (is_candidate(h, first, i + 1)) {
			bits_add(t->is_candidate, n);
			t->count++;
		}
	}
	t->nodes = arena_array(a, node_id, (size_t)t->count + 1, err);
	if (!t->nodes)
		return false;
	t->count = 0;
	for (uint32_t i = 0; i < h->roots_count; i++) {
		node_id n = h->roots[i].object;

		if (bits_has(t->is_candidate, n) && (!i || h->roots[i - 1].object != n))
			t->nodes[t->count++] = n;
	}
	return true;
}

static inline void
refute_visit(void *context, node_id source, node_id target)
{
	struct static_tables *t = context;

	if (bits_has(t->is_candidate, target) && source != target)
		bits_remove(t->is_candidate, target);
}

static bool
count_static_refs(const struct static_tables *t, const struct sweep *sweep, node_id table,
		  uint64_t *count)
{
	struct refs refs = heap_refs(sweep->heap, table);
	node_id target;

	*count = 0;
	while (refs_next(&refs, &target)) {
		*count += bits_has(t->is_static, target);
		if (!(refs.left & 0xffff) && progress_is_cancelled(sweep->progress))
			return false;
	}
	return true;
}

bool
static_tables_find(struct static_tables *t, const struct sweep *sweep, struct error *err)
{
	uint32_t chunks_count = sweep_chunks_count(sweep->heap), kept = 0;

	for (uint32_t c = 0; c < chunks_count; c++)
		if (!sweep_chunk(sweep, c, refute_visit, t))
			return error_cancelled(err);
	for (uint32_t i = 0; i < t->count; i++) {
		node_id n = t->nodes[i];
		uint64_t count;

		if (!bits_has(t->is_candidate, n))
			continue;
		if (!count_static_refs(t, sweep, n, &count))
			return error_cancelled(err);
		if (!count)
			continue;
		t->static_refs_count += count;
		t->nodes[kept++] = n;
	}
	t->count = kept;
	return true;
}

bool
static_tables_compute(struct static_tables *t, const struct heap *h, struct arena *a,
		      struct progress *progress, struct error *err)
{
	struct arena scratch;
	struct sweep sweep;
	bool ok;

	arena_init(&scratch, 0);
	progress_begin(progress, "finding tables of static variables", "objects", h->nodes_count);
	ok = static_tables_init(t, h, a, &scratch, err) &&
	     (!t->count || (sweep_init(&sweep, h, &scratch, progress, err) &&
			    static_tables_find(t, &sweep, err)));
	t->is_candidate = t->is_static = NULL;
	arena_clear(&scratch);
	return ok;
}
