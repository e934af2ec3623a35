#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* flock() */
#endif
#include "tui/widget/line_history.h"
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
	FILE_BYTES_MAX = 5 << 20, /* HISTORY_LINES_MAX lines of HISTORY_LINE_BYTES */
	PATH_BYTES = PLACE_BYTES,
	LOCK_TRIES = 200,
	LOCK_WAIT_NS = 5000000,
};

/* ---- lines in memory ---- */

static void
lines_clear(struct line_history *history)
{
	for (size_t i = 0; i < history->count; i++)
		memory_free(history->lines[i]);
	history->count = 0;
}

static void
line_remove(struct line_history *history, size_t at)
{
	memory_free(history->lines[at]);
	history->count--;
	memmove(history->lines + at, history->lines + at + 1,
		(history->count - at) * sizeof(*history->lines));
}

/* Control characters are not remembered: a terminal could interpret them. */
static bool
line_is_fit(const char *line, size_t len)
{
	if (len == 0 || len >= HISTORY_LINE_BYTES)
		return false;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			return false;
	return true;
}

/* Appends a line and removes older copies of it; if there are too many, drops the oldest. */
static bool
line_append(struct line_history *history, const char *line, size_t len, struct error *err)
{
	char *copy;

	if (!line_is_fit(line, len))
		return true;
	copy = memory_new(len + 1, 1, err);
	if (!copy)
		return false;
	memcpy(copy, line, len);
	for (size_t i = history->count; i-- > 0;)
		if (strcmp(history->lines[i], copy) == 0)
			line_remove(history, i);
	while (history->count >= history->lines_max)
		line_remove(history, 0);
	history->lines[history->count++] = copy;
	return true;
}

/* ---- the file ---- */

static bool
path_find(struct line_history *history, const char *where, struct error *err)
{
	char path[PATH_BYTES];
	size_t len;

	if (!strchr(where, '/') && !place_of_state(where, path))
		return error_set(err, ERROR_SYSTEM, "the history is not saved: HOME is not set");
	if (strchr(where, '/') && strlen(where) >= sizeof(path))
		return error_set(err, ERROR_SYSTEM,
				 "the history is not saved: the path of its file is longer than %d "
				 "bytes",
				 PATH_BYTES);
	if (strchr(where, '/'))
		strcpy(path, where);
	len = strlen(path) + 1;
	history->path = memory_new(len, 1, err);
	if (!history->path)
		return false;
	memcpy(history->path, path, len);
	return true;
}

/*
 * Locks the folder: shared to append a line, exclusive to rewrite the file, so that no line is lost
 * with the replaced file. Returns -1 if the lock is still held after `tries` attempts or there is
 * no such folder. Enter waits a second at most, because the holder may be stopped. A folder counts
 * as locked if locks do not work there.
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
lines_parse(struct line_history *history, const char *text, size_t len, struct error *err)
{
	const char *end = text + len;

	lines_clear(history);
	history->file_lines = 0;
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		if (!stop)
			stop = end;
		if (!line_append(history, text, (size_t)(stop - text), err))
			return false;
		history->file_lines++;
		text = stop < end ? stop + 1 : end;
	}
	return true;
}

/* A missing file is an empty history. */
static bool
lines_read(struct line_history *history, struct error *err)
{
	struct error why = { 0 };
	size_t len;
	char *text = text_file_read(history->path, FILE_BYTES_MAX, TEXT_FILE_ANY, &len, &why);
	bool is_good;

	if (!text && why.kind != ERROR_NONE)
		*err = why;
	if (!text)
		return why.kind == ERROR_NONE;
	is_good = lines_parse(history, text, len, err);
	memory_free(text);
	return is_good;
}

