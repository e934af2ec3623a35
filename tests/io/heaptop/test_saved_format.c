/*
 * heaptop-format(5), read as a stranger would: nothing of the program's reader is used but zstd.
 * What it says must be enough to have the heap again.
 */
#include "tests/drive/heaps.h"
#include "tests/made/graphs.h"
#include "tests/drive/files.h"
#include "tests/drive/kept.h"
#include "tests/drive/run_tests.h"
#include "io/heaptop/heaptop.h"
#include "io/base/zstd.h"
#include <stdlib.h>
#include <string.h>

struct section {
	char kind[5];
	uint32_t flags;
	uint64_t index, raw_len, place;
	uint8_t *raw;
};

struct reader {
	uint8_t *file;
	size_t len;
	struct section sections[256];
	size_t count;
};

static uint64_t
number(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = bytes; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

static uint32_t
fnv1a(const uint8_t *at, size_t len)
{
	uint32_t hash = 2166136261U;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ at[i]) * 16777619U;
	return hash;
}

/* Unpacks it; returns where the next one begins. */
static uint64_t
read_section(struct reader *r, uint64_t place, struct zstd_unpacker *unpacker)
{
	const uint8_t *head = r->file + place;
	struct section *s = &r->sections[r->count++];
	uint64_t stored = number(head + 24, 8);
	struct error err = { 0 };

	assert_true(r->count < 256 && place + 40 <= r->len);
	memcpy(s->kind, head, 4);
	s->flags = (uint32_t)number(head + 4, 4);
	s->index = number(head + 8, 8);
	s->raw_len = number(head + 16, 8);
	s->place = place;
	assert_int_equal(number(head + 36, 4), fnv1a(head, 36));
	assert_true(s->raw_len <= 512 * (stored + number(head + 32, 4) + 1));
	s->raw = malloc(s->raw_len + 1);
	assert_non_null(s->raw);
	if (s->flags & 2)
		memcpy(s->raw, head + 40, stored);
	else
		assert_true(
		    zstd_unpack_frame(unpacker, s->raw, s->raw_len, head + 40, stored, &err));
	return place + 40 + stored + number(head + 32, 4);
}

static void
read_sections(struct reader *r)
{
	static const uint8_t header[] = { 0x89, 0x48, 0x45, 0x41, 0x50, 0x0d, 0x0a, 0x1a,
					  1,    0,    1,    0,    0,    0,    0,    0 };
	struct error err = { 0 };
	struct zstd_unpacker *unpacker = zstd_unpacker_new(&err);
	uint64_t place = sizeof(header);
	const struct section *end;

	assert_memory_equal(r->file, header, sizeof(header));
	while (place < r->len)
		place = read_section(r, place, unpacker);
	assert_int_equal(place, r->len);
	end = &r->sections[r->count - 1];
	assert_string_equal(end->kind, "END ");
	assert_int_equal(end->index, r->count - 1);
	assert_string_equal(end[-1].kind, "DIRE");
	assert_int_equal(number(end->raw, 8), end[-1].place);
	/* The directory says the same as the heads. */
	assert_int_equal(end[-1].raw_len, (r->count - 2) * 40);
	for (size_t i = 0; i + 2 < r->count; i++) {
		const uint8_t *entry = end[-1].raw + i * 40;

		assert_memory_equal(entry, r->file + r->sections[i].place, 32);
		assert_int_equal(number(entry + 32, 8), r->sections[i].place);
	}
	zstd_unpacker_free(unpacker);
}

static const struct section *
find(const struct reader *r, const char *kind, uint64_t index)
{
	for (size_t i = 0; i < r->count; i++)
		if (!strcmp(r->sections[i].kind, kind) && r->sections[i].index == index)
			return &r->sections[i];
	fail_msg("no section %s of index %d", kind, (int)index);
	return NULL;
}

static uint64_t
leb128(const uint8_t **at)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = *(*at)++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
}

static int64_t
zigzag(uint64_t value)
{
	return value & 1 ? -(int64_t)(value / 2) - 1 : (int64_t)(value / 2);
}

/* ---- is it that heap? -------------------------------------------------------
 */

static void
expect_types(const struct reader *r, const struct heap *h)
{
	const struct section *texts = find(r, "TEXT", 0);
	const struct section *types = find(r, "TYPE", 0);

	assert_int_equal(types->raw_len, h->types_count * 48);
	for (type_id t = 0; t < h->types_count; t++) {
		const uint8_t *at = types->raw + t * 48;

		assert_string_equal(texts->raw + number(at, 4), h->types[t].raw);
		assert_string_equal(texts->raw + number(at + 4, 4), h->types[t].module);
		assert_int_equal(number(at + 8, 4), h->types[t].flags);
		assert_int_equal(number(at + 16, 8), h->types[t].count);
		assert_int_equal(number(at + 24, 8), h->types[t].bytes);
		assert_int_equal(number(at + 32, 8), h->types[t].min_bytes);
		assert_int_equal(number(at + 40, 8), h->types[t].max_bytes);
	}
}

