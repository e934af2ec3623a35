/*
 * What is at an address: the object there, the objects before and after it, and the gaps between.
 * The objects are verified.
 */
#include "model/base/sorted.h"
#include "tui/session/describe.h"
#include "model/base/format.h"
#include "tui/tables/object_commands.h"
#include "tui/widget/view.h"
#include "model/heap/memory.h"
#include <string.h>
#include <inttypes.h>

enum { ITEMS_MAX = 64, OBJECTS_MAX = 3, OBJECT_UNIT = 8 };

enum near_kind { NEAR_OBJECT, NEAR_FREE, NEAR_HOLE, NEAR_NOTHING };

/* A piece of the heap. Pieces ascend, and each begins where the last ends. */
struct near {
	uint64_t start, end;
	node_id node; /* of NEAR_OBJECT */
	enum near_kind kind;
	const char *reason;  /* of NEAR_HOLE */
	const char *finding; /* of NEAR_OBJECT: its first fault, or NULL */
};

struct near_state {
	struct near items[ITEMS_MAX];
	uint32_t count;
	uint64_t address;
	bool is_verified, has_memory, is_cut;
};

static const struct near *
near_of(const struct cells *in, const struct row *row)
{
	return &((const struct near_state *)in->rows)->items[row->data];
}

static const struct row_source rows = {
	ROWS_INSIDE(struct near_state, items, count),
	ROW_NODE(struct near, node),
};

/* --- cells --------------------------------------------------------------- */

static void
cell_where(const struct cells *in, const struct row *row, struct value *out)
{
	const struct near_state *state = in->rows;
	const struct near *n = near_of(in, row);

	if (n->end <= state->address)
		value_text(out, STYLE_DIM, "before");
	else if (n->start > state->address)
		value_text(out, STYLE_DIM, "after");
	else
		value_text(out, STYLE_NORMAL, n->start == state->address ? "at" : "around");
}

static void
cell_bytes(const struct cells *in, const struct row *row, struct value *out)
{
	const struct near *n = near_of(in, row);

	value_exact_bytes(out, n->end - n->start);
}

static void
cell_what(const struct cells *in, const struct row *row, struct value *out)
{
	const struct near_state *state = in->rows;
	const struct near *n = near_of(in, row);

	switch (n->kind) {
	case NEAR_OBJECT:
		facts_type_cell(in->facts, row->type, out);
		break;
	case NEAR_FREE:
		value_text(out, STYLE_DIM, "free");
		break;
	case NEAR_HOLE:
		value_printf(out, STYLE_WARNING, "cannot be walked: %.200s", n->reason);
		break;
	case NEAR_NOTHING:
		value_text(out, STYLE_DIM,
			   state->has_memory
			       ? "no object: allocation context of a thread"
			       : "unknown: only heaps read from memory record free space");
		break;
	}
}

static void
cell_check(const struct cells *in, const struct row *row, struct value *out)
{
	const struct near_state *state = in->rows;
	const struct near *n = near_of(in, row);

	if (n->kind != NEAR_OBJECT || !state->is_verified)
		value_blank(out);
	else
		value_text(out, n->finding ? STYLE_WARNING : STYLE_NORMAL,
			   n->finding ? n->finding : "good");
}

/* --- what is there ------------------------------------------------------- */

static uint64_t
end_of(const struct heap *h, node_id n)
{
	uint64_t bytes = heap_size(h, n) + OBJECT_UNIT - 1;

	return heap_address(h, n) + bytes / OBJECT_UNIT * OBJECT_UNIT;
}

static void
add(struct near_state *state, const struct near *n)
{
	if (n->start >= n->end)
		return;
	/* Pieces ascend: drop those farthest before the address. */
	if (state->count == ITEMS_MAX && n->start <= state->address) {
		state->is_cut = true;
		state->count = ITEMS_MAX / 2;
		memmove(state->items, state->items + ITEMS_MAX - state->count,
			state->count * sizeof(*state->items));
	}
	if (state->count < ITEMS_MAX)
		state->items[state->count++] = *n;
	else
		state->is_cut = true;
}

/* Returns the index of the first free block that ends after the address. */
static uint32_t
first_block(const struct heap_memory *m, uint64_t address)
{
	uint32_t at;

	LOWER_BOUND(at, 0, m->free_blocks_count,
		    m->free_blocks[at].address + m->free_blocks[at].bytes <= address);
	return at;
}

/* Adds a stretch without free blocks as pieces: the holes that could not be walked, and the rest.
 */
