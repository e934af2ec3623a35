#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* flock() */
#endif
#include "tui/widget/past.h"
#include "model/base/arena.h"
#include "tui/base/places.h"
#include "tui/base/text_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	FILE_BYTES_MAX = 5 << 20, /* PAST_LINES_MAX lines of PAST_LINE_BYTES */
	PATH_BYTES = PLACE_BYTES,
	LOCK_TRIES = 200,
	LOCK_WAIT_NS = 5000000,
};

/* ---- lines in memory ---- */

static void
lines_clear(struct past *past)
{
	for (size_t i = 0; i < past->count; i++)
		memory_free(past->lines[i]);
	past->count = 0;
}

static void
line_remove(struct past *past, size_t at)
{
	memory_free(past->lines[at]);
	past->count--;
	memmove(past->lines + at, past->lines + at + 1,
		(past->count - at) * sizeof(*past->lines));
}

/* Control characters are not remembered: a terminal could interpret them. */
static bool
line_is_fit(const char *line, size_t len)
{
	if (len == 0 || len >= PAST_LINE_BYTES)
		return false;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			return false;
	return true;
}

/* Append a line and remove older copies of it; if there are too many, drop the
   oldest. */
static bool
line_append(struct past *past, const char *line, size_t len, struct error *err)
{
	char *copy;

	if (!line_is_fit(line, len))
		return true;
	copy = memory_new(len + 1, 1, err);
	if (!copy)
		return false;
	memcpy(copy, line, len);
	for (size_t i = past->count; i-- > 0;)
		if (strcmp(past->lines[i], copy) == 0)
			line_remove(past, i);
	while (past->count >= past->lines_max)
		line_remove(past, 0);
	past->lines[past->count++] = copy;
	return true;
}

/* ---- the file ---- */

static bool
path_find(struct past *past, const char *where, struct error *err)
{
	char path[PATH_BYTES];
	size_t len;

	if (!strchr(where, '/') && !place_of_state(where, path))
		return error_set(err, ERROR_SYSTEM,
				 "what is typed is not kept: HOME is not set");
	if (strchr(where, '/') && strlen(where) >= sizeof(path))
		return error_set(err, ERROR_SYSTEM,
				 "what is typed is not kept: the path of its "
				 "file is longer than %d bytes",
				 PATH_BYTES);
	if (strchr(where, '/'))
		strcpy(path, where);
	len = strlen(path) + 1;
	past->path = memory_new(len, 1, err);
	if (!past->path)
		return false;
	memcpy(past->path, path, len);
	return true;
}

/*
 * Locks the folder: shared to append a line, exclusive to rewrite the file, so
 * that no line is lost with the replaced file. Returns -1 if the lock is still
 * held after `tries` attempts or there is no such folder. Enter waits a second
 * at most, because the holder may be stopped. A folder counts as locked if
 * locks do not work there.
 */
static int
folder_lock(const char *path, int how, int tries)
{
	const struct timespec moment = { .tv_nsec = LOCK_WAIT_NS };
	char folder[PATH_BYTES];
	char *slash;
	int fd;

	strcpy(folder, path);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; fd >= 0 && flock(fd, how | LOCK_NB) < 0; i++) {
		if (errno != EWOULDBLOCK)
			break;
		if (i == tries) {
			close(fd);
			return -1;
		}
		nanosleep(&moment, NULL);
	}
	return fd;
}

static void
folder_unlock(int fd)
{
	if (fd >= 0)
		close(fd);
}

static bool
lines_parse(struct past *past, const char *text, size_t len, struct error *err)
{
	const char *end = text + len;

	lines_clear(past);
	past->file_lines = 0;
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		if (!stop)
			stop = end;
		if (!line_append(past, text, (size_t)(stop - text), err))
			return false;
		past->file_lines++;
		text = stop < end ? stop + 1 : end;
	}
	return true;
}

/* A missing file is an empty history. */
static bool
lines_read(struct past *past, struct error *err)
{
	struct error why = { 0 };
	size_t len;
	char *text = text_file_read(past->path, FILE_BYTES_MAX, TEXT_FILE_ANY,
				    &len, &why);
	bool is_good;

	if (!text && why.kind != ERROR_NONE)
		*err = why;
	if (!text)
		return why.kind == ERROR_NONE;
	is_good = lines_parse(past, text, len, err);
	memory_free(text);
	return is_good;
}

