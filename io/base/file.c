#define _GNU_SOURCE /* madvise(), F_SETLEASE */
#include "io/base/file.h"
#include "io/base/spool.h"
#include "model/base/arena.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Smaller files are read: it is as fast, and safe from truncation. */
enum { MAP_FROM_BYTES = 4 << 20 };

/*
 * Reading a truncated page of a mapped file raises SIGBUS. The handler maps zeros over the rest and
 * notes it; as a signal handler it can only use static variables.
 */
enum { GUARDS_COUNT = 8, NO_GUARD = -1 };
static struct guard {
	_Atomic uintptr_t start; /* 0: unused */
	_Atomic size_t len;
	atomic_bool was_cut;
	int fd;                /* duplicate, for the lease */
	atomic_bool is_held;   /* a lease is active */
	bool had_lease;        /* counted in guards_held */
	atomic_bool is_stable; /* held, or replaced by a copy */
	void *copy;            /* memory for the copy */
} guards[GUARDS_COUNT];
static _Atomic uintptr_t page_bytes; /* 4, 16 or 64 KiB */
static unsigned guards_used;         /* this and the next four: protected by the lock */
static unsigned guards_held;
static uint64_t held_bytes;
static struct sigaction action_before, lease_action_before;
static _Atomic unsigned handlers_running; /* running lease handlers */
static pthread_mutex_t guards_lock = PTHREAD_MUTEX_INITIALIZER;

static void
handle_sigbus(int signal_number, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr & ~(atomic_load(&page_bytes) - 1);
	int errno_before = errno;

	(void)context;
	for (int i = 0; i < GUARDS_COUNT; i++) {
		uintptr_t start = atomic_load(&guards[i].start);
		size_t len = atomic_load(&guards[i].len);

		if (!start || at < start || at - start >= len)
			continue;
		atomic_store(&guards[i].was_cut, true);
		if (mmap((void *)at, len - (at - start), PROT_READ,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			break;
		errno = errno_before;
		return;
	}
	/* Not our mapping: restore the handler, and the fault recurs on return. */
	sigaction(signal_number, &action_before, NULL);
	errno = errno_before;
}

/* ---- leases ---- */

/*
 * Replaces the mapping by a copy, atomically for all threads. Writing to each page to make it
 * private would not do: truncation also removes private pages. False: the copy failed.
 */
static bool
copy_held(struct guard *g)
{
	void *start = (void *)atomic_load(&g->start);
	size_t len = atomic_load(&g->len);

	memcpy(g->copy, start, len);
	if (mprotect(g->copy, len, PROT_READ) ||
	    mremap(g->copy, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, start) == MAP_FAILED)
		return false;
	g->copy = NULL;
	return true;
}

/*
 * A process wants to modify a held file and waits in open() or truncate() until the lease ends, at
 * most 45 seconds (/proc/sys/fs/lease-break-time), which only a stopped heaptop exceeds. All leases
 * are checked, since the signal does not name the file.
 */
static void
handle_lease(int signal_number)
{
	int errno_before = errno;

	(void)signal_number;
	atomic_fetch_add(&handlers_running, 1);
	for (int i = 0; i < GUARDS_COUNT; i++) {
		if (!atomic_load(&guards[i].is_held) || fcntl(guards[i].fd, F_GETLEASE) == F_RDLCK)
			continue;
		if (!copy_held(&guards[i]))
			atomic_store(&guards[i].is_stable, false);
		atomic_store(&guards[i].is_held, false);
		fcntl(guards[i].fd, F_SETLEASE, F_UNLCK);
	}
	atomic_fetch_sub(&handlers_running, 1);
	errno = errno_before;
}

/* *errnum says why a lease failed. */
static bool
take_lease(struct guard *g, int *errnum)
{
	struct sigaction action = { .sa_handler = handle_lease, .sa_flags = SA_RESTART };
	size_t len = atomic_load(&g->len);

	*errnum = ENOMEM;
	pthread_mutex_lock(&guards_lock);
	if (len <= FILE_HELD_MAX_BYTES - held_bytes) {
		if (guards_held == 0)
			sigaction(SIGIO, &action, &lease_action_before);
		atomic_store(&g->is_stable, true);
		atomic_store(&g->is_held, true);
		g->had_lease = !fcntl(g->fd, F_SETLEASE, F_RDLCK);
		*errnum = errno;
		if (g->had_lease) {
			guards_held++;
			held_bytes += len;
		} else {
			atomic_store(&g->is_held, false);
			atomic_store(&g->is_stable, false);
		}
		if (guards_held == 0)
			sigaction(SIGIO, &lease_action_before, NULL);
	}
	pthread_mutex_unlock(&guards_lock);
	return g->had_lease;
}

/* Returns 0, or why the file cannot be held; EAGAIN: it is open for writing. */
static int
hold(struct guard *g)
{
	size_t len = atomic_load(&g->len);
	int errnum;

	/* Costs nothing until written to. */
	g->copy = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (g->copy == MAP_FAILED) {
		g->copy = NULL;
		return ENOMEM;
	}
	if (take_lease(g, &errnum))
		return 0;
	munmap(g->copy, len);
	g->copy = NULL;
	return errnum ? errnum : EIO;
}

bool
file_is_held(const struct file *f)
{
	return !f->is_mapped || atomic_load(&guards[f->guard].is_stable);
}

/* NO_GUARD: all are in use. */
static int
guard_take(const void *start, size_t len, int fd)
{
	struct sigaction action = { .sa_sigaction = handle_sigbus, .sa_flags = SA_SIGINFO };
	int guard = NO_GUARD;

	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return NO_GUARD;
	pthread_mutex_lock(&guards_lock);
	for (int i = 0; i < GUARDS_COUNT && guard == NO_GUARD; i++) {
		if (!atomic_load(&guards[i].start))
			guard = i;
	}
	if (guard != NO_GUARD) {
		atomic_store(&page_bytes, (uintptr_t)sysconf(_SC_PAGESIZE));
		atomic_store(&guards[guard].was_cut, false);
		atomic_store(&guards[guard].len, len);
		guards[guard].fd = fd;
		atomic_store(&guards[guard].start, (uintptr_t)start);
		if (guards_used++ == 0)
			sigaction(SIGBUS, &action, &action_before);
	}
	pthread_mutex_unlock(&guards_lock);
	if (guard == NO_GUARD)
		close(fd);
	return guard;
}

static void
guard_release(int guard)
{
	struct guard *g = &guards[guard];

	pthread_mutex_lock(&guards_lock);
	atomic_store(&g->is_held, false);
	if (g->had_lease) {
		fcntl(g->fd, F_SETLEASE, F_UNLCK);
		/* Another thread may still be copying. */
		while (atomic_load(&handlers_running))
			sched_yield();
		held_bytes -= atomic_load(&g->len);
		if (--guards_held == 0)
			sigaction(SIGIO, &lease_action_before, NULL);
	}
	if (g->copy)
		munmap(g->copy, atomic_load(&g->len));
	g->copy = NULL;
	g->had_lease = false;
	atomic_store(&g->is_stable, false);
	close(g->fd);
	atomic_store(&g->start, 0);
	if (--guards_used == 0)
		sigaction(SIGBUS, &action_before, NULL);
	pthread_mutex_unlock(&guards_lock);
}

static bool
file_map(struct file *f, int fd, size_t len)
{
	void *data = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);

	if (data == MAP_FAILED)
		return false;
	f->guard = guard_take(data, len, fd);
	if (f->guard == NO_GUARD) {
		munmap(data, len);
		return false;
	}
	/* All pages are needed, in no particular order. */
	madvise(data, len, MADV_WILLNEED);
	*f = (struct file){ data, len, true, f->guard, f->stamp };
	return true;
}

/* Readers rely on bytes staying the same. A temporary file of ours needs no lease; for a file that
 * cannot be held, file_is_intact() compares times. */
static bool
file_map_held(struct file *f, int fd, size_t len)
{
	struct file_stamp stamp = f->stamp;

	if (!file_map(f, fd, len))
		return false;
	if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY || hold(&guards[f->guard]) != EAGAIN)
		return true;
	/* A writer has it open: read its current contents. */
	file_close(f);
	f->stamp = stamp;
	return false;
}

