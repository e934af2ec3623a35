#include "capture/memory/freeze.h"
#include "model/base/clock.h"
#include "capture/process/proc.h"
#include "model/base/arena.h"
#include "model/base/sorted.h"
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STOP_LIMIT_MS = 2000,
	THREADS_MAX = 1 << 20, /* more than Linux has */
	STATUS_BYTES = 4096,
	CAPABILITY_PTRACE = 19, /* CAP_SYS_PTRACE */
};

/* ---- why not ------------------------------------------------------------- */

static bool
may_trace_anybody(const char *proc)
{
	char text[STATUS_BYTES];
	const char *at;

	proc_read(proc, (int32_t)getpid(), "status", text, sizeof(text));
	at = strstr(text, "\nCapEff:");
	return at && strtoull(at + 8, NULL, 16) >> CAPABILITY_PTRACE & 1;
}

/* Of the security module Yama; 0 where there is none. */
static int
yama_scope(const char *proc)
{
	char path[256];
	FILE *file;
	int scope = 0;

	snprintf(path, sizeof(path), "%s/sys/kernel/yama/ptrace_scope", proc);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%d", &scope) != 1)
		scope = 0;
	fclose(file);
	return scope;
}

static bool
explain_tracer(const char *proc, int32_t pid, int32_t tracer, bool is_held,
	       struct error *err)
{
	char name[64];

	proc_read(proc, tracer, "comm", name, sizeof(name));
	name[strcspn(name, "\n")] = '\0';
	for (char *at = name; *at; at++)
		if (*at < ' ' || *at == 0x7f)
			*at = '?';
	/* What stands still does not answer either. */
	if (is_held)
		return error_set(
		    err, ERROR_ATTACH,
		    "process %" PRId32 " is held by process %" PRId32
		    "%s%s%s, and only one can do that: let it go on there "
		    "first (gdb: detach), or open a core of it here (gdb: "
		    "generate-core-file)",
		    pid, tracer, *name ? " (" : "", name, *name ? ")" : "");
	return error_set(err, ERROR_ATTACH,
			 "process %" PRId32 " is traced by process %" PRId32
			 "%s%s%s, and only one can do that: end that first, or "
			 "capture its events: heaptop %" PRId32,
			 pid, tracer, *name ? " (" : "", name, *name ? ")" : "",
			 pid);
}

/* The kernel says EPERM to all of it. */
static bool
explain_refusal(const char *proc, int32_t pid, const struct proc_status *s,
		struct error *err)
{
	bool is_root = geteuid() == 0;
	int scope = yama_scope(proc);
	char hint[64];

	snprintf(hint, sizeof(hint),
		 "without ptrace its events: heaptop %" PRId32, pid);
	if (may_trace_anybody(proc))
		return error_set(err, ERROR_ATTACH,
				 "process %" PRId32 " may not be stopped: the "
				 "kernel or a seccomp filter forbids ptrace "
				 "here; %s",
				 pid, hint);
	if (is_root)
		return error_set(
		    err, ERROR_ATTACH,
		    "process %" PRId32 " may not be stopped: this root has "
		    "not the capability SYS_PTRACE; start the container with "
		    "--cap-add=SYS_PTRACE; %s",
		    pid, hint);
	if (s->uid != geteuid())
		return error_set(err, ERROR_ATTACH,
				 "process %" PRId32 " belongs to user %" PRIu32
				 ", we are %" PRIu32
				 "; try: sudo heaptop -m %" PRId32,
				 pid, s->uid, (uint32_t)geteuid(), pid);
	if (scope >= 3)
		return error_set(
		    err, ERROR_ATTACH,
		    "process %" PRId32 " may not be stopped: "
		    "kernel.yama.ptrace_scope is %d, which "
		    "forbids ptrace to all until the next boot; %s",
		    pid, scope, hint);
	if (scope >= 1)
		return error_set(
		    err, ERROR_ATTACH,
		    "process %" PRId32 " may not be stopped: "
		    "kernel.yama.ptrace_scope is %d; %s%s; with it: sudo "
		    "heaptop -m %" PRId32,
		    pid, scope,
		    scope == 1 ? "for all: sudo sysctl "
				 "kernel.yama.ptrace_scope=0; "
			       : "",
		    hint, pid);
	return error_set(err, ERROR_ATTACH,
			 "process %" PRId32 " may not be stopped: it has "
			 "privileges that we have not, or is marked as not "
			 "dumpable; try: sudo heaptop -m %" PRId32,
			 pid, pid);
}

