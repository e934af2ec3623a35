#ifndef IO_BASE_FILE_H
#define IO_BASE_FILE_H

/*
 * A whole file as bytes in memory, read only. Small files are read, large ones
 * mapped, so that a dump of gigabytes costs only the pages looked at.
 * "-" is standard input; a pipe there is read first, as far as it is wanted.
 */
#include "model/base/progress.h"
#include <stddef.h>
#include <sys/stat.h>

/* Identifies a file and its last change. */
struct file_stamp {
	dev_t device;
	ino_t inode;
	off_t len;
	struct timespec written;
};
/* True if device, inode, length and time are equal: nothing shows a change. */
bool file_stamp_is_same(const struct file_stamp *a, const struct file_stamp *b);

struct file {
	const uint8_t *data;
	size_t len;
	bool is_mapped;
	int guard;               /* file.c: where the mapping is watched */
	struct file_stamp stamp; /* when it was opened */
};

/*
 * Directories, pipes, devices and empty files are refused with a sentence.
 * `wanted`: of a pipe, so many bytes will do; opening it again gives them again
 * and goes on. A file is always all there.
 */
#define FILE_ALL UINT64_MAX
bool file_open(struct file *f, const char *path, uint64_t wanted,
	       struct progress *progress, struct error *err) MUST_USE;
/* The same of what is open already, and stays so; `path` for sentences. */
bool file_open_fd(struct file *f, int fd, const char *path,
		  struct error *err) MUST_USE;
void file_close(struct file *f);

/*
 * Until file_close() the bytes stay as they were when it was opened, whatever
 * becomes of the file: it was read, or we are told before somebody writes to it
 * and take a copy then, for which the writer waits. False if neither can be
 * had: the file is not ours, lies where nobody would tell, is too large for a
 * copy, or the copy failed. At any time after opening it can become false.
 */
/* Of all files together: what such copies may take, beyond any other limit. */
#define FILE_HELD_MAX_BYTES (UINT64_C(1) << 30)
bool file_is_held(const struct file *f);

/*
 * A mapped file that is not held, and that somebody cuts short while we read
 * it, reads as zeros from there on. False if that happened, or if it was
 * written to: what was made of it is worth nothing.
 */
bool file_is_intact(const struct file *f, struct error *err) MUST_USE;

#endif
