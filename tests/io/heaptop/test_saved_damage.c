/* Saved heaps that were cut, damaged, or made to lie: a sentence or a heap. */
#include "tests/made/graphs.h"
#include "tests/drive/files.h"
#include "tests/drive/kept.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/slow.h"
#include "tests/judge/same_heap.h"
#include "io/heaptop/format.h"
#include "io/base/zstd.h"
#include <stdlib.h>
#include <string.h>

/* Which bits are flipped, one at a time: every one, or every seventh. */
enum { EVERY = IS_SLOW ? 7 : 1 };

/* Cut anywhere: a sentence, or the types, labelled; at the end all of it. */
TEST(test_cut)
{
	const struct heap *h = kept_small_heap();
	struct bytes_kept kept = kept_save(h);
	size_t len = kept.len, with_types = 0;
	struct error err;

	for (kept.len = 0; kept.len < len; kept.len++) {
		const struct heap *cut = kept_load(&kept, LOAD_ALL, &err);

		if (!cut) {
			assert_int_equal(err.kind, ERROR_INPUT);
			assert_true(strlen(err.message) > 10);
			continue;
		}
		assert_false(cut->has_objects);
		assert_true(cut->info.losses.missing_bytes > 0);
		assert_true(losses_are_incomplete(&cut->info.losses));
		assert_true(heap_check(cut, &err));
		assert_int_equal(cut->bytes_count, h->bytes_count);
		with_types++;
		heap_free(cut);
	}
	assert_true(with_types > len / 4);
	heap_free(h);
	free(kept.data);
}

/* No flipped bit goes unseen, but where nothing is said that is not said in
   the directory, too. */
TEST(test_flipped)
{
	const struct heap *h = kept_small_heap();
	struct bytes_kept kept = kept_save(h);
	struct error err;
	size_t refused = 0;

	for (size_t i = 0; i < kept.len * 8; i += EVERY) {
		const struct heap *other;

		kept.data[i / 8] ^= (uint8_t)(1 << i % 8);
		other = kept_load(&kept, LOAD_ALL, &err);
		kept.data[i / 8] ^= (uint8_t)(1 << i % 8);
		if (!other) {
			assert_int_equal(err.kind, ERROR_INPUT);
			refused++;
			continue;
		}
		expect_same_heap(h, other, SAME_ALL);
		heap_free(other);
	}
	assert_true(refused > kept.len * 8 / EVERY * 2 / 3);
	heap_free(h);
	free(kept.data);
}

/* ---- files that lie, with checks that fit --------------------------------
 */

/* Refused with a reason, or sound, whatever it holds. */
static bool
is_refused(const struct saved_sections *s, size_t which, const uint8_t *raw,
	   struct zstd_packer *packer)
{
	struct bytes_kept lie = kept_assemble(s, which, raw, packer);
	struct error err;
	const struct heap *h = kept_load(&lie, LOAD_ALL, &err);

	if (!h)
		assert_int_equal(err.kind, ERROR_INPUT);
	else if (!heap_check(h, &err))
		fail_msg("section %zu: %s", which, err.message);
	if (h)
		heap_free(h);
	free(lie.data);
	return !h;
}

