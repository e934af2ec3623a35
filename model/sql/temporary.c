#include "model/sql/temporary.h"
#include "model/base/arena.h"
#include "model/sql/file.h"
#include <string.h>

enum { CHUNK_BYTES = 1 << 16 };

struct temporary {
	sqlite3_file base;
	char **chunks; /* of CHUNK_BYTES each */
	size_t chunks_count, room;
	sqlite3_int64 len;
};

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int
close_file(sqlite3_file *base)
{
	struct temporary *f = (struct temporary *)base;

	for (size_t i = 0; i < f->chunks_count; i++)
		memory_free(f->chunks[i]);
	memory_free(f->chunks);
	return SQLITE_OK;
}

/* Returns the place of a byte in its chunk, and how many follow there. */
static char *
place(const struct temporary *f, sqlite3_int64 at, size_t *follow)
{
	size_t in_chunk = (size_t)at % CHUNK_BYTES;

	*follow = CHUNK_BYTES - in_chunk;
	return f->chunks[(size_t)at / CHUNK_BYTES] + in_chunk;
}

static int
read_file(sqlite3_file *base, void *to, int len, sqlite3_int64 at)
{
	const struct temporary *f = (const struct temporary *)base;
	sqlite3_int64 there = at < f->len ? f->len - at : 0;
	size_t left = smaller((size_t)len, (size_t)there), follow;
	char *next = to;

	memset(next + left, 0, (size_t)len - left);
	while (left) {
		const char *from = place(f, at, &follow);
		size_t n = smaller(left, follow);

		memcpy(next, from, n);
		next += n;
		at += (sqlite3_int64)n;
		left -= n;
	}
	return there < len ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static bool
add_chunk(struct temporary *f)
{
	struct error ignored = { 0 };
	char *chunk;

	if (!MAKE_ROOM(f->chunks, f->chunks_count + 1, f->room, &ignored))
		return false;
	chunk = memory_new(1, CHUNK_BYTES, &ignored);
	if (chunk)
		f->chunks[f->chunks_count++] = chunk;
	return chunk != NULL;
}

static int
write_file(sqlite3_file *base, const void *from, int len, sqlite3_int64 at)
{
	struct temporary *f = (struct temporary *)base;
	sqlite3_int64 end = at + len;
	size_t left = (size_t)len, follow;
	const char *next = from;

	while ((sqlite3_int64)f->chunks_count * CHUNK_BYTES < end)
		if (!add_chunk(f))
			return SQLITE_IOERR_NOMEM;
	while (left) {
		char *to = place(f, at, &follow);
		size_t n = smaller(left, follow);

		memcpy(to, next, n);
		next += n;
		at += (sqlite3_int64)n;
		left -= n;
	}
	f->len = f->len > end ? f->len : end;
	return SQLITE_OK;
}

/* Bytes after the end are zero if the file grows again. */
static int
truncate_file(sqlite3_file *base, sqlite3_int64 len)
{
	struct temporary *f = (struct temporary *)base;
	size_t keep = (size_t)((len + CHUNK_BYTES - 1) / CHUNK_BYTES), follow;

	if (len >= f->len)
		return SQLITE_OK;
	while (f->chunks_count > keep)
		memory_free(f->chunks[--f->chunks_count]);
	if (len % CHUNK_BYTES) {
		char *end = place(f, len, &follow);

		memset(end, 0, follow);
	}
	f->len = len;
	return SQLITE_OK;
}

static int
size_file(sqlite3_file *base, sqlite3_int64 *out)
{
	*out = ((const struct temporary *)base)->len;
	return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
	SQL_FILE_WITHOUT_LOCKS, .xClose = close_file,       .xRead = read_file,
	.xWrite = write_file,   .xTruncate = truncate_file, .xFileSize = size_file,
};

static int
open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *out, int flags, int *flags_out)
{
	struct temporary *f = (struct temporary *)out;

	(void)vfs;
	*f = (struct temporary){ 0 };
	if (name || !(flags & SQLITE_OPEN_DELETEONCLOSE))
		return SQLITE_CANTOPEN;
	out->pMethods = &methods;
	if (flags_out)
		*flags_out = flags;
	return SQLITE_OK;
}

int
sql_temporary_begin(void)
{
	static sqlite3_vfs vfs;
	const sqlite3_vfs *system = sqlite3_vfs_find(NULL);

	if (!system)
		return SQLITE_ERROR;
	vfs = *system; /* clock and random numbers */
	vfs.pNext = NULL;
	vfs.zName = SQL_TEMPORARY;
	vfs.szOsFile = sizeof(struct temporary);
	vfs.xOpen = open_file;
	return sqlite3_vfs_register(&vfs, 0);
}
