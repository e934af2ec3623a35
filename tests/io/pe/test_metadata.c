/* Metadata of modules: a made-up one, cut and damaged everywhere. */
#include "tests/drive/run_tests.h"
#include "tests/made/made_module.h"
#include "io/pe/metadata.h"
#include "io/pe/metadata_fields.h"
#include "io/pe/metadata_tables.h"
#include <stdlib.h>
#include <string.h>

static const struct {
	uint32_t token;
	const char *name;
} name_rows[] = {
	{ 0x02000000 + MADE_MODULE, "<Module>" },
	{ 0x02000000 + MADE_CACHE, "A.Cache" },
	{ 0x02000000 + MADE_GENERIC, "A.Table`1" },
	{ 0x02000000 + MADE_ENTRY, "A.Table`1+Entry" },
	{ 0x02000000 + MADE_DEEP, "A.Table`1+Entry+Deep" },
	{ 0x02000000 + MADE_FAR, "A.Far" },
	{ 0x02000000, NULL },
	{ 0x02000000 + MADE_TYPES_COUNT + 1, NULL },
	{ 0x01000001, NULL },
	{ 0, NULL },
	{ 0xffffffff, NULL },
};

TEST(test_type_names)
{
	for (int is_64bit = 0; is_64bit < 2; is_64bit++) {
		struct blob module = { 0 };
		struct metadata *m;
		struct arena a;
		struct error err = { 0 };

		made_module_put(&module, is_64bit, NULL);
		arena_init(&a, 0);
		m = metadata_open(module.data, module.len, &err);
		assert_ok(m, &err);
		for (size_t i = 0; i < COUNT_OF(name_rows); i++) {
			const char *name = metadata_type_name(m, name_rows[i].token, &a, &err);

			if (!name_rows[i].name)
				assert_null(name);
			else
				assert_string_equal(name, name_rows[i].name);
		}
		assert_int_equal(err.kind, ERROR_NONE);
		metadata_close(m);
		arena_clear(&a);
		blob_free(&module);
	}
}

TEST(test_parameters)
{
	static const char *const of_type[] = { "System.String" }, *const of_method[] = { "A.Far" };
	struct metadata_arguments given = { of_type, of_method, 1, 1 };
	struct blob module = { 0 };
	const char *types[3];
	struct error err = { 0 };
	struct metadata *m;
	struct arena a;

	made_module_put(&module, true, NULL);
	arena_init(&a, 0);
	m = metadata_open(module.data, module.len, &err);
	assert_ok(m, &err);
	assert_int_equal(metadata_method_parameters(m, MADE_RUN, &given, types, 3, &a, &err), 0);
	assert_int_equal(metadata_method_parameters(m, MADE_STOP, &given, types, 3, &a, &err), 3);
	assert_string_equal(types[0], "System.Int32[]");
	assert_string_equal(types[1], "A.Far");
	assert_string_equal(types[2], "System.String");
	/* Too many, an argument that is unknown, a function pointer, and no such method. */
	assert_int_equal(metadata_method_parameters(m, MADE_STOP, &given, types, 2, &a, &err),
			 UINT32_MAX);
	given.of_method_count = 0;
	assert_int_equal(metadata_method_parameters(m, MADE_STOP, &given, types, 3, &a, &err),
			 UINT32_MAX);
	assert_int_equal(metadata_method_parameters(m, MADE_WALK, &given, types, 3, &a, &err),
			 UINT32_MAX);
	assert_int_equal(metadata_method_parameters(m, 99, &given, types, 3, &a, &err), UINT32_MAX);
	assert_int_equal(err.kind, ERROR_NONE);
	metadata_close(m);
	arena_clear(&a);
	blob_free(&module);
}

