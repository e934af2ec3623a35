/* A .gcdump that was read is written as it was, byte by byte, or says why not.
 */
#include "tests/dump_writer.h"
#include "tests/run_tests.h"
#include "tests/written.h"
#include "io/gcdump/gcdump.h"
#include "io/gcdump/origin.h"
#include "io/base/input.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct heap *
read_bytes(const uint8_t *data, size_t len)
{
	struct error err = { 0 };
	const struct heap *h =
	    gcdump_read(data, len, "x", LOAD_ALL, NULL, NULL, &err);

	if (!h || !heap_check(h, &err))
		fail_msg("%s", err.message);
	return h;
}

static void
expect_same_bytes(const uint8_t *data, size_t len, const char *name)
{
	const struct heap *h = read_bytes(data, len);
	struct blob b = { 0 };
	char room[200];

	if (h->info.origin->lacks)
		fail_msg("%s: %s", name, h->info.origin->lacks);
	assert_null(gcdump_write_warning(h, room, sizeof(room)));
	written(h, gcdump_write, &b);
	if (b.len != len || memcmp(b.data, data, len) != 0)
		fail_msg("%s is not the same", name);
	blob_free(&b);
	heap_free(h);
}

/* It opens, and something is written, but not the same. */
static void
expect_lacks(const struct blob *b, const char *why)
{
	const struct heap *h = read_bytes(b->data, b->len);
	struct blob out = { 0 };
	char room[200];

	if (!h->info.origin->lacks || !strstr(h->info.origin->lacks, why))
		fail_msg("%s instead of %s",
			 h->info.origin->lacks ? h->info.origin->lacks : "none",
			 why);
	assert_non_null(
	    strstr(gcdump_write_warning(h, room, sizeof(room)), why));
	written(h, gcdump_write, &out);
	heap_free(read_bytes(out.data, out.len));
	blob_free(&out);
	heap_free(h);
}

/* --- real ones ---------------------------------------------------------------
 */

static const char *const files[] = {
	"tests/data/leaky-10.gcdump",
	"tests/data/leaky-10-later.gcdump.zst",
	"tests/data/leaky-10-server.gcdump.zst",
	"tests/data/leaky-9.gcdump.zst",
	"tests/data/leaky-8.gcdump.zst",
	"tests/data/tiny.gcdump",
	"tests/data/tiny-full.gcdump",
};

static void
test_real_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct error err = { 0 };
		struct input in;

		if (!input_open(&in, files[i], NULL, &err))
			fail_msg("%s", err.message);
		expect_same_bytes(in.data, in.len, files[i]);
		input_close(&in);
	}
}

/* Less than two bytes an object, of whom most are the type table's. */
static void
test_memory(void **state)
{
	struct error err = { 0 };
	const struct heap *h =
	    source_gcdump.load(files[0], LOAD_ALL, NULL, NULL, &err);
	const struct gcdump_origin *o;

	(void)state;
	assert_non_null(h);
	o = h->info.origin;
	assert_null(o->numbers);
	assert_in_range(o->runs_count, 1, 10);
	assert_int_equal(o->odd_count, 0);
	assert_int_equal(o->lost_count, 0);
	assert_in_range(o->others_count, 1, 400);
	assert_in_range(o->numbered_count, 1, 500);
	heap_free(h);
}

/* --- every variant
 * ------------------------------------------------------------- */

static void
expect_same_dump(const struct dump *d, const char *name)
{
	struct blob b = { 0 };

	dump_write(d, &b, NULL);
	expect_same_bytes(b.data, b.len, name);
	blob_free(&b);
}

static void
test_variants(void **state)
{
	static const int32_t versions[] = { 0, 4, 5, 6, 7, 9, 10 };
	static const struct dump_deferred deferred[] = {
		{ 0, 0, NULL }, { 0, 0, NULL }, { 17, 1, " (static var)" }
	};
	char name[32];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(versions); i++)
		for (unsigned wide = 0; wide < 4; wide++) {
			struct dump d = dump_tiny_full;

			d.version = versions[i];
			d.oldest_reader = versions[i] < 8 ? versions[i] : 8;
			d.label_bytes = wide & 1 ? 8 : 4;
			d.count_bytes = wide & 2 ? 8 : 4;
			if (versions[i] && versions[i] < 9)
				d.multipliers_count = 0;
			snprintf(name, sizeof(name), "version %d, %u",
				 (int)versions[i], wide);
			expect_same_dump(&d, name);
			d.deferred = deferred;
			d.deferred_count = COUNT_OF(deferred);
			d.has_interop = true;
			d.has_javascript = true;
			expect_same_dump(&d, name);
		}
}

