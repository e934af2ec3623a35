#ifndef MODEL_SQL_SCHEMA_H
#define MODEL_SQL_SCHEMA_H

/*
 * The tables, columns and functions that queries can use, as SQLite knows them, with the help texts
 * of all_tables. Without a heap; a few milliseconds.
 */
#include "model/base/arena.h"
#include "model/base/error.h"
#include "model/table/table.h"

enum schema_kind { SCHEMA_TABLE, SCHEMA_LIST, SCHEMA_FUNCTION };

/* A table, a list (a table called like a function), or a function. */
struct schema_entry {
	const char *name;  /* "objects", "path" */
	const char *usage; /* "objects", "path(address)" */
	const char *help;  /* NULL: that of `table` is elsewhere */
	enum schema_kind kind;
	const struct table *table; /* one of all_tables; or NULL */
};

struct schema_column {
	const char *table, *name;
	const char *type; /* "bytes"; "" if the values are of several kinds */
	const char *help;
	bool is_hidden; /* SELECT * does not have it */
	bool is_shared; /* every table has it */
};

struct schema {
	struct schema_entry *entries;
	struct schema_column *columns;
	const char **builtins; /* names of SQLite's own functions, sorted */
	uint32_t entries_count, columns_count, builtins_count;
};
/* Where a table's name is wanted, this names the functions. */
#define SCHEMA_FUNCTIONS "functions"

/* Reads the whole schema into `a`. */
bool schema_read(struct schema *out, struct arena *a, struct error *err) MUST_USE;
const struct schema_entry *schema_named(const struct schema *s, const char *name); /* or NULL */

#endif
