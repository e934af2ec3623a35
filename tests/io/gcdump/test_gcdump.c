/* Reading good .gcdump files: real ones, and every variant of the format. */
#include "tests/made/dump_writer.h"
#include "tests/drive/run_tests.h"
#include "io/gcdump/gcdump.h"
#include "model/graph/reach.h"
#include "tests/drive/heaps.h"
#include <math.h>
#include <string.h>

static const struct heap *
read_blob(const struct blob *b, enum load_what what)
{
	struct error err = { 0 };
	const struct heap *h;

	h = gcdump_read(b->data, b->len, NULL, &(struct load_how){ .path = "test", .what = what },
			&err);
	assert_ok(h, &err);
	if (what == LOAD_ALL && !heap_check(h, &err))
		fail_msg("%s", err.message);
	return h;
}

static const struct heap *
read_dump(const struct dump *d)
{
	struct blob b = { 0 };
	const struct heap *h;

	dump_write(d, &b, NULL);
	h = read_blob(&b, LOAD_ALL);
	blob_free(&b);
	return h;
}

static const struct type *
find_type(const struct heap *h, const char *raw)
{
	for (type_id t = 0; t < h->types_count; t++) {
		if (!strcmp(h->types[t].raw, raw))
			return &h->types[t];
	}
	fail_msg("no type %s", raw);
	return NULL;
}

static const struct heap *
load_file(const char *path, enum load_what what)
{
	struct error err = { 0 };
	const struct heap *h;

	h = heap_at(path, what, &err);
	if (!h)
		fail_msg("%s: %s", path, err.message);
	return h;
}

/* --- the examples --- */

TEST(test_writer_agrees_with_examples)
{
	static const char *const paths[] = { "tests/data/tiny.gcdump",
					     "tests/data/tiny-full.gcdump" };
	static const struct dump *const dumps[] = { &dump_tiny, &dump_tiny_full };

	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		struct blob written = { 0 }, read = { 0 };

		dump_write(dumps[i], &written, NULL);
		assert_true(blob_read_file(&read, paths[i]));
		assert_int_equal(written.len, read.len);
		assert_memory_equal(written.data, read.data, read.len);
		blob_free(&written);
		blob_free(&read);
	}
}

static void
check_refs(const struct heap *h, node_id n, const node_id *want, size_t count)
{
	struct refs refs = heap_refs(h, n);
	node_id target = NODE_NONE;

	for (size_t i = 0; i < count; i++) {
		assert_true(refs_next(&refs, &target));
		assert_int_equal(target, want[i]);
	}
	assert_false(refs_next(&refs, &target));
}

/* What all dumps made from the small example must say. */
static void
check_tiny(const struct heap *h)
{
	uint32_t count = 0;
	const struct root *r;

	assert_int_equal(h->nodes_count, 3);
	assert_int_equal(h->refs_count, 3);
	assert_int_equal(h->bytes_count, 364);
	assert_true(heap_address(h, 0) == 0x7f3c00001000);
	assert_true(heap_address(h, 1) == 0x7f3c00001020);
	assert_true(heap_address(h, 2) == 0x7f3c00001040);
	assert_string_equal(heap_type(h, 0)->raw, "MyApp.Node");
	assert_string_equal(heap_type(h, 0)->module, "/app/MyApp.dll");
	assert_string_equal(heap_type(h, 2)->raw, "System.String");
	assert_int_equal(heap_size(h, 0), 32);
	assert_int_equal(heap_size(h, 2), 300);
	check_refs(h, 0, (const node_id[]){ 1, 2 }, 2);
	check_refs(h, 1, (const node_id[]){ 0 }, 1);
	check_refs(h, 2, NULL, 0);
	assert_int_equal(h->roots_count, 1);
	r = heap_roots_of(h, 0, &count);
	assert_int_equal(count, 1);
	assert_int_equal(r->kind, ROOT_STATIC);
	assert_string_equal(r->name, "s_head");
	assert_string_equal(r->label, "static var MyApp.Node.s_head");
	assert_false(losses_any(&h->info.losses));
	assert_true(h->info.is_64bit);
}

