/* What walks tell besides objects: roots, ranges, types; and the reference. */
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/made/walks.h"
#include "tests/drive/written.h"
#include "io/gcdump/gcdump.h"
#include "model/heap/root_gaps.h"
#include <string.h>

/* --- roots and ranges --- */

static const struct root *
find_root(const struct heap *h, uint64_t address, enum root_kind kind)
{
	uint32_t count;
	node_id node = heap_find(h, address);
	const struct root *roots;

	assert_int_not_equal(node, NODE_NONE);
	roots = heap_roots_of(h, node, &count);
	for (uint32_t i = 0; i < count; i++)
		if (roots[i].kind == kind)
			return &roots[i];
	return NULL;
}

struct root_row {
	uint8_t source;
	uint32_t flags;
	enum root_kind kind;
	bool is_pinned;
};

/* clang-format off */
static const struct root_row root_rows[] = {
	{ 0, 0, ROOT_STACK,       false },
	{ 0, 1, ROOT_STACK,       true },
	{ 0, 4, ROOT_STACK,       false },
	{ 1, 0, ROOT_FINALIZER,   false },
	{ 2, 0, ROOT_STRONG,      false },
	{ 2, 1, ROOT_PINNED,      true },
	{ 2, 8, ROOT_REF_COUNTED, false },
	{ 3, 0, ROOT_OTHER,       false },
	{ 4, 0, ROOT_SIZED_REF,   false },
	{ 5, 0, ROOT_OTHER,       false },
	{ 9, 0, ROOT_OTHER,       false },
};
/* clang-format on */

TEST(test_root_kinds)
{
	struct walk_report report;
	struct bulk_writer b;
	const struct heap *h;
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 2);
	walks_put_types(&t);
	walks_put_objects(&t, 0, COUNT_OF(root_rows) + 1);
	bulk_begin(&b, &t, KIND_ROOTS, 4);
	for (size_t i = 0; i < COUNT_OF(root_rows); i++)
		bulk_root(&b, walks_address(i), root_rows[i].source, root_rows[i].flags, 0);
	bulk_root(&b, walks_address(COUNT_OF(root_rows)), 2, 2, 0); /* weak */
	bulk_root(&b, walks_address(0), 2, 2, 1);
	bulk_root(&b, walks_address(COUNT_OF(root_rows)), 2, 2, 2);
	bulk_root(&b, 0, 0, 0, 0);
	bulk_root(&b, WALKS_BASE - 64, 2, 0, 0); /* of no object */
	bulk_end(&b);
	trace_gc_end(&t, 1, 2);
	trace_end(&t);
	h = walks_read(&t, 0, &report);
	assert_int_equal(h->roots_count, COUNT_OF(root_rows));
	assert_int_equal(report.roots_count, COUNT_OF(root_rows) + 1);
	assert_int_equal(report.weak_count, 3);
	/* A property of the object, and no reason for it to live. */
	assert_int_equal(h->weak_count, 2);
	assert_int_equal(heap_weak_of(h, heap_find(h, walks_address(0))), 1);
	assert_int_equal(heap_weak_of(h, heap_find(h, walks_address(COUNT_OF(root_rows)))), 2);
	assert_int_equal(heap_weak_of(h, heap_find(h, walks_address(1))), 0);
	assert_int_equal(h->info.losses.undefined_roots, 1);
	for (size_t i = 0; i < COUNT_OF(root_rows); i++) {
		const struct root *r = find_root(h, walks_address(i), root_rows[i].kind);

		assert_non_null(r);
		assert_int_equal(r->is_pinned, root_rows[i].is_pinned);
	}
	heap_free(h);
	trace_free(&t);
}

static void
put_method(struct trace *t, uint64_t id, const char *type, const char *name)
{
	struct blob b = { 0 };

	blob_u64(&b, id);
	blob_u64(&b, 0x77);
	blob_u64(&b, 0x7000);
	for (int i = 0; i < 3; i++)
		blob_u32(&b, 0);
	blob_text16(&b, type);
	blob_text16(&b, name);
	blob_text16(&b, "void  ()");
	blob_u16(&b, 0);
	blob_u64(&b, 0);
	trace_event(t, KIND_METHOD, &b);
	blob_free(&b);
}