static bool
file_read(struct file *f, int fd, size_t len, const char *path, struct error *err)
{
	uint8_t *data = memory_new(len, 1, err);
	size_t done = 0;

	if (!data)
		return false;
	while (done < len) {
		ssize_t n = pread(fd, data + done, len - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			error_sys(err, errno, "cannot read %s", path);
			memory_free(data);
			return false;
		}
		if (n == 0)
			break; /* it shrank: use what there is */
		done += (size_t)n;
	}
	*f = (struct file){ data, done, false, NO_GUARD, f->stamp };
	return true;
}

/* --- standard input ------------------------------------------------------ */

/* Keeps the bytes read so far from a pipe that has not ended. Standard input can be read only once,
 * so the next caller continues here. */
static struct {
	struct spool spool;
	dev_t device;
	ino_t inode;
	bool is_open;
} stdin_spool;

static void
stdin_spool_close(void)
{
	if (stdin_spool.is_open)
		spool_close(&stdin_spool.spool);
	stdin_spool.is_open = false;
}

static bool
stdin_spool_open(const struct stat *st, struct error *err)
{
	if (stdin_spool.is_open && stdin_spool.device == st->st_dev &&
	    stdin_spool.inode == st->st_ino)
		return true;
	stdin_spool_close();
	stdin_spool.device = st->st_dev;
	stdin_spool.inode = st->st_ino;
	stdin_spool.is_open = spool_open(&stdin_spool.spool, STDIN_FILENO, err);
	return stdin_spool.is_open;
}

/* Once complete, the spooled file replaces standard input. */
static bool
stdin_spool_read(uint64_t wanted, struct progress *progress, struct error *err)
{
	struct spool *s = &stdin_spool.spool;
	bool is_good;

	progress_begin_bytes(progress, "reading standard input", 0);
	is_good = spool_read(s, wanted, spool_max_bytes(), progress, err);
	if (is_good && s->is_at_end && dup2(s->to, STDIN_FILENO) < 0)
		is_good = error_sys(err, errno, "cannot keep standard input");
	if (!is_good || s->is_at_end)
		stdin_spool_close();
	return is_good;
}

