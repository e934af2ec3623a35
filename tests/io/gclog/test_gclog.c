/*
 * GC logs: the sample with all that is known of it, line by line what may be wrong, and what every
 * message looks like.
 */
#include "tests/drive/heaps.h"
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "io/gclog/gclog.h"
#include "model/graph/dominators.h"
#include "model/graph/reach.h"
#include "model/graph/retained.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND (UINT64_C(1) << 40) /* addresses of section 2 */

/* Whatever comes out must be sound. */
static const struct heap *
read_bytes(const void *data, size_t len, bool is_forced, struct error *err)
{
	uint8_t *copy = copy_exactly(data, len);
	const struct heap *h;

	error_clear(err);
	h = gclog_read(
	    copy, len,
	    &(struct load_how){ .path = "x.gclog", .what = LOAD_ALL, .is_forced = is_forced }, err);
	free(copy);
	expect_heap_or_words(h, true, err);
	return h;
}

static const struct heap *
read_good(const void *data, size_t len)
{
	struct error err;
	const struct heap *h = read_bytes(data, len, false, &err);

	assert_ok(h, &err);
	return h;
}

/* --- the sample --- */

struct text {
	char *bytes;
	size_t len;
};

static struct text
read_sample(void)
{
	struct text t;

	t.bytes = file_read("tests/data/sample.gclog", &t.len);
	assert_true(t.len > 100);
	return t;
}

/* With other line ends. */
static struct text
with_line_ends(struct text t, const char *end)
{
	struct text out = { .bytes = malloc(2 * t.len) };

	assert_non_null(out.bytes);
	for (size_t i = 0; i < t.len; i++) {
		size_t len = t.bytes[i] == '\n' ? strlen(end) : 1;

		memcpy(out.bytes + out.len, t.bytes[i] == '\n' ? end : &t.bytes[i], len);
		out.len += len;
	}
	return out;
}

static struct text
in_utf16(struct text t, bool is_big)
{
	struct text out = { .bytes = malloc(2 * t.len + 2), .len = 2 * t.len + 2 };

	assert_non_null(out.bytes);
	memcpy(out.bytes, is_big ? "\xfe\xff" : "\xff\xfe", 2);
	for (size_t i = 0; i < t.len; i++) {
		out.bytes[2 + 2 * i + is_big] = t.bytes[i];
		out.bytes[2 + 2 * i + !is_big] = 0;
	}
	return out;
}

static struct text
with_mark(struct text t)
{
	struct text out = { .bytes = malloc(t.len + 3), .len = t.len + 3 };

	assert_non_null(out.bytes);
	memcpy(out.bytes, "\xef\xbb\xbf", 3);
	memcpy(out.bytes + 3, t.bytes, t.len);
	return out;
}

static node_id
object_at(const struct heap *h, uint64_t address)
{
	node_id n = heap_find(h, address);

	if (n == NODE_NONE)
		fail_msg("no object at %" PRIx64, address);
	return n;
}

static const struct {
	const char *raw;
	uint64_t bytes, count;
} sample_totals[] = {
	{ "System.Byte[]", 37424, 4 },
	{ "ShopFront.MainForm", 280, 1 },
	{ "System.String", 218, 5 },
	{ "System.AppDomain", 100, 1 },
	{ "System.Collections.Hashtable+bucket[]", 100, 1 },
	{ "System.Object[]", 64, 2 },
	{ "ShopFront.CartItem", 56, 2 },
	{ "System.Collections.Hashtable", 52, 1 },
	{ "SyncAgent.Worker", 44, 1 },
	{ "System.Collections.Generic.List`1[[ShopFront.CartItem, ShopFront, Version=1.0.0.0, "
	  "Culture=neutral, PublicKeyToken=null]]",
	  24, 1 },
};