TEST(test_tiny)
{
	const struct heap *h = load_file("tests/data/tiny.gcdump", LOAD_ALL);

	check_tiny(h);
	assert_string_equal(h->info.format, "gcdump 10");
	assert_string_equal(h->info.tool, "heaptop");
	assert_string_equal(h->info.log, "");
	assert_string_equal(h->info.process, "");
	assert_int_equal(h->info.time, 0);
	assert_int_equal(h->info.warnings_count, 0);
	assert_int_equal(h->ranges_count, 0);
	assert_false(h->info.is_sampled);
	heap_free(h);
}

static void
check_tiny_full_ranges(const struct heap *h)
{
	static const enum generation want[] = { GEN_2, GEN_1, GEN_0, GEN_0, GEN_LOH };

	assert_int_equal(h->nodes_count, COUNT_OF(want));
	for (node_id n = 0; n < COUNT_OF(want); n++)
		assert_int_equal(heap_generation(h, n), want[n]);
	assert_int_equal(h->ranges_count, 4);
	assert_true(h->ranges[3].start == 0x7f3c10000000);
	assert_true(h->ranges[3].end == 0x7f3c10100000);
	assert_int_equal(h->ranges[3].heap_number, -1);
}

TEST(test_tiny_full)
{
	const struct heap *h = load_file("tests/data/tiny-full.gcdump", LOAD_ALL);
	const struct heap_info *info = &h->info;

	assert_int_equal(h->bytes_count, 131484);
	assert_int_equal(h->refs_count, 6);
	check_refs(h, 0, (const node_id[]){ 1, 2, 4 }, 3);
	check_refs(h, 3, (const node_id[]){ 3, 3 }, 2);
	check_tiny_full_ranges(h);
	assert_string_equal(heap_type(h, 4)->raw, "System.Byte[]");
	assert_string_equal(heap_type(h, 3)->raw, "Été.日本😀");
	assert_string_equal(info->log, "line one\r\nline two\r\n");
	assert_string_equal(info->machine, "build-7");
	assert_string_equal(info->process, "MyApp");
	assert_int_equal(info->pid, 4242);
	assert_int_equal(info->time, 1704403200);
	assert_true(info->commit_bytes == UINT64_C(1) << 31);
	assert_int_equal(info->working_set_bytes, 123456789);
	assert_string_equal(info->tool, "heaptop");
	assert_true(info->is_sampled);
	assert_true(fabs(info->count_multiplier - 2) < 1e-9);
	assert_true(fabs(info->size_multiplier - 1.5) < 1e-9);
	assert_true(fabsf(find_type(h, "MyApp.Node")->multiplier - 2) < 1e-6F);
	assert_true(fabsf(find_type(h, "System.String")->multiplier - 3.5F) < 1e-6F);
	assert_int_equal(info->warnings_count, 1);
	assert_non_null(strstr(info->warnings[0], "sample"));
	heap_free(h);
}

/* PerfView calls a process "Idle" whose number it never learnt. */
TEST(test_process_without_pid)
{
	struct dump d = dump_tiny;
	const struct heap *h;

	d.process = "Idle";
	h = read_dump(&d);
	assert_string_equal(h->info.process, "");
	heap_free(h);
}

/* --- variants --- */

struct variant {
	int32_t version, oldest_reader;
	unsigned label_bytes, count_bytes;
	const char *format;
	const char *machine; /* what the version can tell */
};

