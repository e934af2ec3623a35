/*
 * .gcdump files that are cut, damaged, or made to hurt: a sentence that says what is wrong and
 * where, or a heap that passes heap_check().
 */
#include "tests/made/dump_writer.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/slow.h"
#include "io/gcdump/gcdump.h"
#include "model/graph/reach.h"
#include "model/graph/reverse.h"
#include <stdlib.h>
#include <string.h>

/* Whatever comes out must be sound. */
static const struct heap *
read_bytes(const uint8_t *data, size_t len, enum load_what what, struct error *err)
{
	uint8_t *copy = copy_exactly(data, len);
	const struct heap *h;

	error_clear(err);
	h = gcdump_read(copy, len, NULL, &(struct load_how){ .path = "test", .what = what }, err);
	free(copy);
	expect_heap_or_words(h, what == LOAD_ALL, err);
	return h;
}

/* --- damage with a known effect --- */

enum where { AT, TYPES, NODES, OFFSETS, RECORDS_LEN, RECORDS, ADDRESSES, END };

struct damage {
	const char *title;
	enum where where; /* what `offset` counts from */
	size_t offset;
	uint8_t bytes[8];
	size_t len;
	const char *error;   /* a part of the message; NULL: it opens */
	const char *warning; /* a part of the first warning; NULL: none */
};

