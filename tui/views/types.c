/*
 * The types of the heap, one a row, or of one group of the heap (target.group), for which a job
 * adds up the numbers first.
 */
#include "model/table/object_columns.h"
#include "model/analysis/garbage.h"
#include "model/table/mine_text.h"
#include "tui/session/describe.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"

/* The numbers of a row, of whatever it counts: the heap, a group, or my code with what it holds.
   Columns read them here. */
struct types_row {
	uint64_t count, bytes, max_bytes;
	uint64_t own_bytes; /* without what the objects hold */
	uint64_t average;
};

struct types_state {
	struct types_row *rows; /* by type; the last one is the framework's */
	uint32_t rows_count;
	uint64_t total_bytes;
	struct type_sum *sums;   /* of the group; NULL: of the whole heap */
	struct type_sum *dead;   /* of heaps from memory; NULL: not known */
	uint32_t summed_version; /* reach_version of both */
	/* The sums of `set mine`, valid if has_mine. `mine_version` and `mine_types_count` are
	   those of the session when they were made. */
	struct mine mine;
	bool has_mine;
	uint32_t mine_version, mine_types_count;
	const struct view_ops *all_ops, *mine_ops; /* without and with it */
	bool is_of_group;
	bool has_whole_types; /* the group splits no type */
};

static const struct type *
row_type(const struct cells *in, const struct row *row)
{
	return &in->facts->types[row->type];
}

/* Returns the sums of a type, or of its objects in the group. */
static struct type_sum
sum_of(const struct types_state *state, const struct type *types, type_id type)
{
	const struct type *t = &types[type];

	if (!state->is_of_group)
		return (struct type_sum){ t->count, t->bytes, t->max_bytes };
	return state->sums ? state->sums[type] : (struct type_sum){ 0 };
}

/* Returns the sum of a row that counts what its objects hold, or NULL. The row of no type is that
   of the framework. */
static const struct mine_sum *
mine_sum_of(const struct types_state *state, type_id type)
{
	if (!state->has_mine || !state->has_whole_types)
		return NULL;
	return type == TYPE_NONE ? &state->mine.left_out : &state->mine.types[type];
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
		value_text(out, STYLE_TYPE, row_type(in, row)->raw);
}

static void
cell_module(const struct cells *in, const struct row *row, struct value *out)
{
	if (row->type == TYPE_NONE)
		value_blank(out);
	else
		row_module_cell(in, row, out);
}

static const struct types_row *
types_row(const struct types_state *state, type_id type)
{
	static const struct types_row none = { 0 };
	uint32_t at = type == TYPE_NONE ? state->rows_count - 1 : type;

	return at < state->rows_count ? &state->rows[at] : &none;
}

static const void *
record(const struct cells *in, const struct row *row)
{
	return types_row(in->rows, row->type);
}

static void
cell_share(const struct cells *in, const struct row *row, struct value *out)
{
	const struct types_state *state = in->rows;

	value_share(out, types_row(state, row->type)->bytes, state->total_bytes);
}

/* Returns whether dead bytes are known; otherwise fills `out`. They are not added up for part of a
   type. */
static bool
knows_dead(const struct types_state *state, struct value *out)
{
	if (!state->has_whole_types)
		value_blank(out);
	else if (!state->dead)
		value_pending(out);
	return state->has_whole_types && state->dead;
}

static void
cell_live(const struct cells *in, const struct row *row, struct value *out)
{
	const struct types_state *state = in->rows;

	const struct mine_sum *mine = mine_sum_of(state, row->type);

	if (!knows_dead(state, out))
		return;
	if (mine)
		value_bytes(out, mine->bytes - mine->dead_bytes);
	else
		value_bytes(out, row_type(in, row)->bytes - state->dead[row->type].bytes);
}

static void
cell_dead(const struct cells *in, const struct row *row, struct value *out)
{
	const struct types_state *state = in->rows;

	const struct mine_sum *mine = mine_sum_of(state, row->type);

	if (knows_dead(state, out))
		describe_dead_bytes(in->facts->heap,
				    mine ? mine->dead_bytes : state->dead[row->type].bytes, out);
}

static void
cell_dead_count(const struct cells *in, const struct row *row, struct value *out)
{
	const struct types_state *state = in->rows;

	const struct mine_sum *mine = mine_sum_of(state, row->type);

	if (knows_dead(state, out))
		describe_dead_count(in->facts->heap,
				    mine ? mine->dead_count : state->dead[row->type].count, out);
}

/* Bytes that single objects of the type retain; nested ones count once. */
static uint64_t
number_retained(const struct cells *in, const struct row *row)
{
	const struct types_state *state = in->rows;

	if (!state->has_whole_types || row->type == TYPE_NONE || row_type(in, row)->multiplier != 1)
		return UINT64_MAX;
	return facts_type_retained(in->facts, row->type);
}