TEST(test_stack_roots_have_methods)
{
	struct bulk_writer b;
	const struct heap *h;
	const struct root *r;
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 2);
	walks_put_types(&t);
	walks_put_objects(&t, 0, 3);
	bulk_begin(&b, &t, KIND_ROOTS, 100);
	for (int i = 0; i < 84; i++)
		bulk_root(&b, walks_address(0), 0, 0, 0xabc);
	bulk_root(&b, walks_address(0), 0, 0, 0xdef);
	bulk_root(&b, walks_address(1), 0, 0, 0);
	bulk_end(&b);
	trace_gc_end(&t, 1, 2);
	put_method(&t, 0xabc, "System.Collections.Generic.List`1[Test.A]", "Add");
	put_method(&t, 0x123, "Test.B", "NotWanted");
	trace_end(&t);
	h = walks_read(&t, 0, NULL);
	assert_int_equal(h->roots_count, 3);
	r = find_root(h, walks_address(0), ROOT_STACK);
	assert_string_equal(r[0].name, "");
	assert_string_equal(r[1].name, "List<Test.A>.Add");
	heap_free(h);
	trace_free(&t);
}

TEST(test_dependents_are_references)
{
	struct bulk_writer b;
	const struct heap *h;
	struct trace t;
	struct refs refs;
	node_id target;

	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 2);
	walks_put_types(&t);
	bulk_begin(&b, &t, KIND_DEPENDENTS, 100); /* before its objects */
	bulk_dependent(&b, walks_address(3), walks_address(1));
	bulk_dependent(&b, walks_address(3), walks_address(2));
	bulk_dependent(&b, WALKS_BASE - 64, walks_address(0)); /* no such key */
	bulk_dependent(&b, 0, walks_address(4));
	bulk_end(&b);
	walks_put_objects(&t, 0, 5);
	trace_gc_end(&t, 1, 2);
	trace_end(&t);
	h = walks_read(&t, 0, NULL);
	assert_int_equal(h->refs_count, 2);
	refs = heap_refs(h, 3);
	assert_true(refs_next(&refs, &target));
	assert_int_equal(target, 1);
	assert_true(refs_next(&refs, &target));
	assert_int_equal(target, 2);
	assert_int_equal(h->roots_count, 1);
	assert_non_null(find_root(h, walks_address(0), ROOT_DEPENDENT));
	heap_free(h);
	trace_free(&t);
}

TEST(test_generations)
{
	struct walk_report report;
	const struct heap *h;
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 2);
	trace_range(&t, 0, walks_address(100), 6400); /* where it begins */
	walks_put_types(&t);
	walks_put_objects(&t, 0, 300); /* 0…99 frozen, 200…299 newly made */
	trace_range(&t, 2, walks_address(100), 64 * 50);
	trace_range(&t, 0, walks_address(150), 64 * 50);
	trace_range(&t, 3, walks_address(200), 64 * 99);
	trace_range(&t, 4, walks_address(299), 64);
	trace_range(&t, 1, walks_address(400), 0);
	trace_range(&t, 9, walks_address(500), 64);
	trace_gc_end(&t, 1, 2);
	trace_end(&t);
	h = walks_read(&t, 0, &report);
	assert_true(walk_is_complete(&report));
	assert_int_equal(report.ranges_count, 5);
	for (uint64_t k = 0; k < 300; k++) {
		enum generation gen = k < 100   ? GEN_FROZEN
				      : k < 150 ? GEN_2
				      : k < 200 ? GEN_0
				      : k < 299 ? GEN_LOH
						: GEN_POH;
		node_id node = heap_find(h, walks_address(k));

		assert_int_equal(heap_generation(h, node), gen);
		assert_int_equal(find_root(h, walks_address(k), ROOT_FROZEN) != NULL, k < 100);
	}
	heap_free(h);
	trace_free(&t);
}

