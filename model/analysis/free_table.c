/* Free blocks as a table, with the object that follows each. If that object is pinned, it is why a
   collection could not close the gap. */
#include "model/table/object_columns.h"
#include "model/table/root_text.h"
#include "model/analysis/segments.h"
#include "model/analysis/tables.h"
#include "model/base/format.h"
#include "model/base/quantity.h"
#include "model/heap/memory.h"

enum { LARGE_BYTES = 512 << 10 };

struct block {
	uint64_t address, bytes;
	node_id next; /* object that follows; NODE_NONE: none in the segment */
};

struct made {
	struct block *blocks;
	uint32_t count;
	uint64_t least_bytes, shown_bytes, all_bytes;
};

/* --- making rows --------------------------------------------------------- */

static bool
parse_least(const char *text, uint64_t *bytes, struct error *err)
{
	*bytes = LARGE_BYTES;
	return !*text || quantity_parse_size("the smallest block", text, bytes, err);
}

static bool
accepts(const struct facts *f, const struct subject *about, struct error *err)
{
	uint64_t bytes;

	(void)f;
	return parse_least(about->text, &bytes, err);
}

static node_id
object_behind(const struct heap *h, const struct heap_free_block *block)
{
	node_id next = addresses_rank(h->addresses, block->address);

	return next < h->nodes_count && heap_memory_segment(h->memory, heap_address(h, next)) ==
					    heap_memory_segment(h->memory, block->address)
		   ? next
		   : NODE_NONE;
}

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	const struct heap_memory *memory = f->heap->memory;
	struct made *m = made;

	(void)progress;
	if (!parse_least(about->text, &m->least_bytes, err))
		return false;
	m->blocks = memory_new((size_t)memory->free_blocks_count + 1, sizeof *m->blocks, err);
	for (uint32_t i = 0; m->blocks && i < memory->free_blocks_count; i++) {
		const struct heap_free_block *b = &memory->free_blocks[i];

		m->all_bytes += b->bytes;
		if (b->bytes < m->least_bytes)
			continue;
		m->shown_bytes += b->bytes;
		m->blocks[m->count++] =
		    (struct block){ b->address, b->bytes, object_behind(f->heap, b) };
	}
	return m->blocks != NULL;
}

static void
clear(void *made)
{
	struct made *m = made;

	memory_free(m->blocks);
}

/* --- cells --------------------------------------------------------------- */

static const struct block *
block_of(const struct cells *in, const struct row *row)
{
	const struct made *m = in->rows;

	return &m->blocks[row->data];
}

static void
cell_gen(const struct cells *in, const struct row *row, struct value *out)
{
	value_generation(out, segments_generation_at(in->facts->heap, block_of(in, row)->address));
}

static void
cell_heap(const struct cells *in, const struct row *row, struct value *out)
{
	heap_of_address(in->facts, block_of(in, row)->address, out);
}

/* Writes the root that pins the object: a handle or a stack location. */
static void
cell_pinned(const struct cells *in, const struct row *row, struct value *out)
{
	const struct root *root =
	    row->node != NODE_NONE ? heap_pinning_root(in->facts->heap, row->node) : NULL;

	if (root)
		describe_root_value(root, out);
	else
		value_text(out, STYLE_DIM, "not pinned");
}

/* --- heading ------------------------------------------------------------- */

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct made *m = in->rows;
	char least[FORMAT_BYTES], shown[FORMAT_BYTES], all[FORMAT_BYTES], share[FORMAT_BYTES];

	if (line)
		return false;
	value_printf(out, STYLE_NORMAL,
		     "free blocks of %s or more: %s of all %s free (%s); :free 24 shows all; each "
		     "row names the object that follows",
		     format_size(m->least_bytes, least), format_size(m->shown_bytes, shown),
		     format_size(m->all_bytes, all),
		     format_share(m->shown_bytes, m->all_bytes, share));
	return true;
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id         title        width sorts cell          help                                         rank flags needs */
	{ "address",  "Address",   14,   UP,   ADDRESS_AT(struct block, address), "address of the free block",                 2, 0, 0 },
	{ "bytes",    "Free",      10,   DOWN, EXACT_BYTES_AT(struct block, bytes),   "bytes of the free block",                   0, 0, 0 },
	{ "gen",      "Gen",       -6,   UP,   CELL(VALUE_TEXT, cell_gen),     "generation of its segment",                 3, 0, 0 },
	{ "heap",     "Heap",      5,    UP,   CELL(VALUE_PLAIN, cell_heap),    "heap of server GC, from 0",                 6, 0, 0 },
	{ "type",     "Followed by", FILL, UP, OBJECT_TYPE,    "type of the object that follows",           0, 0, 0 },
	{ "object",   "Object",    14,   UP,   OBJECT_ADDRESS,  "address of that object",                    4, 0, 0 },
	{ "size",     "Size",      10,   DOWN, OBJECT_SIZE,    "bytes of that object",                      5, 0, 0 },
	{ "pinned",   "Pinned by", -24,  UP,   CELL(VALUE_TEXT, cell_pinned),  "root that pins that object: a handle, or a stack", 1, 0, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "listing free blocks",
	ROWS_IN(struct made, blocks, count),
	ROW_NODE(struct block, next),
	.accepts = accepts,
	.make = make,
	.clear = clear,
};

const struct table free_table = {
	.name = "free",
	.columns = columns,
	.heaps = OF_MEMORY,
	.contents = "list of free blocks",
	.needs = NEED_OBJECTS,
	.rows = &rows,
	.heading = heading,
};
