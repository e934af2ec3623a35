/*
 * The views `tables` and `schema`: what queries in SQL can read. The texts are those of the views
 * and columns that the tables belong to.
 */
#include "tui/app/views.h"
#include "model/sql/schema.h"
#include "tui/widget/request.h"
#include <string.h>

/* A row of either view; its cells read the fields. */
struct schema_row {
	const char *table, *name, *kind, *help;
	uint64_t columns;
};

struct schema_rows {
	struct schema_row *rows;
	uint32_t count;
};

static const struct row_source rows = {
	ROWS_IN(struct schema_rows, rows, count),
};

static bool
open_rows(struct view *v, struct schema *s, struct error *err)
{
	struct schema_rows *state = arena_new(&v->arena, struct schema_rows, err);

	v->state = state;
	if (!state || !schema_read(s, &v->arena, err))
		return false;
	state->rows =
	    arena_array(&v->arena, struct schema_row,
			(size_t)s->entries_count + s->columns_count + s->builtins_count + 1, err);
	return state->rows != NULL;
}

static uint32_t
count_columns(const struct schema *s, const char *table)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->columns_count; i++)
		count += !strcmp(s->columns[i].table, table);
	return count;
}

static bool
tables_open(struct view *v, struct error *err)
{
	static const char *const kinds[] = {
		[SCHEMA_TABLE] = "table",
		[SCHEMA_LIST] = "table",
		[SCHEMA_FUNCTION] = "function",
	};
	struct schema_rows *state;
	struct schema s;

	if (!open_rows(v, &s, err))
		return false;
	state = v->state;
	for (uint32_t i = 0; i < s.entries_count; i++) {
		const struct schema_entry *e = &s.entries[i];

		state->rows[state->count++] = (struct schema_row){
			.table = e->name,
			.name = e->usage,
			.kind = kinds[e->kind],
			.help = e->help ? e->help : views_help_of_table(e->name),
			.columns = e->kind == SCHEMA_FUNCTION ? 0 : count_columns(&s, e->name),
		};
	}
	snprintf(v->title, sizeof v->title, "tables");
	return true;
}

/* Leaves the column with the table's name to machines: all rows have one. */
static bool
hide_table(struct view *v, struct error *err)
{
	enum { COLUMNS = 5 };
	struct view_ops *ops = arena_new(&v->arena, struct view_ops, err);
	struct table *t = arena_new(&v->arena, struct table, err);
	struct column *c = arena_array(&v->arena, struct column, COLUMNS, err);

	if (!ops || !t || !c)
		return false;
	*ops = *v->ops;
	*t = *v->ops->table;
	memcpy(c, t->columns, COLUMNS * sizeof *c);
	c[0].flags |= COLUMN_MACHINE;
	t->columns = c;
	ops->table = t;
	v->ops = ops;
	return true;
}

/* Lists the functions of heaptop, then SQLite's own. */
static void
list_functions(struct schema_rows *state, const struct schema *s)
{
	for (uint32_t i = 0; i < s->entries_count; i++)
		if (s->entries[i].kind == SCHEMA_FUNCTION)
			state->rows[state->count++] = (struct schema_row){
				.table = SCHEMA_FUNCTIONS,
				.name = s->entries[i].usage,
				.kind = "heaptop",
				.help = s->entries[i].help,
			};
	for (uint32_t i = 0; i < s->builtins_count; i++)
		state->rows[state->count++] = (struct schema_row){
			.table = SCHEMA_FUNCTIONS,
			.name = s->builtins[i],
			.kind = "SQLite",
			.help = "see sqlite.org/lang_corefunc.html",
		};
}

static bool
schema_open(struct view *v, struct error *err)
{
	const char *wanted = v->target.topic;
	bool functions = !strcmp(wanted, SCHEMA_FUNCTIONS);
	struct schema_rows *state;
	struct schema s;

	if (!open_rows(v, &s, err))
		return false;
	if (*wanted && !hide_table(v, err))
		return false;
	if (*wanted && !functions && !schema_named(&s, wanted))
		return error_set(err, ERROR_USAGE,
				 "queries know no table \"%.60s\"; :tables lists all", wanted);
	state = v->state;
	if (functions)
		list_functions(state, &s);
	for (uint32_t i = 0; i < s.columns_count; i++) {
		const struct schema_column *c = &s.columns[i];

		if (*wanted && strcmp(c->table, wanted) != 0)
			continue;
		state->rows[state->count++] = (struct schema_row){
			.table = c->table,
			.name = c->name,
			.kind = c->is_hidden ? "hidden"
				: *c->type   ? c->type
					     : "mixed",
			.help = c->help,
		};
	}
	snprintf(v->title, sizeof v->title, *wanted ? "schema %.60s" : "schema", wanted);
	return true;
}