/* --- made-up ones
 * ------------------------------------------------------------- */

enum { NODES_MAX = 400, REFS_MAX = 8 };
struct made {
	struct dump_node nodes[NODES_MAX];
	uint32_t refs[NODES_MAX][REFS_MAX];
	uint64_t random;
};

static uint32_t
next(struct made *m, uint32_t limit)
{
	m->random =
	    m->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(m->random >> 33) % limit;
}

static const struct dump_type made_types[] = {
	{ "UNDEFINED", 0, NULL },
	{ "A", 24, "/a.dll" },
	{ "A (Bytes > 1K)", 1016, "/a.dll" },
	{ "A (Bytes > 10K)", 20000, "/a.dll" },
	{ "A", 32, "/a.dll" }, /* a second time */
	{ "B[] (Bytes > 1K,Ptrs,ElemSize=8)", 0, NULL },
	{ "B[] (NoPtrs,ElemSize=8)", 0, NULL },
	{ "B[]", 16, NULL },
	{ "Unused", -1, "" },
	{ "[.NET Roots]", 0, NULL },
	{ "[local vars]", 0, NULL },
	{ "[]c", 24, NULL },
};
enum { TYPES_COUNT = COUNT_OF(made_types), TYPE_ROOTS = 9, TYPE_LOCALS = 10 };

/* Addresses in any order, some missing, some twice; anything refers to
 * anything. */
static void
make_node(struct made *m, uint32_t index, uint32_t count, bool is_wild)
{
	struct dump_node *n = &m->nodes[index];
	bool is_pseudo = !index || next(m, 12) == 0;
	uint32_t type = is_pseudo ? (index ? TYPE_LOCALS : TYPE_ROOTS)
				  : 1 + next(m, TYPES_COUNT - 1);

	if (!is_pseudo && (type == TYPE_ROOTS || type == TYPE_LOCALS))
		type = 1;
	*n = (struct dump_node){ .type = type,
				 .size = DUMP_TYPE_SIZE,
				 .refs = m->refs[index],
				 .refs_count = next(m, REFS_MAX) };
	if (is_pseudo)
		n->size = made_types[type].size ? 0 : DUMP_TYPE_SIZE;
	else if (next(m, 3) == 0 || made_types[type].size < 0)
		n->size = next(m, 30000) + 25;
	if (n->size == made_types[type].size)
		n->size = DUMP_TYPE_SIZE;
	if (!is_pseudo)
		n->address =
		    0x10000 +
		    8 * (uint64_t)(is_wild ? next(m, 4 * count) : 4 * index);
	if (is_wild && next(m, 30) == 0)
		n->address = 0;
	n->is_undefined = index && next(m, 20) == 0;
	for (uint32_t i = 0; i < n->refs_count; i++)
		m->refs[index][i] = next(m, 4) ? next(m, count) : index;
}

static void
test_random_dumps(void **state)
{
	struct made *m = calloc(1, sizeof(*m));
	char name[32];

	(void)state;
	assert_non_null(m);
	for (uint32_t seed = 1; seed <= 600; seed++) {
		struct dump d = dump_tiny;
		uint32_t count = 1 + seed * 2 / 3 % NODES_MAX;

		m->random = seed;
		for (uint32_t i = 0; i < count; i++)
			make_node(m, i, count, seed % 2);
		d.types = made_types;
		d.types_count = TYPES_COUNT;
		d.nodes = m->nodes;
		d.nodes_count = count;
		snprintf(name, sizeof(name), "seed %u", seed);
		expect_same_dump(&d, name);
	}
	free(m);
}

/* --- where it cannot be -----------------------------------------------------
 */

static void
test_lacks(void **state)
{
	struct blob b = { 0 };
	struct dump_map map;

	(void)state;
	dump_write(&dump_tiny, &b, &map);
	/* Half of the last address is missing. */
	b.len = map.graph_end - 4;
	expect_lacks(&b, "was cut short");
	/* The size of the string, 300, in three bytes instead of two. */
	dump_write(&dump_tiny, &b, &map);
	b.data[map.records + 0x11] = 0x05;
	blob_patch(&b, map.records + 0x12, "\x80\x82\x2c", 3);
	b.data[map.offsets + 5 * 4] = 0x11;
	b.data[map.records + 0x0f] = 0x02; /* node 4 refers to nothing */
	b.data[map.records + 0x10] = 0x00;
	blob_patch(&b, map.records + 0x15, "\0", 1);
	expect_lacks(&b, "longer than they need to be");
	/* Two nodes with one record. */
	dump_write(&dump_tiny, &b, &map);
	b.data[map.offsets + 5 * 4] = 0x0f;
	expect_lacks(&b, "do not lie one behind the other");
	blob_free(&b);
}

