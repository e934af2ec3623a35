/* Where references are: every form, and everything that cannot be. */
#include "tests/drive/run_tests.h"
#include "tests/made/made_memory.h"
#include "io/runtime/refs.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 0x10000, WORDS_MAX = 16, RUNS_MAX = 16 };
#define RUN(count, skip) ((uint64_t)(skip) << 32 | (count))
#define NEGATIVE(n)      ((uint64_t)0 - (n))

/* Words below the method table, the nearest first; then what comes of it. */
static const struct {
	const char *name;
	uint32_t base_bytes, component_bytes;
	uint64_t words[WORDS_MAX];
	unsigned words_count;
	const char *why; /* NULL: it can be */
	uint64_t object_bytes;
	const char *places; /* of all references, in order */
} rows[] = {
	{ "one field", 24, 0, { 1, 8, NEGATIVE(16) }, 3, NULL, 24, "8" },
	{ "two fields in a row", 32, 0, { 1, 8, NEGATIVE(16) }, 3, NULL, 32, "8 16" },
	{ "two series, the last one first",
	  48,
	  0,
	  { 2, 32, NEGATIVE(40), 8, NEGATIVE(32) },
	  5,
	  NULL,
	  48,
	  "8 16 32" },
	{ "an array of references", 24, 8, { 1, 16, NEGATIVE(24) }, 3, NULL, 48, "16 24 32" },
	{ "an empty one", 24, 8, { 1, 16, NEGATIVE(24) }, 3, NULL, 24, "" },
	{ "an array of structures of references only",
	  24,
	  16,
	  { 1, 16, NEGATIVE(24) },
	  3,
	  NULL,
	  56,
	  "16 24 32 40" },
	{ "an array of two dimensions", 40, 8, { 1, 32, NEGATIVE(40) }, 3, NULL, 56, "32 40" },
	{ "structures that begin with a reference",
	  24,
	  24,
	  { NEGATIVE(1), 16, RUN(1, 16) },
	  3,
	  NULL,
	  72,
	  "16 40" },
	{ "structures that end with a reference",
	  24,
	  24,
	  { NEGATIVE(1), 32, RUN(1, 16) },
	  3,
	  NULL,
	  72,
	  "32 56" },
	{ "structures with two runs",
	  24,
	  40,
	  { NEGATIVE(2), 24, RUN(1, 8), RUN(2, 8) },
	  4,
	  NULL,
	  64,
	  "24 40 48" },
	{ "a length that is no multiple of an element",
	  24,
	  24,
	  { NEGATIVE(1), 32, RUN(1, 16) },
	  3,
	  NULL,
	  56,
	  "32" },
	{ "structures of references only",
	  24,
	  16,
	  { NEGATIVE(1), 16, RUN(2, 0) },
	  3,
	  NULL,
	  56,
	  "16 24 32 40" },
	{ "a reference in a structure",
	  24,
	  8,
	  { NEGATIVE(1), 16, RUN(1, 0) },
	  3,
	  NULL,
	  40,
	  "16 24" },
	{ "elements, of less than their head",
	  24,
	  16,
	  { NEGATIVE(1), 16, RUN(2, 0) },
	  3,
	  NULL,
	  16,
	  "" },
	{ "an array of less than its head", 24, 8, { 1, 16, NEGATIVE(24) }, 3, NULL, 16, "" },
	{ "an array of less than a header", 24, 8, { 1, 16, NEGATIVE(24) }, 3, NULL, 4, "" },

	{ "nothing there", 24, 0, { 0 }, 0, "its GCDesc is missing", 0, NULL },
	{ "no series",
	  24,
	  0,
	  { 0, 8, NEGATIVE(16) },
	  3,
	  "it has more series of references than it can hold",
	  0,
	  NULL },
	{ "more series than the object has words",
	  32,
	  0,
	  { 5, 8, NEGATIVE(16) },
	  3,
	  "it has more series of references than it can hold",
	  0,
	  NULL },
	{ "as many series as there are numbers",
	  32,
	  0,
	  { INT64_MAX },
	  1,
	  "it has more series of references than it can hold",
	  0,
	  NULL },
	{ "as many runs as there are numbers",
	  32,
	  24,
	  { (uint64_t)INT64_MIN },
	  1,
	  "it has more series of references than it can hold",
	  0,
	  NULL },
	{ "a series that is cut off",
	  32,
	  0,
	  { 2, 8, NEGATIVE(24), 16 },
	  4,
	  "a series of its references is missing",
	  0,
	  NULL },
	{ "behind the object",
	  24,
	  0,
	  { 1, 16, NEGATIVE(16) },
	  3,
	  "a series of its references lies outside the object",
	  0,
	  NULL },
	{ "in the method table's place",
	  24,
	  0,
	  { 1, 0, NEGATIVE(16) },
	  3,
	  "a series of its references lies outside the object",
	  0,
	  NULL },
	{ "out of step",
	  32,
	  0,
	  { 1, 12, NEGATIVE(24) },
	  3,
	  "a series of its references lies outside the object",
	  0,
	  NULL },
	{ "of no bytes",
	  32,
	  0,
	  { 1, 8, NEGATIVE(32) },
	  3,
	  "a series of its references lies outside the object",
	  0,
	  NULL },
	{ "of many bytes",
	  32,
	  0,
	  { 1, 8, 1 << 20 },
	  3,
	  "a series of its references lies outside the object",
	  0,
	  NULL },
	{ "one over the other",
	  48,
	  0,
	  { 2, 8, NEGATIVE(32), 16, NEGATIVE(32) },
	  5,
	  "two series of its references overlap",
	  0,
	  NULL },
	{ "an array with two series",
	  24,
	  8,
	  { 2, 16, NEGATIVE(24), 16, NEGATIVE(24) },
	  5,
	  "the series of its references is not that of an array",
	  0,
	  NULL },
	{ "an array that begins elsewhere",
	  24,
	  8,
	  { 1, 8, NEGATIVE(24) },
	  3,
	  "the series of its references is not that of an array",
	  0,
	  NULL },
	{ "an array of halves of references",
	  24,
	  4,
	  { 1, 16, NEGATIVE(24) },
	  3,
	  "the series of its references is not that of an array",
	  0,
	  NULL },
	{ "runs that are less than an element",
	  24,
	  24,
	  { NEGATIVE(1), 16, RUN(1, 8) },
	  3,
	  "the runs of its elements do not make up an element",
	  0,
	  NULL },
	{ "runs that begin in the next element",
	  24,
	  24,
	  { NEGATIVE(1), 48, RUN(1, 16) },
	  3,
	  "the runs of its elements do not make up an element",
	  0,
	  NULL },
	{ "runs that begin in the head",
	  24,
	  24,
	  { NEGATIVE(1), 8, RUN(1, 16) },
	  3,
	  "the runs of its elements do not make up an element",
	  0,
	  NULL },
	{ "an array without a length",
	  8,
	  8,
	  { 1, 0, NEGATIVE(8) },
	  3,
	  "the series of its references is not that of an array",
	  0,
	  NULL },
	{ "an array of nothing",
	  0,
	  8,
	  { 1, NEGATIVE(8), 0 },
	  3,
	  "it has more series of references than it can hold",
	  0,
	  NULL },
	{ "an array that is out of step",
	  20,
	  8,
	  { 1, 12, NEGATIVE(20) },
	  3,
	  "the series of its references is not that of an array",
	  0,
	  NULL },
	{ "an array of more than there is",
	  24,
	  8,
	  { 1, 16, NEGATIVE(16) },
	  3,
	  "the series of its references is not that of an array",
	  0,
	  NULL },
	{ "a series that ends behind the object",
	  32,
	  0,
	  { 1, 16, NEGATIVE(16) },
	  3,
	  "a series of its references lies outside the object",
	  0,
	  NULL },
	{ "a series of parts of references",
	  32,
	  0,
	  { 1, 8, NEGATIVE(20) },
	  3,
	  "a series of its references lies outside the object",
	  0,
	  NULL },
	{ "runs that begin out of step",
	  24,
	  24,
	  { NEGATIVE(1), 20, RUN(1, 16) },
	  3,
	  "the runs of its elements do not make up an element",
	  0,
	  NULL },
	{ "runs that begin with the next element",
	  24,
	  24,
	  { NEGATIVE(1), 40, RUN(1, 16) },
	  3,
	  "the runs of its elements do not make up an element",
	  0,
	  NULL },
	{ "runs of what has no head",
	  8,
	  24,
	  { NEGATIVE(1), 8, RUN(1, 16) },
	  3,
	  "the runs of its elements do not make up an element",
	  0,
	  NULL },
	{ "a run of none",
	  24,
	  24,
	  { NEGATIVE(1), 16, RUN(0, 24) },
	  3,
	  "a run of its elements lies outside the element",
	  0,
	  NULL },
	{ "a run of many",
	  24,
	  24,
	  { NEGATIVE(1), 16, RUN(UINT32_MAX, 0) },
	  3,
	  "a run of its elements lies outside the element",
	  0,
	  NULL },
	{ "a run that is cut off",
	  24,
	  24,
	  { NEGATIVE(2), 16, RUN(1, 0) },
	  3,
	  "a run of its elements is missing",
	  0,
	  NULL },
};

