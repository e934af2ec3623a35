/* Groups of objects as a table: by namespace, module, generation and so on. */
#include "model/analysis/group_table.h"
#include "model/table/mine_text.h"
#include "model/table/object_columns.h"
#include "model/graph/retention.h"
#include <string.h>

/* --- making rows --------------------------------------------------------- */

bool
grouping_parse(const char *text, enum grouping *by, struct error *err)
{
	*by = GROUP_NAMESPACE;
	if (!*text)
		return true;
	for (int i = GROUP_NONE + 1; i < GROUPING_COUNT; i++)
		if (!strncmp(text, grouping_ids[i], strlen(text))) {
			*by = (enum grouping)i;
			return true;
		}
	return error_set(err, ERROR_USAGE,
			 "no grouping \"%.30s\": use namespace, module, "
			 "generation, root or segment",
			 text);
}

static bool
accepts(const struct facts *f, const struct subject *about, struct error *err)
{
	enum grouping by;

	(void)f;
	return grouping_parse(about->text, &by, err);
}

static bool
count_mine(struct groups_made *m, const struct facts *f, struct progress *progress,
	   struct error *err)
{
	const struct dominators *d = f->retention ? f->retention->dominators : NULL;

	m->counts_mine =
	    mine_compute(&m->mine, f->types, f->types_count, d, f->my_modules, progress, err);
	if (!m->counts_mine ||
	    !groups_count_mine(&m->groups, &m->mine, f->heap, f->reach, progress, err))
		return false;
	groups_drop_empty(&m->groups);
	return true;
}

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	struct groups_made *m = made;
	struct groups *g = &m->groups;
	enum grouping by;

	if (!grouping_parse(about->text, &by, err) ||
	    !groups_compute(g, f->heap, f->reach, by, progress, err))
		return false;
	m->has_retained = f->retention != NULL;
	if (m->has_retained && !groups_retain(g, f->retention->retained, f->reach, progress, err))
		return false;
	if (f->shows_mine && !count_mine(m, f, progress, err))
		return false;
	m->names = memory_new((size_t)g->count + 1, sizeof *m->names, err);
	for (uint32_t i = 0; m->names && i < g->count; i++)
		group_name(f->heap, g->items[i].id, m->names[i]);
	return m->names != NULL;
}

static void
clear(void *made)
{
	struct groups_made *m = made;

	groups_clear(&m->groups);
	mine_clear(&m->mine);
	memory_free(m->names);
}

/* A group keeps its key when its sums change. */
static void
set_key(const struct cells *in, const void *record, struct row *out)
{
	const struct group_sum *g = record;

	(void)in;
	out->key = (uint64_t)g->id.by << 32 | g->id.which;
}

/* --- cells --------------------------------------------------------------- */

static void
cell_name(const struct cells *in, const struct row *row, struct value *out)
{
	const struct groups_made *m = in->rows;

	value_text(out, STYLE_TYPE, m->names[row->data]);
}

/* Retained sizes may have been computed after the groups. */
static uint64_t
number_retained(const struct cells *in, const struct row *row)
{
	const struct groups_made *m = in->rows;

	return m->has_retained ? m->groups.items[row->data].retained.bytes : UINT64_MAX;
}

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct groups_made *m = in->rows;

	if (line || !m->counts_mine)
		return false;
	mine_text(&m->mine, out);
	return true;
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id         title       width sorts cell           help                                             rank flags needs */
	{ "name",     "Group",    FILL, UP,   CELL(VALUE_TEXT, cell_name),     "what its objects have in common",               0, 0, 0 },
	{ "count",    "Count",    10,   DOWN, COUNT_AT(struct group_sum, count),    "objects in the group",                          1, COLUMN_ADDS, 0 },
	TOTAL_SIZE_COLUMN(BYTES_AT(struct group_sum, bytes)),
	{ "share",    "Share",    6,    DOWN, BYTES_AT(struct group_sum, bytes),    "part of all bytes in the heap",                 3, COLUMN_ADDS | COLUMN_BAR | COLUMN_OF_HEAP, 0 },
	{ "retained", "Retained", 11,   DOWN, NUMBER(VALUE_BYTES, number_retained), "bytes that single objects of the group retain, each byte once", 2, COLUMN_DEAR, NEED_RETAINED },
	{ "retained_share", "Ret%", 6,  DOWN, NUMBER(VALUE_BYTES, number_retained), "part of all bytes",                       4, COLUMN_DEAR | COLUMN_OF_HEAP, NEED_RETAINED },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "grouping objects",
	.made_of = NEED_REACH | NEED_RETAINED,
	ROWS_IN(struct groups_made, groups.items, groups.count),
	.accepts = accepts,
	.make = make,
	.clear = clear,
	.row = set_key,
};

const struct table groups_table = {
	.name = "groups",
	.columns = columns,
	.needs = NEED_OBJECTS | NEED_REACH,
	.rows = &rows,
	.heading = heading,
};
