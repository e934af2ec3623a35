#define _GNU_SOURCE /* O_TMPFILE */
#include "tests/graphs.h"
#include "tests/run_tests.h"
#include "tests/same_heap.h"
#include "io/gcdump.h"
#include "io/saved.h"
#include "io/saved_format.h"
#include "io/saved_sections.h"
#include "io/walk.h"
#include "io/zstd.h"
#include "model/retained.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct bytes_kept {
	uint8_t *data;
	size_t len;
};

static char folder[] = "/tmp/test_saved.XXXXXX";

static int
set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int
tear_down(void **state)
{
	(void)state;
	return rmdir(folder);
}

static const char *
path_in(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static struct bytes_kept
read_file(const char *path)
{
	struct bytes_kept kept = { 0 };
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	kept.len = (size_t)ftell(file);
	rewind(file);
	kept.data = malloc(kept.len + 1);
	assert_non_null(kept.data);
	assert_int_equal(fread(kept.data, 1, kept.len, file), kept.len);
	fclose(file);
	return kept;
}

static struct bytes_kept
save_as(const struct heap *h, const struct saved_how *how)
{
	const char *path = path_in("x.heaptop");
	struct error err = { 0 };
	struct output *to = output_open(path, false, &err);
	struct bytes_kept kept;

	if (!to || !saved_write(to, h, how, NULL, &err) ||
	    !output_close(to, &err))
		fail_msg("%s", err.message);
	kept = read_file(path);
	assert_int_equal(unlink(path), 0);
	return kept;
}

static struct bytes_kept
save(const struct heap *h)
{
	return save_as(h, NULL);
}

static const struct heap *
load_kept(const struct bytes_kept *kept, enum load_what what, struct error *err)
{
	error_clear(err);
	return saved_read(kept->data, kept->len, "", what, NULL, NULL, err);
}

static void
expect_same_kept(const struct heap *h, struct bytes_kept kept)
{
	struct error err = { 0 };
	const struct heap *again = load_kept(&kept, LOAD_ALL, &err);

	if (!again)
		fail_msg("%s", err.message);
	if (!heap_check(again, &err))
		fail_msg("%s", err.message);
	expect_same_heap(h, again, SAME_ALL);
	heap_free(again);
	free(kept.data);
}

static void
expect_identity(const struct heap *h)
{
	const struct saved_how raw = { .is_raw = true };

	expect_same_kept(h, save(h));
	expect_same_kept(h, save_as(h, &raw));
}

/* Who reads only the types has their generations all the same. */
static void
expect_types(const struct heap *h)
{
	struct bytes_kept kept = save(h);
	struct error err = { 0 };
	const struct heap *types = load_kept(&kept, LOAD_TYPES, &err);

	if (!types)
		fail_msg("%s", err.message);
	assert_false(types->has_objects);
	assert_int_equal(types->types_count, h->types_count);
	assert_non_null(h->generation_counts);
	assert_memory_equal(types->generation_counts, h->generation_counts,
			    (size_t)h->types_count * GEN_COUNT * 8);
	assert_memory_equal(types->generation_bytes, h->generation_bytes,
			    (size_t)h->types_count * GEN_COUNT * 8);
	heap_free(types);
	free(kept.data);
}

static void
test_random_heaps(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct graph *g =
		    graph_mixed(seed, (uint32_t)(seed * seed * 5));
		const struct heap *h = graph_heap(g);

		expect_identity(h);
		heap_free(h);
		graph_free(g);
	}
}

/* Several chunks, and frames that pack better than 1:512 and are padded. */
static void
test_long_heaps(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct graph *g = i ? graph_list(400000) : graph_hub(200000);
		const struct heap *h = graph_heap(g);

		expect_identity(h);
		heap_free(h);
		graph_free(g);
	}
}