/* An undefined node gets the record that begins `inside` bytes into that of
 * node `of`. */
static void
expect_shared_record(uint32_t of, unsigned inside)
{
	/* Read from its third byte, node 1 is a pseudo-node that refers to
	   nothing: its first reference is to the 20th behind it. */
	static const uint32_t refs[] = { 1 + 2 * TYPE_LOCALS, 1 };
	struct dump_node nodes[24];
	struct dump d = dump_tiny;
	struct dump_map map;
	struct blob b = { 0 };
	uint32_t offset;

	for (uint32_t i = 0; i < COUNT_OF(nodes); i++)
		nodes[i] = (struct dump_node){ .type = 1,
					       .size = DUMP_TYPE_SIZE,
					       .address = 0x10000 + 24 * i };
	nodes[0].type = TYPE_ROOTS;
	nodes[0].address = 0;
	nodes[1].refs = refs;
	nodes[1].refs_count = 2;
	nodes[2].type = TYPE_LOCALS;
	nodes[2].address = 0;
	nodes[3].is_undefined = true;
	d.types = made_types;
	d.types_count = TYPES_COUNT;
	d.nodes = nodes;
	d.nodes_count = COUNT_OF(nodes);
	dump_write(&d, &b, &map);
	expect_same_bytes(b.data, b.len, "each with its own");
	memcpy(&offset, b.data + map.offsets + 4 * of, 4);
	offset += inside;
	blob_patch(&b, map.offsets + 4 * 3, &offset, 4);
	expect_lacks(&b, "do not lie one behind the other");
	blob_free(&b);
}

static void
test_shared_records(void **state)
{
	(void)state;
	expect_shared_record(2, 0);
	expect_shared_record(1, 2);
}

/* --- nothing takes the square of what a file has ---------------------------
 */

enum { MANY = 100000 };

static void
expect_quick(clock_t before)
{
	long seconds = (long)((clock() - before) / CLOCKS_PER_SEC);

	if (seconds > 4)
		fail_msg("it took %ld s", seconds);
}

/* One name, first all rows for large objects, then all for small ones. */
static void
test_many_rows(void **state)
{
	struct dump_type *types = calloc(2 * MANY, sizeof(*types));
	struct dump d = dump_tiny;
	struct blob b = { 0 };
	clock_t before;

	(void)state;
	assert_non_null(types);
	memcpy(types, dump_tiny.types, dump_tiny.types_count * sizeof(*types));
	for (uint32_t i = dump_tiny.types_count; i < 2 * MANY; i++)
		types[i] =
		    (struct dump_type){ i < MANY ? "A (Bytes > 1K)" : "A", 24,
					"/a.dll" };
	d.types = types;
	d.types_count = 2 * MANY;
	dump_write(&d, &b, NULL);
	before = clock();
	expect_same_bytes(b.data, b.len, "many rows");
	expect_quick(before);
	blob_free(&b);
	free(types);
}

/* Nodes that are nothing, all with the same long record. */
static void
test_many_sharers(void **state)
{
	struct dump_node *nodes = calloc(MANY, sizeof(*nodes));
	uint32_t *refs = calloc(MANY, sizeof(*refs));
	struct dump d = dump_tiny;
	struct dump_map map;
	struct blob b = { 0 };
	clock_t before;

	(void)state;
	assert_non_null(nodes);
	assert_non_null(refs);
	for (uint32_t i = 0; i < MANY; i++)
		nodes[i] = (struct dump_node){ .size = DUMP_TYPE_SIZE,
					       .is_undefined = i > 1 };
	nodes[0].type = TYPE_ROOTS;
	nodes[1].refs = refs;
	nodes[1].refs_count = MANY;
	d.types = made_types;
	d.types_count = TYPES_COUNT;
	d.nodes = nodes;
	d.nodes_count = MANY;
	dump_write(&d, &b, &map);
	for (uint32_t i = 2; i < MANY; i++)
		blob_patch(&b, map.offsets + 4 * i, b.data + map.offsets + 4,
			   4);
	before = clock();
	expect_lacks(&b, "do not lie one behind the other");
	expect_quick(before);
	blob_free(&b);
	free(refs);
	free(nodes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_files),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_random_dumps),
		cmocka_unit_test(test_lacks),
		cmocka_unit_test(test_shared_records),
		cmocka_unit_test(test_many_rows),
		cmocka_unit_test(test_many_sharers),
	};

	return run_tests(tests);
}
