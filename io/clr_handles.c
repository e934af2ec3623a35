#include "io/clr_handles.h"
#include "model/arena.h"
#include <stdlib.h>
#include <string.h>

enum {
	BUCKETS = 10,
	MAPS_MAX = 1 << 16,
	TABLES_MAX = 1024, /* processors */
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
	LISTS = 1920, /* T times 6 bytes, then: */
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
	struct error *err;
};

/*
 * A chain that leads back into itself is left where it does: each link is
 * compared with one before, which is moved up at every power of two.
 */
struct chain {
	uint64_t before;
	uint32_t steps, limit;
};

static bool
chain_goes_on(struct chain *c, uint64_t next)
{
	if (!next || next == c->before)
		return false;
	if (c->steps++ == c->limit) {
		c->before = next;
		c->limit = 2 * c->limit + 1;
	}
	return true;
}

/* --- segments --- */

static bool
add_handle(struct reading *g, const struct clr_handle *handle)
{
	struct clr_handles *out = g->out;

	if (!memory_make_room(&out->items, out->count, &out->room,
			      sizeof(*out->items), g->err))
		return false;
	out->items[out->count++] = *handle;
	return true;
}

/* False: not in memory. */
static bool
read_block(struct reading *g, uint64_t segment, unsigned block,
	   uint8_t slots[BLOCK_BYTES])
{
	if (memory_copy(g->memory, segment + HEADER_BYTES + block * BLOCK_BYTES,
			slots, BLOCK_BYTES) == BLOCK_BYTES)
		return true;
	g->out->missing_count++;
	memset(slots, 0, BLOCK_BYTES);
	return false;
}

/* False: no memory of ours. */
static bool
take_block(struct reading *g, uint64_t segment, unsigned block, uint8_t kind,
	   uint8_t second_block)
{
	uint8_t slots[BLOCK_BYTES], seconds[BLOCK_BYTES];
	bool has_seconds = kind == HANDLE_DEPENDENT && second_block < BLOCKS;

	if (!read_block(g, segment, block, slots))
		return true;
	if (has_seconds)
		has_seconds = read_block(g, segment, second_block, seconds);
	for (unsigned i = 0; i < BLOCK_SLOTS; i++) {
		struct clr_handle h = {
			.address = segment + HEADER_BYTES +
				   block * BLOCK_BYTES + 8 * i,
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

/* The segment after it, or 0. */
static bool
take_segment(struct reading *g, uint64_t segment, uint64_t *next)
{
	uint8_t header[HEADER_BYTES];
	uint32_t lists = 6 * g->out->kinds_count;
	unsigned used;

	*next = 0;
	if (segment % SEGMENT_BYTES ||
	    memory_copy(g->memory, segment, header, HEADER_BYTES) !=
		HEADER_BYTES ||
	    bytes_load_u64(header + OWNER + lists) != g->table) {
		g->out->missing_count++;
		return true;
	}
	used = header[BLOCKS_USED + lists];
	for (unsigned i = 0; i < used && i < BLOCKS; i++) {
		uint8_t kind = header[BLOCK_KINDS + i];

		/* The last kind is for what belongs to other handles. */
		if (kind < g->out->kinds_count - 1 &&
		    kind < HANDLE_KIND_COUNT &&
		    !take_block(g, segment, i, kind, header[BLOCK_SECONDS + i]))
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

	return memory_u64(g->reader, g->table + (4 * kinds + 7) / 8 * 8,
			  segment) &&
	       *segment && *segment % SEGMENT_BYTES == 0 &&
	       memory_u64(g->reader, *segment + OWNER + 6 * kinds, &owner) &&
	       owner == g->table;
}

/* False: that is no table. */
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
take_table(struct reading *g, uint64_t segment)
{
	struct chain chain = { 0 };

	g->out->tables_count++;
	for (uint64_t next; chain_goes_on(&chain, segment); segment = next)
		if (!take_segment(g, segment, &next))
			return false;
	return true;
}

/*
 * How many tables there are, nobody says: as many as look like one. Past the
 * last there may be anything, but no segment that belongs to it.
 */
static bool
take_bucket(struct reading *g, uint64_t bucket)
{
	unsigned limit = g->is_server ? TABLES_MAX : 1;
	uint64_t tables, segment, last = 0;

	if (!memory_u64(g->reader, bucket, &tables)) {
		g->out->missing_count++;
		return true;
	}
	for (unsigned i = 0; i < limit; i++) {
		if (!memory_u64(g->reader, tables + 8 * i, &g->table) ||
		    !g->table || g->table == last ||
		    !find_segments(g, &segment)) {
			g->out->missing_count += i == 0;
			break;
		}
		last = g->table;
		if (!take_table(g, segment))
			return false;
	}
	return true;
}

static bool
take_map(struct reading *g, uint64_t map, uint64_t *next)
{
	uint64_t buckets, bucket;

	if (!memory_u64(g->reader, map, &buckets) ||
	    !memory_u64(g->reader, map + 8, next)) {
		g->out->missing_count++;
		*next = 0;
		return true;
	}
	for (unsigned i = 0; i < BUCKETS; i++) {
		if (!memory_u64(g->reader, buckets + 8 * i, &bucket)) {
			g->out->missing_count++;
			break;
		}
		if (bucket && !take_bucket(g, bucket))
			return false;
	}
	return true;
}

/* --- all of them --- */

static int
compare_handles(const void *a, const void *b)
{
	const struct clr_handle *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* In damaged memory two tables may lead to one segment. */
static void
sort_handles(struct clr_handles *out)
{
	size_t kept = 0;

	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items),
		      compare_handles);
	for (size_t i = 0; i < out->count; i++)
		if (!kept ||
		    out->items[kept - 1].address != out->items[i].address)
			out->items[kept++] = out->items[i];
	out->count = kept;
}

bool
clr_handles_read(struct clr_handles *out, struct memory_reader *r, uint64_t map,
		 bool is_server, struct error *err)
{
	struct reading g = { .out = out,
			     .reader = r,
			     .memory = memory_reader_memory(r),
			     .is_server = is_server,
			     .err = err };
	struct chain chain = { 0 };
	uint32_t maps = 0;

	memset(out, 0, sizeof(*out));
	for (uint64_t next; chain_goes_on(&chain, map) && maps < MAPS_MAX;
	     map = next, maps++)
		if (!take_map(&g, map, &next)) {
			clr_handles_clear(out);
			return false;
		}
	sort_handles(out);
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
	size_t low = 0, high = handles->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (handles->items[middle].address == address)
			return &handles->items[middle];
		if (handles->items[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
