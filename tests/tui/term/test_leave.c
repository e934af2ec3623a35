/* Leaving while a job does not stop: the program ends all the same. */
#include "tui/term/leave.h"
#include "model/base/clock.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STUBBORN_MS = 100000, LIMIT_MS = 20000 };

/* Like a function of a library that looks at nothing. */
static bool
run_stubbornly(void *context, struct progress *progress, struct error *err)
{
	(void)context;
	(void)progress;
	(void)err;
	poll(NULL, 0, STUBBORN_MS);
	return true;
}

/* Waits for a job that does not stop, as a view does that is closed. */
static void
wait_for_stubborn(void)
{
	struct error err = { 0 };
	struct job *j = job_start("computing", run_stubbornly, NULL, jobs_on_threads(), &err);

	if (!j)
		_exit(3);
	job_cancel(j);
	_exit(job_finish(j, &err) ? 4 : 5);
}

/* Runs it in a process of its own, which must leave. Its words: `said`. */
static void
expect_end(void (*run)(void), char *said, size_t said_size)
{
	int64_t since_ns = clock_ns();
	int ends[2], status;
	ssize_t len;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		run();
		_exit(6);
	}
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), LEAVE_CODE);
	assert_true(clock_ns() - since_ns < LIMIT_MS * INT64_C(1000000));
	len = read(ends[0], said, said_size - 1);
	said[len > 0 ? len : 0] = '\0';
	close(ends[0]);
}

static void
leave_in_a_second(void)
{
	leave_within(1);
	leave_within(STUBBORN_MS); /* the first counts */
	wait_for_stubborn();
}

TEST(leaving_has_a_limit)
{
	char said[256];

	expect_end(leave_in_a_second, said, sizeof said);
	assert_non_null(strstr(said, "left without waiting"));
}

static void
give_up(void *context, const char *what)
{
	int *calls = context;

	if (++*calls == 3 && !strcmp(what, "computing"))
		leave_now();
}

static void
ask_meanwhile(void)
{
	static int calls;

	job_set_meanwhile(give_up, &calls);
	wait_for_stubborn();
}

/* The screen looks for keys then. */
TEST(a_job_that_does_not_stop_can_be_left)
{
	char said[256];

	expect_end(ask_meanwhile, said, sizeof said);
	assert_non_null(strstr(said, "left without waiting"));
}

TESTS_BETWEEN(NULL, NULL);
