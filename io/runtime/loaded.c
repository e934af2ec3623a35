#include "io/runtime/loaded.h"
#include "io/runtime/bounds.h"
#include "model/base/sorted.h"
#include <stdlib.h>
#include <string.h>

enum {
	LIST_BLOCK = 8, /* of the list: first block */
	BLOCK_COUNT = 8,
	BLOCK_ITEMS = 16,
	BLOCKS_MAX = 1 << 16,
	MODULES_MAX = 1 << 16,
	ASSEMBLY_MODULE = 16,
	ASSEMBLY_MODULE_8 = 24,

	MAP_ENTRIES = 8,
	MAP_COUNT = 16,
	MAP_MASK = 24,
	MAPS_MAX = 1 << 12,

	HASH_BUCKETS = 16,
	BUCKETS_FIRST = 3, /* in words */
	BUCKETS_MAX = 1 << 22,
	CHAIN_MAX = 1 << 16,
	HANDLE_FLAGS = 3, /* bit 1: a type description */

	TYPES_MAX = 1 << 22,
	STEPS_MAX = 1 << 24, /* of all lists together */
};

struct loading {
	struct clr_loaded *out;
	const struct clr_runtime *rt;
	struct memory_reader *reader;
	struct clr_bounds bounds;
	struct error *err;
};

/* Counts an absent part and continues. */
static bool
skip_absent(struct loading *g)
{
	g->out->missing_count++;
	return true;
}

static bool
add_table(struct loading *g, uint64_t table)
{
	struct clr_loaded *out = g->out;

	if (!table)
		return true;
	if (out->count >= TYPES_MAX)
		return skip_absent(g);
	return APPEND(out->tables, out->count, out->room, g->err, table);
}

static bool
add_module(struct loading *g, uint64_t module)
{
	struct clr_loaded *out = g->out;

	return APPEND(out->modules, out->modules_count, out->modules_room, g->err, module);
}

/* --- types of a module --- */

static bool
read_entries(struct loading *g, uint64_t entries, uint32_t count, uint64_t flags)
{
	uint64_t entry;

	for (uint32_t i = 0; i < count; i++) {
		if (!clr_bounds_step(&g->bounds))
			return false;
		if (!memory_u64(g->reader, entries + 8 * (uint64_t)i, &entry))
			return skip_absent(g);
		if (!add_table(g, entry & ~flags))
			return false;
	}
	return true;
}

static bool
read_definitions(struct loading *g, uint64_t map)
{
	uint64_t next = map, entries, flags;
	uint32_t count;
	bool is_new;

	for (int i = 0; next && i < MAPS_MAX; i++) {
		map = next;
		if (!clr_bounds_step(&g->bounds) || !clr_bounds_visit(&g->bounds, map, &is_new))
			return false;
		if (!is_new)
			return true;
		if (!memory_u64(g->reader, map, &next) ||
		    !memory_u64(g->reader, map + MAP_ENTRIES, &entries) ||
		    !memory_u32(g->reader, map + MAP_COUNT, &count) ||
		    !memory_u64(g->reader, map + MAP_MASK, &flags))
			return skip_absent(g);
		if (!read_entries(g, entries, count, flags))
			return false;
	}
	return true;
}

static bool
read_bucket(struct loading *g, uint64_t entry)
{
	uint64_t handle;

	for (int i = 0; entry && !(entry & 1) && i < CHAIN_MAX; i++) {
		if (!clr_bounds_step(&g->bounds))
			return false;
		if (!memory_u64(g->reader, entry, &handle) ||
		    !memory_u64(g->reader, entry + 8, &entry))
			return skip_absent(g);
		if (!(handle & 2) && !add_table(g, handle & ~(uint64_t)HANDLE_FLAGS))
			return false;
	}
	return true;
}

static bool
read_instances(struct loading *g, uint64_t hash)
{
	uint64_t buckets, count, entry;

	if (!memory_u64(g->reader, hash + HASH_BUCKETS, &buckets))
		return skip_absent(g);
	if (!buckets)
		return true;
	if (!memory_u64(g->reader, buckets, &count) || count > BUCKETS_MAX)
		return skip_absent(g);
	for (uint64_t i = 0; i < count; i++) {
		if (!clr_bounds_step(&g->bounds))
			return false;
		if (!memory_u64(g->reader, buckets + 8 * (BUCKETS_FIRST + i), &entry))
			return skip_absent(g);
		if (!read_bucket(g, entry))
			return false;
	}
	return true;
}

