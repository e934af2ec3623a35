#define _GNU_SOURCE /* O_TMPFILE */
#include "io/base/output.h"
#include "model/base/arena.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 18, PATH_BYTES = 4096 };

struct output {
	int fd;
	bool is_stream, may_replace;
	bool is_nameless; /* so far; vanishes if we are killed */
	int (*write)(void *context, const void *bytes, size_t len); /* or NULL */
	void *context;
	int errnum; /* of the first failure */
	uint64_t len;
	size_t used; /* bytes in the buffer */
	/* `part`: the temporary name, if it needs one */
	char path[PATH_BYTES], part[PATH_BYTES + 32];
	char buffer[BUFFER_BYTES];
};

/* Needs a file system with O_TMPFILE, and /proc to name the file later. */
static bool
open_nameless(struct output *o)
{
	char folder[PATH_BYTES];
	char *slash;

	if (access("/proc/self/fd", X_OK))
		return false;
	snprintf(folder, sizeof(folder), "%s", o->path);
	slash = strrchr(folder, '/');
	if (slash == folder)
		slash++;
	if (slash)
		*slash = '\0';
	o->fd = open(slash ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	o->is_nameless = o->fd >= 0;
	return o->is_nameless;
}

/* Replaces the target of a link, not the link. False: the path is too long. */
static bool
set_path(struct output *o, const char *path)
{
	char *target = NULL;
	struct stat st;
	bool fits;

	if (!o->is_stream && !lstat(path, &st) && S_ISLNK(st.st_mode))
		target = realpath(path, NULL);
	fits =
	    snprintf(o->path, sizeof(o->path), "%s", target ? target : path) < (int)sizeof(o->path);
	free(target); /* allocated by libc */
	return fits;
}

static bool
open_part(struct output *o, struct error *err)
{
	struct stat st;

	/* A device must not be replaced by a file. */
	if (!stat(o->path, &st) && !S_ISREG(st.st_mode))
		return error_set(err, ERROR_USAGE,
				 "%.200s is not a regular file; -o- writes to standard output",
				 o->path);
	if (!o->may_replace && !access(o->path, F_OK))
		return error_set(err, ERROR_USAGE,
				 "%.200s exists; it is not overwritten without --force", o->path);
	snprintf(o->part, sizeof(o->part), "%s.%ld.part", o->path, (long)getpid());
	if (open_nameless(o))
		return true;
	o->fd = open(o->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return o->fd >= 0 || error_sys(err, errno, "cannot write %.200s", o->path);
}

struct output *
output_open(const char *path, bool may_replace, struct error *err)
{
	struct output *o = memory_new(1, sizeof(*o), err);

	if (!o)
		return NULL;
	o->may_replace = may_replace;
	o->is_stream = !strcmp(path, "-");
	o->fd = STDOUT_FILENO;
	if (!set_path(o, path))
		error_sys(err, ENAMETOOLONG, "cannot write %.60s", path);
	else if (o->is_stream || open_part(o, err))
		return o;
	memory_free(o);
	return NULL;
}

struct output *
output_to(int (*write)(void *context, const void *bytes, size_t len), void *context,
	  struct error *err)
{
	struct output *o = memory_new(1, sizeof(*o), err);

	if (!o)
		return NULL;
	o->is_stream = true;
	o->fd = -1;
	o->write = write;
	o->context = context;
	return o;
}

static void
write_all(struct output *o, const char *at, size_t len)
{
	if (o->write && len && !o->errnum) {
		o->errnum = o->write(o->context, at, len);
		return;
	}
	while (len && !o->errnum) {
		ssize_t written = write(o->fd, at, len);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			o->errnum = written < 0 ? errno : EIO;
			return;
		}
		at += written;
		len -= (size_t)written;
	}
}

void
output_flush(struct output *o)
{
	write_all(o, o->buffer, o->used);
	o->used = 0;
}

void
output_write(struct output *o, const void *bytes, size_t len)
{
	o->len += len;
	if (len > BUFFER_BYTES - o->used)
		output_flush(o);
	if (len > BUFFER_BYTES) {
		write_all(o, bytes, len);
		return;
	}
	if (len)
		memcpy(o->buffer + o->used, bytes, len);
	o->used += len;
}

/* True if the pipe's reader closed it; stdio may have lost errno. */
static bool
is_reader_gone(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && p.revents & POLLERR;
}

bool
output_fill(struct output *o, bool (*print)(void *context, FILE *to, struct error *err),
	    void *context, struct error *err)
{
	int fd = fcntl(o->fd, F_DUPFD_CLOEXEC, 0);
	FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
	off_t end;
	bool ok;

	if (!to) {
		error_sys(err, errno, "cannot write %.200s", o->path);
		if (fd >= 0)
			close(fd);
		return false;
	}
	output_flush(o);
	/* The buffer is empty and can be reused. */
	setvbuf(to, o->buffer, _IOFBF, sizeof(o->buffer));
	errno = 0;
	ok = print(context, to, err);
	if (ferror(to) && !o->errnum && is_reader_gone(o->fd))
		o->errnum = EPIPE;
	else if (ferror(to) && !o->errnum)
		o->errnum = errno ? errno : EIO;
	if (fclose(to) && !o->errnum)
		o->errnum = errno;
	end = lseek(o->fd, 0, SEEK_CUR);
	if (end > 0)
		o->len = (uint64_t)end;
	return ok;
}

int
output_fd(const struct output *o)
{
	return o->is_stream ? -1 : o->fd;
}

uint64_t
output_len(const struct output *o)
{
	return o->len;
}

bool
output_ok(const struct output *o)
{
	return !o->errnum;
}

static int
link_as(const struct output *o, const char *name)
{
	char link_path[64];

	snprintf(link_path, sizeof(link_path), "/proc/self/fd/%d", o->fd);
	return linkat(AT_FDCWD, link_path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) ? errno : 0;
}

/* Without may_replace, a file created meanwhile is not overwritten either. */
static int
give_name(struct output *o)
{
	if (o->is_nameless) {
		int errnum = link_as(o, o->may_replace ? o->part : o->path);

		if (errnum || !o->may_replace)
			return errnum;
		o->is_nameless = false;
	}
	if (o->may_replace)
		return rename(o->part, o->path) ? errno : 0;
	if (link(o->part, o->path)) {
		/* Some file systems have no links. */
		if (errno == EEXIST || access(o->path, F_OK) == 0)
			return EEXIST;
		return rename(o->part, o->path) ? errno : 0;
	}
	unlink(o->part);
	return 0;
}

static int
close_file(struct output *o, int errnum)
{
	if (close(o->fd) && !errnum)
		errnum = errno;
	o->fd = -1;
	return errnum;
}

bool
output_close(struct output *o, struct error *err)
{
	int errnum;

	output_flush(o);
	errnum = o->errnum;
	/* A reader that has seen enough is no error. */
	if (o->is_stream && errnum == EPIPE)
		errnum = 0;
	if (!o->is_stream) {
		if (!errnum && fsync(o->fd))
			errnum = errno;
		/* An unnamed file must be named while it is open. */
		if (!o->is_nameless)
			errnum = close_file(o, errnum);
		if (!errnum)
			errnum = give_name(o);
		if (o->fd >= 0)
			errnum = close_file(o, errnum);
	}
	if (errnum) {
		error_sys(err, errnum, "cannot write %.200s",
			  o->is_stream ? "the standard output" : o->path);
		output_abandon(o);
		return false;
	}
	memory_free(o);
	return true;
}

void
output_abandon(struct output *o)
{
	if (!o)
		return;
	if (!o->is_stream) {
		if (o->fd >= 0)
			close(o->fd);
		if (!o->is_nameless)
			unlink(o->part);
	}
	memory_free(o);
}
