/* Walks of Native AOT programs: their types have names only in symbols. */
#include "tests/drive/files.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/written.h"
#include "tests/made/made_elf.h"
#include "tests/made/walks.h"
#include "io/gcdump/gcdump.h"
#include "model/heap/root_gaps.h"
#include "io/formats/sources.h"
#include <string.h>
#include <unistd.h>

enum { PLACE = 0x3000 }; /* of the first type in the program */

static const struct made_elf_symbol symbols[] = {
	{ "_ZTV10shop_Order", PLACE },
	{ "_ZTV19__Array<shop_Order>", PLACE + 1 },
	{ "_ZTV6String", PLACE + 2 },
	{ NULL, 0 },
};
static const struct made_elf_symbol other_symbols[] = {
	{ "_ZTV10shop_Order", PLACE },
	{ "_ZTV6String", PLACE + 7 },
	{ NULL, 0 },
};

/* Answers the walk when it asks for symbols. */
struct asked {
	struct native_types *types; /* NULL: there are none */
	unsigned count;
};

static const struct native_types *
answer(void *context, const char *command_line, char why[NATIVE_WHY_BYTES], struct error *err)
{
	struct asked *asked = context;

	(void)command_line;
	(void)err;
	asked->count++;
	snprintf(why, NATIVE_WHY_BYTES, "nobody has them");
	return asked->types;
}

static struct native_types *
types_of(const struct made_elf_symbol *made)
{
	const struct made_elf elf = { .symbols = made };
	struct blob file = { 0 };
	struct error err = { 0 };
	struct native_types *t;

	made_elf_write(&elf, &file);
	t = native_types_read(file.data, file.len, "shop", &err);
	assert_non_null(t);
	blob_free(&file);
	return t;
}

/* Describes the first types only. */
static void
put_trace(struct trace *t, uint32_t described)
{
	trace_begin(t, TRACE_4, 8);
	for (uint32_t i = 0; i < described; i++)
		trace_native_type(t, WALKS_TYPE + i, 0x77, PLACE + i);
	walks_put(t, 1, 90, NO_TYPES);
	trace_end(t);
}

static const struct heap *
read_trace(const struct trace *t, struct asked *asked, bool is_elsewhere)
{
	const struct walk_options options = { .native = answer,
					      .context = asked,
					      .is_elsewhere = is_elsewhere };
	struct error err = { 0 };
	const struct heap *h = walk_read(t->out.data, t->out.len, &options, NULL, NULL, NULL, &err);

	assert_ok(h, &err);
	assert_true(heap_check(h, &err));
	assert_int_equal(asked->count, 1);
	return h;
}

static const struct type *
type_of(const struct heap *h, uint64_t k)
{
	return heap_type(h, heap_find(h, walks_address(k)));
}

/* Types that were not described have names, too. */
TEST(names_types_by_symbols)
{
	for (uint32_t described = 1; described <= TYPES_COUNT; described++) {
		struct asked asked = { .types = types_of(symbols) };
		const struct heap *h;
		struct trace t;

		put_trace(&t, described);
		h = read_trace(&t, &asked, false);
		assert_string_equal(type_of(h, 0)->raw, "Order");
		assert_string_equal(type_of(h, 0)->module, "shop.dll");
		assert_string_equal(type_of(h, 1)->name, "Order[]");
		assert_string_equal(type_of(h, 2)->name, "string");
		assert_int_equal(h->info.warnings_count, 0);
		assert_int_equal(h->info.losses.unnamed_types, 0);
		assert_false(heap_knows_roots(h));
		heap_free(h);
		trace_free(&t);
		native_types_free(asked.types);
	}
}

/* A file of another build would give wrong names. */
TEST(refuses_other_builds)
{
	struct asked asked = { .types = types_of(other_symbols) };
	const struct heap *h;
	struct trace t;

	put_trace(&t, TYPES_COUNT);
	h = read_trace(&t, &asked, true);
	assert_string_equal(type_of(h, 0)->raw, "Type(0x00003000)");
	assert_int_equal(h->info.warnings_count, 1);
	assert_non_null(strstr(h->info.warnings[0], "of another build: they have 1 of 3 types"));
	heap_free(h);
	trace_free(&t);
	native_types_free(asked.types);
}