/* What graphs do not have. */
static const struct heap *
heap_of_everything(uint32_t types_count)
{
	static const struct heap_domain domains[] = {
		{ "App.exe", "App.exe", "what is known", 0, 4711, true },
		{ "App.exe", "App.exe #2", "", 0x10100, 0, false },
	};
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	struct heap_builder *b = heap_stream_builder(s);
	struct heap_info *info = heap_builder_info(b);
	char name[32];
	bool ok = true;

	for (uint32_t t = 0; t < types_count; t++) {
		snprintf(name, sizeof(name), "Some.Type%u%s", t,
			 t % 3 ? "" : "[]");
		ok = ok && heap_builder_type(b, name, t % 5 ? "/a/b.dll" : "",
					     &err) == t;
	}
	heap_builder_type_multiplier(b, 0, 2.5F);
	for (uint32_t i = 0; i < types_count; i++)
		ok = ok &&
		     heap_stream_object(s, 0x10000 + i * UINT64_C(40), i,
					i % 7 ? 40 : UINT64_C(6000000000) + i,
					1, &err) &&
		     heap_stream_ref(s, 0x10000, &err);
	/* A second one at an address that is taken. */
	ok = ok && heap_stream_object(s, 0x10000, 0, 48, 0, &err) &&
	     heap_stream_weak(s, 0x10000, &err) &&
	     heap_stream_weak(s, 0x10000, &err) &&
	     heap_stream_root(s, 0x10028, ROOT_STATIC, true, "Größe\x1b", "l",
			      &err) &&
	     heap_stream_range(s, 0x10000, 0x10100, GEN_2, 1, &err) &&
	     heap_stream_range(s, 0x10100, 0x20000, GEN_LOH, -1, &err) &&
	     heap_builder_warning(b, &err, "be warned");
	assert_true(ok);
	info->format = "made up";
	info->tool = "test";
	info->machine = "box";
	info->process = "api";
	info->log = "collected";
	info->source = "nowhere";
	info->pid = 4711;
	info->time = 1790000000;
	info->commit_bytes = 1;
	info->working_set_bytes = UINT64_MAX;
	info->is_64bit = info->is_sampled = true;
	info->count_multiplier = 1.25;
	info->size_multiplier = 0.1;
	info->losses.lost_events = 3;
	info->losses.unnamed_nodes = UINT64_MAX;
	info->losses.is_unfinished = true;
	info->domains = domains;
	info->domains_count = 2;
	return heap_stream_finish(s, NULL, &err);
}

static void
test_everything(void **state)
{
	static const uint32_t types_counts[] = { 20, 65536, 65537, 70000 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		const struct heap *h = heap_of_everything(types_counts[i]);

		assert_non_null(h);
		expect_identity(h);
		expect_types(h);
		heap_free(h);
	}
}

static void
test_reference_dumps(void **state)
{
	static const char *const names[] = {
		"tests/data/leaky-10.gcdump", "tests/data/leaky-8.gcdump.zst",
		"tests/data/leaky-10-server.gcdump.zst",
		"tests/data/tiny-full.gcdump", "tests/data/tiny.gcdump"
	};
	struct error err = { 0 };
	const struct heap *h;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		h = source_gcdump.load(names[i], LOAD_ALL, NULL, NULL, &err);
		assert_non_null(h);
		expect_identity(h);
		heap_free(h);
	}
	h = source_nettrace.load("tests/data/leaky-10.nettrace.zst", LOAD_ALL,
				 NULL, NULL, &err);
	assert_non_null(h);
	expect_identity(h);
	heap_free(h);
}

/* An empty heap, and one of types only. */
static void
test_little(void **state)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	const struct heap *h = heap_stream_finish(s, NULL, &err);

	(void)state;
	assert_non_null(h);
	expect_identity(h);
	heap_free(h);
	h = source_gcdump.load("tests/data/leaky-10.gcdump", LOAD_TYPES, NULL,
			       NULL, &err);
	assert_non_null(h);
	expect_identity(h);
	heap_free(h);
}

static const struct heap *
small_heap(void)
{
	struct graph *g = graph_mixed(7, 40);
	const struct heap *h = graph_heap(g);

	graph_free(g);
	return h;
}

