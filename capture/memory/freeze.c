#include "capture/memory/freeze.h"
#include "model/base/clock.h"
#include "capture/process/proc.h"
#include "model/base/arena.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	CAPABILITY_PTRACE = 19, /* CAP_SYS_PTRACE */
};

/* ---- why a process cannot be stopped ------------------------------------- */

static bool
may_trace_any_process(const char *proc)
{
	char *text = proc_text(proc, (int32_t)getpid(), "status", NULL);
	const char *at = text ? proc_line(text, "CapEff:") : NULL;
	bool may = at && strtoull(at, NULL, 16) >> CAPABILITY_PTRACE & 1;

	memory_free(text);
	return may;
}

/* Setting of the security module Yama; 0 without it. */
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
explain_tracer(const char *proc, int32_t pid, int32_t tracer, bool is_held, struct error *err)
{
	char name[64];

	proc_read(proc, tracer, "comm", name, sizeof(name));
	name[strcspn(name, "\n")] = '\0';
	for (char *at = name; *at; at++)
		if (*at < ' ' || *at == 0x7f)
			*at = '?';
	/* A process that a tracer keeps stopped does not answer events either.
	 */
	if (is_held)
		return error_set(
		    err, ERROR_ATTACH,
		    "process %" PRId32 " is held by process %" PRId32
		    "%s%s%s, and a process can have only one tracer: let it go there first (gdb: "
		    "detach), or open a core of it here (gdb: generate-core-file)",
		    pid, tracer, *name ? " (" : "", name, *name ? ")" : "");
	return error_set(err, ERROR_ATTACH,
			 "process %" PRId32 " is traced by process %" PRId32
			 "%s%s%s, and a process can have only one tracer: end that first, or "
			 "capture its events: heaptop %" PRId32,
			 pid, tracer, *name ? " (" : "", name, *name ? ")" : "", pid);
}

/* Finds the reason for EPERM, which the kernel returns for all of these. */
static bool
explain_refusal(const char *proc, int32_t pid, const struct proc_status *s, struct error *err)
{
	bool is_root = geteuid() == 0;
	int scope = yama_scope(proc);
	char hint[64];

	snprintf(hint, sizeof(hint), "without ptrace, capture its events: heaptop %" PRId32, pid);
	if (may_trace_any_process(proc))
		return error_set(err, ERROR_ATTACH,
				 "process %" PRId32 " may not be stopped: the kernel or a seccomp "
				 "filter forbids ptrace here; %s",
				 pid, hint);
	if (is_root)
		return error_set(
		    err, ERROR_ATTACH,
		    "process %" PRId32
		    " may not be stopped: this root does not have the capability SYS_PTRACE; start "
		    "the container with --cap-add=SYS_PTRACE; %s",
		    pid, hint);
	if (s->uid != geteuid())
		return error_set(err, ERROR_ATTACH,
				 "process %" PRId32 " belongs to user %" PRIu32
				 ", and heaptop runs as user %" PRIu32 "; try the same with sudo",
				 pid, s->uid, (uint32_t)geteuid());
	if (scope >= 3)
		return error_set(err, ERROR_ATTACH,
				 "process %" PRId32
				 " may not be stopped: kernel.yama.ptrace_scope is %d, which "
				 "forbids ptrace for all until the next boot; %s",
				 pid, scope, hint);
	if (scope >= 1)
		return error_set(
		    err, ERROR_ATTACH,
		    "process %" PRId32 " may not be stopped: kernel.yama.ptrace_scope is %d; %s%s; "
		    "or try the same with sudo",
		    pid, scope,
		    scope == 1 ? "allow it: sudo sysctl kernel.yama.ptrace_scope=0; " : "", hint);
	return error_set(err, ERROR_ATTACH,
			 "process %" PRId32 " may not be stopped: it has privileges that we do not "
			 "have, or is marked as not dumpable; try the same with sudo",
			 pid);
}