/* "8 16" of an object of that size. */
static void
write_places(const struct clr_refs *refs, uint64_t object_bytes, char *text, size_t room)
{
	struct clr_refs_walk walk;
	uint64_t offset, count;
	size_t len = 0;

	text[0] = '\0';
	clr_refs_begin(&walk, refs, object_bytes);
	while (clr_refs_next(&walk, &offset, &count))
		for (uint64_t i = 0; i < count && len < room - 24; i++)
			len += (size_t)snprintf(text + len, room - len, "%s%" PRIu64,
						len ? " " : "", offset + 8 * i);
}

TEST(test_forms)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made_memory *mm = made_memory_new(MEMORY_X64);
		struct clr_shape shape = { TABLE, rows[i].base_bytes, rows[i].component_bytes };
		struct memory_reader *r;
		struct clr_refs refs;
		struct error err = { 0 };
		struct arena a;
		const char *why;
		char places[200];

		print_message("%s\n", rows[i].name);
		arena_init(&a, 0);
		for (unsigned k = 0; k < rows[i].words_count; k++)
			made_memory_u64(mm, TABLE - 8 * (k + 1), rows[i].words[k]);
		r = memory_reader_new(made_memory_open(mm), &err);
		assert_int_equal(clr_refs_decode(&refs, r, &shape, &a, &why, &err), !rows[i].why);
		assert_int_equal(err.kind, ERROR_NONE);
		if (rows[i].why) {
			assert_string_equal(why, rows[i].why);
		} else {
			write_places(&refs, rows[i].object_bytes, places, sizeof(places));
			assert_string_equal(places, rows[i].places);
		}
		memory_reader_free(r);
		made_memory_free(mm);
		arena_clear(&a);
	}
}

