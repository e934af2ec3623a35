#ifndef IO_BASE_FILE_H
#define IO_BASE_FILE_H

/*
 * A whole file as read-only bytes. Small files are read, large ones mapped, so that a dump of
 * gigabytes costs only the pages used. "-" is standard input; a pipe there is read first, as far as
 * it is wanted.
 */
#include "model/base/progress.h"
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

/* Identifies a file and its last modification. */
struct file_stamp {
	dev_t device;
	ino_t inode;
	off_t len;
	struct timespec written;
};
struct file_stamp file_stamp_of(const struct stat *st);
/* True if device, inode, length and time are equal. */
bool file_stamp_is_same(const struct file_stamp *a, const struct file_stamp *b);

/* The part of a path after its last slash. */
static inline const char *
file_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

struct file {
	const uint8_t *data;
	size_t len;
	bool is_mapped;
	int guard;               /* index in file.c, if mapped */
	struct file_stamp stamp; /* when it was opened */
};

/*
 * Opens a non-empty regular file; others are refused with a message. `wanted`: the bytes needed of
 * a pipe; opening it again returns them again and continues. Other files are always opened whole.
 */
#define FILE_ALL UINT64_MAX
bool file_open(struct file *f, const char *path, uint64_t wanted, struct progress *progress,
	       struct error *err) MUST_USE;
/* Opens a regular file that an O_PATH descriptor refers to, for reading. Returns -1 and sets
 * errno. */
int file_reopen(int fd);
/* Opens a descriptor, which stays open; `path` is for messages. */
bool file_open_fd(struct file *f, int fd, const char *path, struct error *err) MUST_USE;
void file_close(struct file *f);

/*
 * True while the bytes are guaranteed not to change until file_close(): the file was read, or a
 * lease on it makes a writer wait until we have copied it. A lease needs a file of our own user on
 * a file system that supports it, and memory for the copy. A failing copy can turn the result to
 * false at any time.
 */
/* The limit on such copies, all files together; on top of any other limit. */
#define FILE_HELD_MAX_BYTES (UINT64_C(1) << 30)
bool file_is_held(const struct file *f);

/*
 * A mapped file that is not held reads as zeros past a point where it was truncated. False: that
 * happened, or the file was modified, so results are invalid.
 */
bool file_is_intact(const struct file *f, struct error *err) MUST_USE;

#endif
