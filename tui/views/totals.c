/*
 * The objects that a list shows, with its filter, added up by type. The list is the view below this
 * one on the stack and makes its own rows. Adding up is a job of the list, so that the job ends
 * before the rows change.
 */
#include "model/table/object_columns.h"
#include "model/base/format.h"
#include "tui/widget/view.h"
#include "model/filter/filter.h"
#include "tui/widget/request.h"
#include <string.h>

struct totals_state {
	struct type_sum *sums;           /* by type; NULL until they are added up */
	uint64_t objects, bytes, others; /* others: rows without an object */
	uint64_t types;                  /* with objects in the list */
	const char *where;               /* the list's filter for `sums`; in the arena */
	bool is_adding;                  /* a job of the list is running */
	uint32_t version;                /* session_version of `sums` */
};

static const struct type_sum *
sum_of(const struct totals_state *state, const struct row *row)
{
	return &state->sums[row->type];
}

/* --- cells ---------------------------------------------------------------- */

static void
cell_share(const struct cells *in, const struct row *row, struct value *out)
{
	const struct totals_state *state = in->rows;

	value_share(out, sum_of(in->rows, row)->bytes, state->bytes);
}

static void
cell_average(const struct cells *in, const struct row *row, struct value *out)
{
	value_bytes(out, sum_of(in->rows, row)->bytes / sum_of(in->rows, row)->count);
}

/* --- adding up ------------------------------------------------------------ */

enum { LOOK_EVERY = 65536 };

struct adding {
	const struct view *of;
	struct view *totals; /* cancels this job before it closes */
	struct type_sum *sums;
	uint64_t objects, bytes, others;
	uint32_t version;
};

static void
add_object(struct adding *a, const struct row *row)
{
	struct type_sum *sum = &a->sums[row->type];
	uint64_t bytes = heap_size(a->of->session->heap, row->node);

	sum->count++;
	sum->bytes += bytes;
	if (bytes > sum->max_bytes)
		sum->max_bytes = bytes;
	a->objects++;
	a->bytes += bytes;
}

static bool
run_adding(void *context, struct progress *progress, struct error *err)
{
	struct adding *a = context;
	struct row row;

	progress_begin(progress, "adding up types", "rows", a->of->rows_count);
	for (size_t i = 0; i < a->of->rows_count; i++) {
		if ((i + 1) % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
		view_row(a->of, i, &row);
		if (row.node == NODE_NONE)
			a->others++;
		else
			add_object(a, &row);
	}
	return true;
}

static void
adding_done(struct view *of, void *context, bool ok)
{
	struct adding *a = context;
	struct view *v = a->totals;
	struct totals_state *state = v->state;
	const struct filter *f = of->shown.filter;
	struct error ignored = { 0 };

	state->is_adding = false;
	v->is_stale = true;
	if (ok) {
		memory_free(state->sums);
		state->sums = a->sums;
		state->objects = a->objects;
		state->bytes = a->bytes;
		state->others = a->others;
		state->version = a->version;
		state->where = f ? arena_printf(&v->arena, &ignored, "%s", filter_text(f)) : NULL;
	} else {
		/* The old sums do not match the rows of the list. */
		v->rows_count = 0;
		memory_free(state->sums);
		state->sums = NULL;
		memory_free(a->sums);
	}
	memory_free(a);
}

static bool
start_adding(struct view *v, struct error *err)
{
	struct totals_state *state = v->state;
	struct adding *a = memory_new(1, sizeof *a, err);

	if (!a)
		return false;
	*a = (struct adding){ .of = v->source, .totals = v, .version = v->session_version };
	a->sums = memory_new((size_t)v->session->heap->types_count + 1, sizeof *a->sums, err);
	if (!a->sums) {
		memory_free(a);
		return false;
	}
	state->is_adding = true;
	return view_run_on_rows(v->source, "adding up types", run_adding, adding_done, a, err);
}

/* --- rows ----------------------------------------------------------------- */

static void
row_of_type_id(const struct view *v, uint32_t type, struct row *out)
{
	(void)v;
	*out = row_of_type(type);
}

static bool
show_sums(struct view *v, struct error *err)
{
	struct totals_state *state = v->state;
	uint32_t count = v->session->heap->types_count, found = 0;
	uint32_t *types = memory_new((size_t)count + 1, sizeof *types, err);

	if (!types)
		return false;
	for (type_id t = 0; t < count; t++)
		if (state->sums[t].count)
			types[found++] = t;
	state->types = found;
	return view_show_items(v, types, found, err);
}

/* Starts to add up once the list has its rows; called again when a job ends. */
static bool
totals_rows(struct view *v, struct error *err)
{
	struct totals_state *state = v->state;
	const struct view *of = v->source;

	if (view_was_stopped(of))
		return error_set(err, ERROR_USAGE,
				 "the list was stopped before it was complete; Backspace returns "
				 "to it");
	if (state->sums && state->version == v->session_version) {
		v->is_stale = false;
		return show_sums(v, err);
	}
	v->is_stale = true;
	if (view_is_busy(of) || of->is_waiting || of->is_stale)
		return true;
	if (!start_adding(v, err))
		return false;
	/* A session without a waker has run the job already. */
	return state->is_adding || totals_rows(v, err);
}

/* Returns what the rows of a list are called if the list may contain an object several times, else
   NULL. */
static const char *
rows_noun(const struct view_ops *of)
{
	return !strcmp(of->command.name, "handles")      ? "handle"
	       : !strcmp(of->command.name, "references") ? "reference"
							 : NULL;
}

static bool
totals_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct totals_state *state = v->state;
	const char *noun = rows_noun(v->source->ops);
	char objects[FORMAT_BYTES], bytes[FORMAT_BYTES], types[FORMAT_BYTES], others[FORMAT_BYTES],
	    without[FORMAT_BYTES + 40] = "";

	if (line)
		return false;
	if (!state->sums) {
		value_pending(out);
		return true;
	}
	if (state->others)
		snprintf(without, sizeof without, "; %s more without an object",
			 format_count(state->others, others));
	value_printf(out, STYLE_DIM, "%s: %s %s%s%s of %s type%s, %s%s%s%s", v->source->title,
		     format_count(state->objects, objects), noun ? noun : "object",
		     plural(state->objects), noun ? " to objects" : "",
		     format_count(state->types, types), plural(state->types),
		     format_size(state->bytes, bytes), state->where ? ", where " : "",
		     state->where ? state->where : "", without);
	return true;
}

