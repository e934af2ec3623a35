#define _GNU_SOURCE /* O_PATH */
#include "io/base/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TRIES_MAX = 8 };

/* Closes a descriptor; errno stays. */
static int
close_quietly(int fd)
{
	int saved = errno;

	close(fd);
	errno = saved;
	return -1;
}

/* Copies the next component of a path. False: there is none, or errno is set.
 */
static bool
next_component(const char **path, char name[NAME_MAX + 1])
{
	size_t len;

	*path += strspn(*path, "/");
	len = strcspn(*path, "/");
	errno = len > NAME_MAX ? ENAMETOOLONG : 0;
	if (!len || errno)
		return false;
	memcpy(name, *path, len);
	name[len] = '\0';
	*path += len;
	return true;
}

/* Follows a path component by component, none of which may lead elsewhere. */
static int
resolve_slowly(int root, const char *path, int flags)
{
	char name[NAME_MAX + 1];
	int at = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC), next;

	while (at >= 0 && next_component(&path, name)) {
		bool is_last = !path[strspn(path, "/")];
		int how = is_last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC;
		struct stat st;

		if (!strcmp(name, "..")) {
			errno = ELOOP;
			return close_quietly(at);
		}
		next = openat(at, name, how | O_NOFOLLOW);
		close_quietly(at);
		at = next;
		/* O_PATH opens the link itself. */
		if (at >= 0 && !fstat(at, &st) && S_ISLNK(st.st_mode)) {
			errno = ELOOP;
			return close_quietly(at);
		}
	}
	return at >= 0 && errno ? close_quietly(at) : at;
}

int
inside_resolve(int root, const char *path, int flags)
{
	struct open_how how = { .flags = (uint64_t)(unsigned)flags, .resolve = RESOLVE_IN_ROOT };
	long fd = -1;

	/* EAGAIN: a folder was moved meanwhile. */
	for (int tries = 0; tries < TRIES_MAX; tries++) {
		fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	/* Linux before 5.6, or a seccomp filter that does not know the call */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return resolve_slowly(root, path, flags);
	return (int)fd;
}

static int
find(const char *root, const char *path)
{
	int folder = open(*root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int found;

	if (folder < 0)
		return -1;
	found = inside_resolve(folder, path, O_PATH | O_CLOEXEC);
	close_quietly(folder);
	return found;
}

int
inside_stat(const char *root, const char *path, struct stat *st)
{
	int found = find(root, path), failed;

	if (found < 0)
		return -1;
	failed = fstat(found, st);
	close_quietly(found);
	return failed;
}

int
inside_open_fd(const char *root, const char *path)
{
	int found = find(root, path), fd;

	if (found < 0)
		return -1;
	fd = file_reopen(found);
	close_quietly(found);
	return fd;
}

bool
inside_open(struct file *f, const char *root, const char *path, struct error *err)
{
	int fd = inside_open_fd(root, path);
	bool is_open;

	if (fd < 0)
		return error_sys(err, errno, "cannot open %s%s", root, path);
	is_open = file_open_fd(f, fd, path, err);
	close(fd);
	return is_open;
}
