#include "model/sql/schema.h"
#include "model/sql/connection.h"
#include "model/tables/tables.h"
#include <string.h>

enum { ENTRIES_MAX = 200, SCHEMA_COLUMNS_MAX = 4000, BUILTINS_MAX = 400 };

/* Tables and functions that are not in all_tables. The functions' help follows the array in
   functions.c; a test compares their names. */
static const struct schema_entry others[] = {
	{ "refs", "refs", "every reference: from which object to which, by which field",
	  SCHEMA_TABLE, NULL },
	{ "values", "\"values\"", "the fields of all objects with their values, not of arrays",
	  SCHEMA_TABLE, NULL },
	{ "path", "path(address)", "the cheapest path from a root to the object, as one text",
	  SCHEMA_FUNCTION, NULL },
	{ "retained", "retained(type)",
	  "the bytes that would be freed with all objects of the type", SCHEMA_FUNCTION, NULL },
	{ "short", "short(type)", "the type's name without namespaces", SCHEMA_FUNCTION, NULL },
	{ "field", "field(address, 'name')",
	  "the value of a field, if the heap has the contents of objects", SCHEMA_FUNCTION, NULL },
	{ "text", "text(address)", "the text of a string, if the heap has the contents of objects",
	  SCHEMA_FUNCTION, NULL },
	{ "size", "size(bytes)", "bytes in the unit that fits: 1.21 GiB", SCHEMA_FUNCTION, NULL },
};
enum { OTHERS = sizeof others / sizeof others[0] };

/* The columns that every table has, those of refs and those of values. */
static const struct {
	const char *table, *name, *help;
} known[] = {
	{ NULL, "heap", "the name of the heap that the row is from" },
	{ NULL, "argument", "what stands in parentheses after the table's name" },
	{ NULL, "type_id", "the number of the type in its heap: fast to group by" },
	{ "refs", "source", "the address of the object that refers" },
	{ "refs", "target", "the address of the object that it refers to" },
	{ "refs", "field", "the field, if contents are there; not of arrays" },
	{ "refs", "number", "counts the references of the source, from 1" },
	{ "values", "address", "the address of the object" },
	{ "values", "type", "the type of the object" },
	{ "values", "field", "the field; in a struct: _state._value" },
	{ "values", "field_type", "the declared type of the field" },
	{ "values", "kind", "value, reference, struct, or raw: not understood" },
	{ "values", "value", "a number, or a text; true is 1, an enum its number" },
	{ "values", "text", "the value as the view fields shows it" },
	{ "values", "target", "the address that the field refers to" },
};
enum { KNOWN = sizeof known / sizeof known[0] };

/* Fills a column's help: shared texts, or those of its table. */
static void
explain(struct schema_column *c)
{
	const struct table *t =
	    sql_list_named(c->table) ? &objects_table : sql_table_named(c->table);
	const char *id = strcmp(c->name, "gc_heap") ? c->name : "heap";
	int at = -1;

	for (size_t i = 0; i < KNOWN; i++)
		if (!strcmp(known[i].name, c->name) &&
		    (!known[i].table || !strcmp(known[i].table, c->table))) {
			c->help = known[i].help;
			c->is_shared = !known[i].table && t;
			return;
		}
	if (t)
		at = column_by_id(t->columns, id);
	c->help = at >= 0 && t->columns[at].help ? t->columns[at].help : "";
}

/* "CHANGE_BYTES" becomes "change bytes", "TYPE TEXT" becomes "type". */
static const char *
kind_text(const char *declared, struct arena *a, struct error *err)
{
	const char *type = strcmp(declared, "TYPE TEXT") ? declared : "TYPE";
	char *text = arena_strndup(a, type, strlen(type), err);

	for (char *p = text; p && *p; p++)
		*p = (char)(*p == '_' ? ' ' : *p >= 'A' && *p <= 'Z' ? *p - 'A' + 'a' : *p);
	return text;
}

static bool
add_columns(struct schema *out, struct sql *s, const char *table, struct arena *a,
	    struct error *err)
{
	static const char query[] = "SELECT name, type, hidden FROM pragma_table_xinfo(?)";
	sqlite3_stmt *statement = NULL;
	bool ok = true;

