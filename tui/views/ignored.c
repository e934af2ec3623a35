/*
 * The ignored roots, objects, types and references, one a row, and below them the types that
 * ignoring them would free. The rows are copies, because the session frees its own when it
 * recomputes distances.
 */
#include "tui/widget/view.h"
#include "tui/widget/request.h"
#include "tui/session/what_if_text.h"
#include <string.h>

struct ignored_state {
	const struct session *session; /* names the items */
	struct what_if_list list;
	struct freed_type *types;
	uint32_t types_count;
};

static void
cell_what(const struct cells *in, const struct row *row, struct value *out)
{
	const struct ignored_state *state = in->rows;
	char text[VALUE_TEXT_BYTES];

	if (row->kind == ROW_TYPE)
		facts_type_cell(in->facts, row->type, out);
	else
		value_printf(out, STYLE_ROOT, "%s",
			     what_if_describe(state->session, &state->list, (size_t)row->data, text,
					      sizeof text));
}

static void
cell_state(const struct cells *in, const struct row *row, struct value *out)
{
	(void)in;
	value_text(out, STYLE_DIM, row->kind == ROW_TYPE ? "freed" : "ignored");
}

/* Returns the numbers of a freed type; an ignored item has none. */
static const void *
record(const struct cells *in, const struct row *row)
{
	const struct ignored_state *state = in->rows;

	return row->kind == ROW_TYPE ? &state->types[row->data] : NULL;
}

static void
row_of_item(const struct view *v, uint32_t item, struct row *out)
{
	const struct ignored_state *state = v->state;

	if (item < state->list.items_count) {
		*out = row_of(ROW_PLAIN);
		out->data = item;
		out->key = item;
		return;
	}
	item -= (uint32_t)state->list.items_count;
	*out = row_of_type(state->types[item].type);
	out->kind = ROW_TYPE;
	out->data = item;
	out->key = UINT64_C(1) << 32 | out->type;
}

static bool
ignored_open(struct view *v, struct error *err)
{
	struct ignored_state *state = arena_new(&v->arena, struct ignored_state, err);

	v->state = state;
	if (state)
		state->session = v->session;
	return state != NULL;
}

static void
forget(struct ignored_state *state)
{
	what_if_list_clear(&state->list);
	memory_free(state->types);
}

static void
ignored_close(struct view *v)
{
	struct ignored_state *state = v->state;

	if (!state)
		return;
	forget(state);
}

static bool
copy(struct ignored_state *state, const struct what_if *w, struct error *err)
{
	uint32_t count = w->freed.types_count;

	state->types = memory_new((size_t)count + 1, sizeof *state->types, err);
	if (!state->types)
		return false;
	if (count)
		memcpy(state->types, w->freed.types, count * sizeof *state->types);
	state->types_count = count;
	return what_if_list_copy(&state->list, &w->shown, err);
}

/* Copies the session's lists. If that fails, the old rows stay. */
static bool
ignored_rows(struct view *v, struct error *err)
{
	struct ignored_state *state = v->state, before = *state;

	state->list = (struct what_if_list){ 0 };
	state->types = NULL;
	if (copy(state, &v->session->what_if, err) &&
	    view_show_all(v, state->list.items_count + state->types_count, err)) {
		forget(&before);
		return true;
	}
	forget(state);
	*state = before;
	return false;
}

static bool
ignored_heading(const struct view *v, unsigned line, struct value *out)
{
	char text[VALUE_TEXT_BYTES];

	if (line || !v->session->what_if.shown.items_count)
		return false;
	value_printf(out, STYLE_ROOT, "%s", what_if_summary(v->session, text, sizeof text));
	return true;
}

static bool
restore(const struct call *call, struct error *err)
{
	struct row row;

	if (!view_selected(call->view, &row) || row.kind != ROW_PLAIN)
		return error_set(err, ERROR_USAGE, "this row is a freed type, not an ignored item");
	return what_if_stop_ignoring(call->view->session, (size_t)row.data, err) &&
	       request_ways(call);
}

/* Lists all objects of the type; those that would be freed are among them. */
static bool
enter(const struct call *call, struct error *err)
{
	struct row row;
	struct target target;

	if (!view_selected(call->view, &row) || row.kind != ROW_TYPE)
		return error_set(err, ERROR_USAGE, "no type that would be freed is selected");
	target = target_of_type(row.type);
	return request_open(call, "objects", &target);
}

/* clang-format off */
static const struct column columns[] = {
	/* id       title     width sorts     cell        help                                             rank flags needs */
	{ "what",   "What",   FILL, UP,       CELL(VALUE_TEXT, cell_what),  "what is ignored, or a type that would be freed", 0, 0, 0 },
	{ "state",  "State",  -8,   UNSORTED, CELL(VALUE_TEXT, cell_state), "ignored, or freed as a result",                      2, 0, 0 },
	{ "count",  "Count",  10,   DOWN,     COUNT_AT(struct freed_type, count), "objects of the type that would be freed",        1, 0, 0 },
	{ "size",   "Size",   12,   DOWN,     BYTES_AT(struct freed_type, bytes),  "their bytes",                                0, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "ignored", .columns = columns, .record = record };
static const struct command commands[] = {
	/* name       keys     bar        help, .run, then other fields */
	{ "restore", "x u",   "restore", "stop ignoring this", .run = restore },
	{ "enter",   "Enter", "objects", "list the objects of the freed type", .run = enter, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code ignored_code = {
	.open = ignored_open,
	.close = ignored_close,
	.rows = ignored_rows,
	.item_row = row_of_item,
	.heading = ignored_heading,
};

const struct view_ops view_ignored = {
	.command = { .name = "ignored",
		     .help = "what is ignored, and what ignoring it would free" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "nothing is ignored; :ignore (x) ignores the selected root, object "
			      "or type" },
	.list = { .needs = NEED_OBJECTS | NEED_REACH, .flags = VIEW_LIVE | VIEW_PRINTS_HEADING },
	.code = &ignored_code,
};
