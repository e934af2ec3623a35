/*
 * A process that is stopped and goes on: a child with threads that count in memory we share, so
 * that standing still and going on can be seen from here. HEAPTOP_KILLS is how often each is tried;
 * `make harm` tries more often.
 */
#define _GNU_SOURCE /* gettid(), ptrace */
#include "capture/memory/freeze.h"
#include "capture/process/proc.h"
// clang-format off
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
// clang-format on
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/capability.h>

enum { COUNTERS = 8, NOBODY = 65534 };
/* Long enough for any machine; what comes is not waited for longer. */
enum { PATIENCE_MS = 120000 };

/* What the child tells. */
struct shared {
	_Atomic uint64_t counts[COUNTERS];
	_Atomic uint64_t stacks[COUNTERS]; /* an address in each one's stack */
	_Atomic int32_t tids[COUNTERS];
	_Atomic uint64_t signals, sent; /* received; by threads to themselves */
	atomic_bool is_signalling;
};

struct subject {
	struct shared *shared;
	pid_t pid;
};

static struct shared *child_shared;

static int
rounds_count(void)
{
	const char *text = getenv("HEAPTOP_KILLS");

	return text ? (int)strtoul(text, NULL, 10) : 30;
}

static void
sleep_us(long us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&t, NULL);
}

/* ---- the child ----------------------------------------------------------- */

static void *
count(void *argument)
{
	uintptr_t i = (uintptr_t)argument;

	atomic_store(&child_shared->stacks[i], (uintptr_t)&i);
	atomic_store(&child_shared->tids[i], gettid());
	for (;;) {
		atomic_fetch_add(&child_shared->counts[i], 1);
		if (i % 2) {
			sleep_us(50); /* in the kernel, mostly */
		} else if (atomic_load(&child_shared->is_signalling)) {
			atomic_fetch_add(&child_shared->sent, 1);
			raise(SIGRTMIN);
		}
	}
	return NULL;
}

static void *
end_at_once(void *argument)
{
	return argument;
}

static void
count_signal(int number)
{
	(void)number;
	atomic_fetch_add(&child_shared->signals, 1);
}

/* Its first thread starts others all the time. */
static void
run_child(void)
{
	struct sigaction action = { .sa_handler = count_signal };
	pthread_t thread;

	sigaction(SIGRTMIN, &action, NULL);
	for (uintptr_t i = 1; i < COUNTERS; i++)
		pthread_create(&thread, NULL, count, (void *)i);
	atomic_store(&child_shared->tids[0], gettid());
	for (;;) {
		if (!pthread_create(&thread, NULL, end_at_once, NULL))
			pthread_join(thread, NULL);
		atomic_fetch_add(&child_shared->counts[0], 1);
	}
}

static bool
is_counting(struct shared *s)
{
	uint64_t before[COUNTERS];

	for (int i = 0; i < COUNTERS; i++)
		before[i] = atomic_load(&s->counts[i]);
	for (int i = 0; i < COUNTERS; i++)
		for (int tries = 0; atomic_load(&s->counts[i]) == before[i]; tries++) {
			if (tries == PATIENCE_MS)
				return false;
			sleep_us(1000);
		}
	return true;
}

