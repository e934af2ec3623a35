/*
 * Objects with a value in them: strings that contain a text, fields and
 * elements that are a number. Of heaps from memory alone.
 */
#include "tui/session/describe.h"
#include "model/base/format.h"
#include "tui/tables/object_commands.h"
#include "tui/widget/text_column.h"
#include "tui/widget/view.h"
#include "model/analysis/value_search.h"
#include <inttypes.h>
#include <string.h>

struct find_state {
	struct value_query query;
	struct value_matches *matches; /* NULL: not looked for yet */
};

static const struct value_match *
match_of(const struct find_state *state, const struct row *row)
{
	return &state->matches->items[row->data];
}

/* --- cells ---------------------------------------------------------------- */

static void
cell_field(const struct cells *in, const struct row *row, struct value *out)
{
	const struct value_match *m = match_of(in->rows, row);

	if (m->element == UINT64_MAX)
		value_text(out, STYLE_NORMAL, m->field);
	else
		value_printf(out, STYLE_NORMAL, "[%" PRIu64 "]%s%.300s",
			     m->element, *m->field ? "." : "", m->field);
}

/* Which of the object's rows it is; of an array each element has as many. */
static bool
find_row_of(const struct heap_memory *m, const struct value_match *match,
	    uint64_t total, uint64_t *row)
{
	struct content_field field;
	struct error ignored = { 0 };
	bool is_element = match->element != UINT64_MAX;

	*row = 0;
	if (!*match->field && !is_element)
		return true;
	if (!m->contents->field(m->source, match->node, match->field, &field,
				&ignored))
		return false;
	*row = field.row;
	if (is_element && field.count)
		*row += match->element * (total / field.count);
	return true;
}

/* As C# writes it: names of enumerations, too. False: it cannot be read. */
static bool
print_value(const struct heap_memory *m, const struct value_match *match,
	    struct value *out, struct arena *a)
{
	struct error ignored = { 0 };
	struct content content;
	uint64_t total, row;
	size_t count;

	if (!m->contents->rows(m->source, match->node, 0, 0, &content, &count,
			       &total, a, &ignored) ||
	    !find_row_of(m, match, total, &row) ||
	    !m->contents->rows(m->source, match->node, row, 1, &content, &count,
			       &total, a, &ignored) ||
	    !count)
		return false;
	value_printf(out, STYLE_NORMAL, "%s", content.text);
	return true;
}

static void
cell_value(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_memory *m = in->facts->heap->memory;
	struct arena a;

	arena_init(&a, 0);
	if (!print_value(m, match_of(in->rows, row), out, &a))
		value_blank(out);
	arena_clear(&a);
}

static void
cell_root(const struct cells *in, const struct row *row, struct value *out)
{
	describe_root_of(in->facts, row->node, out);
}

/* --- rows ----------------------------------------------------------------- */

static void
row_of_match(const struct view *v, uint32_t item, struct row *out)
{
	const struct find_state *state = v->state;

	*out = row_of_node(v->session->heap, state->matches->items[item].node);
	out->kind = ROW_PLAIN;
	out->data = out->key = item;
}

static bool
arrange(struct view *v, struct error *err)
{
	struct find_state *state = v->state;

	return view_list_all(v, state->matches->count, err);
}

struct looking {
	const struct heap *heap;
	const struct value_query *query;
	struct value_matches *matches;
};

static bool
look(void *context, struct progress *progress, struct error *err)
{
	struct looking *l = context;

	l->matches = value_search(l->heap, l->query, progress, err);
	return l->matches != NULL;
}

static void
take_matches(struct view *v, void *context, bool ok)
{
	struct find_state *state = v->state;
	struct looking *l = context;

	if (ok) {
		state->matches = l->matches;
		v->is_stale = true;
	}
	memory_free(l);
}