static void
expect_roots(const struct reader *r, const struct heap *h)
{
	const uint8_t *texts = find(r, "TEXT", 0)->raw;
	const uint8_t *at = find(r, "ROOT", 0)->raw;

	for (uint32_t i = 0; i < h->roots_count; i++, at += 16) {
		const struct root *root = &h->roots[i];

		assert_int_equal(number(at, 4), root->object);
		assert_int_equal(at[4], root->kind);
		assert_int_equal(at[5], root->is_pinned);
		assert_string_equal(texts + number(at + 8, 4), root->name);
		assert_string_equal(texts + number(at + 12, 4), root->label);
	}
}

static void
expect_addresses(const struct reader *r, const struct heap *h)
{
	const uint8_t *pages = find(r, "PAGE", 0)->raw;
	uint64_t granule = number(pages, 4), page = number(pages + 4, 4);
	uint64_t count = number(pages + 8, 4), bits = UINT64_C(1) << (page - granule);
	node_id n = 0;

	for (uint64_t i = 0; i < count; i++)
		for (uint64_t bit = 0; bit < bits; bit++) {
			uint64_t at = i * bits + bit, word = at / 64;
			const struct section *s = find(r, "BITS", word / 131072 * 131072);

			if (!(s->raw[at / 8 - s->index * 8] >> at % 8 & 1))
				continue;
			assert_int_equal((number(pages + 16 + i * 8, 8) << page) + (bit << granule),
					 heap_address(h, n));
			n++;
		}
	assert_int_equal(n + number(pages + 12, 4), h->nodes_count);
}

/* Where a part's columns are, packed or raw. */
struct columns {
	const uint8_t *types, *codes, *large, *refs;
	uint64_t large_first; /* from which object large sizes count */
};

static void
expect_part(const struct reader *r, const struct heap *h, node_id first, uint32_t count,
	    struct columns c)
{
	const uint8_t *sizes = find(r, "SIZE", 0)->raw;

	for (node_id n = first; n < first + count; n++, c.codes++) {
		struct refs refs = heap_refs(h, n);
		uint64_t type = number(c.types, 2), size, left = 0;
		int64_t last = n;
		node_id target;

		c.types += 2;
		assert_int_equal(type, heap_type_of(h, n));
		size = number(sizes + 8 * *c.codes, *c.codes < 255 ? 8 : 0);
		if (*c.codes == 255) {
			while (number(c.large, 4) + c.large_first < n)
				c.large += 12;
			assert_int_equal(number(c.large, 4) + c.large_first, n);
			size = number(c.large + 4, 8);
		}
		assert_int_equal(size, heap_size(h, n));
		if (h->types[type].flags & 4)
			left = leb128(&c.refs);
		assert_int_equal(left, refs.left);
		while (refs_next(&refs, &target)) {
			last += zigzag(leb128(&c.refs));
			assert_int_equal(last, target);
		}
	}
}

static void
expect_objects(const struct reader *r, const struct heap *h, bool is_raw)
{
	for (node_id first = 0; first < h->nodes_count; first += 65536) {
		uint32_t left = h->nodes_count - first;
		uint32_t count = left < 65536 ? left : 65536;
		struct columns c;

		if (is_raw) {
			uint64_t begins = number(find(r, "CBEG", 0)->raw + first / 65536 * 8, 8);

			c = (struct columns){ find(r, "CTYP", 0)->raw + first * 2,
					      find(r, "CSIZ", 0)->raw + first,
					      find(r, "CLRG", 0)->raw,
					      find(r, "CREF", 0)->raw + begins, 0 };
		} else {
			const uint8_t *at = find(r, "NODE", first / 65536)->raw;

			assert_int_equal(number(at, 4), count);
			c.types = at + 16;
			c.codes = c.types + count * 2;
			c.large = c.codes + count;
			c.refs = c.large + number(at + 4, 4) * 12;
			c.large_first = first;
		}
		expect_part(r, h, first, count, c);
	}
}

static void
expect_heap(const struct heap *h, bool is_raw)
{
	const struct saved_how how = { .is_raw = is_raw };
	struct bytes_kept kept = kept_save_as(h, &how);
	static struct reader r;

	r = (struct reader){ .file = kept.data, .len = kept.len };
	read_sections(&r);
	expect_types(&r, h);
	expect_roots(&r, h);
	expect_addresses(&r, h);
	expect_objects(&r, h, is_raw);
	for (size_t i = 0; i < r.count; i++)
		free(r.sections[i].raw);
	free(r.file);
}

TEST(test_a_dump)
{
	const struct heap *h = heap_of_file(LEAKY_10);

	expect_heap(h, false);
	expect_heap(h, true);
	heap_free(h);
}

/* More than one part. */
TEST(test_a_large_heap)
{
	const struct heap *h = heap_of_graph(graph_mixed(3, 150000));

	expect_heap(h, false);
	expect_heap(h, true);
	heap_free(h);
}

TESTS_BETWEEN(folder_make, folder_remove);
