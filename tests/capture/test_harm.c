/*
 * The target is never harmed: what is left of a capture that ends before its time, whoever ends it.
 * Each time the target must go on, without an open session, without a thread of one, its types
 * described anew to the next capture, and without a collection more than was announced.
 * HEAPTOP_KILLS
 * says how often each runtime is left alone (`make harm`); by default it is a few times.
 */
#define _GNU_SOURCE /* unshare() */
#include "tests/drive/captures.h"
#include "tests/drive/pty.h"
// clang-format off
#include "tests/drive/run_tests.h"
#include "tests/drive/files.h"
#include "tests/drive/shell.h"
// clang-format on
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A capture of so many takes some tenths of a second, or some seconds. */
static const char *const large[] = { "--list", "300000", NULL };
static const char *const very_large[] = { "--list", "3000000", NULL };

/* ---- unharmed ------------------------------------------------------------ */

/*
 * Two captures in a row, both whole. Between them the runtime has collected as often as the first
 * one said, and no more: nobody else's session ended late.
 */
static void
check_unharmed(struct target *t, const char *what)
{
	struct capture_cost first, second;

	check_no_session_left(t);
	first = check_capture_of_facts(t, what);
	check_no_session_left(t);
	second = check_capture_of_facts(t, what);
	if (second.walk.gc_number - first.walk.gc_number != first.collections)
		fail_msg("%s: %u collections from one capture to the next, of which %u were "
			 "announced",
			 what, second.walk.gc_number - first.walk.gc_number, first.collections);
	check_no_session_left(t);
	target_tell(t, "gc"); /* it still does its work */
}

/* ---- the program is killed ----------------------------------------------- */

static unsigned
kills_count(unsigned ordinary)
{
	const char *text = getenv("HEAPTOP_KILLS");
	unsigned long count = text ? strtoul(text, NULL, 10) : 0;

	return count ? (unsigned)count : ordinary;
}

static void
sleep_us(uint64_t us)
{
	struct timespec t = { .tv_sec = (time_t)(us / 1000000),
			      .tv_nsec = (long)(us % 1000000) * 1000 };

	nanosleep(&t, NULL);
}

static pid_t
start_capture(int32_t pid)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		struct capture_cost cost;
		struct error err;

		heap_free(capture_pid(pid, &cost, &err));
		_exit(0);
	}
	return child;
}

/* At any moment of a capture, each a little later than the one before. */
TEST(leaves_nothing_when_killed)
{
	enum { KILLS = 8 };
	unsigned kills = kills_count(KILLS);

	for (int i = 0; i < VERSIONS; i++) {
		struct capture_cost cost;
		struct target *t;

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, large, NULL);
		cost = check_capture_of_facts(t, "to see how long it takes");
		for (unsigned k = 0; k < kills; k++) {
			pid_t child = start_capture(target_pid(t));

			sleep_us((uint64_t)cost.total_ns / 1000 * k / kills);
			kill(child, SIGKILL);
			waitpid(child, NULL, 0);
		}
		/* What is the last word, and what not: test_kills. */
		if (has_last_word(versions[i]) && is_thread_left(t))
			check_next_collection_ends_it(t);
		check_unharmed(t, "after it was killed");
		target_free(t);
	}
}

/* ---- signals ------------------------------------------------------------- */

static void
number_text(char text[16], int32_t number)
{
	snprintf(text, 16, "%d", number);
}

