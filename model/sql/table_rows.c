/*
 * Tables of model/table/ as virtual tables. Besides its columns a table has `heap`, the name of the
 * heap that a row is from, and two hidden columns: `argument`, which is typed in parentheses after
 * the table's name, and `type_id`, the number of the row's type. Tables of sql_lists[] have the
 * columns of objects, and list those related to the object at the argument's address.
 */
#include "model/heap/contents.h"
#include "model/sql/made.h"
#include "model/table/listing.h"
#include "model/tables/tables.h"
#include <string.h>

struct rows_table {
	sqlite3_vtab base;
	struct sql *sql;
	const struct table *table;
	const struct sql_list *list; /* NULL: the table's own rows */
	/* The columns in SQL; after them the columns of enum extra_column. */
	const struct column **columns;
	int columns_count, address, type;
};
/* The argument is the first hidden column, as calls fill these in order. */
enum extra_column { EXTRA_HEAP, EXTRA_ARGUMENT, EXTRA_TYPE_ID, EXTRA_COUNT };

/* The conditions and the order that a plan uses, one bit each; xFilter gets the values of the
   conditions in this order. */
enum plan {
	PLAN_HEAP = 1 << 0,
	PLAN_ADDRESS = 1 << 1,
	PLAN_TYPE = 1 << 2,
	PLAN_TYPE_ID = 1 << 3,
	PLAN_ARGUMENT = 1 << 4,
	/* These two have no argument: rows in the order of types, or in the reverse. */
	PLAN_BY_TYPE = 1 << 5,
	PLAN_DOWN = 1 << 6,
};

struct cursor {
	sqlite3_vtab_cursor base;
	int plan; /* enum plan */
	uint32_t heap, heaps_end;
	uint64_t read; /* number of this reading, if it has an argument */
	/* The restrictions. */
	uint64_t address;
	int64_t type_id;
	char *type, *argument; /* owned; NULL: none */
	/* The rows of the present heap: items, or ids[item]. */
	struct listing listing;
	struct cells cells;
	const node_id *ids;
	struct id_list list; /* owned */
	void *made;          /* rows with an argument; owned */
	uint32_t first, item, end;
	struct row row;
	bool has_row;
};

static struct rows_table *
table_of(const struct cursor *c)
{
	return (struct rows_table *)c->base.pVtab;
}

/* --- columns -------------------------------------------------------------- */

static void
choose_columns(struct rows_table *t)
{
	t->address = t->type = -1;
	for (const struct column *c = t->table->columns; c->id; c++) {
		if (c->flags & COLUMN_SCREEN && !(c->flags & COLUMN_MACHINE))
			continue;
		if (!strcmp(c->id, "address"))
			t->address = t->columns_count;
		if (!strcmp(c->id, "type"))
			t->type = t->columns_count;
		t->columns[t->columns_count++] = c;
	}
}

static int
connect_table(sqlite3 *db, void *context, int argc, const char *const *argv, sqlite3_vtab **out,
	      char **message)
{
	struct rows_table *t = sqlite3_malloc64(sizeof *t);
	char *declared;
	int code = SQLITE_NOMEM;

	(void)db;
	(void)argc;
	(void)message;
	*out = NULL;
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct rows_table){ .sql = context,
				  .table = sql_table_named(argv[0]),
				  .list = sql_list_named(argv[0]) };
	if (t->list)
		t->table = &objects_table;
	t->columns = sqlite3_malloc64(COLUMNS_MAX * sizeof *t->columns);
	if (t->columns) {
		choose_columns(t);
		declared = sql_declaration(t->columns, t->columns_count);
		if (declared)
			code = sql_declare(t->sql, declared);
		sqlite3_free(declared);
	}
	if (code) {
		sqlite3_free(t->columns);
		sqlite3_free(t);
		return code;
	}
	*out = &t->base;
	return SQLITE_OK;
}

static int
disconnect_table(sqlite3_vtab *base)
{
	struct rows_table *t = (struct rows_table *)base;

	sqlite3_free(t->columns);
	sqlite3_free(t);
	return SQLITE_OK;
}

