#include "model/tables/root_table.h"
#include "model/base/format.h"
#include "model/graph/retention.h"
#include "model/heap/bits.h"
#include "model/table/object_columns.h"
#include "model/tables/tables.h"

/* --- sums by kind --------------------------------------------------------- */

uint32_t
root_group_of(const struct heap *h, uint32_t root)
{
	return root < h->roots_count ? h->roots[root].kind : ROOTS_WEAK;
}

/* The heap orders roots by object, so roots of the same object are neighbours. */
static void
add_up_sizes(struct root_groups *g, const struct heap *h)
{
	node_id last[ROOT_GROUPS];

	for (int kind = 0; kind < ROOT_GROUPS; kind++)
		last[kind] = NODE_NONE;
	for (uint32_t i = 0; i < h->roots_count + h->weak_count; i++) {
		uint32_t kind = root_group_of(h, i);
		node_id n =
		    i < h->roots_count ? h->roots[i].object : h->weak[i - h->roots_count].object;

		if (!bits_has(g->is_first, i))
			continue;
		if (last[kind] == n)
			bits_remove(g->is_first, i);
		else
			g->items[kind].bytes += heap_size(h, n);
		last[kind] = n;
	}
}

bool
root_groups_add_up(struct root_groups *g, const struct heap *h, const uint32_t *roots, size_t count,
		   struct error *err)
{
	uint32_t all = h->roots_count + h->weak_count;
	uint64_t *is_first = memory_new(bits_words(all), sizeof *is_first, err);

	if (!is_first)
		return false;
	root_groups_clear(g);
	g->is_first = is_first;
	for (size_t i = 0; i < count; i++) {
		bits_add(g->is_first, roots[i]);
		g->items[root_group_of(h, roots[i])].count++;
	}
	add_up_sizes(g, h);
	g->retained_results = UINT32_MAX;
	return true;
}

/* An object with a root has no dominator, so these sizes do not overlap. */
void
root_groups_add_retained(struct root_groups *g, const struct facts *f)
{
	const struct heap *h = f->heap;

	if (!(f->has & NEED_RETAINED) || !g->is_first || g->retained_results == f->results_version)
		return;
	g->retained_results = f->results_version;
	for (int kind = 0; kind < ROOT_KIND_COUNT; kind++)
		g->items[kind].retained_bytes = 0;
	for (uint32_t i = 0; i < h->roots_count; i++)
		if (bits_has(g->is_first, i))
			g->items[h->roots[i].kind].retained_bytes +=
			    retained_of(f->retention->retained, h->roots[i].object).bytes;
}

void
root_groups_clear(struct root_groups *g)
{
	memory_free(g->is_first);
	*g = (struct root_groups){ 0 };
}

/* --- cells ---------------------------------------------------------------- */

static const struct root *
root_of(const struct cells *in, const struct row *row)
{
	return &in->facts->heap->roots[row->root];
}

static bool
has_object(const struct row *row)
{
	return row->kind == ROW_ROOT || row->kind == ROW_PLAIN;
}

static const struct root_group *
group_of_row(const struct root_groups *groups, const struct row *row)
{
	return &groups->items[row->data];
}

static void
cell_group(const void *rows, const struct row *row, struct value *out)
{
	size_t count = group_of_row(rows, row)->count;
	char text[FORMAT_BYTES];

	format_count(count, text);
	if (row->data == ROOTS_WEAK)
		value_printf(out, STYLE_HEADER, "weak handle: %s object%s", text, plural(count));
	else
		value_printf(out, STYLE_HEADER, "%s: %s root%s", root_kinds[row->data].title, text,
			     plural(count));
}

static void
cell_weak(const struct cells *in, const struct row *row, struct value *out)
{
	uint32_t count = heap_weak_of(in->facts->heap, row->node);
	char text[FORMAT_BYTES];

	value_printf(out, STYLE_DIM, "%s weak handle%s", format_count(count, text),
		     count == 1 ? "" : "s");
}

static void
cell_name(const struct cells *in, const struct row *row, struct value *out)
{
	const struct root *root;

	if (row->kind == ROW_GROUP) {
		cell_group(in->rows, row, out);
		return;
	}
	if (row->kind == ROW_PLAIN) {
		cell_weak(in, row, out);
		return;
	}
	root = root_of(in, row);
	value_text(out, STYLE_ROOT,
		   root->name[0]    ? root->name
		   : root->label[0] ? root->label
				    : root_kinds[root->kind].title);
	out->also = root->label;
}

