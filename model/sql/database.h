#ifndef MODEL_SQL_DATABASE_H
#define MODEL_SQL_DATABASE_H

/*
 * Writes a heap to a database file of SQLite, for programs that read those.
 * Tables and columns have the names that queries use (sql.h), so the same query
 * has the same result; `argument` and `type_id`, which are hidden, are not in
 * the file. Besides there are:
 *
 *	meta(key, value)   where the heap is from, and what the file lacks
 *	objects_type       an index on objects(type)
 *	refs_target        an index on refs(target)
 *
 * The primary keys are objects(address) and refs(source, number), and rows are written in their
 * order. The entries of indexes are sorted by SQLite, beyond some MiB in temporary files. About
 * 4 us an object with two references.
 */
#include "model/sql/sql.h"

enum { SQL_SCHEMA_VERSION = 1 };

/* A row of `meta`. */
struct sql_note {
	const char *key, *value; /* value NULL: no row */
};

/* Tables and columns can use these results (enum need). The file lacks those that need a result
   which the heap's facts do not have; `meta` names them. */
enum {
	SQL_DATABASE_NEEDS = NEED_TYPES | NEED_OBJECTS | NEED_PROCESS | NEED_REVERSE | NEED_REACH |
			     NEED_RETAINED | NEED_TYPE_RETAINED
};

/*
 * Writes to `fd`, an empty file open for reading and writing. False sets `err`; the file is then
 * worthless.
 */
bool sql_write_database(int fd, const struct sql_heap *heap, const struct sql_note *notes,
			size_t notes_count, struct progress *progress, struct error *err) MUST_USE;

#endif