/* Returns whether the rows are all objects, whose number is that of the object. */
static bool
lists_objects(const struct rows_table *t)
{
	return t->table == &objects_table && !t->list;
}

/* --- plans ---------------------------------------------------------------- */

/* Returns what a condition on the column is used for, or 0. */
static int
plan_of_column(const struct rows_table *t, int column)
{
	bool has_objects = lists_objects(t);

	if (column == t->columns_count + EXTRA_HEAP)
		return PLAN_HEAP;
	if (column == t->columns_count + EXTRA_ARGUMENT)
		return PLAN_ARGUMENT;
	if (has_objects && column == t->address)
		return PLAN_ADDRESS;
	if (has_objects && column == t->columns_count + EXTRA_TYPE_ID)
		return PLAN_TYPE_ID;
	return has_objects && column == t->type ? PLAN_TYPE : 0;
}

/* Returns an estimate of the rows of all heaps. */
static double
rows_estimate(const struct rows_table *t)
{
	enum { LISTED = 20 };
	double rows = t->list ? LISTED : 1;

	for (uint32_t i = 0; !t->list && i < t->sql->heaps_count; i++) {
		const struct heap *h = t->sql->heaps[i].facts.heap;

		if (t->table == &objects_table)
			rows += h->nodes_count;
		else if (t->table == &types_table)
			rows += h->types_count;
		else
			rows += t->table == &roots_table ? h->roots_count : 1000;
	}
	return rows;
}

/* Returns whether rows of equal values only have to be neighbours. */
static bool
is_grouping(sqlite3_index_info *info)
{
#if SQLITE_VERSION_NUMBER >= 3038000
	return sqlite3_vtab_distinct(info) == 1;
#else
	(void)info;
	return false;
#endif
}

/* Returns whether the rows can come in the order that is wanted: by type. The order by name is not
   that of the numbers of types. */
static bool
can_order(const struct rows_table *t, sqlite3_index_info *info)
{
	int by = info->nOrderBy == 1 ? info->aOrderBy[0].iColumn : -1;

	return lists_objects(t) && t->sql->heaps_count < 2 && by >= 0 &&
	       (by == t->type || (by == t->columns_count + EXTRA_TYPE_ID && is_grouping(info)));
}

static void
set_costs(const struct rows_table *t, sqlite3_index_info *info, int plan)
{
	enum { TYPES = 200 }; /* an average heap has about this many */
	double rows = rows_estimate(t);

	if (plan & PLAN_HEAP && t->sql->heaps_count)
		rows /= t->sql->heaps_count;
	if (plan & PLAN_ADDRESS) {
		rows = 1;
		info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
	} else if (plan & (PLAN_TYPE | PLAN_TYPE_ID)) {
		rows = rows / TYPES + 1;
	}
	info->estimatedRows = (sqlite3_int64)rows;
	info->estimatedCost = rows + 1;
}

/* Adds what the table and the columns that a query uses need. Of columns from the 64th on SQLite
   tells only whether any is used. */
static void
add_needs(const struct rows_table *t, uint64_t used)
{
	enum { LAST_BIT = 63 };
	struct sql *s = t->sql;

	/* A dump without a heap has no types. */
	s->needs |= (t->table->needs & NEED_PROCESS ? 0 : NEED_TYPES) | t->table->needs;
	if (t->list)
		s->needs |= t->list->needs;
	else
		s->needs |= t->table->rows->made_of;
	for (int i = 0; i < t->columns_count; i++)
		if (used >> (i < LAST_BIT ? i : LAST_BIT) & 1)
			s->needs |= t->columns[i]->needs;
}

static int
best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct rows_table *t = (const struct rows_table *)base;
	int at[PLAN_BY_TYPE] = { 0 }, plan = 0;

	for (int i = 0; i < info->nConstraint; i++) {
		int use = plan_of_column(t, info->aConstraint[i].iColumn);

		if (!use || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ ||
		    strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0)
			continue;
		/* A plan without its argument would have other rows. */
		if (!info->aConstraint[i].usable && use == PLAN_ARGUMENT)
			return SQLITE_CONSTRAINT;
		if (!info->aConstraint[i].usable || plan & use)
			continue;
		plan |= use;
		at[use] = i;
	}
	sql_take_conditions(info, plan, PLAN_BY_TYPE, at);
	if (can_order(t, info)) {
		info->orderByConsumed = 1;
		if (!(plan & PLAN_ADDRESS))
			plan |= PLAN_BY_TYPE | (info->aOrderBy[0].desc ? PLAN_DOWN : 0);
	}
	info->idxNum = plan;
	add_needs(t, info->colUsed);
	set_costs(t, info, plan);
	return SQLITE_OK;
}

