/* .gcdump files written from any heap, read by a reader that shares nothing. */
#include "tests/drive/heaps.h"
#include "tests/judge/dump_reader.h"
#include "tests/made/dump_writer.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"
#include "tests/judge/same_heap.h"
#include "tests/drive/written.h"
#include "io/gcdump/gcdump.h"
#include "io/gcdump/serializer.h"
#include "io/gclog/gclog.h"
#include "io/events/walk.h"
#include <stdlib.h>
#include <string.h>

/* --- compressed integers -------------------------------------------------- */

/* A number of so many groups begins and ends with these. */
TEST(test_lengths_of_numbers)
{
	for (unsigned len = 1; len <= SERIALIZER_CI_BYTES; len++) {
		uint64_t most = len == 5 ? INT32_MAX : (UINT64_C(1) << (7 * len - 1)) - 1;
		uint64_t least = len == 1 ? 0 : UINT64_C(1) << (7 * len - 8);

		assert_int_equal(serializer_ci_len((int32_t)most), len);
		assert_int_equal(serializer_ci_len((int32_t)least), len);
		assert_int_equal(serializer_ci_len(~(int32_t)most), len);
		assert_int_equal(serializer_ci_len(~(int32_t)least), len);
	}
}

/* --- the worked example, byte by byte ------------------------------------- */

static const struct heap *
tiny_heap(void)
{
	static const char *const names[] = { "MyApp.Node", "System.String" };
	static const char *const modules[] = { "/app/MyApp.dll",
					       "/usr/share/dotnet/System.Private.CoreLib.dll" };
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	struct heap_builder *b = heap_stream_builder(s);
	const struct heap *h;
	bool ok = true;

	heap_builder_info(b)->is_64bit = true;
	for (type_id t = 0; t < 2; t++)
		ok = ok && heap_builder_type(b, names[t], modules[t], &err) == t;
	ok = ok && heap_stream_object(s, 0x7f3c00001000, 0, 32, 2, &err) &&
	     heap_stream_ref(s, 0x7f3c00001020, &err) && heap_stream_ref(s, 0x7f3c00001040, &err) &&
	     heap_stream_object(s, 0x7f3c00001020, 0, 32, 1, &err) &&
	     heap_stream_ref(s, 0x7f3c00001000, &err) &&
	     heap_stream_object(s, 0x7f3c00001040, 1, 300, 0, &err) &&
	     heap_stream_root(s, 0x7f3c00001000, ROOT_STATIC, false, "s_head", "", &err);
	assert_true(ok);
	h = heap_stream_finish(s, NULL, &err);
	assert_non_null(h);
	return h;
}

/* In the example the first string had 28 bytes and was not described. */
TEST(test_worked_example)
{
	struct dump_type types[6];
	struct dump_node nodes[6];
	struct dump dump = dump_tiny;
	struct blob wanted = { 0 }, found = { 0 };
	const struct heap *h = tiny_heap();

	memcpy(types, dump_tiny.types, sizeof(types));
	memcpy(nodes, dump_tiny.nodes, sizeof(nodes));
	types[2].size = 300;
	nodes[5].size = DUMP_TYPE_SIZE;
	dump.types = types;
	dump.nodes = nodes;
	dump_write(&dump, &wanted, NULL);
	written(h, gcdump_write, &found);
	assert_int_equal(wanted.len, 515);
	assert_int_equal(found.len, wanted.len);
	assert_memory_equal(found.data, wanted.data, wanted.len);
	blob_free(&wanted);
	blob_free(&found);
	heap_free(h);
}

/* --- random heaps ------------------------------------------------------------
 */

static bool
is_folded_name(const char *name, const char *raw, int32_t size)
{
	size_t len = strlen(raw);
	const char *suffix = size > 100000  ? " (Bytes > 100K)"
			     : size > 10000 ? " (Bytes > 10K)"
			     : size > 1000  ? " (Bytes > 1K)"
					    : "";

	return !strncmp(name, raw, len) && !strcmp(name + len, suffix);
}

