/* One computation: at once, on a thread of its own, failing and stopped. */
#include "tests/jobs.h"
#include "tests/run_tests.h"
#include <sched.h>

static bool
run_and_count(void *context, struct progress *progress, struct error *err)
{
	int *runs = context;

	(void)progress;
	++*runs;
	return *runs < 3 || error_set(err, ERROR_SYSTEM, "three is too many");
}

static void
test_job_at_once(void **state)
{
	struct error err = { 0 };
	int runs = 0;
	struct job *j = job_start("counting", run_and_count, &runs,
				  (struct waker){ 0 }, &err);

	(void)state;
	assert_int_equal(runs, 1);
	assert_true(job_is_done(j));
	assert_true(job_finish(j, &err));
}

static void
test_job_fails(void **state)
{
	struct error err = { 0 };
	int runs = 2;
	struct job *j = job_start("counting", run_and_count, &runs,
				  jobs_on_threads(), &err);

	(void)state;
	assert_non_null(j);
	assert_string_equal(job_what(j), "counting");
	assert_false(job_finish(j, &err));
	assert_string_equal(err.message, "three is too many");
}

static void
test_job_cancelled(void **state)
{
	struct error err = { 0 };
	atomic_bool has_begun = false;
	unsigned before = jobs_wakes();
	struct job *j = job_start("waiting", run_until_cancelled, &has_begun,
				  jobs_on_threads(), &err);

	(void)state;
	while (!atomic_load(&has_begun))
		sched_yield();
	assert_false(job_is_done(j));
	job_cancel(j);
	assert_false(job_finish(j, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	assert_int_equal(jobs_wakes(), before + 1);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_job_at_once),
		cmocka_unit_test(test_job_fails),
		cmocka_unit_test(test_job_cancelled),
	};

	return run_tests(tests);
}
