/*
 * The memory that an object, all objects of a type or a list of objects reach,
 * and the part of it that only they keep alive.
 */
#include "tui/session/describe.h"
#include "model/base/format.h"
#include "tui/widget/view.h"
#include "model/graph/objsize.h"
#include "model/heap/order.h"
#include <string.h>

enum part { PART_SET, PART_REACHED, PART_EXCLUSIVE, PART_SHARED, PARTS };

static const struct part_words {
	const char *id, *help;
} parts[PARTS] = {
	[PART_SET] = { "itself", "the objects asked about, each once" },
	[PART_REACHED] = { "reached", "these and everything they lead to" },
	[PART_EXCLUSIVE] = { "exclusive",
			     "of that: what only they keep, freed with them" },
	[PART_SHARED] = { "shared", "of that: what others keep as well" },
};

struct objsize_state {
	node_id *these; /* objects of a list, in the view's arena; or NULL */
	uint32_t these_count;
	struct mark *marks; /* a copy in the view's arena, or NULL */
	size_t marks_count;
	struct objsize size;
	uint32_t reach_version; /* when `size` was measured */
	bool is_measured;
};

static uint64_t
part_count(const struct objsize *size, enum part part)
{
	switch (part) {
	case PART_SET:
		return size->set_count;
	case PART_REACHED:
		return size->count;
	case PART_EXCLUSIVE:
		return size->exclusive_count;
	default:
		return size->count - size->exclusive_count;
	}
}

static uint64_t
part_bytes(const struct objsize *size, enum part part)
{
	switch (part) {
	case PART_SET:
		return size->set_bytes;
	case PART_REACHED:
		return size->bytes;
	case PART_EXCLUSIVE:
		return size->exclusive_bytes;
	default:
		return size->bytes - size->exclusive_bytes;
	}
}

/* --- measuring ------------------------------------------------------------ */

struct measuring {
	const struct heap *heap;
	const struct ignored *ignored;
	uint32_t reach_version;
	type_id type; /* measure all its objects; TYPE_NONE: `nodes` */
	const node_id *nodes;
	uint32_t nodes_count;
	node_id node;             /* what `nodes` points to, if it is one */
	const struct mark *marks; /* or NULL */
	size_t marks_count;
	struct objsize size;
};

/* List the marked objects, or all objects of the type. */
static bool
list_objects(const struct measuring *m, struct id_list *list,
	     struct progress *progress, struct error *err)
{
	const struct mark type = { .node = NODE_NONE, .type = m->type };

	if (m->marks)
		return marks_objects(m->marks, m->marks_count, m->heap, list,
				     progress, err);
	return marks_objects(&type, 1, m->heap, list, progress, err);
}

static bool
run_measuring(void *context, struct progress *progress, struct error *err)
{
	struct measuring *m = context;
	struct id_list list;
	bool ok;

	if (m->type == TYPE_NONE && !m->marks)
		return objsize_compute(&m->size, m->heap, m->nodes,
				       m->nodes_count, m->ignored, progress,
				       err);
	if (!list_objects(m, &list, progress, err))
		return false;
	ok = objsize_compute(&m->size, m->heap, list.ids, list.count,
			     m->ignored, progress, err);
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
	const struct target *t = &v->target;
	struct measuring *m = memory_new(1, sizeof *m, err);

	if (!m)
		return false;
	m->heap = v->session->heap;
	m->ignored = v->session->what_if.ignored;
	m->reach_version = v->session->reach_version;
	m->type = TYPE_NONE;
	m->node = t->node;
	m->nodes = &m->node;
	m->nodes_count = 1;
	if (state->these) {
		m->nodes = state->these;
		m->nodes_count = state->these_count;
	} else if (state->marks) {
		m->marks = state->marks;
		m->marks_count = state->marks_count;
	} else if (t->node == NODE_NONE) {
		m->type = t->type;
	}
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

static uint64_t
number_count(const struct cells *in, const struct row *row)
{
	const struct objsize_state *state = in->rows;

	return part_count(&state->size, (enum part)row->data);
}

static uint64_t
number_size(const struct cells *in, const struct row *row)
{
	const struct objsize_state *state = in->rows;

	return part_bytes(&state->size, (enum part)row->data);
}

static bool
take_these(struct view *v, struct objsize_state *state, struct error *err)
{
	snprintf(v->title, sizeof v->title, "objsize %.200s",
		 v->target.nodes_title);
	return view_take_nodes(v, &state->these, &state->these_count, err);
}

static bool
take_marks(struct view *v, struct objsize_state *state, struct error *err)
{
	const struct marks *m = &v->session->marks;

	if (!m->count)
		return error_set(err, ERROR_USAGE,
				 "nothing is marked; Space marks a row");
	state->marks = arena_array(&v->arena, struct mark, m->count, err);
	if (!state->marks)
		return false;
	memcpy(state->marks, m->items, m->count * sizeof *m->items);
	state->marks_count = m->count;
	snprintf(v->title, sizeof v->title, "objsize of %zu marked", m->count);
	return true;
}

static bool
objsize_open(struct view *v, struct error *err)
{
	struct objsize_state *state =
	    arena_new(&v->arena, struct objsize_state, err);
	char name[VALUE_TEXT_BYTES];

	v->state = state;
	if (!state)
		return false;
	if (v->target.nodes)
		return take_these(v, state, err);
	if (v->target.is_marked)
		return take_marks(v, state, err);
	if (v->target.node != NODE_NONE)
		describe_node(v->session, v->target.node, name, sizeof name);
	else
		snprintf(name, sizeof name, "%.400s",
			 session_type_name(v->session, v->target.type));
	snprintf(v->title, sizeof v->title, "objsize %.200s", name);
	return true;
}

static bool
objsize_rows(struct view *v, struct error *err)
{
	const struct objsize_state *state = v->state;

	if (state->is_measured &&
	    state->reach_version == v->session->reach_version)
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
		     "%s object%s, %s, can be reached; without %s %s would be "
		     "freed",
		     format_count(size->count, count),
		     size->count == 1 ? "" : "s",
		     format_size(size->bytes, bytes),
		     size->set_count == 1 ? "it" : "them",
		     format_size(size->exclusive_bytes, own));
	return true;
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts     cell          help                            rank flags         needs */
	{ "part",    "Part",    -10,  UNSORTED, TEXT_AT(STYLE_HEADER, struct part_words, id),    "what is counted",              0, 0,             0 },
	{ "count",   "Count",   10,   DOWN,     NUMBER(VALUE_COUNT, number_count),   "objects",                      0, 0,             0 },
	{ "size",    "Size",    12,   DOWN,     NUMBER(VALUE_BYTES, number_size),    "and their bytes",              0, 0,             0 },
	{ "share",   "Share",   6,    DOWN,     NUMBER(VALUE_BYTES, number_size),   "of all bytes of the heap",     2, COLUMN_SCREEN | COLUMN_BAR | COLUMN_OF_HEAP, 0 },
	{ "meaning", "Meaning", FILL, UNSORTED, TEXT_AT(STYLE_DIM, struct part_words, help), "what it stands for",           1, COLUMN_SCREEN, 0 },
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
		     .help = "all that hangs on it, and how much only on "
			     "it; marked: on what is marked" },
	.table = &table,
	.words = { .no_rows =
		       "nothing hangs on it; :inspect tells what it is" },
	.list = { .needs = NEED_OBJECTS | NEED_REACH,
		  .takes_also = TAKES_SET | TAKES_MARKED,
		  .flags = VIEW_PRINTS_HEADING },
	.code = &objsize_code,
};
