#include "model/heap/object_bytes.h"
#include "model/base/load.h"

enum {
	LAYOUT_BYTES_MAX = 64 << 20,
	STEPS_MAX = 32, /* beyond this, seek to an object rather than step to it */
};

enum layout_state { LAYOUT_UNASKED, LAYOUT_KNOWN, LAYOUT_ABSENT };

bool
object_bytes_init(struct object_bytes *b, const struct heap *h, struct error *err)
{
	size_t tables = (size_t)h->memory->tables_count + 1;

	*b = (struct object_bytes){ .heap = h, .node = NODE_NONE };
	arena_init(&b->arena, 0);
	b->piece = memory_new(OBJECT_PIECE, 1, err);
	b->layouts = memory_new(tables, sizeof(*b->layouts), err);
	b->states = memory_new(tables, sizeof(*b->states), err);
	return b->piece && b->layouts && b->states && table_index_init(&b->tables, h, err);
}

void
object_bytes_clear(struct object_bytes *b)
{
	memory_free(b->piece);
	memory_free(b->layouts);
	memory_free(b->states);
	table_index_clear(&b->tables);
	arena_clear(&b->arena);
}

uint64_t
object_bytes_address(struct object_bytes *b, node_id n)
{
	if (b->node == n)
		return b->node_address;
	if (b->node == NODE_NONE || n < b->scan.next || n - b->scan.next > STEPS_MAX)
		addresses_scan_init(&b->scan, b->heap->addresses, n);
	while (b->scan.next <= n && addresses_scan_next(&b->scan, &b->node_address))
		;
	b->node = n;
	return b->node_address;
}

const uint8_t *
object_bytes_at(struct object_bytes *b, uint64_t address, size_t len)
{
	const struct heap_memory *m = b->heap->memory;

	if (address < b->address || address - b->address > b->len ||
	    b->len - (address - b->address) < len) {
		b->address = address;
		b->len = m->contents->bytes(m->source, address, b->piece, OBJECT_PIECE);
	}
	return b->len < len ? NULL : b->piece + (address - b->address);
}

/* Fails if the process changed the object's method table meanwhile. */
static enum layout_state
ask(struct object_bytes *b, node_id n, uint64_t table, struct content_layout *layout)
{
	const struct heap_memory *m = b->heap->memory;
	struct error ignored = { 0 };

	return b->arena.used_bytes <= LAYOUT_BYTES_MAX &&
		       m->contents->layout(m->source, n, layout, &b->arena, &ignored) &&
		       layout->table == table
		   ? LAYOUT_KNOWN
		   : LAYOUT_ABSENT;
}

const struct content_layout *
object_bytes_layout(struct object_bytes *b, node_id n)
{
	const uint8_t *at = object_bytes_at(b, object_bytes_address(b, n), 8);
	uint64_t table;
	uint32_t i;

	if (!at)
		return NULL;
	table = load_bytes(at, 8) & ~CONTENT_MARKS;
	i = table_index_find(&b->tables, heap_type_of(b->heap, n), table);
	if (i == TABLE_NONE)
		return NULL;
	if (b->states[i] == LAYOUT_UNASKED)
		b->states[i] = (uint8_t)ask(b, n, table, &b->layouts[i]);
	return b->states[i] == LAYOUT_KNOWN ? &b->layouts[i] : NULL;
}

bool
object_bytes_count(struct object_bytes *b, const struct content_layout *layout, node_id n,
		   uint32_t *count)
{
	uint64_t address = object_bytes_address(b, n);
	const uint8_t *at = object_bytes_at(b, address + layout->count_at, 4);

	if (!at)
		return false;
	*count = (uint32_t)load_bytes(at, 4);
	return (uint64_t)layout->element_bytes * *count <=
	       elements_room(layout, heap_size(b->heap, n));
}