/* --- the view ------------------------------------------------------------- */

static bool
totals_open(struct view *v, struct error *err)
{
	struct totals_state *state = arena_new(&v->arena, struct totals_state, err);

	v->state = state;
	if (!state)
		return false;
	v->source = v->target.of;
	if (!v->source || !(v->source->ops->list.flags & VIEW_OBJECTS))
		return error_set(
		    err, ERROR_USAGE,
		    "totals adds up a list of objects; open one first, such as objects, handles or "
		    "finalizers; in batch mode: -b objects -x totals");
	snprintf(v->title, sizeof v->title, "totals of %.200s", v->source->title);
	return true;
}

static void
totals_close(struct view *v)
{
	struct totals_state *state = v->state;

	if (!state)
		return;
	if (state->is_adding)
		view_cancel(v->source);
	memory_free(state->sums);
}

/* Requests the list's filter, restricted to one type unless `type` is "". */
static bool
request_filter_like(const struct call *call, const struct view *of, const char *type,
		    struct error *err)
{
	const struct filter *f = of->shown.filter;
	const struct filter_value shown = filter_value(f);
	const char *slash = f && filter_is_pattern(f) ? "/" : "";
	const char *quote = strchr(type, '\'') ? "\"" : "'";
	struct request *r = call->request;

	if (!*type) {
		if (f)
			r->filter = shown;
		return true;
	}
	r->filter.language = FILTER_EXPRESSION;
	r->filter.text =
	    arena_printf(&call->view->arena, err, "type = %s%s%s%s%s%s%s%s", quote, type, quote,
			 f ? " and (" : "", slash, shown.text, slash, f ? ")" : "");
	return r->filter.text;
}

/* Opens the objects of the list that are of the selected type. */
static bool
open_objects(const struct call *call, struct error *err)
{
	const struct view *of = call->view->source;
	struct target target = of->target;
	char title[VALUE_TEXT_BYTES];
	bool is_by_name = strcmp(of->ops->command.name, "objects") != 0 || of->target.calls ||
			  of->target.compared || of->target.held;
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no type is selected");
	if (view_code(of->ops)->selection &&
	    view_code(of->ops)->selection(of, &row, &target, title, sizeof title))
		return request_open(call, "objects", &target);
	target.nodes_title = of->title;
	if (!is_by_name)
		target.type = row.type;
	return request_filter_like(
		   call, of, is_by_name ? call->view->session->heap->types[row.type].name : "",
		   err) &&
	       request_open(call, of->ops->command.name, &target);
}

static const void *
record(const struct cells *in, const struct row *row)
{
	return sum_of(in->rows, row);
}

/* clang-format off */
static const struct column columns[] = {
	/* id       title     width sorts cell          help                             rank flags needs */
	TYPE_COLUMN(ROW_TYPE_NAME, UP, 0, 0),
	MODULE_COLUMN(ROW_MODULE, 4),
	{ "count",  "Count",  10,   DOWN, COUNT_AT(struct type_sum, count),   "objects of this type that are listed", 0, COLUMN_ADDS, 0 },
	TOTAL_SIZE_COLUMN(BYTES_AT(struct type_sum, bytes)),
	{ "share",  "Share",  6,    DOWN, CELL(VALUE_SHARE, cell_share),   "part of all bytes listed",      1, COLUMN_ADDS | COLUMN_BAR, 0 },
	{ "avg",    "Avg",    9,    DOWN, CELL(VALUE_BYTES, cell_average), "average bytes",       2, 0, 0 },
	{ "max",    "Max",    9,    DOWN, BYTES_AT(struct type_sum, max_bytes),     "bytes of the largest one",      3, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "totals", .columns = columns, .record = record };
static const struct command commands[] = {
	/* name    keys     bar        help, .run, then other fields */
	{ "open", "Enter", "objects", "list those objects of the list that are of this type", .run = open_objects, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code totals_code = {
	.open = totals_open,
	.close = totals_close,
	.rows = totals_rows,
	.item_row = row_of_type_id,
	.heading = totals_heading,
};

const struct view_ops view_totals = {
	.command = { .name = "totals", .help = "the objects of the list, added up by type" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "the list has no objects; :objects lists others" },
	.list = { .needs = NEED_OBJECTS, .flags = VIEW_LIVE | VIEW_PRINTS_HEADING, .sort = "size" },
	.code = &totals_code,
};