/* clang-format off */
static const struct damage damages[] = {
	{ "signature",            AT, 5, { 'X' }, 1, "not a .gcdump: it does not begin with \"!FastSerialization.1\" (at offset 0x0)", NULL },
	{ "entry is null",        AT, 0x18, { 1 }, 1, "the file contains a \"\", not a heap dump (at offset 0x18)", NULL },
	{ "entry is no object",   AT, 0x18, { 9 }, 1, "the file's first object begins with tag 9, not an object (at offset 0x18)", NULL },
	{ "type of a type",       AT, 0x1a, { 2 }, 1, "a type begins with tag 2 instead of 1 (at offset 0x1a)", NULL },
	{ "type's end",           AT, 0x31, { 7 }, 1, "the type \"GCHeapDump\" ends with tag 7 instead of 6 (at offset 0x31)", NULL },
	{ "entry's type",         AT, 0x27, { 'T' }, 1, "the file contains a \"TCHeapDump\", not a heap dump (at offset 0x18)", NULL },
	{ "type name too long",   AT, 0x23, { 49 }, 1, "a type name has 49 characters; the limit is 48 (at offset 0x23)", NULL },
	{ "the longest type name", AT, 0x23, { 48 }, 1, "ends with tag 0 instead of 6 (at offset 0x57)", NULL },
	{ "no graph",             AT, 0x32, { 1 }, 1, "a graph is expected here instead of \"nothing\" (at offset 0x32)", NULL },
	{ "graph's type",         AT, 0x41, { 'X' }, 1, "a graph is expected here instead of \"Xraphs.MemoryGraph\" (at offset 0x32)", NULL },
	{ "graph's reader",       AT, 0x39, { 2 }, 1, "the graph was written for readers of version 2 and later; heaptop knows 0 and 1. Use a newer heaptop, or try: dotnet-gcdump report FILE", NULL },
	{ "total size",           AT, 0x54, { 0x6d }, 1, NULL, "the file records 365 bytes of objects, but they have 364" },
	{ "types below 0",        TYPES, 0, { 0xff, 0xff, 0xff, 0xff }, 4, "the number of types is -1, which is negative (at offset 0x60)", NULL },
	{ "too many types",       TYPES, 0, { 0xff, 0xff, 0xff, 0x7f }, 4, "the number of types is 2147483647, but only", NULL },
	{ "one type too many",    TYPES, 0, { 7 }, 1, "a type's module has 720896 characters, but only", NULL },
	{ "a name too long",      TYPES, 4, { 0xff, 0xff, 0xff, 0x7f }, 4, "a type's name has 2147483647 characters, but only 413 bytes follow (at offset 0x64)", NULL },
	{ "objects below 0",      NODES, 0, { 0xff, 0xff, 0xff, 0xff }, 4, "the number of objects is -1, which is negative (at offset 0x13d)", NULL },
	{ "too many objects",     NODES, 0, { 0xff, 0xff, 0xff, 0x7f }, 4, "the number of objects is 2147483647, but only", NULL },
	{ "one object less",      NODES, 0, { 5 }, 1, "addresses for 5 objects (at offset 0x16b)", NULL },
	{ "records below 0",      RECORDS_LEN, 0, { 0xff, 0xff, 0xff, 0xff }, 4, "the length of the objects' records is -1 (at offset 0x159)", NULL },
	{ "records too long",     RECORDS_LEN, 0, { 0xff, 0xff, 0xff, 0x7f }, 4, NULL, "the file was cut short: at least" },
	{ "records too short",    RECORDS_LEN, 0, { 21 }, 1, "addresses for 6 objects (at offset 0x172)", NULL },
	{ "one address more",     ADDRESSES, (size_t)-4, { 7 }, 1, "there are 7 addresses for 6 objects (at offset 0x173)", NULL },
	{ "offset too far",       OFFSETS, 12, { 22 }, 1, "damaged objects: 1 of 6, the first is number 3 (at offset 0x173)", NULL },
	{ "type too far",         RECORDS, 11, { 12 }, 1, "damaged objects: 1 of 6, the first is number 3 (at offset 0x168)", NULL },
	{ "type below 0",         RECORDS, 11, { 0x7e }, 1, "damaged objects: 1 of 6, the first is number 3 (at offset 0x168)", NULL },
	{ "too many references",  RECORDS, 12, { 12 }, 1, "damaged objects: 1 of 6, the first is number 3", NULL },
	{ "references below 0",   RECORDS, 12, { 0x7f }, 1, "damaged objects: 1 of 6, the first is number 3", NULL },
	{ "reference too far",    RECORDS, 13, { 9 }, 1, "the file is damaged: of 3 references, 1 have invalid targets", NULL },
	{ "reference below 0",    RECORDS, 13, { 0x40 }, 1, "the file is damaged: of 3 references, 1 have invalid targets", NULL },
	{ "number never ends",    RECORDS, 18, { 0x81, 0x81, 0x81, 0x81 }, 4, "damaged objects: 1 of 6, the first is number 5", NULL },
	{ "size below 0",         RECORDS, 19, { 0xff, 0x3f }, 2, NULL, "negative sizes count as 0; objects with one: 1" },
	{ "an undefined object",  OFFSETS, 20, { 0 }, 1, NULL, "the file records 364 bytes of objects, but they have 64" },
	{ "no address",           ADDRESSES, 24, { 0, 0, 0, 0, 0, 0 }, 6, NULL, NULL },
	{ "an address twice",     ADDRESSES, 24, { 0x20, 0x10, 0, 0, 0x3c, 0x7f }, 6, NULL, NULL },
	{ "an odd address",       ADDRESSES, 24, { 0x01 }, 1, NULL, NULL },
	{ "the highest address",  ADDRESSES, 24, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 8, NULL, NULL },
	{ "graph's end",          AT, 0x1a9, { 4 }, 1, NULL, "the end of the file is damaged: the graph should end here, but tag 4 follows (at offset 0x1a9)" },
	{ "odd tag after graph",  AT, 0x1a7, { 0x42 }, 1, NULL, "the end of the file is damaged: the graph should end here, but tag 66 follows (at offset 0x1a7)" },
	{ "a null that is none",  AT, 0x1b4, { 6 }, 1, NULL, "the segments begins with tag 6, not an object (at offset 0x1b4)" },
	{ "multipliers below 0",  AT, 0x1dd, { 0xff, 0xff, 0xff, 0xff }, 4, NULL, "the number of multipliers is -1, which is negative (at offset 0x1dd)" },
	{ "tool too long",        AT, 0x1e8, { 0xff, 0xff, 0xff, 0x7f }, 4, NULL, "the tool's name has 2147483647 characters, but only 25 bytes follow" },
	{ "the dump's end",       END, (size_t)-1, { 5 }, 1, NULL, "the dump should end here, but tag 5 follows (at offset 0x1f3)" },
	{ "forward references",   END, 1, { 0xff, 0xff }, 2, NULL, "the labels at the end of the file are damaged" },
	{ "the last label",       END, 13, { 0xff }, 1, NULL, "the labels at the end of the file are damaged" },
	{ "time beyond 9999",     AT, 0x1b9, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f }, 8, NULL, NULL },
};
/* clang-format on */

