/*
 * The table `values`: one row for each field of each object that has fields, also for those of
 * structs in it. Elements of arrays are in `fields`, which lists one object. Nothing is read before
 * a query wants it: about a microsecond an object to find its fields, and one or two more for each
 * value that is shown as a text. Of one object or one type only its own are read.
 */
#include "model/heap/contents.h"
#include "model/sql/made.h"
#include <string.h>

enum values_column {
	VALUES_ADDRESS,
	VALUES_TYPE,
	VALUES_FIELD,
	VALUES_FIELD_TYPE,
	VALUES_KIND,
	VALUES_VALUE,
	VALUES_TEXT,
	VALUES_TARGET,
	VALUES_HEAP
};
static const char declaration[] =
    "CREATE TABLE t(address ADDRESS, type TYPE TEXT, field TEXT, field_type TEXT, kind TEXT, "
    "value, text TEXT, target ADDRESS, heap TEXT)";

enum plan { PLAN_HEAP = 1 << 0, PLAN_ADDRESS = 1 << 1, PLAN_TYPE = 1 << 2 };

struct cursor {
	sqlite3_vtab_cursor base;
	int plan; /* enum plan */
	uint32_t heap, heaps_end;
	uint64_t address;
	char *type; /* owned; NULL: all */
	/* The objects of the present heap: items, or ids[item]. */
	const node_id *ids;
	uint32_t item, end;
	/* The present object, of which part `part` is the row. */
	node_id node;
	struct content_layout layout;
	uint32_t part;
	struct arena layouts, texts; /* emptied for each */
};

static struct sql *
sql_of(const struct cursor *c)
{
	return sql_of_table(c->base.pVtab);
}

static const struct heap *
heap_of(const struct cursor *c)
{
	return sql_of(c)->heaps[c->heap].facts.heap;
}

static int
connect_values(sqlite3 *db, void *context, int argc, const char *const *argv, sqlite3_vtab **out,
	       char **message)
{
	(void)db;
	(void)argc;
	(void)argv;
	(void)message;
	return sql_connect_table(context, declaration, out);
}

/* --- plans ---------------------------------------------------------------- */

static int
plan_of_column(int column)
{
	return column == VALUES_HEAP      ? PLAN_HEAP
	       : column == VALUES_ADDRESS ? PLAN_ADDRESS
	       : column == VALUES_TYPE    ? PLAN_TYPE
					  : 0;
}

static int
best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	enum { FIELDS = 5, TYPES = 200, COST_OF_A_ROW = 10 };
	struct sql *s = sql_of_table(base);
	int at[PLAN_TYPE + 1] = { 0 };
	int plan = sql_plan(info, plan_of_column, at);
	double rows = FIELDS;

	for (uint32_t i = 0; !(plan & PLAN_ADDRESS) && i < s->heaps_count; i++)
		rows += FIELDS * (double)s->heaps[i].facts.heap->nodes_count;
	if (plan & PLAN_HEAP && s->heaps_count)
		rows /= s->heaps_count;
	if (plan & PLAN_TYPE && !(plan & PLAN_ADDRESS))
		rows = rows / TYPES + 1;
	sql_take_conditions(info, plan, PLAN_TYPE + 1, at);
	s->needs |= NEED_TYPES | NEED_OBJECTS;
	info->idxNum = plan;
	info->estimatedRows = (sqlite3_int64)rows;
	info->estimatedCost = rows * COST_OF_A_ROW + 1;
	return SQLITE_OK;
}

/* --- rows ----------------------------------------------------------------- */

static int
open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	(void)base;
	return sql_new_cursor(sizeof(struct cursor), out);
}

static int
close_cursor(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	sqlite3_free(c->type);
	arena_clear(&c->layouts);
	arena_clear(&c->texts);
	sqlite3_free(c);
	return SQLITE_OK;
}

