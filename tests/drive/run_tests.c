#include "tests/drive/run_tests.h"

enum { RELEASES_MAX = 8192 };

static struct test *first; /* in the order of their lines */
static CMFixtureFunction before_all, after_all;
static struct {
	void (*release)(void *object);
	void *object;
} releases[RELEASES_MAX];
static size_t releases_count;

void
test_register(struct test *test)
{
	struct test **at = &first;

	while (*at && (*at)->line < test->line)
		at = &(*at)->next;
	test->next = *at;
	*at = test;
}

void
tests_between(CMFixtureFunction before, CMFixtureFunction after)
{
	before_all = before;
	after_all = after;
}

void
test_owns(void *object, void (*release)(void *object))
{
	assert_true(releases_count < RELEASES_MAX);
	releases[releases_count].release = release;
	releases[releases_count++].object = object;
}

void
test_disowns(const void *object)
{
	for (size_t i = releases_count; i-- > 0;)
		if (releases[i].object == object) {
			releases[i] = releases[--releases_count];
			return;
		}
}

int
test_end(const struct test *test, void **state)
{
	while (releases_count) {
		releases_count--;
		releases[releases_count].release(releases[releases_count].object);
	}
	return test->after ? test->after(state) : 0;
}

static size_t
rows_count(const struct test *test)
{
	return test->rows ? test->rows_count : 1;
}

static const char *
name_of(const void *row)
{
	return *(const char *const *)row;
}

static void
list_test(struct CMUnitTest *tests, size_t *count, const struct test *t, size_t i)
{
	const char *row = t->rows;

	if (row)
		row += i * t->row_bytes;
	if (t->is_wanted && !t->is_wanted(row))
		return;
	tests[(*count)++] = (struct CMUnitTest){
		.name = row ? name_of(row) : t->name,
		.test_func = t->function,
		.setup_func = t->before,
		.teardown_func = t->end,
		.initial_state = (void *)(uintptr_t)row,
	};
}

/*
 * Returns the tests of all rows and of what has none; free with free(). Tests of one table that
 * stand one behind the other share what is made for a row.
 */
static struct CMUnitTest *
list_tests(size_t *count)
{
	struct CMUnitTest *tests;
	const struct test *end;
	size_t room = 1;

	for (const struct test *t = first; t; t = t->next)
		room += rows_count(t);
	tests = calloc(room, sizeof(*tests));
	*count = 0;
	for (const struct test *t = first; tests && t; t = end) {
		for (end = t->next; end && t->rows && end->rows == t->rows;)
			end = end->next;
		for (size_t i = 0; i < rows_count(t); i++)
			for (const struct test *of = t; of != end; of = of->next)
				list_test(tests, count, of, i);
	}
	return tests;
}

/* Returns how many failed: all, if what comes before them does. */
static size_t
run_tests_between(const struct CMUnitTest *tests, size_t count)
{
	int failed;

	if (before_all && before_all(NULL)) {
		printf("what comes before the tests failed\n");
		return count;
	}
	failed = _cmocka_run_group_tests(first->file, tests, count, NULL, NULL);
	if (failed < 0)
		return count;
	if (after_all && after_all(NULL)) {
		printf("what comes after the tests failed\n");
		failed += !failed;
	}
	return (size_t)failed;
}

int
tests_run(void)
{
	size_t count, failed;
	struct CMUnitTest *tests = list_tests(&count);

	if (!tests || !count) {
		printf("no tests\n0 passed, 1 failed\n");
		return 1;
	}
	failed = run_tests_between(tests, count);
	printf("%zu passed, %zu failed\n", count - failed, failed);
	free(tests);
	return failed ? 1 : 0;
}
