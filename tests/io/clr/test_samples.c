#define _XOPEN_SOURCE 700 /* realpath() */
/*
 * Fields of every kind (tests/programs/samples, loaded into the reference program), as C# itself
 * writes them, and beside what ClrMD says of them.
 */
#include "tests/drive/run_tests.h"
#include "tests/drive/cores.h"
#include "tests/judge/judge_delegates.h"
#include "tests/judge/judge_values.h"
#include "tests/drive/targets.h"
#include "io/formats/core_heap.h"
#include "model/analysis/collection.h"
#include "model/heap/name_reflection.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 512, SHOWN_MAX = 60, PATH_MAX_BYTES = 512, DEPTH_MAX = 16 };

static const char *variables[] = { NULL, NULL };
/* Of a structure made of T, ClrMD takes the layout that it has with
 * references. */
static const char *const mistaken[] = { "Samples.Generic<",
					"System.Collections.Immutable.SortedInt32KeyNode<",
					"System.Buffers.AsciiCharSearchValues<",
					"System.Buffers.ProbabilisticWithAsciiCharSearchValues<",
					NULL };
static const char *const sections[] = { "fields", "elements", "strings", "delegates", NULL };

/* clang-format off */
static const struct core_setup setups[] = {
	{ "samples, .NET 8.0",  "8.0",  variables, CORE_HEAP, false, false },
	{ "samples, .NET 9.0",  "9.0",  variables, CORE_HEAP, false, false },
	{ "samples, .NET 10.0", "10.0", variables, CORE_HEAP, false, false },
	{ "samples, .NET 11.0", "11.0", variables, CORE_HEAP, false, false },
};
/* clang-format on */

/* The rows of one object. */
struct rows {
	struct arena arena;
	struct content rows[ROWS_MAX];
	size_t count;
};

static void
rows_read(struct rows *r, const struct heap *h, node_id n)
{
	struct error err = { 0 };
	uint64_t total;

	arena_init(&r->arena, 0);
	assert_ok(h->memory->contents->rows(h->memory->source, n, 0, ROWS_MAX, r->rows, &r->count,
					    &total, &r->arena, &err),
		  &err);
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
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", at ? "." : "",
					       names[k]);
		assert_true(at < sizeof(text));
		if (!strcmp(text, path) ||
		    (row->kind == CONTENT_RAW && !strncmp(text, path, at) && path[at] == '.'))
			found = row;
	}
	return found;
}

