#define _GNU_SOURCE /* mremap(), close_range, getdents64, wait options */
#include "capture/memory/tracer.h"
#include "capture/process/proc.h"
#include "model/base/sorted.h"
#include "model/base/arena.h"
#include "model/base/clock.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STOP_LIMIT_MS = TRACER_STOP_LIMIT_MS,
	THREADS_MAX = 1 << 20, /* more than Linux allows */
	STATUS_BYTES = 4096,
	ANSWER_LIMIT_MS = 30000,
	FILES_MAX = 65536,
};

/* ---- signs of life ------------------------------------------------------- */

/* Shared with all tracers of this process; never unmapped. */
static _Atomic uint32_t *signs;
static pthread_once_t signs_once = PTHREAD_ONCE_INIT;

static void
map_signs(void)
{
	void *page =
	    mmap(NULL, sizeof(*signs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	signs = page == MAP_FAILED ? NULL : page;
}

void
tracer_sign(void)
{
	if (signs)
		atomic_fetch_add_explicit(signs, 1, memory_order_relaxed);
}

/* ---- the tracer: conditions to release ----------------------------------- */

/*
 * The tracer runs in a fork of a program with many threads, so it allocates with mmap() alone, and
 * takes no lock.
 */
struct hold {
	const char *proc;
	int32_t pid;
	struct frozen_thread *threads; /* by tid */
	size_t count, room;
	int socket;
	int stat_file; /* heaptop's /proc/PID/stat; -1: cannot be read */
	pid_t heaptop;
	uint32_t signs_seen;
	int64_t signs_ns, looked_ns;
	struct tracer_answer answer;
};

static void
sleep_us(long us)
{
	struct timespec t = { 0, us * 1000 };

	nanosleep(&t, NULL);
}

/* Is heaptop stopped by a signal? A debugger's stops ('t') do not count. */
static bool
is_heaptop_stopped(const struct hold *h)
{
	char text[128];
	ssize_t len;
	const char *state;

	if (h->stat_file < 0)
		return false;
	len = pread(h->stat_file, text, sizeof(text) - 1, 0);
	if (len <= 0)
		return true; /* it has ended */
	text[len] = '\0';
	state = strrchr(text, ')');
	return state && state[1] && state[2] == 'T';
}

static bool
is_heaptop_silent(struct hold *h, int64_t now_ns)
{
	uint32_t seen = signs ? atomic_load(signs) : 0;

	if (seen != h->signs_seen) {
		h->signs_seen = seen;
		h->signs_ns = now_ns;
	}
	return now_ns - h->signs_ns > (int64_t)TRACER_PATIENCE_MS * 1000000;
}

enum reason { REASON_NONE, REASON_ASKED, REASON_LEFT };

/* The reason to release the process, if any; waits up to `wait_ms` for one. */
static enum reason
reason_to_end(struct hold *h, int wait_ms)
{
	struct pollfd socket = { .fd = h->socket, .events = POLLIN };
	int64_t now_ns;

	if (poll(&socket, 1, wait_ms) > 0)
		return REASON_ASKED;
	now_ns = clock_ns();
	if (now_ns - h->looked_ns < (int64_t)TRACER_LOOK_MS * 1000000)
		return REASON_NONE;
	h->looked_ns = now_ns;
	if (getppid() != h->heaptop || is_heaptop_stopped(h) || is_heaptop_silent(h, now_ns))
		return REASON_LEFT;
	return REASON_NONE;
}

/* ---- the tracer: stopping ------------------------------------------------ */

static bool
fail(struct hold *h, enum tracer_result result, int errnum, int32_t tid)
{
	h->answer.result = result;
	h->answer.errnum = errnum;
	h->answer.tid = tid;
	return false;
}

/* A thread that ended meanwhile is no failure. */
static bool
has_ended(const struct hold *h, int32_t tid)
{
	char file[48], text[STATUS_BYTES];
	const char *state;

	snprintf(file, sizeof(file), "task/%" PRId32 "/stat", tid);
	if (!proc_read(h->proc, h->pid, file, text, sizeof(text)))
		return true;
	state = strrchr(text, ')');
	return !state || strchr("ZXx", state[1] ? state[2] : 'X');
}

static bool
make_room(struct hold *h)
{
	enum { FIRST = 512 };
	size_t room = h->room ? h->room * 2 : FIRST;
	void *at;

	if (h->count < h->room)
		return true;
	if (h->count >= THREADS_MAX)
		return fail(h, TRACER_NO_MEMORY, 0, 0);
	at = h->threads ? mremap(h->threads, h->room * sizeof(*h->threads),
				 room * sizeof(*h->threads), MREMAP_MAYMOVE)
			: mmap(NULL, room * sizeof(*h->threads), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return fail(h, TRACER_NO_MEMORY, 0, 0);
	h->threads = at;
	h->room = room;
	return true;
}

static bool
ask_thread(struct hold *h, size_t at, int32_t tid)
{
	struct frozen_thread *t;

	if (!make_room(h))
		return false;
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0) {
		int errnum = errno;

		if (tid != h->pid && (errnum == ESRCH || (errnum == EPERM && has_ended(h, tid))))
			return true;
		return fail(h, TRACER_REFUSED, errnum, tid);
	}
	t = &h->threads[at];
	memmove(t + 1, t, (h->count++ - at) * sizeof(*t));
	*t = (struct frozen_thread){ .tid = tid };
	/* Fails only if the thread has ended, which waitpid() will show. */
	(void)ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	return true;
}

/* Stops a thread unless that was requested before. */
static bool
ask_once(struct hold *h, int32_t tid)
{
	size_t at;

	LOWER_BOUND(at, 0, h->count, h->threads[at].tid < tid);
	return (at < h->count && h->threads[at].tid == tid) || ask_thread(h, at, tid);
}

/* The kernel's format of getdents64. */
struct entry {
	uint64_t inode, offset;
	uint16_t len;
	uint8_t type;
	char name[];
};

/* Stops the threads in a list of directory entries. */
static bool
ask_entries(struct hold *h, const char *at, const char *end)
{
	while (at < end) {
		const struct entry *e = (const void *)at;

		if (e->name[0] >= '0' && e->name[0] <= '9' && !ask_once(h, atoi(e->name)))
			return false;
		at += e->len;
	}
	return true;
}

/* Stops all threads there are now; *is_new if there were new ones. */
static bool
ask_threads(struct hold *h, bool *is_new)
{
	_Alignas(struct entry) char entries[8192];
	size_t known = h->count;
	bool is_good = true;
	char path[256];
	long len = 1;
	int folder;

	snprintf(path, sizeof(path), "%s/%" PRId32 "/task", h->proc, h->pid);
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return fail(h, TRACER_REFUSED, errno, h->pid);
	while (is_good && len > 0) {
		len = syscall(SYS_getdents64, folder, entries, sizeof(entries));
		if (len > 0)
			is_good = ask_entries(h, entries, entries + len);
	}
	close(folder);
	*is_new = h->count > known;
	return is_good;
}

static void
forget_thread(struct hold *h, size_t i)
{
	memmove(&h->threads[i], &h->threads[i + 1], (--h->count - i) * sizeof(*h->threads));
}

enum wait_result { WAIT_STOPPED, WAIT_NOT_YET, WAIT_GONE };

static enum wait_result
look_at_thread(struct frozen_thread *t)
{
	int status;
	pid_t got = waitpid(t->tid, &status, __WALL | WNOHANG);

	if (!got)
		return WAIT_NOT_YET;
	if (got < 0 || !WIFSTOPPED(status))
		return WAIT_GONE;
	/* Either our stop, or a signal on its way to the program, which is delivered on release. */
	t->deliver = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
	t->is_stopped = true;
	return WAIT_STOPPED;
}

/* May the thread take a moment longer to stop? */
static bool
may_wait(struct hold *h, int32_t tid, int64_t until_ns)
{
	enum reason reason = reason_to_end(h, 0);

	if (reason != REASON_NONE)
		return fail(h, reason == REASON_ASKED ? TRACER_ENDED : TRACER_LET_GO, 0, 0);
	if (clock_ns() > until_ns)
		return fail(h, TRACER_STUBBORN, 0, tid);
	sleep_us(20);
	return true;
}

static bool
wait_for_threads(struct hold *h)
{
	int64_t until_ns = clock_ns() + (int64_t)STOP_LIMIT_MS * 1000000;

	for (size_t i = 0; i < h->count;) {
		struct frozen_thread *t = &h->threads[i];
		enum wait_result result = t->is_stopped ? WAIT_STOPPED : look_at_thread(t);

		if (result == WAIT_STOPPED)
			i++;
		else if (result == WAIT_GONE)
			forget_thread(h, i);
		else if (!may_wait(h, t->tid, until_ns))
			return false;
	}
	return true;
}

static void
read_registers(struct hold *h)
{
	for (size_t i = 0; i < h->count; i++) {
		struct frozen_thread *t = &h->threads[i];
		struct iovec room = { t->registers, sizeof(t->registers) };

		if (ptrace(PTRACE_GETREGSET, t->tid, (void *)NT_PRSTATUS, &room) == 0)
			t->registers_count = (uint32_t)(room.iov_len / sizeof(*t->registers));
	}
}

static bool
stop_all(struct hold *h)
{
	bool is_new = true;

	/* A thread that is not stopped yet may start another one. */
	while (is_new)
		if (!ask_threads(h, &is_new) || !wait_for_threads(h))
			return false;
	if (!h->count)
		return fail(h, TRACER_REFUSED, ESRCH, h->pid);
	read_registers(h);
	return true;
}

/* ---- the tracer: releasing ----------------------------------------------- */

/*
 * A thread can be released only while it is stopped. One that has not stopped yet gets a moment; if
 * it is stuck in the kernel, it is released when this process ends.
 */
static void
release(struct frozen_thread *t)
{
	enum { TRIES = 200 };
	enum wait_result result = t->is_stopped ? WAIT_STOPPED : WAIT_NOT_YET;

	for (int i = 0; result == WAIT_NOT_YET && i < TRIES; i++) {
		result = look_at_thread(t);
		if (result == WAIT_NOT_YET)
			sleep_us(100);
	}
	if (result == WAIT_STOPPED)
		(void)ptrace(PTRACE_DETACH, t->tid, NULL, (void *)(uintptr_t)t->deliver);
}

static void
release_all(struct hold *h)
{
	for (size_t i = 0; i < h->count; i++)
		release(&h->threads[i]);
	h->count = 0;
}

/*
 * Never blocks longer than the process may be stopped: heaptop may have been stopped while the
 * socket is full. False: there is a reason to release.
 */
static bool
send_all(struct hold *h, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len) {
		ssize_t n = send(h->socket, at, len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n > 0) {
			at += n;
			len -= (size_t)n;
		} else if (errno != EAGAIN && errno != EINTR) {
			return false;
		} else if (reason_to_end(h, 0) != REASON_NONE) {
			return false;
		} else {
			sleep_us(50);
		}
	}
	return true;
}

/* Keeps the process stopped until there is a reason to release it. */
static void
hold_all(struct hold *h)
{
	enum reason reason = REASON_LEFT;

	h->answer.threads_count = (uint32_t)h->count;
	if (send_all(h, &h->answer, sizeof(h->answer)) &&
	    send_all(h, h->threads, h->count * sizeof(*h->threads)))
		do
			reason = reason_to_end(h, TRACER_LOOK_MS);
		while (reason == REASON_NONE);
	h->answer.result = reason == REASON_ASKED ? TRACER_ENDED : TRACER_LET_GO;
}

static _Noreturn void
run_tracer(struct hold *h)
{
	h->looked_ns = h->signs_ns = h->answer.at_ns = clock_ns();
	h->signs_seen = signs ? atomic_load(signs) : 0;
	if (stop_all(h))
		hold_all(h);
	release_all(h);
	h->answer.threads_count = 0;
	h->answer.at_ns = clock_ns();
	/* The process runs again; an answer that does not fit is dropped. */
	(void)send(h->socket, &h->answer, sizeof(h->answer), MSG_DONTWAIT | MSG_NOSIGNAL);
	_exit(0);
}

/* ---- heaptop's side ------------------------------------------------------ */

static void
close_files(unsigned first, unsigned last)
{
	if (first > last)
		return;
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, first, last, 0))
		return;
