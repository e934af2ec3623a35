#ifndef IO_BASE_FILE_PARTS_H
#define IO_BASE_FILE_PARTS_H

/*
 * A file of which little is wanted, and nobody knows what: blocks of it are
 * read when they are asked for, and stay as they were then, whatever becomes
 * of the file. What is not asked for costs addresses, no memory; and no file
 * stays open, since a process has hundreds of modules.
 * For one thread at a time; what was given stays until it is closed.
 */
#include "model/base/error.h"
#include <stddef.h>
#include <sys/stat.h>

struct file_parts {
	uint8_t *data;     /* NULL: not open */
	uint64_t *is_read; /* a bit a block */
	const char *path;
	size_t len, read_bytes;
	struct stat opened; /* what it was then */
};

/* `path` is borrowed. Not for what is no regular file, or empty. */
bool file_parts_open(struct file_parts *f, const char *path,
		     struct error *err) MUST_USE;
void file_parts_close(struct file_parts *f);
/*
 * The bytes at `at`, *len of them at most: down to where the file ends, or
 * until it changes; NULL: none. `err` is set if they are there but cannot be
 * read, or memory is not allowed for them.
 */
const uint8_t *file_parts_at(struct file_parts *f, uint64_t at, size_t *len,
			     struct error *err);

#endif