/* A string in UTF-8, with escapes; with its quotes if it is to be shown. */
static const char *
text_of(const struct heap *h, node_id n, struct arena *a)
{
	const char *text;
	struct error err = { 0 };
	uint32_t units;

	assert_true(n != NODE_NONE);
	assert_ok(h->memory->contents->text(h->memory->source, n, 4096, &text, &units, a, &err),
		  &err);
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
check_case(const struct heap *h, node_id n, const char *what, struct counts *counts)
{
	static struct rows about, of;
	const struct content *row;
	char *path, *wanted;
	node_id value;

	rows_read(&about, h, n);
	value = find_row(&about, "Value")->target;
	path = plain(text_of(h, find_row(&about, "Path")->target, &about.arena));
	wanted = plain(text_of(h, find_row(&about, "Wanted")->target, &about.arena));
	assert_true(value != NODE_NONE);
	rows_read(&of, h, value);
	row = find_row(&of, path);
	counts->cases++;
	if (row && row->kind == CONTENT_RAW) {
		counts->raw++;
		printf("%s: raw: %s %s\n", what, heap_type(h, value)->name, path);
	} else if (!row || strcmp(row->text, wanted) != 0) {
		if (counts->differences++ < SHOWN_MAX)
			printf("%s: %s %s (%s) is %s, should be %s\n", what,
			       heap_type(h, value)->name, path, row ? row->type : "",
			       row ? row->text : "none", wanted);
	}
	free(path);
	free(wanted);
	arena_clear(&about.arena);
	arena_clear(&of.arena);
}

/* --- delegates --- */

struct calls {
	unsigned count, unknown;
};

/* Text of a string that a field refers to; to be freed. */
static char *
read_text(const struct heap *h, node_id n, const char *name)
{
	struct arena a;
	struct error err = { 0 };
	node_id string;
	char *text;

	arena_init(&a, 0);
	assert_true(contents_reference(h, n, name, &string, &err));
	text = plain(text_of(h, string, &a));
	arena_clear(&a);
	return text;
}

static int64_t
read_number(const struct heap *h, node_id n, const char *name)
{
	struct error err = { 0 };
	int64_t number;

	assert_true(contents_integer(h, n, name, &number, &err));
	return number;
}

/* Of the entry's element; delegates of one are themselves. */
static node_id
entry_of(const struct heap *h, node_id n, const struct content_method *whole, uint64_t index)
{
	struct content_field first;
	struct error err = { 0 };
	node_id entry;

	if (whole->entries == NODE_NONE)
		return n;
	assert_true(
	    h->memory->contents->field(h->memory->source, whole->entries, "", &first, &err));
	assert_true(contents_read_reference(h, first.address + index * first.stride, &entry));
	return entry;
}

/* Code that instances of a generic type share is that of no one of them. */
static bool
is_same_type(const char *ours, const char *reflected)
{
	static const char shared[] = "System.__Canon";
	struct error err = { 0 };
	char *theirs = name_from_reflection(reflected, &err);
	const char *wanted = theirs ? theirs : reflected;
	size_t len = strlen(ours);
	bool is_same;

	if (strstr(ours, shared))
		len = strcspn(ours, "<");
	is_same = !strncmp(ours, wanted, len) && (strstr(ours, shared) || !wanted[len]);
	memory_free(theirs);
	return is_same;
}

static void
check_called(const struct heap *h, node_id n, const char *what, struct calls *calls)
{
	const struct contents_ops *ops = h->memory->contents;
	char *type = read_text(h, n, "Type"), *name = read_text(h, n, "Name");
	struct content_method whole, one;
	struct error err = { 0 };
	struct arena a;
	node_id value, target, entry;

	arena_init(&a, 0);
	assert_true(contents_reference(h, n, "Value", &value, &err));
	assert_true(contents_reference(h, n, "Target", &target, &err));
	assert_true(ops->method(h->memory->source, value, &whole, &a, &err));
	if (whole.entries != NODE_NONE)
		assert_int_equal(whole.entries_count, read_number(h, n, "Count"));
	entry = entry_of(h, value, &whole, (uint64_t)read_number(h, n, "Index"));
	assert_true(ops->method(h->memory->source, entry, &one, &a, &err));
	calls->count++;
	if (!*one.name) {
		printf("%s: not known: %s %s\n", what, type, name);
		calls->unknown++;
	} else if (strcmp(one.name, name) != 0 || !is_same_type(one.type, type) ||
		   one.target != target) {
		fail_msg("%s: %s %s calls %s of %s", what, type, name, one.name, one.type);
	}
	arena_clear(&a);
	free(type);
	free(name);
}

/* --- collections --- */

struct fills {
	unsigned collections, elements, others, boxed, differences;
};

/* Of a value: its text, or those of its fields. */
static void
put_value(const struct content *rows, size_t count, char *out, size_t size)
{
	size_t at = 0;

	if (rows->kind != CONTENT_STRUCT || *rows->text) {
		snprintf(out, size, "%s", rows->text);
		return;
	}
	for (size_t i = 1; i < count && strcmp(rows[i].name, "key") != 0; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%s", at ? ", " : "{", rows[i].text);
	snprintf(out + at, size - at, "}");
}

static node_id
wanted_line(const struct heap *h, node_id n, uint64_t i)
{
	struct content_field first;
	struct error err = { 0 };
	node_id array, line;

	assert_true(contents_reference(h, n, "Wanted", &array, &err));
	assert_true(h->memory->contents->field(h->memory->source, array, "", &first, &err));
	assert_in_range(i, 0, first.count - 1);
	assert_true(contents_read_reference(h, first.address + i * first.stride, &line));
	return line;
}

/* A number in a box stands behind the name of its type: "int 42". */
static const char *
behind_box(const struct heap *h, const struct content *row, const char *value, struct fills *fills)
{
	const char *type;

	if (row->kind != CONTENT_REFERENCE || row->target == NODE_NONE)
		return value;
	type = heap_type(h, row->target)->name;
	if (strncmp(value, type, strlen(type)) != 0 || value[strlen(type)] != ' ')
		return value;
	fills->boxed++;
	return value + strlen(type) + 1;
}

static void
check_element(const struct heap *h, node_id n, uint64_t index, const struct content *rows,
	      size_t count, const char *what, struct fills *fills)
{
	char *wanted, value[4096], ours[8192];
	struct arena a;
	struct error err = { 0 };
	const char *text;
	uint32_t units;

	arena_init(&a, 0);
	assert_ok(h->memory->contents->text(h->memory->source, wanted_line(h, n, index), 1 << 20,
					    &text, &units, &a, &err),
		  &err);
	wanted = plain(text);
	put_value(rows, count, value, sizeof(value));
	snprintf(ours, sizeof(ours), "%s = %s", rows->name, behind_box(h, rows, value, fills));
	fills->elements++;
	/* Of what is in a box the reference is shown. */
	if (!*value)
		fills->others++;
	else if (strncmp(ours, wanted, sizeof(value) - 100) != 0 &&
		 fills->differences++ < SHOWN_MAX)
		printf("%s: %s: %.300s, should be %.300s\n", what, heap_type(h, n)->name, ours,
		       wanted);
	free(wanted);
	arena_clear(&a);
}

/* All its rows, so many at once. */
static size_t
read_rows(struct collection *c, size_t page, struct content *rows, size_t max, struct arena *a)
{
	size_t count = 0, got = 1;
	struct error err = { 0 };
	uint64_t total;

	while (got) {
		size_t room = max - count;

		assert_ok(collection_rows(c, count, page < room ? page : room, rows + count, &got,
					  &total, a, &err),
			  &err);
		count += got;
		assert_true(count <= total);
	}
	assert_int_equal(count, total);
	return count;
}

static void
check_filled(const struct heap *h, node_id n, const char *what, struct fills *fills)
{
	enum { FILLED_ROWS = 65536 };
	struct content *rows = calloc(FILLED_ROWS, sizeof(*rows));
	uint64_t elements = 0;
	struct collection *c;
	struct error err = { 0 };
	struct arena a;
	size_t count, end;
	node_id value;

	arena_init(&a, 0);
	assert_non_null(rows);
	assert_true(contents_reference(h, n, "Value", &value, &err));
	c = collection_open(h, value, &err);
	if (!c)
		fail_msg("%s: %s is no collection: %s", what, heap_type(h, value)->name,
			 err.message);
	fills->collections++;
	assert_int_equal(collection_count(c), read_number(h, n, "Count"));
	count = read_rows(c, fills->collections % 2 ? 7 : 1000, rows, FILLED_ROWS, &a);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && rows[end].depth;)
			end++;
		check_element(h, n, elements++, rows + i, end - i, what, fills);
	}
	assert_int_equal(elements, read_number(h, n, "Count"));
	assert_false(collection_is_short(c));
	collection_close(c);
	free(rows);
	arena_clear(&a);
}

/* Each field of a union says that another one is there; no other does. */
static unsigned
check_overlaps(const struct heap *h, node_id n)
{
	static const struct {
		const char *path;
		bool overlaps;
	} fields[] = {
		{ "Union.Whole", true }, { "Union.Low", true },  { "Union.High", true },
		{ "Union.Next", true },  { "Union.Real", true }, { "Packed.A", false },
		{ "Packed.B", false },   { "Last", false },      { "AfterInline", false },
	};
	static struct rows of;

	rows_read(&of, h, n);
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		const struct content *row = find_row(&of, fields[i].path);

		if (!row || row->overlaps != fields[i].overlaps)
			fail_msg("%s overlaps: %d", fields[i].path, row ? row->overlaps : -1);
	}
	arena_clear(&of.arena);
	return 1;
}

