#include "io/runtime/handles.h"
#include "io/runtime/bounds.h"
#include "model/base/arena.h"
#include "model/base/sorted.h"
#include <stdlib.h>
#include <string.h>

enum {
	HANDLE_MAP = 232, /* in GcDacVars */
	BUCKETS = 10,
	STEPS_MAX = 1 << 24, /* handles and lists together */
	TABLES_MAX = 1024,   /* one per processor */
	KINDS_MIN = 11,
	KINDS_MAX = 16,
	SEGMENT_BYTES = 1 << 16,
	HEADER_BYTES = 4096,
	BLOCKS = 120,
	BLOCK_SLOTS = 64,
	BLOCK_BYTES = BLOCK_SLOTS * 8,
	BLOCK_KINDS = 1560,
	BLOCK_SECONDS = 1680,
	NO_BLOCK = 255,
	LISTS = 1920, /* 6 T bytes, followed by: */
	NEXT_SEGMENT = LISTS,
	OWNER = LISTS + 8,
	BLOCKS_USED = LISTS + 16 + 3,
};

bool
clr_handle_is_weak(enum heap_handle_kind kind)
{
	return kind == HANDLE_WEAK_SHORT || kind == HANDLE_WEAK_LONG ||
	       kind == HANDLE_WEAK_NATIVE_COM || kind == HANDLE_WEAK_INTERIOR;
}

struct reading {
	struct clr_handles *out;
	struct memory_reader *reader;
	const struct memory *memory;
	uint64_t table;
	bool is_server;
	struct clr_bounds bounds;
	struct error *err;
};

/* --- segments --- */

static bool
add_handle(struct reading *g, const struct clr_handle *handle)
{
	struct clr_handles *out = g->out;

	return clr_bounds_step(&g->bounds) &&
	       APPEND(out->items, out->count, out->room, g->err, *handle);
}

/* False: the block is absent. */
static bool
read_block(struct reading *g, uint64_t segment, unsigned block, uint8_t slots[BLOCK_BYTES])
{
	if (memory_copy(g->memory, segment + HEADER_BYTES + block * BLOCK_BYTES, slots,
			BLOCK_BYTES) == BLOCK_BYTES)
		return true;
	g->out->missing_count++;
	memset(slots, 0, BLOCK_BYTES);
	return false;
}

/* False sets `err`: no memory, or too many handles. */
static bool
add_block(struct reading *g, uint64_t segment, unsigned block, uint8_t kind, uint8_t second_block)
{
	uint8_t slots[BLOCK_BYTES], seconds[BLOCK_BYTES];
	bool has_seconds = kind == HANDLE_DEPENDENT && second_block < BLOCKS;

	if (!read_block(g, segment, block, slots))
		return true;
	if (has_seconds)
		has_seconds = read_block(g, segment, second_block, seconds);
	for (unsigned i = 0; i < BLOCK_SLOTS; i++) {
		struct clr_handle h = {
			.address = segment + HEADER_BYTES + block * BLOCK_BYTES + 8 * i,
			.object = bytes_load_u64(slots + 8 * i),
			.kind = kind,
		};

		if (has_seconds)
			h.second = bytes_load_u64(seconds + 8 * i);
		if (h.object && !add_handle(g, &h))
			return false;
	}
	return true;
}

/* Sets *next to the following segment, or 0. */
static bool
read_segment(struct reading *g, uint64_t segment, uint64_t *next)
{
	uint8_t header[HEADER_BYTES];
	uint32_t lists = 6 * g->out->kinds_count;
	unsigned used;

	*next = 0;
	if (segment % SEGMENT_BYTES ||
	    memory_copy(g->memory, segment, header, HEADER_BYTES) != HEADER_BYTES ||
	    bytes_load_u64(header + OWNER + lists) != g->table) {
		g->out->missing_count++;
		return true;
	}
	used = header[BLOCKS_USED + lists];
	for (unsigned i = 0; i < used && i < BLOCKS; i++) {
		uint8_t kind = header[BLOCK_KINDS + i];

		/* The last type holds data of other handles. */
		if (kind < g->out->kinds_count - 1 && kind < HANDLE_KIND_COUNT &&
		    !add_block(g, segment, i, kind, header[BLOCK_SECONDS + i]))
			return false;
	}
	*next = bytes_load_u64(header + NEXT_SEGMENT + lists);
	return true;
}

/* --- tables --- */

static bool
segments_of(struct reading *g, uint32_t kinds, uint64_t *segment)
{
	uint64_t owner;

	return memory_u64(g->reader, g->table + (4 * kinds + 7) / 8 * 8, segment) && *segment &&
	       *segment % SEGMENT_BYTES == 0 &&
	       memory_u64(g->reader, *segment + OWNER + 6 * kinds, &owner) && owner == g->table;
}

