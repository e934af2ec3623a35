/* All virtual tables use these: the declaration of columns, conditions, and values. */
#include "model/sql/connection.h"
#include "model/tables/tables.h"
#include <string.h>

enum { ROW_BYTES = 48576 }; /* of a row with a cut text, besides it */

const struct table *
sql_table_named(const char *name)
{
	for (const struct table *const *t = all_tables; *t; t++)
		if (table_lists_rows(*t) && !strcmp((*t)->name, name))
			return *t;
	return NULL;
}

/* A table's own column `heap` is about the collector's heaps. */
static const char *
name_in_sql(const struct column *c)
{
	return strcmp(c->id, "heap") ? c->id : "gc_heap";
}

const char *
sql_declared_type(const struct column *c)
{
	static const char *const types[] = {
		[VALUE_COUNT] = "COUNT",
		[VALUE_PLAIN] = "ID",
		[VALUE_BYTES] = "BYTES",
		[VALUE_SHARE] = "SHARE",
		[VALUE_CHANGE] = "CHANGE",
		[VALUE_CHANGE_BYTES] = "CHANGE_BYTES",
		[VALUE_REAL] = "REAL",
		[VALUE_HUNDREDTHS] = "DECIMAL",
		[VALUE_DURATION] = "MICROSECONDS",
		[VALUE_ADDRESS] = "ADDRESS",
	};
	unsigned kind = column_kind(c);

	if (kind == VALUE_TEXT)
		return strcmp(c->id, "type") ? "TEXT" : "TYPE TEXT";
	return kind < sizeof types / sizeof *types && types[kind] ? types[kind] : "";
}

char *
sql_declaration(const struct column *const *columns, int count)
{
	sqlite3_str *out = sqlite3_str_new(NULL);

	sqlite3_str_appendall(out, "CREATE TABLE t(");
	for (int i = 0; i < count; i++)
		sqlite3_str_appendf(out, "\"%w\" %s, ", name_in_sql(columns[i]),
				    sql_declared_type(columns[i]));
	sqlite3_str_appendall(out, "heap TEXT, argument TEXT HIDDEN, type_id ID HIDDEN)");
	return sqlite3_str_finish(out);
}

/* --- virtual tables ------------------------------------------------------- */

int
sql_plan(sqlite3_index_info *info, int (*plan_of_column)(int column), int *at)
{
	int plan = 0;

	for (int i = 0; i < info->nConstraint; i++) {
		int use = plan_of_column(info->aConstraint[i].iColumn);

		if (use && info->aConstraint[i].usable && !(plan & use) &&
		    info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ &&
		    !strcmp(sqlite3_vtab_collation(info, i), "BINARY")) {
			plan |= use;
			at[use] = i;
		}
	}
	return plan;
}

void
sql_take_conditions(sqlite3_index_info *info, int plan, int end, const int *at)
{
	int arguments = 0;

	for (int use = 1; use < end; use <<= 1)
		if (plan & use) {
			info->aConstraintUsage[at[use]].argvIndex = ++arguments;
			info->aConstraintUsage[at[use]].omit = 1;
		}
}

int
sql_new_cursor(size_t size, sqlite3_vtab_cursor **out)
{
	sqlite3_vtab_cursor *c = sqlite3_malloc64(size);

	if (!c)
		return SQLITE_NOMEM;
	memset(c, 0, size);
	*out = c;
	return SQLITE_OK;
}

/* --- values --------------------------------------------------------------- */

void
sql_give_text(sqlite3_context *to, const char *text, bool lasts)
{
	sqlite3 *db = sqlite3_context_db_handle(to);
	size_t max = (size_t)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1);
	size_t len = strnlen(text, max);
	char *cut;

	/* A row with the text has room for its other values. */
	max -= ROW_BYTES;
	if (len <= max) {
		sqlite3_result_text(to, text, (int)len, lasts ? SQLITE_STATIC : SQLITE_TRANSIENT);
		return;
	}
	while ((text[max] & 0xc0) == 0x80)
		max--;
	cut = sqlite3_mprintf("%.*s…", (int)max, text);
	if (cut)
		sqlite3_result_text(to, cut, -1, sqlite3_free);
	else
		sqlite3_result_error_nomem(to);
}

/* Passes a text on; one that is not in the value's buffer lives as long as the rows, and `lasts` if
   these live as long as the query. */
static void
give_text(sqlite3_context *to, const struct value *v, bool lasts)
{
	sql_give_text(to, v->text, lasts && v->text != v->buffer);
}

void
sql_give(sqlite3_context *to, const struct value *v, bool lasts)
{
	switch (v->kind) {
	case VALUE_BLANK:
	case VALUE_PENDING:
		break; /* NULL */
	case VALUE_COUNT:
	case VALUE_PLAIN:
	case VALUE_BYTES:
	case VALUE_ADDRESS:
		sqlite3_result_int64(to, (sqlite3_int64)v->number);
		break;
	case VALUE_CHANGE:
	case VALUE_CHANGE_BYTES:
		sqlite3_result_int64(to, v->is_negative ? (sqlite3_int64)(0 - v->number)
							: (sqlite3_int64)v->number);
		break;
	case VALUE_SHARE:
		sqlite3_result_double(to, v->whole ? (double)v->number / (double)v->whole : 0);
		break;
	case VALUE_HUNDREDTHS:
		sqlite3_result_double(to, (double)v->number / 100);
		break;
	case VALUE_REAL:
		sqlite3_result_double(to, value_real_number(v));
		break;
	case VALUE_DURATION:
		sqlite3_result_int64(to, (sqlite3_int64)(v->number / 1000));
		break;
	case VALUE_TEXT:
		give_text(to, v, lasts);
		break;
	}
}

bool
sql_read_integer(sqlite3_value *value, int64_t *out)
{
	const double limit = 9e18;
	double real;

	switch (sqlite3_value_numeric_type(value)) {
	case SQLITE_INTEGER:
		*out = sqlite3_value_int64(value);
		return true;
	case SQLITE_FLOAT:
		real = sqlite3_value_double(value);
		if (!(real > -limit && real < limit))
			return false;
		*out = (int64_t)real;
		return (double)*out == real;
	default:
		return false;
	}
}

/* A text is an address even if it looks like a number: 701740002812. */
bool
sql_read_address(sqlite3_value *value, int64_t *out)
{
	uint64_t address = 0;
	const char *text;

	switch (sqlite3_value_type(value)) {
	case SQLITE_INTEGER:
		*out = sqlite3_value_int64(value);
		return true;
	case SQLITE_TEXT:
		text = (const char *)sqlite3_value_text(value);
		if (!text || !address_parse(text, &address))
			return false;
		*out = (int64_t)address;
		return true;
	default:
		return false;
	}
}