static void
check_sample_types(const struct heap *h)
{
	assert_int_equal(h->types_count, 18);
	assert_int_equal(h->nodes_count, 26);
	assert_int_equal(h->bytes_count, 38558);
	assert_int_equal(h->refs_count, 26);
	for (size_t i = 0; i < COUNT_OF(sample_totals); i++) {
		uint64_t bytes = 0, count = 0;

		for (type_id t = 0; t < h->types_count; t++) {
			if (strcmp(h->types[t].raw, sample_totals[i].raw) != 0)
				continue;
			bytes += h->types[t].bytes;
			count += h->types[t].count;
		}
		assert_int_equal(bytes, sample_totals[i].bytes);
		assert_int_equal(count, sample_totals[i].count);
	}
}

static void
check_sample_sections(const struct heap *h)
{
	const struct heap_domain *d = h->info.domains;

	assert_int_equal(h->info.domains_count, 2);
	assert_string_equal(d[0].facts,
			    "ShopFront.exe: uptime 13 d 06:18:25.375, types 13, objects 20, bytes "
			    "38216, references 20 and 3 null, root records 9, 1 of them weak");
	assert_string_equal(
	    d[1].facts, "Sync Agent.exe: uptime 13 d 06:18:25.383, types 5, objects 6, bytes 342, "
			"references 6 and 0 null, root records 3, 0 of them weak");
	assert_int_equal(d[0].start, 0);
	assert_int_equal(d[1].start, SECOND);
	assert_true(d[0].has_uptime && d[0].uptime_ms == 0x444d20df);
	assert_true(d[1].has_uptime && d[1].uptime_ms == 0x444d20e7);
	assert_string_equal(h->info.process, "ShopFront");
	assert_false(h->info.is_64bit);
	assert_int_equal(h->info.warnings_count, 0);
	assert_false(losses_any(&h->info.losses));
}

static const struct {
	uint64_t object;
	enum root_kind kind;
	bool is_pinned;
	const char *name, *label;
} sample_roots[] = {
	{ 0x10, ROOT_OTHER, false, "runtime", "runtime" },
	{ 0x20, ROOT_STATIC, false, "ShopFront.App.?", "static" },
	{ 0x30, ROOT_STACK, false, "", "local" },
	{ 0x52, ROOT_STACK, true, "", "local, interior" },
	{ 0x60, ROOT_STATIC, false, "ShopFront.ImageCache.?", "static" },
	{ 0x70, ROOT_FINALIZER, false, "", "finalizer" },
	{ 0x80, ROOT_PINNED, true, "", "handle" },
	{ 0xb0, ROOT_OTHER, false, "cf-internal", "cf-internal" },
	{ SECOND + 0x110, ROOT_STACK, false, "", "local" },
	{ SECOND + 0x120, ROOT_STATIC, false, "SyncAgent.Worker.?", "static" },
	{ SECOND + 0x130, ROOT_OTHER, false, "runtime", "runtime" },
};

static void
check_sample_roots(const struct heap *h)
{
	assert_int_equal(h->roots_count, COUNT_OF(sample_roots));
	for (size_t i = 0; i < COUNT_OF(sample_roots); i++) {
		const struct root *r = &h->roots[i];

		assert_int_equal(heap_address(h, r->object), sample_roots[i].object);
		assert_int_equal(r->kind, sample_roots[i].kind);
		assert_int_equal(r->is_pinned, sample_roots[i].is_pinned);
		assert_string_equal(r->name, sample_roots[i].name);
		assert_string_equal(r->label, sample_roots[i].label);
	}
	assert_int_equal(h->weak_count, 1);
	assert_int_equal(heap_weak_of(h, object_at(h, 0xa0)), 1);
}

/* Some have roots of their own, such as locals, but static variables of the application are the
   better reasons. */
static const struct {
	uint64_t object, retained, distance;
} sample_objects[] = {
	{ 0x10, 100, 0 },
	{ 0x20, 32, 0 },
	{ 0x30, 312, 1 },
	{ 0x40, 112, 2 },
	{ 0x50, 88, 3 },
	{ 0x51, 64, 4 },
	{ 0x52, 28, 5 },
	{ 0x53, 28, 5 },
	{ 0x54, 42, 6 },
	{ 0x60, 32848, 0 },
	{ 0x61, 32828, 1 },
	{ 0x62, 16400, 2 },
	{ 0x63, 16400, 2 },
	{ 0x70, 528, 0 },
	{ 0x71, 512, 1 },
	{ 0x80, 4112, 0 },
	{ 0x90, 32, 2 },
	{ 0xb0, 30, 0 },
	{ SECOND + 0x110, 44, 2 },
	{ SECOND + 0x120, 216, 0 },
	{ SECOND + 0x121, 164, 1 },
	{ SECOND + 0x122, 64, 2 },
	{ SECOND + 0x130, 48, 3 },
};

