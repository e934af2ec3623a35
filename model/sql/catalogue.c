/* The tables that queries can read. */
#include "model/sql/connection.h"
#include <string.h>

const struct table *const *sql_tables = (const struct table *const[]){ NULL };

void
sql_set_tables(const struct table *const *tables)
{
	sql_tables = tables;
}

const struct table *
sql_table_named(const char *name)
{
	for (const struct table *const *t = sql_tables; *t; t++)
		if (table_lists_rows(*t) && !strcmp((*t)->name, name))
			return *t;
	return NULL;
}
