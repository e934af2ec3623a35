/*
 * Real .gcdump files: what other tools say of their types and sums, and what the program that they
 * are of leaks.
 */
#include "tests/made/dump_writer.h"
#include "tests/drive/run_tests.h"
#include "model/graph/reach.h"
#include "tests/drive/heaps.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct heap *
load_file(const char *path, enum load_what what)
{
	struct error err = { 0 };
	const struct heap *h;

	h = heap_at(path, what, &err);
	if (!h)
		fail_msg("%s: %s", path, err.message);
	return h;
}

/* --- real dumps --- */

struct reference {
	const char *name, *file;
};

/* clang-format off */
static const struct reference references[] = {
	{ "leaky-10",        "tests/data/leaky-10.gcdump" },
	{ "leaky-10-later",  "tests/data/leaky-10-later.gcdump.zst" },
	{ "leaky-10-server", "tests/data/leaky-10-server.gcdump.zst" },
	{ "leaky-9",         "tests/data/leaky-9.gcdump.zst" },
	{ "leaky-8",         "tests/data/leaky-8.gcdump.zst" },
};
/* clang-format on */

struct totals {
	uint64_t nodes, objects, bytes, undefined, reachable, reachable_bytes, edges, pseudo;
};

static struct totals
expected_totals(const char *name)
{
	FILE *in = fopen("tests/data/totals.txt", "r");
	struct totals t = { 0 };
	char line[512], found[64];

	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		int count = sscanf(line,
				   "%63s nodes %" SCNu64 " objects %" SCNu64 " bytes %" SCNu64
				   " undefined %" SCNu64 " reachable %" SCNu64
				   " reachable_bytes %" SCNu64 " edges %" SCNu64 " pseudo %" SCNu64,
				   found, &t.nodes, &t.objects, &t.bytes, &t.undefined,
				   &t.reachable, &t.reachable_bytes, &t.edges, &t.pseudo);

		if (count == 9 && !strcmp(found, name)) {
			fclose(in);
			return t;
		}
	}
	fail_msg("no totals of %s", name);
	return t;
}

static char *
type_line(const struct type *t)
{
	char *line;
	const char *file = type_module_file(t);
	size_t len = strlen(t->raw) + strlen(file) + 64;

	line = malloc(len);
	assert_non_null(line);
	snprintf(line, len, "%" PRIu64 "\t%" PRIu64 "\t%s\t%s", t->count, t->bytes, t->raw, file);
	return line;
}

static int
compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t
heap_lines(const struct heap *h, char ***lines)
{
	size_t count = 0;

	*lines = malloc((h->types_count + 1) * sizeof(**lines));
	assert_non_null(*lines);
	for (type_id t = 0; t < h->types_count; t++) {
		if (h->types[t].count)
			(*lines)[count++] = type_line(&h->types[t]);
	}
	qsort(*lines, count, sizeof(**lines), compare_lines);
	return count;
}

static size_t
file_lines(const char *name, char ***lines)
{
	char path[128], line[4096];
	size_t count = 0, room = 4096;
	FILE *in;

	snprintf(path, sizeof(path), "tests/data/%s.types.tsv", name);
	in = fopen(path, "r");
	*lines = malloc(room * sizeof(**lines));
	if (!in || !*lines || !fgets(line, sizeof(line), in)) {
		fail_msg("cannot read %s", path);
		return 0;
	}
	while (fgets(line, sizeof(line), in)) {
		assert_true(count < room);
		line[strcspn(line, "\n")] = '\0';
		(*lines)[count++] = strdup(line);
	}
	fclose(in);
	qsort(*lines, count, sizeof(**lines), compare_lines);
	return count;
}

static void
check_types(const struct heap *h, const char *name)
{
	char **got = NULL, **want = NULL;
	size_t got_count = heap_lines(h, &got);
	size_t want_count = file_lines(name, &want);

	assert_true(want_count > 50);
	assert_int_equal(got_count, want_count);
	for (size_t i = 0; i < want_count; i++) {
		assert_string_equal(got[i], want[i]);
		free(got[i]);
		free(want[i]);
	}
	free(got);
	free(want);
}

static void
check_totals(const struct heap *h, const struct totals *t)
{
	const struct losses *lost = &h->info.losses;
	struct error err = { 0 };
	const struct reach *reach;

	assert_int_equal(h->nodes_count, t->objects);
	assert_int_equal(h->nodes_count + t->pseudo + lost->undefined_nodes, t->nodes);
	assert_int_equal(lost->undefined_nodes, t->undefined);
	assert_int_equal(h->bytes_count, t->bytes);
	assert_int_equal(h->refs_count + lost->undefined_refs, t->edges);
	reach = reach_compute(h, true, NULL, &err);
	assert_non_null(reach);
	assert_int_equal(reach->reachable_count, t->reachable);
	assert_int_equal(reach->reachable_bytes, t->reachable_bytes);
	reach_free(reach);
}

TEST(test_real_dumps)
{
	for (size_t i = 0; i < COUNT_OF(references); i++) {
		const struct reference *r = &references[i];
		struct totals totals = expected_totals(r->name);
		const struct heap *h = load_file(r->file, LOAD_TYPES);
		struct error err = { 0 };

		check_types(h, r->name);
		assert_int_equal(h->bytes_count, totals.bytes);
		heap_free(h);
		h = load_file(r->file, LOAD_ALL);
		check_types(h, r->name);
		check_totals(h, &totals);
		assert_true(heap_check(h, &err));
		assert_string_equal(h->info.format, "gcdump 10");
		assert_string_equal(h->info.tool, "dotnet-gcdump");
		assert_string_equal(h->info.source, r->file);
		assert_int_equal(h->info.warnings_count, 0);
		heap_free(h);
	}
}

/* What the program leaks, under the roots that it leaks it by. */
TEST(test_real_roots)
{
	const struct heap *h = load_file(references[0].file, LOAD_ALL);
	uint32_t kinds[ROOT_KIND_COUNT] = { 0 }, sessions = 0, count;

	for (uint32_t i = 0; i < h->roots_count; i++) {
		const struct root *r = &h->roots[i];

		kinds[r->kind]++;
		if (r->kind != ROOT_STATIC || strcmp(r->name, "Sessions") != 0)
			continue;
		sessions++;
		assert_non_null(strstr(r->label, "static var "));
		assert_non_null(strstr(heap_type(h, r->object)->raw, "List<"));
		assert_ptr_equal(heap_roots_of(h, r->object, &count), r);
	}
	assert_int_equal(sessions, 1);
	assert_true(kinds[ROOT_STATIC] >= 324);
	assert_int_equal(kinds[ROOT_FINALIZER], 20);
	assert_int_equal(kinds[ROOT_STRONG], 20);
	assert_int_equal(kinds[ROOT_PINNED], 2);
	assert_int_equal(kinds[ROOT_DEPENDENT], 1);
	assert_int_equal(kinds[ROOT_STACK], 40);
	assert_int_equal(h->info.losses.undefined_roots, 7);
	heap_free(h);
}