static void
check_sample_graph(const struct heap *h)
{
	static const uint64_t dead[] = { 0xa0, 0xa1, SECOND + 0x140 };
	struct error err = { 0 };
	const struct reverse *rev = reverse_compute(h, NULL, &err);
	const struct reach *reach = reach_compute(h, true, NULL, &err);
	const struct dominators *dom;
	const struct retained *r;

	assert_non_null(rev);
	assert_non_null(reach);
	dom = dominators_compute(h, rev, NULL, 0, NULL, &err);
	assert_non_null(dom);
	r = retained_compute(dom, NULL, &err);
	assert_non_null(r);
	assert_int_equal(reach->reachable_count, 23);
	assert_int_equal(reach->reachable_bytes, 38452);
	for (size_t i = 0; i < COUNT_OF(sample_objects); i++) {
		node_id n = object_at(h, sample_objects[i].object);

		assert_int_equal(retained_of(r, n).bytes, sample_objects[i].retained);
		assert_int_equal(reach->distance[n], sample_objects[i].distance);
	}
	for (size_t i = 0; i < COUNT_OF(dead); i++)
		assert_int_equal(reach->distance[object_at(h, dead[i])], DISTANCE_UNREACHABLE);
	assert_int_equal(reach->next[object_at(h, 0x54)], object_at(h, 0x52));
	assert_int_equal(reach->next[object_at(h, 0x90)], object_at(h, 0x30));
	assert_string_equal(reach_root(reach, object_at(h, SECOND + 0x122))->name,
			    "SyncAgent.Worker.?");
	retained_free(r);
	dominators_free(dom);
	reach_free(reach);
	reverse_free(rev);
}

TEST(test_sample)
{
	struct text lf = read_sample();
	struct text all[] = {
		lf,
		with_line_ends(lf, "\r\n"),
		with_line_ends(lf, "\r"),
		with_line_ends(lf, "\n\n"),
		with_line_ends(lf, " \t\r\n \n"),
		{ lf.bytes, lf.len - 1 },
		in_utf16(lf, false),
		in_utf16(lf, true),
		with_mark(lf),
	};

	for (size_t i = 0; i < COUNT_OF(all); i++) {
		const struct heap *h = read_good(all[i].bytes, all[i].len);

		check_sample_types(h);
		check_sample_sections(h);
		check_sample_roots(h);
		check_sample_graph(h);
		heap_free(h);
		if (all[i].bytes != lf.bytes)
			free(all[i].bytes);
	}
	free(lf.bytes);
}

/* --- messages --- */

/* Lines 1 to 3, and the last one. */
#define HEAD "a 2 App.exe 10\nt 3 Foo\no 20 3 1c\n"
#define TAIL "c App.exe 10\n"
#define W    "x.gclog:"

struct message_row {
	const char *text;
	const char *warnings[4];
	const char *error; /* NULL: it opens */
	uint32_t objects;  /* made-up ones, too */
};