static void
add_hole(struct near_state *state, const struct heap_memory *m, uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; i < m->holes_count; i++) {
		const struct heap_hole *hole = &m->holes[i];

		if (hole->end <= start || hole->start >= end)
			continue;
		add(state,
		    &(struct near){ start, hole->start, NODE_NONE, NEAR_NOTHING, NULL, NULL });
		start = hole->start > start ? hole->start : start;
		add(state, &(struct near){ start, hole->end < end ? hole->end : end, NODE_NONE,
					   NEAR_HOLE, hole->reason, NULL });
		start = hole->end;
	}
	add(state, &(struct near){ start, end, NODE_NONE, NEAR_NOTHING, NULL, NULL });
}

/* Adds the gap between two objects: free blocks, and what lies between those. */
static void
add_gap(struct near_state *state, const struct heap_memory *m, uint64_t start, uint64_t end)
{
	static const struct heap_memory nothing = { 0 };

	if (!m)
		m = &nothing;
	for (uint32_t i = first_block(m, start);
	     i < m->free_blocks_count && m->free_blocks[i].address < end; i++) {
		const struct heap_free_block *b = &m->free_blocks[i];

		add_hole(state, m, start, b->address);
		add(state, &(struct near){ b->address, b->address + b->bytes, NODE_NONE, NEAR_FREE,
					   NULL, NULL });
		start = b->address + b->bytes;
	}
	add_hole(state, m, start, end);
}

/* Finds the range that contains the address. A heap without ranges counts as
   one range. */
static bool
find_range(const struct heap *h, uint64_t address, struct range *out, struct error *err)
{
	char text[24];

	*out = (struct range){ .end = UINT64_MAX, .count = h->nodes_count };
	for (uint32_t i = 0; i < h->ranges_count; i++) {
		*out = h->ranges[i];
		if (address >= out->start && address < out->end)
			return true;
	}
	return !h->ranges_count ||
	       error_set(err, ERROR_USAGE,
			 "%s is not in the heap: no segment contains it; :segments lists them",
			 address_format(address, text));
}

static void
add_objects(struct near_state *state, const struct heap *h, const struct range *r)
{
	node_id i, first, last;
	uint64_t at;

	/* The first object that starts after the address. */
	LOWER_BOUND(i, r->first, r->first + r->count, heap_address(h, i) <= state->address);
	first = i > r->first ? i - 1 : i;
	if (first > r->first && end_of(h, first) > state->address)
		first--;
	last = i < r->first + r->count ? i + 1 : i;
	at = first == r->first && r->end != UINT64_MAX ? r->start
	     : first < last                            ? heap_address(h, first)
						       : r->end;
	for (node_id n = first; n < last; n++) {
		add_gap(state, h->memory, at, heap_address(h, n));
		add(state,
		    &(struct near){ heap_address(h, n), end_of(h, n), n, NEAR_OBJECT, NULL, NULL });
		at = end_of(h, n);
	}
	if (last == r->first + r->count && r->end != UINT64_MAX)
		add_gap(state, h->memory, at, r->end);
}

/* --- verifying ----------------------------------------------------------- */

struct verifying {
	const struct heap *heap;
	node_id nodes[OBJECTS_MAX + 1];
	const char *findings[OBJECTS_MAX + 1];
	unsigned count;
};

static const char *
first_fault(const struct faults *faults)
{
	for (size_t i = 0; i < faults->count; i++)
		if (!faults->items[i].is_excused)
			return fault_name((enum fault_kind)faults->items[i].kind);
	return NULL;
}

static bool
run_verifying(void *context, struct progress *progress, struct error *err)
{
	struct verifying *job = context;
	const struct heap_memory *m = job->heap->memory;

	for (unsigned i = 0; i < job->count; i++) {
		struct faults faults = { 0 };
		bool is_good =
		    m->contents->verify(m->source, job->nodes[i], &faults, progress, err);

		if (is_good && faults.total > faults.excused)
			job->findings[i] = first_fault(&faults);
		faults_clear(&faults);
		if (!is_good)
			return false;
	}
	return true;
}

static bool
show_near(struct view *v, struct error *err)
{
	struct near_state *state = v->state;

	return view_show_all(v, state->count, err);
}

static void
verifying_done(struct view *v, void *context, bool ok)
{
	struct near_state *state = v->state;
	struct verifying *job = context;
	struct error ignored = { 0 };
	unsigned next = 0;

	state->is_verified = ok;
	for (uint32_t i = 0; ok && i < state->count; i++)
		if (state->items[i].kind == NEAR_OBJECT && next < job->count)
			state->items[i].finding = job->findings[next++];
	if (!show_near(v, &ignored))
		v->rows_count = 0;
	memory_free(job);
}