static bool
explain(const char *proc, int32_t pid, int errnum, struct error *err)
{
	struct proc_status s;
	struct proc_stat stat;

	if (!proc_status(proc, pid, &s) || !proc_stat(proc, pid, &stat) ||
	    errnum == ESRCH)
		return error_set(err, ERROR_ATTACH,
				 "process %" PRId32 " has ended", pid);
	if (stat.state == 'Z' || stat.state == 'X')
		return error_set(err, ERROR_ATTACH,
				 "process %" PRId32 " has ended, only its "
				 "parent does not know yet",
				 pid);
	if (s.tracer_pid)
		return explain_tracer(proc, pid, s.tracer_pid,
				      stat.state == 't', err);
	if (errnum == EPERM || errnum == EACCES)
		return explain_refusal(proc, pid, &s, err);
	error_sys(err, errnum, "cannot stop process %" PRId32, pid);
	err->kind = ERROR_ATTACH;
	return false;
}

/* ---- stopping ------------------------------------------------------------ */

/* A thread that ends meanwhile is no failure, whatever the reason was. */
static bool
has_ended(const char *proc, int32_t pid, int32_t tid)
{
	char file[48], text[STATUS_BYTES];
	const char *state;

	snprintf(file, sizeof(file), "task/%" PRId32 "/stat", tid);
	if (!proc_read(proc, pid, file, text, sizeof(text)))
		return true;
	state = strrchr(text, ')');
	return !state || strchr("ZXx", state[1] ? state[2] : 'X');
}

static bool
ask_thread(struct freeze *f, const char *proc, int32_t tid, struct error *err)
{
	struct frozen_thread *t;

	if (f->threads_count >= THREADS_MAX)
		return error_set(err, ERROR_ATTACH,
				 "process %" PRId32 " has more than %d threads",
				 f->pid, THREADS_MAX);
	if (!memory_make_room(&f->threads, f->threads_count, &f->threads_room,
			      sizeof(*f->threads), err))
		return false;
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0) {
		int errnum = errno;

		if (errnum == ESRCH || (tid != f->pid && errnum == EPERM &&
					has_ended(proc, f->pid, tid)))
			return tid != f->pid || explain(proc, tid, errnum, err);
		return explain(proc, f->pid, errnum, err);
	}
	t = &f->threads[f->threads_count++];
	*t = (struct frozen_thread){ .tid = tid };
	/* It fails only if the thread has ended: the wait will tell. */
	(void)ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	return true;
}