static bool
explain(const char *proc, int32_t pid, int errnum, struct error *err)
{
	struct proc_status s;
	struct proc_stat stat;

	if (!proc_status(proc, pid, &s) || !proc_stat(proc, pid, &stat) || errnum == ESRCH)
		return error_set(err, ERROR_ATTACH, "process %" PRId32 " has ended", pid);
	if (stat.state == 'Z' || stat.state == 'X')
		return error_set(err, ERROR_ATTACH,
				 "process %" PRId32 " has ended, but its parent has not waited for "
				 "it yet",
				 pid);
	if (stat.is_of_kernel)
		return proc_refuse_kernel(pid, NULL, err);
	if (s.tracer_pid)
		return explain_tracer(proc, pid, s.tracer_pid, stat.state == 't', err);
	if (errnum == EPERM || errnum == EACCES)
		return explain_refusal(proc, pid, &s, err);
	error_sys(err, errnum, "cannot stop process %" PRId32, pid);
	err->kind = ERROR_ATTACH;
	return false;
}

/* ---- stopping and resuming ----------------------------------------------- */

/* Number of attempts if heaptop itself is stopped meanwhile. */
enum { STARTS_MAX = 10 };

static bool
refuse_lost(const struct freeze *f, struct error *err)
{
	return error_set(err, ERROR_ATTACH,
			 "process %" PRId32 " resumed before its memory was read, because heaptop "
			 "itself was stopped: try again",
			 f->pid);
}

/* Reports why it was not stopped; all its threads run again by now. */
static bool
refuse(const struct freeze *f, const char *proc, const struct tracer_answer *a, struct error *err)
{
	switch (a->result) {
	case TRACER_REFUSED:
		return explain(proc, f->pid, a->errnum, err);
	case TRACER_STUBBORN:
		return error_set(
		    err, ERROR_ATTACH,
		    "thread %" PRId32 " of process %" PRId32
		    " does not stop: the kernel has held it for %d s, mostly for a disk or a "
		    "network file system; the process was resumed, try again later",
		    a->tid, f->pid, TRACER_STOP_LIMIT_MS / 1000);
	case TRACER_NO_MEMORY:
		return error_set(err, ERROR_ATTACH, "no memory for the threads of process %" PRId32,
				 f->pid);
	case TRACER_STOPPED:
	case TRACER_LET_GO:
	case TRACER_ENDED:
		break;
	}
	return refuse_lost(f, err);
}

/* False without `err`: heaptop was stopped meanwhile. */
static bool
start_once(struct freeze *f, const char *proc, struct progress *progress, struct error *err)
{
	struct tracer_answer a;

	if (!tracer_start(&f->tracer, proc, f->pid, err)) {
		err->kind = ERROR_ATTACH;
		return false;
	}
	if (!tracer_wait(&f->tracer, &a, &f->threads, progress, err)) {
		freeze_clear(f);
		return false;
	}
	if (a.result == TRACER_STOPPED) {
		f->threads_count = a.threads_count;
		f->began_ns = a.at_ns;
		return true;
	}
	freeze_clear(f);
	if (a.result != TRACER_LET_GO)
		return refuse(f, proc, &a, err);
	return false;
}

bool
freeze_start(struct freeze *f, const char *proc, int32_t pid, struct progress *progress,
	     struct error *err)
{
	for (int i = 0; i < STARTS_MAX; i++) {
		*f = (struct freeze){ .pid = pid, .began_ns = clock_ns() };
		if (start_once(f, proc, progress, err))
			return true;
		if (err->kind != ERROR_NONE)
			return false;
	}
	return refuse_lost(f, err);
}

void
freeze_end(struct freeze *f)
{
	if (f->ended_ns)
		return;
	f->ended_ns = clock_ns();
	f->is_lost = !tracer_end(&f->tracer, &f->ended_ns);
}

bool
freeze_check(const struct freeze *f, struct error *err)
{
	return !f->is_lost || refuse_lost(f, err);
}

void
freeze_clear(struct freeze *f)
{
	freeze_end(f);
	memory_free(f->threads);
	f->threads = NULL;
	f->threads_count = 0;
}
