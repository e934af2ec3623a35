#ifndef MODEL_SQL_FILE_H
#define MODEL_SQL_FILE_H

/*
 * A file system for SQLite that has one file: a descriptor that is open. The caller decides on its
 * name, mode and end; it may have no name yet. Temporary files are those of the system: SQLite
 * removes their names when it opens them.
 */
#include "model/base/progress.h"
#include <sqlite3.h>

struct sql_file {
	sqlite3_vfs vfs;
	sqlite3_vfs *system;
	char name[32]; /* of the file system */
	int fd;
	struct progress *progress; /* counts the bytes written */
};

/* Methods of a file that only this process has open, and that its owner brings to the disk, if it
   is on one. */
int sql_file_sync(sqlite3_file *base, int flags);
int sql_file_lock(sqlite3_file *base, int lock);
int sql_file_is_locked(sqlite3_file *base, int *out);
int sql_file_control(sqlite3_file *base, int what, void *argument);
int sql_file_sector_bytes(sqlite3_file *base);
int sql_file_characteristics(sqlite3_file *base);
/* These in a sqlite3_io_methods, which has only those that move bytes besides.
 */
#define SQL_FILE_WITHOUT_LOCKS                                                                     \
	.iVersion = 1, .xSync = sql_file_sync, .xLock = sql_file_lock, .xUnlock = sql_file_lock,   \
	.xCheckReservedLock = sql_file_is_locked, .xFileControl = sql_file_control,                \
	.xSectorSize = sql_file_sector_bytes, .xDeviceCharacteristics = sql_file_characteristics

/* Registers it; `f` must stay where it is until sql_file_end(). Returns SQLite's code. */
int sql_file_begin(struct sql_file *f, int fd, struct progress *progress);
void sql_file_end(struct sql_file *f);

#endif