/* Writes under another name and renames: readers see either the old file or the new one. */
static bool
lines_write(const struct line_history *history, struct error *err)
{
	char name[PATH_BYTES + 8];
	int fd, errnum = 0;
	bool is_bad;
	FILE *file;

	snprintf(name, sizeof(name), "%s.XXXXXX", history->path);
	fd = mkstemp(name); /* mode 0600 */
	if (fd < 0)
		return error_sys(err, errno, "cannot write %s", history->path);
	file = fdopen(fd, "w");
	if (!file) {
		errnum = errno;
		close(fd);
		unlink(name);
		return error_sys(err, errnum, "cannot write %s", history->path);
	}
	for (size_t i = 0; i < history->count; i++)
		fprintf(file, "%s\n", history->lines[i]);
	/* No fsync(): Enter must not wait for a failing disk. */
	is_bad = ferror(file) != 0;
	if (fclose(file) != 0)
		errnum = errno;
	else if (is_bad)
		errnum = EIO;
	if (errnum == 0 && rename(name, history->path) < 0)
		errnum = errno;
	if (errnum == 0)
		return true;
	unlink(name);
	return error_sys(err, errnum, "cannot write %s", history->path);
}

/* Rewrites the file without repeated and too old lines. If others are adding lines, or the file
   cannot be written, the next start does it. */
static void
lines_tidy(struct line_history *history)
{
	struct error ignored = { 0 };
	int lock;

	if (history->file_lines == history->count)
		return;
	lock = folder_lock(history->path, LOCK_EX, 0);
	if (lock >= 0 && lines_read(history, &ignored))
		(void)lines_write(history, &ignored);
	folder_unlock(lock);
}

/* Appends with one write(): programs that share the file lose nothing, unless one is suspended for
   a second while it rewrites the file. */
static bool
line_write(const char *path, const char *line, struct error *err)
{
	char text[HISTORY_LINE_BYTES + 2], last = '\n';
	struct stat info;
	int fd, len, errnum = 0;
	ssize_t written;

	fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_sys(err, errno, "cannot write %s", path);
	/* An editor may have left the last line without a newline. */
	if (fstat(fd, &info) == 0 && info.st_size > 0 && pread(fd, &last, 1, info.st_size - 1) < 1)
		last = '\n';
	len = snprintf(text, sizeof(text), "%s%s\n", last == '\n' ? "" : "\n", line);
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
path_forget(struct line_history *history)
{
	memory_free(history->path);
	history->path = NULL;
}

bool
line_history_open(struct line_history *history, const char *where, size_t lines_max,
		  struct error *err)
{
	*history =
	    (struct line_history){ .lines_max = lines_max < HISTORY_LINES_MAX ? lines_max
									      : HISTORY_LINES_MAX };
	if (!history->lines_max)
		history->lines_max = 1;
	history->lines = memory_new(HISTORY_LINES_MAX, sizeof(*history->lines), err);
	if (!history->lines)
		return false;
	if (!where)
		return true;
	if (path_find(history, where, err) && text_file_make_folders(history->path, err) &&
	    lines_read(history, err)) {
		lines_tidy(history);
		return true;
	}
	path_forget(history);
	return false;
}

void
line_history_close(struct line_history *history)
{
	lines_clear(history);
	memory_free(history->lines);
	path_forget(history);
	*history = (struct line_history){ 0 };
}

void
line_history_note(struct line_history *history, const char *line)
{
	struct error ignored = { 0 };

	if (history->lines)
		line_append(history, line, strlen(line), &ignored);
}

bool
line_history_add(struct line_history *history, const char *line, struct error *err)
{
	bool is_kept;
	int lock;

	if (!history->lines || !line_is_fit(line, strlen(line)))
		return true;
	if (!history->path)
		return line_append(history, line, strlen(line), err);
	lock = folder_lock(history->path, LOCK_SH, LOCK_TRIES);
	is_kept = line_write(history->path, line, err) && lines_read(history, err);
	folder_unlock(lock);
	if (is_kept)
		return true;
	path_forget(history);
	line_history_note(history, line);
	return false;
}
