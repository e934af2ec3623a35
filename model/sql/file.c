#include "model/sql/file.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct open_file {
	sqlite3_file base;
	struct sql_file *file;
};

static struct sql_file *
file_of(sqlite3_file *base)
{
	return ((struct open_file *)base)->file;
}

static int
close_file(sqlite3_file *base)
{
	(void)base;
	return SQLITE_OK;
}

static int
read_file(sqlite3_file *base, void *to, int len, sqlite3_int64 at)
{
	struct sql_file *f = file_of(base);
	size_t left = (size_t)len;
	char *next = to;

	while (left) {
		ssize_t got = pread(f->fd, next, left, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return SQLITE_IOERR_READ;
		if (!got) {
			memset(next, 0, left);
			return SQLITE_IOERR_SHORT_READ;
		}
		next += got;
		at += got;
		left -= (size_t)got;
	}
	return SQLITE_OK;
}

static int
write_file(sqlite3_file *base, const void *from, int len, sqlite3_int64 at)
{
	struct sql_file *f = file_of(base);
	size_t left = (size_t)len;
	const char *next = from;

	progress_add(f->progress, left);
	while (left) {
		ssize_t put = pwrite(f->fd, next, left, (off_t)at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return SQLITE_IOERR_WRITE;
		next += put;
		at += put;
		left -= (size_t)put;
	}
	return SQLITE_OK;
}

static int
truncate_file(sqlite3_file *base, sqlite3_int64 len)
{
	return ftruncate(file_of(base)->fd, (off_t)len) ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

/* The owner of the descriptor brings the file to the disk. */
int
sql_file_sync(sqlite3_file *base, int flags)
{
	(void)base;
	(void)flags;
	return SQLITE_OK;
}

static int
size_file(sqlite3_file *base, sqlite3_int64 *out)
{
	struct stat st;

	if (fstat(file_of(base)->fd, &st))
		return SQLITE_IOERR_FSTAT;
	*out = st.st_size;
	return SQLITE_OK;
}

/* Only this process uses the file, so it needs no locks. */
int
sql_file_lock(sqlite3_file *base, int lock)
{
	(void)base;
	(void)lock;
	return SQLITE_OK;
}

int
sql_file_is_locked(sqlite3_file *base, int *out)
{
	(void)base;
	*out = 0;
	return SQLITE_OK;
}

int
sql_file_control(sqlite3_file *base, int what, void *argument)
{
	(void)base;
	(void)what;
	(void)argument;
	return SQLITE_NOTFOUND;
}

int
sql_file_sector_bytes(sqlite3_file *base)
{
	(void)base;
	return 4096;
}

int
sql_file_characteristics(sqlite3_file *base)
{
	(void)base;
	return 0;
}

static const sqlite3_io_methods methods = {
	SQL_FILE_WITHOUT_LOCKS, .xClose = close_file,       .xRead = read_file,
	.xWrite = write_file,   .xTruncate = truncate_file, .xFileSize = size_file,
};

static int
open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *out, int flags, int *flags_out)
{
	struct open_file *f = (struct open_file *)out;
	struct sql_file *file = vfs->pAppData;

	if (!(flags & SQLITE_OPEN_MAIN_DB))
		return file->system->xOpen(file->system, name, out, flags, flags_out);
	*f = (struct open_file){ .base.pMethods = &methods, .file = file };
	if (flags_out)
		*flags_out = flags;
	return SQLITE_OK;
}

static int
delete_file(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs;
	(void)name;
	(void)sync;
	return SQLITE_OK;
}

/* There is neither a journal nor a log. */
static int
has_file(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
	(void)vfs;
	(void)name;
	(void)flags;
	*out = 0;
	return SQLITE_OK;
}

static int
whole_name(sqlite3_vfs *vfs, const char *name, int room, char *out)
{
	(void)vfs;
	snprintf(out, (size_t)room, "%s", name);
	return SQLITE_OK;
}

int
sql_file_begin(struct sql_file *f, int fd, struct progress *progress)
{
	*f = (struct sql_file){ .fd = fd, .progress = progress, .system = sqlite3_vfs_find(NULL) };
	if (!f->system)
		return SQLITE_ERROR;
	/* Several may be registered at once. */
	snprintf(f->name, sizeof f->name, "heaptop-%p", (void *)f);
	f->vfs = *f->system; /* clock and random numbers */
	f->vfs.pNext = NULL;
	f->vfs.zName = f->name;
	f->vfs.pAppData = f;
	if (f->vfs.szOsFile < (int)sizeof(struct open_file))
		f->vfs.szOsFile = sizeof(struct open_file);
	f->vfs.xOpen = open_file;
	f->vfs.xDelete = delete_file;
	f->vfs.xAccess = has_file;
	f->vfs.xFullPathname = whole_name;
	return sqlite3_vfs_register(&f->vfs, 0);
}

void
sql_file_end(struct sql_file *f)
{
	sqlite3_vfs_unregister(&f->vfs);
}
