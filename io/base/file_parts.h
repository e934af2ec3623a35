#ifndef IO_BASE_FILE_PARTS_H
#define IO_BASE_FILE_PARTS_H

/*
 * A file of which unpredictable small parts are needed. Blocks are read on demand and then stay the
 * same, even if the file changes. Unread blocks cost only address space. The file is not kept open,
 * since a process has hundreds of modules. For one thread at a time; results stay valid until
 * file_parts_close().
 */
#include "io/base/file.h"

struct file_parts {
	uint8_t *data;     /* NULL: not open */
	uint64_t *is_read; /* a bit per block */
	const char *root, *path;
	size_t len, read_bytes;
	struct file_stamp opened; /* when it was opened */
};

/* Opens a path below a root, see io/base/inside.h; both are borrowed. Refuses empty and other than
 * regular files. */
bool file_parts_open(struct file_parts *f, const char *root, const char *path,
		     struct error *err) MUST_USE;
void file_parts_close(struct file_parts *f);
/* Bytes at `at`, at most *len; fewer at the end of the file or once it changed; NULL: none. `err`
 * is set if they cannot be read or memory is not allowed. */
const uint8_t *file_parts_at(struct file_parts *f, uint64_t at, size_t *len, struct error *err);

#endif