/* clang-format off */
static const struct variant variants[] = {
	{ 10, 8,  4, 4, "gcdump 10", "build-7" },
	{ 10, 8,  8, 8, "gcdump 10", "build-7" },
	{ 10, 8,  8, 4, "gcdump 10", "build-7" },
	{ 10, 8,  4, 8, "gcdump 10", "build-7" },
	{ 9,  8,  4, 4, "gcdump 9",  "build-7" },
	{ 12, 10, 4, 4, "gcdump 12", "build-7" },
	{ 7,  4,  4, 4, "gcdump 7",  "build-7" },
	{ 6,  4,  4, 4, "gcdump 6",  "build-7" },
	{ 5,  4,  4, 4, "gcdump 5",  "build-7" },
	{ 4,  4,  4, 4, "gcdump 4",  "" },
	{ 0,  0,  4, 4, "gcdump, graph only", "" },
	{ 0,  0,  8, 8, "gcdump, graph only", "" },
};
/* clang-format on */

TEST(test_variants)
{
	for (size_t i = 0; i < COUNT_OF(variants); i++) {
		const struct variant *v = &variants[i];
		struct dump d = dump_tiny_full;
		const struct heap *h;

		d.nodes = dump_tiny.nodes;
		d.nodes_count = dump_tiny.nodes_count;
		d.version = v->version;
		d.oldest_reader = v->oldest_reader;
		d.label_bytes = v->label_bytes;
		d.count_bytes = v->count_bytes;
		d.has_interop = d.has_javascript = i % 2;
		d.multipliers_count = 0;
		h = read_dump(&d);
		check_tiny(h);
		assert_string_equal(h->info.format, v->format);
		assert_string_equal(h->info.machine, v->machine);
		assert_int_equal(h->info.warnings_count, 0);
		assert_int_equal(h->ranges_count, v->version >= 9 ? 4 : 0);
		heap_free(h);
	}
}

struct refusal {
	int32_t version, oldest_reader;
	const char *message;
};

/* clang-format off */
static const struct refusal refusals[] = {
	{ 8,  4,  "version 8 of the format cannot be read: heaptop knows 4 to 7, 9 and 10; try: dotnet-gcdump report FILE" },
	{ 3,  0,  "version 3 of the format cannot be read: heaptop knows 4 to 7, 9 and 10; try: dotnet-gcdump report FILE" },
	{ -1, 0,  "version -1 of the format cannot be read: heaptop knows 4 to 7, 9 and 10; try: dotnet-gcdump report FILE" },
	{ 11, 11, "the file was written for readers of version 11 and later; heaptop knows 10. Use a newer heaptop, or try: dotnet-gcdump report FILE" },
};
/* clang-format on */

TEST(test_refused_versions)
{
	for (size_t i = 0; i < COUNT_OF(refusals); i++) {
		struct dump d = dump_tiny;
		struct blob b = { 0 };
		struct error err = { 0 };

		d.version = refusals[i].version;
		d.oldest_reader = refusals[i].oldest_reader;
		dump_write(&d, &b, NULL);
		assert_null(gcdump_read(b.data, b.len, NULL,
					&(struct load_how){ .path = "test", .what = LOAD_ALL },
					&err));
		assert_int_equal(err.kind, ERROR_INPUT);
		assert_string_equal(err.message, refusals[i].message);
		blob_free(&b);
	}
}

/* --- types --- */

static const struct dump_type deferred_types[] = {
	{ "UNDEFINED", 0, NULL },    { NULL, 24, NULL }, { NULL, 32, NULL },
	{ "[.NET Roots]", 0, NULL }, { NULL, 0, NULL },  { NULL, 40, NULL },
};
static const struct dump_deferred deferred[] = {
	{ 0, 0, NULL }, { 0x1a2b, 1, NULL },          { 0x77, 1, " (Bytes > 1K)" },
	{ 0, 0, NULL }, { 0x99, 2, " (static var)" },
};
static const struct dump_node deferred_nodes[] = {
	{ 3, DUMP_TYPE_SIZE, 0, (const uint32_t[]){ 1, 4 }, 2, false },
	{ 4, DUMP_TYPE_SIZE, 0, (const uint32_t[]){ 2 }, 1, false },
	{ 1, DUMP_TYPE_SIZE, 0x1000, (const uint32_t[]){ 3 }, 1, false },
	{ 2, DUMP_TYPE_SIZE, 0x1018, NULL, 0, false },
	{ 5, DUMP_TYPE_SIZE, 0x1040, NULL, 0, false },
};