static bool
start_looking(struct view *v, struct error *err)
{
	struct find_state *state = v->state;
	struct looking *l = memory_new(1, sizeof *l, err);

	if (!l)
		return false;
	*l = (struct looking){ v->session->heap, &state->query, NULL };
	return view_run(v, "finding values", look, take_matches, l, err);
}

static bool
find_rows(struct view *v, struct error *err)
{
	const struct find_state *state = v->state;

	return view_after(v, state->matches != NULL, start_looking, arrange,
			  err);
}

static bool
find_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct find_state *state = v->state;
	char count[FORMAT_BYTES],
	    more[FORMAT_BYTES + 40] = "", unread[FORMAT_BYTES + 40] = "";

	if (line)
		return false;
	if (!state->matches) {
		value_pending(out);
		return true;
	}
	if (state->matches->left_out)
		snprintf(more, sizeof more, "; %s more are not listed",
			 format_count(state->matches->left_out, count));
	if (state->matches->unread_count)
		snprintf(unread, sizeof unread,
			 "; %s object%s could not be read",
			 format_count(state->matches->unread_count, count),
			 plural(state->matches->unread_count));
	value_printf(out, STYLE_DIM, "%s %s%s%s%s",
		     format_count(state->matches->count, count),
		     state->query.is_text ? "string" : "value",
		     plural(state->matches->count), more, unread);
	return true;
}

/* --- the view ------------------------------------------------------------- */

static bool
find_open(struct view *v, struct error *err)
{
	struct find_state *state = arena_new(&v->arena, struct find_state, err);

	v->state = state;
	if (!state)
		return false;
	snprintf(v->title, sizeof v->title, "find %.120s", v->target.topic);
	return value_query_parse(v->target.topic, &state->query, err) &&
	       (!state->query.is_text ||
		text_names_rows(v, "value", "type,field,declared", err));
}

static void
find_close(struct view *v)
{
	struct find_state *state = v->state;

	if (!state)
		return;
	value_matches_free(state->matches);
}

static const void *
record(const struct cells *in, const struct row *row)
{
	return match_of(in->rows, row);
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts     cell          help                                             rank flags           needs */
	ADDRESS_COLUMN(UP, 0, 0),
	TYPE_COLUMN(OBJECT_TYPE, UP, 0, COLUMN_BY_TYPE),
	{ "field",   "Field",   -22,  UP,       CELL(VALUE_TEXT, cell_field),   "that has the value; [3]: an element; blank: the object itself", 1, 0, 0 },
	{ "value",   "Value",   -16,  UNSORTED, CELL(VALUE_TEXT, cell_value),   "what was found; of a text its beginning",       2, 0,              0 },
	{ "declared", "Declared", -12, UNSORTED, TEXT_AT(STYLE_TYPE, struct value_match, declared), "the type of that field; blank: a text",      5, 0,              0 },
	SIZE_COLUMN(DOWN, 3),
	{ "root",    "Root",    -24,  UNSORTED, CELL(VALUE_TEXT, cell_root),    "the root at the end of the shortest way",       4, 0,              NEED_REACH },
	{ 0 },
};
static const struct table table = { .name = "find", .columns = columns, .heaps = OF_CONTENTS, .contents = "values", .record = record };
static const struct command commands[] = {
	/* name    keys       bar        help, .run, and what differs from nothing */
	{ "open", "Enter i", "inspect", "look at this object", .run = object_inspect, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_find = {
	.command = { .name = "find",
		     .args = { MUST_AS(ARG_TEXT, "VALUE") },
		     .help = "objects with a value: \"text\", 42, 0x2a, -1.5, "
			     "true, 'c', a Guid" },
	.empty = "no object has this value; :strings lists texts, :objects all "
		 "objects with their sizes",
	.table = &table,
	.commands = commands,
	.needs = NEED_OBJECTS,
	.flags = VIEW_TELLS,
	.open = find_open,
	.close = find_close,
	.rows = find_rows,
	.item_row = row_of_match,
	.heading = find_heading,
};