/* Alone, as a process has them in memory: the same answers, or a sentence. */
TEST(test_without_file)
{
	struct blob b = { 0 };
	struct metadata *m;
	struct arena a;
	struct error err = { 0 };

	arena_init(&a, 0);
	made_metadata_put(&b);
	m = metadata_open_root(b.data, b.len, &err);
	assert_non_null(m);
	assert_string_equal(metadata_module_name(m), "test.dll");
	assert_string_equal(metadata_assembly_name(m), "test");
	assert_string_equal(metadata_type_name(m, 0x02000000 + MADE_DEEP, &a, &err),
			    "A.Table`1+Entry+Deep");
	metadata_close(m);
	assert_null(metadata_open_root(b.data + 1, b.len - 1, &err));
	assert_string_equal(err.message, "the metadata does not start with BSJB (at offset 0x0)");
	error_clear(&err);
	assert_null(metadata_open_root(b.data, 200, &err));
	assert_int_equal(err.kind, ERROR_INPUT);
	arena_clear(&a);
	blob_free(&b);
}

TEST(test_builds)
{
	const struct pe_build build = { "0123456789abcde", 7 };
	struct pe_build other = build;

	for (int says = 0; says < 2; says++) {
		struct blob module = { 0 };
		struct metadata *m;
		struct error err = { 0 };

		made_module_put(&module, says, says ? &build : NULL);
		m = metadata_open(module.data, module.len, &err);
		assert_non_null(m);
		assert_int_equal(metadata_is_build(m, &build), says);
		other.age = 8;
		assert_false(metadata_is_build(m, &other));
		other.age = 7;
		other.guid[15] = 1;
		assert_false(metadata_is_build(m, &other));
		other.guid[15] = 0;
		metadata_close(m);
		blob_free(&module);
	}
}

static const struct {
	const char *name;
	struct metadata_static field;
} static_rows[] = {
	{ "Current", { "A.Cache", "A.Session", false, false, false } },
	{ "Names", { "A.Cache", "System.String", true, false, false } },
	{ "All", { "A.Cache", "System.Collections.Generic.List`1", false, false, false } },
	{ "Mine", { "A.Cache", "A.Session", false, false, true } },
	{ "Made", { "A.Cache", "Other.Outer+Inner", false, false, false } },
	{ "Origin", { "A.Table`1+Entry+Deep", "A.Point", false, true, false } },
};

TEST(test_statics)
{
	struct blob module = { 0 };
	struct metadata *m;
	struct arena a;
	struct error err = { 0 };
	const char *name;
	uint32_t row = 0;
	size_t i = 0;

	made_module_put(&module, true, NULL);
	arena_init(&a, 0);
	m = metadata_open(module.data, module.len, &err);
	assert_non_null(m);
	for (; metadata_next_static(m, &row, &name); i++) {
		const struct metadata_static *want = &static_rows[i].field;
		struct metadata_static got;

		assert_true(i < COUNT_OF(static_rows));
		assert_string_equal(name, static_rows[i].name);
		assert_true(metadata_static_read(m, row, &got, &a, &err));
		assert_string_equal(got.declaring, want->declaring);
		assert_string_equal(got.type, want->type);
		assert_int_equal(got.is_array, want->is_array);
		assert_int_equal(got.is_value_type, want->is_value_type);
		assert_int_equal(got.is_thread_static, want->is_thread_static);
	}
	assert_int_equal(i, COUNT_OF(static_rows));
	metadata_close(m);
	arena_clear(&a);
	blob_free(&module);
}

static const struct {
	uint32_t type;
	const char *name;
	enum metadata_answer answer;
} is_rows[] = {
	{ MADE_SESSION, "A.Session", METADATA_YES },
	{ MADE_SESSION, "A.Base", METADATA_YES },
	{ MADE_SESSION, "A.IThing", METADATA_YES },
	{ MADE_SESSION, "System.Object", METADATA_YES },
	{ MADE_SESSION, "A.Cache", METADATA_NO },
	{ MADE_BASE, "A.Session", METADATA_NO },
	{ MADE_BASE, "A.IThing", METADATA_NO },
	{ MADE_FAR, "Other.Thing", METADATA_YES },
	{ MADE_FAR, "Other.Else", METADATA_MAYBE },
	{ MADE_DEEP, "A.Table`1+Entry+Deep", METADATA_YES },
	{ MADE_DEEP, "A.Table`1", METADATA_NO },
	{ 0, "A.Session", METADATA_NO },
	{ 999, "A.Session", METADATA_NO },
};