TEST(test_deferred_types)
{
	for (unsigned size_bytes = 4; size_bytes <= 8; size_bytes += 4) {
		struct dump d = {
			.version = 10,
			.oldest_reader = 8,
			.types = deferred_types,
			.types_count = COUNT_OF(deferred_types),
			.nodes = deferred_nodes,
			.nodes_count = COUNT_OF(deferred_nodes),
			.deferred = deferred,
			.deferred_count = COUNT_OF(deferred),
			.module_size_bytes = size_bytes,
			.total = DUMP_TYPE_SIZE,
		};
		const struct heap *h = read_dump(&d);
		uint32_t count;
		const struct root *r = heap_roots_of(h, 0, &count);

		assert_int_equal(h->nodes_count, 3);
		assert_string_equal(heap_type(h, 0)->raw, "TypeID(0x1a2b)");
		assert_string_equal(heap_type(h, 0)->module, "/app/module1");
		assert_string_equal(heap_type(h, 1)->raw, "TypeID(0x77)");
		assert_string_equal(heap_type(h, 1)->module, "/app/module1");
		/* Beyond the list, and without a name. */
		assert_string_equal(heap_type(h, 2)->raw, "Type(#5)");
		assert_int_equal(r->kind, ROOT_STATIC);
		assert_string_equal(r->name, "TypeID(0x99)");
		assert_int_equal(h->info.warnings_count, 0);
		heap_free(h);
	}
}

static const struct dump_type folded_types[] = {
	{ "UNDEFINED", 0, NULL },
	{ "[.NET Roots]", 0, NULL },
	{ "System.Object[]", 32, "/a/lib.dll" },
	{ "System.Object[] (Bytes > 10K,Ptrs,ElemSize=8)", 0, "/a/lib.dll" },
	{ "System.Object[]", 40, "C:\\b\\lib.dll" },
	{ "[]c", 24, "/a/app.dll" },
};
static const struct dump_node folded_nodes[] = {
	{ 1, DUMP_TYPE_SIZE, 0, (const uint32_t[]){ 1 }, 1, false },
	{ 2, DUMP_TYPE_SIZE, 0x1000, (const uint32_t[]){ 2, 3, 4 }, 3, false },
	{ 3, 20000, 0x2000, NULL, 0, false },
	{ 4, DUMP_TYPE_SIZE, 0x9000, NULL, 0, false },
	{ 5, DUMP_TYPE_SIZE, 0x8000, NULL, 0, false },
};
static const float folded_multipliers[] = { 1, 1, 10, 1, 4, 0 };

static struct dump
folded_dump(void)
{
	return (struct dump){
		.version = 10,
		.oldest_reader = 8,
		.types = folded_types,
		.types_count = COUNT_OF(folded_types),
		.nodes = folded_nodes,
		.nodes_count = COUNT_OF(folded_nodes),
		.total = DUMP_TYPE_SIZE,
	};
}

TEST(test_size_buckets_are_one_type)
{
	struct dump d = folded_dump();
	const struct heap *h = read_dump(&d);
	const struct type *a = heap_type(h, 0), *b = heap_type(h, 3);

	assert_ptr_equal(a, heap_type(h, 1));
	assert_int_equal(a->count, 2);
	assert_int_equal(a->bytes, 20032);
	assert_int_equal(a->max_bytes, 20000);
	assert_int_equal(a->min_bytes, 32);
	/* One name in two modules is two types. */
	assert_string_equal(b->raw, a->raw);
	assert_string_equal(type_module_file(b), "lib.dll");
	assert_ptr_not_equal(a, b);
	/* A closure, not a pseudo-node. */
	assert_string_equal(heap_type(h, 2)->raw, "[]c");
	heap_free(h);
}