static void
cell_kind(const struct cells *in, const struct row *row, struct value *out)
{
	(void)in;
	value_text(out, STYLE_DIM, row->data == ROOTS_WEAK ? "weak" : root_kinds[row->data].id);
}

static void
cell_label(const struct cells *in, const struct row *row, struct value *out)
{
	if (row->kind == ROW_ROOT)
		value_text(out, STYLE_DIM, root_of(in, row)->label);
	else
		value_blank(out);
}

static void
cell_pinned(const struct cells *in, const struct row *row, struct value *out)
{
	bool is_pinned = row->kind == ROW_ROOT && root_of(in, row)->is_pinned;

	value_text(out, STYLE_DIM, is_pinned ? "pinned" : "");
}

static void
cell_target(const struct cells *in, const struct row *row, struct value *out)
{
	if (has_object(row))
		facts_type_cell(in->facts, row->type, out);
	else if (row->data == ROOTS_WEAK)
		value_text(out, STYLE_DIM, "not kept alive by it");
	else
		value_blank(out);
}

static uint64_t
number_address(const struct cells *in, const struct row *row)
{
	return has_object(row) ? object_address(in->facts, row->node) : UINT64_MAX;
}

static void
cell_size(const struct cells *in, const struct row *row, struct value *out)
{
	if (has_object(row))
		value_bytes(out, heap_size(in->facts->heap, row->node));
	else if (row->kind == ROW_GROUP)
		value_bytes(out, group_of_row(in->rows, row)->bytes);
	else
		value_blank(out);
}

/* The sum of a group is pending until root_groups_add_retained() has run for the current results.
 */
static void
cell_retained(const struct cells *in, const struct row *row, struct value *out)
{
	const struct root_groups *groups = in->rows;

	if (row->kind == ROW_GROUP && row->data != ROOTS_WEAK)
		value_bytes_if(out, groups->retained_results == in->facts->results_version,
			       group_of_row(groups, row)->retained_bytes);
	else if (row->kind == ROW_ROOT)
		value_bytes(out, object_retained(in->facts, row->node));
	else
		value_blank(out);
}

/* --- rows ----------------------------------------------------------------- */

static uint32_t
roots_count(const struct cells *in)
{
	return in->facts->heap->roots_count + in->facts->heap->weak_count;
}

static void
root_row(const struct cells *in, const void *record, struct row *out)
{
	(void)record;
	*out = row_of_root(in->facts->heap, (uint32_t)out->data);
}

static const struct row_source rows = { .count = roots_count, .row = root_row };

/* clang-format off */
static const struct column columns[] = {
	/* id         title      width sorts     cell          help                                                      rank flags           needs */
	{ "kind",     "Kind",    -13,  UNSORTED, CELL(VALUE_TEXT, cell_kind),    "kind of root",                                0, COLUMN_MACHINE, 0 },
	{ "name",     "Root",    FILL, UP,       CELL(VALUE_TEXT, cell_name),    "the variable, method or thread; else the description in the dump", 0, 0,             0 },
	{ "pinned",   "Pinned",  -6,   UNSORTED, CELL(VALUE_TEXT, cell_pinned),  "whether it also pins the object",                     5, 0,              0 },
	{ "target",   "Target",  -29,  UP,       CELL(VALUE_TEXT, cell_target),  "type of the object that it keeps alive", 1, 0,              0 },
	{ "address",  "Address", 14,   UP,       NUMBER(VALUE_ADDRESS, number_address), "where that object is",                                   3, 0,              0 },
	{ "size",     "Size",    9,    DOWN,     CELL(VALUE_BYTES, cell_size),    "its bytes, without what it refers to; for a kind: of its objects, each once", 2, 0,              0 },
	{ "retained", "Retained", 11,    DOWN,     CELL(VALUE_BYTES, cell_retained), "bytes that only that object retains, its own included; for a kind: of its objects, each once; :groups root adds up the heap", 2, COLUMN_DEAR,    NEED_RETAINED },
	{ "retained_share", "Ret%", 6,   DOWN,     CELL(VALUE_BYTES, cell_retained), "part of all bytes",                                 4, COLUMN_DEAR | COLUMN_OF_HEAP,    NEED_RETAINED },
	{ "label",    "Label",   12,   UNSORTED, CELL(VALUE_TEXT, cell_label),   "its description in the dump",                     6, COLUMN_MACHINE, 0 },
	{ 0 },
};
/* clang-format on */

const struct table roots_table = {
	.name = "roots",
	.columns = columns,
	.needs = NEED_OBJECTS,
	.rows = &rows,
};
