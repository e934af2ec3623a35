/*
 * The memory that an object, all objects of a type or a list of objects reach, and the part of it
 * that only they keep alive.
 */
#include "tui/session/describe.h"
#include "tui/tables/subject_title.h"
#include "model/base/format.h"
#include "tui/widget/view.h"
#include "model/graph/objsize.h"
#include "model/heap/order.h"
#include <string.h>

enum part { PART_SET, PART_REACHED, PART_EXCLUSIVE, PART_SHARED, PARTS };

static const struct part_words {
	const char *id, *help;
} parts[PARTS] = {
	[PART_SET] = { "itself", "the objects themselves, each once" },
	[PART_REACHED] = { "reached", "these and everything they reach" },
	[PART_EXCLUSIVE] = { "exclusive", "the part that only they keep alive, freed with them" },
	[PART_SHARED] = { "shared", "the part that others keep alive as well" },
};

struct part_sum {
	uint64_t count, bytes;
};

struct objsize_state {
	/* A list of objects or, if `nodes` is NULL, marks: copies of the session's, or one for the
	   object or type. In the view's arena. */
	node_id *nodes;
	uint32_t nodes_count;
	struct mark *marks;
	size_t marks_count;
	struct objsize size;
	uint32_t reach_version; /* when `size` was measured */
	bool is_measured;
};

/* --- measuring ------------------------------------------------------------ */

struct measuring {
	const struct heap *heap;
	const struct ignored *ignored;
	uint32_t reach_version;
	const node_id *nodes; /* NULL: the objects of `marks` */
	uint32_t nodes_count;
	const struct mark *marks;
	size_t marks_count;
	struct objsize size;
};

static bool
run_measuring(void *context, struct progress *progress, struct error *err)
{
	struct measuring *m = context;
	struct id_list list;
	bool ok;

	if (m->nodes)
		return objsize_compute(&m->size, m->heap, m->nodes, m->nodes_count, m->ignored,
				       progress, err);
	if (!marks_objects(m->marks, m->marks_count, m->heap, &list, progress, err))
		return false;
	ok = objsize_compute(&m->size, m->heap, list.ids, list.count, m->ignored, progress, err);
	id_list_free(&list);
	return ok;
}

static bool show_parts(struct view *v, struct error *err);

static void
measuring_done(struct view *v, void *context, bool ok)
{
	struct objsize_state *state = v->state;
	struct measuring *m = context;
	struct error ignored = { 0 }; /* the app reports refused memory */

	if (ok) {
		state->size = m->size;
		state->is_measured = true;
		state->reach_version = m->reach_version;
	}
	memory_free(m);
	if (ok && !show_parts(v, &ignored))
		v->rows_count = 0;
}

static bool
start_measuring(struct view *v, struct error *err)
{
	const struct objsize_state *state = v->state;
	struct measuring *m = memory_new(1, sizeof *m, err);

	if (!m)
		return false;
	m->heap = v->session->heap;
	m->ignored = v->session->what_if.ignored;
	m->reach_version = v->session->reach_version;
	m->nodes = state->nodes;
	m->nodes_count = state->nodes_count;
	m->marks = state->marks;
	m->marks_count = state->marks_count;
	return view_run(v, "measuring", run_measuring, measuring_done, m, err);
}

/* --- the view ------------------------------------------------------------- */

static bool
show_parts(struct view *v, struct error *err)
{
	return view_show_all(v, PARTS, err);
}

static const void *
record(const struct cells *in, const struct row *row)
{
	(void)in;
	return &parts[row->data];
}

static struct part_sum
sum_of(const struct cells *in, const struct row *row)
{
	const struct objsize_state *state = in->rows;
	const struct objsize *size = &state->size;
	const struct part_sum sums[PARTS] = {
		[PART_SET] = { size->set_count, size->set_bytes },
		[PART_REACHED] = { size->count, size->bytes },
		[PART_EXCLUSIVE] = { size->exclusive_count, size->exclusive_bytes },
		[PART_SHARED] = { size->count - size->exclusive_count,
				  size->bytes - size->exclusive_bytes },
	};

	return sums[row->data];
}

static uint64_t
number_count(const struct cells *in, const struct row *row)
{
	return sum_of(in, row).count;
}