TEST(test_multipliers_of_size_buckets)
{
	struct dump d = folded_dump();
	const struct heap *h;

	d.multipliers = folded_multipliers;
	d.multipliers_count = COUNT_OF(folded_multipliers);
	h = read_dump(&d);
	/* 32 bytes ten times, 20,000 once. */
	assert_true(fabsf(heap_type(h, 0)->multiplier - 20320.0F / 20032.0F) < 1e-6F);
	assert_true(fabsf(heap_type(h, 3)->multiplier - 4) < 1e-6F);
	/* 0 cannot be meant. */
	assert_true(fabsf(heap_type(h, 2)->multiplier - 1) < 1e-6F);
	heap_free(h);
}

struct name_row {
	const char *title, *stored, *want;
};

/* clang-format off */
static const struct name_row name_rows[] = {
	{ "plain",           "Foo.Bar",                       "Foo.Bar" },
	{ "control bytes",   "a\x1b]0;x\x07z",                "a\x1b]0;x\x07z" },
	{ "two bytes",       "\xc3\x89t\xc3\xa9",             "Été" },
	{ "surrogate pair",  "x\xed\xa0\xbd\xed\xb8\x80y",    "x😀y" },
	{ "lone high",       "x\xed\xa0\xbdy",                "x\xef\xbf\xbdy" },
	{ "lone low",        "x\xed\xb8\x80",                 "x\xef\xbf\xbd" },
	{ "high, high, low", "\xed\xa0\xbd\xed\xa0\xbd\xed\xb8\x80", "\xef\xbf\xbd😀" },
	{ "low, low",        "\xed\xb8\x80\xed\xb8\x80",      "\xef\xbf\xbd\xef\xbf\xbd" },
	{ "low, high",       "\xed\xb8\x80\xed\xa0\xbd",      "\xef\xbf\xbd\xef\xbf\xbd" },
};
/* clang-format on */

TEST(test_names)
{
	for (size_t i = 0; i < COUNT_OF(name_rows); i++) {
		struct dump_type types[6];
		struct dump d = dump_tiny;
		const struct heap *h;

		memcpy(types, dump_tiny.types, sizeof(types));
		types[1].name = name_rows[i].stored;
		d.types = types;
		h = read_dump(&d);
		assert_string_equal(heap_type(h, 0)->raw, name_rows[i].want);
		heap_free(h);
	}
}

/* NUL is an ordinary character there, but the end of a string here. */
TEST(test_name_with_nul)
{
	struct blob b = { 0 };
	const struct heap *h;

	dump_write(&dump_tiny, &b, NULL);
	blob_patch(&b, 0x7d + 5, "\0", 1);
	h = read_blob(&b, LOAD_ALL);
	assert_string_equal(heap_type(h, 0)->raw, "MyApp\xef\xbf\xbdNode");
	heap_free(h);
	blob_free(&b);
}

/* --- segments --- */

struct segment_row {
	const char *title;
	struct dump_segment segments[3];
	struct range want[6];
	uint32_t segments_count, want_count;
};