static bool
choose_type(struct cursor *c, struct error *err)
{
	const struct sql_by_type *by = sql_by_type(sql_of(c), c->heap, err);
	uint32_t first, end;

	if (!by)
		return false;
	sql_types_named(by->names, c->type, &first, &end);
	c->ids = by->ids;
	c->item = by->starts[first];
	c->end = by->starts[end];
	return true;
}

static bool
begin_heap(struct cursor *c, struct error *err)
{
	const struct heap *h = heap_of(c);

	c->ids = NULL;
	c->item = 0;
	c->end = h->nodes_count;
	if (c->plan & PLAN_ADDRESS) {
		node_id n = heap_find(h, c->address);
		bool is_there =
		    n != NODE_NONE && (!c->type || !strcmp(heap_type(h, n)->name, c->type));

		c->item = is_there ? n : 0;
		c->end = is_there ? n + 1 : 0;
	} else if (c->plan & PLAN_TYPE) {
		return choose_type(c, err);
	}
	return true;
}

/* Finds the fields of the next object. One whose memory is absent or damaged has none. */
static bool
begin_object(struct cursor *c, struct error *err)
{
	const struct heap *h = heap_of(c);
	const struct arena_mark empty = { 0 };

	c->node = c->ids ? c->ids[c->item] : c->item;
	c->item++;
	c->part = 0;
	arena_reset(&c->layouts, empty);
	if (heap_type(h, c->node)->flags & (TYPE_ARRAY | TYPE_STRING) ||
	    !h->memory->contents->layout(h->memory->source, c->node, &c->layout, &c->layouts,
					 err) ||
	    c->layout.element_bytes)
		c->layout.parts_count = 0;
	if (err->kind == ERROR_INPUT)
		error_clear(err);
	return err->kind == ERROR_NONE;
}

/* Goes on to an object or a heap with a row at c->part. */
static int
settle(struct cursor *c)
{
	struct error err = { 0 };

	while (c->part >= c->layout.parts_count) {
		if (c->item < c->end) {
			if (!begin_object(c, &err))
				return sql_table_failed(sql_of(c), c->base.pVtab, &err);
			if (!(c->item % 4096) && !progress_add(sql_of(c)->progress, 0))
				return SQLITE_INTERRUPT;
		} else if (c->heap + 1 < c->heaps_end) {
			c->heap++;
			if (!begin_heap(c, &err))
				return sql_table_failed(sql_of(c), c->base.pVtab, &err);
		} else {
			c->heap = c->heaps_end;
			return SQLITE_OK;
		}
	}
	return SQLITE_OK;
}

static int
next_row(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	c->part++;
	return settle(c);
}

static bool
read_restriction(struct cursor *c, int use, sqlite3_value *value)
{
	const unsigned char *text;
	int64_t address = 0;
	bool ok;

	if (use == PLAN_HEAP)
		return sql_read_heap(sql_of(c), value, &c->heap, &c->heaps_end);
	if (use == PLAN_ADDRESS) {
		ok = sql_read_integer(value, &address);
		c->address = (uint64_t)address;
		return ok;
	}
	text = sqlite3_value_text(value);
	c->type = text ? sqlite3_mprintf("%s", text) : NULL;
	return c->type != NULL;
}

/* Returns whether all heaps of the query have values. */
static bool
have_values(const struct cursor *c, struct error *err)
{
	const struct sql_heap *heaps = sql_of(c)->heaps;

	for (uint32_t i = c->heap; i < c->heaps_end; i++)
		if (!contents_exist(heaps[i].facts.heap))
			return error_set(
			    err, ERROR_USAGE,
			    "%s has no values of fields: only cores, and processes opened with -m, "
			    "do%s",
			    heaps[i].name,
			    c->heaps_end - c->heap > 1 ? "; name one of them by WHERE heap = '…'"
						       : "");
	return true;
}

