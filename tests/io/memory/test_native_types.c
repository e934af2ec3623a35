/* Symbols of Native AOT programs, and the search for files that have them. */
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "tests/made/made_elf.h"
#include "io/memory/elf_symbols.h"
#include "io/memory/native_types.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct made_elf_symbol symbols[] = {
	{ "main", 0x800 },
	{ "_ZTV10shop_Order", 0x3000 },
	{ "_ZTV6String", 0x1000 },
	{ "_ZTV9shop_Order", 0x4000 }, /* another length than it has */
	{ "_ZTVN10shop_OrderE", 0x5000 },
	{ "__GCStaticEEType_01", 0x2000 },
	{ "__GCSTATICSshop_Order", 0x6000 },
	{ "__GCSTATICSshop_Order__PreInitData", 0x7000 },
	{ "__NONGCSTATICSshop_Order", 0x8000 },
	{ NULL, 0 },
};
static const struct made_elf_symbol exports[] = {
	{ "main", 0x800 },
	{ "DotNetRuntimeDebugHeader", 0x900 },
	{ NULL, 0 },
};

static const char *
name_at(const struct native_types *t, uint64_t offset, struct arena *a)
{
	struct error err = { 0 };
	struct native_name n;

	assert_true(native_types_name(t, offset, a, &n, &err));
	assert_true(native_types_has(t, offset) == (n.name != NULL));
	return n.name ? n.name : "";
}

TEST(names_types_by_place)
{
	static const struct made_elf programs[] = {
		{ .symbols = symbols },
		{ .symbols = symbols, .exports = exports, .base = 0x400000 },
	};

	for (size_t i = 0; i < COUNT_OF(programs); i++) {
		struct error err = { 0 };
		struct blob file = { 0 };
		struct native_types *t;
		struct native_name class;
		uint64_t offset;
		struct arena a;

		arena_init(&a, 0);
		made_elf_write(&programs[i], &file);
		t = native_types_read(file.data, file.len, "shop", &err);
		assert_non_null(t);
		assert_string_equal(name_at(t, 0x1000, &a), "System.String");
		assert_string_equal(name_at(t, 0x3000, &a), "Order");
		assert_string_equal(name_at(t, 0x2000, &a), "StaticVariables(01)");
		assert_string_equal(name_at(t, 0x800, &a), "");
		assert_string_equal(name_at(t, 0x4000, &a), "");
		assert_string_equal(name_at(t, 0x5000, &a), "");
		assert_true(native_types_static(t, 0, &offset));
		assert_int_equal(offset, 0x6000);
		assert_true(native_types_static_name(t, 0, &a, &class, &err));
		assert_string_equal(class.name, "Order");
		assert_false(native_types_static(t, 1, &offset));
		assert_int_equal(native_types_is_program(file.data, file.len), i);
		native_types_free(t);
		arena_clear(&a);
		blob_free(&file);
	}
}

/* This program has symbols that a real linker wrote. */
TEST(reads_a_real_program)
{
	struct elf_symbols all;
	struct error err = { 0 };
	struct file file;
	bool has_main = false;

	assert_true(file_open(&file, "/proc/self/exe", FILE_ALL, NULL, &err));
	assert_true(elf_symbols_open(&all, file.data, file.len, ELF_ALL_SYMBOLS));
	for (size_t i = 0; i < all.count; i++) {
		uint64_t offset;
		const char *name = elf_symbols_get(&all, i, &offset);

		has_main |= name && !strcmp(name, "main") && offset < file.len;
	}
	assert_true(has_main);
	assert_false(native_types_is_program(file.data, file.len));
	file_close(&file);
}

/* Cut anywhere, it has no symbols or some, and nothing is read behind its
   end. */
