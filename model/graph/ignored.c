#include "model/graph/ignored.h"

#include "model/base/sorted.h"
#include "model/graph/static_tables.h"
#include <stdlib.h>
#include <string.h>

enum { REPORT_EVERY = 65536 };

struct ignored_build {
	struct ignored *ig;
	uint64_t *some, *all, *roots;
	struct ignored_entry *refs;
	uint8_t *types; /* one byte a type; NULL: none is ignored */
	struct error *err;
};

static bool
entry_is_of_objects(const struct ignored_entry *e)
{
	return e->kind != IGNORED_ROOT && e->kind != IGNORED_ROOT_KIND;
}

static bool
entry_is_valid(const struct heap *h, const struct ignored_entry *e)
{
	switch (e->kind) {
	case IGNORED_REF:
		return e->what < h->nodes_count && e->target < h->nodes_count;
	case IGNORED_REFERRER:
	case IGNORED_STATIC_TABLE:
		return e->what < h->nodes_count;
	case IGNORED_ROOT:
		return e->what < h->roots_count;
	case IGNORED_ROOT_KIND:
		return e->what < ROOT_KIND_COUNT;
	case IGNORED_TYPE:
		return e->what < h->types_count;
	}
	return false;
}

static int
compare_refs(const void *left, const void *right)
{
	const struct ignored_entry *a = left, *b = right;

	if (a->what != b->what)
		return a->what < b->what ? -1 : 1;
	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

/* Allocates the sets that some entry needs. */
static bool
build_take(struct ignored_build *b)
{
	const struct ignored *ig = b->ig;
	struct arena *a = &b->ig->arena;
	const struct heap *h = ig->heap;
	size_t words = bits_words(h->nodes_count);
	bool is_ok = true;

	for (uint32_t i = 0; is_ok && i < ig->entries_count; i++) {
		const struct ignored_entry *e = &ig->entries[i];

		if (!entry_is_of_objects(e)) {
			if (!b->roots)
				b->roots =
				    arena_array(a, uint64_t, bits_words(h->roots_count), b->err);
			is_ok = b->roots != NULL;
			continue;
		}
		if (!b->some) {
			b->some = arena_array(a, uint64_t, words, b->err);
			b->all = b->some ? arena_array(a, uint64_t, words, b->err) : NULL;
		}
		if (e->kind == IGNORED_TYPE && !b->types)
			b->types = memory_new((size_t)h->types_count + 1, 1, b->err);
		is_ok = b->all && (e->kind != IGNORED_TYPE || b->types);
	}
	return is_ok;
}

static void
build_entry(struct ignored_build *b, const struct ignored_entry *e)
{
	const struct heap *h = b->ig->heap;

	switch (e->kind) {
	case IGNORED_REFERRER:
		bits_add(b->some, e->what);
		bits_add(b->all, e->what);
		break;
	case IGNORED_REF:
	case IGNORED_STATIC_TABLE:
		bits_add(b->some, e->what);
		b->refs[b->ig->refs_count++] = *e;
		break;
	case IGNORED_ROOT:
		bits_add(b->roots, e->what);
		break;
	case IGNORED_ROOT_KIND:
		for (uint32_t i = 0; i < h->roots_count; i++)
			if (h->roots[i].kind == e->what)
				bits_add(b->roots, i);
		break;
	case IGNORED_TYPE:
		if (b->types)
			b->types[e->what] = 1;
		break;
	}
}

static bool
build_types(struct ignored_build *b, struct progress *progress)
{
	const struct heap *h = b->ig->heap;

	if (!b->types)
		return true;
	progress_begin(progress, "leaving out types", "objects", h->nodes_count);
	for (node_id n = 0; n < h->nodes_count; n++) {
		if (b->types[heap_type_of(h, n)]) {
			bits_add(b->some, n);
			bits_add(b->all, n);
		}
		if (!(n & (REPORT_EVERY - 1)) && !progress_add(progress, n ? REPORT_EVERY : 0))
			return error_cancelled(b->err);
	}
	progress_add(progress, h->nodes_count & (REPORT_EVERY - 1));
	return true;
}

static bool
build_all(struct ignored_build *b, const struct ignored_entry *entries, uint32_t count,
	  struct progress *progress)
{
	struct ignored *ig = b->ig;
	struct ignored_entry *copy = arena_array(&ig->arena, struct ignored_entry, count, b->err);

	if (copy)
		b->refs = arena_array(&ig->arena, struct ignored_entry, count, b->err);
	if (!b->refs)
		return false;
	if (count)
		memcpy(copy, entries, count * sizeof(*copy));
	ig->entries = copy;
	ig->entries_count = count;
	for (uint32_t i = 0; i < count; i++)
		if (!entry_is_valid(ig->heap, &copy[i]))
			return error_set(b->err, ERROR_INPUT,
					 "cannot ignore number %u: this heap has no such object, "
					 "root or type",
					 copy[i].what);
	if (!build_take(b))
		return false;
	for (uint32_t i = 0; i < count; i++)
		build_entry(b, &copy[i]);
	qsort(b->refs, ig->refs_count, sizeof(*b->refs), compare_refs);
	return build_types(b, progress);
}

const struct ignored *
ignored_new(const struct heap *h, const struct ignored_entry *entries, uint32_t count,
	    struct progress *progress, struct error *err)
{
	struct ignored *ig = memory_new(1, sizeof(*ig), err);
	struct ignored_build b = { .ig = ig, .err = err };
	bool is_ok;

	if (!ig)
		return NULL;
	ig->heap = h;
	arena_init(&ig->arena, 0);
	is_ok = build_all(&b, entries, count, progress);
	memory_free(b.types);
	ig->some = b.some;
	ig->all = b.all;
	ig->roots = b.roots;
	ig->refs = b.refs;
	ig->bytes = sizeof(*ig) + ig->arena.used_bytes;
	if (is_ok)
		return ig;
	ignored_free(ig);
	return NULL;
}

const struct ignored *
ignored_with_tables(const struct heap *h, const struct ignored_entry *entries, uint32_t count,
		    const node_id *tables, uint32_t tables_count, struct progress *progress,
		    struct error *err)
{
	struct ignored_entry *all = memory_new((size_t)count + tables_count + 1, sizeof(*all), err);
	const struct ignored *ig;

	if (!all)
		return NULL;
	if (count)
		memcpy(all, entries, count * sizeof(*all));
	for (uint32_t i = 0; i < tables_count; i++)
		all[count + i] = (struct ignored_entry){ IGNORED_STATIC_TABLE, tables[i], 0 };
	ig = ignored_new(h, all, count + tables_count, progress, err);
	memory_free(all);
	return ig;
}

const struct ignored *
ignored_with_all_tables(const struct heap *h, const struct ignored_entry *entries, uint32_t count,
			struct progress *progress, struct error *err)
{
	const struct ignored *ig = NULL;
	struct static_tables t;
	struct arena a;

	arena_init(&a, 0);
	if (static_tables_compute(&t, h, &a, progress, err))
		ig = ignored_with_tables(h, entries, count, t.nodes, t.count, progress, err);
	arena_clear(&a);
	return ig;
}

void
ignored_free(const struct ignored *ig)
{
	struct ignored *owned = (struct ignored *)(uintptr_t)ig;

	if (!ig)
		return;
	arena_clear(&owned->arena);
	memory_free(owned);
}

bool
ignored_is_listed(const struct ignored *ig, node_id source, node_id target)
{
	uint32_t at;
	bool has_table = false;

	if (bits_has(ig->all, source))
		return true;
	LOWER_BOUND(at, 0, ig->refs_count, ig->refs[at].what < source);
	for (; at < ig->refs_count && ig->refs[at].what == source; at++) {
		if (ig->refs[at].kind == IGNORED_STATIC_TABLE)
			has_table = true;
		else if (ig->refs[at].target == target)
			return true;
	}
	return has_table && static_root_names(ig->heap, target);
}