static size_t
damage_at(const struct damage *d, const struct dump_map *map)
{
	const size_t starts[] = {
		[AT] = 0,
		[TYPES] = map->types,
		[NODES] = map->nodes_count,
		[OFFSETS] = map->offsets,
		[RECORDS_LEN] = map->records_len,
		[RECORDS] = map->records,
		[ADDRESSES] = map->addresses,
		[END] = map->end,
	};

	return starts[d->where] + d->offset;
}

static void
check_damage(const struct damage *d, const struct heap *h, const struct error *err)
{
	const char *warning = "";

	if (d->error) {
		if (h || !strstr(err->message, d->error))
			fail_msg("%s: \"%s\"", d->title, err->message);
		assert_int_equal(err->kind, ERROR_INPUT);
		return;
	}
	if (!h) {
		fail_msg("%s: \"%s\"", d->title, err->message);
		return;
	}
	if (h->info.warnings_count)
		warning = h->info.warnings[0];
	if (d->warning ? !strstr(warning, d->warning) : *warning != '\0')
		fail_msg("%s: warning \"%s\"", d->title, warning);
}

TEST(test_damage)
{
	for (size_t i = 0; i < COUNT_OF(damages); i++) {
		const struct damage *d = &damages[i];
		struct blob b = { 0 };
		struct dump_map map;
		struct error err;
		const struct heap *h;

		dump_write(&dump_tiny, &b, &map);
		blob_patch(&b, damage_at(d, &map), d->bytes, d->len);
		h = read_bytes(b.data, b.len, LOAD_ALL, &err);
		check_damage(d, h, &err);
		heap_free(h);
		h = read_bytes(b.data, b.len, LOAD_TYPES, &err);
		heap_free(h);
		blob_free(&b);
	}
}

/* --- a little damage in a large file --- */

enum { FEW_OF = 1000 };

static void
many_node(void *context, uint32_t index, struct dump_node *node)
{
	uint32_t *targets = context;

	targets[0] = targets[1] = index + 1 < FEW_OF ? index + 1 : index;
	node->type = index ? 1 : 3;
	node->address = index ? 0x10000 + (uint64_t)index * 32 : 0;
	node->refs = targets;
	node->refs_count = 2;
}

static struct dump
many_dump(uint32_t targets[2])
{
	struct dump d = dump_tiny;

	d.nodes = NULL;
	d.node = many_node;
	d.node_context = targets;
	d.nodes_count = FEW_OF;
	return d;
}

TEST(test_a_little_damage_is_counted)
{
	uint32_t targets[2];
	struct dump d = many_dump(targets);

	/* Records are of 4 bytes; 10 of 1,000 is the most that is borne. */
	for (uint32_t broken = 9; broken <= 11; broken++) {
		struct blob b = { 0 };
		struct dump_map map;
		struct error err;
		const struct heap *h;

		dump_write(&d, &b, &map);
		for (uint32_t i = 0; i < broken; i++)
			blob_patch(&b, map.records + 2 + 4 * (100 + 2 * i), "\x7e", 1);
		h = read_bytes(b.data, b.len, LOAD_ALL, &err);
		if (broken > 10) {
			assert_null(h);
			assert_non_null(strstr(err.message,
					       "damaged objects: 11 of 1000, the first is number "
					       "100"));
		} else {
			assert_non_null(h);
			assert_int_equal(h->nodes_count, 999 - broken);
			assert_int_equal(h->info.losses.damaged_nodes, broken);
			assert_int_equal(h->info.losses.damaged_refs, 2 * broken);
		}
		heap_free(h);
		blob_free(&b);
	}
}

/* A megabyte that claims a million million references. */
TEST(test_records_that_overlap)
{
	uint32_t targets[2];
	struct dump d = many_dump(targets);
	struct blob b = { 0 };
	struct dump_map map;
	struct error err;

	dump_write(&d, &b, &map);
	/* All objects are the first one, which has 900 references. */
	blob_patch(&b, map.records + 2, "\x02\x87\x04", 3);
	for (uint32_t i = 0; i < FEW_OF; i++)
		blob_patch(&b, map.offsets + 4 * (size_t)i, "\2\0\0\0", 4);
	assert_null(read_bytes(b.data, b.len, LOAD_ALL, &err));
	assert_non_null(strstr(err.message, "the records of objects overlap: they need at least"));
	blob_free(&b);
}