/* Sets `fd` to a file with the first `wanted` bytes, or all. */
static bool
stdin_make_seekable(int *fd, uint64_t wanted, struct progress *progress, struct error *err)
{
	struct stat st;

	*fd = STDIN_FILENO;
	if (fstat(STDIN_FILENO, &st))
		return error_sys(err, errno, "cannot read standard input");
	if (S_ISREG(st.st_mode))
		return true;
	if (isatty(STDIN_FILENO))
		return error_set(err, ERROR_USAGE,
				 "standard input is a terminal, not a dump; to read a file: "
				 "heaptop - <FILE");
	if (!stdin_spool_open(&st, err) || !stdin_spool_read(wanted, progress, err))
		return false;
	if (stdin_spool.is_open)
		*fd = stdin_spool.spool.to;
	return true;
}

/* --- any file ------------------------------------------------------------- */

struct file_stamp
file_stamp_of(const struct stat *st)
{
	return (struct file_stamp){ st->st_dev, st->st_ino, st->st_size, st->st_mtim };
}

bool
file_stamp_is_same(const struct file_stamp *a, const struct file_stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->len == b->len &&
	       a->written.tv_sec == b->written.tv_sec && a->written.tv_nsec == b->written.tv_nsec;
}

static const char *
file_kind(mode_t mode)
{
	return S_ISDIR(mode)    ? "a directory"
	       : S_ISFIFO(mode) ? "a pipe (read it with: heaptop - <PIPE)"
	       : S_ISSOCK(mode) ? "a socket"
				: "a device";
}

bool
file_open_fd(struct file *f, int fd, const char *path, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return error_sys(err, errno, "cannot read %s", path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_INPUT, "%s is %s, not a dump", path,
				 file_kind(st.st_mode));
	if (st.st_size == 0)
		return error_set(err, ERROR_INPUT,
				 "%.120s is empty; to save the heap of a process: heaptop -o "
				 "FILE.gcdump PID",
				 path);
	if ((uint64_t)st.st_size > SIZE_MAX / 2)
		return error_set(err, ERROR_INPUT, "%s is too large for this machine's addresses",
				 path);
	f->stamp = file_stamp_of(&st);
	if (st.st_size >= MAP_FROM_BYTES && file_map_held(f, fd, (size_t)st.st_size))
		return true;
	return file_read(f, fd, (size_t)st.st_size, path, err);
}

int
file_reopen(int fd)
{
	char name[40];
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/*
 * Opens a regular file. Others are only looked at (O_PATH), so that they are named in a message:
 * opening a pipe may block, and opening some devices acts.
 */
static int
open_regular(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC), again, saved;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return fd;
	again = file_reopen(fd);
	if (again < 0 && errno == ENOENT) /* there is no /proc */
		again = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	saved = errno;
	close(fd);
	errno = saved;
	return again;
}

bool
file_open(struct file *f, const char *path, uint64_t wanted, struct progress *progress,
	  struct error *err)
{
	bool is_open;
	int fd;

	*f = (struct file){ .guard = NO_GUARD };
	if (!strcmp(path, "-"))
		return stdin_make_seekable(&fd, wanted, progress, err) &&
		       file_open_fd(f, fd, "standard input", err);
	fd = open_regular(path);
	if (fd < 0 && errno == EACCES && geteuid())
		return error_set(err, ERROR_SYSTEM,
				 "you may not read %.100s; try: sudo heaptop %.100s", path, path);
	if (fd < 0)
		return error_sys(err, errno, "cannot open %s", path);
	is_open = file_open_fd(f, fd, path, err);
	close(fd);
	return is_open;
}

void
file_close(struct file *f)
{
	if (f->is_mapped) {
		guard_release(f->guard);
		munmap((void *)(uintptr_t)f->data, f->len);
	} else {
		memory_free((void *)(uintptr_t)f->data);
	}
	*f = (struct file){ .guard = NO_GUARD };
}

/* True if the file was modified since it was opened. */
static bool
has_changed(const struct file *f)
{
	const struct guard *g = &guards[f->guard];
	struct file_stamp stamp;
	struct stat now;

	if (atomic_load(&g->is_stable) || fstat(g->fd, &now))
		return false;
	stamp = file_stamp_of(&now);
	return !file_stamp_is_same(&stamp, &f->stamp);
}

bool
file_is_intact(const struct file *f, struct error *err)
{
	const struct guard *g = &guards[f->is_mapped ? f->guard : 0];

	if (!f->is_mapped)
		return true;
	if (atomic_load(&g->was_cut))
		return error_set(
		    err, ERROR_INPUT,
		    "the file became shorter while it was read; try again when it is complete");
	return !has_changed(f) || error_set(err, ERROR_INPUT,
					    "the file was written to while it was read; try again "
					    "when it is complete");
}