#endif
	for (unsigned fd = first; fd <= last && fd < FILES_MAX; fd++)
		close((int)fd);
}

/* Closes all other files, so that a reader of our output sees its end when heaptop ends, not when
   the tracer does. */
static void
keep_files(int a, int b)
{
	unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);

	if (a < 0 || b < 0)
		low = high;
	if (low)
		close_files(0, low - 1);
	close_files(low + 1, high ? high - 1 : 0);
	close_files(high + 1, ~0u);
}

/* Runs in the child, with all signals blocked from its first instruction. */
static _Noreturn void
become_tracer(struct hold *h)
{
	setsid();
	prctl(PR_SET_NAME, "heaptop-hold");
	keep_files(h->socket, h->stat_file);
	run_tracer(h);
}

static pid_t
fork_tracer(struct hold *h)
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pid = fork();
	if (!pid)
		become_tracer(h);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid;
}

bool
tracer_start(struct tracer *t, const char *proc, int32_t pid, struct error *err)
{
	struct hold h = { .proc = proc, .pid = pid, .heaptop = getpid() };
	int sockets[2], errnum;

	*t = (struct tracer){ 0 };
	pthread_once(&signs_once, map_signs);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
		return error_sys(err, errno, "cannot talk to a tracer");
	h.stat_file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	h.socket = sockets[1];
	t->pid = fork_tracer(&h);
	errnum = errno;
	t->socket = sockets[0];
	close(sockets[1]);
	if (h.stat_file >= 0)
		close(h.stat_file);
	if (t->pid > 0)
		return true;
	close(t->socket);
	t->pid = 0;
	return error_sys(err, errnum, "cannot start a tracer");
}

