/*
 * Cores that .NET wrote of a crash. What the crashed thread's stack holds is found, although the
 * thread runs on another stack by then. A dump without the heap shows threads, and gets one answer
 * from every other command.
 */
#include "tests/drive/crashed.h"
// clang-format off
#include "tests/drive/run_tests.h"
#include "tests/drive/shell.h"
#include "tests/drive/heaps.h"
// clang-format on
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const versions[] = { "8.0", "9.0", "10.0", "11.0" };
enum { VERSIONS = COUNT_OF(versions) };

static bool
has_stack_root(const struct heap *h, node_id n)
{
	for (uint32_t i = 0; i < h->roots_count; i++)
		if (h->roots[i].object == n &&
		    (h->roots[i].kind == ROOT_STACK || h->roots[i].kind == ROOT_STACK_WORD))
			return true;
	return false;
}

/* Only threads of the program know these; one of them is the crashed one. */
static void
check_locals(const char *version, const struct heap *h)
{
	unsigned count = 0;

	for (node_id n = 0; n < h->nodes_count; n++) {
		const char *name = h->types[heap_type_of(h, n)].name;

		if (strcmp(name, "Leaky.OnStack") != 0)
			continue;
		count++;
		if (!has_stack_root(h, n))
			fail_msg(".NET %s: a local has no root", version);
	}
	assert_true(count >= 1);
	assert_int_equal(h->info.warnings_count, 0);
}

TEST(finds_locals)
{
	for (unsigned i = 0; i < VERSIONS; i++) {
		const struct heap *h;
		struct error err = { 0 };
		char path[300];

		if (!crashed_core(versions[i], CRASHED_HEAP, path, sizeof(path)))
			continue;
		h = heap_at(path, LOAD_ALL, &err);
		unlink(path);
		if (!h)
			fail_msg(".NET %s: %s", versions[i], err.message);
		check_locals(versions[i], h);
		heap_free(h);
	}
}

/* --- dumps without the heap --- */

enum { EXIT_INPUT = 5 };

/* What stands before the file and behind it. */
static const struct {
	const char *before, *behind;
} questions[] = {
	{ "-b types", "" },
	{ "-b verify", "" },
	{ "-b findings", "" },
	{ "-b roots", "" },
	{ "-b segments", "" },
	{ "-b 'path System.String'", "" },
	{ "-b 'find \"a\"'", "" },
	{ "--probe", "" },
	{ "check --max System.String=1000000", "" },
	{ "convert", "-" },
};

/* What it says on the standard error, 0-terminated; returns the exit code. */
static int
ask(size_t question, const char *path, char *said, size_t size)
{
	return shell_prints(said, size, "%s %s %s %s 2>&1 >/dev/null", program_path(),
			    questions[question].before, path, questions[question].behind);
}

static void
check_answers(const char *version, const char *path)
{
	char first[1000] = "", said[1000];

	for (size_t i = 0; i < COUNT_OF(questions); i++) {
		int code = ask(i, path, said, sizeof(said));

		if (!first[0])
			snprintf(first, sizeof(first), "%s", said);
		if (code != EXIT_INPUT || strcmp(said, first) != 0)
			fail_msg(".NET %s: %s ends with %d: %s", version, questions[i].before, code,
				 said);
	}
	assert_non_null(strstr(first, "Mini and Triage"));
	assert_non_null(strstr(first, "DOTNET_DbgMiniDumpType=2"));
}

/* A dump without a heap has the calls of all threads, as a full one has. */
static void
check_threads(const char *version, const char *path)
{
	char said[8000];

	if (shell_prints(said, sizeof(said), "%s --csv -b threads %s 2>&1", program_path(), path))
		fail_msg(".NET %s: threads: %s", version, said);
	assert_non_null(strstr(said, "this dump has no heap"));
	assert_non_null(strstr(said, ",Leaky.Program.Main,"));
	assert_non_null(strstr(said, ",.NET Finalizer,"));
	if (shell_prints(said, sizeof(said), "%s -b 'clrstack 1' %s 2>&1", program_path(), path))
		fail_msg(".NET %s: clrstack: %s", version, said);
	if (!strstr(said, "Leaky.Program.Main(string[])"))
		fail_msg(".NET %s: clrstack: %s", version, said);
	if (shell_prints(said, sizeof(said), "%s -b 'sql select module from modules' %s 2>&1",
			 program_path(), path))
		fail_msg(".NET %s: sql: %s", version, said);
	assert_non_null(strstr(said, "leaky.dll"));
}

TEST(answers_alike)
{
	static const enum crashed_kind kinds[] = { CRASHED_MINI, CRASHED_TRIAGE };

	for (unsigned i = 0; i < 2 * VERSIONS; i++) {
		char path[300];

		if (!crashed_core(versions[i / 2], kinds[i % 2], path, sizeof(path)))
			continue;
		check_answers(versions[i / 2], path);
		check_threads(versions[i / 2], path);
		unlink(path);
	}
}