/* --- rows ----------------------------------------------------------------- */

static int
open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	(void)base;
	return sql_new_cursor(sizeof(struct cursor), out);
}

static void
clear_restrictions(struct cursor *c)
{
	sqlite3_free(c->type);
	sqlite3_free(c->argument);
	c->type = c->argument = NULL;
}

static int
close_cursor(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	clear_restrictions(c);
	id_list_free(&c->list);
	if (c->made)
		sql_rows_free(table_of(c)->table, c->made);
	sqlite3_free(c);
	return SQLITE_OK;
}

/* Chooses the objects of one type, or all in the order of types. */
static bool
choose_types(struct cursor *c, struct error *err)
{
	struct sql *s = table_of(c)->sql;
	const struct sql_by_type *by = sql_by_type(s, c->heap, err);
	uint32_t types = c->listing.facts.heap->types_count;
	uint32_t first = 0, end = types;

	if (!by)
		return false;
	c->ids = by->ids;
	if (c->plan & PLAN_TYPE)
		sql_types_named(by->names, c->type, &first, &end);
	if (c->plan & PLAN_TYPE_ID) {
		bool is_type = c->type_id >= 0 && c->type_id < types;
		uint32_t rank = is_type ? by->names->ranks[c->type_id] : types;

		first = rank > first ? rank : first;
		end = rank + 1 < end ? rank + 1 : end;
	}
	c->first = c->item = first < end ? by->starts[first] : 0;
	c->end = first < end ? by->starts[end] : 0;
	return true;
}

static void
choose_address(struct cursor *c)
{
	const struct heap *h = c->listing.facts.heap;
	node_id n = heap_find(h, c->address);

	c->item = n;
	c->end = n == NODE_NONE ? 0 : n + 1;
	if (c->end && c->plan & PLAN_TYPE && strcmp(heap_type(h, n)->name, c->type) != 0)
		c->end = 0;
	if (c->end && c->plan & PLAN_TYPE_ID && heap_type_of(h, n) != c->type_id)
		c->end = 0;
}

/* Lists the objects that have to do with the one at c->address. */
static bool
make_list(struct cursor *c, struct error *err)
{
	const struct rows_table *t = table_of(c);
	node_id n = heap_find(c->listing.facts.heap, c->address);
	char address[24];

	id_list_free(&c->list);
	if (n == NODE_NONE && t->sql->heaps_count == 1)
		return error_set(err, ERROR_USAGE, "%s: no object starts at %s", t->list->name,
				 address_format(c->address, address));
	if (n != NODE_NONE && !t->list->make(t->sql, c->heap, n, &c->list, err))
		return false;
	c->ids = c->list.ids;
	c->item = 0;
	c->end = c->list.count;
	return true;
}

/* Makes the rows of the present heap. */
static bool
begin_heap(struct cursor *c, struct error *err)
{
	const struct rows_table *t = table_of(c);
	const struct sql_heap *heap = &t->sql->heaps[c->heap];
	const struct heap *h = heap->facts.heap;

	c->listing =
	    (struct listing){ .table = t->table, .name = t->table->name, .facts = heap->facts };
	c->ids = NULL;
	if (c->argument &&
	    (t->table == &objects_table || t->table == &types_table || t->table == &roots_table))
		return error_set(err, ERROR_USAGE, "%s has no argument; use WHERE", t->table->name);
	if (!table_fits(t->table, h))
		return error_set(err, ERROR_USAGE,
				 "%s has no %s: only cores, and processes opened with -m, do%s",
				 heap->name, t->table->contents,
				 contents_exist(h) ? ", if they are not of Native AOT" : "");
	if (table_makes_rows(t->table)) {
		sql_rows_free(t->table, c->made);
		c->made = NULL;
		if (c->argument)
			c->made = sql_make_rows(t->sql, t->table, c->heap, c->argument, err);
		c->listing.rows =
		    c->argument ? c->made : sql_made_rows(t->sql, t->table, c->heap, err);
		if (!c->listing.rows)
			return false;
	}
	c->cells = (struct cells){ &c->listing.facts, c->listing.rows };
	if (t->list)
		return make_list(c, err);
	c->item = 0;
	c->end = table_rows_count(t->table, &c->cells);
	if (c->plan & PLAN_ADDRESS)
		choose_address(c);
	else if (c->plan & (PLAN_TYPE | PLAN_TYPE_ID | PLAN_BY_TYPE))
		return choose_types(c, err);
	return true;
}

