/*
 * Objects by their size: a row and a bar for each power of two, of the whole
 * heap, of a type or of some of its objects.
 */
#include "model/base/format.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"
#include "model/analysis/size_classes.h"
#include <inttypes.h>
#include <string.h>

enum { BAR_CELLS = 22 };

struct histogram_state {
	struct size_classes classes;
	const struct heap *heap; /* that they are of; NULL: not counted yet */
	const node_id *nodes; /* only these, in the view's arena; NULL: all */
	uint32_t nodes_count;
};

static const struct size_class *
class_of(const struct histogram_state *state, const struct row *row)
{
	return &state->classes.items[row->data];
}

/* The largest size of the class. */
static uint64_t
class_last(const struct row *row)
{
	return row->data + 1 < SIZE_CLASSES
		   ? size_class_start((unsigned)row->data + 1) - 1
		   : UINT64_MAX;
}

/* --- cells --------------------------------------------------------------- */

/* "64 B", "2 KiB": a power of two. */
static void
format_power(unsigned power, char out[FORMAT_BYTES])
{
	static const char *const units[] = { "B",   "KiB", "MiB", "GiB",
					     "TiB", "PiB", "EiB" };
	enum { STEP = 10 };

	snprintf(out, FORMAT_BYTES, "%u %s", 1U << power % STEP,
		 units[power / STEP]);
}

static void
cell_size(const struct cells *in, const struct row *row, struct value *out)
{
	unsigned class = (unsigned)row->data;
	char from[FORMAT_BYTES] = "0 B", to[FORMAT_BYTES];

	(void)in;
	if (class)
		format_power(class, from);
	if (class + 1 < SIZE_CLASSES) {
		format_power(class + 1, to);
		value_printf(out, STYLE_TYPE, "%s to < %s", from, to);
	} else {
		value_printf(out, STYLE_TYPE, "%s and more", from);
	}
	out->number = size_class_start(class);
	out->has_number = true;
}

static uint64_t
number_from(const struct cells *in, const struct row *row)
{
	(void)in;
	return size_class_start((unsigned)row->data);
}

static void
cell_to(const struct cells *in, const struct row *row, struct value *out)
{
	(void)in;
	value_exact_bytes(out, class_last(row));
}

static void
cell_count_share(const struct cells *in, const struct row *row,
		 struct value *out)
{
	const struct histogram_state *state = in->rows;

	value_share(out, class_of(in->rows, row)->count,
		    state->classes.all.count);
}

static void
cell_bytes_share(const struct cells *in, const struct row *row,
		 struct value *out)
{
	const struct histogram_state *state = in->rows;

	value_share(out, class_of(in->rows, row)->bytes,
		    state->classes.all.bytes);
}

/* To the nearest half of a cell; something for what is not nothing. */
static void
bar(uint64_t part, uint64_t most, struct value *out)
{
	double share = most ? (double)part / (double)most : 0;
	int halves = (int)(share * BAR_CELLS * 2 + 0.5);
	char text[4 * BAR_CELLS + 4] = "";
	size_t len = 0;

	if (part && !halves)
		halves = 1;
	for (; halves > 0; halves -= 2)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s",
					halves > 1 ? "█" : "▌");
	value_printf(out, STYLE_BAR, "%s", text);
}

static void
cell_count_bar(const struct cells *in, const struct row *row, struct value *out)
{
	const struct histogram_state *state = in->rows;

	bar(class_of(in->rows, row)->count, state->classes.most.count, out);
}

static void
cell_bytes_bar(const struct cells *in, const struct row *row, struct value *out)
{
	const struct histogram_state *state = in->rows;

	bar(class_of(in->rows, row)->bytes, state->classes.most.bytes, out);
}

/* --- rows ---------------------------------------------------------------- */

static void
row_of_item(const struct view *v, uint32_t item, struct row *out)
{
	const struct histogram_state *state = v->state;

	*out = row_of(ROW_PLAIN);
	out->data = out->key = state->classes.first + item;
}

static bool
arrange(struct view *v, struct error *err)
{
	struct histogram_state *state = v->state;

	return view_show_all(v, state->classes.end - state->classes.first, err);
}

/* What a worker makes. */
struct counting {
	const struct heap *heap;
	type_id type;
	const node_id *nodes;
	uint32_t nodes_count;
	struct size_classes classes;
};

static bool
count_classes(void *context, struct progress *progress, struct error *err)
{
	struct counting *c = context;

	return size_classes_count(&c->classes, c->heap, c->type, c->nodes,
				  c->nodes_count, progress, err);
}

static void
take_classes(struct view *v, void *context, bool ok)
{
	struct histogram_state *state = v->state;
	struct error ignored = { 0 };
	struct counting *c = context;

	if (ok) {
		state->classes = c->classes;
		state->heap = c->heap;
		(void)arrange(v, &ignored);
	}
	memory_free(c);
}

static bool
histogram_rows(struct view *v, struct error *err)
{
	const struct histogram_state *state = v->state;
	struct counting *c;

	if (state->heap == v->session->heap)
		return arrange(v, err);
	c = memory_new(1, sizeof *c, err);
	if (!c)
		return false;
	c->heap = v->session->heap;
	c->type = v->target.type;
	c->nodes = state->nodes;
	c->nodes_count = state->nodes_count;
	return view_run(v, "sorting by size", count_classes, take_classes, c,
			err);
}