static void
cell_max(const struct cells *in, const struct row *row, struct value *out)
{
	uint64_t max_bytes = types_row(in->rows, row->type)->max_bytes;

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
	const struct types_state *state = in->rows;

	if (state->has_whole_types && row->type != TYPE_NONE)
		value_count(out, type_scaled(row_type(in, row),
					     counts[(size_t)row->type * GEN_COUNT + gen]));
	else
		value_blank(out);
}

static bool
show_objects(const struct call *call, struct error *err)
{
	struct target target = view_target(call->view);

	if (target_is_none(&target) && call->view->rows_count && call->view->session->shows_mine)
		return error_set(err, ERROR_USAGE,
				 "these objects of the framework are of many types: Z shows all");
	if (target_is_none(&target))
		return error_set(err, ERROR_USAGE, "no type is selected");
	target.group = call->view->target.group;
	return request_open(call, "objects", &target);
}

/* Disable the columns that are only known of whole types, and the one that only differs from the
   size with `set mine`. */
static bool
choose_columns(struct view *v, struct error *err)
{
	struct types_state *state = v->state;
	struct view_ops *ops = arena_new(&v->arena, struct view_ops, err);

	if (!ops)
		return false;
	*ops = *v->ops;
	ops->words.unavailable = NULL;
	state->all_ops = v->ops;
	state->mine_ops = ops;
	if (state->has_whole_types)
		return true;
	ops->words.unavailable = "own,retained,retained_share,live,dead,"
				 "dead_count,gen0,gen1,gen2,loh,poh,frozen";
	ops->words.unavailable_why = "the group contains parts of types, whose objects and bytes "
				     "alone are counted";
	state->all_ops = v->ops = ops;
	return true;
}

static bool
types_open(struct view *v, struct error *err)
{
	struct types_state *state = arena_new(&v->arena, struct types_state, err);
	uint8_t by = v->target.group.by;
	char name[GROUP_NAME_BYTES];

	v->state = state;
	if (!state)
		return false;
	state->is_of_group = by != GROUP_NONE;
	state->has_whole_types = by == GROUP_NONE || by == GROUP_NAMESPACE || by == GROUP_MODULE;
	if (!choose_columns(v, err))
		return false;
	if (state->is_of_group)
		snprintf(v->title, sizeof v->title, "types %.200s",
			 group_phrase(v->session->heap, v->target.group, name));
	return true;
}

static void
clear_sums(void *sums)
{
	struct types_state *state = sums;

	memory_free(state->rows);
	memory_free(state->sums);
	memory_free(state->dead);
	mine_clear(&state->mine);
}

static void
types_close(struct view *v)
{
	if (v->state)
		clear_sums(v->state);
}

/* --- adding up a group, and dead objects --------------------------------- */

struct summing {
	const struct heap *heap;
	const struct reach *reach;
	uint32_t version; /* of `reach` */
	struct group_id group;
	struct type_sum *sums; /* to be filled; NULL: no group */
	struct type_sum *dead;
	/* The input of `mine`; NULL dominators: it is not made. */
	const struct dominators *dominators;
	const char *my_modules;
	uint32_t mine_version;
	struct mine mine;
};

static bool
sum_group(struct summing *s, struct progress *progress, struct error *err)
{
	struct group_members members;
	bool ok;

	if (!group_members_init(&members, s->heap, s->reach, s->group, progress, err))
		return false;
	ok = group_members_sum(&members, s->sums, progress, err);
	group_members_clear(&members);
	return ok;
}

static bool
sum_all(void *context, struct progress *progress, struct error *err)
{
	struct summing *s = context;

	if (s->sums && !sum_group(s, progress, err))
		return false;
	if (s->dominators && !mine_compute(&s->mine, s->heap->types, s->heap->types_count,
					   s->dominators, s->my_modules, progress, err))
		return false;
	if (!s->heap->memory || !s->reach)
		return true;
	s->dead = garbage_by_type(s->reach, progress, err);
	return s->dead != NULL;
}

static bool arrange_types(struct view *v, struct error *err);

static void
take_sums(struct view *v, void *context, bool ok)
{
	struct types_state *state = v->state;
	struct summing *s = context;
	struct error ignored = { 0 };

	if (ok) {
		memory_free(state->sums);
		memory_free(state->dead);
		state->sums = s->sums;
		state->dead = s->dead;
		state->summed_version = s->version;
		if (s->dominators) {
			mine_clear(&state->mine);
			state->mine = s->mine;
			state->has_mine = true;
			state->mine_version = s->mine_version;
			state->mine_types_count = s->heap->types_count;
		}
		/* If memory runs out, the old rows stay. */
		(void)arrange_types(v, &ignored);
	} else {
		memory_free(s->sums);
		memory_free(s->dead);
		mine_clear(&s->mine);
	}
	memory_free(s);
}