TEST(survives_damage)
{
	const struct made_elf elf = {
		.symbols = symbols, .exports = exports, .link = "shop.dbg", .build_id = "shop"
	};
	struct blob whole = { 0 };

	made_elf_write(&elf, &whole);
	assert_string_equal(elf_debug_link(whole.data, whole.len), "shop.dbg");
	for (size_t len = 0; len < whole.len; len++) {
		uint8_t *cut = test_malloc(len + 1);
		struct error err = { 0 };

		memcpy(cut, whole.data, len);
		native_types_free(native_types_read(cut, len, "shop", &err));
		assert_int_equal(err.kind, ERROR_NONE);
		(void)native_types_is_program(cut, len);
		(void)elf_debug_link(cut, len);
		test_free(cut);
	}
	blob_free(&whole);
}

/* --- the search --- */

struct search_row {
	const char *name;
	const char *link;  /* of the program */
	const char *where; /* of the file with the symbols; NULL: itself */
	const char *build; /* of that file */
	bool has_folder;   /* --symbols symbols */
	const char *why;   /* part of the reason; NULL: found */
};
static const struct search_row search_rows[] = {
	{ "in the program", NULL, NULL, NULL, false, NULL },
	{ "by its link", "other.dbg", "other.dbg", "shop", false, NULL },
	{ "by its name", NULL, "shop.dbg", "shop", false, NULL },
	{ "in .debug", "other.dbg", ".debug/other.dbg", "shop", false, NULL },
	{ "in the folder", NULL, "symbols/shop.dbg", "shop", true, NULL },
	{ "unstripped in the folder", NULL, "symbols/shop", "shop", true, NULL },
	{ "by its build id", NULL, "symbols/.build-id/73/686f70.debug", "shop", true, NULL },
	{ "another build", NULL, "shop.dbg", "shap", false, "shop.dbg is of another build" },
	{ "no build", NULL, "shop.dbg", NULL, false, "shop.dbg is of another build" },
	{ "nowhere", NULL, "symbols/shop.dbg", "shop", false,
	  "shop was stripped, and shop.dbg is neither beside it" },
	{ "a link that leads away", "../shop.dbg", "shop.dbg", "shop", false, NULL },
};

static const char *const folders[] = { ".debug", "symbols", "symbols/.build-id",
				       "symbols/.build-id/73" };

static void
write_elf(const struct made_elf *elf, const char *path)
{
	struct blob file = { 0 };

	made_elf_write(elf, &file);
	file_write(path, file.data, file.len);
	blob_free(&file);
}

static void
check_search(const struct search_row *row)
{
	const struct made_elf program = {
		.symbols = row->where ? NULL : symbols,
		.link = row->link,
		.build_id = "shop",
	};
	const struct made_elf beside = { .symbols = symbols, .build_id = row->build };
	struct native_search search = { .path = in_folder("shop") };
	struct native_types *t;
	struct error err = { 0 };
	char why[NATIVE_WHY_BYTES];
	struct file file;

	write_elf(&program, search.path);
	if (row->where)
		write_elf(&beside, in_folder(row->where));
	if (row->has_folder)
		search.folder = in_folder("symbols");
	assert_true(file_open(&file, search.path, FILE_ALL, NULL, &err));
	search.program = &file;
	t = native_types_search(&search, why, &err);
	assert_int_equal(err.kind, ERROR_NONE);
	if ((t != NULL) == (row->why != NULL) || (row->why && !strstr(why, row->why)))
		fail_msg("%s: %s", row->name, why);
	native_types_free(t);
	file_close(&file);
	unlink(search.path);
	if (row->where)
		unlink(in_folder(row->where));
}

TEST_IN_FOLDER(searches_symbols)
{
	for (size_t i = 0; i < COUNT_OF(folders); i++)
		assert_int_equal(mkdir(in_folder(folders[i]), 0700), 0);
	for (size_t i = 0; i < COUNT_OF(search_rows); i++)
		check_search(&search_rows[i]);
	for (size_t i = COUNT_OF(folders); i-- > 0;)
		assert_int_equal(rmdir(in_folder(folders[i])), 0);
}