static void
expect_objects(const struct heap *h, const struct read_dump *d, uint32_t first)
{
	for (node_id n = 0; n < h->nodes_count; n++) {
		const struct read_node *node = &d->nodes[first + n];
		const struct read_type *type = &d->types[node->type];
		struct refs refs = heap_refs(h, n);
		node_id target;

		assert_int_equal(node->address, heap_address(h, n));
		assert_int_equal(node->size, heap_size(h, n));
		assert_true(is_folded_name(type->name, heap_type(h, n)->raw, node->size));
		assert_string_equal(type->module ? type->module : "", heap_type(h, n)->module);
		assert_int_equal(node->refs_count, refs.left);
		for (uint32_t i = 0; refs_next(&refs, &target); i++)
			assert_int_equal(node->refs[i], first + target);
	}
}

/* Every root, and no other, hangs on a node without address and size. */
static void
expect_roots(const struct heap *h, const struct read_dump *d, uint32_t first)
{
	uint32_t *left = calloc(h->nodes_count + 1, sizeof(*left));
	uint32_t *above = calloc(first + 1, sizeof(*above));
	uint32_t roots = 0;

	assert_non_null(left);
	assert_non_null(above);
	for (uint32_t i = 0; i < h->roots_count; i++)
		left[h->roots[i].object]++;
	for (uint32_t i = 0; i < first; i++) {
		const struct read_node *node = &d->nodes[i];

		assert_int_equal(node->address, 0);
		assert_int_equal(node->size, 0);
		assert_true(d->types[node->type].name[0] == '[');
		assert_null(d->types[node->type].module);
		for (uint32_t k = 0; k < node->refs_count; k++) {
			if (node->refs[k] < first) {
				assert_true(node->refs[k] > i);
				above[node->refs[k]]++;
				continue;
			}
			assert_true(left[node->refs[k] - first]-- > 0);
			roots++;
		}
	}
	assert_int_equal(roots, h->roots_count);
	for (uint32_t i = 0; i < first; i++)
		assert_int_equal(above[i], i != 0);
	free(left);
	free(above);
}

static void
expect_heap(const struct heap *h, const struct blob *b)
{
	struct read_dump *d = dump_read(b->data, b->len);
	uint32_t first = d->nodes_count - h->nodes_count;

	assert_string_equal(d->types[d->nodes[0].type].name, "[.NET Roots]");
	assert_int_equal(d->total, h->bytes_count);
	assert_string_equal(d->tool, "heaptop");
	expect_objects(h, d, first);
	expect_roots(h, d, first);
	dump_read_free(d);
}

/* The heap that was written is read, and written again, the same. */
static void
expect_identity(const struct heap *h)
{
	struct blob first = { 0 }, again = { 0 };
	const struct heap *a, *b;

	written(h, gcdump_write, &first);
	a = read_gcdump(first.data, first.len);
	written(a, gcdump_write, &again);
	b = read_gcdump(again.data, again.len);
	expect_same_heap(a, b, SAME_BUT_ORIGIN);
	blob_free(&first);
	blob_free(&again);
	heap_free(a);
	heap_free(b);
}

/* Of a stack, that its words are but perhaps references has no place. */
static enum root_kind
kind_that_is_kept(const struct root *root)
{
	return root->kind == ROOT_STACK_WORD ? ROOT_STACK : (enum root_kind)root->kind;
}

/* The kinds of roots are what they were, and so are the names of variables. */
static void
expect_kinds(const struct heap *a, const struct heap *b)
{
	assert_int_equal(a->roots_count, b->roots_count);
	for (uint32_t i = 0; i < a->roots_count; i++) {
		const struct root *x = &a->roots[i], *y = &b->roots[i];

		assert_int_equal(x->object, y->object);
		assert_int_equal(kind_that_is_kept(x), y->kind);
	}
}

TEST(test_random_heaps)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		const struct heap *h =
				      heap_of_graph(graph_mixed(seed, (uint32_t)(seed * seed * 5))),
				  *a;
		struct blob b = { 0 };

		written(h, gcdump_write, &b);
		expect_heap(h, &b);
		expect_identity(h);
		a = read_gcdump(b.data, b.len);
		expect_kinds(h, a);
		blob_free(&b);
		heap_free(a);
		heap_free(h);
	}
}

