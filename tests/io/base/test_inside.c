/* Files that a target names: outside of its root, and no files at all. */
#define _DEFAULT_SOURCE /* syscall() */
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "io/base/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[300];

static const char *
in_root(const char *name)
{
	static char path[400];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

/* A root with a file, a pipe, a folder, and links to them and out of it. */
static void
make_root(void)
{
	snprintf(root, sizeof(root), "%s", in_folder("root"));
	assert_int_equal(mkdir(root, 0700), 0);
	assert_int_equal(mkdir(in_root("folder"), 0700), 0);
	file_write(in_root("folder/file"), "abc", 3);
	file_write(in_folder("secret"), "xyz", 3);
	assert_int_equal(mkfifo(in_root("pipe"), 0600), 0);
	assert_int_equal(symlink("/folder/file", in_root("link")), 0);
	assert_int_equal(symlink("/folder", in_root("linked")), 0);
	assert_int_equal(symlink("/pipe", in_root("to-pipe")), 0);
	assert_int_equal(symlink(in_folder("secret"), in_root("out")), 0);
	assert_int_equal(symlink("../secret", in_root("up")), 0);
}

static const struct inside_row {
	const char *path;
	bool is_open, is_open_slowly;
} inside_rows[] = {
	{ "/folder/file", true, true },
	{ "folder//file", true, true },
	{ "/link", true, false },
	{ "/linked/file", true, false },
	{ "/folder/../folder/file", true, false },
	{ "/out", false, false },
	{ "/up", false, false },
	{ "/../secret", false, false },
	{ "/pipe", false, false },
	{ "/to-pipe", false, false },
	{ "/folder", false, false },
	{ "/none", false, false },
	{ "/folder/file/x", false, false },
	{ "", false, false },
};

/* From now on the kernel of this process is one before 5.6. */
static bool
forget_openat2(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { COUNT_OF(filter), filter };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Returns false in a kernel before 5.6, and in an emulator that does not know the call. */
static bool
has_openat2(void)
{
	return syscall(SYS_openat2, -1, NULL, NULL, 0) >= 0 || errno != ENOSYS;
}

/* The number of the first row that is wrong; 0: all are right. */
static int
first_wrong(bool is_slow)
{
	for (int i = 0; i < (int)COUNT_OF(inside_rows); i++) {
		const struct inside_row *row = &inside_rows[i];
		int fd = inside_open_fd(root, row->path);
		bool wanted = is_slow ? row->is_open_slowly : row->is_open;

		if ((fd >= 0) != wanted)
			return i + 1;
		if (fd >= 0)
			close(fd);
	}
	return 0;
}

TEST(test_paths)
{
	int status;
	pid_t child;

	assert_int_equal(first_wrong(!has_openat2()), 0);
	child = fork();
	if (!child)
		_exit(forget_openat2() ? first_wrong(true) : 99);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 99)
		printf("skipped: no filter of system calls can be set\n");
	else
		assert_int_equal(WEXITSTATUS(status), 0);
}

/* Opening a device may act, so it is looked at only. A pipe stands for it. */
TEST(test_opens_no_device)
{
	char event[sizeof(struct inotify_event) + 256];
	int watch = inotify_init1(IN_NONBLOCK);
	struct error err;
	struct file f;

	assert_true(inotify_add_watch(watch, in_root("pipe"), IN_OPEN) >= 0);
	assert_int_equal(inside_open_fd(root, "/pipe"), -1);
	assert_int_equal(inside_open_fd(root, "/to-pipe"), -1);
	error_clear(&err);
	assert_false(file_open(&f, in_root("pipe"), FILE_ALL, NULL, &err));
	assert_non_null(strstr(err.message, "is a pipe"));
	assert_int_equal(read(watch, event, sizeof(event)), -1);
	assert_int_equal(errno, EAGAIN);
	close(watch);
}

static int
make_all(void **state)
{
	if (folder_make(state))
		return 1;
	make_root();
	return 0;
}

static int
remove_root(void **state)
{
	static const char *const names[] = { "folder/file", "folder", "pipe", "link", "linked",
					     "to-pipe",     "out",    "up",   "" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (remove(in_root(names[i])))
			return 1;
	return unlink(in_folder("secret")) || folder_remove(state);
}
TESTS_BETWEEN(make_all, remove_root);