/* clang-format off */
static const struct message_row message_rows[] = {
	{ HEAD TAIL, { NULL }, NULL, 1 },
	{ HEAD "o 30 3\n" TAIL, { W "4:7: error: object record needs an id, a type and a size; size is missing [bad-line]" }, NULL, 1 },
	{ HEAD "o\n" TAIL, { W "4:2: error: object record needs an id, a type and a size; id is missing [bad-line]" }, NULL, 1 },
	{ HEAD "o 30 3 zz\n" TAIL, { W "4:8: error: object size 'zz' is not a hexadecimal number [bad-line]" }, NULL, 1 },
	{ HEAD "o 30 -3 8\n" TAIL, { W "4:6: error: object type '-3' is not a hexadecimal number [bad-line]" }, NULL, 1 },
	{ HEAD "o 12345678901234567 3 1\n" TAIL, { W "4:3: error: object id '12345678901234567' has more than 16 digits [bad-line]" }, NULL, 1 },
	{ HEAD "o ffffffffffffffff 3 1\n" TAIL, { W "4:3: error: object id ffffffffffffffff is too large [bad-line]" }, NULL, 1 },
	{ HEAD "o 123456789 3 1\n" TAIL, { W "4:3: warning: an id of more than 8 digits; the format was made for 32 bits [long-id]" }, NULL, 2 },
	{ HEAD "  o\t0x30   3 0X1C  20 \t\n" TAIL, { NULL }, NULL, 2 },
	{ HEAD "o 30 3 1c 20 xyz 40\n" TAIL, { W "4:14: error: reference 'xyz' is not a hexadecimal number; 1 reference kept [bad-ref]" }, NULL, 2 },
	{ HEAD "o 30 3 1c 20 0 20 0x\n" TAIL, { W "4:19: error: reference '0x' is not a hexadecimal number; 2 references kept [bad-ref]" }, NULL, 2 },
	{ HEAD "o 0 3 1c\n" TAIL, { W "4:3: error: object id 0 means null and cannot be defined [zero-id]" }, NULL, 1 },
	{ HEAD "o 30 3 0\n" TAIL, { W "4:8: warning: object 30 has size 0 [zero-size]" }, NULL, 2 },
	{ HEAD "r 0 1 0\n" TAIL, { W "4:3: warning: root of the null object ignored [zero-root]" }, NULL, 1 },
	{ HEAD "r 20 4 0\n" TAIL, { W "4:9: warning: static root has no container type [no-container]" }, NULL, 1 },
	{ HEAD "r 20 4 0 x\n" TAIL, { W "4:10: error: container type 'x' is not a hexadecimal number [bad-line]" }, NULL, 1 },
	{ HEAD "r 20 4 0 3 9\nr 20 1 0 3\n" TAIL, { W "4:12: warning: extra elements on a root record ignored [extra]" }, NULL, 1 },
	{ HEAD "r 20 9 0\n" TAIL, { W "4:6: warning: root kind 9 is unknown (0–5 are known), shown as 'kind 9' [bad-kind]" }, NULL, 1 },
	{ HEAD "r 20 1 80\nr 20 1 c0\nr 20 1 40\n" TAIL, { W "4:8: warning: root flag bits 0x80 are unknown [bad-flags]", W "5:8: warning: root flag bits 0x40 are unknown [bad-flags]" }, NULL, 1 },
	{ HEAD "r 20 1 2\n" TAIL, { W "4:8: warning: a weak root of kind 1, which is not the kind of handles [bad-flags]" }, NULL, 1 },
	{ HEAD "r 20 1\n" TAIL, { W "4:7: error: root record needs an object, a kind and flags; flags are missing [bad-line]" }, NULL, 1 },
	{ HEAD "r 20 y 0\n" TAIL, { W "4:6: error: root kind 'y' is not a hexadecimal number [bad-line]" }, NULL, 1 },
	{ HEAD "T 5 Foo\n" TAIL, { W "4:1: warning: record letter 'T' read as 't' [upper-case]" }, NULL, 1 },
	{ HEAD "t 5\n" TAIL, { W "4:4: warning: type record has no name; called '<type 5>' [bad-line]" }, NULL, 1 },
	{ HEAD "t\n" TAIL, { W "4:2: error: type record needs an id and a name; id is missing [bad-line]" }, NULL, 1 },
	{ HEAD "x anything\n" TAIL, { W "4:1: warning: unknown record 'x', line ignored [unknown-record]" }, NULL, 1 },
	{ HEAD " object 20\n" TAIL, { W "4:2: warning: unknown record 'object', line ignored [unknown-record]" }, NULL, 1 },
	{ HEAD "\x1b[0m\n" TAIL, { W "4:1: warning: unknown record '?[0m', line ignored [unknown-record]" }, NULL, 1 },
	{ HEAD TAIL "a 2\nc (unnamed)\n", { W "5:4: warning: AppDomain record has no name; called '(unnamed)' [bad-line]" }, NULL, 1 },
	{ HEAD TAIL "a\n", { W "5:2: error: AppDomain record needs a version and a name; version is missing [bad-line]" }, NULL, 1 },
	{ HEAD TAIL "a x B\n", { W "5:3: error: AppDomain version 'x' is not a hexadecimal number [bad-line]" }, NULL, 1 },
	{ HEAD TAIL "a 3 B\nc B\n", { W "5:3: warning: version 3 is unknown, read as version 2 [version]" }, NULL, 1 },
	{ HEAD "a 2 B\nc B\n", { W "4:1: warning: section 'App.exe' (line 1) is not closed [missing-end]" }, NULL, 1 },
	{ HEAD "a 2 B\na 2 B\nc B\n", { W "4:1: warning: section 'App.exe' (line 1) is not closed [missing-end]", W "5:1: warning: section 'B' (line 4) is not closed [missing-end]" }, NULL, 1 },
	{ HEAD, { W "4:1: warning: section 'App.exe' (line 1) is not closed [missing-end]" }, NULL, 1 },
	{ HEAD "c Other.exe 10\n", { W "4:3: warning: end record names 'Other.exe', open section is 'App.exe' (line 1) [end-mismatch]" }, NULL, 1 },
	{ HEAD "c App.exe 11\n", { W "4:11: warning: end record has timestamp 11, section 'App.exe' (line 1) another or none [end-mismatch]" }, NULL, 1 },
	{ HEAD "c App.exe\n", { NULL }, NULL, 1 },
	{ HEAD "c\n", { W "4:2: warning: end record names '', open section is 'App.exe' (line 1) [end-mismatch]" }, NULL, 1 },
	{ HEAD TAIL "c\n", { W "5:1: warning: end record without an open section ignored [stray-end]" }, NULL, 1 },
	{ "t 3 Foo\no 20 3 1c\no 30 3 1c\n", { W "1:1: warning: record outside an AppDomain section; section '(unnamed)' opened [no-section]", W "4:1: warning: section '(unnamed)' (line 1) is not closed [missing-end]" }, NULL, 2 },
	{ HEAD TAIL "r 20 1 0\nc (unnamed)\n", { W "5:1: warning: record outside an AppDomain section; section '(unnamed)' opened [no-section]", W "5:3: warning: object 20 belongs to section 'App.exe' [foreign-id]" }, NULL, 1 },
	{ HEAD "o 30 1b 8\no 31 1b 8\n" TAIL, { W "4:6: warning: type 1b is not defined in section 'App.exe'; used by 2 objects [undefined-type]" }, NULL, 3 },
	{ HEAD "r 20 4 0 1b\n" TAIL, { W "4:10: warning: type 1b is not defined in section 'App.exe'; it declares 1 static [undefined-type]" }, NULL, 1 },
	{ HEAD "o 30 3 8 22c8 22c8\no 31 3 8 22c8\n" TAIL, { W "4:10: warning: object 22c8 is referenced but not defined; 3 references [undefined-object]" }, NULL, 4 },
	{ HEAD "r 22c8 1 0\n" TAIL, { W "4:3: warning: object 22c8 is referenced but not defined; 1 reference [undefined-object]" }, NULL, 2 },
	{ HEAD TAIL "a 2 B\no 30 3 8 20\nc B\n", { W "6:6: warning: type 3 belongs to section 'App.exe' [foreign-id]" }, NULL, 2 },
	{ HEAD TAIL "a 2 B\nt 4 X\no 30 4 8 10000000000\nc B\n", { W "7:10: error: reference '10000000000' is larger than any id; 0 references kept [bad-ref]" }, NULL, 2 },
	{ HEAD "t 3 Foo\n" TAIL, { NULL }, NULL, 1 },
	{ HEAD "t 3 Bar\n" TAIL, { W "4:3: warning: type 3 already defined on line 2 as 'Foo'; ignored [duplicate-type]" }, NULL, 1 },
	{ HEAD "o 20 3 1c\n" TAIL, { W "4:3: warning: object 20 already defined on line 3; ignored [duplicate-object]" }, NULL, 1 },
	{ HEAD "o 20 3 1d\n" TAIL, { W "4:3: error: object 20 already defined on line 3; ignored [duplicate-object]" }, NULL, 1 },
	{ HEAD "t 5 F\xe9\nt 6 \xe9\n" TAIL, { W "4:6: warning: not UTF-8, read as Windows-1252 [encoding]" }, NULL, 1 },
	{ HEAD "o 30 3 1c 3", { W "4:11: warning: file ends inside a line; last element dropped [truncated]", W "5:1: warning: section 'App.exe' (line 1) is not closed [missing-end]" }, NULL, 2 },
	{ HEAD "o 30 3 1c 20 ", { W "5:1: warning: section 'App.exe' (line 1) is not closed [missing-end]" }, NULL, 2 },
	{ HEAD "o 30 3", { W "4:6: warning: file ends inside a line; last element dropped [truncated]", W "4:6: error: object record needs an id, a type and a size; type is missing [bad-line]", W "5:1: warning: section 'App.exe' (line 1) is not closed [missing-end]" }, NULL, 1 },
	{ HEAD "o", { W "4:1: warning: file ends inside a line; last element dropped [truncated]", W "5:1: warning: section 'App.exe' (line 1) is not closed [missing-end]" }, NULL, 1 },
	{ "", { NULL }, W "1:1: error: this does not look like a GC log [not-gclog]", 0 },
	{ "\n\n \r\n\t\n", { NULL }, W "1:1: error: this does not look like a GC log [not-gclog]", 0 },
	{ "a 2 face\nsome text\nand more\n", { NULL }, W "1:1: error: this does not look like a GC log [not-gclog]", 0 },
	{ "a 2 A\nt 3 Foo\nt 4 Bar\nc A\n", { NULL }, W "1:1: error: no objects: not a GC log? [not-gclog]", 0 },
};
/* clang-format on */