/* Two objects of one size, which the name tells, and two of different sizes. */
TEST(tells_sizes_without_symbols)
{
	struct asked asked = { 0 };
	struct bulk_writer objects;
	const struct heap *h;
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 2);
	trace_native_type(&t, WALKS_TYPE, 0x77, PLACE);
	trace_native_type(&t, WALKS_TYPE + 1, 0x77, PLACE + 1);
	bulk_begin(&objects, &t, KIND_OBJECTS, 100);
	for (uint64_t k = 0; k < 4; k++)
		bulk_object(&objects, walks_address(k), k == 3 ? 32 : 24, WALKS_TYPE + k % 2, 0);
	bulk_end(&objects);
	trace_gc_end(&t, 1, 2);
	trace_end(&t);
	h = read_trace(&t, &asked, false);
	assert_string_equal(type_of(h, 0)->raw, "Type(0x00003000), 24 bytes");
	assert_string_equal(type_of(h, 0)->name, "Type(0x00003000), 24 bytes");
	assert_string_equal(type_of(h, 1)->raw, "Type(0x00003001)");
	assert_int_equal(h->info.warnings_count, 1);
	assert_non_null(strstr(h->info.warnings[0], "nobody has them"));
	heap_free(h);
	trace_free(&t);
}

/* With names, too, a .gcdump tells that some roots are unknown. */
TEST(tells_missing_roots_in_gcdump)
{
	struct asked asked = { .types = types_of(symbols) };
	const struct heap *h, *dump;
	struct blob b = { 0 };
	struct trace t;

	put_trace(&t, TYPES_COUNT);
	h = read_trace(&t, &asked, false);
	written(h, gcdump_write, &b);
	dump = read_gcdump(b.data, b.len);
	assert_string_equal(type_of(dump, 0)->raw, "Order");
	assert_int_equal(dump->info.losses.root_gaps, h->info.losses.root_gaps);
	assert_false(heap_knows_roots(dump));
	heap_free(dump);
	heap_free(h);
	blob_free(&b);
	trace_free(&t);
	native_types_free(asked.types);
}

/* --- files --- */

static const struct heap *
load(const struct trace *t, const char *symbols_folder)
{
	struct error err = { 0 };
	const char *path = in_folder("x.nettrace");
	const struct heap *h;

	file_write(path, t->out.data, t->out.len);
	h = sources_load(
	    &(struct load_how){ .path = path, .what = LOAD_ALL, .symbols = symbols_folder }, &err);
	assert_ok(h, &err);
	unlink(path);
	return h;
}

/* The file is found by the program's name in the command line. */
TEST_IN_FOLDER(reads_symbols_from_a_folder)
{
	const struct made_elf elf = { .symbols = symbols };
	const struct heap *h;
	struct blob file = { 0 };
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	trace_process(&t, "/app/shop --port 80");
	for (uint32_t i = 0; i < TYPES_COUNT; i++)
		trace_native_type(&t, WALKS_TYPE + i, 0x77, PLACE + i);
	walks_put(&t, 1, 90, NO_TYPES);
	trace_end(&t);
	h = load(&t, NULL);
	assert_string_equal(type_of(h, 0)->raw, "Type(0x00003000)");
	assert_non_null(
	    strstr(h->info.warnings[0], "with --symbols DIR they are read from DIR/shop.dbg"));
	heap_free(h);
	made_elf_write(&elf, &file);
	file_write(in_folder("shop.dbg"), file.data, file.len);
	h = load(&t, folder_path());
	assert_string_equal(type_of(h, 0)->raw, "Order");
	assert_int_equal(h->info.warnings_count, 0);
	heap_free(h);
	unlink(in_folder("shop.dbg"));
	blob_free(&file);
	trace_free(&t);
}