/* Goes to the row at c->item, or the first one after it, perhaps in another
   heap. */
static int
settle(struct cursor *c)
{
	struct rows_table *t = table_of(c);
	struct error err = { 0 };

	c->has_row = false;
	for (;;) {
		if (c->item < c->end || c->heap + 1 >= c->heaps_end)
			return SQLITE_OK;
		c->heap++;
		if (!begin_heap(c, &err))
			return sql_table_failed(t->sql, &t->base, &err);
	}
}

static bool
read_text(char **out, sqlite3_value *value)
{
	const unsigned char *text = sqlite3_value_text(value);

	*out = text ? sqlite3_mprintf("%s", text) : NULL;
	return *out != NULL;
}

/* Reads the argument of a table. A number stands for an address where the table is about an
   object. */
static bool
read_argument(struct cursor *c, sqlite3_value *value)
{
	if (!table_of(c)->table->is_of_subject || sqlite3_value_type(value) != SQLITE_INTEGER)
		return read_text(&c->argument, value);
	c->argument = sqlite3_mprintf("%llx", sqlite3_value_int64(value));
	return c->argument != NULL;
}

/* Reads one restriction; false: no row can meet it. */
static bool
read_restriction(struct cursor *c, int use, sqlite3_value *value)
{
	int64_t number = 0;
	bool ok;

	switch (use) {
	case PLAN_HEAP:
		return sql_read_heap(table_of(c)->sql, value, &c->heap, &c->heaps_end);
	case PLAN_ADDRESS:
		ok = sql_read_integer(value, &number);
		c->address = (uint64_t)number;
		return ok;
	case PLAN_TYPE:
		return read_text(&c->type, value);
	case PLAN_TYPE_ID:
		return sql_read_integer(value, &c->type_id);
	default:
		if (!table_of(c)->list)
			return read_argument(c, value);
		ok = sql_read_address(value, &number);
		c->address = (uint64_t)number;
		return ok;
	}
}

static int
filter_rows(sqlite3_vtab_cursor *base, int plan, const char *unused, int argc, sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)base;
	struct rows_table *t = table_of(c);
	struct error err = { 0 };
	bool is_possible = true;
	int at = 0;

	(void)unused;
	clear_restrictions(c);
	if (t->list && !(plan & PLAN_ARGUMENT)) {
		error_set(&err, ERROR_USAGE,
			  "%s needs the address of an object: %s(0x7f0012345678)", t->list->name,
			  t->list->name);
		return sql_table_failed(t->sql, &t->base, &err);
	}
	c->plan = plan;
	c->read = plan & PLAN_ARGUMENT ? ++t->sql->reads : 0;
	c->heap = 0;
	c->heaps_end = t->sql->heaps_count;
	for (int use = PLAN_HEAP; use < PLAN_BY_TYPE && at < argc; use <<= 1)
		if (plan & use)
			is_possible &= read_restriction(c, use, argv[at++]);
	c->has_row = false;
	c->item = c->end = 0;
	if (!is_possible)
		c->heaps_end = 0;
	if (c->heap >= c->heaps_end)
		return SQLITE_OK;
	if (!begin_heap(c, &err))
		return sql_table_failed(t->sql, &t->base, &err);
	return settle(c);
}

static int
next_row(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	c->item++;
	c->has_row = false;
	return c->item < c->end ? SQLITE_OK : settle(c);
}

