#ifndef MODEL_SQL_DATABASE_TEXT_H
#define MODEL_SQL_DATABASE_TEXT_H

/* The statements that make tables of a database from those of queries. Texts are freed with
   sqlite3_free(). */
#include "model/sql/connection.h"

/* Runs statements with SQLite's %q, %Q and %w. */
bool sql_execute(struct sql *s, struct error *err, const char *format, ...) MUST_USE;
/* Returns the names of a table's columns without `heap`: "source", "target". */
char *sql_column_names(struct sql *s, const char *table, struct error *err);
/* Returns a statement that creates the table with these columns. `key` is the type of the first
   column if it is the primary key, a PRIMARY KEY(…) of a table without row ids, or NULL. */
char *sql_table_text(struct sql *s, const char *table, const char *key, struct error *err);

#endif