/* Write under another name and rename: readers see either the old file or the
   new one. */
static bool
lines_write(const struct past *past, struct error *err)
{
	char name[PATH_BYTES + 8];
	int fd, errnum = 0;
	bool is_bad;
	FILE *file;

	snprintf(name, sizeof(name), "%s.XXXXXX", past->path);
	fd = mkstemp(name); /* mode 0600 */
	if (fd < 0)
		return error_sys(err, errno, "cannot write %s", past->path);
	file = fdopen(fd, "w");
	if (!file) {
		errnum = errno;
		close(fd);
		unlink(name);
		return error_sys(err, errnum, "cannot write %s", past->path);
	}
	for (size_t i = 0; i < past->count; i++)
		fprintf(file, "%s\n", past->lines[i]);
	/* No fsync(): Enter must not wait for a failing disk. */
	is_bad = ferror(file) != 0;
	if (fclose(file) != 0)
		errnum = errno;
	else if (is_bad)
		errnum = EIO;
	if (errnum == 0 && rename(name, past->path) < 0)
		errnum = errno;
	if (errnum == 0)
		return true;
	unlink(name);
	return error_sys(err, errnum, "cannot write %s", past->path);
}

/* Rewrite the file without repeated and too old lines. If others are adding
   lines, or the file cannot be written, the next start does it. */
static void
lines_tidy(struct past *past)
{
	struct error ignored = { 0 };
	int lock;

	if (past->file_lines == past->count)
		return;
	lock = folder_lock(past->path, LOCK_EX, 0);
	if (lock >= 0 && lines_read(past, &ignored))
		(void)lines_write(past, &ignored);
	folder_unlock(lock);
}

/* Append with one write(): programs that share the file lose nothing, unless
   one is suspended for a second while it rewrites the file. */
static bool
line_write(const char *path, const char *line, struct error *err)
{
	char text[PAST_LINE_BYTES + 2], last = '\n';
	struct stat info;
	int fd, len, errnum = 0;
	ssize_t written;

	fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_sys(err, errno, "cannot write %s", path);
	/* An editor may have left the last line without a newline. */
	if (fstat(fd, &info) == 0 && info.st_size > 0 &&
	    pread(fd, &last, 1, info.st_size - 1) < 1)
		last = '\n';
	len = snprintf(text, sizeof(text), "%s%s\n", last == '\n' ? "" : "\n",
		       line);
	/* No fsync(): Enter must not wait for a failing disk. */
	written = write(fd, text, (size_t)len);
	if (written != len)
		errnum = written < 0 ? errno : ENOSPC;
	if (close(fd) < 0 && errnum == 0)
		errnum = errno;
	return errnum == 0 || error_sys(err, errnum, "cannot write %s", path);
}

/* ---- the whole ---- */

static void
path_forget(struct past *past)
{
	memory_free(past->path);
	past->path = NULL;
}

bool
past_open(struct past *past, const char *where, size_t lines_max,
	  struct error *err)
{
	*past = (struct past){ .lines_max = lines_max < PAST_LINES_MAX
						? lines_max
						: PAST_LINES_MAX };
	if (!past->lines_max)
		past->lines_max = 1;
	past->lines = memory_new(PAST_LINES_MAX, sizeof(*past->lines), err);
	if (!past->lines)
		return false;
	if (!where)
		return true;
	if (path_find(past, where, err) &&
	    text_file_make_folders(past->path, err) && lines_read(past, err)) {
		lines_tidy(past);
		return true;
	}
	path_forget(past);
	return false;
}

void
past_close(struct past *past)
{
	lines_clear(past);
	memory_free(past->lines);
	path_forget(past);
	*past = (struct past){ 0 };
}

void
past_note(struct past *past, const char *line)
{
	struct error ignored = { 0 };

	if (past->lines)
		line_append(past, line, strlen(line), &ignored);
}

bool
past_add(struct past *past, const char *line, struct error *err)
{
	bool is_kept;
	int lock;

	if (!past->lines || !line_is_fit(line, strlen(line)))
		return true;
	if (!past->path)
		return line_append(past, line, strlen(line), err);
	lock = folder_lock(past->path, LOCK_SH, LOCK_TRIES);
	is_kept = line_write(past->path, line, err) && lines_read(past, err);
	folder_unlock(lock);
	if (is_kept)
		return true;
	path_forget(past);
	past_note(past, line);
	return false;
}