static void
expect_messages(const struct message_row *row, const struct heap *h, const struct error *err)
{
	uint32_t count = 0;

	if (row->error) {
		assert_null(h);
		assert_string_equal(err->message, row->error);
		return;
	}
	if (!h)
		fail_msg("%s: %s", row->text, err->message);
	for (; count < COUNT_OF(row->warnings) && row->warnings[count]; count++)
		assert_string_equal(count < h->info.warnings_count ? h->info.warnings[count]
								   : "nothing",
				    row->warnings[count]);
	if (h->info.warnings_count > count)
		fail_msg("%s: and: %s", row->text, h->info.warnings[count]);
	assert_int_equal(h->nodes_count, row->objects);
}

TEST(test_messages)
{
	struct error err;

	for (size_t i = 0; i < COUNT_OF(message_rows); i++) {
		const struct message_row *row = &message_rows[i];
		const struct heap *h = read_bytes(row->text, strlen(row->text), false, &err);

		expect_messages(row, h, &err);
		if (h)
			heap_free(h);
	}
}

TEST(test_zero_bytes)
{
	static const char text[] = HEAD "o 30 3 8 20\0 20\nt 4 A\0B\n" TAIL;
	const struct heap *h = read_good(text, sizeof(text) - 1);

	assert_int_equal(h->nodes_count, 2);
	assert_int_equal(h->refs_count, 1);
	assert_string_equal(h->types[1].raw, "A");
	assert_int_equal(h->info.warnings_count, 2);
	assert_string_equal(h->info.warnings[0],
			    W "4:12: warning: a zero byte; the rest of the line is ignored [nul]");
	heap_free(h);
}

