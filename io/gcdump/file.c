#include "io/gcdump/file.h"

static bool
keep_report(struct gcdump_file *f, const struct gcdump_graph *g,
	    const uint32_t *counts, struct arena *a, struct error *err)
{
	uint32_t *kept = arena_array(a, uint32_t, g->types_count, err);
	uint8_t *table = arena_array(a, uint8_t, g->table.count, err);

	if (!kept || !table)
		return false;
	if (g->types_count) {
		memcpy(kept, counts, g->types_count * sizeof(*kept));
		memcpy(table, g->table.data, g->table.count);
	}
	f->total_bytes = g->total_bytes;
	f->nodes_count = g->nodes_count;
	f->types_count = g->types_count;
	f->counts = kept;
	f->table = table;
	f->table_len = (size_t)g->table.count;
	return true;
}

bool
gcdump_file_keep(const struct gcdump_graph *g, const uint32_t *counts,
		 const char *damage, struct heap_builder *b, struct error *err)
{
	struct arena *a = heap_builder_arena(b);
	struct gcdump_file *f = arena_new(a, struct gcdump_file, err);

	if (!f)
		return false;
	f->damage = damage;
	heap_builder_info(b)->gcdump = f;
	return damage || keep_report(f, g, counts, a, err);
}
