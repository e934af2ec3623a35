/* Limits of queries: they are cancelled in time, and parsing ends. */
#include "model/sql/sql.h"
#include "tests/drive/run_tests.h"
#include <pthread.h>
#include <string.h>
#include <time.h>

static const char endless[] =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

TEST(cancelled)
{
	struct progress progress = { .is_cancelled = true };
	struct sql_result result;
	struct error err = { 0 };

	assert_false(sql_run(endless, NULL, 0, &progress, &result, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
}

/* Parsing ends although a few lines stand for 2^40 tables. */
TEST(parsing_ends)
{
	static char query[8192];
	struct error err = { 0 };
	unsigned needs;
	size_t len = (size_t)snprintf(query, sizeof query, "SELECT 1; WITH t0 AS (SELECT 1)");

	for (int i = 1; i <= 40; i++)
		len += (size_t)snprintf(query + len, sizeof query - len,
					", t%d AS (SELECT 1 FROM t%d AS a, t%d AS b)", i, i - 1,
					i - 1);
	snprintf(query + len, sizeof query - len, " SELECT 1 FROM t40");
	assert_false(sql_parse(query, &needs, &err));
	assert_non_null(strstr(err.message, "one query at a time"));
	error_clear(&err);
	assert_false(sql_parse(query + strlen("SELECT 1; "), &needs, &err));
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_non_null(strstr(err.message, "stands for too many others"));
}

/* A query that runs on a thread, until it is cancelled. */
struct timed_query {
	const char *text;
	struct progress progress;
	double ended;
};

static double
seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *
run_timed(void *context)
{
	struct timed_query *q = context;
	struct sql_result result;
	struct error err = { 0 };

	if (sql_run(q->text, NULL, 0, &q->progress, &result, &err))
		sql_result_clear(&result);
	q->ended = seconds_now();
	return NULL;
}

static double
seconds_of(struct timed_query *q, double cancel_after)
{
	double begun = seconds_now();
	pthread_t thread;

	q->progress = (struct progress){ 0 };
	assert_int_equal(pthread_create(&thread, NULL, run_timed, q), 0);
	if (cancel_after > 0) {
		const long ns = (long)(cancel_after * 1e9), second = 1000000000;
		const struct timespec t = { ns / second, ns % second };

		nanosleep(&t, NULL);
		progress_cancel(&q->progress);
		begun = seconds_now();
	}
	pthread_join(thread, NULL);
	return q->ended - begun;
}

/* Sorting is the longest step of a query. */
TEST(cancelled_while_it_sorts)
{
	struct timed_query q = { .text = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
					 "FROM n LIMIT 700000) SELECT sum(r) FROM (SELECT "
					 "row_number() OVER (ORDER BY random()) r FROM n)" };
	double whole;
	int late = 0;

	whole = seconds_of(&q, 0);
	for (int i = 1; i < 16; i++)
		late += seconds_of(&q, whole * i / 16) > whole / 8;
	/* Sorted in one step it would be late at more than every third moment; a machine that is
	   busy may be so now and then. */
	if (late > 2)
		fail_msg("a query of %.0f ms was late to end at %d of 15 moments", whole * 1e3,
			 late);
}
