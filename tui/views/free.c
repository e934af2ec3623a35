/*
 * Large free blocks and the object behind each: if that is pinned, it is why
 * the space was not taken away. Of heaps from memory alone.
 */
#include "tui/session/describe.h"
#include "model/base/format.h"
#include "tui/tables/object_cells.h"
#include "model/base/quantity.h"
#include "tui/widget/view.h"
#include "model/heap/memory.h"
#include "model/analysis/segments.h"

enum { LARGE_BYTES = 512 << 10 };

struct free_state {
	uint64_t least_bytes;
	uint64_t shown_bytes, all_bytes;
};

static const struct heap_free_block *
block_of(const struct cells *in, const struct row *row)
{
	return &in->facts->heap->memory->free_blocks[row->data];
}

/* The segment that the block is in; NULL: none. */
static const struct heap_segment *
segment_of(const struct cells *in, const struct row *row)
{
	const struct heap_memory *m = in->facts->heap->memory;
	uint32_t at = segments_find(m, block_of(in, row)->address);

	return at == UINT32_MAX ? NULL : &m->segments[at];
}

/* --- cells --------------------------------------------------------------- */

static void
cell_address(const struct cells *in, const struct row *row, struct value *out)
{
	value_address(out, block_of(in, row)->address);
}

static void
cell_bytes(const struct cells *in, const struct row *row, struct value *out)
{
	value_exact_bytes(out, block_of(in, row)->bytes);
}

static void
cell_gen(const struct cells *in, const struct row *row, struct value *out)
{
	value_generation(out, segments_generation_at(
				  in->facts->heap, block_of(in, row)->address));
}

static void
cell_heap(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_segment *s = segment_of(in, row);

	if (s)
		value_plain(out, (uint64_t)s->heap_number);
	else
		value_blank(out);
}

/* The root that pins it: the handle, or what on a stack. */
static void
cell_pinned(const struct cells *in, const struct row *row, struct value *out)
{
	const struct root *roots = NULL;
	uint32_t count = 0;

	if (row->node != NODE_NONE)
		roots = heap_roots_of(in->facts->heap, row->node, &count);
	for (uint32_t i = 0; i < count; i++)
		if (roots[i].is_pinned) {
			describe_root_value(&roots[i], out);
			return;
		}
	value_text(out, STYLE_DIM, "not pinned");
}

/* --- rows ---------------------------------------------------------------- */

/* About the object that follows; of another segment none does. */
static void
row_of_block(const struct view *v, uint32_t item, struct row *out)
{
	const struct heap *h = v->session->heap;
	const struct heap_free_block *f = &h->memory->free_blocks[item];
	node_id next = addresses_rank(h->addresses, f->address);

	if (next < h->nodes_count &&
	    segments_find(h->memory, heap_address(h, next)) ==
		segments_find(h->memory, f->address))
		*out = row_of_node(h, next);
	else
		*out = row_of(ROW_PLAIN);
	out->kind = ROW_PLAIN;
	out->data = out->key = item;
}

static bool
free_rows(struct view *v, struct error *err)
{
	struct free_state *state = v->state;
	const struct heap_memory *m = v->session->heap->memory;
	uint32_t *items, count = 0;

	if (!object_memory_known(v, "list of free blocks", err))
		return false;
	items =
	    memory_new((size_t)m->free_blocks_count + 1, sizeof *items, err);
	if (!items)
		return false;
	state->shown_bytes = state->all_bytes = 0;
	for (uint32_t i = 0; i < m->free_blocks_count; i++) {
		uint64_t bytes = m->free_blocks[i].bytes;

		state->all_bytes += bytes;
		if (bytes < state->least_bytes)
			continue;
		state->shown_bytes += bytes;
		items[count++] = i;
	}
	return view_list_items(v, items, count, err);
}

static bool
free_open(struct view *v, struct error *err)
{
	struct free_state *state = arena_new(&v->arena, struct free_state, err);

	v->state = state;
	if (!state || !object_memory_known(v, "list of free blocks", err))
		return false;
	state->least_bytes = LARGE_BYTES;
	return !*v->target.topic ||
	       quantity_parse_size("the smallest block", v->target.topic,
				   &state->least_bytes, err);
}

static bool
free_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct free_state *state = v->state;
	char least[FORMAT_BYTES], shown[FORMAT_BYTES], all[FORMAT_BYTES],
	    share[FORMAT_BYTES];

	if (line)
		return false;
	value_printf(out, STYLE_NORMAL,
		     "free blocks of %s or more: %s of all %s free (%s); "
		     ":free 24 shows all, and behind each the object that "
		     "follows",
		     format_size(state->least_bytes, least),
		     format_size(state->shown_bytes, shown),
		     format_size(state->all_bytes, all),
		     format_share(state->shown_bytes, state->all_bytes, share));
	return true;
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id         title        width sorts cell          help                                         rank flags needs */
	{ "address",  "Address",   14,   UP,   CELL(VALUE_ADDRESS, cell_address), "of the free block",                         2, 0, 0 },
	{ "bytes",    "Free",      10,   DOWN, CELL(VALUE_BYTES, cell_bytes),   "its bytes",                                 0, 0, 0 },
	{ "gen",      "Gen",       -6,   UP,   CELL(VALUE_TEXT, cell_gen),     "generation of its segment",                 3, 0, 0 },
	{ "heap",     "Heap",      5,    UP,   CELL(VALUE_PLAIN, cell_heap),    "of server GC, from 0",                      6, 0, 0 },
	{ "type",     "Followed by", FILL, UP, OBJECT_TYPE,    "type of the object behind it",              0, 0, 0 },
	{ "object",   "Object",    14,   UP,   OBJECT_ADDRESS,  "address of that",                           4, 0, 0 },
	{ "size",     "Size",      10,   DOWN, OBJECT_SIZE,    "and its bytes",                             5, 0, 0 },
	{ "pinned",   "Pinned by", -24,  UP,   CELL(VALUE_TEXT, cell_pinned),  "what pins it there: a handle, or a stack",  1, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "free", .columns = columns };
static const struct command commands[] = {
	/* name     keys     bar        help, .run, and what differs from nothing */
	{ "enter", "Enter", "inspect", "look into the object that follows", .run = object_inspect, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_free = {
	.command = { .name = "free",
		     .keys = "",
		     .args = { MAY_AS(ARG_TEXT, "SIZE") },
		     .bar = "",
		     .help = "free blocks of SIZE, 512K, or more, and what is "
			     "pinned behind them" },
	.empty = "no block is free, or none is so large; :free lists all of "
		 "them, :segments what each segment has",
	.table = &table,
	.commands = commands,
	.needs = NEED_OBJECTS,
	.flags = VIEW_TELLS | VIEW_MEMORY,
	.sort = "bytes",
	.open = free_open,
	.rows = free_rows,
	.item_row = row_of_block,
	.heading = free_heading,
};
