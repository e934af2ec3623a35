/*
 * How the program ends when signals come at a bad time: many of them, to a terminal that takes
 * nothing, in the background. The terminal is the shell's again in any case.
 */
#define _DEFAULT_SOURCE /* SA_ONSTACK */
#include "model/base/clock.h"
#include "model/base/thread.h"
#include "tests/drive/started.h"
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define DUMP "tests/data/leaky-10.gcdump"
enum { STARTS = 40, ROWS = 22 /* above the message */ };
enum { PAUSE_MS = 5, QUIET_MS = 200, DEAF_MS = 2000, PATIENCE_MS = 120000 };

static struct pty *
start_program(void)
{
	/* Nothing on the screen is of the moment in which it is drawn. */
	const char *const arguments[] = { "-x", "set nometer", DUMP, NULL };
	struct pty *p = started(arguments, NULL, 24, 80);

	assert_true(pty_wait_text(p, "48.0%"));
	return p;
}

static void
wait_until_quiet(struct pty *p)
{
	assert_true(pty_wait_quiet(p, QUIET_MS));
}

/*
 * It hangs, as the terminal takes nothing of what it sends, and is told to end until it dies, each
 * time otherwise than before.
 */
TEST_AT_HOME(dies_with_the_shells_modes)
{
	static const int numbers[] = { SIGTERM, SIGHUP };
	struct pty *p = start_program();
	int status;

	pty_stop_output(p);
	for (int i = 0; i < PATIENCE_MS / 100 && !pty_ends_within(p, 100); i++)
		pty_signal(p, numbers[i % 2]);
	status = pty_wait_end(p);
	assert_true(WIFSIGNALED(status));
	assert_true(WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGHUP);
	assert_true(pty_modes_are_kept(p));
	pty_free(p);
}

/* Killed as soon as it has touched the terminal. */
TEST_AT_HOME(the_first_moment_is_covered)
{
	for (int i = 0; i < STARTS; i++) {
		struct pty *p = started_on_dump(NULL, 24, 80);

		while (pty_modes_are_kept(p) && !pty_ends_within(p, 0))
			;
		pty_signal(p, SIGQUIT);
		assert_true(WIFSIGNALED(pty_wait_end(p)));
		assert_true(pty_modes_are_kept(p));
		pty_free(p);
	}
}

/* It may be told while it runs, which is no fault that comes again. */
TEST_AT_HOME(the_end_of_its_time_ends_it)
{
	static const char command[] = "ulimit -S -t 1; exec \"$0\" " DUMP;
	const char *const argv[] = { "/bin/sh", "-c", command, program_path(), NULL };
	struct pty *p = started_other(argv, NULL, 24, 80);
	int status;

	for (int i = 0; i < PATIENCE_MS / PAUSE_MS && !pty_ends_within(p, PAUSE_MS); i++)
		pty_send(p, "xRx");
	status = pty_wait_end(p);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
	assert_true(pty_modes_are_kept(p));
	assert_false(pty_is_alternate(p));
	pty_free(p);
}

/* Told to end by somebody in a hurry, while it only has much to send. */
TEST_AT_HOME(a_burst_does_not_kill)
{
	struct pty *p = start_program();
	int64_t start_ns = clock_ns();
	int status;

	pty_stop_output(p);
	for (int i = 0; i < 8; i++) {
		pty_signal(p, SIGTERM);
		poll(NULL, 0, PAUSE_MS); /* or several would be one */
	}
	if ((clock_ns() - start_ns) / 1000000 < DEAF_MS) {
		pty_start_output(p);
		status = pty_wait_end(p);
		assert_true(WIFEXITED(status));
		assert_true(pty_modes_are_kept(p));
		assert_false(pty_is_alternate(p));
	}
	pty_free(p);
}

/* The shell tells it with its next prompt. */
static bool
says_done(struct pty *p)
{
	for (int ms = 0; ms < PATIENCE_MS; ms += QUIET_MS) {
		pty_send(p, "jobs\n");
		wait_until_quiet(p);
		if (pty_has_sent(p, " Done"))
			return true;
	}
	return false;
}

