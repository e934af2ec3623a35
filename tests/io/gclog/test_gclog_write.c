/* GC logs written: byte by byte, and read again as what they were. */
#include "tests/made/graphs.h"
#include "tests/drive/files.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/written.h"
#include "tests/judge/same_heap.h"
#include "io/gcdump/gcdump.h"
#include "io/gclog/gclog.h"
#include "io/gclog/write.h"
#include <stdlib.h>
#include <string.h>

struct text {
	char *bytes;
	size_t len;
};

static struct text
read_file(const char *path)
{
	struct text t = { 0 };

	t.bytes = file_read(path, &t.len);
	return t;
}

static struct text
write_heap(const struct heap *h)
{
	struct blob b = { 0 };

	written(h, gclog_write, &b);
	blob_u8(&b, 0);
	return (struct text){ (char *)b.data, b.len - 1 };
}

static const struct heap *
read_text(struct text t)
{
	struct error err = { 0 };
	const struct heap *h =
	    gclog_read((const uint8_t *)t.bytes, t.len,
		       &(struct load_how){ .path = "x", .what = LOAD_ALL }, &err);

	assert_ok(h && heap_check(h, &err), &err);
	return h;
}

/* What was read from a log comes out of one again. */
static void
expect_identity(const struct heap *a, int flags)
{
	struct text text = write_heap(a), again;
	const struct heap *b = read_text(text);

	expect_same_heap(a, b, flags);
	again = write_heap(b);
	assert_int_equal(text.len, again.len);
	assert_memory_equal(text.bytes, again.bytes, text.len);
	heap_free(b);
	free(text.bytes);
	free(again.bytes);
}

/* Of any heap: all but modules and some kinds of roots. */
static void
expect_same_graph(const struct heap *a, const struct heap *b)
{
	assert_int_equal(a->nodes_count, b->nodes_count);
	assert_int_equal(a->refs_count, b->refs_count);
	assert_int_equal(a->bytes_count, b->bytes_count);
	assert_int_equal(a->roots_count, b->roots_count);
	assert_int_equal(a->weak_count, b->weak_count);
	for (node_id n = 0; n < a->nodes_count; n++) {
		struct refs x = heap_refs(a, n), y = heap_refs(b, n);
		node_id p, q;

		assert_int_equal(heap_address(a, n), heap_address(b, n));
		assert_int_equal(heap_size(a, n), heap_size(b, n));
		assert_string_equal(heap_type(a, n)->raw, heap_type(b, n)->raw);
		assert_int_equal(x.left, y.left);
		while (refs_next(&x, &p)) {
			assert_true(refs_next(&y, &q));
			assert_int_equal(p, q);
		}
	}
	for (uint32_t i = 0; i < a->roots_count; i++)
		assert_int_equal(a->roots[i].object, b->roots[i].object);
}

/* Other readers expect a name without blanks, and a time. */
static const struct named_row {
	const char *name, *program, *process, *begins;
} named[] = {
	{ "program", "leaky", "/opt/my app/leaky --list 5", "a 2 leaky" },
	{ "command_line", "", "/opt/app/leaky --list /tmp/x", "a 2 leaky" },
	{ "name", NULL, "leaky", "a 2 leaky" },
	{ "blank", "my app", "", "a 2 my_app" },
	{ "folder", NULL, "/opt/app/", "a 2 app/" },
	{ "lines", NULL, "a\nb 10", "a 2 a" },
	{ "nothing", NULL, NULL, "a 2 (unnamed)" },
};

TEST_ROWS(the_program_is_one_word, named)
{
	const struct named_row *row = *state;
	const struct heap *h = heap_of_graph(graph_mixed(1, 10));
	struct heap copy = *h;
	struct text text;
	char first[64];

	copy.info.program = row->program;
	copy.info.process = row->process;
	copy.info.time = 1000000;
	copy.info.time_ns = 42000000;
	text = write_heap(&copy);
	snprintf(first, sizeof first, "%s %x\r\n", row->begins, (unsigned)1000000042);
	assert_memory_equal(text.bytes, first, strlen(first));
	free(text.bytes);
	heap_free(h);
}

TEST(test_random_heaps)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		const struct heap *h =
		    heap_of_graph(graph_mixed(seed, (uint32_t)(seed * seed * 5)));
		struct text text = write_heap(h);
		const struct heap *a = read_text(text);

		expect_same_graph(h, a);
		expect_identity(a, SAME_BUT_ORIGIN);
		heap_free(a);
		free(text.bytes);
		heap_free(h);
	}
}

static const char *const logs[] = {
	/* A type, objects and a container that nothing defines. */
	"a 2 A.exe 10\nt 1 T\no 8 1 8 99 8 55 99\no 10 77 20\nr 99 1 4\n"
	"r 10 4 1 88\nr 10 4 0\nc A.exe 10\n",
	/* Roots of all kinds and flags. */
	"a 2 A.exe\nt 1 T\no 8 1 8\nr 8 0 0\nr 8 1 7\nr 8 1 5\nr 8 2 0\n"
	"r 8 3 0\nr 8 3 1\nr 8 3 2\nr 8 3 2\nr 8 3 ff04\nr 8 4 5 1\nr 8 5 0\n"
	"r 8 9 40\nr 8 9 44\nr 8 ff 0\nc A.exe\n",
	/* Sections called alike, and what they take from one another. */
	"a 2 A 10\nt 1 T\no 8 1 8 30\nr 30 4 0 2\nc A 10\n"
	"a 2 A 10\nt 1 U\nt 2 C\no 8 1 8 18\no 18 2 8\no 30 1 10\nc A 10\n"
	"a 2 A b c\nt 1 U\nc A b c\na 2 D e 0\no 40 1 8\nc D e 0\n",
	/* Ids of 64 bits. */
	"a 2 A\nt 1 T\no 7f0000000008 1 8 7f0000000010\nc A\n"
	"a 2 B\nt 1 T\no 7f0000000008 1 8 7f0000000008\nc B\n",
};