/* All that there are now, in any order, perhaps one twice; memory_free(). */
static bool
list_threads(const struct freeze *f, const char *proc, int32_t **tids,
	     size_t *count, struct error *err)
{
	char path[256];
	struct dirent *entry;
	bool is_good = true;
	size_t room = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/%" PRId32 "/task", proc, f->pid);
	folder = opendir(path);
	if (!folder)
		return explain(proc, f->pid, errno, err);
	while (is_good && (entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		is_good =
		    memory_make_room(tids, *count, &room, sizeof(**tids), err);
		if (is_good)
			(*tids)[(*count)++] = atoi(entry->d_name);
	}
	closedir(folder);
	return is_good;
}

/* Those of the list that were not asked before; both are in order then. */
static bool
ask_listed(struct freeze *f, const char *proc, int32_t *tids, size_t count,
	   struct error *err)
{
	size_t known = f->threads_count, at = 0;
	bool is_good = true;

	SORT_NUMBERS(tids, count);
	for (size_t i = 0; is_good && i < count; i++) {
		if (i && tids[i] == tids[i - 1])
			continue;
		while (at < known && f->threads[at].tid < tids[i])
			at++;
		if (at == known || f->threads[at].tid != tids[i])
			is_good = ask_thread(f, proc, tids[i], err);
	}
	SORT_BY(f->threads, f->threads_count, tid);
	return is_good;
}

/* Asks all threads that there are now and were not asked before. */
static bool
ask_threads(struct freeze *f, const char *proc, bool *is_new, struct error *err)
{
	size_t known = f->threads_count, count = 0;
	int32_t *tids = NULL;
	bool is_good = list_threads(f, proc, &tids, &count, err) &&
		       ask_listed(f, proc, tids, count, err);

	memory_free(tids);
	*is_new = f->threads_count > known;
	return is_good;
}

static void
forget_thread(struct freeze *f, size_t i)
{
	memmove(&f->threads[i], &f->threads[i + 1],
		(--f->threads_count - i) * sizeof(*f->threads));
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
	/*
	 * Stopped by us, or for a signal that was on its way to the program
	 * and is delivered when it goes on.
	 */
	t->deliver = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
	t->is_stopped = true;
	return WAIT_STOPPED;
}

static bool
refuse_stubborn(const struct freeze *f, int32_t tid, struct error *err)
{
	return error_set(err, ERROR_ATTACH,
			 "thread %" PRId32 " of process %" PRId32
			 " does not stop: the kernel has held it for %d s, "
			 "mostly for a disk or a network file system; it goes "
			 "on, try again later",
			 tid, f->pid, STOP_LIMIT_MS / 1000);
}

static bool
wait_for_threads(struct freeze *f, struct progress *progress, struct error *err)
{
	static const struct timespec pause = { .tv_nsec = 20 * 1000 };
	int64_t until = clock_ns() + (int64_t)STOP_LIMIT_MS * 1000000;

	for (size_t i = 0; i < f->threads_count;) {
		struct frozen_thread *t = &f->threads[i];

		if (t->is_stopped) {
			i++;
			continue;
		}
		switch (look_at_thread(t)) {
		case WAIT_STOPPED:
			i++;
			break;
		case WAIT_GONE:
			forget_thread(f, i);
			break;
		case WAIT_NOT_YET:
			if (progress_is_cancelled(progress))
				return error_cancelled(err);
			if (clock_ns() > until)
				return refuse_stubborn(f, t->tid, err);
			nanosleep(&pause, NULL);
			break;
		}
	}
	return true;
}

static void
read_registers(struct freeze *f)
{
	for (size_t i = 0; i < f->threads_count; i++) {
		struct frozen_thread *t = &f->threads[i];
		struct iovec room = { t->registers, sizeof(t->registers) };

		if (ptrace(PTRACE_GETREGSET, t->tid, (void *)NT_PRSTATUS,
			   &room) == 0)
			t->registers_count =
			    (uint32_t)(room.iov_len / sizeof(*t->registers));
	}
}

bool
freeze_start(struct freeze *f, const char *proc, int32_t pid,
	     struct progress *progress, struct error *err)
{
	bool is_new = true;

	*f = (struct freeze){ .pid = pid, .began_ns = clock_ns() };
	/* A thread not yet stopped may start another. */
	while (is_new)
		if (!ask_threads(f, proc, &is_new, err) ||
		    !wait_for_threads(f, progress, err)) {
			freeze_clear(f);
			return false;
		}
	if (!f->threads_count) {
		freeze_clear(f);
		return explain(proc, pid, ESRCH, err);
	}
	read_registers(f);
	return true;
}

/* ---- going on ------------------------------------------------------------ */

/*
 * A thread can only be let go while it stands. One that was asked and has not
 * stopped yet is waited for a moment; if the kernel keeps it, it is let go with
 * the end of our thread.
 */
static void
release(struct frozen_thread *t)
{
	static const struct timespec pause = { .tv_nsec = 100 * 1000 };
	enum { TRIES = 200 };
	enum wait_result result = t->is_stopped ? WAIT_STOPPED : WAIT_NOT_YET;

	for (int i = 0; result == WAIT_NOT_YET && i < TRIES; i++) {
		result = look_at_thread(t);
		if (result == WAIT_NOT_YET)
			nanosleep(&pause, NULL);
	}
	if (result == WAIT_STOPPED)
		(void)ptrace(PTRACE_DETACH, t->tid, NULL,
			     (void *)(uintptr_t)t->deliver);
	t->is_stopped = false;
}

void
freeze_end(struct freeze *f)
{
	if (f->ended_ns)
		return;
	for (size_t i = 0; i < f->threads_count; i++)
		release(&f->threads[i]);
	f->ended_ns = clock_ns();
}

void
freeze_clear(struct freeze *f)
{
	freeze_end(f);
	memory_free(f->threads);
	f->threads = NULL;
	f->threads_count = f->threads_room = 0;
}
