/* Runs a query: prepares it, names and types its columns, stores its rows. */
#include "model/base/thread.h"
#include "model/sql/connection.h"
#include "model/sql/database.h"
#include "model/sql/units.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_A_STEP = 1024, NAME_BYTES = 64 };

/* --- cells ---------------------------------------------------------------- */

/* A share is stored as it is in CSV: 0.25. */
static void
cell_of_share(double share, struct value *out)
{
	const uint64_t whole = UINT64_C(1) << 52; /* a double is as exact */

	if (share >= 0 && share <= 1)
		value_share(out, (uint64_t)(share * (double)whole + 0.5), whole);
	else
		value_real(out, share);
}

/* Returns by how much a number is below 0. */
static uint64_t
below_zero(int64_t n)
{
	return n < 0 ? 0 - (uint64_t)n : 0;
}

static void
cell_of_integer(unsigned kind, int64_t n, struct value *out)
{
	if (kind == VALUE_ADDRESS)
		value_address(out, (uint64_t)n);
	else if (kind == VALUE_CHANGE)
		value_change(out, below_zero(n), n < 0 ? 0 : (uint64_t)n);
	else if (kind == VALUE_CHANGE_BYTES)
		value_change_bytes(out, below_zero(n), n < 0 ? 0 : (uint64_t)n);
	else if (kind == VALUE_REAL || n < 0)
		value_real(out, (double)n);
	else if (kind == VALUE_BYTES)
		value_bytes(out, (uint64_t)n);
	else if (kind == VALUE_PLAIN)
		value_plain(out, (uint64_t)n);
	else if (kind == VALUE_DURATION)
		value_duration(out, (uint64_t)n * 1000);
	else
		value_count(out, (uint64_t)n);
}

/* Averages of bytes are shown as whole bytes. */
static void
cell_of_real(unsigned kind, double n, struct value *out)
{
	if (!isfinite(n))
		value_text(out, STYLE_NORMAL, n > 0 ? "Inf" : "-Inf");
	else if (kind == VALUE_SHARE)
		cell_of_share(n, out);
	else if (kind == VALUE_BYTES && n >= 0 && n < 1e18)
		value_bytes(out, (uint64_t)(n + 0.5));
	else
		value_real(out, n);
}

static void
cell(const struct cells *in, const struct row *row, unsigned at, struct value *out)
{
	const struct sql_result *r = in->rows;
	const struct sql_value *v = sql_value(r, row->data, at);
	unsigned kind = r->columns[at].from.kind;

	switch ((enum sql_type)v->type) {
	case SQL_NULL:
		value_blank(out);
		break;
	case SQL_INTEGER:
		cell_of_integer(kind, v->integer, out);
		break;
	case SQL_REAL:
		cell_of_real(kind, v->real, out);
		break;
	case SQL_TEXT:
		value_text(out, r->type == (int)at ? STYLE_TYPE : STYLE_NORMAL, v->text);
		break;
	}
}

/* --- columns -------------------------------------------------------------- */

/* Makes an id that can be typed: "sum(size)" becomes sum_size. */
static void
make_id(const char *name, char id[NAME_BYTES])
{
	size_t len = 0;

	for (; *name && len + 8 < NAME_BYTES; name++) {
		if (isalnum((unsigned char)*name) || *name == '_')
			id[len++] = *name;
		else if (len && id[len - 1] != '_')
			id[len++] = '_';
	}
	while (len && id[len - 1] == '_')
		len--;
	id[len] = '\0';
	if (!len)
		strcpy(id, "column");
}

static bool
is_taken(const struct sql_result *r, uint32_t before, const char *id)
{
	for (uint32_t i = 0; i < before; i++)
		if (!strcmp(r->columns[i].id, id))
			return true;
	return false;
}

/* Columns of the same name get numbers: type, type_2. */
static const char *
unique_id(struct sql_result *r, uint32_t at, const char *name, struct error *err)
{
	char id[NAME_BYTES];
	const char *unique;

	make_id(name, id);
	unique = arena_printf(&r->arena, err, "%s", id);
	for (int n = 2; unique && is_taken(r, at, unique); n++)
		unique = arena_printf(&r->arena, err, "%s_%d", id, n);
	return unique;
}

static unsigned
kind_of(sqlite3_stmt *statement, uint32_t at, const struct sql_expression *expression)
{
	const char *declared = sqlite3_column_decltype(statement, (int)at);

	if (declared)
		return sql_declared_kind(declared);
	return expression ? sql_expression_kind(expression) : (unsigned)VALUE_BLANK;
}