TEST(test_odd_logs)
{
	for (size_t i = 0; i < COUNT_OF(logs); i++) {
		struct text text = { .len = strlen(logs[i]) };
		const struct heap *h;

		text.bytes = malloc(text.len);
		assert_non_null(text.bytes);
		memcpy(text.bytes, logs[i], text.len);
		h = read_text(text);
		/* What was not defined is from now on. */
		expect_identity(h, SAME_BUT_INFO);
		heap_free(h);
		free(text.bytes);
	}
}

TEST(test_sample)
{
	struct text text = read_file("tests/data/sample.gclog");
	const struct heap *h = read_text(text);

	expect_identity(h, SAME_BUT_ORIGIN);
	heap_free(h);
	free(text.bytes);
}

TEST(test_reference_dumps)
{
	static const char *const names[] = {
		"tests/data/leaky-10.gcdump",
		"tests/data/leaky-8.gcdump.zst",
		"tests/data/tiny-full.gcdump",
	};

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const struct heap *h = heap_of_file(names[i]);
		struct text text = write_heap(h);
		const struct heap *a = read_text(text);

		assert_int_equal(h->nodes_count, a->nodes_count);
		assert_int_equal(h->refs_count, a->refs_count);
		assert_int_equal(h->bytes_count, a->bytes_count);
		assert_int_equal(h->roots_count, a->roots_count);
		expect_identity(a, SAME_BUT_INFO);
		heap_free(a);
		heap_free(h);
		free(text.bytes);
	}
}

/* Roots of every kind, names that are no names, an address that is taken. */
static const struct heap *
heap_of_everything(void)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	struct heap_builder *b = heap_stream_builder(s);
	bool ok;

	ok = heap_builder_type(b, "A.B\r\nC", "/x.dll", &err) == 0 &&
	     heap_builder_type(b, "Ns.Holder", "/y.dll", &err) == 1 &&
	     heap_stream_object(s, 0x10, 0, 0x2c, 2, &err) && heap_stream_ref(s, 0x20, &err) &&
	     heap_stream_ref(s, 0x10, &err) && heap_stream_object(s, 0x20, 1, 8, 0, &err) &&
	     heap_stream_object(s, 0x20, 1, 9, 0, &err) && heap_stream_weak(s, 0x20, &err) &&
	     heap_stream_weak(s, 0x20, &err);
	ok = ok &&
	     heap_stream_root(s, 0x10, ROOT_STATIC, false, "Holder.Field",
			      "static var Ns.Holder.Field", &err) &&
	     /* The type of the object, in most dumps. */
	     heap_stream_root(s, 0x10, ROOT_STATIC, false, "Field", "static var Ns.Holder.Field",
			      &err) &&
	     heap_stream_root(s, 0x10, ROOT_STATIC, false, "I.P",
			      "static var Ns.Holder.<I.P>k__BackingField", &err) &&
	     heap_stream_root(s, 0x10, ROOT_STATIC, true, "Other.Of.Field", "", &err) &&
	     heap_stream_root(s, 0x10, ROOT_ASYNC_PINNED, true, "", "", &err) &&
	     heap_stream_root(s, 0x10, ROOT_STACK, false, "Main", "", &err) &&
	     heap_stream_root(s, 0x20, ROOT_THREAD_STATIC, false, "F", "", &err) &&
	     heap_stream_root(s, 0x20, ROOT_FINALIZER, false, "", "", &err) &&
	     heap_stream_root(s, 0x20, ROOT_OTHER, false, "", "other", &err);
	assert_true(ok);
	heap_builder_info(b)->process = "a\nb 10";
	return heap_stream_finish(s, NULL, &err);
}

TEST(test_bytes)
{
	static const char wanted[] = "a 2 a\r\n"
				     "t 1 A.B  C\r\n"
				     "t 2 Ns.Holder\r\n"
				     "t 3 Other.Of\r\n"
				     "o 10 1 2c 20 10\r\n"
				     "r 10 4 0\r\n"
				     "r 10 4 0 2\r\n"
				     "r 10 4 0\r\n"
				     "r 10 4 1 3\r\n"
				     "r 10 3 1\r\n"
				     "r 10 1 0\r\n"
				     "o 20 2 8\r\n"
				     "r 20 4 0\r\n"
				     "r 20 2 0\r\n"
				     "r 20 3 0\r\n"
				     "r 20 3 2\r\n"
				     "r 20 3 2\r\n"
				     "o 28 2 9\r\n"
				     "c a\r\n";
	const struct heap *h = heap_of_everything();
	struct text text;

	assert_non_null(h);
	text = write_heap(h);
	assert_string_equal(text.bytes, wanted);
	assert_null(gclog_write_warning(h));
	heap_free(h);
	free(text.bytes);
}

/* Nothing to write is said, and leaves no file behind. */
TEST(test_no_objects)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	const struct heap *h = heap_stream_finish(s, NULL, &err);
	struct output *to = output_open("-", false, &err);

	assert_non_null(h);
	assert_non_null(to);
	assert_false(gclog_write(to, h, NULL, &err));
	assert_string_equal(err.message, "a GC log consists of objects, and this heap has none");
	output_abandon(to);
	heap_free(h);
}
