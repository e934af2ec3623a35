#include "model/tables/type_table.h"
#include "model/analysis/garbage.h"
#include "model/graph/retention.h"
#include "model/table/mine_text.h"
#include "model/table/object_columns.h"
#include "model/table/root_text.h"
#include "model/tables/tables.h"

/* --- adding up ------------------------------------------------------------ */

bool
types_are_whole(const struct group_id *group)
{
	return !group || group->by == GROUP_NAMESPACE || group->by == GROUP_MODULE;
}

/* The sums that rows are made of, by type. */
struct summing {
	const struct facts *facts;
	struct types_made *made;
	struct type_sum *group; /* NULL: the whole heap */
	struct type_sum *dead;  /* NULL: not known */
};

static bool
sum_group(struct summing *s, struct group_id group, struct progress *progress, struct error *err)
{
	struct group_members members;
	bool ok;

	s->group = memory_new((size_t)s->facts->types_count + 1, sizeof *s->group, err);
	if (!s->group ||
	    !group_members_init(&members, s->facts->heap, s->facts->reach, group, progress, err))
		return false;
	ok = group_members_sum(&members, s->group, progress, err);
	group_members_clear(&members);
	return ok;
}

/* Without dominators, types count for themselves. */
static bool
sum_mine(struct summing *s, struct progress *progress, struct error *err)
{
	const struct facts *f = s->facts;
	const struct dominators *d = f->retention ? f->retention->dominators : NULL;

	s->made->has_mine =
	    mine_compute(&s->made->mine, f->types, f->types_count, d, f->my_modules, progress, err);
	return s->made->has_mine;
}

static bool
knows_dead(const struct facts *f)
{
	return f->heap && f->heap->memory && f->reach;
}

/* --- rows ----------------------------------------------------------------- */

/* Returns the sums of a type, or of its objects in the group. */
static struct type_sum
sum_of(const struct summing *s, type_id type)
{
	const struct type *t = &s->facts->types[type];

	return s->group ? s->group[type] : (struct type_sum){ t->count, t->bytes, t->max_bytes };
}

static void
add_dead(struct types_row *row, uint64_t count, uint64_t bytes)
{
	row->dead_count = count;
	row->dead_bytes = bytes;
	row->live_bytes = row->bytes - bytes;
}

static struct types_row
row_of_mine(const struct mine_sum *mine, type_id type)
{
	struct types_row row = { .type = type,
				 .count = mine->count,
				 .bytes = mine->bytes,
				 .own_bytes = mine->own_bytes,
				 .max_bytes = mine->max_bytes };

	add_dead(&row, mine->dead_count, mine->dead_bytes);
	return row;
}

static struct types_row
row_of_sums(const struct summing *s, type_id type)
{
	const struct type *t = &s->facts->types[type];
	const struct types_made *made = s->made;
	struct type_sum sum = sum_of(s, type);
	struct types_row row = { .type = type };

	if (made->has_mine && made->has_whole_types)
		return row_of_mine(&made->mine.types[type], type);
	row.count = type_scaled(t, sum.count);
	row.bytes = row.own_bytes = type_scaled(t, sum.bytes);
	row.max_bytes = sum.max_bytes;
	if (s->dead)
		add_dead(&row, s->dead[type].count, s->dead[type].bytes);
	return row;
}

/* Returns whether a row for the type is wanted and not empty. */
static bool
is_listed(const struct summing *s, type_id type)
{
	const struct types_made *made = s->made;

	if (!sum_of(s, type).count)
		return false;
	if (!made->has_mine)
		return true;
	return made->has_whole_types ? made->mine.types[type].count > 0
				     : made->mine.owners[type] != CODE_FRAMEWORK;
}

static void
add_row(struct types_made *made, struct types_row row, uint64_t *whole)
{
	row.average = row.count ? row.bytes / row.count : 0;
	*whole += row.bytes;
	made->rows[made->rows_count++] = row;
}

static bool
list_rows(struct summing *s, struct error *err)
{
	struct types_made *made = s->made;
	uint32_t types_count = s->facts->types_count;
	uint64_t whole = 0;

	made->rows = memory_new((size_t)types_count + 1, sizeof *made->rows, err);
	if (!made->rows)
		return false;
	for (type_id t = 0; t < types_count; t++)
		if (is_listed(s, t))
			add_row(made, row_of_sums(s, t), &whole);
	if (made->has_mine && !s->group && made->mine.left_out.count)
		add_row(made, row_of_mine(&made->mine.left_out, TYPE_NONE), &whole);
	for (uint32_t i = 0; i < made->rows_count; i++)
		made->rows[i].whole = whole;
	return true;
}