static struct pty *
start_screen(struct target *t)
{
	static const char *const env[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", NULL };
	char pid[16];
	const char *argv[] = { program_path(), "--yes", pid, NULL };
	struct pty *p;

	number_text(pid, target_pid(t));
	p = pty_start(argv, env, 24, 80);
	assert_non_null(p);
	return p;
}

static pid_t
start_batch(struct target *t)
{
	char pid[16];
	const char *argv[] = { program_path(), "-b", "types", pid, NULL };
	pid_t child;

	number_text(pid, target_pid(t));
	fflush(NULL);
	child = fork();
	if (!child) {
		int nowhere = open("/dev/null", O_RDWR);

		dup2(nowhere, 0);
		dup2(nowhere, 1);
		dup2(nowhere, 2);
		execv(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	return child;
}

/* Until a session of the capture stands; false if it never does. */
static bool
wait_for_session(const struct target *t)
{
	enum { PATIENCE_MS = 60000 };
	struct process p;
	struct error err = { 0 };

	assert_true(process_look(&p, PROC_FOLDER, target_pid(t), &err));
	for (int ms = 0; ms < PATIENCE_MS; ms++) {
		if (process_sessions(&p, PROC_FOLDER))
			return true;
		poll(NULL, 0, 1);
	}
	return false;
}

/* In the middle of a capture, on the screen and without one. */
TEST(leaves_nothing_when_told_to_end)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	for (int i = 0; i < VERSIONS; i++) {
		struct target *t;

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, very_large, NULL);
		for (int k = 0; k < 3; k++) {
			struct pty *p = start_screen(t);
			pid_t batch;

			assert_true(wait_for_session(t));
			pty_signal(p, signals[k]);
			if (signals[k] == SIGINT)
				pty_send(p, "Q"); /* it cancels, no more */
			assert_true(pty_wait_end(p) >= 0);
			pty_free(p);
			check_no_session_left(t);

			batch = start_batch(t);
			assert_true(wait_for_session(t));
			kill(batch, signals[k]);
			waitpid(batch, NULL, 0);
			check_no_session_left(t);
		}
		check_unharmed(t, "after it was told to end");
		target_free(t);
	}
}

/* The connection to the terminal is cut. */
TEST(leaves_nothing_when_hung_up)
{
	struct target *t;
	struct pty *p;

	if (is_skipped("10.0"))
		return;
	t = target_start("10.0", TARGET_HERE, very_large, NULL);
	p = start_screen(t);
	assert_true(wait_for_session(t));
	pty_hang_up(p);
	assert_true(pty_wait_end(p) >= 0);
	pty_free(p);
	check_unharmed(t, "after the terminal went away");
	target_free(t);
}

/* ---- slow and full ------------------------------------------------------- */

/* Nobody reads what it draws: it waits, and the target does not. */
TEST(goes_on_while_the_terminal_is_stuck)
{
	enum { SCREENS = 200 }; /* more than the kernel keeps for a terminal */
	struct target *t;
	struct pty *p;

	if (is_skipped("10.0"))
		return;
	t = target_start("10.0", TARGET_HERE, very_large, NULL);
	p = start_screen(t);
	for (int i = 0; i < SCREENS; i++)
		pty_send(p, "?q");
	assert_true(wait_for_session(t));
	check_no_session_left(t);
	target_tell(t, "gc");
	assert_true(pty_wait_text(p, "Leaky.Link"));
	pty_free(p);
	check_unharmed(t, "after a slow terminal");
	target_free(t);
}

/* In the child: a file system with room for a few pages, seen by it alone. */
static bool
enter_full_disk(const char *folder)
{
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", folder, "tmpfs", 0, "size=64k");
}

/* What ended before its time is told apart from the program's own codes. */
enum { NOT_ALLOWED = 99 };

static int
capture_onto_full_disk(struct target *t, const char *folder, char *text, size_t size)
{
	char pid[16], path[64];
	const char *argv[] = { program_path(), "-b", "types", "-o", path, pid, NULL };
	size_t len = 0;
	ssize_t got;
	int out[2], status;
	pid_t child;

	number_text(pid, target_pid(t));
	snprintf(path, sizeof(path), "%s/kept.nettrace", folder);
	assert_int_equal(pipe(out), 0);
	fflush(NULL);
	child = fork();
	if (!child) {
		if (!enter_full_disk(folder))
			_exit(NOT_ALLOWED);
		dup2(out[1], 1);
		dup2(out[1], 2);
		close(out[0]);
		close(out[1]);
		execv(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	close(out[1]);
	while (len + 1 < size && (got = read(out[0], text + len, size - 1 - len)) > 0)
		len += (size_t)got;
	text[len] = '\0';
	close(out[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The heap is shown all the same; that its events are not kept is said. */
TEST_IN_FOLDER(goes_on_when_the_disk_is_full)
{
	static char text[1 << 18];
	struct target *t;
	int status;

	if (is_skipped("10.0"))
		return;
	t = target_start("10.0", TARGET_HERE, NULL, NULL);
	status = capture_onto_full_disk(t, folder_path(), text, sizeof(text));
	if (status == NOT_ALLOWED) {
		printf("skipped: namespaces are not allowed here\n");
	} else {
		assert_int_equal(status, 6);
		if (!strstr(text, "cannot save the events to ") || !strstr(text, "No space left") ||
		    !strstr(text, "Leaky.Session"))
			fail_msg("%s", text);
		check_unharmed(t, "after the disk was full");
	}
	target_free(t);
}

/* ---- cancelled, or without a target, on the way -------------------------- */

struct intruder {
	struct capture_watch watch;
	struct progress progress;
	int32_t victim; /* 0: cancels */
	int signal;
	atomic_bool is_over;
};

/* As soon as the first events are here. */
static void *
intrude(void *argument)
{
	struct intruder *in = argument;

	while (!atomic_load(&in->watch.bytes) && !atomic_load(&in->is_over))
		sched_yield();
	if (in->victim)
		kill(in->victim, in->signal);
	else
		progress_cancel(&in->progress);
	return NULL;
}

/* `number`: what becomes of the target; 0: the capture is cancelled. */
static const struct heap *
capture_intruded(struct target *t, int number, struct capture_cost *cost, struct error *err)
{
	struct live_target target = { .pid = target_pid(t) };
	struct capture_options options = { 0 };
	struct intruder in = { .victim = number ? target_pid(t) : 0, .signal = number };
	const struct heap *h;
	pthread_t thread;

	error_clear(err);
	assert_int_equal(pthread_create(&thread, NULL, intrude, &in), 0);
	h = capture_load(&target, &options, &in.watch, &in.progress, NULL, cost, err);
	atomic_store(&in.is_over, true);
	pthread_join(thread, NULL);
	return h;
}

TEST(leaves_nothing_when_cancelled)
{
	for (int i = 0; i < VERSIONS; i++) {
		struct capture_cost cost;
		struct target *t;
		struct error err;

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, very_large, NULL);
		assert_null(capture_intruded(t, 0, &cost, &err));
		assert_int_equal(err.kind, ERROR_CANCELLED);
		check_unharmed(t, "after it was cancelled");
		target_free(t);
	}
}

/*
 * Stopped as by ^Z, in the middle: that is said after some seconds. When the target goes on it
 * finds the orders to end the sessions.
 */
TEST(gives_up_when_the_target_is_stopped)
{
	for (int i = 0; i < VERSIONS; i++) {
		struct capture_cost cost;
		struct target *t;
		struct error err;

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, very_large, NULL);
		assert_null(capture_intruded(t, SIGSTOP, &cost, &err));
		assert_int_equal(err.kind, ERROR_ATTACH);
		assert_ok(strstr(err.message, "it is stopped; resume it with kill -CONT"), &err);
		kill(target_pid(t), SIGCONT);
		check_unharmed(t, "after it was stopped");
		target_free(t);
	}
}

/* As for want of memory. What had come until then, labelled, or a sentence. */
TEST(survives_the_death_of_the_target)
{
	for (int i = 0; i < VERSIONS; i++) {
		struct capture_cost cost;
		const struct heap *h;
		struct target *t;
		struct error err;

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, very_large, NULL);
		h = capture_intruded(t, SIGKILL, &cost, &err);
		if (h) {
			assert_true(heap_check(h, &err));
			assert_true(cost.is_complete || h->info.warnings_count > 0);
		} else {
			assert_int_equal(err.kind, ERROR_ATTACH);
			printf("%s\n", err.message);
		}
		heap_free(h);
		target_free(t);
	}
}