static bool
sum_then_arrange(struct view *v, struct error *err)
{
	const struct heap *h = v->session->heap;
	struct summing *s = memory_new(1, sizeof *s, err);

	if (!s)
		return false;
	*s = (struct summing){ .heap = h,
			       .reach = v->session->reach,
			       .version = v->session->reach_version,
			       .group = v->target.group };
	if (v->session->shows_mine && v->session->retention) {
		s->dominators = v->session->retention->dominators;
		s->my_modules = v->session->my_modules;
		s->mine_version = v->session->results_version;
	}
	if (v->target.group.by != GROUP_NONE) {
		s->sums = memory_new((size_t)h->types_count + 1, sizeof *s->sums, err);
		if (!s->sums) {
			memory_free(s);
			return false;
		}
	}
	return view_run(v, "adding up types", sum_all, take_sums, s, err);
}

/* --- rows ---------------------------------------------------------------- */

/* The number after that of the last type is the row of the framework. */
static void
row_of_type_id(const struct view *v, uint32_t type, struct row *out)
{
	const struct types_state *state = v->state;

	*out = row_of_type(type);
	if (state->has_mine && type == state->mine_types_count) {
		*out = row_of(ROW_PLAIN);
		out->key = TYPE_NONE;
	}
}

/* Returns whether a row for the type is wanted and not empty. */
static bool
is_listed(const struct types_state *state, const struct type *types, type_id type)
{
	const struct mine_sum *mine = mine_sum_of(state, type);

	if (state->is_of_group && !sum_of(state, types, type).count)
		return false;
	if (mine)
		return mine->count > 0;
	if (state->has_mine && state->mine.owners[type] == CODE_FRAMEWORK)
		return false;
	return sum_of(state, types, type).count > 0;
}

static struct types_row
row_of_sums(const struct types_state *state, const struct type *types, type_id type)
{
	const struct mine_sum *mine = mine_sum_of(state, type);
	const struct type *t = type == TYPE_NONE ? NULL : &types[type];
	struct types_row row = { 0 };

	if (mine) {
		row.count = mine->count;
		row.bytes = mine->bytes;
		row.own_bytes = mine->own_bytes;
		row.max_bytes = mine->max_bytes;
	} else if (t) {
		struct type_sum sum = sum_of(state, types, type);

		row.count = type_scaled(t, sum.count);
		row.bytes = row.own_bytes = type_scaled(t, sum.bytes);
		row.max_bytes = sum.max_bytes;
	}
	row.average = row.count ? row.bytes / row.count : 0;
	return row;
}

/* Make the rows of all types, and one of the framework. */
static bool
make_types_rows(struct types_state *state, const struct type *types, uint32_t count,
		struct error *err)
{
	struct types_row *rows = memory_new((size_t)count + 1, sizeof *rows, err);

	if (!rows)
		return false;
	for (type_id t = 0; t < count; t++)
		rows[t] = row_of_sums(state, types, t);
	rows[count] = row_of_sums(state, types, TYPE_NONE);
	memory_free(state->rows);
	state->rows = rows;
	state->rows_count = count + 1;
	return true;
}

static bool
arrange_types(struct view *v, struct error *err)
{
	struct types_state *state = v->state;
	const struct session *s = v->session;
	uint32_t *types = memory_new((size_t)s->types_count + 1, sizeof *types, err);
	size_t count = 0;

	if (!types || !make_types_rows(state, s->types, s->types_count, err)) {
		memory_free(types);
		return false;
	}
	state->total_bytes = 0;
	for (type_id t = 0; t < s->types_count; t++)
		if (is_listed(state, s->types, t)) {
			types[count++] = t;
			state->total_bytes += state->rows[t].bytes;
		}
	if (!state->is_of_group && state->rows[s->types_count].count) {
		types[count++] = s->types_count;
		state->total_bytes += state->rows[s->types_count].bytes;
	}
	return view_show_items(v, types, count, err);
}

/* Returns whether sums are missing, or were made with other roots: `:set nostatics` changes
   those. */
static bool
must_sum(const struct view *v)
{
	const struct types_state *state = v->state;
	const struct session *s = v->session;
	bool is_new = state->summed_version != s->reach_version;

	if (state->is_of_group && (!state->sums || is_new))
		return true;
	if (s->shows_mine && s->retention &&
	    (!state->has_mine || state->mine_version != s->results_version))
		return true;
	return s->heap && s->heap->memory && s->has & NEED_REACH && (!state->dead || is_new);
}

/* Drop what was counted, with the rows that were made of it: the row of the framework stands for no
   type without it. */
static void
forget_mine(struct view *v)
{
	struct types_state *state = v->state;

	if (state->has_mine)
		v->rows_count = 0;
	mine_clear(&state->mine);
	state->has_mine = false;
}