/* Cut anywhere: a sentence, or the types, labelled; at the end all of it. */
static void
test_cut(void **state)
{
	const struct heap *h = small_heap();
	struct bytes_kept kept = save(h);
	size_t len = kept.len, with_types = 0;
	struct error err;

	(void)state;
	for (kept.len = 0; kept.len < len; kept.len++) {
		const struct heap *cut = load_kept(&kept, LOAD_ALL, &err);

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
static void
test_flipped(void **state)
{
	const struct heap *h = small_heap();
	struct bytes_kept kept = save(h);
	struct error err;
	size_t refused = 0;

	(void)state;
	for (size_t i = 0; i < kept.len * 8; i++) {
		const struct heap *other;

		kept.data[i / 8] ^= (uint8_t)(1 << i % 8);
		other = load_kept(&kept, LOAD_ALL, &err);
		kept.data[i / 8] ^= (uint8_t)(1 << i % 8);
		if (!other) {
			assert_int_equal(err.kind, ERROR_INPUT);
			refused++;
			continue;
		}
		expect_same_heap(h, other, SAME_ALL);
		heap_free(other);
	}
	assert_true(refused > kept.len * 8 * 2 / 3);
	heap_free(h);
	free(kept.data);
}

/* ---- files that lie, with checks that fit --------------------------------
 */

static void
put_number(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* A head of 40 bytes; what it is the head of stands behind it. */
static void
put_head(uint8_t *head, const struct saved_section *s)
{
	put_number(head, s->kind, 4);
	put_number(head + 4, s->flags, 4);
	put_number(head + 8, s->index, 8);
	put_number(head + 16, s->raw_len, 8);
	put_number(head + 24, s->stored_len, 8);
	put_number(head + 32, 0, 4);
	put_number(head + 36, saved_check(head, 36), 4);
}

/*
 * As `sections` say, but that number `which` is made of `raw`, and without a
 * directory.
 */
static struct bytes_kept
assemble(const struct saved_sections *sections, size_t which,
	 const uint8_t *raw, struct zstd_packer *packer)
{
	size_t room = sections->len + SAVED_SECTION_BYTES +
		      zstd_packed_max(sections->items[which].raw_len);
	struct bytes_kept out = { malloc(room), SAVED_HEADER_BYTES };
	struct error err = { 0 };

	assert_non_null(out.data);
	memcpy(out.data, sections->data, out.len);
	for (size_t i = 0; i < sections->count; i++) {
		struct saved_section s = sections->items[i];
		uint8_t *head = out.data + out.len;

		out.len += SAVED_SECTION_BYTES;
		if (raw && i == which && s.flags & SAVED_IS_STORED)
			memcpy(out.data + out.len, raw, s.stored_len);
		else if (raw && i == which)
			s.stored_len = zstd_pack_frame(
			    packer, out.data + out.len, room - out.len, raw,
			    s.raw_len, &err);
		else if (s.stored_len)
			memcpy(out.data + out.len, s.data, s.stored_len);
		out.len += s.stored_len;
		put_head(head, &s);
	}
	put_head(out.data + out.len,
		 &(struct saved_section){ .kind = SAVED_END,
					  .index = sections->count });
	out.len += SAVED_SECTION_BYTES;
	return out;
}

static struct saved_sections
sections_of(const struct bytes_kept *kept)
{
	struct saved_sections s = { .data = kept->data, .len = kept->len };
	struct error err = { 0 };

	assert_true(saved_sections_find(&s, &err));
	return s;
}

/* Refused with a reason, or sound, whatever it holds. */
static bool
is_refused(const struct saved_sections *s, size_t which, const uint8_t *raw,
	   struct zstd_packer *packer)
{
	struct bytes_kept lie = assemble(s, which, raw, packer);
	struct error err;
	const struct heap *h = load_kept(&lie, LOAD_ALL, &err);

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
	const struct heap *h = small_heap();
	struct bytes_kept kept = save_as(h, how);
	struct saved_sections s = sections_of(&kept);
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
		for (uint64_t bit = 0; bit < len * 8; bit++) {
			raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
			refused += is_refused(&s, i, raw, packer);
			raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		free(raw);
	}
	assert_true(refused > 1000);
	saved_sections_clear(&s);
	zstd_packer_free(packer);
	heap_free(h);
	free(kept.data);
}

static void
test_wrong_inside(void **state)
{
	const struct saved_how raw = { .is_raw = true };

	(void)state;
	expect_wrong_inside(NULL);
	expect_wrong_inside(&raw);
}

/* Many references, which are unpacked many at a time. */
static void
test_wrong_references(void **state)
{
	struct error err = { 0 };
	struct zstd_packer *packer = zstd_packer_new(&err);
	struct graph *g = graph_mixed(3, 4000);
	const struct heap *h = graph_heap(g);
	struct bytes_kept kept = save(h);
	struct saved_sections s = sections_of(&kept);
	uint32_t chance = 1;
	size_t refused = 0, i = 0;
	struct bytes b;
	uint8_t *raw;

	(void)state;
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
	graph_free(g);
	free(kept.data);
}

/* So many objects of one type and size: each chunk is like the others. */
static const struct heap *
heap_of_chunks(uint32_t chunks_count)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	bool ok =
	    heap_builder_type(heap_stream_builder(s), "Same", "", &err) == 0;

	for (uint64_t i = 0; ok && i < (uint64_t)chunks_count * CHUNK_NODES;
	     i++)
		ok = heap_stream_object(s, 0x10000 + i * 24, 0, 24, 0, &err);
	assert_true(ok);
	return heap_stream_finish(s, NULL, &err);
}

/* Threads take the chunks: none may be taken for another that is not there. */
static void
test_chunk_twice(void **state)
{
	const struct heap *h = heap_of_chunks(2);
	struct bytes_kept kept = save(h);
	struct saved_sections s = sections_of(&kept);

	(void)state;
	for (size_t i = 0; i < s.count; i++)
		if (s.items[i].kind == SAVED_NODE && s.items[i].index == 1)
			s.items[i].index = 0;
	for (int i = 0; i < 5; i++)
		assert_true(is_refused(&s, 0, NULL, NULL));
	saved_sections_clear(&s);
	heap_free(h);
	free(kept.data);
}

/* ---- what was computed ------------------------------------------------------
 */

struct computed {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;
	const struct ignored *tables;
	const struct dominators *dominators;
};

/* As a session computes it. */
static struct computed
compute(const struct heap *h)
{
	struct error err = { 0 };
	struct computed c = { .heap = h };
	struct ignored_entry all[16];
	uint32_t count;

	c.reverse = reverse_compute(h, NULL, &err);
	c.reach = reach_compute(h, true, NULL, &err);
	assert_non_null(c.reach);
	count = c.reach->static_tables_count;
	assert_true(count < 16);
	for (uint32_t i = 0; i < count; i++)
		all[i] = (struct ignored_entry){ IGNORED_STATIC_TABLE,
						 c.reach->static_tables[i], 0 };
	c.tables = ignored_new(h, all, count, NULL, &err);
	c.dominators =
	    dominators_compute(h, c.reverse, c.tables, 0, NULL, &err);
	assert_non_null(c.dominators);
	return c;
}

static void
computed_free(struct computed *c)
{
	dominators_free(c->dominators);
	ignored_free(c->tables);
	reach_free(c->reach);
	reverse_free(c->reverse);
	heap_free(c->heap);
}

static struct bytes_kept
save_computed(const struct computed *c)
{
	const struct saved_how how = { .reach = c->reach,
				       .dominators = c->dominators,
				       .prefers_statics = true };

	return save_as(c->heap, &how);
}

/* As from a file: it may keep the bytes. */
static const struct heap *
load_keeping(const struct bytes_kept *kept, struct error *err)
{
	struct input in = { .unpacked = malloc(kept->len), .len = kept->len };
	const struct heap *h;

	assert_non_null(in.unpacked);
	memcpy(in.unpacked, kept->data, kept->len);
	in.data = in.unpacked;
	error_clear(err);
	h = saved_read_input(&in, "x", LOAD_ALL, NULL, NULL, err);
	input_close(&in);
	return h;
}

static void
expect_same_reach(const struct reach *a, const struct reach *b)
{
	uint32_t count = a->heap->nodes_count;

	assert_int_equal(a->reachable_count, b->reachable_count);
	assert_int_equal(a->reachable_bytes, b->reachable_bytes);
	assert_int_equal(a->static_tables_count, b->static_tables_count);
	assert_int_equal(a->static_refs_count, b->static_refs_count);
	for (uint32_t i = 0; i < a->static_tables_count; i++)
		assert_int_equal(a->static_tables[i], b->static_tables[i]);
	for (node_id n = 0; n < count; n++) {
		assert_int_equal(a->distance[n], b->distance[n]);
		if (a->distance[n] != DISTANCE_UNREACHABLE)
			assert_int_equal(a->next[n], b->next[n]);
	}
}

static void
expect_computed(const struct computed *c)
{
	struct bytes_kept kept = save_computed(c);
	struct error err = { 0 };
	const struct heap *h = load_keeping(&kept, &err);
	size_t bytes = c->heap->nodes_count * sizeof(uint32_t);
	const struct reach *reach;
	const struct dominators *d;

	if (!h)
		fail_msg("%s", err.message);
	reach = derived_reach(h, true, NULL, &err);
	assert_non_null(reach);
	assert_true(reach->is_kept);
	expect_same_reach(c->reach, reach);
	d = derived_dominators(h, reach, NULL, &err);
	assert_non_null(d);
	assert_int_equal(d->reachable_count, c->dominators->reachable_count);
	assert_memory_equal(d->objects, c->dominators->objects, bytes);
	assert_memory_equal(d->parents, c->dominators->parents, bytes);
	assert_memory_equal(d->positions, c->dominators->positions, bytes);
	for (uint32_t p = 0; p < h->nodes_count; p += 1 + p / 7)
		assert_int_equal(dominators_end(d, p),
				 dominators_end(c->dominators, p));
	dominators_free(d);
	reach_free(reach);
	/* Computed otherwise, it is of no use. */
	reach = derived_reach(h, false, NULL, &err);
	assert_non_null(reach);
	assert_false(reach->is_kept);
	reach_free(reach);
	heap_free(h);
	free(kept.data);
}

static void
test_computed(void **state)
{
	struct error err = { 0 };
	struct computed c = compute(source_gcdump.load(
	    "tests/data/leaky-10.gcdump", LOAD_ALL, NULL, NULL, &err));

	(void)state;
	assert_true(c.reach->static_tables_count > 0);
	expect_computed(&c);
	computed_free(&c);
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct graph *g =
		    graph_mixed(seed, (uint32_t)(seed * seed * 5));

		c = compute(graph_heap(g));
		expect_computed(&c);
		computed_free(&c);
		graph_free(g);
	}
	for (int i = 0; i < 2; i++) {
		struct graph *g = i ? graph_list(200000) : graph_hub(200000);

		c = compute(graph_heap(g));
		expect_computed(&c);
		computed_free(&c);
		graph_free(g);
	}
}

/* Whatever it says, ways end at roots and trees are trees. */
static bool
is_taken(const struct bytes_kept *kept)
{
	struct error err = { 0 };
	const struct heap *h = load_keeping(kept, &err);
	const struct reach *reach;
	const struct dominators *d;
	const struct retained *r = NULL;
	bool is;

	if (!h)
		fail_msg("%s", err.message);
	reach = derived_reach(h, true, NULL, &err);
	assert_non_null(reach);
	for (node_id n = 0; n < h->nodes_count; n++)
		if (reach->distance[n] != DISTANCE_UNREACHABLE)
			assert_non_null(reach_root(reach, n));
	d = derived_dominators(h, reach, NULL, &err);
	if (d)
		r = retained_compute(d, NULL, &err);
	for (uint32_t p = 0; d && p < h->nodes_count; p++) {
		assert_true(dominators_end(d, p) > p);
		assert_true(retained_of(r, d->objects[p]).bytes >=
			    heap_size(h, d->objects[p]));
	}
	is = reach->is_kept && d;
	retained_free(r);
	dominators_free(d);
	reach_free(reach);
	heap_free(h);
	return is;
}

static void
test_wrong_computed(void **state)
{
	static const uint32_t kinds[] = { SAVED_DERI, SAVED_DWAY, SAVED_DDOM };
	struct error err = { 0 };
	struct zstd_packer *packer = zstd_packer_new(&err);
	struct graph *g = graph_mixed(5, 90);
	struct computed c = compute(graph_heap(g));
	struct bytes_kept kept = save_computed(&c);
	struct saved_sections s = sections_of(&kept);
	size_t flips = 0, taken = 0;

	(void)state;
	assert_true(is_taken(&kept));
	for (size_t i = 0; i < s.count; i++) {
		uint8_t raw[4096];
		struct bytes b;

		if (s.items[i].kind != kinds[0] &&
		    s.items[i].kind != kinds[1] && s.items[i].kind != kinds[2])
			continue;
		assert_true(saved_unpack(&s, 0, &s.items[i], &b, &err));
		assert_true(b.len <= sizeof(raw));
		memcpy(raw, b.data, b.len);
		for (uint64_t bit = 0; bit < b.len * 8; bit++) {
			struct bytes_kept lie;

			raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
			lie = assemble(&s, i, raw, packer);
			raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
			taken += is_taken(&lie);
			free(lie.data);
			flips++;
		}
	}
	assert_true(flips > 1000 && taken < flips / 2);
	saved_sections_clear(&s);
	zstd_packer_free(packer);
	computed_free(&c);
	graph_free(g);
	free(kept.data);
}

/* ---- files ------------------------------------------------------------------
 */

static void
test_writing_files(void **state)
{
	const char *path = path_in("x.heaptop");
	struct error err = { 0 };
	struct output *to = output_open(path, false, &err);
	struct stat st;

	(void)state;
	assert_non_null(to);
	output_write(to, "abc", 3);
	assert_int_equal(access(path, F_OK), -1); /* not before it is whole */
	assert_true(output_close(to, &err));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_size, 3);
	assert_null(output_open(path, false, &err));
	assert_non_null(strstr(err.message, "not overwritten without --force"));
	error_clear(&err);
	to = output_open(path, true, &err);
	assert_non_null(to);
	output_write(to, "de", 2);
	output_abandon(to);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 3);
	to = output_open(path, true, &err);
	output_write(to, "de", 2);
	assert_true(output_close(to, &err));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 2);
	assert_int_equal(unlink(path), 0);
	assert_null(output_open(path_in("none/x"), false, &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
}

/* It came while we wrote. */
static void
test_rival(void **state)
{
	const char *path = path_in("x.heaptop");
	struct error err = { 0 };
	struct output *to = output_open(path, false, &err);
	int rival = open(path, O_CREAT | O_WRONLY, 0600);
	struct stat st;

	(void)state;
	assert_non_null(to);
	assert_true(rival >= 0);
	close(rival);
	output_write(to, "abc", 3);
	assert_false(output_close(to, &err));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(unlink(path), 0);
}

/* Killed while it writes: nothing is left, not even under another name. */
static void
test_killed(void **state)
{
	int nameless = open(folder, O_TMPFILE | O_WRONLY, 0600);
	int status;
	pid_t pid;

	(void)state;
	if (nameless < 0)
		skip(); /* the file system has no such files */
	close(nameless);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct error err = { 0 };
		struct output *to =
		    output_open(path_in("x.heaptop"), true, &err);
		static char much[1 << 20];

		if (to)
			output_write(to, much, sizeof(much));
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	/* Empty, or it could not be removed. */
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(mkdir(folder, 0700), 0);
}

static void
test_full_disk(void **state)
{
	const struct heap *h = small_heap();
	struct error err = { 0 };
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	int saved_stdout = dup(STDOUT_FILENO);
	struct output *to;

	(void)state;
	fflush(stdout);
	if (full < 0) {
		close(saved_stdout);
		heap_free(h);
		skip();
	}
	dup2(full, STDOUT_FILENO);
	to = output_open("-", false, &err);
	assert_non_null(to);
	assert_true(saved_write(to, h, NULL, NULL, &err));
	assert_false(output_close(to, &err));
	dup2(saved_stdout, STDOUT_FILENO);
	assert_int_equal(err.kind, ERROR_SYSTEM);
	assert_non_null(strstr(err.message, "the standard output"));
	close(full);
	close(saved_stdout);
	heap_free(h);
}

/* Large enough to be mapped. */
static const struct heap *
save_raw_file(const char *path)
{
	const struct saved_how raw = { .is_raw = true };
	struct graph *g = graph_list(1 << 20);
	const struct heap *h = graph_heap(g);
	struct error err = { 0 };
	struct output *to = output_open(path, true, &err);

	if (!to || !saved_write(to, h, &raw, NULL, &err) ||
	    !output_close(to, &err))
		fail_msg("%s", err.message);
	graph_free(g);
	return h;
}

/* Columns are where the file's bytes are: what is done to it must not matter.
 */
static void
test_raw_file_changes(void **state)
{
	static const uint8_t noise[4096] = { 0xff, 0x80, 0x81 };
	const char *path = path_in("raw.heaptop");
	const struct heap *h = save_raw_file(path), *mapped;
	struct error err = { 0 };
	struct stat st;
	int fd;

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		/* The second time it is being written to already: it is
		   read, then. */
		fd = turn ? open(path, O_RDWR) : -1;
		mapped = source_saved.load(path, LOAD_ALL, NULL, NULL, &err);
		if (!mapped)
			fail_msg("%s", err.message);
		assert_non_null(mapped->release);
		if (fd < 0)
			fd = open(path, O_RDWR); /* waits for the copy */
		assert_int_equal(fstat(fd, &st), 0);
		for (off_t at = 0; at < st.st_size; at += (off_t)sizeof(noise))
			assert_int_equal(pwrite(fd, noise, sizeof(noise), at),
					 sizeof(noise));
		assert_int_equal(ftruncate(fd, 100), 0);
		close(fd);
		if (!heap_check(mapped, &err))
			fail_msg("turn %d: %s", turn, err.message);
		expect_same_heap(h, mapped, SAME_BUT_INFO);
		heap_free(mapped);
		heap_free(h);
		h = save_raw_file(path);
	}
	heap_free(h);
	assert_int_equal(unlink(path), 0);
}

