/* The table of findings, the largest first. */
#include "model/analysis/finding_table.h"
#include "model/analysis/finding_text.h"
#include "model/graph/retention.h"

/* --- making rows --------------------------------------------------------- */

static bool
make(void *made, const struct facts *f, const struct subject *about,
     struct progress *progress, struct error *err)
{
	const struct findings_input in = {
		.heap = f->heap,
		.reverse = f->reverse,
		.reach = f->reach,
		.retained = f->retention ? f->retention->retained : NULL,
	};
	struct findings_made *m = made;

	(void)about;
	m->has_retained = in.retained != NULL;
	m->findings = findings_find(&in, progress, err);
	if (!m->findings)
		return false;
	m->items = m->findings->items;
	m->count = m->findings->count;
	return true;
}

static void
clear(void *made)
{
	struct findings_made *m = made;

	findings_free(m->findings);
}

/* Set the object or type that keys such as `p` and `r` act on. */
static void
set_subject(const struct cells *in, const void *record, struct row *out)
{
	const struct finding *f = record;

	out->node = f->subject;
	out->type = f->subject == NODE_NONE
			? f->type
			: heap_type_of(in->facts->heap, f->subject);
	out->key = (uint64_t)f->kind << 32 | f->nodes[0];
}

/* --- cells --------------------------------------------------------------- */

static const struct finding *
finding_of(const struct cells *in, const struct row *row)
{
	const struct findings_made *m = in->rows;

	return &m->items[row->data];
}

static void
cell_kind(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_DIM, finding_kinds[finding_of(in, row)->kind].id);
}

static void
cell_text(const struct cells *in, const struct row *row, struct value *out)
{
	char text[FINDING_TEXT_BYTES];

	value_printf(out, STYLE_NORMAL, "%s",
		     finding_text(in->facts, finding_of(in, row), text));
}

static void
cell_harmless(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_DIM,
		   finding_kinds[finding_of(in, row)->kind].harmless);
}

/* Retained sizes may have been computed after the findings. */
static uint64_t
number_retained(const struct cells *in, const struct row *row)
{
	const struct findings_made *m = in->rows;

	return m->has_retained ? finding_of(in, row)->retained.bytes
			       : UINT64_MAX;
}

static void
cell_address(const struct cells *in, const struct row *row, struct value *out)
{
	const struct finding *f = finding_of(in, row);
	node_id n = f->subject == NODE_NONE ? f->nodes[0] : f->subject;

	value_address(out, heap_address(in->facts->heap, n));
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id          title       width sorts     cell           help                                                     rank flags needs */
	{ "kind",      "Kind",     -13,  UP,       CELL(VALUE_TEXT, cell_kind),     "kind of suspect",                                       3, 0, 0 },
	{ "finding",   "Finding",  FILL, UNSORTED, CELL(VALUE_TEXT, cell_text),     "the finding in one sentence",                           0, 0, 0 },
	{ "objects",   "Objects",  8,    DOWN,     COUNT_AT(struct finding, nodes_count),  "objects that are evidence; Enter lists them",           5, 0, 0 },
	{ "size",      "Size",     9,    DOWN,     BYTES_AT(struct finding, bytes),     "bytes of these objects",                                4, 0, 0 },
	{ "share",     "Share",    6,    DOWN,     BYTES_AT(struct finding, bytes),    "part of all bytes in the heap",                         7, COLUMN_MACHINE | COLUMN_OF_HEAP, 0 },
	{ "retained",  "Retained", 9,    DOWN,     NUMBER(VALUE_BYTES, number_retained), "bytes that would be freed with them",                   1, COLUMN_DEAR, NEED_RETAINED },
	{ "retained_share", "Ret%", 6,   DOWN,     NUMBER(VALUE_BYTES, number_retained), "part of all bytes",                               6, COLUMN_DEAR | COLUMN_OF_HEAP, NEED_RETAINED },
	{ "address",   "Address",  14,   UNSORTED, CELL(VALUE_ADDRESS, cell_address),  "the object to look at first",                           8, COLUMN_MACHINE, 0 },
	{ "harmless",  "Harmless", 40,   UNSORTED, CELL(VALUE_TEXT, cell_harmless), "when it is not a leak",                                 8, COLUMN_MACHINE, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_pass pass = {
	.what = "looking for suspects",
	.made_of = NEED_REACH | NEED_RETAINED,
	ROWS_IN(struct findings_made, items, count),
	.make = make,
	.clear = clear,
	.row = set_subject,
};

const struct table findings_table = {
	.name = "findings",
	.columns = columns,
	.needs = NEED_OBJECTS | NEED_REVERSE | NEED_REACH,
	.pass = &pass,
};
