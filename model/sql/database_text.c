#include "model/sql/database_text.h"
#include "model/sql/units.h"
#include <stdarg.h>
#include <string.h>

bool
sql_execute(struct sql *s, struct error *err, const char *format, ...)
{
	va_list arguments;
	char *text;
	int code;

	va_start(arguments, format);
	text = sqlite3_vmprintf(format, arguments);
	va_end(arguments);
	if (!text)
		return error_no_memory(err, 0);
	code = sqlite3_exec(s->db, text, NULL, NULL, NULL);
	sqlite3_free(text);
	return code ? sql_failed(s, err) : true;
}

/*
 * Returns the type that a column has in the file. Programs know these names; comparisons work as in
 * queries over the heap.
 */
static const char *
type_in_file(const char *declared)
{
	if (!declared || !*declared)
		return "";
	switch (sql_declared_kind(declared)) {
	case VALUE_SHARE:
	case VALUE_REAL:
	case VALUE_HUNDREDTHS:
		return "REAL";
	case VALUE_TEXT:
		return "TEXT";
	case VALUE_BLANK:
		return "";
	default:
		return "INTEGER";
	}
}

/* Prepares a query of all columns, which is not run. */
static sqlite3_stmt *
all_columns(struct sql *s, const char *table, struct error *err)
{
	char *text = sqlite3_mprintf("SELECT * FROM temp.\"%w\"", table);
	sqlite3_stmt *all = text ? sql_prepare(s, text, err) : NULL;

	if (!text)
		error_no_memory(err, 0);
	sqlite3_free(text);
	return all;
}

static char *
finish(sqlite3_str *out, struct error *err)
{
	char *text = sqlite3_str_finish(out);

	if (!text)
		error_no_memory(err, 0);
	return text;
}

char *
sql_column_names(struct sql *s, const char *table, struct error *err)
{
	sqlite3_stmt *all = all_columns(s, table, err);
	sqlite3_str *out;

	if (!all)
		return NULL;
	out = sqlite3_str_new(s->db);
	/* The last one is `heap`. */
	for (int i = 0; i + 1 < sqlite3_column_count(all); i++)
		sqlite3_str_appendf(out, "%s\"%w\"", i ? ", " : "", sqlite3_column_name(all, i));
	sqlite3_finalize(all);
	return finish(out, err);
}

char *
sql_table_text(struct sql *s, const char *table, const char *key, struct error *err)
{
	sqlite3_stmt *all = all_columns(s, table, err);
	bool is_own = key && strchr(key, '(');
	sqlite3_str *out;

	if (!all)
		return NULL;
	out = sqlite3_str_new(s->db);
	sqlite3_str_appendf(out, "CREATE TABLE main.\"%w\"(", table);
	for (int i = 0; i + 1 < sqlite3_column_count(all); i++)
		sqlite3_str_appendf(
		    out, "%s\"%w\" %s", i ? ", " : "", sqlite3_column_name(all, i),
		    key && !is_own && !i ? key : type_in_file(sqlite3_column_decltype(all, i)));
	if (is_own)
		sqlite3_str_appendf(out, ", %s) WITHOUT ROWID", key);
	else
		sqlite3_str_appendall(out, ")");
	sqlite3_finalize(all);
	return finish(out, err);
}