/* Half of it, and the rest only when the types of the first are shown. */
struct slow_writer {
	struct bytes_kept kept;
	struct preview *preview;
	int to;
	bool has_shown;
};

static bool
is_shown(struct preview *p)
{
	bool is;

	pthread_mutex_lock(&p->lock);
	is = p->types != NULL;
	pthread_mutex_unlock(&p->lock);
	return is;
}

static void *
write_slowly(void *argument)
{
	struct slow_writer *w = argument;
	size_t half = w->kept.len / 2;

	if (write(w->to, w->kept.data, half) == (ssize_t)half) {
		for (int i = 0; i < 10000 && !is_shown(w->preview); i++)
			poll(NULL, 0, 1);
		w->has_shown = is_shown(w->preview);
		if (write(w->to, w->kept.data + half, w->kept.len - half) < 0)
			w->has_shown = false;
	}
	close(w->to);
	return NULL;
}

static void
test_types_before_the_end(void **state)
{
	struct error err = { 0 };
	const struct heap *again,
	    *h = source_gcdump.load("tests/data/leaky-10.gcdump", LOAD_ALL,
				    NULL, NULL, &err);
	int pipe_fds[2], saved_stdin = dup(STDIN_FILENO);
	struct slow_writer w = { .kept = save(h) };
	struct preview preview;
	pthread_t thread;

	(void)state;
	preview_init(&preview);
	assert_int_equal(pipe(pipe_fds), 0);
	w.to = pipe_fds[1];
	w.preview = &preview;
	dup2(pipe_fds[0], STDIN_FILENO);
	close(pipe_fds[0]);
	assert_int_equal(pthread_create(&thread, NULL, write_slowly, &w), 0);
	again = source_saved.load("-", LOAD_ALL, NULL, &preview, &err);
	pthread_join(thread, NULL);
	dup2(saved_stdin, STDIN_FILENO);
	close(saved_stdin);
	if (!again)
		fail_msg("%s", err.message);
	assert_true(w.has_shown);
	expect_same_heap(h, again, SAME_ALL);
	preview_clear(&preview);
	heap_free(again);
	heap_free(h);
	free(w.kept.data);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_heaps),
		cmocka_unit_test(test_long_heaps),
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_reference_dumps),
		cmocka_unit_test(test_little),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_flipped),
		cmocka_unit_test(test_wrong_inside),
		cmocka_unit_test(test_wrong_references),
		cmocka_unit_test(test_chunk_twice),
		cmocka_unit_test(test_computed),
		cmocka_unit_test(test_wrong_computed),
		cmocka_unit_test(test_writing_files),
		cmocka_unit_test(test_rival),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_raw_file_changes),
		cmocka_unit_test(test_types_before_the_end),
	};

	if (set_up(NULL))
		return 1;
	return run_tests(tests) | tear_down(NULL);
}
