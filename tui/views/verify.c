/*
 * What is wrong in a heap that was read from memory, or in one object of it:
 * each finding with the objects around it and what it means. In batch mode the
 * exit code says whether there is one.
 */
#include "tui/session/describe.h"
#include "model/base/format.h"
#include "tui/tables/object_cells.h"
#include "tui/widget/view.h"
#include "model/heap/memory.h"

struct verify_state {
	struct faults faults;
	bool is_verified;
};

static const struct fault *
fault_of(const struct verify_state *state, const struct row *row)
{
	return &state->faults.items[row->data];
}

/* --- cells --------------------------------------------------------------- */

static void
cell_fault(const struct cells *in, const struct row *row, struct value *out)
{
	const struct fault *f = fault_of(in->rows, row);

	value_text(out, f->is_excused ? STYLE_DIM : STYLE_WARNING,
		   fault_name((enum fault_kind)f->kind));
}

static void
cell_meaning(const struct cells *in, const struct row *row, struct value *out)
{
	const struct fault *f = fault_of(in->rows, row);
	const char *meaning = fault_meaning((enum fault_kind)f->kind);

	const char *excuse =
	    f->is_excused ? fault_excuse((enum fault_kind)f->kind) : NULL;

	value_printf(out, STYLE_NORMAL, "%s%s%.200s%s%s%s", meaning,
		     f->text ? ": " : "", f->text ? f->text : "",
		     excuse ? " (harmless if " : "", excuse ? excuse : "",
		     excuse ? ")" : "");
}

static void
cell_offset(const struct cells *in, const struct row *row, struct value *out)
{
	if (fault_of(in->rows, row)->offset)
		value_plain(out, fault_of(in->rows, row)->offset);
	else
		value_blank(out);
}

static void
cell_heap(const struct cells *in, const struct row *row, struct value *out)
{
	heap_of_address(in->facts, fault_of(in->rows, row)->address, out);
}

/* --- verifying ----------------------------------------------------------- */

struct verifying {
	const struct heap *heap;
	node_id only; /* or NODE_NONE */
	struct faults faults;
};

static bool
run_verifying(void *context, struct progress *progress, struct error *err)
{
	struct verifying *job = context;
	const struct heap_memory *m = job->heap->memory;

	return m->contents->verify(m->source, job->only, &job->faults, progress,
				   err);
}

static void
row_of_fault(const struct view *v, uint32_t item, struct row *out)
{
	const struct verify_state *state = v->state;
	node_id n =
	    heap_find(v->session->heap, state->faults.items[item].address);

	*out = n == NODE_NONE ? row_of(ROW_PLAIN)
			      : row_of_node(v->session->heap, n);
	out->kind = ROW_PLAIN;
	out->data = out->key = item;
}

static bool
show_faults(struct view *v, struct error *err)
{
	struct verify_state *state = v->state;

	return view_show_all(v, state->faults.count, err);
}

static void
verifying_done(struct view *v, void *context, bool ok)
{
	struct verify_state *state = v->state;
	struct verifying *job = context;
	struct error ignored = { 0 };

	if (ok) {
		state->faults = job->faults;
		state->is_verified = true;
		if (!show_faults(v, &ignored))
			v->rows_count = 0;
	} else {
		faults_clear(&job->faults);
	}
	memory_free(job);
}

static bool
verify_rows(struct view *v, struct error *err)
{
	const struct verify_state *state = v->state;
	struct verifying *job;

	if (state->is_verified)
		return show_faults(v, err);
	if (!object_contents_known(v, "bytes to be verified", err))
		return false;
	job = memory_new(1, sizeof *job, err);
	if (!job)
		return false;
	job->heap = v->session->heap;
	job->only = v->target.node;
	return view_run(v, "verifying the heap", run_verifying, verifying_done,
			job, err);
}

/* --- the view ------------------------------------------------------------ */

static bool
verify_open(struct view *v, struct error *err)
{
	char name[VALUE_TEXT_BYTES];

	if (!object_contents_known(v, "bytes to be verified", err))
		return false;
	if (v->target.node != NODE_NONE) {
		describe_node(v->session, v->target.node, name, sizeof name);
		snprintf(v->title, sizeof v->title, "verify %.200s", name);
	}
	v->state = arena_new(&v->arena, struct verify_state, err);
	return v->state != NULL;
}

static void
verify_close(struct view *v)
{
	struct verify_state *state = v->state;

	if (!state)
		return;
	faults_clear(&state->faults);
}

static bool
is_heap_wrong(const struct faults *f)
{
	return f->total > f->excused;
}

/* With a filter, what it lets through. */
static bool
verify_is_wrong(const struct view *v)
{
	const struct verify_state *state = v->state;

	if (!v->filter)
		return is_heap_wrong(&state->faults);
	for (size_t i = 0; i < v->rows_count; i++)
		if (!state->faults.items[v->items[i]].is_excused)
			return true;
	return false;
}