/* --- what comes of it --- */

TEST(test_losses)
{
	static const char text[] = HEAD "o 30 3 8 99 20 99 z 1 2\no 40 1b 8\no 20 3 9\no 0 3 9\n";
	const struct heap *h = read_good(text, strlen(text));
	const struct losses *l = &h->info.losses;
	struct refs refs = heap_refs(h, object_at(h, 0x30));
	node_id target = 0;

	assert_int_equal(l->undefined_nodes, 1);
	assert_int_equal(l->damaged_refs, 3);
	assert_int_equal(l->damaged_nodes, 2);
	assert_int_equal(l->unnamed_types, 1);
	assert_int_equal(l->unnamed_nodes, 1);
	assert_true(l->is_unfinished);
	assert_int_equal(refs.left, 3);
	assert_true(refs_next(&refs, &target));
	assert_int_equal(target, object_at(h, 0x99));
	assert_string_equal(heap_type(h, target)->raw, GCLOG_MISSING_TYPE);
	assert_int_equal(heap_size(h, target), 0);
	assert_string_equal(heap_type(h, object_at(h, 0x40))->raw, "<type 1b>");
	heap_free(h);
}

TEST(test_names)
{
	static const char text[] =
	    "a 2 face\nt 1 A  B [x, y]\t<z>  \nt 2 F\xe9\x80\no 8 1 8\nc face\n"
	    "a 2 Sync Agent.exe 10\nc Sync  Agent.exe 10\n"
	    "a 2 Sync Agent.exe\no 8 1 8\nc Sync Agent.exe\n"
	    "a 2 Sync Agent.exe 123456789\nc Sync Agent.exe 123456789\n";
	const struct heap *h = read_good(text, strlen(text));
	const struct heap_domain *d = h->info.domains;

	assert_int_equal(h->info.domains_count, 4);
	assert_string_equal(d[0].name, "face");
	assert_false(d[0].has_uptime);
	assert_string_equal(d[1].name, "Sync Agent.exe");
	assert_int_equal(d[1].uptime_ms, 0x10);
	assert_string_equal(d[2].name, "Sync Agent.exe");
	assert_string_equal(d[2].module, "Sync Agent.exe #2");
	assert_false(d[2].has_uptime);
	assert_string_equal(d[3].name, "Sync Agent.exe 123456789");
	assert_string_equal(h->types[0].raw, "A  B [x, y]\t<z>");
	assert_string_equal(h->types[1].raw, "Fé€");
	assert_string_equal(h->types[0].module, "face");
	heap_free(h);
}

