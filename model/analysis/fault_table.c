/* The faults of a heap with memory, or of one object, as a table. */
#include "model/table/object_columns.h"
#include "model/analysis/tables.h"
#include "model/base/format.h"
#include "model/heap/memory.h"

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	const struct heap_memory *m = f->heap->memory;

	return m->contents->verify(m->source, about->node, made, progress, err);
}

static void
clear(void *made)
{
	faults_clear(made);
}

static void
set_object(const struct cells *in, const void *record, struct row *out)
{
	const struct fault *f = record;

	out->node = heap_find(in->facts->heap, f->address);
	if (out->node != NODE_NONE)
		out->type = heap_type_of(in->facts->heap, out->node);
}

/* --- cells --------------------------------------------------------------- */

static const struct fault *
fault_of(const struct cells *in, const struct row *row)
{
	const struct faults *faults = in->rows;

	return &faults->items[row->data];
}

static void
cell_fault(const struct cells *in, const struct row *row, struct value *out)
{
	const struct fault *f = fault_of(in, row);

	value_text(out, f->is_excused ? STYLE_DIM : STYLE_WARNING,
		   fault_name((enum fault_kind)f->kind));
}

static void
cell_meaning(const struct cells *in, const struct row *row, struct value *out)
{
	const struct fault *f = fault_of(in, row);
	const char *meaning = fault_meaning((enum fault_kind)f->kind);

	const char *excuse = f->is_excused ? fault_excuse((enum fault_kind)f->kind) : NULL;

	value_printf(out, STYLE_NORMAL, "%s%s%.200s%s%s%s", meaning, f->text ? ": " : "",
		     f->text ? f->text : "", excuse ? " (harmless if " : "", excuse ? excuse : "",
		     excuse ? ")" : "");
}

static void
cell_heap(const struct cells *in, const struct row *row, struct value *out)
{
	heap_of_address(in->facts, fault_of(in, row)->address, out);
}

/* --- heading ------------------------------------------------------------- */

static void
put_verdict(const struct faults *f, const struct heap *h, struct value *out)
{
	char objects[FORMAT_BYTES], refs[FORMAT_BYTES], total[FORMAT_BYTES];
	char others[FORMAT_BYTES], beside[96] = "";

	format_count(f->objects_count, objects);
	format_count(f->refs_count, refs);
	if (f->objects_count == h->nodes_count && h->refs_count > f->refs_count)
		snprintf(beside, sizeof beside,
			 "; %s more belong to dependent handles and collectible types",
			 format_count(h->refs_count - f->refs_count, others));
	if (!f->total)
		value_printf(out, STYLE_NORMAL,
			     "nothing is wrong: %s object%s and %s reference%s checked%s", objects,
			     f->objects_count == 1 ? "" : "s", refs, f->refs_count == 1 ? "" : "s",
			     beside);
	else
		value_printf(out, faults_matter(f) ? STYLE_WARNING : STYLE_NORMAL,
			     "%s finding%s%s; %s objects and %s references checked",
			     format_count(f->total, total), f->total == 1 ? "" : "s",
			     faults_matter(f) ? "" : ", all of them harmless", objects, refs);
}

/* Names the checks that were skipped because their data was not found. */
static bool
put_unchecked(const struct faults *f, struct value *out)
{
	char syncs[FORMAT_BYTES];

	if (f->unchecked_syncs)
		value_printf(out, STYLE_DIM,
			     "not found, so not checked: the sync blocks of %s objects%s%s",
			     format_count(f->unchecked_syncs, syncs), f->has_cards ? "" : ", cards",
			     f->has_free_lists ? "" : ", lists of free blocks");
	else if (!f->has_cards || !f->has_free_lists)
		value_printf(out, STYLE_DIM, "not found, so not checked: %s%s%s",
			     f->has_cards ? "" : "cards",
			     f->has_cards || f->has_free_lists ? "" : ", ",
			     f->has_free_lists ? "" : "lists of free blocks");
	else
		return false;
	return true;
}

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct faults *f = in->rows;

	if (line == 0) {
		put_verdict(f, in->facts->heap, out);
		return true;
	}
	if (f->total > f->count && line-- == 1) {
		value_printf(out, STYLE_WARNING, "the first %d of them:", (int)f->count);
		return true;
	}
	return line == 1 && put_unchecked(f, out);
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id         title      width sorts cell          help                                                       rank flags needs */
	{ "fault",    "Finding", -33,  UP,   CELL(VALUE_TEXT, cell_fault),   "name of the fault in ClrMD and verifyheap",               0, 0,    0 },
	{ "address",  "Address", 14,   UP,   ADDRESS_AT(struct fault, address), "address of the object, or where one should be",           0, 0,    0 },
	{ "meaning",  "Meaning", FILL, UP,   CELL(VALUE_TEXT, cell_meaning), "what is wrong",                                           0, 0,    0 },
	{ "type",     "Type",    -24,  UP,   OBJECT_TYPE,    "type of the object",                                      1, 0,    0 },
	{ "offset",   "Offset",  7,    UP,   NONZERO_AT(VALUE_PLAIN, struct fault, offset),  "offset of the reference in the object",                   4, 0,    0 },
	{ "value",    "Value",   14,   UP,   ADDRESS_AT(struct fault, value),   "the wrong value",                                         2, 0,    0 },
	{ "before",   "Before",  14,   UP,   ADDRESS_AT(struct fault, before),  "the last good object before it",                          3, 0,    0 },
	{ "after",    "After",   14,   UP,   ADDRESS_AT(struct fault, after),   "the next object after it",                                3, 0,    0 },
	{ "heap",     "Heap",    5,    UP,   CELL(VALUE_TEXT, cell_heap),    "heap of server GC, from 0",                               9, COLUMN_MACHINE, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "verifying the heap",
	ROWS_IN(struct faults, items, count),
	.make = make,
	.clear = clear,
	.row = set_object,
};

const struct table faults_table = {
	.name = "verify",
	.columns = columns,
	.heaps = OF_CONTENTS,
	.contents = "bytes to be verified",
	.needs = NEED_OBJECTS,
	.rows = &rows,
	.heading = heading,
};
