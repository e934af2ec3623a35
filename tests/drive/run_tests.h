#ifndef TESTS_DRIVE_RUN_TESTS_H
#define TESTS_DRIVE_RUN_TESTS_H

/*
 * Ends a test program: runs the table and prints the line that `make check`
 * adds up. cmocka wants these headers before its own.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
// clang-format on

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Begins a test: a function for a row of struct CMUnitTest. `state` is what
 * cmocka hands to it, which most tests do not need.
 */
#define TEST(name) static void name(__attribute__((unused)) void **state)

/* Tests of the rows of a table: each row begins with the test's name. */
struct test_rows {
	CMUnitTestFunction test; /* `*state` is the row */
	const void *rows;
	size_t rows_count, row_bytes;
};
#define ROWS(test, rows)                                                       \
	{                                                                      \
		test, rows, COUNT_OF(rows), sizeof((rows)[0])                  \
	}

/* An obsolete macro of cmocka has the name. */
#undef run_tests
#define run_tests(tests) run_tests_named(__FILE__, tests, COUNT_OF(tests))
/* The tests of all rows, then the others: run_tests_of_rows(others, ROWS(…), …)
 */
#define run_tests_of_rows(others, ...)                                         \
	run_tests_and_rows(                                                    \
	    __FILE__, others, COUNT_OF(others),                                \
	    (const struct test_rows[]){ __VA_ARGS__, { NULL, NULL, 0, 0 } })

#define run_rows(...)                                                          \
	run_tests_and_rows(                                                    \
	    __FILE__, NULL, 0,                                                 \
	    (const struct test_rows[]){ __VA_ARGS__, { NULL, NULL, 0, 0 } })

static inline int
run_tests_named(const char *name, const struct CMUnitTest *tests, size_t count)
{
	int failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);

	if (failed < 0)
		failed = (int)count;
	printf("%zu passed, %d failed\n", count - (size_t)failed, failed);
	return failed ? 1 : 0;
}

static inline int
run_tests_and_rows(const char *name, const struct CMUnitTest *others,
		   size_t others_count, const struct test_rows *tables)
{
	struct CMUnitTest *tests, *test;
	size_t count = others_count;
	int status;

	for (const struct test_rows *t = tables; t->test; t++)
		count += t->rows_count;
	tests = test = calloc(count + 1, sizeof(*tests));
	if (!tests)
		return 1;
	for (const struct test_rows *t = tables; t->test; t++)
		for (size_t i = 0; i < t->rows_count; i++) {
			const char *row =
			    (const char *)t->rows + i * t->row_bytes;

			test->name = *(const char *const *)(const void *)row;
			test->test_func = t->test;
			test->initial_state = (void *)(uintptr_t)row;
			test++;
		}
	for (size_t i = 0; i < others_count; i++)
		*test++ = others[i];
	status = run_tests_named(name, tests, count);
	free(tests);
	return status;
}

#endif
