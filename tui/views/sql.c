/*
 * The result of a query in SQL over all open heaps (model/sql/sql.h). The
 * query is the view's argument, or has the name or the file that is typed; its columns replace
 * those of the view when the first rows are there. Without an argument the queries that have names
 * are listed instead.
 */
#include "model/sql/sql.h"
#include "tui/base/queries.h"
#include "tui/session/snapshots.h"
#include "tui/views/queries.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"
#include <stdio.h>
#include <string.h>

struct sql_view {
	struct sql_result result; /* first: what the cells read */
	const char *text;         /* the query */
	bool is_there;
	uint32_t version; /* of the results that it was made from */
	unsigned needs;   /* enum need */
	struct view_ops ops;
	struct table table;
};

/* --- heaps ---------------------------------------------------------------- */

static size_t
sessions_count(const struct view *v)
{
	return v->session->snapshots ? v->session->snapshots->count : 1;
}

static struct session *
session_at(const struct view *v, size_t at)
{
	return v->session->snapshots ? v->session->snapshots->sessions[at] : v->session;
}

/* Returns whether a query reads the session's heap. */
static bool
has_heap(const struct session *s)
{
	return !s->is_empty && !session_has_failed(s);
}

/* Returns a number that changes with the results of any heap. */
static uint32_t
results_version(const struct view *v)
{
	uint32_t version = 0;

	for (size_t i = 0; i < sessions_count(v); i++)
		version += session_at(v, i)->results_version + 1;
	return version;
}

/* Requests what the query needs of each heap; `are_met`: all of it is there. */
static bool
want_needs(struct view *v, bool *are_met, struct error *err)
{
	const struct sql_view *state = v->state;

	*are_met = true;
	for (size_t i = 0; i < sessions_count(v); i++) {
		struct session *s = session_at(v, i);

		if (!has_heap(s))
			continue;
		if (!(s->waker.wake ? session_want(s, state->needs, err)
				    : session_require(s, state->needs, err)))
			return false;
		*are_met &= !(state->needs & ~s->has);
	}
	return true;
}

/* --- the query ------------------------------------------------------------ */

struct running {
	struct sql_heap *heaps;
	uint32_t count;
	uint32_t version;
	const char *text; /* the view's */
	struct sql_result result;
};

static void
running_free(struct running *r)
{
	memory_free(r->heaps);
	memory_free(r);
}

static struct running *
running_new(const struct view *v, struct error *err)
{
	size_t count = sessions_count(v);
	struct running *r = memory_new(1, sizeof *r, err);

	if (!r)
		return NULL;
	r->heaps = memory_new(count, sizeof *r->heaps, err);
	if (!r->heaps) {
		running_free(r);
		return NULL;
	}
	r->text = ((const struct sql_view *)v->state)->text;
	r->version = results_version(v);
	for (size_t i = 0; i < count; i++) {
		struct session *s = session_at(v, i);

		if (!has_heap(s))
			continue;
		r->heaps[r->count].name = s->name;
		r->heaps[r->count].facts = session_facts(s);
		r->heaps[r->count++].facts.shows_short_names = false;
	}
	return r;
}

static bool
run_query(void *context, struct progress *progress, struct error *err)
{
	struct running *r = context;

	return sql_run(r->text, r->heaps, r->count, progress, &r->result, err);
}

static void
take_result(struct view *v, void *context, bool ok)
{
	struct sql_view *state = v->state;
	struct running *r = context;

	if (ok) {
		sql_result_clear(&state->result);
		state->result = r->result;
		state->table.columns = state->result.columns;
		state->is_there = true;
		state->version = r->version;
		v->rows_count = 0;
		v->is_stale = true;
	} else {
		sql_result_clear(&r->result);
	}
	running_free(r);
}

static bool
start_query(struct view *v, struct error *err)
{
	struct running *r = running_new(v, err);

	return r && view_run(v, "running the query", run_query, take_result, r, err);
}

static bool
list_result(struct view *v, struct error *err)
{
	const struct sql_view *state = v->state;

	return view_list_all(v, state->result.rows_count, err);
}

/* --- the view ------------------------------------------------------------- */

static bool
sql_open_view(struct view *v, struct error *err)
{
	struct sql_view *state;

	if (!*v->target.topic)
		return queries_show_in(v, err);
	state = arena_new(&v->arena, struct sql_view, err);
	v->state = state;
	if (!state)
		return false;
	state->result.address = state->result.type = state->result.heap = -1;
	state->text = query_text(v->target.topic, &v->arena, err);
	if (!state->text || !sql_parse(state->text, &state->needs, err))
		return false;
	state->ops = *v->ops;
	state->table = *v->ops->table;
	state->ops.table = &state->table;
	state->ops.list.needs |=
	    state->needs ? state->needs & (NEED_PROCESS | NEED_TYPES) : NEED_TYPES;
	v->ops = &state->ops;
	snprintf(v->title, sizeof v->title, "sql %.*s", (int)strcspn(v->target.topic, "\n"),
		 v->target.topic);
	return true;
}

static void
sql_close_view(struct view *v)
{
	struct sql_view *state = v->state;

	if (state)
		sql_result_clear(&state->result);
}

