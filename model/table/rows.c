#include "model/table/rows.h"
#include <string.h>

struct row
row_of(enum row_kind kind)
{
	return (struct row){
		.kind = (uint8_t)kind,
		.node = NODE_NONE,
		.type = TYPE_NONE,
		.root = ROOT_NONE,
	};
}

struct row
row_of_node(const struct heap *h, node_id node)
{
	struct row row = row_of(ROW_OBJECT);

	row.node = node;
	row.type = heap_type_of(h, node);
	row.key = node;
	return row;
}

struct row
row_of_type(type_id type)
{
	struct row row = row_of(ROW_TYPE);

	row.type = type;
	row.key = type;
	return row;
}

struct row
row_of_root(const struct heap *h, uint32_t root)
{
	bool is_weak = root >= h->roots_count;
	struct row row =
	    row_of_node(h, is_weak ? h->weak[root - h->roots_count].object : h->roots[root].object);

	row.kind = is_weak ? ROW_PLAIN : ROW_ROOT;
	row.root = is_weak ? ROOT_NONE : root;
	row.data = is_weak ? ROOT_KIND_COUNT : h->roots[root].kind;
	row.key = root;
	return row;
}

uint64_t
row_key(uint64_t parent, uint64_t what)
{
	uint64_t key = parent * UINT64_C(0x9e3779b97f4a7c15) + what + 1;

	/* Mix all bits: two rows collide by chance once in 2^64. */
	key = (key ^ key >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	key = (key ^ key >> 27) * UINT64_C(0x94d049bb133111eb);
	return key ^ key >> 31;
}

void
rows_clear(struct rows *rows)
{
	memory_free(rows->items);
	*rows = (struct rows){ 0 };
}

static bool
rows_grow(struct rows *rows, size_t count, struct error *err)
{
	size_t wanted = rows->count + count, capacity = rows->capacity;
	struct row *items;

	if (wanted <= capacity)
		return true;
	capacity = capacity < 32 ? 64 : capacity * 2;
	if (capacity < wanted)
		capacity = wanted;
	items = memory_resize(rows->items, capacity, sizeof *items, err);
	if (!items)
		return false;
	rows->items = items;
	rows->capacity = capacity;
	return true;
}

struct row *
rows_insert(struct rows *rows, size_t at, size_t count, struct error *err)
{
	struct row *gap;

	if (!rows_grow(rows, count, err))
		return NULL;
	gap = rows->items + at;
	memmove(gap + count, gap, (rows->count - at) * sizeof *gap);
	rows->count += count;
	return gap;
}

bool
rows_append(struct rows *rows, const struct row *row, struct error *err)
{
	struct row *at = rows_insert(rows, rows->count, 1, err);

	if (!at)
		return false;
	*at = *row;
	return true;
}

void
rows_remove(struct rows *rows, size_t at, size_t count)
{
	struct row *gap = rows->items + at;

	memmove(gap, gap + count, (rows->count - at - count) * sizeof *gap);
	rows->count -= count;
}

size_t
rows_end_of(const struct rows *rows, size_t at)
{
	uint32_t depth = rows->items[at].depth;

	for (at++; at < rows->count && rows->items[at].depth > depth;)
		at++;
	return at;
}

size_t
rows_parent_of(const struct rows *rows, size_t at)
{
	uint32_t depth = rows->items[at].depth;

	for (size_t i = at; i > 0 && depth > 0; i--)
		if (rows->items[i - 1].depth < depth)
			return i - 1;
	return at;
}

void
rows_close(struct rows *rows, size_t at)
{
	size_t end = rows_end_of(rows, at);

	rows_remove(rows, at + 1, end - at - 1);
	rows->items[at].fold = FOLD_CLOSED;
}