/* Several chunks; an object with a hundred thousand references. */
TEST(test_long_heaps)
{
	for (int i = 0; i < 2; i++) {
		struct graph *g = i ? graph_list(300000) : graph_hub(200000);
		const struct heap *h = graph_heap(g);
		struct blob b = { 0 };

		written(h, gcdump_write, &b);
		expect_heap(h, &b);
		blob_free(&b);
		expect_identity(h);
		heap_free(h);
		graph_free(g);
	}
}

/* --- roots
 * -------------------------------------------------------------------- */

static const struct root_case {
	enum root_kind kind;
	bool is_pinned;
	const char *name, *label;
	const char *where; /* in the file */
} root_cases[] = {
	/* clang-format off */
	{ ROOT_STATIC, false, "s_one", "", "[static vars]|[static var T.s_one]" },
	{ ROOT_STATIC, false, "<I.P>k__BackingField", "", "[static vars]|[static var T.<I.P>k__BackingField]" },
	{ ROOT_STATIC, false, "", "", "[static vars]" },
	{ ROOT_STATIC, false, "s_two", "static var T.s_two", "[static vars]|[static var T.s_two]" },
	{ ROOT_THREAD_STATIC, false, "t_one", "", "[thread static vars]|[static var T.t_one]" },
	{ ROOT_STACK, false, "", "", "[local vars]" },
	{ ROOT_STACK, false, "Main", "", "[local vars]|[Main [local var]]" },
	{ ROOT_STACK, true, "", "", "[Pinned local vars]" },
	{ ROOT_STACK_WORD, false, "thread 7", "conservative", "[local vars]|[thread 7 [local var]]" },
	{ ROOT_FINALIZER, false, "", "", "[other roots]|[finalizer Handles]" },
	{ ROOT_STRONG, false, "", "", "[other roots]|[strong Handles]" },
	{ ROOT_STRONG, false, "", "StrongHandle", "[other roots]|[strong Handles]|[StrongHandle]" },
	{ ROOT_STRONG, false, "", "handle", "[other roots]|[strong Handles]|[handle]" },
	{ ROOT_PINNED, true, "", "pinning Handles", "[other roots]|[pinning Handles]" },
	{ ROOT_ASYNC_PINNED, true, "", "", "[other roots]|[AsyncPinnedHandle]" },
	{ ROOT_REF_COUNTED, false, "", "", "[other roots]|[COM/WinRT Objects]" },
	{ ROOT_SIZED_REF, false, "", "", "[other roots]|[SizedRefHandle]" },
	{ ROOT_FROZEN, false, "", "", "[other roots]|[frozen objects]" },
	{ ROOT_DEPENDENT, false, "", "", "[other roots]|[Dependent Handles]" },
	{ ROOT_OTHER, false, "", "", "[other roots]|[other Handles]" },
	/* A label that would make something else of it is not used. */
	{ ROOT_OTHER, false, "", "local vars", "[other roots]|[other Handles]" },
	{ ROOT_OTHER, false, "", "]", "[other roots]|[other Handles]" },
	/* clang-format on */
};

/* An object for each, all of type T. */
static const struct heap *
heap_of_roots(const struct root_case *cases, size_t count)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	const struct heap *h;
	bool ok = heap_builder_type(heap_stream_builder(s), "T", "", &err) == 0;

	for (size_t i = 0; i < count && ok; i++)
		ok = heap_stream_object(s, 0x10000 + 24 * i, 0, 24, 0, &err) &&
		     heap_stream_root(s, 0x10000 + 24 * i, cases[i].kind, cases[i].is_pinned,
				      cases[i].name, cases[i].label, &err);
	h = ok ? heap_stream_finish(s, NULL, &err) : NULL;
	assert_ok(h, &err);
	return h;
}

