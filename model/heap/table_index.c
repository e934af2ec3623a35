#include "model/heap/table_index.h"
#include "model/base/sorted.h"

bool
table_index_init(struct table_index *t, const struct heap *h, struct error *err)
{
	const struct heap_memory *m = h->memory;
	size_t types = h->types_count;
	uint32_t at = 0;

	t->heap = h;
	t->firsts = memory_new(types + 1, sizeof(*t->firsts), err);
	if (!t->firsts)
		return false;
	for (size_t i = 0; i <= types; i++) {
		while (at < m->tables_count && m->tables[at].type < i)
			at++;
		t->firsts[i] = at;
	}
	return true;
}

void
table_index_clear(struct table_index *t)
{
	memory_free(t->firsts);
	t->firsts = NULL;
}

uint32_t
table_index_find(const struct table_index *t, type_id type, uint64_t address)
{
	const struct heap_table *tables = t->heap->memory->tables;
	uint32_t at, end = t->firsts[type + 1];

	LOWER_BOUND(at, t->firsts[type], end, tables[at].address < address);
	return at < end && tables[at].address == address ? at : TABLE_NONE;
}

uint32_t
table_index_of(const struct table_index *t, node_id n)
{
	type_id type = heap_type_of(t->heap, n);
	uint32_t first = t->firsts[type];

	return t->firsts[type + 1] - first == 1
		   ? first
		   : table_index_find(t, type, contents_table(t->heap, n));
}