/* Ids that would reach into the next section move its base. */
TEST(test_large_ids)
{
	static const char text[] = "a 2 A\nt 1 T\no 7f0000000008 1 8\nc A\n"
				   "a 2 B\nt 1 T\no 7f0000000008 1 8 7f0000000008\nc B\n";
	const struct heap *h = read_good(text, strlen(text));

	assert_int_equal(h->nodes_count, 2);
	assert_true(h->info.is_64bit);
	assert_int_equal(heap_address(h, 1) - heap_address(h, 0), UINT64_C(1) << 47);
	assert_int_equal(h->refs_count, 1);
	heap_free(h);
}

/* Twenty of a kind are told, the others counted. */
TEST(test_many)
{
	static const char *const bad[] = { "x 1\n", "o 0 3 3\n" };
	char *text = malloc(65536);
	const struct heap *h;

	assert_non_null(text);
	strcpy(text, HEAD);
	for (int i = 0; i < 50; i++)
		strcat(text, bad[i % 2]);
	strcat(text, TAIL);
	h = read_good(text, strlen(text));
	assert_int_equal(h->info.warnings_count, 42);
	assert_string_equal(h->info.warnings[40], "x.gclog: … 5 more [unknown-record]");
	assert_string_equal(h->info.warnings[41], "x.gclog: … 5 more [zero-id]");
	heap_free(h);
	free(text);
}