/* One word of a good one is another: still inside the object, and in order. */
static void
check_changed(size_t row)
{
	static const uint64_t odd[] = { 0,  1,     2,     3,          8,  16, 24,     32,
					48, ~7ULL, ~0ULL, 1ULL << 63, 40, 1,  1 << 20 };
	struct made_memory *mm = made_memory_new(MEMORY_X64);
	struct clr_shape shape = { TABLE, rows[row].base_bytes, rows[row].component_bytes };
	unsigned changed = (unsigned)rand() % rows[row].words_count;
	uint64_t size = shape.base_bytes, offset, count, last = 8;
	uint64_t word = odd[(unsigned)rand() % COUNT_OF(odd)];
	struct memory_reader *r;
	struct clr_refs_walk walk;
	struct clr_refs refs;
	struct error err = { 0 };
	struct arena a;
	const char *why;

	arena_init(&a, 0);
	for (unsigned k = 0; k < rows[row].words_count; k++)
		made_memory_u64(mm, TABLE - 8 * (k + 1),
				k == changed ? word - (uint64_t)(rand() % 48) : rows[row].words[k]);
	r = memory_reader_new(made_memory_open(mm), &err);
	size += shape.component_bytes * (uint64_t)(rand() % 5);
	if (clr_refs_decode(&refs, r, &shape, &a, &why, &err)) {
		clr_refs_begin(&walk, &refs, size);
		while (clr_refs_next(&walk, &offset, &count)) {
			assert_true(offset >= last);
			last = offset + 8 * count;
			assert_true(last <= size - 8);
		}
	}
	assert_int_equal(err.kind, ERROR_NONE);
	memory_reader_free(r);
	made_memory_free(mm);
	arena_clear(&a);
}

TEST(test_changed)
{
	srand(1);
	for (int round = 0; round < 2000; round++)
		for (size_t row = 0; row < COUNT_OF(rows) && !rows[row].why; row++)
			check_changed(row);
}