/* A tracer that was stopped does not answer; killing it releases the process.
 */
static void
kill_if_stuck(const struct tracer *t, int64_t until_ns)
{
	struct proc_stat stat;

	if (clock_ns() > until_ns || (proc_stat(PROC_FOLDER, t->pid, &stat) && stat.state == 'T'))
		kill(t->pid, SIGKILL);
}

enum received { RECEIVED, RECEIVED_END, RECEIVED_CANCEL };

static enum received
receive(const struct tracer *t, void *bytes, size_t len, struct progress *progress)
{
	int64_t until_ns = clock_ns() + (int64_t)ANSWER_LIMIT_MS * 1000000;
	struct pollfd socket = { .fd = t->socket, .events = POLLIN };
	char *at = bytes;

	while (len) {
		int ready = poll(&socket, 1, TRACER_LOOK_MS * 10);
		ssize_t n;

		if (progress_is_cancelled(progress))
			return RECEIVED_CANCEL;
		if (ready <= 0) {
			kill_if_stuck(t, until_ns);
			continue;
		}
		n = recv(t->socket, at, len, MSG_DONTWAIT);
		if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
			return RECEIVED_END;
		if (n > 0) {
			at += n;
			len -= (size_t)n;
		}
	}
	return RECEIVED;
}

static bool
receive_threads(struct tracer *t, struct tracer_answer *a, struct frozen_thread **threads,
		struct progress *progress, struct error *err)
{
	size_t len = a->threads_count * sizeof(**threads);

