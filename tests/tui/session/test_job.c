/* One computation: at once, on a thread of its own, failing and stopped. */
#define _DEFAULT_SOURCE /* getpriority() */
#include "model/base/low_priority.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include <sched.h>
#include <sys/resource.h>

static bool
run_and_count(void *context, struct progress *progress, struct error *err)
{
	int *runs = context;

	(void)progress;
	++*runs;
	return *runs < 3 || error_set(err, ERROR_SYSTEM, "three is too many");
}

TEST(test_job_at_once)
{
	struct error err = { 0 };
	int runs = 0;
	struct job *j = job_start("counting", run_and_count, &runs, (struct waker){ 0 }, &err);

	assert_int_equal(runs, 1);
	assert_true(job_is_done(j));
	assert_true(job_finish(j, &err));
}

TEST(test_job_fails)
{
	struct error err = { 0 };
	int runs = 2;
	struct job *j = job_start("counting", run_and_count, &runs, jobs_on_threads(), &err);

	assert_non_null(j);
	assert_string_equal(job_what(j), "counting");
	assert_false(job_finish(j, &err));
	assert_string_equal(err.message, "three is too many");
}

TEST(test_job_cancelled)
{
	struct error err = { 0 };
	atomic_bool has_begun = false;
	unsigned before = jobs_wakes();
	struct job *j =
	    job_start("waiting", run_until_cancelled, &has_begun, jobs_on_threads(), &err);

	while (!atomic_load(&has_begun))
		sched_yield();
	assert_false(job_is_done(j));
	job_cancel(j);
	assert_false(job_finish(j, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	assert_int_equal(jobs_wakes(), before + 1);
}

TEST(test_everything_is_cancelled)
{
	struct error err = { 0 };
	atomic_bool has_begun = false;
	char text[64];
	struct job *j =
	    job_start("waiting", run_until_cancelled, &has_begun, jobs_on_threads(), &err);

	while (!atomic_load(&has_begun))
		sched_yield();
	assert_true(job_describe_latest(text, sizeof text));
	assert_string_equal(text, "waiting");
	progress_cancel_all(true);
	assert_false(job_finish(j, &err));
	progress_cancel_all(false);
	assert_int_equal(err.kind, ERROR_CANCELLED);
	assert_false(job_describe_latest(text, sizeof text));
}

/* ---- giving way ---------------------------------------------------------- */

struct seen {
	int nice;
	pthread_t thread;
};

static bool
run_and_see(void *context, struct progress *progress, struct error *err)
{
	struct seen *seen = context;

	(void)progress;
	(void)err;
	seen->nice = getpriority(PRIO_PROCESS, 0);
	seen->thread = pthread_self();
	/* What it was refused counts for who waits for it. */
	memory_refused_add((struct memory_refused){ .count = 3 });
	return true;
}

static void
see(void *context)
{
	run_and_see(context, NULL, NULL);
}

/* The work has a low priority; who waits for it, and what comes later, not. */
TEST(test_work_gives_way)
{
	int own = getpriority(PRIO_PROCESS, 0);
	struct memory_refused before = memory_refused();
	struct waker wakers[] = { { 0 }, jobs_on_threads() };
	struct error err = { 0 };
	struct seen seen;

	for (int i = 0; i < 2; i++) {
		struct job *j =
		    job_start_low_priority("seeing", run_and_see, &seen, wakers[i], &err);

		assert_true(job_finish(j, &err));
		assert_int_equal(seen.nice, own > 10 ? own : 10);
		j = job_start("seeing", run_and_see, &seen, wakers[i], &err);
		assert_true(job_finish(j, &err));
		assert_int_equal(seen.nice, own);
	}
	assert_int_equal(memory_refused().count, before.count);
	low_priority_run(see, &seen);
	assert_int_equal(seen.nice, own > 10 ? own : 10);
	assert_false(pthread_equal(seen.thread, pthread_self()));
	assert_int_equal(memory_refused().count, before.count + 3);
	assert_int_equal(getpriority(PRIO_PROCESS, 0), own);
}