TEST(test_roots)
{
	const struct heap *h = heap_of_roots(root_cases, COUNT_OF(root_cases));
	struct blob b = { 0 };
	struct read_dump *d;
	const struct heap *a;

	written(h, gcdump_write, &b);
	expect_heap(h, &b);
	d = dump_read(b.data, b.len);
	for (uint32_t i = 0; i < COUNT_OF(root_cases); i++) {
		uint32_t node = dump_read_find(d, root_cases[i].where);
		uint32_t object = d->nodes_count - h->nodes_count + i;
		bool is_there = false;

		if (node == UINT32_MAX)
			fail_msg("no %s", root_cases[i].where);
		for (uint32_t k = 0; k < d->nodes[node].refs_count; k++)
			is_there |= d->nodes[node].refs[k] == object;
		if (!is_there)
			fail_msg("not under %s", root_cases[i].where);
	}
	a = read_gcdump(b.data, b.len);
	for (uint32_t i = 0; i < COUNT_OF(root_cases); i++) {
		assert_int_equal(a->roots[i].kind, kind_that_is_kept(&h->roots[i]));
		assert_int_equal(a->roots[i].is_pinned, root_cases[i].is_pinned);
	}
	assert_string_equal(a->roots[0].name, "s_one");
	assert_string_equal(a->roots[6].name, "Main");
	expect_identity(h);
	dump_read_free(d);
	blob_free(&b);
	heap_free(a);
	heap_free(h);
}

/* Where the class of a variable is known, it is what stands before it. */
TEST(test_owned_variables)
{
	static const struct root_case cases[] = {
		{ ROOT_STATIC, false, "Cache.s_items", "", "" },
		{ ROOT_STATIC, false, "Cache.s_more", "", "" },
		{ ROOT_STATIC, false, "s_bare", "", "" },
	};
	const struct heap *h = heap_of_roots(cases, COUNT_OF(cases)), *a;
	struct blob b = { 0 };

	written(h, gcdump_write, &b);
	a = read_gcdump(b.data, b.len);
	for (uint32_t i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(a->roots[i].name, cases[i].name);
	blob_free(&b);
	heap_free(a);
	heap_free(h);
}

/* --- what else a heap knows ------------------------------------------------
 */

static const struct heap *
heap_of_everything(void)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	struct heap_builder *b = heap_stream_builder(s);
	struct heap_info *info = heap_builder_info(b);
	const struct heap *h;
	bool ok =
	    heap_builder_type(b, "\xc3\x89t\xc3\xa9.\xf0\x9f\x98\x80\xff", "/a", &err) == 0 &&
	    heap_builder_type(b, "Unused", "", &err) == 1 &&
	    heap_builder_type(b, "Empty", "", &err) == 2 &&
	    heap_stream_object(s, 0x10000, 0, 40, 1, &err) && heap_stream_ref(s, 0x10000, &err) &&
	    heap_stream_object(s, 0x10028, 0, 2000000, 0, &err) &&
	    heap_stream_object(s, 0x10050, 2, 0, 0, &err) &&
	    /* A second one at an address that is taken. */
	    heap_stream_object(s, 0x10000, 0, 48, 0, &err) && heap_stream_weak(s, 0x10000, &err) &&
	    heap_stream_range(s, 0x10000, 0x10100, GEN_2, 1, &err) &&
	    heap_stream_range(s, 0x10100, 0x20000, GEN_LOH, -1, &err) &&
	    heap_stream_range(s, 0x20000, 0x30000, GEN_FROZEN, -1, &err);

	assert_true(ok);
	heap_builder_type_multiplier(b, 0, 2.5F);
	info->machine = "box";
	info->process = "api";
	info->log = "collected";
	info->pid = 4711;
	info->time = 1790000000;
	info->commit_bytes = 1;
	info->working_set_bytes = 2;
	info->is_sampled = true;
	info->count_multiplier = 2;
	info->size_multiplier = 1.5;
	h = heap_stream_finish(s, NULL, &err);
	assert_ok(h, &err);
	return h;
}