/* False: there is no table at g->table. */
static bool
find_segments(struct reading *g, uint64_t *segment)
{
	if (g->out->kinds_count)
		return segments_of(g, g->out->kinds_count, segment);
	for (uint32_t kinds = KINDS_MIN; kinds <= KINDS_MAX; kinds++)
		if (segments_of(g, kinds, segment)) {
			g->out->kinds_count = kinds;
			return true;
		}
	return false;
}

static bool
read_table(struct reading *g, uint64_t segment)
{
	bool is_new;

	g->out->tables_count++;
	for (uint64_t next; segment; segment = next) {
		if (!clr_bounds_step(&g->bounds) || !clr_bounds_visit(&g->bounds, segment, &is_new))
			return false;
		if (!is_new)
			return true;
		if (!read_segment(g, segment, &next))
			return false;
	}
	return true;
}

/* A bucket does not record its number of tables. Each segment names its table, so the first pointer
 * without a valid segment is past the end. */
static bool
read_bucket(struct reading *g, uint64_t bucket)
{
	unsigned limit = g->is_server ? TABLES_MAX : 1;
	uint64_t tables, segment;
	bool is_new;

	if (!memory_u64(g->reader, bucket, &tables)) {
		g->out->missing_count++;
		return true;
	}
	for (unsigned i = 0; i < limit; i++) {
		if (!memory_u64(g->reader, tables + 8 * i, &g->table) || !g->table ||
		    !find_segments(g, &segment)) {
			g->out->missing_count += i == 0;
			break;
		}
		if (i && clr_bounds_has_seen(&g->bounds, g->table))
			break;
		if (!clr_bounds_visit(&g->bounds, g->table, &is_new))
			return false;
		if (!is_new)
			break;
		if (!read_table(g, segment))
			return false;
	}
	return true;
}

static bool
read_map(struct reading *g, uint64_t map, uint64_t *next)
{
	uint64_t buckets, bucket;
	bool is_new;

	if (!memory_u64(g->reader, map, &buckets) || !memory_u64(g->reader, map + 8, next)) {
		g->out->missing_count++;
		*next = 0;
		return true;
	}
	if (!clr_bounds_visit(&g->bounds, buckets, &is_new))
		return false;
	for (unsigned i = 0; is_new && i < BUCKETS; i++) {
		if (!memory_u64(g->reader, buckets + 8 * i, &bucket)) {
			g->out->missing_count++;
			break;
		}
		if (bucket && !read_bucket(g, bucket))
			return false;
	}
	return true;
}

static bool
read_maps(struct reading *g, uint64_t map)
{
	bool is_new;

	for (uint64_t next; map; map = next) {
		if (!clr_bounds_step(&g->bounds) || !clr_bounds_visit(&g->bounds, map, &is_new))
			return false;
		if (!is_new)
			return true;
		if (!read_map(g, map, &next))
			return false;
	}
	return true;
}

/* --- all handles --- */

bool
clr_handles_read(struct clr_handles *out, struct memory_reader *r, uint64_t map, bool is_server,
		 struct progress *progress, struct error *err)
{
	struct reading g = { .out = out,
			     .reader = r,
			     .memory = memory_reader_memory(r),
			     .is_server = is_server,
			     .bounds = { .steps_left = STEPS_MAX,
					 .progress = progress,
					 .missing_count = &out->missing_count,
					 .err = err },
			     .err = err };
	bool is_good;

	memset(out, 0, sizeof(*out));
	is_good = read_maps(&g, map) || g.bounds.is_used_up;
	out->missing_count += g.bounds.is_used_up;
	clr_bounds_clear(&g.bounds);
	if (!is_good)
		clr_handles_clear(out);
	else
		SORT_BY(out->items, out->count, address);
	return is_good;
}

bool
clr_handles_read_all(struct clr_handles *out, const struct clr_heaps *heaps,
		     struct progress *progress, struct error *err)
{
	const struct clr_runtime *rt = heaps->runtime;
	uint64_t map;

	if (memory_u64(rt->reader, rt->gc_vars + HANDLE_MAP, &map))
		return clr_handles_read(out, rt->reader, map, heaps->is_server, progress, err);
	*out = (struct clr_handles){ .missing_count = 1 };
	return true;
}

void
clr_handles_clear(struct clr_handles *handles)
{
	memory_free(handles->items);
	memset(handles, 0, sizeof(*handles));
}

const struct clr_handle *
clr_handles_find(const struct clr_handles *handles, uint64_t address)
{
	size_t at;

	LOWER_BOUND(at, 0, handles->count, handles->items[at].address < address);
	return at < handles->count && handles->items[at].address == address ? &handles->items[at]
									    : NULL;
}