static bool
set_column(struct sql_result *r, uint32_t at, sqlite3_stmt *statement,
	   const struct sql_expression *expression, struct error *err)
{
	const char *name = sqlite3_column_name(statement, (int)at);
	const char *declared = sqlite3_column_decltype(statement, (int)at);
	unsigned kind = kind_of(statement, at, expression);
	struct column *c = &r->columns[at];

	c->title = arena_printf(&r->arena, err, "%s", name ? name : "");
	c->id = c->title ? unique_id(r, at, c->title, err) : NULL;
	c->from = (struct value_source)CELL_AT((unsigned char)kind, cell, (unsigned short)at);
	c->sort = kind == VALUE_TEXT || kind == VALUE_ADDRESS ? UP : DOWN;
	c->width = kind == VALUE_TEXT ? -30 : kind == VALUE_ADDRESS ? 14 : 11;
	c->help = "as the query computes it";
	c->rank = (unsigned char)(at < 9 ? at : 9);
	if (declared && kind == VALUE_ADDRESS && r->address < 0)
		r->address = (int)at;
	if (declared && !strcmp(declared, "TYPE TEXT") && r->type < 0)
		r->type = (int)at;
	if (c->id && !strcmp(c->id, "heap") && r->heap < 0)
		r->heap = (int)at;
	return c->id != NULL;
}

/* Lets the first column of a text take the room that is left. */
static void
choose_name_column(struct sql_result *r)
{
	uint32_t at = 0;

	if (r->type >= 0)
		at = (uint32_t)r->type;
	else
		while (at + 1 < r->columns_count && r->columns[at].from.kind != VALUE_TEXT)
			at++;
	if (r->columns[at].from.kind == VALUE_TEXT)
		r->columns[at].width = FILL;
}

static bool
set_columns(struct sql_result *r, sqlite3_stmt *statement, const char *text, struct error *err)
{
	uint32_t count = (uint32_t)sqlite3_column_count(statement);
	struct sql_expression *e = arena_array(&r->arena, struct sql_expression, COLUMNS_MAX, err);
	uint32_t expressions_count = e ? sql_expressions(text, e, COLUMNS_MAX) : 0;

	if (count >= COLUMNS_MAX)
		return error_set(err, ERROR_USAGE,
				 "SQL: the result has %u columns; at most %d can be shown", count,
				 COLUMNS_MAX - 1);
	r->columns = arena_array(&r->arena, struct column, (size_t)count + 1, err);
	if (!e || !r->columns)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (!set_column(r, i, statement, expressions_count == count ? &e[i] : NULL, err))
			return false;
		r->columns_count = i + 1;
	}
	return true;
}

/* --- rows ----------------------------------------------------------------- */

static bool
store_value(struct sql_result *r, sqlite3_stmt *statement, int at, struct sql_value *out,
	    struct error *err)
{
	switch (sqlite3_column_type(statement, at)) {
	case SQLITE_INTEGER:
		out->type = SQL_INTEGER;
		out->integer = sqlite3_column_int64(statement, at);
		return true;
	case SQLITE_FLOAT:
		out->type = SQL_REAL;
		out->real = sqlite3_column_double(statement, at);
		return true;
	case SQLITE_NULL:
		out->type = SQL_NULL;
		return true;
	default:
		out->type = SQL_TEXT;
		out->text =
		    arena_strndup(&r->arena, (const char *)sqlite3_column_text(statement, at),
				  (size_t)sqlite3_column_bytes(statement, at), err);
		return out->text != NULL;
	}
}

static bool
store_row(struct sql_result *r, sqlite3_stmt *statement, struct error *err)
{
	size_t first = r->rows_count * r->columns_count;

	if (!MAKE_ROOM(r->values, first + r->columns_count, r->room, err))
		return false;
	for (uint32_t i = 0; i < r->columns_count; i++)
		if (!store_value(r, statement, (int)i, &r->values[first + i], err))
			return false;
	r->rows_count++;
	return true;
}

/* The kinds of values in a column. */
struct contained {
	bool has_text, has_number, has_fraction, has_negative;
};