TEST(test_statics)
{
	struct blob b = { 0 };
	const struct heap *h;
	const struct root *r;
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 2);
	walks_put_types(&t);
	blob_u32(&b, 2);
	blob_u64(&b, 1); /* domain */
	blob_u16(&b, 0);
	for (uint64_t i = 0; i < 2; i++) {
		blob_u64(&b, 0x900 + i);
		blob_u64(&b, walks_address(i));
		blob_u64(&b, WALKS_TYPE);
		blob_u32(&b, 0);
		blob_text16(&b, i ? "second" : "s_first");
	}
	trace_event(&t, KIND_STATICS, &b);
	blob_free(&b);
	walks_put_objects(&t, 0, 5);
	trace_gc_end(&t, 1, 2);
	trace_end(&t);
	h = walks_read(&t, 0, NULL);
	assert_int_equal(h->roots_count, 2);
	r = find_root(h, walks_address(0), ROOT_STATIC);
	assert_string_equal(r->name, "s_first");
	r = find_root(h, walks_address(1), ROOT_STATIC);
	assert_string_equal(r->name, "second");
	heap_free(h);
	trace_free(&t);
}

/* Objects 0, 1 … wrapped; so many u32 behind the interface. */
static void
put_wrappers(struct trace *t, enum trace_kind kind, uint32_t announced, uint64_t count, int counts)
{
	struct blob b = { 0 };

	blob_u32(&b, announced);
	blob_u16(&b, 0);
	for (uint64_t i = 0; i < count; i++) {
		if (kind == KIND_CCWS)
			blob_u64(&b, 0x900 + i);
		blob_u64(&b, walks_address(i));
		blob_u64(&b, WALKS_TYPE);
		blob_u64(&b, 0xc0de00 + i);
		if (kind == KIND_RCWS)
			blob_u64(&b, 0x7000);
		for (int j = 0; j < counts; j++)
			blob_u32(&b, 1);
	}
	trace_event(t, kind, &b);
	blob_free(&b);
}

static const struct wrapper_row {
	const char *name;
	enum trace_kind kind;
	uint32_t announced;
	uint64_t count;
	int counts; /* u32 at the end of each */
	uint64_t ccws, rcws, strange;
	const char *warning;
} wrapper_rows[] = {
	{ "held by COM", KIND_CCWS, 3, 3, 3, 3, 0, 0,
	  "3 objects are held by COM (CCW) and 0 hold COM objects (RCW)" },
	{ "of older runtimes", KIND_CCWS, 3, 3, 4, 3, 0, 0, "3 objects are" },
	{ "holding COM", KIND_RCWS, 2, 2, 2, 0, 2, 0, "0 objects are held" },
	{ "cut", KIND_CCWS, 4, 3, 3, 0, 0, 1, "left out because of" },
	{ "wild", KIND_RCWS, UINT32_MAX, 1, 2, 0, 0, 1, "left out" },
	{ "none", KIND_CCWS, 0, 0, 0, 0, 0, 0, NULL },
};

TEST(test_wrappers)
{
	for (size_t i = 0; i < COUNT_OF(wrapper_rows); i++) {
		const struct wrapper_row *row = &wrapper_rows[i];
		struct walk_report report;
		const struct heap *h;
		struct trace t;

		trace_begin(&t, TRACE_4, 8);
		trace_gc_start(&t, 1, 2);
		walks_put_types(&t);
		put_wrappers(&t, row->kind, row->announced, row->count, row->counts);
		walks_put_objects(&t, 0, 5);
		trace_gc_end(&t, 1, 2);
		trace_end(&t);
		h = walks_read(&t, 0, &report);
		if (report.ccws_count != row->ccws || report.rcws_count != row->rcws ||
		    report.strange_events_count != row->strange || h->roots_count != row->ccws)
			fail_msg("%s: %u roots", row->name, h->roots_count);
		for (uint32_t r = 0; r < h->roots_count; r++) {
			assert_int_equal(h->roots[r].kind, ROOT_REF_COUNTED);
			assert_int_equal(h->roots[r].object, r);
			assert_true(strstr(h->roots[r].label, "CCW 0xc0de0"));
		}
		assert_int_equal(h->info.warnings_count, row->warning != NULL);
		if (row->warning &&
		    strncmp(h->info.warnings[0], row->warning, strlen(row->warning)) != 0)
			fail_msg("%s: %s", row->name, h->info.warnings[0]);
		heap_free(h);
		trace_free(&t);
	}
}