/* clang-format off */
static const struct segment_row segment_rows[] = {
	{ "from memory", {
	  { 0x1000, 0x9000, { 0x9000, 0x3000, 0x2000, 0x1000, 0x1000 } },
	  { 0x10000, 0x20000, { 0x20000, 0x20000, 0x20000, 0x20000, 0x10000 } },
	  { 0x30000, 0x40000, { 0x40000, 0x40000, 0x40000, 0x40000, 0x40000 } } }, {
	  { .start = 0x1000,  .end = 0x2000,  .generation = GEN_2 },
	  { .start = 0x2000,  .end = 0x3000,  .generation = GEN_1 },
	  { .start = 0x3000,  .end = 0x9000,  .generation = GEN_0 },
	  { .start = 0x10000, .end = 0x20000, .generation = GEN_LOH },
	  { .start = 0x30000, .end = 0x40000, .generation = GEN_POH } }, 3, 5 },
	{ "from events, in any order, neighbours alike", {
	  { 0x3000, 0x4000, { 0, 0, 0x4000, 0, 0 } },
	  { 0x1000, 0x2000, { 0x2000, 0, 0, 0, 0 } },
	  { 0x2000, 0x3000, { 0, 0, 0x3000, 0, 0 } } }, {
	  { .start = 0x1000, .end = 0x2000, .generation = GEN_0 },
	  { .start = 0x2000, .end = 0x4000, .generation = GEN_2 } }, 3, 2 },
	{ "a part of no generation", {
	  { 0x1000, 0x4000, { 0, 0, 0x3000, 0, 0 } } }, {
	  { .start = 0x1000, .end = 0x3000, .generation = GEN_2 },
	  { .start = 0x3000, .end = 0x4000, .generation = GEN_UNKNOWN } }, 1, 2 },
	{ "overlapping, inside out, ends too far", {
	  { 0x1000, 0x4000, { 0, 0, 0x9000, 0, 0 } },
	  { 0x2000, 0x5000, { 0x5000, 0, 0, 0, 0 } },
	  { 0x9000, 0x8000, { 0x9000, 0, 0, 0, 0 } } }, {
	  { .start = 0x1000, .end = 0x4000, .generation = GEN_2 },
	  { .start = 0x4000, .end = 0x5000, .generation = GEN_0 } }, 3, 2 },
};
/* clang-format on */

TEST(test_segments)
{
	for (size_t i = 0; i < COUNT_OF(segment_rows); i++) {
		const struct segment_row *row = &segment_rows[i];
		struct dump d = dump_tiny;
		const struct heap *h;

		d.segments = row->segments;
		d.segments_count = row->segments_count;
		h = read_dump(&d);
		assert_int_equal(h->ranges_count, row->want_count);
		for (uint32_t k = 0; k < row->want_count; k++) {
			const struct range *got = &h->ranges[k];

			assert_true(got->start == row->want[k].start);
			assert_true(got->end == row->want[k].end);
			assert_int_equal(got->generation, row->want[k].generation);
		}
		assert_int_equal(h->info.warnings_count, 0);
		heap_free(h);
	}
}

/* --- progress --- */

TEST(test_cancel)
{
	struct progress progress = { 0 };
	struct blob b = { 0 };
	struct error err = { 0 };

	progress_cancel(&progress);
	dump_write(&dump_tiny, &b, NULL);
	assert_null(gcdump_read(
	    b.data, b.len, NULL,
	    &(struct load_how){ .path = "test", .what = LOAD_ALL, .progress = &progress }, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	blob_free(&b);
}

/* Those get other names in the end, by which they can be told apart. */
static bool
reads_like_another(const struct preview *p, type_id type)
{
	for (type_id t = 0; t < p->types_count; t++)
		if (t != type && !strcmp(p->types[t].name, p->types[type].name))
			return true;
	return false;
}

TEST(test_preview)
{
	struct preview preview;
	struct error err = { 0 };
	const struct heap *h;
	struct blob b = { 0 };

	preview_init(&preview);
	assert_true(blob_read_file(&b, "tests/data/leaky-10.gcdump"));
	h = gcdump_read(b.data, b.len, NULL,
			&(struct load_how){ .path = "test", .what = LOAD_ALL, .preview = &preview },
			&err);
	assert_non_null(h);
	assert_true(preview.is_final);
	assert_int_equal(preview.objects_seen, 32203);
	assert_int_equal(preview.types_count, h->types_count);
	for (type_id t = 0; t < h->types_count; t++) {
		assert_int_equal(preview.types[t].count, h->types[t].count);
		if (preview.types[t].name != h->types[t].name)
			assert_true(reads_like_another(&preview, t));
	}
	preview_withdraw(&preview);
	heap_free(h);
	/* Cut inside the table of objects: nothing may be left to look at. */
	b.len = 100000;
	assert_null(gcdump_read(
	    b.data, b.len, NULL,
	    &(struct load_how){ .path = "test", .what = LOAD_ALL, .preview = &preview }, &err));
	assert_null(preview.types);
	preview_clear(&preview);
	blob_free(&b);
}
