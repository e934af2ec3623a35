#include "model/table/object_columns.h"
#include "model/table/samples.h"
#include "model/table/root_text.h"
#include "model/graph/reach.h"
#include "model/graph/retention.h"
#include "model/graph/reverse.h"
#include "model/graph/root_index.h"
#include "model/heap/contents.h"
#include "model/heap/memory.h"

/* --- numbers ------------------------------------------------------------- */

uint64_t
object_address(const struct facts *f, node_id n)
{
	return heap_address(f->heap, n);
}

uint64_t
object_size(const struct facts *f, node_id n)
{
	return heap_size(f->heap, n);
}

uint64_t
object_retained(const struct facts *f, node_id n)
{
	return retained_of(f->retention->retained, n).bytes;
}

uint64_t
object_in(const struct facts *f, node_id n)
{
	return reverse_count(f->reverse, n);
}

uint64_t
object_out(const struct facts *f, node_id n)
{
	return heap_refs(f->heap, n).left;
}

uint64_t
object_distance(const struct facts *f, node_id n)
{
	uint32_t distance = f->reach->distance[n];

	return distance == DISTANCE_UNREACHABLE ? UINT64_MAX : distance;
}

uint64_t
object_generation(const struct facts *f, node_id n)
{
	return heap_generation(f->heap, n);
}

uint64_t
object_is_live(const struct facts *f, node_id n)
{
	return f->reach->distance[n] != DISTANCE_UNREACHABLE;
}

uint64_t
object_root_order(const struct facts *f, node_id n)
{
	const struct root *root = f->roots ? root_index_find(f->roots, n) : NULL;

	if (!root)
		return UINT64_MAX;
	return (uint64_t)root_kinds[root->kind].priority << 32 | (uint32_t)(root - f->heap->roots);
}

uint64_t
object_allocated_order(const struct facts *f, node_id n)
{
	const struct sample *s = samples_of(f->samples, n);

	return s ? s->rank + 1ULL : 0;
}

/* --- cells --------------------------------------------------------------- */

void
row_type_cell(const struct cells *in, const struct row *row, struct value *out)
{
	facts_type_cell(in->facts, row->type, out);
}

void
row_module_cell(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_DIM, type_module_file(&in->facts->types[row->type]));
}

void
object_type_cell(const struct cells *in, const struct row *row, struct value *out)
{
	if (row->node == NODE_NONE)
		value_text(out, STYLE_DIM, "no object");
	else
		facts_type_cell(in->facts, row->type, out);
}

void
object_gen_cell(const struct cells *in, const struct row *row, struct value *out)
{
	value_generation(out, heap_generation(in->facts->heap, row->node));
}

void
object_live_cell(const struct cells *in, const struct row *row, struct value *out)
{
	if (object_is_live(in->facts, row->node))
		value_text(out, STYLE_NORMAL, "live");
	else
		value_text(out, STYLE_WARNING, "dead");
}

void
object_root_cell(const struct cells *in, const struct row *row, struct value *out)
{
	describe_root_of(in->facts, row->node, out);
}

void
object_allocated_cell(const struct cells *in, const struct row *row, struct value *out)
{
	const struct sample *s =
	    row_is_object(row) ? samples_of(in->facts->samples, row->node) : NULL;
	char text[SAMPLE_TEXT_BYTES];

	if (s)
		value_printf(out, STYLE_NORMAL, "%s", sample_text(s, text));
	else
		value_blank(out);
}

void
heap_of_address(const struct facts *f, uint64_t address, struct value *out)
{
	const struct heap_memory *m = f->heap->memory;
	uint32_t at = m ? heap_memory_segment(m, address) : UINT32_MAX;

	if (at == UINT32_MAX)
		value_blank(out);
	else
		value_plain(out, (uint64_t)m->segments[at].heap_number);
}

void
object_heap_cell(const struct cells *in, const struct row *row, struct value *out)
{
	if (row->node == NODE_NONE)
		value_blank(out);
	else
		heap_of_address(in->facts, heap_address(in->facts->heap, row->node), out);
}

void
object_table_cell(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_memory *m = in->facts->heap->memory;
	const struct heap_table *tables;
	struct content_header header;
	struct error ignored = { 0 };
	uint32_t count = 0;

	value_blank(out);
	if (!m || row->node == NODE_NONE)
		return;
	tables = heap_memory_tables(m, row->type, &count);
	if (count == 1)
		value_address(out, tables->address);
	else if (count && m->contents &&
		 m->contents->header(m->source, row->node, &header, &ignored))
		value_address(out, header.table);
}