/* --- types --- */

TEST(test_types_live_with_the_process)
{
	struct walk_options options = { .which = 0 };
	struct nettrace_memory memory;
	struct nettrace_event event;
	enum nettrace_item item;
	struct error err = { 0 };

	options.types = walk_types_new(&err);
	/* The second session is not told any types. */
	for (int round = 0; round < 2; round++) {
		struct walk_report report;
		const struct heap *h;
		struct nettrace *n;
		struct walk *w;
		struct trace t;

		trace_begin(&t, TRACE_4, 8);
		walks_put(&t, 1, 100, round ? NO_TYPES : 0);
		trace_end(&t);
		n = nettrace_new(nettrace_memory_input(&memory, t.out.data, t.out.len), &err);
		w = walk_new(&options, &err);
		while ((item = nettrace_next(n, &event, &err)) != NETTRACE_END)
			assert_true(walk_take(w, n, item, &event, &err));
		h = walk_finish(w, n, &report, NULL, &err);
		assert_int_equal(report.untyped_objects, 0);
		assert_int_equal(h->types_count, 3);
		assert_string_equal(h->types[heap_type_of(h, 1)].raw, "Test.B<Test.A>");
		heap_free(h);
		nettrace_free(n);
		trace_free(&t);
	}
	walk_types_free(options.types);
}

