#define _XOPEN_SOURCE 700 /* realpath() */
/*
 * Fields of every kind (tests/samples, loaded into the reference program), as
 * C# itself writes them, and beside what ClrMD says of them.
 */
#include "tests/run_tests.h"
#include "tests/cores.h"
#include "tests/judge_values.h"
#include "tests/targets.h"
#include "io/core_heap.h"
#include "model/heap_memory.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS_MAX = 512, SHOWN_MAX = 60, PATH_MAX_BYTES = 512, DEPTH_MAX = 16 };

static char hook[600];
static const char *const variables[] = { hook, NULL };
static const char *const sections[] = { "fields", "elements", "strings", NULL };

/* clang-format off */
static const struct core_setup setups[] = {
	{ "samples, .NET 8.0",  "8.0",  variables, CORE_HEAP, false, false },
	{ "samples, .NET 9.0",  "9.0",  variables, CORE_HEAP, false, false },
	{ "samples, .NET 10.0", "10.0", variables, CORE_HEAP, false, false },
};
/* clang-format on */
enum { SETUPS = sizeof(setups) / sizeof(setups[0]) };

/* The rows of one object. */
struct rows {
	struct arena arena;
	struct content rows[ROWS_MAX];
	size_t count;
};

static void
rows_read(struct rows *r, const struct heap *h, node_id n)
{
	struct error err;
	uint64_t total;

	error_clear(&err);
	arena_init(&r->arena, 0);
	if (!h->memory->contents->rows(h->memory->source, n, 0, ROWS_MAX,
				       r->rows, &r->count, &total, &r->arena,
				       &err))
		fail_msg("%s", err.message);
}

/* The last one: base types, which come first, may have the same names. What
 * is not taken apart stands for its fields. */
static const struct content *
find_row(const struct rows *r, const char *path)
{
	const struct content *found = NULL;
	const char *names[DEPTH_MAX];
	char text[PATH_MAX_BYTES];

	for (size_t i = 0; i < r->count; i++) {
		const struct content *row = &r->rows[i];
		size_t at = 0;

		assert_true(row->depth < DEPTH_MAX);
		names[row->depth] = row->name;
		text[0] = '\0';
		for (uint32_t k = 0; k <= row->depth; k++)
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       "%s%s", at ? "." : "", names[k]);
		assert_true(at < sizeof(text));
		if (!strcmp(text, path) ||
		    (row->kind == CONTENT_RAW && !strncmp(text, path, at) &&
		     path[at] == '.'))
			found = row;
	}
	return found;
}

/* A string in UTF-8, with escapes; with its quotes if it is to be shown. */
static const char *
text_of(const struct heap *h, node_id n, struct arena *a)
{
	const char *text;
	struct error err;
	uint32_t units;

	error_clear(&err);
	assert_true(n != NODE_NONE);
	if (!h->memory->contents->text(h->memory->source, n, 4096, &text,
				       &units, a, &err))
		fail_msg("%s", err.message);
	return text;
}

/* What stands between the quotes, without escapes: as it was written. */
static char *
plain(const char *text)
{
	size_t len = strlen(text), at = 0;
	char *out = calloc(len + 1, 1);

	assert_non_null(out);
	for (size_t i = 1; i + 1 < len; i++) {
		if (text[i] == '\\')
			i++;
		out[at++] = text[i];
	}
	return out;
}

struct counts {
	unsigned cases, raw, differences;
};

static void
check_case(const struct heap *h, node_id n, const char *what,
	   struct counts *counts)
{
	static struct rows about, of;
	const struct content *row;
	char *path, *wanted;
	node_id value;

	rows_read(&about, h, n);
	value = find_row(&about, "Value")->target;
	path =
	    plain(text_of(h, find_row(&about, "Path")->target, &about.arena));
	wanted =
	    plain(text_of(h, find_row(&about, "Wanted")->target, &about.arena));
	assert_true(value != NODE_NONE);
	rows_read(&of, h, value);
	row = find_row(&of, path);
	counts->cases++;
	if (row && row->kind == CONTENT_RAW) {
		counts->raw++;
		printf("%s: raw: %s %s\n", what, heap_type(h, value)->name,
		       path);
	} else if (!row || strcmp(row->text, wanted) != 0) {
		if (counts->differences++ < SHOWN_MAX)
			printf("%s: %s %s (%s) is %s, should be %s\n", what,
			       heap_type(h, value)->name, path,
			       row ? row->type : "", row ? row->text : "none",
			       wanted);
	}
	free(path);
	free(wanted);
	arena_clear(&about.arena);
	arena_clear(&of.arena);
}

/* Builds it if it is not there, or has changed. */
static bool
has_samples(void)
{
	static int status = -1;
	char real[PATH_MAX_BYTES], path[300];

	fflush(NULL);
	if (status == -1)
		status = system("sh tests/targets.sh");
	if (status)
		fail_msg("tests/targets.sh failed");
	snprintf(path, sizeof(path), "%.250s/samples/samples.dll",
		 targets_folder());
	if (!realpath(path, real))
		return false;
	snprintf(hook, sizeof(hook), "DOTNET_STARTUP_HOOKS=%s", real);
	return true;
}

static void
test_samples(void **state)
{
	const struct core_setup *setup = *state;
	struct counts counts = { 0 };
	const struct core *c;
	const struct heap *h;
	struct error err;

	if (!target_exists(setup->version) || !has_samples()) {
		printf("skipped: no program for %s\n", setup->name);
		skip();
	}
	c = core_of(setup);
	if (!c)
		skip();
	error_clear(&err);
	h = source_core.load(c->path, LOAD_ALL, NULL, NULL, &err);
	if (!h)
		fail_msg("%s: %s", setup->name, err.message);
	for (node_id n = 0; n < h->nodes_count; n++)
		if (!strcmp(heap_type(h, n)->name, "Samples.Case"))
			check_case(h, n, setup->name, &counts);
	printf("%s: %u fields and elements as C# writes them, %u raw, %u "
	       "differences\n",
	       setup->name, counts.cases, counts.raw, counts.differences);
	assert_true(counts.cases > 400);
	assert_int_equal(counts.differences, 0);
	if (oracle_exists()) {
		struct oracle *o =
		    oracle_ask(c->path, setup->version, sections);

		/* Of a structure made of T, ClrMD takes the layout that it
		   has with references. */
		judge_values(setup->name, o, h, "Samples.Generic<");
		oracle_free(o);
	}
	heap_free(h);
}

int
main(void)
{
	struct CMUnitTest tests[SETUPS];

	for (size_t i = 0; i < SETUPS; i++)
		tests[i] = (struct CMUnitTest){
			.name = setups[i].name,
			.test_func = test_samples,
			.initial_state = (void *)(uintptr_t)&setups[i],
		};
	return run_tests_named(__FILE__, tests, SETUPS);
}