static void
tell_verdict(const struct faults *f, const struct heap *h, struct value *out)
{
	char objects[FORMAT_BYTES], refs[FORMAT_BYTES], total[FORMAT_BYTES];
	char others[FORMAT_BYTES], beside[96] = "";

	format_count(f->objects_count, objects);
	format_count(f->refs_count, refs);
	if (f->objects_count == h->nodes_count && h->refs_count > f->refs_count)
		snprintf(beside, sizeof beside,
			 "; %s more of dependent handles and of types that can "
			 "be unloaded",
			 format_count(h->refs_count - f->refs_count, others));
	if (!f->total)
		value_printf(out, STYLE_NORMAL,
			     "nothing is wrong: %s object%s and %s reference%s "
			     "checked%s",
			     objects, f->objects_count == 1 ? "" : "s", refs,
			     f->refs_count == 1 ? "" : "s", beside);
	else
		value_printf(
		    out, is_heap_wrong(f) ? STYLE_WARNING : STYLE_NORMAL,
		    "%s finding%s%s; %s objects and %s references "
		    "checked",
		    format_count(f->total, total), f->total == 1 ? "" : "s",
		    is_heap_wrong(f) ? "" : ", all of them harmless", objects,
		    refs);
}

/* What is not in memory, or not where this version of the runtime had it. */
static bool
tell_unchecked(const struct faults *f, struct value *out)
{
	char syncs[FORMAT_BYTES];

	if (f->unchecked_syncs)
		value_printf(out, STYLE_DIM,
			     "not found, so not checked: the sync blocks of %s "
			     "objects%s%s",
			     format_count(f->unchecked_syncs, syncs),
			     f->has_cards ? "" : ", cards",
			     f->has_free_lists ? "" : ", lists of free blocks");
	else if (!f->has_cards || !f->has_free_lists)
		value_printf(out, STYLE_DIM,
			     "not found, so not checked: %s%s%s",
			     f->has_cards ? "" : "cards",
			     f->has_cards || f->has_free_lists ? "" : ", ",
			     f->has_free_lists ? "" : "lists of free blocks");
	else
		return false;
	return true;
}

static bool
verify_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct verify_state *state = v->state;
	const struct faults *f = &state->faults;

	if (!state->is_verified) {
		value_pending(out);
		return line == 0;
	}
	if (line == 0) {
		tell_verdict(f, v->session->heap, out);
		return true;
	}
	if (f->total > f->count && line-- == 1) {
		value_printf(out, STYLE_WARNING,
			     "the first %d of them:", (int)f->count);
		return true;
	}
	return line == 1 && tell_unchecked(f, out);
}

static const void *
record(const struct cells *in, const struct row *row)
{
	return fault_of(in->rows, row);
}

/* clang-format off */
static const struct column columns[] = {
	/* id         title      width sorts cell          help                                                       rank flags needs */
	{ "fault",    "Finding", -33,  UP,   CELL(VALUE_TEXT, cell_fault),   "as ClrMD and verifyheap call it",                         0, 0,    0 },
	{ "address",  "Address", 14,   UP,   ADDRESS_AT(struct fault, address), "of the object, or of what should be one",                 0, 0,    0 },
	{ "meaning",  "Meaning", FILL, UP,   CELL(VALUE_TEXT, cell_meaning), "what is wrong",                                           0, 0,    0 },
	{ "type",     "Type",    -24,  UP,   OBJECT_TYPE,    "of the object",                                           1, 0,    0 },
	{ "offset",   "Offset",  7,    UP,   CELL(VALUE_PLAIN, cell_offset),  "of the reference, from the start of the object",          4, 0,    0 },
	{ "value",    "There",   14,   UP,   ADDRESS_AT(struct fault, value),   "what stands there, and should not",                       2, 0,    0 },
	{ "before",   "Before",  14,   UP,   ADDRESS_AT(struct fault, before),  "the last good object before it",                          3, 0,    0 },
	{ "after",    "After",   14,   UP,   ADDRESS_AT(struct fault, after),   "the next object behind it",                               3, 0,    0 },
	{ "heap",     "Heap",    5,    UP,   CELL(VALUE_TEXT, cell_heap),    "of server GC, from 0",                                    9, COLUMN_MACHINE, 0 },
	{ 0 },
};
static const struct table table = { .name = "verify", .columns = columns, .record = record };
static const struct command commands[] = {
	/* name     keys     bar       help, .run, and what differs from nothing */
	{ "enter", "Enter", "fields", "look at the values in the object", .run = object_fields, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_verify = {
	.command = { .name = "verify",
		     .keys = "",
		     .args = { MAY(ARG_OBJECT) },
		     .bar = "",
		     .help =
			 "what is wrong in the heap, or in an object: all "
			 "references, headers, cards, free lists, handles" },
	.empty = "no fault is here to be shown; :summary tells what is missing "
		 "in the heap, :near ADDRESS what lies at a place",
	.table = &table,
	.commands = commands,
	.needs = NEED_OBJECTS,
	.flags = VIEW_TELLS | VIEW_MEMORY,
	.open = verify_open,
	.close = verify_close,
	.rows = verify_rows,
	.item_row = row_of_fault,
	.heading = verify_heading,
	.is_wrong = verify_is_wrong,
};
