#ifndef MODEL_SQL_FILE_H
#define MODEL_SQL_FILE_H

/*
 * A file system for SQLite that has one file: a descriptor that is open. The
 * caller decides on its name, mode and end. Nothing else can be opened.
 */
#include "model/base/progress.h"
#include <sqlite3.h>

struct sql_file {
	sqlite3_vfs vfs;
	sqlite3_io_methods methods;
	char name[32]; /* of the file system */
	int fd;
	int errnum;                /* of the first failure */
	struct progress *progress; /* counts the bytes written */
};

/* The methods of a file that only this process has open; those that move bytes
   are missing. */
extern const sqlite3_io_methods sql_file_without_locks;

/* Registers it; `f` must stay where it is until sql_file_end(). Returns
   SQLite's code. */
int sql_file_begin(struct sql_file *f, int fd, struct progress *progress);
void sql_file_end(struct sql_file *f);

#endif