static void
expect_wrong_inside(const struct saved_how *how)
{
	struct error err = { 0 };
	struct zstd_packer *packer = zstd_packer_new(&err);
	const struct heap *h = kept_small_heap();
	struct bytes_kept kept = kept_save_as(h, how);
	struct saved_sections s = kept_sections(&kept);
	size_t refused = 0;

	assert_non_null(packer);
	for (size_t i = 0; i < s.count; i++) {
		uint64_t len = s.items[i].raw_len;
		uint8_t *raw = malloc(len + 1);
		struct bytes b;

		assert_non_null(raw);
		assert_true(saved_unpack(&s, 0, &s.items[i], &b, &err));
		memcpy(raw, b.data, len);
		/* The table of frequent sizes is long and says one thing. */
		if (s.items[i].kind == SAVED_SIZE)
			len = 64;
		for (uint64_t bit = 0; bit < len * 8; bit += EVERY) {
			raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
			refused += is_refused(&s, i, raw, packer);
			raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		free(raw);
	}
	assert_true(refused > 1000 / EVERY);
	saved_sections_clear(&s);
	zstd_packer_free(packer);
	heap_free(h);
	free(kept.data);
}

TEST(test_wrong_inside)
{
	const struct saved_how raw = { .is_raw = true };

	expect_wrong_inside(NULL);
	expect_wrong_inside(&raw);
}

/* Many references, which are unpacked many at a time. */
TEST(test_wrong_references)
{
	struct error err = { 0 };
	struct zstd_packer *packer = zstd_packer_new(&err);
	const struct heap *h = heap_of_graph(graph_mixed(3, 4000));
	struct bytes_kept kept = kept_save(h);
	struct saved_sections s = kept_sections(&kept);
	uint32_t chance = 1;
	size_t refused = 0, i = 0;
	struct bytes b;
	uint8_t *raw;

	while (s.items[i].kind != SAVED_NODE)
		i++;
	raw = malloc(s.items[i].raw_len);
	assert_non_null(raw);
	assert_true(saved_unpack(&s, 0, &s.items[i], &b, &err));
	memcpy(raw, b.data, b.len);
	for (int turn = 0; turn < 3000; turn++) {
		size_t from = SAVED_NODE_BYTES + (size_t)h->nodes_count * 3, at;
		uint8_t before;

		chance = chance * 1664525 + 1013904223;
		at = from + (chance >> 8) % (b.len - from);
		before = raw[at];
		raw[at] ^= turn % 3 ? (uint8_t)(1 << turn % 8) : 0x80;
		refused += is_refused(&s, i, raw, packer);
		raw[at] = before;
	}
	assert_true(refused > 500);
	free(raw);
	saved_sections_clear(&s);
	zstd_packer_free(packer);
	heap_free(h);
	free(kept.data);
}

/*
 * One object with 300 references, of so many bytes each: sums of those of 8 would not even fit 64
 * bits.
 */
static void
expect_long_refused(struct saved_sections *s, size_t which, size_t bytes)
{
	enum { REFS_COUNT = 300 };
	uint8_t *raw = malloc(s->items[which].raw_len);
	struct bytes_kept lie;
	struct error err;
	struct bytes b;
	size_t at = 2;

	assert_non_null(raw);
	assert_in_range(s->items[which].raw_len, 2 + REFS_COUNT * bytes, UINT32_MAX);
	assert_true(saved_unpack(s, 0, &s->items[which], &b, &err));
	memcpy(raw, b.data, b.len);
	raw[0] = 0x80 | (REFS_COUNT & 0x7f);
	raw[1] = REFS_COUNT >> 7;
	for (int i = 0; i < REFS_COUNT; i++, at += bytes) {
		memset(raw + at, 0xff, bytes - 1);
		raw[at] = 0xfe;
		raw[at + bytes - 1] = 0x7f;
	}
	lie = kept_assemble(s, which, raw, NULL);
	assert_null(kept_load(&lie, LOAD_ALL, &err));
	if (!strstr(err.message, "references are cut"))
		fail_msg("%zu bytes: %s", bytes, err.message);
	free(lie.data);
	free(raw);
}

TEST(test_long_numbers)
{
	const struct saved_how how = { .is_raw = true };
	const struct heap *h = heap_of_graph(graph_mixed(3, 4000));
	struct bytes_kept kept = kept_save_as(h, &how);
	struct saved_sections s = kept_sections(&kept);
	size_t i = 0;

	while (s.items[i].kind != SAVED_CREF)
		i++;
	for (size_t bytes = 6; bytes <= 9; bytes++)
		expect_long_refused(&s, i, bytes);
	saved_sections_clear(&s);
	heap_free(h);
	free(kept.data);
}

/* So many objects of one type and size: each chunk is like the others. */
/* Only a later heaptop could read it. */
TEST(test_later_version)
{
	enum { LEAST = SAVED_MAGIC_BYTES + 2 };
	const struct heap *h = heap_of_graph(graph_mixed(3, 40));
	struct bytes_kept kept = kept_save(h);
	struct error err;

	kept.data[LEAST] = 0xff;
	assert_null(kept_load(&kept, LOAD_ALL, &err));
	assert_non_null(strstr(err.message, "written by a later heaptop: version 255"));
	assert_non_null(strstr(err.message, ": heaptop -o FILE.gcdump FILE.heaptop"));
	free(kept.data);
	heap_free(h);
}

static const struct heap *
heap_of_chunks(uint32_t chunks_count)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	bool ok = heap_builder_type(heap_stream_builder(s), "Same", "", &err) == 0;

	for (uint64_t i = 0; ok && i < (uint64_t)chunks_count * CHUNK_NODES; i++)
		ok = heap_stream_object(s, 0x10000 + i * 24, 0, 24, 0, &err);
	assert_true(ok);
	return heap_stream_finish(s, NULL, &err);
}

/* Threads take the chunks: none may be taken for another that is not there. */
TEST(test_chunk_twice)
{
	const struct heap *h = heap_of_chunks(2);
	struct bytes_kept kept = kept_save(h);
	struct saved_sections s = kept_sections(&kept);

	for (size_t i = 0; i < s.count; i++)
		if (s.items[i].kind == SAVED_NODE && s.items[i].index == 1)
			s.items[i].index = 0;
	for (int i = 0; i < 5; i++)
		assert_true(is_refused(&s, 0, NULL, NULL));
	saved_sections_clear(&s);
	heap_free(h);
	free(kept.data);
}

/* Two threads would write the same words: half of them, twice. */
TEST(test_addresses_twice)
{
	const struct saved_how how = { .is_raw = true };
	const struct heap *h = kept_small_heap();
	struct bytes_kept kept = kept_save_as(h, &how), lie;
	struct saved_sections s = kept_sections(&kept), twice = s;
	struct saved_section *half;
	size_t which = 0;
	struct error err;

	while (s.items[which].kind != SAVED_BITS)
		which++;
	twice.items = calloc(s.count + 1, sizeof *twice.items);
	assert_non_null(twice.items);
	memcpy(twice.items, s.items, s.count * sizeof *s.items);
	half = &twice.items[which];
	half->raw_len /= 2;
	half->stored_len /= 2;
	twice.items[twice.count++] = *half;
	lie = kept_assemble(&twice, which, NULL, NULL);
	assert_null(kept_load(&lie, LOAD_ALL, &err));
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_ok(strstr(err.message, "addresses out of place, or repeated"), &err);
	free(lie.data);
	free(twice.items);
	saved_sections_clear(&s);
	heap_free(h);
	free(kept.data);
}

TESTS_BETWEEN(folder_make, folder_remove);