static int
filter_values(sqlite3_vtab_cursor *base, int plan, const char *unused, int argc,
	      sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)base;
	struct error err = { 0 };
	bool is_possible = true;
	int at = 0;

	(void)unused;
	sqlite3_free(c->type);
	c->type = NULL;
	c->plan = plan;
	c->heap = 0;
	c->heaps_end = sql_of(c)->heaps_count;
	c->part = c->layout.parts_count = 0;
	for (int use = PLAN_HEAP; use <= PLAN_TYPE && at < argc; use <<= 1)
		if (plan & use)
			is_possible &= read_restriction(c, use, argv[at++]);
	if (plan & PLAN_TYPE && !c->type)
		return SQLITE_NOMEM;
	if (!is_possible)
		c->heaps_end = c->heap;
	if (c->heap >= c->heaps_end)
		return SQLITE_OK;
	if (!have_values(c, &err) || !begin_heap(c, &err))
		return sql_table_failed(sql_of(c), c->base.pVtab, &err);
	return settle(c);
}

static int
is_at_end(sqlite3_vtab_cursor *base)
{
	const struct cursor *c = (const struct cursor *)base;

	return c->heap >= c->heaps_end;
}

/* The same whichever plan reads the row. Fields are fewer than 65,536. */
static int
row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	const struct cursor *c = (const struct cursor *)base;
	uint64_t node = c->node;

	for (uint32_t i = 0; i < c->heap; i++)
		node += sql_of(c)->heaps[i].facts.heap->nodes_count;
	*out = (sqlite3_int64)(node << 16 | c->part);
	return SQLITE_OK;
}

/* --- cells ---------------------------------------------------------------- */

static const struct content_part *
part_of(const struct cursor *c)
{
	return &c->layout.parts[c->part];
}

/* Names the field with those of the structs around it: "_state._value". */
static void
give_name(sqlite3_context *to, const struct cursor *c)
{
	sqlite3_str *out = sqlite3_str_new(NULL);
	uint32_t depth = 0, at, last;

	for (; depth < part_of(c)->depth; depth++) {
		for (at = last = 0; at < c->part; at++)
			if (c->layout.parts[at].depth == depth)
				last = at;
		sqlite3_str_appendf(out, "%s.", c->layout.parts[last].name);
	}
	sqlite3_str_appendall(out, part_of(c)->name);
	sqlite3_result_text(to, sqlite3_str_finish(out), -1, sqlite3_free);
}

/* Reads a field's bytes; false if they are absent. */
static bool
read_part(const struct cursor *c, uint32_t offset, void *to, size_t len)
{
	const struct heap *h = heap_of(c);

	return h->memory->contents->bytes(h->memory->source, heap_address(h, c->node) + offset, to,
					  len) == len;
}

static bool
is_null(const struct cursor *c)
{
	uint8_t has_value = 0;

	return part_of(c)->has_value != UINT32_MAX &&
	       (!read_part(c, part_of(c)->has_value, &has_value, 1) || !has_value);
}

/* Gives the field as the view `fields` shows it. */
static void
give_text(sqlite3_context *to, struct cursor *c)
{
	const struct heap *h = heap_of(c);
	struct arena_mark mark = arena_mark(&c->texts);
	struct error err = { 0 };
	struct content row;
	size_t count = 0;
	uint64_t total;

	if (h->memory->contents->rows(h->memory->source, c->node, c->part, 1, &row, &count, &total,
				      &c->texts, &err) &&
	    count && (row.kind != CONTENT_REFERENCE || *row.text))
		sql_give_text(to, row.text, false);
	else if (err.kind == ERROR_SYSTEM)
		sqlite3_result_error_nomem(to);
	arena_reset(&c->texts, mark);
}

/* Reads a reference; 0: null, or absent. */
static uint64_t
read_pointer(const struct cursor *c)
{
	int64_t pointer = 0;
	const struct heap *h = heap_of(c);

	return part_of(c)->kind == CONTENT_REFERENCE &&
		       contents_read_integer(h, heap_address(h, c->node) + part_of(c)->offset,
					     LITERAL_POINTER, &pointer)
		   ? (uint64_t)pointer
		   : 0;
}

