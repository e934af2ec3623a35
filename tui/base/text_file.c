#include "tui/base/text_file.h"
#include "model/base/arena.h"
#include "tui/base/places.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that others can write could run commands in the user's name. */
static bool
is_trusted(const char *path, const struct stat *st, struct error *err)
{
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return error_set(err, ERROR_SYSTEM,
				 "%s belongs to user %u, not to you (%u): it is not read", path,
				 (unsigned)st->st_uid, (unsigned)geteuid());
	return !(st->st_mode & (S_IWGRP | S_IWOTH)) ||
	       error_set(err, ERROR_SYSTEM,
			 "%s can be written to by %s: it is not read; chmod go-w", path,
			 st->st_mode & S_IWOTH ? "everybody" : "its group");
}

static bool
is_fit(const char *path, const struct stat *st, size_t max_bytes, enum text_file_trust trust,
       struct error *err)
{
	if (!S_ISREG(st->st_mode))
		return error_set(err, ERROR_USAGE, "%.160s is not a regular file: it is not read",
				 path);
	if (trust == TEXT_FILE_TRUSTED && !is_trusted(path, st, err))
		return false;
	return (uint64_t)st->st_size <= max_bytes ||
	       error_set(err, ERROR_USAGE, "%.160s is larger than %zu KiB: it is not read", path,
			 max_bytes / 1024);
}

/* The file may change meanwhile; reads at most `max_bytes`. */
static char *
read_all(int fd, const char *path, size_t max_bytes, size_t *len, struct error *err)
{
	char *text = memory_new(max_bytes + 1, 1, err);
	ssize_t got = 1;

	for (*len = 0; text && *len < max_bytes && got > 0;) {
		got = read(fd, text + *len, max_bytes - *len);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			*len += (size_t)got;
	}
	if (got >= 0)
		return text;
	error_sys(err, errno, "cannot read %.160s", path);
	memory_free(text);
	return NULL;
}

char *
text_file_read(const char *path, size_t max_bytes, enum text_file_trust trust, size_t *len,
	       struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = NULL;
	struct stat st;

	*len = 0;
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return NULL;
	if (fd < 0) {
		error_sys(err, errno, "cannot read %.160s", path);
		return NULL;
	}
	if (fstat(fd, &st) < 0)
		error_sys(err, errno, "cannot read %.160s", path);
	else if (is_fit(path, &st, max_bytes, trust, err))
		text = read_all(fd, path, max_bytes, len, err);
	close(fd);
	return text;
}

bool
text_file_make_folders(const char *path, struct error *err)
{
	char folder[PLACE_BYTES];
	struct stat st;

	if (strlen(path) >= sizeof folder)
		return error_sys(err, ENAMETOOLONG, "cannot create its folders");
	strcpy(folder, path);
	for (char *at = folder + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		if (mkdir(folder, 0700) < 0 && errno != EEXIST)
			return error_sys(err, errno, "cannot create %s", folder);
		if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
			return error_sys(err, ENOTDIR, "cannot use %s", folder);
		*at = '/';
	}
	return true;
}