static uint64_t
number_size(const struct cells *in, const struct row *row)
{
	return sum_of(in, row).bytes;
}

static bool
take_nodes(struct view *v, struct objsize_state *state, struct error *err)
{
	snprintf(v->title, sizeof v->title, "objsize %.200s", v->target.nodes_title);
	return view_take_nodes(v, &state->nodes, &state->nodes_count, err);
}

/* Copies the session's marks, or makes one of the target. */
static bool
take_marks(struct view *v, struct objsize_state *state, struct error *err)
{
	const struct marks *m = &v->session->marks;
	struct mark target = { .node = v->target.node, .type = v->target.type };
	const struct mark *items = v->target.is_marked ? m->items : &target;

	state->marks_count = v->target.is_marked ? m->count : 1;
	if (!state->marks_count)
		return error_set(err, ERROR_USAGE, "nothing is marked; Space marks a row");
	state->marks = arena_array(&v->arena, struct mark, state->marks_count, err);
	if (!state->marks)
		return false;
	memcpy(state->marks, items, state->marks_count * sizeof *items);
	if (v->target.is_marked)
		snprintf(v->title, sizeof v->title, "objsize of %zu marked", m->count);
	else
		subject_title(v, "objsize");
	return true;
}

static bool
objsize_open(struct view *v, struct error *err)
{
	struct objsize_state *state = arena_new(&v->arena, struct objsize_state, err);

	v->state = state;
	if (!state)
		return false;
	return v->target.nodes ? take_nodes(v, state, err) : take_marks(v, state, err);
}

static bool
objsize_rows(struct view *v, struct error *err)
{
	const struct objsize_state *state = v->state;

	if (state->is_measured && state->reach_version == v->session->reach_version)
		return show_parts(v, err);
	return start_measuring(v, err);
}

static bool
objsize_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct objsize_state *state = v->state;
	const struct objsize *size = &state->size;
	char count[FORMAT_BYTES], bytes[FORMAT_BYTES], own[FORMAT_BYTES];

	if (line)
		return false;
	if (!state->is_measured) {
		value_pending(out);
		return true;
	}
	value_printf(out, STYLE_ROOT,
		     "%s object%s, %s, can be reached; without %s, %s would be freed",
		     format_count(size->count, count), size->count == 1 ? "" : "s",
		     format_size(size->bytes, bytes), size->set_count == 1 ? "it" : "them",
		     format_size(size->exclusive_bytes, own));
	return true;
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts     cell          help                            rank flags         needs */
	{ "part",    "Part",    -10,  UNSORTED, TEXT_AT(STYLE_HEADER, struct part_words, id),    "what is counted",              0, 0,             0 },
	{ "count",   "Count",   10,   DOWN,     NUMBER(VALUE_COUNT, number_count),   "objects",                      0, 0,             0 },
	{ "size",    "Size",    12,   DOWN,     NUMBER(VALUE_BYTES, number_size),    "their bytes",              0, 0,             0 },
	{ "share",   "Share",   6,    DOWN,     NUMBER(VALUE_BYTES, number_size),   "of all bytes of the heap",     2, COLUMN_SCREEN | COLUMN_BAR | COLUMN_OF_HEAP, 0 },
	{ "meaning", "Meaning", FILL, UNSORTED, TEXT_AT(STYLE_DIM, struct part_words, help), "its meaning",           1, COLUMN_SCREEN, 0 },
	{ 0 },
};
static const struct table table = { .name = "objsize", .columns = columns, .record = record };
/* clang-format on */

static const struct view_code objsize_code = {
	.open = objsize_open,
	.rows = objsize_rows,
	.heading = objsize_heading,
};

const struct view_ops view_objsize = {
	.command = { .name = "objsize",
		     .keys = "O",
		     .args = { MUST(ARG_OBJECT_OR_TYPE) },
		     .help = "all that it reaches, and what only it keeps alive; marked: the "
			     "marked objects together" },
	.table = &table,
	.words = { .no_rows = "it reaches nothing; :inspect shows what it is" },
	.list = { .needs = NEED_OBJECTS | NEED_REACH,
		  .takes_also = TAKES_SET | TAKES_MARKED,
		  .flags = VIEW_PRINTS_HEADING },
	.code = &objsize_code,
};