/* --- addresses --- */

TEST(test_addresses_twice)
{
	uint32_t targets[2];
	struct dump d = many_dump(targets);
	struct blob b = { 0 };
	struct dump_map map;
	struct error err;
	const struct heap *h;
	char text[24];

	dump_write(&d, &b, &map);
	/* Every tenth address is 0, every other tenth that of number 1. */
	for (size_t i = 10; i < FEW_OF; i += 10)
		blob_patch(&b, map.addresses + 8 * i,
			   i % 20 ? "\0\0\0\0\0\0\0\0" : "\x20\0\1\0\0\0\0\0", 8);
	h = read_bytes(b.data, b.len, LOAD_ALL, &err);
	assert_non_null(h);
	assert_int_equal(h->nodes_count, 999);
	assert_int_equal(h->info.losses.made_up_addresses, 99);
	assert_true(heap_address(h, 0) == 0x10020);
	assert_true(address_is_made_up(heap_address(h, 900)));
	assert_false(address_is_made_up(heap_address(h, 899)));
	assert_string_equal(address_format(heap_address(h, 900), text), "#0");
	assert_int_equal(h->refs_count, 999 * 2);
	heap_free(h);
	blob_free(&b);
}

/* One odd address among many on its page is as good as the others. */
TEST(test_an_odd_address)
{
	uint32_t targets[2];
	struct dump d = many_dump(targets);
	struct blob b = { 0 };
	struct dump_map map;
	struct error err;
	const struct heap *h;

	dump_write(&d, &b, &map);
	blob_patch(&b, map.addresses + 8 * (size_t)500, "\x83\x3e\1", 3);
	h = read_bytes(b.data, b.len, LOAD_ALL, &err);
	assert_non_null(h);
	assert_false(losses_any(&h->info.losses));
	assert_int_equal(heap_find(h, 0x13e83), 499);
	heap_free(h);
	blob_free(&b);
}

/* 0 says that there is none, also where other addresses are as low. */
TEST(test_address_0)
{
	static const struct dump_node nodes[] = {
		{ 3, 0, 0, NULL, 0, false },
		{ 1, 32, 8, NULL, 0, false },
		{ 1, 32, 0, NULL, 0, false },
	};
	struct dump d = dump_tiny;
	struct blob b = { 0 };
	struct error err;
	const struct heap *h;

	d.nodes = nodes;
	d.nodes_count = 3;
	dump_write(&d, &b, NULL);
	h = read_bytes(b.data, b.len, LOAD_ALL, &err);
	assert_non_null(h);
	assert_int_equal(h->info.losses.made_up_addresses, 1);
	assert_true(heap_address(h, 0) == 8);
	assert_true(address_is_made_up(heap_address(h, 1)));
	heap_free(h);
	blob_free(&b);
}

/* --- files that were cut --- */

struct outcome {
	size_t opened, refused;
};

static void
read_cut(const struct blob *b, size_t len, enum load_what what, struct outcome *outcome)
{
	struct error err;
	const struct heap *h = read_bytes(b->data, len, what, &err);

	if (!h) {
		outcome->refused++;
		assert_int_equal(err.kind, ERROR_INPUT);
		return;
	}
	outcome->opened++;
	if (!h->info.warnings_count)
		fail_msg("cut to %zu bytes and not a word", len);
	heap_free(h);
}

static void
check_every_cut(const struct dump *d)
{
	struct blob b = { 0 };
	struct dump_map map;
	struct outcome outcome = { 0 };

	dump_write(d, &b, &map);
	for (size_t len = 0; len < b.len; len++) {
		struct outcome before = outcome;

		read_cut(&b, len, LOAD_ALL, &outcome);
		/* From where the table of objects is complete. */
		if (len >= map.records && outcome.refused != before.refused)
			fail_msg("cut to %zu bytes it should open", len);
		if (len < map.records && outcome.opened != before.opened)
			fail_msg("cut to %zu bytes it should not open", len);
	}
	blob_free(&b);
}

TEST(test_every_cut)
{
	struct dump wide = dump_tiny_full, old = dump_tiny, bare = dump_tiny;

	check_every_cut(&dump_tiny);
	check_every_cut(&dump_tiny_full);
	wide.label_bytes = wide.count_bytes = 8;
	check_every_cut(&wide);
	old.version = 7;
	check_every_cut(&old);
	bare.version = 0;
	check_every_cut(&bare);
}

