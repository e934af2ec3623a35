#ifndef MODEL_SQL_TEMPORARY_H
#define MODEL_SQL_TEMPORARY_H

/*
 * A file system for SQLite whose files are in memory, which counts for --mem. Queries put their
 * temporary results there. SQLite then sorts in parts of a few MiB and looks between them whether
 * it is cancelled; what it sorts
 * without files is one step. Nothing else can be opened.
 */

/* The name of the file system. */
#define SQL_TEMPORARY "heaptop-temporary"

/* Registers it; returns SQLite's code. Call it once. */
int sql_temporary_begin(void);

#endif