	if (sqlite3_prepare_v2(s->db, query, -1, &statement, NULL))
		return sql_failed(s, err);
	sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
	while (ok && sqlite3_step(statement) == SQLITE_ROW &&
	       out->columns_count < SCHEMA_COLUMNS_MAX) {
		struct schema_column *c = &out->columns[out->columns_count++];
		const char *name = (const char *)sqlite3_column_text(statement, 0);
		const char *type = (const char *)sqlite3_column_text(statement, 1);

		c->table = table;
		c->name = arena_printf(a, err, "%s", name ? name : "");
		c->type = kind_text(type ? type : "", a, err);
		c->is_hidden = sqlite3_column_int(statement, 2);
		ok = c->name && c->type;
		if (ok)
			explain(c);
	}
	sqlite3_finalize(statement);
	return ok;
}

/* Lists SQLite's own functions that queries may use; operators are called like functions, too, but
   have other names. */
static bool
add_builtins(struct schema *out, struct sql *s, struct arena *a, struct error *err)
{
	static const char query[] =
	    "SELECT DISTINCT name FROM pragma_function_list WHERE builtin AND name GLOB '[a-z]*' "
	    "UNION SELECT 'json_each' UNION SELECT 'json_tree' ORDER BY 1";
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(s->db, query, -1, &statement, NULL))
		return sql_failed(s, err);
	while (err->kind == ERROR_NONE && sqlite3_step(statement) == SQLITE_ROW &&
	       out->builtins_count < BUILTINS_MAX) {
		const char *name = (const char *)sqlite3_column_text(statement, 0);

		if (name && sql_function_is_allowed(name))
			out->builtins[out->builtins_count++] = arena_printf(a, err, "%s", name);
	}
	sqlite3_finalize(statement);
	return err->kind == ERROR_NONE;
}

/* Lists replace tables of their names; of several tables of one name all have the same rows. */
static bool
is_listed(const struct schema *s, const char *name)
{
	bool is_there = sql_list_named(name);

	for (uint32_t i = 0; !is_there && i < s->entries_count; i++)
		is_there = !strcmp(s->entries[i].name, name);
	return is_there;
}

/* Lists the tables of all_tables, then refs, the lists and the functions. */
static bool
add_entries(struct schema *out, struct arena *a, struct error *err)
{
	for (const struct table *const *t = all_tables; *t; t++)
		if (table_lists_rows(*t) && !is_listed(out, (*t)->name) &&
		    out->entries_count < ENTRIES_MAX)
			out->entries[out->entries_count++] = (struct schema_entry){
				.name = (*t)->name, .usage = (*t)->name, .table = *t
			};
	out->entries[out->entries_count++] = others[0];
	out->entries[out->entries_count++] = others[1];
	for (const struct sql_list *l = sql_lists; l->name; l++) {
		struct schema_entry *e = &out->entries[out->entries_count++];

		*e = (struct schema_entry){ .name = l->name, .help = l->help, .kind = SCHEMA_LIST };
		e->usage = arena_printf(a, err, "%s(address)", l->name);
		if (!e->usage)
			return false;
	}
	for (size_t i = 2; i < OTHERS; i++)
		out->entries[out->entries_count++] = others[i];
	return true;
}

bool
schema_read(struct schema *out, struct arena *a, struct error *err)
{
	struct sql s;
	bool ok;

	*out = (struct schema){ 0 };
	out->entries = arena_array(a, struct schema_entry, ENTRIES_MAX + 20 + OTHERS, err);
	out->columns = arena_array(a, struct schema_column, SCHEMA_COLUMNS_MAX, err);
	out->builtins = arena_array(a, const char *, BUILTINS_MAX, err);
	if (!out->entries || !out->columns || !out->builtins || !add_entries(out, a, err))
		return false;
	ok = sql_open(&s, NULL, 0, NULL, err);
	if (ok)
		/* Queries of users may not ask for this. */
		sqlite3_set_authorizer(s.db, NULL, NULL);
	for (uint32_t i = 0; ok && i < out->entries_count; i++)
		if (out->entries[i].kind != SCHEMA_FUNCTION)
			ok = add_columns(out, &s, out->entries[i].name, a, err);
	ok = ok && add_builtins(out, &s, a, err);
	sql_close(&s);
	return ok;
}

const struct schema_entry *
schema_named(const struct schema *s, const char *name)
{
	for (uint32_t i = 0; i < s->entries_count; i++)
		if (s->entries[i].kind != SCHEMA_FUNCTION && !strcmp(s->entries[i].name, name))
			return &s->entries[i];
	return NULL;
}
