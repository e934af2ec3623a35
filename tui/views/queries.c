/* The queries in SQL that have a name (tui/base/queries.h), to choose from. */
#include "tui/views/queries.h"
#include "tui/base/queries.h"
#include "tui/widget/request.h"
#include <stdio.h>

static const struct row_source rows = {
	ROWS_IN(struct query_list, items, count),
};

static bool
queries_open(struct view *v, struct error *err)
{
	struct query_list *state = arena_new(&v->arena, struct query_list, err);

	v->state = state;
	snprintf(v->title, sizeof v->title, "queries");
	return state && queries_list(state, &v->arena, err);
}

static void
queries_close(struct view *v)
{
	struct query_list *state = v->state;

	if (state)
		memory_free(state->items);
}

static bool
run_query(const struct call *call, struct error *err)
{
	const struct query_list *state = call->view->state;
	struct target target = target_none;
	struct row row;

	(void)err;
	if (!view_selected(call->view, &row))
		return true;
	snprintf(target.topic, sizeof target.topic, "%s", state->items[row.data].name);
	return request_open(call, "sql", &target);
}

/* clang-format off */
static const struct column columns[] = {
	/* id          title       width sorts     cell                                            help                                     rank flags needs */
	{ "query",    "Query",     -22,  UP,       TEXT_AT(STYLE_TYPE, struct query, name),        "its name: :sql NAME runs it",             0, 0, 0 },
	{ "question", "Question",  FILL, UNSORTED, TEXT_AT(STYLE_NORMAL, struct query, question),  "what it answers: its first line",         0, 0, 0 },
	{ "from",     "From",      -12,  UP,       TEXT_AT(STYLE_DIM, struct query, from),         "the user's file, or built in",            1, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "named-queries", .columns = columns, .rows = &rows };
static const struct command commands[] = {
	/* name     keys     bar    help, .run, then other fields */
	{ "enter", "Enter", "run", "run the query", .run = run_query, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code queries_code = {
	.open = queries_open,
	.close = queries_close,
};

const struct view_ops view_queries = {
	.command = { .name = "named-queries",
		     .help = "queries in SQL that have a name, and what they "
			     "answer; Enter runs one" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "there are no named queries; :sql SELECT … runs one that is typed" },
	.list = { .flags = VIEW_WITHOUT_HEAP },
	.code = &queries_code,
};

bool
queries_show_in(struct view *v, struct error *err)
{
	v->ops = &view_queries;
	return queries_open(v, err);
}