static struct subject
subject_start_as(uid_t uid)
{
	struct subject s;

	s.shared = mmap(NULL, sizeof(*s.shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	assert_ptr_not_equal(s.shared, MAP_FAILED);
	fflush(NULL);
	s.pid = fork();
	if (!s.pid) {
		/* After it, the kernel allows no tracing but by root. */
		if (uid && setresuid(uid, uid, uid) < 0)
			_exit(2);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		child_shared = s.shared;
		run_child();
	}
	assert_true(is_counting(s.shared));
	return s;
}

static struct subject
subject_start(void)
{
	return subject_start_as(0);
}

static void
subject_end(struct subject *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	munmap(s->shared, sizeof(*s->shared));
}

/* ---- standing and going on ----------------------------------------------- */

static void
freeze_it(struct freeze *f, pid_t pid)
{
	struct error err = { 0 };

	assert_ok(freeze_start(f, PROC_FOLDER, pid, NULL, &err), &err);
}

static const struct frozen_thread *
thread_of(const struct freeze *f, int32_t tid)
{
	for (size_t i = 0; i < f->threads_count; i++)
		if (f->threads[i].tid == tid)
			return &f->threads[i];
	return NULL;
}

TEST(stands_still_and_goes_on)
{
	struct subject s = subject_start();

	for (int round = 0; round < 2 * rounds_count(); round++) {
		uint64_t before[COUNTERS];
		struct freeze f;

		freeze_it(&f, s.pid);
		for (int i = 0; i < COUNTERS; i++)
			before[i] = atomic_load(&s.shared->counts[i]);
		if (round % 20 == 0)
			sleep_us(20000);
		for (int i = 0; i < COUNTERS; i++) {
			assert_non_null(thread_of(&f, s.shared->tids[i]));
			assert_int_equal(atomic_load(&s.shared->counts[i]), before[i]);
		}
		freeze_end(&f);
		assert_true(f.ended_ns > f.began_ns);
		freeze_end(&f);
		freeze_clear(&f);
	}
	assert_true(is_counting(s.shared));
	subject_end(&s);
}

#if defined(__x86_64__)
enum { REGISTERS = 27, REGISTER_SP = 19 };
#elif defined(__aarch64__)
enum { REGISTERS = 34, REGISTER_SP = 31 };
#endif

TEST(tells_the_registers)
{
	enum { NEAR = 64 * 1024 };
	struct subject s = subject_start();
	struct freeze f;

	freeze_it(&f, s.pid);
	for (int i = 1; i < COUNTERS; i++) {
		const struct frozen_thread *t = thread_of(&f, s.shared->tids[i]);

		if (!t) {
			fail_msg("thread %d is not stopped", s.shared->tids[i]);
			return;
		}
		assert_int_equal(t->registers_count, REGISTERS);
		assert_in_range(t->registers[REGISTER_SP], s.shared->stacks[i] - NEAR,
				s.shared->stacks[i] + NEAR);
	}
	freeze_clear(&f);
	subject_end(&s);
}

static void *
send_signals(void *argument)
{
	const pid_t *pid = argument;
	union sigval nothing = { 0 };

	for (int i = 0; i < 4 * rounds_count(); i++) {
		while (sigqueue(*pid, SIGRTMIN, nothing) < 0)
			sleep_us(100);
		sleep_us(100);
	}
	return NULL;
}

static uint64_t
sent_signals(struct shared *s)
{
	return 4 * (uint64_t)rounds_count() + atomic_load(&s->sent);
}

/*
 * Those that arrive while it is being stopped reach it later, each once. A thread takes a signal
 * instead of our stop only in the moment between being seized and being told to stop: some have one
 * under way all the time.
 */
TEST(loses_no_signal)
{
	struct subject s = subject_start();
	pthread_t thread;
	struct freeze f;

	size_t delivered = 0;

	atomic_store(&s.shared->is_signalling, true);
	assert_int_equal(pthread_create(&thread, NULL, send_signals, &s.pid), 0);
	for (int round = 0; round < 4 * rounds_count(); round++) {
		freeze_it(&f, s.pid);
		for (size_t i = 0; i < f.threads_count; i++)
			delivered += f.threads[i].deliver != 0;
		freeze_clear(&f);
	}
	pthread_join(thread, NULL);
	atomic_store(&s.shared->is_signalling, false);
	assert_true(is_counting(s.shared)); /* all of them have seen it */
	for (int tries = 0; tries < PATIENCE_MS; tries++) {
		if (atomic_load(&s.shared->signals) == sent_signals(s.shared))
			break;
		sleep_us(1000);
	}
	assert_int_equal(atomic_load(&s.shared->signals), sent_signals(s.shared));
	printf("%zu signals were under way\n", delivered);
	subject_end(&s);
}

/* By SIGKILL, at moments that are spread over the whole of it. */
TEST(goes_on_when_we_are_killed)
{
	int kills = rounds_count();
	struct subject s = subject_start();

	for (int k = 0; k < kills; k++) {
		pid_t child;

		fflush(NULL);
		child = fork();
		if (!child)
			for (;;) {
				struct freeze f;
				struct error err = { 0 };

				if (freeze_start(&f, PROC_FOLDER, s.pid, NULL, &err))
					freeze_clear(&f);
			}
		sleep_us(200 + k * 3700L / kills);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		assert_true(is_counting(s.shared));
	}
	subject_end(&s);
}

/* A child holds it and stops: it goes on, and the child knows afterwards. */
TEST(goes_on_when_we_are_stopped)
{
	struct subject s = subject_start();
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		struct freeze f;

		freeze_it(&f, s.pid);
		raise(SIGSTOP);
		freeze_end(&f);
		_exit(f.is_lost ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(WIFSTOPPED(status));
	assert_true(is_counting(s.shared));
	kill(child, SIGCONT);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	subject_end(&s);
}

/* Whatever keeps us, a debugger or a frozen cgroup. */
TEST(goes_on_when_we_read_nothing)
{
	struct subject s = subject_start();
	struct error err = { 0 };
	struct freeze f;

	freeze_it(&f, s.pid);
	sleep_us((TRACER_PATIENCE_MS + 100) * 1000L);
	assert_true(is_counting(s.shared));
	freeze_end(&f);
	assert_true(f.is_lost);
	assert_false(freeze_check(&f, &err));
	assert_int_equal(err.kind, ERROR_ATTACH);
	freeze_clear(&f);
	subject_end(&s);
}

/* A tracer that is stopped cannot let go; we end it. */
TEST(goes_on_when_the_tracer_is_stopped)
{
	struct subject s = subject_start();
	struct freeze f;

	freeze_it(&f, s.pid);
	kill(f.tracer.pid, SIGSTOP);
	freeze_end(&f);
	assert_false(f.is_lost);
	assert_true(is_counting(s.shared));
	freeze_clear(&f);
	subject_end(&s);
}

TEST(stays_stopped_if_it_was)
{
	struct subject s = subject_start();
	struct proc_stat stat;
	struct freeze f;

	kill(s.pid, SIGSTOP);
	waitpid(s.pid, NULL, WUNTRACED);
	freeze_it(&f, s.pid);
	freeze_clear(&f);
	/* It stops anew by itself, a moment after it was let go. */
	for (int tries = 0; tries < PATIENCE_MS; tries++) {
		assert_true(proc_stat(PROC_FOLDER, s.pid, &stat));
		if (stat.state == 'T')
			break;
		sleep_us(1000);
	}
	assert_int_equal(stat.state, 'T');
	kill(s.pid, SIGCONT);
	assert_true(is_counting(s.shared));
	subject_end(&s);
}

/* ---- why not ------------------------------------------------------------- */

static void
refuse(const char *proc, pid_t pid, const char *wanted)
{
	struct error err = { 0 };
	struct freeze f;

	if (freeze_start(&f, proc, pid, NULL, &err))
		fail_msg("it was stopped: %s", wanted);
	assert_int_equal(err.kind, ERROR_ATTACH);
	if (!strstr(err.message, wanted))
		fail_msg("%s\nwithout: %s", err.message, wanted);
}

/* It may only watch, or hold the process: then there are no events either. */
static void
says_that_it_is_traced_by(bool holds, const char *wanted)
{
	struct subject s = subject_start();
	int status, ready[2];
	char byte;
	pid_t tracer;

	assert_int_equal(pipe(ready), 0);
	fflush(NULL);
	tracer = fork();
	if (!tracer) {
		prctl(PR_SET_NAME, "debugger");
		ptrace(PTRACE_SEIZE, s.pid, NULL, NULL);
		if (holds) {
			ptrace(PTRACE_INTERRUPT, s.pid, NULL, NULL);
			waitpid(s.pid, &status, __WALL);
		}
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	refuse(PROC_FOLDER, s.pid, wanted);
	kill(tracer, SIGKILL);
	waitpid(tracer, &status, 0);
	close(ready[0]);
	close(ready[1]);
	subject_end(&s);
}

TEST(says_that_it_is_traced)
{
	says_that_it_is_traced_by(false, "or capture its events");
	says_that_it_is_traced_by(true, "let it go there first");
}

TEST(says_that_it_has_ended)
{
	struct subject s = subject_start();

	kill(s.pid, SIGKILL);
	while (waitid(P_PID, (id_t)s.pid, NULL, WEXITED | WNOWAIT) < 0)
		assert_int_equal(errno, EINTR);
	refuse(PROC_FOLDER, s.pid, "its parent has not waited for it yet");
	waitpid(s.pid, NULL, 0);
	refuse(PROC_FOLDER, s.pid, "has ended");
	munmap(s.shared, sizeof(*s.shared));
}

/* /proc as it is, but for what Yama says. */
static void
make_proc(const char *folder, const struct subject *s, const char *scope)
{
	static const char *const folders[] = { "sys", "sys/kernel", "sys/kernel/yama" };
	char path[128], to[64];
	FILE *file;

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, folders[i]);
		mkdir(path, 0755);
	}
	snprintf(path, sizeof(path), "%s/sys/kernel/yama/ptrace_scope", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", scope);
	fclose(file);
	for (int i = 0; i < 2; i++) {
		int pid = i ? (int)s->pid : (int)getpid();

		snprintf(path, sizeof(path), "%s/%d", folder, pid);
		snprintf(to, sizeof(to), "/proc/%d", pid);
		(void)unlink(path);
		assert_int_equal(symlink(to, path), 0);
	}
	chmod(folder, 0755);
}

static void
remove_proc(const char *folder, const struct subject *s, pid_t child)
{
	static const char *const names[] = { "sys/kernel/yama/ptrace_scope", "sys/kernel/yama",
					     "sys/kernel", "sys" };
	char path[128];

	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		remove(path);
	}
	snprintf(path, sizeof(path), "%s/%d", folder, (int)s->pid);
	remove(path);
	snprintf(path, sizeof(path), "%s/%d", folder, (int)child);
	remove(path);
	assert_int_equal(rmdir(folder), 0);
}

/* What ended before its time is told apart from the program's own codes. */
enum { NOT_ALLOWED = 99 };

struct refusal {
	const char *scope; /* what Yama says */
	uid_t subject;     /* the user of the child */
	uid_t uid;         /* whom we become; 0: root without capabilities */
	const char *wanted;
};

static const struct refusal refusals[] = {
	{ "0", 0, NOBODY,
	  "belongs to user 0, and heaptop runs as user 65534; try the same with sudo" },
	{ "0", 0, 0, "this root does not have the capability SYS_PTRACE" },
	{ "0", NOBODY, NOBODY, "or is marked as not dumpable; try the same with sudo" },
	{ "1", NOBODY, NOBODY, "allow it: sudo sysctl kernel.yama.ptrace_scope=0; without ptrace" },
	{ "2", NOBODY, NOBODY,
	  "kernel.yama.ptrace_scope is 2; without ptrace, capture its events: heaptop" },
	{ "3", NOBODY, NOBODY, "forbids ptrace for all until the next boot" },
};

/* In the child: without the privileges that a test as root has. */
static void
give_up_privileges(uid_t uid)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[2] = { { 0 } };

	if (uid ? setresuid(uid, uid, uid) < 0 : syscall(SYS_capset, &header, none) < 0)
		_exit(NOT_ALLOWED);
}

static int
refused_child(const struct subject *s, const char *folder, const struct refusal *r)
{
	struct error err = { 0 };
	struct freeze f;

	make_proc(folder, s, r->scope);
	give_up_privileges(r->uid);
	if (freeze_start(&f, folder, s->pid, NULL, &err)) {
		freeze_clear(&f);
		return 1;
	}
	if (strstr(err.message, r->wanted))
		return 0;
	fprintf(stderr, "%s\n", err.message);
	return 1;
}

static void
check_refusal(const struct refusal *r)
{
	struct subject s = subject_start_as(r->subject);
	int status;
	pid_t child;

	assert_int_equal(folder_make(NULL), 0);
	fflush(NULL);
	child = fork();
	if (!child)
		_exit(refused_child(&s, folder_path(), r));
	assert_int_equal(waitpid(child, &status, 0), child);
	remove_proc(folder_path(), &s, child);
	subject_end(&s);
	if (status && WEXITSTATUS(status) != NOT_ALLOWED)
		fail_msg("not said: %s", r->wanted);
}

TEST(says_which_permission_is_missing)
{
	if (geteuid() != 0) {
		printf("skipped: only root can become somebody else\n");
		return;
	}
	for (size_t i = 0; i < COUNT_OF(refusals); i++)
		check_refusal(&refusals[i]);
}