struct cut {
	const char *title;
	size_t offset;
	enum where where;
	uint32_t nodes;
	uint64_t undefined, made_up, undefined_refs, missing;
};

/* clang-format off */
static const struct cut cuts[] = {
	{ "before the tail",       0, END,        3, 0, 0, 0, 0 },
	{ "before the tool",       (size_t)-12, END, 3, 0, 0, 0, 1 },
	{ "before the graph ends", 49, ADDRESSES, 3, 0, 0, 0, 1 },
	{ "after the addresses",   48, ADDRESSES, 3, 0, 0, 0, 1 },
	{ "in the addresses",      36, ADDRESSES, 3, 0, 2, 0, 12 },
	{ "before the addresses",  0, ADDRESSES,  3, 0, 3, 0, 48 },
	{ "after the records",     22, RECORDS,   3, 0, 3, 0, 52 },
	{ "in a record",           21, RECORDS,   2, 1, 2, 1, 53 },
	{ "in the references",     14, RECORDS,   0, 3, 0, 0, 60 },
	{ "before the records",    0, RECORDS,    0, 6, 0, 0, 74 },
};
/* clang-format on */

/* What is left, and what the heap says is missing. */
TEST(test_what_a_cut_leaves)
{
	for (size_t i = 0; i < COUNT_OF(cuts); i++) {
		const struct cut *c = &cuts[i];
		const struct damage where = { .where = c->where, .offset = c->offset };
		struct blob b = { 0 };
		struct dump_map map;
		struct error err;
		const struct heap *h;

		dump_write(&dump_tiny, &b, &map);
		h = read_bytes(b.data, damage_at(&where, &map), LOAD_ALL, &err);
		if (!h) {
			fail_msg("%s: %s", c->title, err.message);
			return;
		}
		if (h->nodes_count != c->nodes || h->info.losses.undefined_nodes != c->undefined ||
		    h->info.losses.made_up_addresses != c->made_up ||
		    h->info.losses.undefined_refs != c->undefined_refs ||
		    h->info.losses.missing_bytes < c->missing || h->info.warnings_count != 1)
			fail_msg("%s: %u objects, %u undefined, %u made up, %u refs, %u missing",
				 c->title, h->nodes_count, (unsigned)h->info.losses.undefined_nodes,
				 (unsigned)h->info.losses.made_up_addresses,
				 (unsigned)h->info.losses.undefined_refs,
				 (unsigned)h->info.losses.missing_bytes);
		heap_free(h);
		blob_free(&b);
	}
}

TEST(test_cuts_of_a_real_dump)
{
	enum { CUTS = 2000, FULL_EVERY = IS_SLOW ? 40 : 20 };
	struct blob b = { 0 };
	struct outcome outcome = { 0 };

	assert_true(blob_read_file(&b, "tests/data/leaky-10.gcdump"));
	for (size_t i = 0; i < CUTS; i++)
		read_cut(&b, b.len * i / CUTS, i % FULL_EVERY ? LOAD_TYPES : LOAD_ALL, &outcome);
	/* Types and offsets are about the first third. */
	assert_true(outcome.opened > CUTS / 2);
	assert_true(outcome.refused > CUTS / 10);
	blob_free(&b);
}

/* --- flipped bits --- */