/* Why names are missing is only said where it is known. */
TEST(test_unnamed_types)
{
	static const struct {
		enum walk_others others;
		const char *said, *unsaid;
	} rows[] = {
		{ WALK_OTHERS_UNKNOWN, "another or an earlier", "stop it" },
		{ WALK_OTHERS_NONE, "in an earlier session; capture again", "another" },
		{ WALK_OTHERS_SOME, "another tracing session in the process", "earlier" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct walk_options options = { .others = rows[i].others };
		struct error err = { 0 };
		const struct heap *h;
		struct trace t;

		trace_begin(&t, TRACE_4, 8);
		walks_put(&t, 1, 100, NO_TYPES);
		trace_end(&t);
		h = walk_read(t.out.data, t.out.len, &options, NULL, NULL, NULL, &err);
		assert_non_null(h);
		assert_int_equal(h->info.warnings_count, 1);
		assert_non_null(strstr(h->info.warnings[0], rows[i].said));
		assert_null(strstr(h->info.warnings[0], rows[i].unsaid));
		heap_free(h);
		trace_free(&t);
	}
}

/* As a .gcdump, too: its writer was told no more than we are. */
static const struct heap *
as_gcdump(const struct heap *h)
{
	struct blob b = { 0 };
	const struct heap *read;

	written(h, gcdump_write, &b);
	read = read_gcdump(b.data, b.len);
	blob_free(&b);
	return read;
}

/* Of stacks and of statics of threads it sends no roots. */
TEST(test_native_aot)
{
	const struct heap *h, *dump;
	char text[ROOT_GAPS_TEXT_BYTES];
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	for (uint32_t i = 0; i < TYPES_COUNT; i++)
		trace_native_type(&t, WALKS_TYPE + i, 0x77, 0x3916c8 + i);
	walks_put(&t, 1, 100, NO_TYPES);
	trace_end(&t);
	h = walks_read(&t, 0, NULL);
	assert_string_equal(h->types[heap_type_of(h, 0)].raw, "Type(0x003916c8)");
	assert_false(heap_knows_roots(h));
	assert_false(losses_are_incomplete(&h->info.losses));
	assert_string_equal(root_gaps_text(&h->info.losses, text),
			    "stacks and thread-static variables, which Native AOT does not report");
	dump = as_gcdump(h);
	assert_int_equal(dump->info.losses.root_gaps, h->info.losses.root_gaps);
	heap_free(dump);
	heap_free(h);
	trace_free(&t);
}

/* With names it is the other runtime, of which all kinds are told. */
TEST(test_knows_roots)
{
	const struct heap *h, *dump;
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	walks_put(&t, 1, 100, 0);
	trace_end(&t);
	h = walks_read(&t, 0, NULL);
	dump = as_gcdump(h);
	assert_true(heap_knows_roots(h) && heap_knows_roots(dump));
	heap_free(dump);
	heap_free(h);
	trace_free(&t);
}

/* Called by walk_finish(): who stops it still sees what was counted. */
static unsigned meanwhile_count;
static const struct metadata *
module_meanwhile(void *context, const char *path)
{
	const struct preview *preview = context;

	meanwhile_count++;
	assert_string_equal(path, "/app/test.dll");
	assert_int_equal(preview->types_count, 3);
	assert_int_equal(preview->objects_seen, 90);
	return NULL;
}

TEST(test_preview)
{
	struct walk_options options = { .module = module_meanwhile };
	struct nettrace_memory memory;
	struct nettrace_event event;
	enum nettrace_item item;
	struct preview preview;
	const struct heap *h;
	struct nettrace *n;
	struct error err = { 0 };
	struct walk *w;
	struct trace t;
	uint64_t count = 0;

	options.context = &preview;
	preview_init(&preview);
	trace_begin(&t, TRACE_4, 8);
	trace_module(&t, 0x77, "/app/test.dll");
	walks_put(&t, 1, 90, TYPES_LAST);
	trace_end(&t);
	n = nettrace_new(nettrace_memory_input(&memory, t.out.data, t.out.len), &err);
	w = walk_new(&options, &err);
	while ((item = nettrace_next(n, &event, &err)) != NETTRACE_END) {
		assert_true(walk_take(w, n, item, &event, &err));
		assert_true(walk_publish(w, &preview, &err));
	}
	assert_int_equal(preview.types_count, 3);
	assert_int_equal(preview.objects_seen, 90);
	for (uint32_t i = 0; i < preview.types_count; i++)
		count += preview.types[i].count;
	assert_int_equal(count, 90);
	assert_string_equal(preview.types[1].name, "Test.B<Test.A>");
	h = walk_finish(w, n, NULL, NULL, &err);
	assert_non_null(h);
	assert_int_equal(meanwhile_count, 1);
	/* The names were the walk's. */
	assert_null(preview.types);
	assert_int_equal(preview.objects_seen, 0);
	heap_free(h);
	preview_clear(&preview);
	nettrace_free(n);
	trace_free(&t);
}

/* --- the reference --- */

/* Types of one name and module, added up: names may stand for several. */
static uint64_t
count_of(const struct heap *h, const struct type *like)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < h->types_count; i++)
		if (!strcmp(h->types[i].name, like->name) &&
		    !strcmp(type_module_file(&h->types[i]), type_module_file(like)))
			count += h->types[i].count;
	return count;
}

/*
 * Two records of one process, a moment apart: every type that the dump knows
 * is in the trace under the same name, with the same count in the program's
 * own module; recording left a few objects of the runtime's.
 */
TEST(test_trace_equals_dump)
{
	const struct heap *trace, *dump;
	uint64_t more = 0, same = 0, known = 0;

	trace = heap_of_file("tests/data/leaky-10.nettrace.zst");
	dump = heap_of_file("tests/data/leaky-10.gcdump");
	assert_int_equal(trace->info.warnings_count, 0);
	assert_int_equal(trace->info.pid, 6190);
	assert_string_equal(trace->info.format, "nettrace 4");
	for (uint32_t i = 0; i < dump->types_count; i++) {
		const struct type *t = &dump->types[i];
		uint64_t in_trace, in_dump;

		if (!t->count)
			continue;
		in_trace = count_of(trace, t);
		in_dump = count_of(dump, t);
		if (in_trace < in_dump ||
		    (!strcmp(type_module_file(t), "leaky.dll") && in_trace != in_dump))
			fail_msg("%s: %llu in the trace, %llu in the dump", t->name,
				 (unsigned long long)in_trace, (unsigned long long)in_dump);
		known++;
		more += in_trace - in_dump;
		same += in_trace == in_dump;
	}
	assert_true(same * 10 >= known * 9);
	assert_true(more < dump->nodes_count / 20);
	heap_free(trace);
	heap_free(dump);
}