TEST(test_what_a_type_is)
{
	struct blob module = { 0 };
	struct metadata *m;
	struct arena a;
	struct error err = { 0 };

	made_module_put(&module, true, NULL);
	arena_init(&a, 0);
	m = metadata_open(module.data, module.len, &err);
	assert_non_null(m);
	for (size_t i = 0; i < COUNT_OF(is_rows); i++)
		assert_int_equal(
		    metadata_type_is(m, 0x02000000 + is_rows[i].type, is_rows[i].name, &a),
		    is_rows[i].answer);
	metadata_close(m);
	arena_clear(&a);
	blob_free(&module);
}

/* Asks for everything; the answers do not matter. */
static void
ask_all(const uint8_t *data, size_t len)
{
	struct metadata *m;
	struct arena a;
	struct error err = { 0 };
	const char *name;
	uint32_t row = 0;

	arena_init(&a, 0);
	m = metadata_open(data, len, &err);
	assert_int_equal(m == NULL, err.kind != ERROR_NONE);
	for (uint32_t i = 0; m && i < MADE_TYPES_COUNT + 2; i++) {
		name = metadata_type_name(m, 0x02000000 + i, &a, &err);
		assert_true(!name || strlen(name) < 70000);
		(void)metadata_type_is(m, 0x02000000 + i, "A.Base", &a);
	}
	while (m && metadata_next_static(m, &row, &name)) {
		struct metadata_static field;

		assert_non_null(memchr(name, 0, 2000));
		assert_true(metadata_static_read(m, row, &field, &a, &err));
	}
	metadata_close(m);
	arena_clear(&a);
}

TEST(test_damage)
{
	struct blob module = { 0 };
	uint8_t *copy;

	made_module_put(&module, true, NULL);
	for (size_t len = 0; len < module.len; len++) {
		/* In memory of its own: reading past it shows. */
		copy = malloc(len + 1);
		memcpy(copy, module.data, len);
		ask_all(copy, len);
		free(copy);
	}
	copy = malloc(module.len);
	for (size_t at = 0; at < module.len; at++) {
		static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };

		memcpy(copy, module.data, module.len);
		for (size_t i = 0; i < sizeof(values); i++) {
			copy[at] = values[i];
			ask_all(copy, module.len);
		}
	}
	free(copy);
	blob_free(&module);
}

/* ECMA-335 II.24.2.6: 2 bytes are for tables of fewer than 65,536 rows. */
TEST(test_width_of_row_numbers)
{
	enum { METHOD_PARAMS = 5 };
	static const struct {
		uint32_t rows, width;
	} params[] = { { 65535, 2 }, { 65536, 4 } };

	for (size_t i = 0; i < COUNT_OF(params); i++) {
		const size_t bytes = 24 + 4 + (size_t)params[i].rows * 6;
		uint8_t *data = calloc(bytes, 1);
		struct metadata_tables t;
		struct error err = { 0 };
		struct bytes b;

		data[8 + TABLE_PARAM / 8] = 1 << TABLE_PARAM % 8;
		data[24] = (uint8_t)params[i].rows;
		data[25] = (uint8_t)(params[i].rows >> 8);
		data[26] = (uint8_t)(params[i].rows >> 16);
		bytes_init(&b, data, bytes, &err);
		metadata_tables_read(&t, &b);
		assert_ok(bytes_ok(&b), &err);
		assert_int_equal(t.tables[TABLE_METHOD_DEF].widths[METHOD_PARAMS], params[i].width);
		free(data);
	}
}

TEST(test_other_files)
{
	static const struct {
		const char *bytes, *message;
	} rows[] = {
		{ "ELF", "this is not a module: it does not start with MZ (at offset 0x0)" },
		{ "", "the input ends inside the signature: 2 bytes were expected, 0 are left (at "
		      "offset 0x0)" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = { 0 };

		assert_null(
		    metadata_open((const uint8_t *)rows[i].bytes, strlen(rows[i].bytes), &err));
		assert_string_equal(err.message, rows[i].message);
	}
}