static bool
verify_objects(struct view *v, struct error *err)
{
	const struct near_state *state = v->state;
	struct verifying *job = memory_new(1, sizeof *job, err);

	if (!job)
		return false;
	job->heap = v->session->heap;
	for (uint32_t i = 0; i < state->count; i++)
		if (state->items[i].kind == NEAR_OBJECT && job->count <= OBJECTS_MAX)
			job->nodes[job->count++] = state->items[i].node;
	return view_run(v, "verifying what is there", run_verifying, verifying_done, job, err);
}

/* --- the view ------------------------------------------------------------ */

static bool
near_open(struct view *v, struct error *err)
{
	char text[24];

	if (v->target.node != NODE_NONE)
		v->target.address = heap_address(v->session->heap, v->target.node);
	snprintf(v->title, sizeof v->title, "near %s", address_format(v->target.address, text));
	v->state = arena_new(&v->arena, struct near_state, err);
	return v->state != NULL;
}

static bool
near_rows(struct view *v, struct error *err)
{
	const struct heap *h = v->session->heap;
	struct near_state *state = v->state;
	struct range range;

	if (state->count)
		return show_near(v, err);
	state->address = v->target.address;
	state->has_memory = h->memory;
	if (!find_range(h, state->address, &range, err))
		return false;
	add_objects(state, h, &range);
	if (h->memory && h->memory->contents)
		return verify_objects(v, err);
	return show_near(v, err);
}

static void
describe_place(const struct near_state *state, struct value *out)
{
	char at[24], start[24];

	address_format(state->address, at);
	for (uint32_t i = 0; i < state->count; i++) {
		const struct near *n = &state->items[i];

		if (state->address < n->start || state->address >= n->end)
			continue;
		if (n->kind != NEAR_OBJECT)
			break;
		if (n->start == state->address)
			value_printf(out, STYLE_NORMAL, "an object starts at %s", at);
		else
			value_printf(
			    out, STYLE_NORMAL, "%s is %" PRIu64 " byte%s into the object at %s", at,
			    state->address - n->start, state->address - n->start == 1 ? "" : "s",
			    address_format(n->start, start));
		return;
	}
	value_printf(out, STYLE_NORMAL, "no object is at %s", at);
}

static bool
near_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct near_state *state = v->state;
	unsigned bad = 0;

	if (line == 0)
		describe_place(state, out);
	if (line != 1)
		return line == 0;
	for (uint32_t i = 0; i < state->count; i++)
		bad += state->items[i].kind == NEAR_HOLE || state->items[i].finding;
	if (bad)
		value_text(out, STYLE_WARNING,
			   "something is wrong here; :verify ADDRESS shows what");
	else if (state->is_cut)
		value_printf(out, STYLE_DIM, "only the nearest %u pieces are shown",
			     (unsigned)state->count);
	else if (state->is_verified)
		value_text(out, STYLE_DIM,
			   "nothing is wrong: each piece begins where the one before ends");
	else
		value_text(out, STYLE_DIM,
			   "only heaps read from memory can be verified: a core, or a process with "
			   "-m");
	return true;
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts     cell        help                                                   rank flags needs */
	{ "where",   "Where",   -7,   UNSORTED, CELL(VALUE_TEXT, cell_where), "before, at or after the address, or around it",         0, 0, 0 },
	{ "address", "Address", 14,   UP,       ADDRESS_AT(struct near, start), "where it begins",                                       0, 0, 0 },
	{ "end",     "End",     14,   UP,       ADDRESS_AT(struct near, end),   "the first byte after it",                              2, 0, 0 },
	{ "bytes",   "Bytes",   9,    DOWN,     CELL(VALUE_BYTES, cell_bytes), "its length",                                                 1, 0, 0 },
	{ "type",    "What",    FILL, UP,       CELL(VALUE_TEXT, cell_what),  "type of the object, free, or why it is unknown",         0, 0, 0 },
	GENERATION_COLUMN(UP, 4),
	{ "check",   "Check",   -12,  UP,       CELL(VALUE_TEXT, cell_check), "good, or what verify found first",                      1, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "near", .columns = columns, .rows = &rows };
static const struct command commands[] = {
	OBJECT_INSPECT("inspect the object"),
	{ 0 },
};
/* clang-format on */

static const struct view_code near_code = {
	.open = near_open,
	.rows = near_rows,
	.heading = near_heading,
};

const struct view_ops view_near = {
	.command = { .name = "near",
		     .args = { MUST(ARG_OBJECT) },
		     .help = "what is at an address, and what is before and after it" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "nothing is known about that place; :segments "
			      "shows where the heap is" },
	.list = { .needs = NEED_OBJECTS,
		  .takes_also = TAKES_ADDRESS,
		  .flags = VIEW_PRINTS_HEADING },
	.code = &near_code,
};
