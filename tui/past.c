#include "tui/past.h"
#include "model/arena.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 1 << 20, PATH_BYTES = 4096 };

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

/* Text that a terminal could take for more than text is not remembered. */
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

/* Once, and newest; the oldest goes when there are too many. */
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
	if (past->count == PAST_LINES_MAX)
		line_remove(past, 0);
	past->lines[past->count++] = copy;
	return true;
}

/* ---- the file ---- */

/* Makes the folders of a path that are not there, for the user alone. */
static bool
folders_make(const char *path, struct error *err)
{
	char folder[PATH_BYTES];

	strcpy(folder, path);
	for (char *at = folder + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		if (mkdir(folder, 0700) < 0 && errno != EEXIST)
			return error_sys(err, errno, "cannot make %s", folder);
		*at = '/';
	}
	return true;
}

static bool
path_find(struct past *past, const char *where, struct error *err)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char path[PATH_BYTES];
	int len;

	if (strchr(where, '/'))
		len = snprintf(path, sizeof(path), "%s", where);
	else if (state && state[0] == '/')
		len =
		    snprintf(path, sizeof(path), "%s/heaptop/%s", state, where);
	else if (home && home[0] == '/')
		len = snprintf(path, sizeof(path), "%s/.local/state/heaptop/%s",
			       home, where);
	else
		return error_set(err, ERROR_SYSTEM,
				 "what is typed is not kept: HOME is not set");
	if (len < 0 || (size_t)len >= sizeof(path))
		return error_set(err, ERROR_SYSTEM,
				 "what is typed is not kept: the path of its "
				 "file is longer than %d bytes",
				 PATH_BYTES);
	past->path = memory_new((size_t)len + 1, 1, err);
	if (!past->path)
		return false;
	memcpy(past->path, path, (size_t)len);
	return true;
}

static bool
lines_parse(struct past *past, const char *text, size_t len, struct error *err)
{
	const char *end = text + len;

	lines_clear(past);
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		if (!stop)
			stop = end;
		if (!line_append(past, text, (size_t)(stop - text), err))
			return false;
		text = stop < end ? stop + 1 : end;
	}
	return true;
}

/* A file that is not there has no lines; what is past 1 MiB is not read. */
static bool
lines_read(struct past *past, struct error *err)
{
	FILE *file = fopen(past->path, "re");
	int errnum = errno;
	char *text;
	size_t len;
	bool is_good;

	if (!file && errnum == ENOENT)
		return true;
	if (!file)
		return error_sys(err, errnum, "cannot open %s", past->path);
	text = memory_new(FILE_BYTES_MAX, 1, err);
	if (!text) {
		fclose(file);
		return false;
	}
	len = fread(text, 1, FILE_BYTES_MAX, file);
	errnum = errno;
	is_good = ferror(file)
		      ? error_sys(err, errnum, "cannot read %s", past->path)
		      : lines_parse(past, text, len, err);
	fclose(file);
	memory_free(text);
	return is_good;
}

/* Under another name first: whoever reads sees the old file or the new one. */
static bool
lines_write(const struct past *past, struct error *err)
{
	char name[PATH_BYTES + 8];
	int fd, errnum = 0;
	bool is_bad;
	FILE *file;

	snprintf(name, sizeof(name), "%s.XXXXXX", past->path);
	fd = mkstemp(name); /* made 0600 */
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
	/* Not fsync(): Enter must not wait for a disk that is in trouble. */
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

/* ---- the whole ---- */

static void
path_forget(struct past *past)
{
	memory_free(past->path);
	past->path = NULL;
}

bool
past_open(struct past *past, const char *where, struct error *err)
{
	*past = (struct past){ 0 };
	past->lines = memory_new(PAST_LINES_MAX, sizeof(*past->lines), err);
	if (!past->lines)
		return false;
	if (!where)
		return true;
	if (path_find(past, where, err) && folders_make(past->path, err) &&
	    lines_read(past, err))
		return true;
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
	bool is_kept = true;

	if (!past->lines || !line_is_fit(line, strlen(line)))
		return true;
	if (past->path)
		is_kept = lines_read(past, err);
	if (!line_append(past, line, strlen(line), err))
		return false;
	if (past->path && is_kept)
		is_kept = lines_write(past, err);
	if (!is_kept)
		path_forget(past);
	return is_kept;
}