static bool
sum_up(struct summing *s, const struct subject *about, struct progress *progress, struct error *err)
{
	s->made->is_of_group = about->group;
	s->made->has_whole_types = types_are_whole(about->group);
	if (about->group && !sum_group(s, *about->group, progress, err))
		return false;
	if (about->is_mine && !sum_mine(s, progress, err))
		return false;
	if (!knows_dead(s->facts))
		return true;
	s->dead = garbage_by_type(s->facts->reach, progress, err);
	s->made->knows_dead = s->dead;
	return s->dead != NULL;
}

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	struct summing s = { .facts = f, .made = made };
	bool ok = sum_up(&s, about, progress, err) && list_rows(&s, err);

	memory_free(s.group);
	memory_free(s.dead);
	return ok;
}

static void
clear(void *made)
{
	struct types_made *m = made;

	memory_free(m->rows);
	mine_clear(&m->mine);
}

/* While a heap is read, its types are counted already, and no worker may read them. */
static bool
is_quick(const struct facts *f, const struct subject *about)
{
	return !about->group && !knows_dead(f) && !(about->is_mine && f->retention);
}

static void
set_type(const struct cells *in, const void *record, struct row *out)
{
	const struct types_row *r = record;

	(void)in;
	out->type = r->type;
	out->key = r->type;
	if (r->type != TYPE_NONE)
		out->kind = ROW_TYPE;
}

static const struct row_source rows = {
	.what = "adding up types",
	ROWS_IN(struct types_made, rows, rows_count),
	.is_quick = is_quick,
	.make = make,
	.clear = clear,
	.row = set_type,
};

/* --- cells ---------------------------------------------------------------- */

static const struct types_row *
row_of_cell(const struct cells *in, const struct row *row)
{
	return &((const struct types_made *)in->rows)->rows[row->data];
}

static void
cell_type(const struct cells *in, const struct row *row, struct value *out)
{
	if (row->type == TYPE_NONE)
		value_text(out, STYLE_DIM, "framework");
	else
		row_type_cell(in, row, out);
}

static void
cell_raw(const struct cells *in, const struct row *row, struct value *out)
{
	if (row->type == TYPE_NONE)
		value_blank(out);
	else
		value_text(out, STYLE_TYPE, in->facts->types[row->type].raw);
}

static void
cell_module(const struct cells *in, const struct row *row, struct value *out)
{
	if (row->type == TYPE_NONE)
		value_blank(out);
	else
		row_module_cell(in, row, out);
}

/* Returns whether dead bytes are known; otherwise fills `out`. They are not added up for part of a
   type. */
static bool
shows_dead(const struct cells *in, struct value *out)
{
	const struct types_made *made = in->rows;

	if (!made->has_whole_types)
		value_blank(out);
	else if (!made->knows_dead)
		value_pending(out);
	return made->has_whole_types && made->knows_dead;
}

static void
cell_live(const struct cells *in, const struct row *row, struct value *out)
{
	if (shows_dead(in, out))
		value_bytes(out, row_of_cell(in, row)->live_bytes);
}

static void
cell_dead(const struct cells *in, const struct row *row, struct value *out)
{
	if (shows_dead(in, out))
		describe_dead_bytes(in->facts->heap, row_of_cell(in, row)->dead_bytes, out);
}

static void
cell_dead_count(const struct cells *in, const struct row *row, struct value *out)
{
	if (shows_dead(in, out))
		describe_dead_count(in->facts->heap, row_of_cell(in, row)->dead_count, out);
}

/* Bytes that single objects of the type retain; nested ones count once. */
static uint64_t
number_retained(const struct cells *in, const struct row *row)
{
	const struct types_made *made = in->rows;

	if (!made->has_whole_types || row->type == TYPE_NONE ||
	    in->facts->types[row->type].multiplier != 1)
		return UINT64_MAX;
	return facts_type_retained(in->facts, row->type);
}

static void
cell_max(const struct cells *in, const struct row *row, struct value *out)
{
	uint64_t max_bytes = row_of_cell(in, row)->max_bytes;

	/* A capture in progress knows only the sum of sizes. */
	if (max_bytes)
		value_bytes(out, max_bytes);
	else if (in->facts->heap)
		value_blank(out);
	else
		value_pending(out);
}

static void
cell_generation(const struct cells *in, const struct row *row, unsigned gen, struct value *out)
{
	const uint64_t *counts = in->facts->heap->generation_counts;
	const struct types_made *made = in->rows;

	if (made->has_whole_types && row->type != TYPE_NONE)
		value_count(out, type_scaled(&in->facts->types[row->type],
					     counts[(size_t)row->type * GEN_COUNT + gen]));
	else
		value_blank(out);
}