/* Gives a reference to a string as its whole text; others have a target. */
static void
give_string(sqlite3_context *to, struct cursor *c)
{
	enum { UNITS_MAX = 1 << 20 };
	const struct heap *h = heap_of(c);
	node_id n = heap_find(h, read_pointer(c));
	struct arena_mark mark = arena_mark(&c->texts);
	struct error err = { 0 };
	const char *text;
	uint32_t units;

	if (n != NODE_NONE && heap_type(h, n)->flags & TYPE_STRING &&
	    h->memory->contents->text(h->memory->source, n, UNITS_MAX, &text, &units, &c->texts,
				      &err))
		sql_give_text(to, text, false);
	else if (err.kind == ERROR_SYSTEM)
		sqlite3_result_error_nomem(to);
	arena_reset(&c->texts, mark);
}

static void
give_value(sqlite3_context *to, struct cursor *c)
{
	const struct content_part *p = part_of(c);
	const struct heap *h = heap_of(c);
	uint64_t address = heap_address(h, c->node) + p->offset;
	int64_t integer;
	double d;
	float f;

	if (p->kind == CONTENT_REFERENCE) {
		give_string(to, c);
	} else if (p->kind != CONTENT_VALUE || is_null(c)) {
		return;
	} else if (p->literal == LITERAL_DOUBLE) {
		if (read_part(c, p->offset, &d, sizeof d))
			sqlite3_result_double(to, d);
	} else if (p->literal == LITERAL_SINGLE) {
		if (read_part(c, p->offset, &f, sizeof f))
			sqlite3_result_double(to, (double)f);
	} else if (p->literal != LITERAL_CHAR && p->literal != LITERAL_UINT64 &&
		   contents_read_integer(h, address, p->literal, &integer)) {
		sqlite3_result_int64(to, integer);
	} else if (p->literal == LITERAL_UINT64 &&
		   contents_read_integer(h, address, p->literal, &integer) && integer >= 0) {
		sqlite3_result_int64(to, integer);
	} else {
		give_text(to, c);
	}
}

static int
give_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int column)
{
	static const char *const kinds[] = {
		[CONTENT_RAW] = "raw",
		[CONTENT_VALUE] = "value",
		[CONTENT_REFERENCE] = "reference",
		[CONTENT_STRUCT] = "struct",
	};
	struct cursor *c = (struct cursor *)base;
	const struct heap *h = heap_of(c);
	uint64_t pointer;

	switch ((enum values_column)column) {
	case VALUES_ADDRESS:
		sqlite3_result_int64(to, (sqlite3_int64)heap_address(h, c->node));
		break;
	case VALUES_TYPE:
		sqlite3_result_text(to, heap_type(h, c->node)->name, -1, SQLITE_STATIC);
		break;
	case VALUES_FIELD:
		give_name(to, c);
		break;
	case VALUES_FIELD_TYPE:
		sqlite3_result_text(to, part_of(c)->type, -1, SQLITE_TRANSIENT);
		break;
	case VALUES_KIND:
		sqlite3_result_text(to, kinds[part_of(c)->kind], -1, SQLITE_STATIC);
		break;
	case VALUES_VALUE:
		give_value(to, c);
		break;
	case VALUES_TEXT:
		give_text(to, c);
		break;
	case VALUES_TARGET:
		pointer = read_pointer(c);
		if (pointer)
			sqlite3_result_int64(to, (sqlite3_int64)pointer);
		break;
	case VALUES_HEAP:
		sqlite3_result_text(to, sql_of(c)->heaps[c->heap].name, -1, SQLITE_STATIC);
		break;
	}
	return SQLITE_OK;
}

int
sql_add_values(struct sql *s)
{
	static const sqlite3_module module = {
		.xConnect = connect_values,
		.xBestIndex = best_index,
		.xDisconnect = sql_disconnect_table,
		.xDestroy = sql_disconnect_table,
		.xOpen = open_cursor,
		.xClose = close_cursor,
		.xFilter = filter_values,
		.xNext = next_row,
		.xEof = is_at_end,
		.xColumn = give_column,
		.xRowid = row_id,
	};

	return sqlite3_create_module_v2(s->db, "values", &module, s, NULL);
}
