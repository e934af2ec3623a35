/*
 * The table `refs`: one row for each reference, with the addresses of both objects and, where the
 * heap has the contents of objects, the field. `number` counts the references of an object from 1.
 * Rows come in the order of the sources; of one source or one target only its own.
 */
#include "model/base/format.h"
#include "model/heap/contents.h"
#include "model/sql/made.h"
#include <string.h>

enum refs_column { REFS_SOURCE, REFS_TARGET, REFS_FIELD, REFS_NUMBER, REFS_HEAP };
static const char declaration[] =
    "CREATE TABLE t(source ADDRESS, target ADDRESS, field TEXT, number ID, heap TEXT)";

enum plan { PLAN_HEAP = 1 << 0, PLAN_SOURCE = 1 << 1, PLAN_TARGET = 1 << 2 };

struct cursor {
	sqlite3_vtab_cursor base;
	int plan; /* enum plan */
	uint32_t heap, heaps_end;
	uint64_t source_address, target_address;
	bool is_end;
	/* The present reference; `number` counts the references of its
	   source. */
	node_id source, target;
	uint32_t number;
	uint64_t source_known; /* address of `source`; 0: not read yet */
	/* All references of the heap, those of one source, or those of one target. */
	struct refs_scan scan;
	struct refs refs;
	struct referrers referrers;
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
connect_refs(sqlite3 *db, void *context, int argc, const char *const *argv, sqlite3_vtab **out,
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
	return column == REFS_HEAP     ? PLAN_HEAP
	       : column == REFS_SOURCE ? PLAN_SOURCE
	       : column == REFS_TARGET ? PLAN_TARGET
				       : 0;
}

static double
refs_estimate(const struct sql *s)
{
	double rows = 1;

	for (uint32_t i = 0; i < s->heaps_count; i++)
		rows += (double)s->heaps[i].facts.heap->refs_count;
	return rows;
}

static int
best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	enum { REFERENCES = 3, REFERRERS = 4 };
	struct sql *s = sql_of_table(base);
	double rows = refs_estimate(s);
	int at[PLAN_TARGET + 1] = { 0 };
	int plan = sql_plan(info, plan_of_column, at);

	sql_take_conditions(info, plan, PLAN_TARGET + 1, at);
	if (plan & PLAN_HEAP && s->heaps_count)
		rows /= s->heaps_count;
	if (plan & PLAN_SOURCE)
		rows = REFERENCES;
	else if (plan & PLAN_TARGET)
		rows = REFERRERS;
	s->needs |= NEED_TYPES | NEED_OBJECTS;
	info->idxNum = plan;
	info->estimatedRows = (sqlite3_int64)rows;
	info->estimatedCost = rows + 1;
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
	sqlite3_free(base);
	return SQLITE_OK;
}

static void
begin_source(struct cursor *c, node_id source)
{
	c->source = source;
	c->number = 0;
	c->source_known = 0;
}

/* Finds the first reference of the present heap. `source` NODE_NONE: it has none. */
static bool
begin_heap(struct cursor *c, struct error *err)
{
	const struct heap *h = heap_of(c);
	const struct reverse *reverse;

	c->refs = (struct refs){ 0 };
	c->referrers = (struct referrers){ 0 };
	begin_source(c, NODE_NONE);
	if (c->plan & PLAN_SOURCE) {
		begin_source(c, heap_find(h, c->source_address));
		if (c->source != NODE_NONE)
			c->refs = heap_refs(h, c->source);
	} else if (c->plan & PLAN_TARGET) {
		c->target = heap_find(h, c->target_address);
		reverse = sql_reverse(sql_of(c), c->heap, err);
		if (!reverse)
			return false;
		if (c->target != NODE_NONE)
			c->referrers = reverse_of(reverse, c->target);
	} else {
		refs_scan_init(&c->scan, h, 0);
	}
	return true;
}

/* Goes to the next reference in the order of all references. */
static bool
next_of_all(struct cursor *c)
{
	while (!refs_next(&c->refs, &c->target)) {
		if (c->source != NODE_NONE)
			refs_scan_end(&c->scan, &c->refs);
		if (c->scan.node >= c->scan.heap->nodes_count)
			return false;
		begin_source(c, c->scan.node);
		c->refs = refs_scan_begin(&c->scan);
	}
	c->number++;
	return true;
}

/* Goes to the next reference of a source. */
static bool
next_of_source(struct cursor *c)
{
	if (!refs_next(&c->refs, &c->target))
		return false;
	c->number++;
	return true;
}

/* Goes to the next reference to a target. Several of one source follow each other; the field of
   each is counted from its source's first. */
static bool
next_of_target(struct cursor *c)
{
	const struct heap *h = heap_of(c);
	node_id source, target = NODE_NONE;

	if (!referrers_next(&c->referrers, &source))
		return false;
	if (source != c->source) {
		begin_source(c, source);
		c->refs = heap_refs(h, source);
	}
	while (target != c->target && refs_next(&c->refs, &target))
		c->number++;
	return true;
}

static bool
has_next(struct cursor *c)
{
	if (c->plan & PLAN_SOURCE) {
		const struct heap *h = heap_of(c);

		while (next_of_source(c))
			if (!(c->plan & PLAN_TARGET) ||
			    heap_address(h, c->target) == c->target_address)
				return true;
		return false;
	}
	return c->plan & PLAN_TARGET ? next_of_target(c) : next_of_all(c);
}