/* clang-format off */
static const struct column columns[] = {
	/* id       title     width sorts  cell             help                                      rank flags          needs */
	TYPE_COLUMN(CELL(VALUE_TEXT, cell_type), UP, 0, 0),
	{ "raw",    "Raw",    -40,  UP,    CELL(VALUE_TEXT, cell_raw),                   "name as the dump spells it",                9, COLUMN_MACHINE, 0 },
	MODULE_COLUMN(CELL(VALUE_TEXT, cell_module), 7),
	{ "count",  "Count",  10,   DOWN,  COUNT_AT(struct types_row, count),       "objects of this type",                      1, COLUMN_ADDS, 0 },
	TOTAL_SIZE_COLUMN(BYTES_AT(struct types_row, bytes)),
	{ "share",  "Share",  6,    DOWN,  SHARE_AT(struct types_row, bytes, whole), "part of all bytes in the heap, or in the group",                  3, COLUMN_ADDS | COLUMN_BAR, 0 },
	{ "retained", "Retained", 11, DOWN, NUMBER(VALUE_BYTES, number_retained),  "bytes that single objects of the type retain, each byte once; :objsize shows what all retain together", 2, COLUMN_DEAR, NEED_TYPE_RETAINED },
	{ "retained_share", "Ret%", 6, DOWN, NUMBER(VALUE_BYTES, number_retained), "part of all bytes; nested types count in both, so these do not add up",                      4, COLUMN_DEAR | COLUMN_OF_HEAP,    NEED_TYPE_RETAINED },
	{ "own",    "Own",    11,   DOWN,  BYTES_AT(struct types_row, own_bytes),  "with :set mine: bytes of these objects alone", 4, COLUMN_SCREEN, 0 },
	{ "avg",    "Avg",    9,    DOWN,  BYTES_AT(struct types_row, average),    "bytes of an average object",                5, 0,              0 },
	{ "max",    "Max",    9,    DOWN,  CELL(VALUE_BYTES, cell_max),        "bytes of the largest object",               6, 0,              0 },
	{ "live",   "Live",   11,   DOWN,  CELL(VALUE_BYTES, cell_live),       "bytes of reachable objects",     5, COLUMN_MEMORY | COLUMN_DEAR, NEED_REACH },
	{ "dead",   "Dead",   11,   DOWN,  CELL(VALUE_BYTES, cell_dead),       "bytes of unreachable objects",       4, COLUMN_MEMORY | COLUMN_DEAR, NEED_REACH },
	{ "dead_count", "Dead#", 8, DOWN,  CELL(VALUE_COUNT, cell_dead_count), "number of unreachable objects",                        7, COLUMN_MEMORY | COLUMN_DEAR, NEED_REACH },
	{ "gen0",   "Gen0",   8,    DOWN,  CELL_AT(VALUE_COUNT, cell_generation, GEN_0),       "objects in generation 0",                   8, COLUMN_RANGES,  NEED_OBJECTS },
	{ "gen1",   "Gen1",   8,    DOWN,  CELL_AT(VALUE_COUNT, cell_generation, GEN_1),       "objects in generation 1",                   8, COLUMN_RANGES,  NEED_OBJECTS },
	{ "gen2",   "Gen2",   8,    DOWN,  CELL_AT(VALUE_COUNT, cell_generation, GEN_2),       "objects in generation 2",                   8, COLUMN_RANGES,  NEED_OBJECTS },
	{ "loh",    "LOH",    8,    DOWN,  CELL_AT(VALUE_COUNT, cell_generation, GEN_LOH),        "objects in the large object heap",          8, COLUMN_RANGES,  NEED_OBJECTS },
	{ "poh",    "POH",    8,    DOWN,  CELL_AT(VALUE_COUNT, cell_generation, GEN_POH),        "objects in the pinned object heap",         9, COLUMN_RANGES,  NEED_OBJECTS },
	{ "frozen", "Frozen", 8,    DOWN,  CELL_AT(VALUE_COUNT, cell_generation, GEN_FROZEN),     "objects in frozen segments",                9, COLUMN_RANGES,  NEED_OBJECTS },
	{ 0 },
};
/* clang-format on */

/* The sums of my code are those of the whole heap. */
static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct types_made *made = in->rows;

	if (line || !made->has_mine || made->is_of_group)
		return false;
	mine_text(&made->mine, out);
	return true;
}

const struct table types_table = {
	.name = "types",
	.columns = columns,
	.needs = NEED_TYPES,
	.rows = &rows,
	.heading = heading,
};
