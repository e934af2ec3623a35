#ifndef MODEL_SQL_SQL_H
#define MODEL_SQL_SQL_H

/*
 * Queries over heaps in SQL. SQLite runs them; those of all_tables are its virtual tables,
 * so rows are read where they are and nothing is copied.
 * A table that can list its rows for a whole heap is in SQL at once, with the names of its columns.
 * refs.c and lists.c add tables for the graph, and functions.c adds functions.
 *
 * Queries only read: everything that writes, opens another file or loads code is refused. Memory of
 * SQLite counts for --mem (memory_limit()), and temporary results stay in memory.
 */
#include "model/base/progress.h"
#include "model/sql/result.h"

struct sql_heap {
	const char *name; /* the column `heap`: unique among the heaps */
	struct facts facts;
};

/* The version of SQLite: "3.40.1". */
const char *sql_version(void);

/*
 * Parses a query without running it. `needs` gets what it reads (enum need); sql_run() wants the
 * facts of each heap to have all of it. False sets `err`, an ERROR_USAGE with SQLite's message if
 * the text is no query.
 */
bool sql_parse(const char *text, unsigned *needs, struct error *err) MUST_USE;

/*
 * Runs a query and stores all rows of its result, on any thread. `out` need not be cleared if it
 * fails. Cancelled within 100 ms, whatever it computes: a value or row has at most 1 MiB.
 */
bool sql_run(const char *text, const struct sql_heap *heaps, uint32_t count,
	     struct progress *progress, struct sql_result *out, struct error *err) MUST_USE;

#endif
