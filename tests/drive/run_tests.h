#ifndef TESTS_DRIVE_RUN_TESTS_H
#define TESTS_DRIVE_RUN_TESTS_H

/*
 * A test program is its tests: each registers itself where it begins, and the main() in main.c runs
 * them in the order in which they stand in the file.
 * It ends with the line that `make check` adds up. cmocka wants these headers before its own.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
// clang-format on

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
/* Fails with the message of a struct error unless that went well. */
#define assert_ok(ok, err)                                                                         \
	do {                                                                                       \
		if (!(ok))                                                                         \
			fail_msg("%s", (err)->message);                                            \
	} while (0)

/* Begins a test. `state` is what its set-up hands to it, which most tests do not need. */
#define TEST(id) TEST_BETWEEN(id, NULL, NULL)
/* The same between two functions that return 0 if they went well, or NULL. */
#define TEST_BETWEEN(id, set_up, tear_down)                                                        \
	BEGIN_TEST(id, .name = #id, .before = (set_up), .after = (tear_down))
/*
 * Begins a test of each row of a table: a row begins with the test's name, and `*state` is the row.
 */
#define TEST_ROWS(id, table) BEGIN_TEST(id, ROWS_OF(table))
/* The same with a function that stands elsewhere. */
#define RUN_ROWS(code, table)                                                                      \
	REGISTER_TEST(code##_##table, code, ROWS_OF(table))                                        \
	struct test
/* Runs all tests of the program between two such functions, or NULL. */
#define TESTS_BETWEEN(set_up, tear_down)                                                           \
	__attribute__((constructor)) static void register_between(void)                            \
	{                                                                                          \
		tests_between(set_up, tear_down);                                                  \
	}                                                                                          \
	struct test

/*
 * The test that runs owns the object: it is released at its end, the last one first, unless the
 * test gives it up.
 */
void test_owns(void *object, void (*release)(void *object));
void test_disowns(const void *object);

/* A registered test, or one test for each wanted row of a table. */
struct test {
	const char *file, *name;
	int line;
	CMUnitTestFunction function;
	CMFixtureFunction before, after, end;
	const void *rows;
	size_t rows_count, row_bytes;
	bool (*is_wanted)(const void *row); /* NULL: each */
	struct test *next;
};

#define ROWS_OF(table)                                                                             \
	.rows = (table), .rows_count = COUNT_OF(table), .row_bytes = sizeof((table)[0])
#define BEGIN_TEST(id, ...)                                                                        \
	static void id(void **state);                                                              \
	REGISTER_TEST(id, id, __VA_ARGS__)                                                         \
	static void id(__attribute__((unused)) void **state)
#define REGISTER_TEST(id, code, ...)                                                               \
	static struct test registered_##id;                                                        \
	static int end_##id(void **state)                                                          \
	{                                                                                          \
		return test_end(&registered_##id, state);                                          \
	}                                                                                          \
	__attribute__((constructor)) static void register_##id(void)                               \
	{                                                                                          \
		registered_##id = (struct test){ .file = __FILE__,                                 \
						 .line = __LINE__,                                 \
						 .function = (code),                               \
						 .end = end_##id,                                  \
						 __VA_ARGS__ };                                    \
		test_register(&registered_##id);                                                   \
	}

/* Borrows the test until the program ends. */
void test_register(struct test *test);
void tests_between(CMFixtureFunction before, CMFixtureFunction after);
int test_end(const struct test *test, void **state);
int tests_run(void);

#endif