static int
is_at_end(sqlite3_vtab_cursor *base)
{
	const struct cursor *c = (const struct cursor *)base;

	return c->item >= c->end;
}

static uint32_t
item_of(const struct cursor *c)
{
	if (!c->ids)
		return c->item;
	return c->ids[c->plan & PLAN_DOWN ? c->first + (c->end - 1 - c->item) : c->item];
}

static int
row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	const struct cursor *c = (const struct cursor *)base;
	uint64_t id = c->read ? c->item : item_of(c);

	/* Rows of different arguments are different rows. */
	id += (c->read << 40) + ((uint64_t)c->heap << 32);
	*out = (sqlite3_int64)id;
	return SQLITE_OK;
}

/* --- cells ---------------------------------------------------------------- */

/* Passes on a number of an object without making a cell of it. */
static bool
give_object_number(sqlite3_context *to, const struct cursor *c, const struct column *column)
{
	uint64_t n;

	if (table_of(c)->table != &objects_table || column->from.source != SOURCE_OBJECT ||
	    column->from.cell || column->flags & COLUMN_OF_HEAP ||
	    column->needs & ~c->listing.facts.has)
		return false;
	n = column->from.object(&c->listing.facts, item_of(c));
	if (n != UINT64_MAX)
		sqlite3_result_int64(to, (sqlite3_int64)n);
	return true;
}

/* Passes on a text of which the cell has only the beginning. */
static bool
give_whole_text(sqlite3_context *to, const struct cursor *c, const struct column *column)
{
	struct arena texts = { 0 };
	const char *text = table_whole_text(&c->cells, column, &c->row, &texts);

	if (text)
		sql_give_text(to, text, false);
	arena_clear(&texts);
	return text != NULL;
}

static const struct row *
row_of_cursor(struct cursor *c)
{
	if (!c->has_row)
		table_row(c->listing.table, &c->cells, item_of(c), &c->row);
	c->has_row = true;
	return &c->row;
}

static void
give_cell(sqlite3_context *to, struct cursor *c, const struct column *column)
{
	struct value value;

	if (!listing_knows_column(&c->listing, column, true) || give_object_number(to, c, column))
		return;
	listing_cell(&c->listing, column, row_of_cursor(c), &value);
	if (!give_whole_text(to, c, column))
		sql_give(to, &value, !c->made);
}

static int
give_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int column)
{
	struct cursor *c = (struct cursor *)base;
	struct rows_table *t = table_of(c);

	if (column < t->columns_count) {
		give_cell(to, c, t->columns[column]);
		return SQLITE_OK;
	}
	switch ((enum extra_column)(column - t->columns_count)) {
	case EXTRA_HEAP:
		sqlite3_result_text(to, t->sql->heaps[c->heap].name, -1, SQLITE_STATIC);
		break;
	case EXTRA_TYPE_ID:
		if (row_of_cursor(c)->type != TYPE_NONE)
			sqlite3_result_int64(to, c->row.type);
		break;
	case EXTRA_ARGUMENT:
		if (c->argument)
			sqlite3_result_text(to, c->argument, -1, SQLITE_TRANSIENT);
		break;
	case EXTRA_COUNT:
		break;
	}
	return SQLITE_OK;
}

int
sql_add_tables(struct sql *s)
{
	static const sqlite3_module module = {
		.xConnect = connect_table,
		.xBestIndex = best_index,
		.xDisconnect = disconnect_table,
		.xDestroy = disconnect_table,
		.xOpen = open_cursor,
		.xClose = close_cursor,
		.xFilter = filter_rows,
		.xNext = next_row,
		.xEof = is_at_end,
		.xColumn = give_column,
		.xRowid = row_id,
	};
	int code = SQLITE_OK;

	for (const struct table *const *t = all_tables; !code && *t; t++)
		if (table_lists_rows(*t))
			code = sqlite3_create_module_v2(s->db, (*t)->name, &module, s, NULL);
	for (const struct sql_list *l = sql_lists; !code && l->name; l++)
		code = sqlite3_create_module_v2(s->db, l->name, &module, s, NULL);
	return code;
}