static unsigned
sql_needs_for(const char *argument)
{
	enum { QUERY_ARENA = 4 << 20 };
	struct error ignored = { 0 };
	struct arena a;
	const char *text;
	unsigned needs = 0;

	arena_init(&a, QUERY_ARENA);
	text = query_text(argument, &a, &ignored);
	if (text && !sql_parse(text, &needs, &ignored))
		needs = 0;
	arena_clear(&a);
	return needs ? needs : NEED_TYPES;
}

static bool
sql_rows(struct view *v, struct error *err)
{
	const struct sql_view *state = v->state;
	bool are_met;

	if (!want_needs(v, &are_met, err))
		return false;
	if (!are_met) {
		v->is_stale = true;
		return true;
	}
	return view_after(v, state->is_there && state->version == results_version(v), start_query,
			  list_result, err);
}

/* Returns the session of the heap that a row is from; NULL: several are open, and the row does not
   say which. */
static struct session *
session_of_row(const struct view *v, size_t row)
{
	const struct sql_view *state = v->state;
	const char *name = sql_result_text(&state->result, row, state->result.heap);

	for (size_t i = 0; i < sessions_count(v); i++)
		if (name ? !strcmp(session_at(v, i)->name, name) : sessions_count(v) == 1)
			return session_at(v, i);
	return NULL;
}

static type_id
type_named(const struct session *s, const char *name)
{
	for (type_id t = 0; name && t < s->types_count; t++)
		if (!strcmp(s->types[t].name, name))
			return t;
	return TYPE_NONE;
}

/* Returns the target of a row in its heap: its object, else its type. */
static struct target
target_of_row(const struct view *v, struct session *s, size_t row)
{
	const struct sql_result *r = &((const struct sql_view *)v->state)->result;
	node_id n = NODE_NONE;
	type_id type;

	if (s->heap && r->address >= 0) {
		const struct sql_value *at = sql_value(r, row, (uint32_t)r->address);

		if (at->type == SQL_INTEGER)
			n = heap_find(s->heap, (uint64_t)at->integer);
	}
	if (n != NODE_NONE)
		return target_of_node(s, n);
	type = type_named(s, sql_result_text(r, row, r->type));
	return type == TYPE_NONE ? target_none : target_of_type(type);
}

static void
sql_row(const struct view *v, uint32_t item, struct row *out)
{
	struct session *s = session_of_row(v, item);
	struct target target = s == v->session ? target_of_row(v, s, item) : target_none;

	*out = row_of(target.node != NODE_NONE   ? ROW_OBJECT
		      : target.type != TYPE_NONE ? ROW_TYPE
						 : ROW_PLAIN);
	out->node = target.node;
	out->type = target.type;
	out->key = out->data = item;
}

static bool
enter(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	struct session *s;
	struct target target;
	struct row row;

	if (!view_selected(v, &row))
		return true;
	s = session_of_row(v, row.data);
	if (!s)
		return error_set(err, ERROR_USAGE,
				 "this row is from one of %zu heaps: add the column heap to the "
				 "query",
				 sessions_count(v));
	target = target_of_row(v, s, row.data);
	if (target.node != NODE_NONE)
		return request_open_in(call, s, "inspect", &target);
	if (target.type != TYPE_NONE)
		return request_open_in(call, s, "objects", &target);
	return error_set(err, ERROR_USAGE,
			 "this row has no column address or type of a table, whose object or type "
			 "could be opened");
}

/* Until the first result there is no column, but a table has one. */
static void
cell_none(const struct cells *in, const struct row *row, struct value *out)
{
	(void)in, (void)row;
	value_blank(out);
}

static bool
heading(const struct view *v, unsigned line, struct value *out)
{
	size_t count = sessions_count(v);

	if (line || count < 2)
		return false;
	value_printf(out, STYLE_DIM, "over %zu heaps; the column heap tells them apart", count);
	return true;
}

/* clang-format off */
static const struct column columns[] = {
	/* id       title     width sorts     cell                 help                          rank flags needs */
	{ "result", "Result", FILL, UNSORTED, CELL(VALUE_TEXT, cell_none),"the columns of the query", 0,   0,    0 },
	{ 0 },
};
static const struct table table = { .name = "sql", .columns = columns };
static const struct command commands[] = {
	/* name     keys     bar        help, .run, then other fields */
	{ "enter", "Enter", "open", "open the object or the type of the row", .run = enter, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code sql_code = {
	.open = sql_open_view,
	.close = sql_close_view,
	.needs_for = sql_needs_for,
	.rows = sql_rows,
	.item_row = sql_row,
	.heading = heading,
};

const struct view_ops view_sql = {
	.command = { .name = "sql",
		     .args = { MAY(ARG_QUERY) },
		     .help = "the result of a query: SELECT type, sum(size) FROM objects GROUP BY "
			     "type; or of a named one" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "the query has no rows; :schema lists what it can ask for" },
	.list = { .needs = NEED_SNAPSHOTS, .flags = VIEW_CLOSES_ON_ERROR },
	.code = &sql_code,
};