/* Without dominators, types count for themselves; while a heap is read, its types still come. */
static bool
count_types_alone(struct view *v, struct error *err)
{
	struct types_state *state = v->state;
	const struct session *s = v->session;

	forget_mine(v);
	state->has_mine =
	    mine_compute(&state->mine, s->types, s->types_count, NULL, s->my_modules, NULL, err);
	state->mine_version = s->results_version;
	state->mine_types_count = s->types_count;
	return state->has_mine;
}

/* Retained sizes may still be computed, or be too large for memory. */
static bool
prepare_mine(struct view *v, struct error *err)
{
	struct types_state *state = v->state;
	struct session *s = v->session;
	const unsigned needs = NEED_OBJECTS | NEED_RETAINED;

	v->ops = s->shows_mine ? state->mine_ops : state->all_ops;
	if (!s->shows_mine) {
		forget_mine(v);
		return true;
	}
	if (s->heap && !s->retention && !session_unavailable(s, needs) &&
	    !(s->waker.wake ? session_want(s, needs, err) : session_require(s, needs, err)))
		return false;
	return s->retention || count_types_alone(v, err);
}

static bool
types_rows(struct view *v, struct error *err)
{
	if (!prepare_mine(v, err))
		return false;
	return must_sum(v) ? sum_then_arrange(v, err) : arrange_types(v, err);
}

static bool
types_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct types_state *state = v->state;

	/* The sums are of the whole heap. */
	if (line || !state->has_mine || state->is_of_group)
		return false;
	mine_text(&state->mine, out);
	return true;
}

/* --- the table of all types, for queries ---------------------------------- */

static bool
make_whole(void *made, const struct facts *f, const struct subject *about,
	   struct progress *progress, struct error *err)
{
	struct types_state *state = made;

	(void)about;
	state->has_whole_types = true;
	if (!make_types_rows(state, f->types, f->types_count, err))
		return false;
	for (type_id t = 0; t < f->types_count; t++)
		state->total_bytes += state->rows[t].bytes;
	if (!f->heap || !f->heap->memory || !f->reach)
		return true;
	state->dead = garbage_by_type(f->reach, progress, err);
	return state->dead != NULL;
}

static uint32_t
types_count(const struct cells *in)
{
	return in->facts->types_count;
}

static void
type_row(const struct cells *in, const void *record, struct row *out)
{
	(void)in;
	(void)record;
	*out = row_of_type((type_id)out->data);
}

static const struct row_source whole = {
	.what = "adding up types",
	.made_size = sizeof(struct types_state),
	.make = make_whole,
	.clear = clear_sums,
	.count = types_count,
	.row = type_row,
};

/* clang-format off */
static const struct column columns[] = {
	/* id       title     width sorts  cell             help                                      rank flags          needs */
	TYPE_COLUMN(CELL(VALUE_TEXT, cell_type), UP, 0, 0),
	{ "raw",    "Raw",    -40,  UP,    CELL(VALUE_TEXT, cell_raw),                   "name as the dump spells it",                9, COLUMN_MACHINE, 0 },
	MODULE_COLUMN(CELL(VALUE_TEXT, cell_module), 7),
	{ "count",  "Count",  10,   DOWN,  COUNT_AT(struct types_row, count),       "objects of this type",                      1, COLUMN_ADDS, 0 },
	TOTAL_SIZE_COLUMN(BYTES_AT(struct types_row, bytes)),
	{ "share",  "Share",  6,    DOWN,  CELL(VALUE_SHARE, cell_share),      "part of all bytes in the heap, or in the group",                  3, COLUMN_ADDS | COLUMN_BAR, 0 },
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
static const struct table table = { .name = "types", .columns = columns, .needs = NEED_TYPES, .record = record,
				    .rows_are = ROWS_ARE_TYPES, .rows = &whole };
static const struct command commands[] = {
	/* name    keys     bar        help, .run, then other fields */
	{ "open", "Enter", "objects", "list the objects of this type", .run = show_objects, .flags = COMMAND_OF_ROW, .needs = NEED_OBJECTS, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code types_code = {
	.open = types_open,
	.close = types_close,
	.rows = types_rows,
	.heading = types_heading,
	.item_row = row_of_type_id,
	.has_own_rows = true,
};

const struct view_ops view_types = {
	.command = { .name = "types",
		     .keys = "1",
		     .bar = "types",
		     .help = "what the heap is made of, by type" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows =
		       "no object was counted: the heap is empty, or nothing of it could be read; "
		       ":summary shows what is missing",
		   .unavailable = "own",
		   .unavailable_why = "it is the size unless :set mine counts "
				      "what the objects hold" },
	.list = { .needs = NEED_TYPES, .flags = VIEW_LIVE | VIEW_MINE, .sort = "size" },
	.code = &types_code,
};