static uint64_t
random_next(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

static void
analyse(const struct heap *h)
{
	struct error err = { 0 };
	const struct reverse *reverse;
	const struct reach *reach;

	reverse = reverse_compute(h, NULL, &err);
	reach = reach_compute(h, true, NULL, &err);
	assert_ok(reverse && reach, &err);
	reverse_free(reverse);
	reach_free(reach);
}

/* 1 to 8 bytes anywhere get a random value, then all is put back. */
static void
flip(struct blob *b, uint64_t *random, struct outcome *outcome)
{
	uint8_t before[8];
	size_t at[8], count = 1 + random_next(random) % 8;
	const struct heap *h;
	struct error err;

	for (size_t i = 0; i < count; i++) {
		at[i] = random_next(random) % b->len;
		before[i] = b->data[at[i]];
		b->data[at[i]] = (uint8_t)random_next(random);
	}
	h = read_bytes(b->data, b->len, LOAD_ALL, &err);
	if (h) {
		analyse(h);
		outcome->opened++;
	} else {
		outcome->refused++;
	}
	heap_free(h);
	while (count--)
		b->data[at[count]] = before[count];
}

TEST(test_flips)
{
	enum { FLIPS = 19000, REAL_FLIPS = IS_SLOW ? 100 : 200 };
	struct blob tiny = { 0 }, real = { 0 };
	struct outcome outcome = { 0 };
	uint64_t random = UINT64_C(0x9e3779b97f4a7c15);

	dump_write(&dump_tiny_full, &tiny, NULL);
	assert_true(blob_read_file(&real, "tests/data/leaky-10.gcdump"));
	for (int i = 0; i < FLIPS; i++)
		flip(&tiny, &random, &outcome);
	assert_true(outcome.opened > FLIPS / 20);
	assert_true(outcome.refused > FLIPS / 20);
	for (int i = 0; i < REAL_FLIPS; i++)
		flip(&real, &random, &outcome);
	blob_free(&tiny);
	blob_free(&real);
}

/* --- large and simple --- */

static void
chain_node(void *context, uint32_t index, struct dump_node *node)
{
	uint32_t *next = context;

	*next = index + 1;
	node->type = index ? 1 : 3;
	node->address = index ? 0x10000 + (uint64_t)index * 32 : 0;
	node->refs = next;
	node->refs_count = 1;
}

TEST(test_a_long_chain)
{
	uint32_t next, count = IS_SLOW ? 1000000 : 10000000;
	struct dump d = dump_tiny;
	struct blob b = { 0 };
	struct error err;
	const struct heap *h;
	const struct reach *reach;

	d.nodes = NULL;
	d.node = chain_node;
	d.node_context = &next;
	d.nodes_count = count;
	dump_write(&d, &b, NULL);
	/* The last one refers to something beyond. */
	h = read_bytes(b.data, b.len, LOAD_ALL, &err);
	blob_free(&b);
	assert_non_null(h);
	assert_int_equal(h->nodes_count, count - 1);
	assert_int_equal(h->refs_count, count - 2);
	assert_int_equal(h->info.losses.damaged_refs, 1);
	reach = reach_compute(h, false, NULL, &err);
	assert_non_null(reach);
	assert_int_equal(reach->distance[count - 2], count - 2);
	reach_free(reach);
	heap_free(h);
}

struct hub {
	uint32_t *targets, count;
};

static void
hub_node(void *context, uint32_t index, struct dump_node *node)
{
	const struct hub *hub = context;

	node->type = index ? 1 : 3;
	node->address = index ? 0x10000 + (uint64_t)index * 32 : 0;
	node->refs = index == 0 ? hub->targets + hub->count : hub->targets;
	node->refs_count = index == 0 ? 1 : index == 1 ? hub->count : 0;
}

TEST(test_a_wide_object)
{
	struct hub hub = { .count = IS_SLOW ? 500000 : 5000000 };
	struct dump d = dump_tiny;
	struct blob b = { 0 };
	struct error err;
	const struct heap *h;

	hub.targets = malloc((hub.count + (size_t)1) * sizeof(*hub.targets));
	assert_non_null(hub.targets);
	for (uint32_t i = 0; i < hub.count; i++)
		hub.targets[i] = 2 + i % 1000;
	hub.targets[hub.count] = 1;
	d.nodes = NULL;
	d.node = hub_node;
	d.node_context = &hub;
	d.nodes_count = 1002;
	dump_write(&d, &b, NULL);
	h = read_bytes(b.data, b.len, LOAD_ALL, &err);
	assert_non_null(h);
	assert_int_equal(h->refs_count, hub.count);
	heap_free(h);
	blob_free(&b);
	free(hub.targets);
}

TEST(test_no_objects)
{
	struct dump d = dump_tiny;
	struct blob b = { 0 };
	struct error err;
	const struct heap *h;

	d.nodes_count = 0;
	dump_write(&d, &b, NULL);
	h = read_bytes(b.data, b.len, LOAD_ALL, &err);
	assert_non_null(h);
	assert_int_equal(h->nodes_count, 0);
	heap_free(h);
	d.types_count = 0;
	dump_write(&d, &b, NULL);
	h = read_bytes(b.data, b.len, LOAD_ALL, &err);
	assert_non_null(h);
	heap_free(h);
	blob_free(&b);
}