/* --- commands ------------------------------------------------------------- */

static const struct schema_row *
selected(const struct call *call)
{
	const struct schema_rows *state = call->view->state;
	struct row row;

	return view_selected(call->view, &row) ? &state->rows[row.data] : NULL;
}

static bool
show_columns(const struct call *call, struct error *err)
{
	const struct schema_row *row = selected(call);
	struct target target = target_none;

	if (!row)
		return true;
	if (!row->columns)
		return error_set(err, ERROR_USAGE, "%s is a function: SELECT %s", row->table,
				 row->name);
	snprintf(target.topic, sizeof target.topic, "%s", row->table);
	return request_open(call, "schema", &target);
}

/* Opens the rows of the column's table; lists need an address. */
static bool
show_rows(const struct call *call, struct error *err)
{
	const struct schema_row *row = selected(call);
	struct target target = target_none;

	if (!row)
		return true;
	if (!strcmp(row->table, SCHEMA_FUNCTIONS))
		return error_set(err, ERROR_USAGE, "%s is a function: SELECT %s", row->name,
				 row->name);
	snprintf(target.topic, sizeof target.topic, "SELECT \"%s\" FROM \"%s\" LIMIT 1000",
		 row->name, row->table);
	return request_open(call, "sql", &target);
}

/* clang-format off */
static const struct column tables_columns[] = {
	/* id        title      width sorts     cell                                                   help                                           rank flags needs */
	{ "table",   "Table",   -22,  UP,       TEXT_AT(STYLE_TYPE, struct schema_row, name),          "how a query names it",                          0, 0, 0 },
	{ "kind",    "Kind",    -8,   UP,       TEXT_AT(STYLE_DIM, struct schema_row, kind),           "table, or function",                            2, 0, 0 },
	{ "columns", "Columns", 7,    DOWN,     NONZERO_AT(VALUE_COUNT, struct schema_row, columns),   "how many columns it has; Enter lists them",     1, 0, 0 },
	{ "help",    "Rows",    FILL, UNSORTED, TEXT_AT(STYLE_NORMAL, struct schema_row, help),        "what its rows are, or what the function returns", 0, 0, 0 },
	{ 0 },
};
static const struct column schema_columns[] = {
	/* id        title      width sorts     cell                                                   help                                           rank flags needs */
	{ "table",   "Table",   -12,  UP,       TEXT_AT(STYLE_DIM, struct schema_row, table),          "the table",                                     1, 0, 0 },
	{ "column",  "Column",  -16,  UP,       TEXT_AT(STYLE_TYPE, struct schema_row, name),          "the column's name in queries",                  0, 0, 0 },
	{ "kind",    "Kind",    -12,  UP,       TEXT_AT(STYLE_NORMAL, struct schema_row, kind),        "its values; hidden: SELECT * does not show it", 1, 0, 0 },
	{ "help",    "What",    FILL, UNSORTED, TEXT_AT(STYLE_NORMAL, struct schema_row, help),        "what the column shows",                         0, 0, 0 },
	{ 0 },
};
static const struct table tables_table = { .name = "tables", .columns = tables_columns, .rows = &rows };
static const struct table schema_table = { .name = "schema", .columns = schema_columns, .rows = &rows };
static const struct command tables_commands[] = {
	/* name     keys     bar        help, .run, then other fields */
	{ "enter", "Enter", "columns", "list the columns of the table", .run = show_columns, .replay = REPLAY_ROWS },
	{ 0 },
};
static const struct command schema_commands[] = {
	/* name     keys     bar        help, .run, then other fields */
	{ "enter", "Enter", "query",   "show what the column has in the table", .run = show_rows, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code tables_code = {
	.open = tables_open,
};
static const struct view_code schema_code = {
	.open = schema_open,
};

const struct view_ops view_tables = {
	.command = { .name = "tables",
		     .help = "the tables and functions that queries in SQL can use" },
	.table = &tables_table,
	.commands = tables_commands,
	.words = { .no_rows = "there are no tables; :sql runs a query" },
	.list = { .flags = VIEW_WITHOUT_HEAP },
	.code = &tables_code,
};

const struct view_ops view_schema = {
	.command = { .name = "schema",
		     .args = { MAY(ARG_TABLE) },
		     .help = "the columns of a table in SQL, or of all; or the functions" },
	.table = &schema_table,
	.commands = schema_commands,
	.words = { .no_rows = "the table has no columns; :tables lists all" },
	.list = { .flags = VIEW_WITHOUT_HEAP },
	.code = &schema_code,
};