	*threads = memory_new(a->threads_count, sizeof(**threads), err);
	if (!*threads)
		return false;
	switch (receive(t, *threads, len, progress)) {
	case RECEIVED:
		return true;
	case RECEIVED_CANCEL:
		error_cancelled(err);
		break;
	case RECEIVED_END:
		a->result = TRACER_LET_GO;
		break;
	}
	memory_free(*threads);
	*threads = NULL;
	return a->result == TRACER_LET_GO;
}

bool
tracer_wait(struct tracer *t, struct tracer_answer *a, struct frozen_thread **threads,
	    struct progress *progress, struct error *err)
{
	*threads = NULL;
	*a = (struct tracer_answer){ .result = TRACER_LET_GO };
	switch (receive(t, a, sizeof(*a), progress)) {
	case RECEIVED:
		return a->result != TRACER_STOPPED || receive_threads(t, a, threads, progress, err);
	case RECEIVED_CANCEL:
		return error_cancelled(err);
	case RECEIVED_END:
		/* It was killed before it could answer. */
		a->result = TRACER_LET_GO;
	}
	return true;
}

/* False: the process had been released before we asked. */
static bool
was_held(const struct tracer *t, int64_t *ended_ns)
{
	struct tracer_answer a;
	char byte = 0;
	bool is_asked = send(t->socket, &byte, sizeof(byte), MSG_NOSIGNAL) == sizeof(byte);

	if (receive(t, &a, sizeof(a), NULL) == RECEIVED) {
		*ended_ns = a.at_ns;
		return a.result == TRACER_ENDED;
	}
	/* A stopped tracer was just killed by us, and held it until then. */
	return is_asked;
}

bool
tracer_end(struct tracer *t, int64_t *ended_ns)
{
	bool is_held;

	if (!t->pid)
		return true;
	is_held = was_held(t, ended_ns);
	close(t->socket);
	while (waitpid(t->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	*t = (struct tracer){ 0 };
	return is_held;
}