static int
next_row(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;
	struct error err = { 0 };

	while (!has_next(c)) {
		if (c->heap + 1 >= c->heaps_end) {
			c->is_end = true;
			break;
		}
		c->heap++;
		if (!begin_heap(c, &err))
			return sql_table_failed(sql_of(c), c->base.pVtab, &err);
	}
	return SQLITE_OK;
}

static bool
read_restriction(struct cursor *c, int use, sqlite3_value *value)
{
	int64_t address = 0;

	if (use == PLAN_HEAP)
		return sql_read_heap(sql_of(c), value, &c->heap, &c->heaps_end);
	if (!sql_read_integer(value, &address))
		return false;
	*(use == PLAN_SOURCE ? &c->source_address : &c->target_address) = (uint64_t)address;
	return true;
}

static int
filter_refs(sqlite3_vtab_cursor *base, int plan, const char *unused, int argc, sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)base;
	struct error err = { 0 };
	bool is_possible = true;
	int at = 0;

	(void)unused;
	c->plan = plan;
	c->heap = 0;
	c->heaps_end = sql_of(c)->heaps_count;
	for (int use = PLAN_HEAP; use <= PLAN_TARGET && at < argc; use <<= 1)
		if (plan & use)
			is_possible &= read_restriction(c, use, argv[at++]);
	c->is_end = !is_possible || c->heap >= c->heaps_end;
	if (c->is_end)
		return SQLITE_OK;
	if (!begin_heap(c, &err))
		return sql_table_failed(sql_of(c), c->base.pVtab, &err);
	return next_row(base);
}

static int
is_at_end(sqlite3_vtab_cursor *base)
{
	return ((const struct cursor *)base)->is_end;
}

static int
row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	const struct cursor *c = (const struct cursor *)base;
	uint64_t source = c->source;

	/* The same whichever plan reads the row. */
	for (uint32_t i = 0; i < c->heap; i++)
		source += sql_of(c)->heaps[i].facts.heap->nodes_count;
	*out = (sqlite3_int64)(source << 32 | c->number);
	return SQLITE_OK;
}

/* --- cells ---------------------------------------------------------------- */

/* Returns the number of earlier references of the source to this target. */
static uint32_t
earlier_refs(const struct cursor *c)
{
	struct refs refs = heap_refs(heap_of(c), c->source);
	uint32_t earlier = 0;
	node_id target;

	for (uint32_t i = 1; i < c->number && refs_next(&refs, &target); i++)
		earlier += target == c->target;
	return earlier;
}

/* Names the field of the reference. Elements of arrays have no names, and objects with more fields
   than these are not read. */
static void
give_field(sqlite3_context *to, const struct cursor *c)
{
	enum { FIELDS_MAX = 256 };
	const struct heap *h = heap_of(c);
	struct content rows[FIELDS_MAX];
	struct arena a = { 0 };
	struct error ignored = { 0 };
	uint32_t earlier;
	uint64_t total;
	size_t count = 0;

	if (!contents_exist(h) || c->number > FIELDS_MAX ||
	    heap_type(h, c->source)->flags & TYPE_ARRAY)
		return;
	earlier = earlier_refs(c);
	if (!h->memory->contents->rows(h->memory->source, c->source, 0, FIELDS_MAX, rows, &count,
				       &total, &a, &ignored))
		count = 0;
	for (size_t i = 0; i < count; i++)
		if (rows[i].kind == CONTENT_REFERENCE && rows[i].target == c->target &&
		    !earlier--) {
			sqlite3_result_text(to, rows[i].name, -1, SQLITE_TRANSIENT);
			break;
		}
	arena_clear(&a);
}

static int
give_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int column)
{
	struct cursor *c = (struct cursor *)base;
	const struct heap *h = heap_of(c);

	switch ((enum refs_column)column) {
	case REFS_SOURCE:
		if (!c->source_known)
			c->source_known = heap_address(h, c->source);
		sqlite3_result_int64(to, (sqlite3_int64)c->source_known);
		break;
	case REFS_TARGET:
		sqlite3_result_int64(to, (sqlite3_int64)heap_address(h, c->target));
		break;
	case REFS_FIELD:
		give_field(to, c);
		break;
	case REFS_NUMBER:
		sqlite3_result_int64(to, c->number);
		break;
	case REFS_HEAP:
		sqlite3_result_text(to, sql_of(c)->heaps[c->heap].name, -1, SQLITE_STATIC);
		break;
	}
	return SQLITE_OK;
}

int
sql_add_refs(struct sql *s)
{
	static const sqlite3_module module = {
		.xConnect = connect_refs,
		.xBestIndex = best_index,
		.xDisconnect = sql_disconnect_table,
		.xDestroy = sql_disconnect_table,
		.xOpen = open_cursor,
		.xClose = close_cursor,
		.xFilter = filter_refs,
		.xNext = next_row,
		.xEof = is_at_end,
		.xColumn = give_column,
		.xRowid = row_id,
	};

	return sqlite3_create_module_v2(s->db, "refs", &module, s, NULL);
}