static bool
histogram_open(struct view *v, struct error *err)
{
	struct histogram_state *state =
	    arena_new(&v->arena, struct histogram_state, err);
	struct target *t = &v->target;
	node_id *nodes;

	v->state = state;
	if (!state)
		return false;
	t->node = NODE_NONE;
	if (t->type != TYPE_NONE)
		snprintf(v->title, sizeof v->title, "histogram %.200s",
			 t->nodes ? t->nodes_title
				  : session_type_name(v->session, t->type));
	if (!t->nodes)
		return true;
	nodes =
	    arena_array(&v->arena, node_id, (size_t)t->nodes_count + 1, err);
	if (!nodes)
		return false;
	memcpy(nodes, t->nodes, t->nodes_count * sizeof *nodes);
	state->nodes = nodes;
	state->nodes_count = t->nodes_count;
	t->nodes = NULL;
	t->nodes_title = NULL;
	return true;
}

static bool
histogram_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct histogram_state *state = v->state;
	const struct size_class *all = &state->classes.all;
	char count[FORMAT_BYTES], bytes[FORMAT_BYTES], mean[FORMAT_BYTES];

	if (line || !all->count)
		return false;
	value_printf(out, STYLE_ROOT, "%s object%s, %s; %s on average",
		     format_count(all->count, count), plural(all->count),
		     format_size(all->bytes, bytes),
		     format_size(all->bytes / all->count, mean));
	return true;
}

/* --- commands ------------------------------------------------------------ */

static bool
list_objects(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	const struct histogram_state *state = v->state;
	struct target target = target_of_type(v->target.type);
	char where[96];
	struct row row;

	if (!view_selected(v, &row))
		return error_set(err, ERROR_USAGE, "no size is selected");
	if (!class_of(v->state, &row)->count)
		return error_set(err, ERROR_USAGE, "no object has such a size");
	if (state->nodes) {
		target.nodes = state->nodes;
		target.nodes_count = state->nodes_count;
		target.nodes_title = v->title;
	}
	snprintf(where, sizeof where,
		 "size >= %" PRIu64 " and size <= %" PRIu64,
		 size_class_start((unsigned)row.data), class_last(&row));
	return request_open_where(call, "objects", &target, "%s", where);
}

static const void *
record(const struct cells *in, const struct row *row)
{
	return class_of(in->rows, row);
}

/* clang-format off */
static const struct column columns[] = {
	/* id             title      width sorts     cell              help                                          rank flags           needs */
	{ "class",        "Size",    FILL, UP,       CELL(VALUE_TEXT, cell_size),        "bytes of each object: from a power of two to below the next", 0, 0, 0 },
	{ "from",         "From",    11,   UP,       EXACT_BYTES(number_from),        "the smallest size",                          0, COLUMN_MACHINE, 0 },
	{ "to",           "To",      11,   UP,       CELL(VALUE_BYTES, cell_to),          "the largest",                                0, COLUMN_MACHINE, 0 },
	{ "count",        "Objects", 10,   DOWN,     COUNT_AT(struct size_class, count),       "how many there are",                         0, COLUMN_ADDS, 0 },
	{ "count_share",  "Share",   6,    DOWN,     CELL(VALUE_SHARE, cell_count_share), "part of all objects counted",                4, 0,              0 },
	{ "count_bar",    "",       -22,   UNSORTED, CELL(VALUE_TEXT, cell_count_bar),   "the same as a bar; the longest is the most", 3, COLUMN_SCREEN | COLUMN_DRAWN, 0 },
	{ "bytes",        "Bytes",   11,   DOWN,     BYTES_AT(struct size_class, bytes),       "bytes of all of them",                       0, COLUMN_ADDS, 0 },
	{ "bytes_share",  "Share",   6,    DOWN,     CELL(VALUE_SHARE, cell_bytes_share), "part of all bytes counted",                  5, COLUMN_ADDS, 0 },
	{ "bytes_bar",    "",       -22,   UNSORTED, CELL(VALUE_TEXT, cell_bytes_bar),   "the same as a bar; the longest is the most", 2, COLUMN_SCREEN | COLUMN_DRAWN, 0 },
	{ 0 },
};
static const struct table table = { .name = "histogram", .columns = columns, .record = record };
static const struct command commands[] = {
	/* name     keys     bar        help, .run, and what differs from nothing */
	{ "enter", "Enter", "objects", "list the objects of this size", .run = list_objects, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_histogram = {
	.command = { .name = "histogram",
		     .keys = "H",
		     .args = { MAY(ARG_TYPE) },
		     .help = "how many objects there are of which size, with "
			     "bars" },
	.empty = "no object is here that could be counted; :types shows what "
		 "the heap is made of",
	.table = &table,
	.commands = commands,
	.needs = NEED_OBJECTS,
	.takes_besides = TAKES_SET,
	.flags = VIEW_TELLS,
	.open = histogram_open,
	.rows = histogram_rows,
	.item_row = row_of_item,
	.heading = histogram_heading,
};