/* One thread is at work on an exception. */
static void
check_thrown(const struct heap *h)
{
	const struct heap_memory *m = h->memory;
	uint32_t thrown = 0;

	for (uint32_t i = 0; i < m->threads_count; i++) {
		const struct heap_thread *t = &m->threads[i];

		if (t->thrown == NODE_NONE)
			continue;
		thrown++;
		assert_string_equal(t->name, "in catch");
		assert_string_equal(heap_type(h, t->thrown)->name, "FormatException");
		assert_int_equal(t->mode, THREAD_PREEMPTIVE);
	}
	assert_int_equal(thrown, 1);
}

TEST_ROWS(test_samples, setups)
{
	const struct core_setup *setup = *state;
	struct counts counts = { 0 };
	struct calls calls = { 0 };
	struct fills fills = { 0 };
	unsigned unions = 0;
	const struct core *c;
	const struct heap *h;

	h = core_samples(setup, &variables[0], &c);
	if (!h)
		skip();
	check_thrown(h);
	for (node_id n = 0; n < h->nodes_count; n++) {
		const char *type = heap_type(h, n)->name;

		if (!strcmp(type, "Samples.Case"))
			check_case(h, n, setup->name, &counts);
		if (!strcmp(type, "Samples.Called"))
			check_called(h, n, setup->name, &calls);
		if (!strcmp(type, "Samples.Filled"))
			check_filled(h, n, setup->name, &fills);
		if (!strcmp(type, "Samples.Layouts"))
			unions += check_overlaps(h, n);
	}
	printf("%s: %u fields and elements as C# writes them, %u raw, %u differences\n",
	       setup->name, counts.cases, counts.raw, counts.differences);
	printf("%s: %u delegates call what C# says, %u not known\n", setup->name,
	       calls.count - calls.unknown, calls.unknown);
	printf("%s: %u collections have %u elements as C# has them (%u in boxes), %u differences\n",
	       setup->name, fills.collections, fills.elements, fills.others, fills.differences);
	assert_int_equal(unions, 1);
	assert_true(fills.collections >= 105);
	assert_true(fills.boxed >= 3);
	assert_int_equal(fills.differences, 0);
	/* What the runtime itself does, and what is made at run time. */
	assert_true(calls.unknown <= 2);
	assert_true(calls.count > 50);
	assert_true(counts.cases > 400);
	assert_int_equal(counts.differences, 0);
	if (oracle_exists()) {
		struct oracle *o = oracle_ask(c->path, setup->version, sections);

		judge_values(setup->name, o, h, mistaken);
		judge_delegates(setup->name, o, h);
		oracle_free(o);
	}
	heap_free(h);
}
