/* What the heap is made of: one row for each type. */
#include "tui/app.h"
#include "tui/views.h"

struct types_state {
	uint32_t *types; /* those shown, in order */
	uint64_t total_bytes;
};

/* A sampled dump says how many objects each one stands for. */
static uint64_t
scaled(const struct type *t, uint64_t n)
{
	if (t->multiplier == 1)
		return n;
	return (uint64_t)((double)n * (double)t->multiplier + 0.5);
}

static const struct type *
row_type(const struct view *v, const struct row *row)
{
	return &v->session->types[row->type];
}

static void
cell_type(const struct view *v, const struct row *row, struct value *out)
{
	view_type_cell(v, row->type, out);
}

static void
cell_raw(const struct view *v, const struct row *row, struct value *out)
{
	value_text(out, STYLE_TYPE, row_type(v, row)->raw);
}

static void
cell_module(const struct view *v, const struct row *row, struct value *out)
{
	value_text(out, STYLE_DIM, type_module_file(row_type(v, row)));
}

static void
cell_count(const struct view *v, const struct row *row, struct value *out)
{
	const struct type *t = row_type(v, row);

	value_count(out, scaled(t, t->count));
}

static void
cell_size(const struct view *v, const struct row *row, struct value *out)
{
	const struct type *t = row_type(v, row);

	value_bytes(out, scaled(t, t->bytes));
}

static void
cell_share(const struct view *v, const struct row *row, struct value *out)
{
	const struct types_state *state = v->state;
	const struct type *t = row_type(v, row);

	value_share(out, scaled(t, t->bytes), state->total_bytes);
}

static void
cell_average(const struct view *v, const struct row *row, struct value *out)
{
	const struct type *t = row_type(v, row);

	value_bytes(out, t->count ? t->bytes / t->count : 0);
}

static void
cell_max(const struct view *v, const struct row *row, struct value *out)
{
	value_bytes(out, row_type(v, row)->max_bytes);
}

static void
cell_generation(const struct view *v, const struct row *row,
		enum generation gen, struct value *out)
{
	const uint64_t *counts = v->session->heap->generation_counts;

	value_count(out, scaled(row_type(v, row),
				counts[(size_t)row->type * GEN_COUNT + gen]));
}

#define CELL_GENERATION(name, gen)                                             \
	static void name(const struct view *v, const struct row *row,          \
			 struct value *out)                                    \
	{                                                                      \
		cell_generation(v, row, gen, out);                             \
	}
CELL_GENERATION(cell_gen0, GEN_0)
CELL_GENERATION(cell_gen1, GEN_1)
CELL_GENERATION(cell_gen2, GEN_2)
CELL_GENERATION(cell_loh, GEN_LOH)
CELL_GENERATION(cell_poh, GEN_POH)
CELL_GENERATION(cell_frozen, GEN_FROZEN)

static bool
show_objects(const struct call *call, struct error *err)
{
	struct target target = view_target(call->view);

	if (target_is_none(&target))
		return error_set(err, ERROR_USAGE, "no type is selected");
	return app_open(call->app, &view_objects, &target, err);
}

static bool
types_open(struct view *v, struct error *err)
{
	v->state = arena_new(&v->arena, struct types_state, err);
	return v->state != NULL;
}

static void
types_close(struct view *v)
{
	struct types_state *state = v->state;

	if (state)
		memory_free(state->types);
}

static void
row_of_type_id(const struct view *v, uint32_t type, struct row *out)
{
	(void)v;
	*out = row_of_type(type);
}

static bool
types_rows(struct view *v, struct error *err)
{
	struct types_state *state = v->state;
	const struct session *s = v->session;
	uint32_t *types = memory_new(s->types_count, sizeof *types, err);
	size_t count = 0;
	uint64_t total = 0;

	if (!types)
		return false;
	for (type_id t = 0; t < s->types_count; t++) {
		if (!s->types[t].count)
			continue;
		types[count++] = t;
		total += scaled(&s->types[t], s->types[t].bytes);
	}
	state->total_bytes = total;
	if (!view_arrange(v, types, &count, row_of_type_id, err)) {
		memory_free(types);
		return false;
	}
	memory_free(state->types);
	state->types = types;
	v->rows_count = count;
	return true;
}

static void
types_row(const struct view *v, size_t index, struct row *out)
{
	const struct types_state *state = v->state;

	*out = row_of_type(state->types[index]);
}

/* clang-format off */
static const struct column columns[] = {
	/* id       title     width sorts  cell             help                                      rank flags          needs */
	{ "type",   "Type",   FILL, UP,    cell_type,       "name in C# spelling",                       0, 0,              0 },
	{ "raw",    "Raw",    -40,  UP,    cell_raw,        "name as the dump spells it",                9, COLUMN_MACHINE, 0 },
	{ "module", "Module", -26,  UP,    cell_module,     "file that defines the type",                7, 0,              0 },
	{ "count",  "Count",  10,   DOWN,  cell_count,      "objects of this type",                      1, 0,              0 },
	{ "size",   "Size",   11,   DOWN,  cell_size,       "their bytes, without what they refer to",   0, 0,              0 },
	{ "share",  "Share",  6,    DOWN,  cell_share,      "part of all bytes in the heap",             3, 0,              0 },
	{ "avg",    "Avg",    9,    DOWN,  cell_average,    "bytes of an average object",                5, 0,              0 },
	{ "max",    "Max",    9,    DOWN,  cell_max,        "bytes of the largest object",               6, 0,              0 },
	{ "gen0",   "Gen0",   8,    DOWN,  cell_gen0,       "objects in generation 0",                   8, COLUMN_RANGES,  NEED_OBJECTS },
	{ "gen1",   "Gen1",   8,    DOWN,  cell_gen1,       "objects in generation 1",                   8, COLUMN_RANGES,  NEED_OBJECTS },
	{ "gen2",   "Gen2",   8,    DOWN,  cell_gen2,       "objects in generation 2",                   8, COLUMN_RANGES,  NEED_OBJECTS },
	{ "loh",    "LOH",    8,    DOWN,  cell_loh,        "objects in the large object heap",          8, COLUMN_RANGES,  NEED_OBJECTS },
	{ "poh",    "POH",    8,    DOWN,  cell_poh,        "objects in the pinned object heap",         9, COLUMN_RANGES,  NEED_OBJECTS },
	{ "frozen", "Frozen", 8,    DOWN,  cell_frozen,     "objects in frozen segments",                9, COLUMN_RANGES,  NEED_OBJECTS },
	{ 0 },
};
static const struct command commands[] = {
	/* name     keys     args bar        help                              run */
	{ "open",   "Enter", "",  "objects", "list the objects of this type",  show_objects, false },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_types = {
	.command = { .name = "types",
		     .keys = "1",
		     .args = "",
		     .bar = "types",
		     .help = "what the heap is made of, type by type" },
	.columns = columns,
	.commands = commands,
	.needs = NEED_TYPES,
	.flags = VIEW_LIVE,
	.sort = "size",
	.open = types_open,
	.close = types_close,
	.rows = types_rows,
	.row = types_row,
};
