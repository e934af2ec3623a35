/* A heap that was read from any .gcdump and is written is the same heap. */
#include "tests/made/dump_writer.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/judge/same_heap.h"
#include "tests/drive/written.h"
#include "io/gcdump/gcdump.h"
#include <stdlib.h>
#include <string.h>

/* Frees the heap. */
static void
expect_same(const struct heap *h, const char *name)
{
	struct blob b = { 0 }, second = { 0 };
	const struct heap *again;

	written(h, gcdump_write, &b);
	again = read_gcdump(b.data, b.len);
	if (h->nodes_count != again->nodes_count || h->refs_count != again->refs_count ||
	    h->bytes_count != again->bytes_count || h->ranges_count != again->ranges_count)
		fail_msg("%s is not the same", name);
	expect_same_heap(h, again, SAME_BUT_INFO | SAME_BUT_UNUSED_TYPES);
	/* Rewriting our own file loses nothing. */
	written(again, gcdump_write, &second);
	heap_free(h);
	h = read_gcdump(second.data, second.len);
	expect_same_heap(again, h, SAME_BUT_ORIGIN);
	blob_free(&b);
	blob_free(&second);
	heap_free(again);
	heap_free(h);
}

static const char *const files[] = {
	"tests/data/leaky-10.gcdump",
	"tests/data/leaky-10-later.gcdump.zst",
	"tests/data/leaky-10-server.gcdump.zst",
	"tests/data/leaky-9.gcdump.zst",
	"tests/data/leaky-8.gcdump.zst",
	"tests/data/tiny.gcdump",
	"tests/data/tiny-full.gcdump",
};

TEST(test_real_files)
{
	for (size_t i = 0; i < COUNT_OF(files); i++)
		expect_same(heap_of_file(files[i]), files[i]);
}

static void
expect_same_dump(const struct dump *d, const char *name)
{
	struct blob b = { 0 };

	dump_write(d, &b, NULL);
	expect_same(read_gcdump(b.data, b.len), name);
	blob_free(&b);
}

TEST(test_variants)
{
	static const int32_t versions[] = { 0, 4, 5, 6, 7, 9, 10 };
	static const struct dump_deferred deferred[] = { { 0, 0, NULL },
							 { 0, 0, NULL },
							 { 17, 1, " (static var)" } };
	char name[32];

	for (size_t i = 0; i < COUNT_OF(versions); i++)
		for (unsigned wide = 0; wide < 4; wide++) {
			struct dump d = dump_tiny_full;

			d.version = versions[i];
			d.oldest_reader = versions[i] < 8 ? versions[i] : 8;
			d.label_bytes = wide & 1 ? 8 : 4;
			d.count_bytes = wide & 2 ? 8 : 4;
			if (versions[i] && versions[i] < 9)
				d.multipliers_count = 0;
			snprintf(name, sizeof(name), "version %d, %u", (int)versions[i], wide);
			expect_same_dump(&d, name);
			d.deferred = deferred;
			d.deferred_count = COUNT_OF(deferred);
			d.has_interop = true;
			d.has_javascript = true;
			expect_same_dump(&d, name);
		}
}

/* --- made-up ones --- */

enum { NODES_MAX = 400, REFS_MAX = 8 };
struct made {
	struct dump_node nodes[NODES_MAX];
	uint32_t refs[NODES_MAX][REFS_MAX];
	uint64_t random;
};

static uint32_t
next(struct made *m, uint32_t limit)
{
	m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407;
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

/* Addresses in any order, some missing, some twice; anything refers to anything. */
static void
make_node(struct made *m, uint32_t index, uint32_t count, bool is_wild)
{
	struct dump_node *n = &m->nodes[index];
	bool is_pseudo = !index || next(m, 12) == 0;
	uint32_t type =
	    is_pseudo ? (index ? TYPE_LOCALS : TYPE_ROOTS) : 1 + next(m, TYPES_COUNT - 1);

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
		n->address = 0x10000 + 8 * (uint64_t)(is_wild ? next(m, 4 * count) : 4 * index);
	if (is_wild && next(m, 30) == 0)
		n->address = 0;
	n->is_undefined = index && next(m, 20) == 0;
	for (uint32_t i = 0; i < n->refs_count; i++)
		m->refs[index][i] = next(m, 4) ? next(m, count) : index;
}

TEST(test_random_dumps)
{
	struct made *m = calloc(1, sizeof(*m));
	char name[32];

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
