#include "model/sql/keys.h"
#include "model/base/sorted.h"
#include "model/sql/by_target.h"
#include "model/sql/tree.h"
#include <string.h>

struct fill {
	const struct heap *heap;
	const struct sql_by_type *by;
	struct progress *progress;
	uint64_t *addresses; /* by object: faster than heap_address() */
	struct sql_tree tree;
	struct sql_key key;
};

bool
sql_types_fit(const struct heap *h)
{
	for (type_id t = 0; t < h->types_count; t++)
		if (strlen(h->types[t].name) > SQL_KEY_TEXT_BYTES)
			return false;
	return true;
}

static bool
read_addresses(struct fill *f, struct error *err)
{
	f->addresses =
	    memory_resize(NULL, (size_t)f->heap->nodes_count + 1, sizeof *f->addresses, err);
	for (node_id n = 0; f->addresses && n < f->heap->nodes_count; n++)
		f->addresses[n] = heap_address(f->heap, n);
	return f->addresses != NULL;
}

static void
add_address(struct fill *f, node_id n)
{
	sql_key_integer(&f->key, (int64_t)f->addresses[n]);
}

/* Add the rows of `refs`: source, number, target, field. */
static bool
fill_refs(struct fill *f, struct error *err)
{
	const struct heap *h = f->heap;
	struct refs_scan scan;
	node_id target;

	refs_scan_init(&scan, h, 0);
	while (scan.node < h->nodes_count) {
		node_id source = scan.node;
		struct refs refs = refs_scan_begin(&scan);
		uint32_t number = 0;

		while (refs_next(&refs, &target)) {
			sql_key_clear(&f->key);
			add_address(f, source);
			sql_key_integer(&f->key, ++number);
			add_address(f, target);
			sql_key_null(&f->key);
			if (!sql_tree_add(&f->tree, &f->key, err))
				return false;
		}
		refs_scan_end(&scan, &refs);
	}
	return true;
}

static bool
add_by_target(void *context, node_id source, uint32_t number, node_id target, struct error *err)
{
	struct fill *f = context;

	sql_key_clear(&f->key);
	add_address(f, target);
	add_address(f, source);
	sql_key_integer(&f->key, number);
	return sql_tree_add(&f->tree, &f->key, err);
}

static bool
fill_targets(struct fill *f, struct error *err)
{
	return refs_by_target(f->heap, add_by_target, f, f->progress, err);
}

/* Returns the end of the types with the same name as the one at `rank`. */
static uint32_t
end_of_name(const struct fill *f, uint32_t rank)
{
	const struct type *types = f->heap->types;
	const char *name = types[f->by->names->types[rank]].name;

	do
		rank++;
	while (rank < f->heap->types_count && !strcmp(types[f->by->names->types[rank]].name, name));
	return rank;
}

static bool
add_objects(struct fill *f, const char *name, const node_id *ids, uint32_t count, struct error *err)
{
	size_t len = strlen(name);

	for (uint32_t i = 0; i < count; i++) {
		sql_key_clear(&f->key);
		sql_key_text(&f->key, name, len);
		add_address(f, ids[i]);
		if (!sql_tree_add(&f->tree, &f->key, err))
			return false;
	}
	return true;
}

/* Objects of one type are in order; those of several with the same name are not. */
static bool
fill_types(struct fill *f, struct error *err)
{
	const struct sql_by_type *by = f->by;
	uint32_t end;

	for (uint32_t rank = 0; rank < f->heap->types_count; rank = end) {
		node_id *ids = by->ids + by->starts[rank];
		uint32_t count;

		end = end_of_name(f, rank);
		count = by->starts[end] - by->starts[rank];
		if (end > rank + 1)
			SORT_NUMBERS(ids, count);
		if (!add_objects(f, f->heap->types[by->names->types[rank]].name, ids, count, err))
			return false;
	}
	return true;
}

static bool
fill_tree(struct fill *f, struct sql_pages *pages, uint32_t root,
	  bool (*fill)(struct fill *f, struct error *err), struct error *err)
{
	bool ok;

	if (!root)
		return true;
	ok = sql_tree_begin(&f->tree, pages, err) && fill(f, err) &&
	     sql_tree_end(&f->tree, root, err);
	sql_tree_clear(&f->tree);
	return ok;
}

bool
sql_fill_trees(int fd, const struct heap *h, const struct sql_by_type *by,
	       const struct sql_roots *roots, struct progress *progress, struct error *err)
{
	struct fill f = { .heap = h, .by = by, .progress = progress };
	struct sql_pages pages;
	bool ok;

	progress_begin_bytes(progress, "writing references", 0);
	ok = sql_pages_begin(&pages, fd, progress, err) && read_addresses(&f, err) &&
	     fill_tree(&f, &pages, roots->refs, fill_refs, err) &&
	     fill_tree(&f, &pages, roots->refs_target, fill_targets, err) &&
	     fill_tree(&f, &pages, roots->objects_type, fill_types, err) &&
	     sql_pages_end(&pages, err);
	sql_pages_clear(&pages);
	memory_free(f.addresses);
	return ok;
}