static struct contained
look_at_column(const struct sql_result *r, uint32_t at)
{
	struct contained c = { 0 };

	for (size_t row = 0; row < r->rows_count; row++) {
		const struct sql_value *v = sql_value(r, row, at);

		c.has_text |= v->type == SQL_TEXT;
		c.has_fraction |= v->type == SQL_REAL;
		c.has_number |= v->type == SQL_INTEGER || v->type == SQL_REAL;
		c.has_negative |= v->type == SQL_INTEGER && v->integer < 0;
	}
	return c;
}

/* Chooses one kind for all values of a column, so that they can be sorted: a column with negative
   numbers has changes. */
static void
choose_kind(struct column *c, struct contained of)
{
	unsigned char kind = c->from.kind;
	bool is_plain = kind == VALUE_BLANK || kind == VALUE_COUNT || kind == VALUE_PLAIN;

	if (kind == VALUE_BLANK && of.has_text && !of.has_number) {
		c->from.kind = VALUE_TEXT;
		c->width = -30;
		c->sort = UP;
	} else if (kind == VALUE_BYTES && of.has_negative) {
		c->from.kind = VALUE_CHANGE_BYTES;
	} else if (is_plain && of.has_fraction) {
		c->from.kind = VALUE_REAL;
	} else if (is_plain && of.has_negative) {
		c->from.kind = VALUE_CHANGE;
	}
}

static void
choose_kinds(struct sql_result *r)
{
	for (uint32_t i = 0; i < r->columns_count; i++)
		choose_kind(&r->columns[i], look_at_column(r, i));
}

static bool
store_rows(struct sql *s, struct sql_result *r, sqlite3_stmt *statement, struct error *err)
{
	int code;

	progress_begin(s->progress, "running the query", "rows", 0);
	while ((code = sql_step(s, statement)) == SQLITE_ROW) {
		if (!store_row(r, statement, err))
			return false;
		if (!(r->rows_count % ROWS_A_STEP))
			(void)progress_add(s->progress, ROWS_A_STEP);
		if (progress_is_cancelled(s->progress))
			return error_cancelled(err);
	}
	if (code != SQLITE_DONE)
		return sql_failed(s, err);
	choose_kinds(r);
	choose_name_column(r);
	return true;
}

bool
sql_parse(const char *text, unsigned *needs, struct error *err)
{
	struct sql s;
	sqlite3_stmt *statement = NULL;

	if (sql_open(&s, NULL, 0, NULL, err))
		statement = sql_prepare(&s, text, err);
	*needs = s.needs;
	sqlite3_finalize(statement);
	sql_close(&s);
	return statement != NULL;
}

/* Returns whether each heap has what the query reads; callers see to that. */
static bool
has_needs(const struct sql *s, struct error *err)
{
	for (uint32_t i = 0; i < s->heaps_count; i++)
		if (s->needs & SQL_DATABASE_NEEDS & ~s->heaps[i].facts.has)
			return error_set(err, ERROR_USAGE,
					 "SQL: the query needs results about %s that have not been "
					 "computed",
					 s->heaps[i].name);
	return true;
}

static void *
clear_rows(void *result)
{
	sql_result_clear(result);
	memory_free(result);
	return NULL;
}

/* Frees the rows of a cancelled query on a thread that nothing waits for: the kernel takes 0.15 s
   for each GiB. */
static void
clear_beside(struct sql_result *r)
{
	struct error ignored = { 0 };
	struct sql_result *copy = memory_new(1, sizeof *copy, &ignored);
	pthread_t thread;

	if (copy)
		*copy = *r;
	if (copy && r->rows_count > ROWS_A_STEP && !thread_start(&thread, clear_rows, copy)) {
		pthread_detach(thread);
		*r = (struct sql_result){ .address = -1 };
	} else {
		memory_free(copy);
	}
	sql_result_clear(r);
}

bool
sql_run(const char *text, const struct sql_heap *heaps, uint32_t count, struct progress *progress,
	struct sql_result *out, struct error *err)
{
	struct memory_refused before = memory_refused();
	struct sql s;
	sqlite3_stmt *statement = NULL;
	bool ok;

	*out = (struct sql_result){ .address = -1, .type = -1, .heap = -1 };
	if (sql_open(&s, heaps, count, progress, err))
		statement = sql_prepare(&s, text, err);
	ok = statement && has_needs(&s, err) && set_columns(out, statement, text, err) &&
	     store_rows(&s, out, statement, err);
	ok = memory_was_enough(before, err) && ok;
	sqlite3_finalize(statement);
	sql_close(&s);
	if (!ok)
		clear_beside(out);
	return ok;
}