TEST(test_everything)
{
	const struct heap *h = heap_of_everything();
	struct blob b = { 0 };
	struct read_dump *d;

	written(h, gcdump_write, &b);
	d = dump_read(b.data, b.len);
	/* UNDEFINED, small, large, unused, empty, roots */
	assert_int_equal(d->types_count, 6);
	/* UTF-16 units on their own; what is no UTF-8 is told so */
	assert_string_equal(d->types[1].name, "\xc3\x89t\xc3\xa9.\xed\xa0\xbd"
					      "\xed\xb8\x80\xef\xbf\xbd");
	assert_int_equal(d->types[1].size, 40);
	assert_int_equal(d->types[2].size, 2000000);
	assert_string_equal(d->types[3].name, "Unused");
	assert_int_equal(d->types[3].size, -1);
	assert_int_equal(d->nodes_count, 5);
	assert_int_equal(d->nodes[4].address, 0);
	assert_int_equal(d->nodes[4].size, 48);
	assert_int_equal(d->segments_count, 2);
	assert_int_equal(d->segments[0].ends[2], 0x10100);
	assert_int_equal(d->segments[1].ends[3], 0x20000);
	assert_int_equal(d->segments[1].ends[0], 0);
	assert_int_equal(d->multipliers_count, 6);
	assert_true(d->multipliers[2] > 2.4F && d->multipliers[2] < 2.6F);
	assert_string_equal(d->log, "collected");
	assert_string_equal(d->machine, "box");
	assert_string_equal(d->process, "api");
	assert_int_equal(d->pid, 4711);
	assert_int_equal(d->ticks, INT64_C(621355968000000000) + INT64_C(1790000000) * 10000000);
	assert_int_equal(d->commit, 1);
	assert_int_equal(d->working_set, 2);
	assert_non_null(strstr(gcdump_write_warning(h), "weak handles"));
	expect_identity(h);
	dump_read_free(d);
	blob_free(&b);
	heap_free(h);
}

/* Real heaps of other formats: all objects, all roots. */
TEST(test_other_formats)
{
	const struct heap *heaps[] = {
		heap_of_file("tests/data/leaky-10.nettrace.zst"),
		heap_of_file("tests/data/sample.gclog"),
	};

	for (size_t i = 0; i < COUNT_OF(heaps); i++) {
		struct blob b = { 0 };
		const struct heap *a;

		written(heaps[i], gcdump_write, &b);
		expect_identity(heaps[i]);
		a = read_gcdump(b.data, b.len);
		assert_int_equal(a->nodes_count, heaps[i]->nodes_count);
		assert_int_equal(a->refs_count, heaps[i]->refs_count);
		assert_int_equal(a->bytes_count, heaps[i]->bytes_count);
		expect_kinds(heaps[i], a);
		blob_free(&b);
		heap_free(a);
		heap_free(heaps[i]);
	}
}

/* --- limits ------------------------------------------------------------------
 */

static struct gcdump_limits limits;

static bool
write_within(struct output *to, const struct heap *h, struct progress *progress, struct error *err)
{
	return gcdump_write_within(to, h, &limits, progress, err);
}

static void
expect_refusal(const struct heap *h, const char *message)
{
	struct error err = { 0 };

	assert_false(is_written(h, write_within, &err));
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_ok(strstr(err.message, message), &err);
	assert_non_null(strstr(err.message, "FILE.heaptop"));
}

TEST(test_limits)
{
	const struct heap *h = tiny_heap();
	struct blob b = { 0 };

	limits = gcdump_limits;
	limits.nodes = 5;
	expect_refusal(h, "can hold 5 objects, but this heap needs 6");
	limits = gcdump_limits;
	limits.records_bytes = 19;
	expect_refusal(h, "can hold 19 bytes of records, but this heap needs 20");
	limits = gcdump_limits;
	limits.file_bytes = 514;
	expect_refusal(h, "can hold 514 bytes, but this heap needs 515");
	limits = gcdump_limits;
	limits.object_bytes = 299;
	expect_refusal(h, "the string at 7f3c00001040 has 300 bytes, but in a .gcdump an object "
			  "has at most 299");
	/* To the last byte. */
	limits = (struct gcdump_limits){ 6, 20, 515, 300 };
	written(h, write_within, &b);
	assert_int_equal(b.len, 515);
	blob_free(&b);
	heap_free(h);
}

TEST(test_types_only)
{
	struct error err = { 0 };
	const struct heap *h = heap_at("tests/data/tiny.gcdump", LOAD_TYPES, &err);

	assert_non_null(h);
	assert_false(is_written(h, gcdump_write, &err));
	assert_non_null(strstr(err.message, "has none"));
	heap_free(h);
}