/*
 * Where reading what is typed to the shell, or setting the terminal's modes, would stop it again,
 * for ever. The second line is typed while the shell has all that it asked for, so it is there to
 * be read by anybody.
 */
TEST_AT_HOME(ends_in_the_background)
{
	static const struct {
		const char *option, *ready;
		int stop;
	} rows[] = {
		{ "", "Session[]", SIGTSTP },
		{ "", "Session[]", SIGSTOP },
		{ "--linear", "row 1 of", SIGTSTP },
		{ "--linear", "row 1 of", SIGSTOP },
	};
	char arguments[80];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct pty *p;

		snprintf(arguments, sizeof(arguments), "%s %s", rows[i].option, DUMP);
		p = started_in_shell(arguments);
		assert_true(pty_wait_text(p, rows[i].ready));
		pty_signal_job(p, rows[i].stop);
		assert_true(pty_wait_bytes(p, "Stopped"));
		pty_send(p, "echo ta''king; read line; kill -TERM %1; kill -CONT %1; wait %1\n");
		assert_true(pty_wait_bytes(p, "taking"));
		pty_send(p, "a line\n: another\n");
		assert_true(says_done(p));
		pty_send(p, "exit\n");
		assert_true(WIFEXITED(pty_wait_end(p)));
		assert_true(pty_modes_are_kept(p));
		assert_false(pty_is_alternate(p));
		pty_free(p);
	}
}

/* ^C throws away what a terminal has not read yet, unless it is told not to. */
TEST_AT_HOME(interrupts_lose_nothing_on_the_screen)
{
	struct pty *p = start_program();
	char rows[ROWS][256];

	wait_until_quiet(p);
	/* More than the 4 KiB that Linux puts aside for who reads. */
	pty_send(p, "\fj\fj\fj\fj\fj\fj");
	poll(NULL, 0, QUIET_MS);
	pty_send(p, "\003");
	poll(NULL, 0, QUIET_MS);
	wait_until_quiet(p);
	for (int row = 0; row < ROWS; row++)
		snprintf(rows[row], sizeof(rows[row]), "%s", pty_row(p, row));
	pty_send(p, "\f"); /* draws all anew */
	wait_until_quiet(p);
	for (int row = 0; row < ROWS; row++)
		assert_string_equal(rows[row], pty_row(p, row));
	pty_free(p);
}

/* --- threads ------------------------------------------------------------- */

static void *
ask_mask(void *context)
{
	pthread_sigmask(SIG_SETMASK, NULL, context);
	return NULL;
}

TEST_AT_HOME(threads_are_spared_the_signals)
{
	static const int spared[] = { SIGHUP, SIGTERM, SIGINT, SIGTSTP, SIGCONT, SIGQUIT, SIGIO };
	static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGABRT };
	sigset_t mask, before, after;
	pthread_t thread;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	assert_int_equal(thread_start(&thread, ask_mask, &mask), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	for (size_t i = 0; i < COUNT_OF(spared); i++) {
		assert_true(sigismember(&mask, spared[i]));
		assert_int_equal(sigismember(&before, spared[i]), sigismember(&after, spared[i]));
	}
	for (size_t i = 0; i < COUNT_OF(own); i++)
		assert_false(sigismember(&mask, own[i]));
}

static void
note_fault(int number)
{
	(void)number;
	_exit(7);
}

static void *
run_out_of_stack(void *context)
{
	volatile char frame[4096];

	frame[0] = 0;
	if (context)
		context = run_out_of_stack(context);
	return frame[0] ? NULL : context;
}

/* A handler runs there, too: it gives the terminal back. */
TEST(threads_that_run_out_of_stack_are_told)
{
	struct sigaction action = { .sa_handler = note_fault, .sa_flags = SA_ONSTACK };
	pthread_t thread;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		sigaction(SIGSEGV, &action, NULL);
		if (!thread_start(&thread, run_out_of_stack, &action))
			pthread_join(thread, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

static int
leave_no_cores(void **state)
{
	const struct rlimit none = { 0, 0 };

	(void)state;
	return setrlimit(RLIMIT_CORE, &none);
}
TESTS_BETWEEN(leave_no_cores, NULL);