/* More than a tenth of the lines, and more than a hundred. */
TEST(test_hardly_a_log)
{
	char *text = malloc(65536);
	struct error err;
	const struct heap *h;

	assert_non_null(text);
	strcpy(text, HEAD);
	for (int i = 0; i < 17; i++)
		strcat(text, "r 20 1 0\n");
	for (int i = 0; i < 101; i++) {
		h = read_good(text, strlen(text));
		heap_free(h);
		strcat(text, i % 2 ? "o 1\n" : "zzz\n");
	}
	h = read_bytes(text, strlen(text), false, &err);
	assert_null(h);
	assert_string_equal(
	    err.message,
	    W "1:1: error: 101 of 121 lines are bad, so this is hardly a GC log; --force reads it "
	      "nevertheless [not-gclog]");
	h = read_bytes(text, strlen(text), true, &err);
	assert_non_null(h);
	assert_int_equal(h->nodes_count, 1);
	heap_free(h);
	free(text);
}

/* Two sections share 64 bits, so an id of 64 bits leaves no room to tell them apart. Reading such a
   log once never ended. */
TEST(test_ids_of_64_bits)
{
	static const char text[] = "a 2 A 1\nt 1 S\no 10 1 20\nr 10 0 0\n"
				   "c A 1\na 2 B 1\nt 1 S\n"
				   "o 8000000000000000 1 20\nc B 1\n";
	struct error err;

	assert_null(read_bytes(text, sizeof text - 1, false, &err));
	assert_string_equal(err.message,
			    "object ids up to 8000000000000000 in 2 sections: the ids are too "
			    "large to be distinguished");
}

/* An array of a million elements is one line. */
TEST(test_long_line)
{
	enum { REFS = 1700000 };
	char *text = malloc(64 + 3 * (size_t)REFS);
	size_t len;
	const struct heap *h;

	assert_non_null(text);
	strcpy(text, HEAD "o 30 3 1c");
	len = strlen(text);
	for (int i = 0; i < REFS; i++, len += 3)
		memcpy(text + len, i % 3 ? " 20" : " 30", 3);
	strcpy(text + len, "\n" TAIL);
	h = read_good(text, len + strlen(text + len));
	assert_int_equal(h->refs_count, REFS);
	assert_int_equal(h->info.warnings_count, 0);
	heap_free(h);
	free(text);
}

/* Every cut of the sample opens or says why not. */
TEST(test_cut)
{
	struct text sample = read_sample();
	struct error err;
	size_t opened = 0;

	for (size_t len = 0; len < sample.len; len++) {
		const struct heap *h = read_bytes(sample.bytes, len, false, &err);

		if (!h) {
			assert_int_equal(err.kind, ERROR_INPUT);
			continue;
		}
		opened++;
		heap_free(h);
	}
	assert_true(opened > sample.len / 2);
	free(sample.bytes);
}

/* Any byte another one. */
TEST(test_changed)
{
	static const char bytes[] = { '\0', '\n', ' ', 'z', '\xff', '0', 'o' };
	struct text sample = read_sample();
	struct error err;

	for (size_t i = 0; i < sample.len * sizeof(bytes); i++) {
		char *at = &sample.bytes[i / sizeof(bytes)], kept = *at;
		const struct heap *h;

		*at = bytes[i % sizeof(bytes)];
		h = read_bytes(sample.bytes, sample.len, false, &err);
		*at = kept;
		assert_non_null(h);
		heap_free(h);
	}
	free(sample.bytes);
}

/* By content, and nobody else's. */
TEST(test_accepts)
{
	static const struct {
		const char *head;
		bool is_ours;
	} rows[] = {
		{ "a 2 ShopFront.exe 444d20df\r\n", true },
		{ "\xef\xbb\xbf"
		  "a 2 ShopFront.exe\n",
		  true },
		{ "\xff\xfe"
		  "a",
		  true },
		{ "\n\n  o 20 3 1c\n", true },
		{ "   \n\n", true },
		{ "\x14!FastSerialization.1", false },
		{ "Nettrace\x14", false },
		{ "\x89HEAP\r\n\x1a", false },
		{ "{ \"schema\": 1 }", false },
		{ "all of it is text", false },
		{ "\xff\xfe\x01\x02\x03", false },
		{ "\x7f"
		  "ELF",
		  false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(
		    source_gclog.accepts((const uint8_t *)rows[i].head, strlen(rows[i].head)),
		    rows[i].is_ours);
	assert_false(source_gclog.accepts((const uint8_t[64]){ 0 }, 64));
}
