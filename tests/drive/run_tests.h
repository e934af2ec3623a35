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
#include <cmocka.h>
// clang-format on

/* An obsolete macro of cmocka has the name. */
#undef run_tests
#define run_tests(tests)                                                       \
	run_tests_named(__FILE__, tests, sizeof(tests) / sizeof((tests)[0]))

static inline int
run_tests_named(const char *name, const struct CMUnitTest *tests, size_t count)
{
	int failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);

	if (failed < 0)
		failed = (int)count;
	printf("%zu passed, %d failed\n", count - (size_t)failed, failed);
	return failed ? 1 : 0;
}

#endif