static bool
read_module(struct loading *g, uint64_t module)
{
	const struct clr_layout *layout = &g->rt->layout;
	uint64_t hash;
	bool is_new;

	if (!clr_bounds_visit(&g->bounds, module, &is_new))
		return false;
	if (!is_new)
		return true;
	if (!add_module(g, module))
		return false;
	if (clr_has(layout, CLR_MODULE_TYPE_DEFS) &&
	    !read_definitions(g, module + layout->offset[CLR_MODULE_TYPE_DEFS]))
		return false;
	if (!clr_has(layout, CLR_MODULE_TYPE_PARAMS))
		return true;
	if (!clr_u64(layout, g->reader, module, CLR_MODULE_TYPE_PARAMS, &hash))
		return skip_absent(g);
	return !hash || read_instances(g, hash);
}

/* --- assemblies --- */

/* True if the item is an assembly: its module points back to it. */
static bool
is_assembly(struct loading *g, uint64_t item, uint64_t module)
{
	uint64_t back;

	return clr_u64(&g->rt->layout, g->reader, module, CLR_MODULE_ASSEMBLY, &back) &&
	       back == item;
}

static bool
module_of(struct loading *g, uint64_t item, uint64_t *module)
{
	uint64_t assembly;

	if (g->rt->layout.facts->has_domain_assemblies)
		return memory_u64(g->reader, item + ASSEMBLY_MODULE_8, module);
	if (memory_u64(g->reader, item + ASSEMBLY_MODULE, module) && is_assembly(g, item, *module))
		return true;
	return memory_u64(g->reader, item, &assembly) &&
	       memory_u64(g->reader, assembly + ASSEMBLY_MODULE, module);
}

static bool
read_block(struct loading *g, uint64_t block, uint32_t count, uint32_t *left)
{
	uint64_t item, module;

	for (uint32_t i = 0; i < count && *left; i++, --*left) {
		if (!clr_bounds_step(&g->bounds))
			return false;
		if (!memory_u64(g->reader, block + BLOCK_ITEMS + 8 * i, &item))
			return skip_absent(g);
		if (!item)
			continue; /* unloaded */
		if (!module_of(g, item, &module))
			skip_absent(g);
		else if (module && !read_module(g, module))
			return false;
	}
	return true;
}

static bool
read_assemblies(struct loading *g, uint64_t list)
{
	uint64_t block = list + LIST_BLOCK, next;
	uint32_t left, count;

	if (!memory_u32(g->reader, list, &left) || left > MODULES_MAX)
		return skip_absent(g);
	for (int i = 0; block && left && i < BLOCKS_MAX; i++, block = next) {
		if (!clr_bounds_step(&g->bounds))
			return false;
		if (!memory_u64(g->reader, block, &next) ||
		    !memory_u32(g->reader, block + BLOCK_COUNT, &count))
			return skip_absent(g);
		if (!read_block(g, block, count, &left))
			return false;
	}
	return !left || skip_absent(g);
}

static void
sort_tables(struct clr_loaded *out)
{
	size_t kept = 0;

	SORT_NUMBERS(out->tables, out->count);
	for (size_t i = 0; i < out->count; i++)
		if (!kept || out->tables[kept - 1] != out->tables[i])
			out->tables[kept++] = out->tables[i];
	out->count = kept;
}

bool
clr_loaded_read(struct clr_loaded *out, const struct clr_runtime *rt, struct progress *progress,
		struct error *err)
{
	struct loading g = {
		.out = out,
		.rt = rt,
		.reader = rt->reader,
		.bounds = { .steps_left = STEPS_MAX,
			    .progress = progress,
			    .missing_count = &out->missing_count,
			    .err = err },
		.err = err,
	};
	bool is_good;

	memset(out, 0, sizeof(*out));
	if (!rt->app_domain || !clr_has(&rt->layout, CLR_APP_DOMAIN_ASSEMBLIES))
		return true;
	is_good =
	    read_assemblies(&g, rt->app_domain + rt->layout.offset[CLR_APP_DOMAIN_ASSEMBLIES]);
	clr_bounds_clear(&g.bounds);
	out->missing_count += g.bounds.is_used_up;
	if (!is_good && !g.bounds.is_used_up) {
		clr_loaded_clear(out);
		return false;
	}
	sort_tables(out);
	return true;
}

void
clr_loaded_clear(struct clr_loaded *loaded)
{
	memory_free(loaded->tables);
	memory_free(loaded->modules);
	memset(loaded, 0, sizeof(*loaded));
}
