/* Metadata of modules: a made-up one, cut and damaged everywhere. */
#include "tests/run_tests.h"
#include "tests/traces.h"
#include "io/metadata.h"
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/*
 * The module "test.dll":
 *
 *   namespace A {
 *     class Cache { static Session Current; static string[] Names;
 *                   static List<Session> All; [ThreadStatic] static Session
 * Mine; static int Count; const string Version; Session notStatic; } class
 * Session : Base, IThing { } class Base : System.Object { } interface IThing {
 * } class Table<K> { class Entry { class Deep { static Point Origin; } } }
 *     class Far : Other.Thing { }
 *   }
 */
enum type_row { /* of TypeDef */
		MODULE = 1,
		CACHE,
		SESSION,
		BASE,
		THING,
		TABLE,
		ENTRY,
		DEEP,
		POINT,
		FAR,
		TYPES_COUNT = FAR
};
enum ref_row { /* of TypeRef */
	       OBJECT = 1,
	       LIST,
	       THREAD_STATIC,
	       OTHER_THING,
	       OUTER,
	       INNER,
	       REFS_COUNT = INNER
};

struct heaps {
	struct blob strings, blobs;
};

static uint16_t
text(struct heaps *h, const char *text)
{
	size_t at = h->strings.len;

	blob_put(&h->strings, text, strlen(text) + 1);
	return (uint16_t)at;
}

static uint16_t
signature(struct heaps *h, const char *bytes, uint8_t len)
{
	size_t at = h->blobs.len;

	blob_u8(&h->blobs, len);
	blob_put(&h->blobs, bytes, len);
	return (uint16_t)at;
}

static void
put_type_refs(struct blob *b, struct heaps *h)
{
	static const struct {
		const char *name, *space;
		uint16_t scope;
	} rows[REFS_COUNT] = {
		{ "Object", "System", 1 << 2 | 2 },
		{ "List`1", "System.Collections.Generic", 1 << 2 | 2 },
		{ "ThreadStaticAttribute", "System", 1 << 2 | 2 },
		{ "Thing", "Other", 1 << 2 | 2 },
		{ "Outer", "Other", 1 << 2 | 2 },
		{ "Inner", "", OUTER << 2 | 3 },
	};

	for (size_t i = 0; i < REFS_COUNT; i++) {
		blob_u16(b, rows[i].scope);
		blob_u16(b, text(h, rows[i].name));
		blob_u16(b, text(h, rows[i].space));
	}
}

static void
put_type_defs(struct blob *b, struct heaps *h)
{
	static const struct {
		const char *name, *space;
		uint16_t base, first_field;
	} rows[TYPES_COUNT] = {
		{ "<Module>", "", 0, 1 },
		{ "Cache", "A", OBJECT << 2 | 1, 1 },
		{ "Session", "A", BASE << 2, 9 },
		{ "Base", "A", OBJECT << 2 | 1, 9 },
		{ "IThing", "A", 0, 9 },
		{ "Table`1", "A", OBJECT << 2 | 1, 9 },
		{ "Entry", "", OBJECT << 2 | 1, 9 },
		{ "Deep", "", OBJECT << 2 | 1, 9 },
		{ "Point", "A", OBJECT << 2 | 1, 10 },
		{ "Far", "A", OTHER_THING << 2 | 1, 10 },
	};

	for (size_t i = 0; i < TYPES_COUNT; i++) {
		blob_u32(b, 0);
		blob_u16(b, text(h, rows[i].name));
		blob_u16(b, text(h, rows[i].space));
		blob_u16(b, rows[i].base);
		blob_u16(b, rows[i].first_field);
		blob_u16(b, 1);
	}
}

enum { STATIC = 0x16, CONSTANT = 0x56, FIELDS_COUNT = 9 };

static void
put_fields(struct blob *b, struct heaps *h)
{
	static const struct {
		const char *name;
		uint16_t flags;
		const char *signature;
		uint8_t signature_len;
	} rows[FIELDS_COUNT] = {
		{ "Current", STATIC, "\6\x12\x0c", 3 }, /* class Session */
		{ "Names", STATIC, "\6\x1d\x0e", 3 },   /* string[] */
		{ "All", STATIC, "\6\x15\x12\x09\1\x12\x0c", 7 },
		{ "Mine", STATIC, "\6\x12\x0c", 3 },
		{ "Count", STATIC, "\6\x08", 2 },
		{ "Version", CONSTANT, "\6\x0e", 2 },
		{ "notStatic", 6, "\6\x12\x0c", 3 },
		{ "Made", STATIC, "\6\x1f\x19\x12\x19",
		  5 },                                 /* Other.Outer+Inner */
		{ "Origin", STATIC, "\6\x11\x24", 3 }, /* struct Point */
	};

	for (size_t i = 0; i < FIELDS_COUNT; i++) {
		blob_u16(b, rows[i].flags);
		blob_u16(b, text(h, rows[i].name));
		blob_u16(
		    b, signature(h, rows[i].signature, rows[i].signature_len));
	}
}

static void
put_tables(struct blob *b, struct heaps *h)
{
	blob_u32(b, 0);
	blob_u8(b, 2);
	blob_u8(b, 0);
	blob_u8(b, 0); /* narrow heaps */
	blob_u8(b, 1);
	blob_u64(b, 1 << 1 | 1 << 2 | 1 << 4 | 1 << 9 | 1 << 10 | 1 << 12 |
			UINT64_C(1) << 0x23 | UINT64_C(1) << 0x29);
	blob_u64(b, 0);
	blob_u32(b, REFS_COUNT);
	blob_u32(b, TYPES_COUNT);
	blob_u32(b, FIELDS_COUNT);
	blob_u32(b, 1); /* InterfaceImpl */
	blob_u32(b, 1); /* MemberRef */
	blob_u32(b, 1); /* CustomAttribute */
	blob_u32(b, 1); /* AssemblyRef */
	blob_u32(b, 2); /* NestedClass */
	put_type_refs(b, h);
	put_type_defs(b, h);
	put_fields(b, h);
	blob_u16(b, SESSION);
	blob_u16(b, THING << 2);
	blob_u16(b, THREAD_STATIC << 3 | 1); /* MemberRef: its constructor */
	blob_u16(b, text(h, ".ctor"));
	blob_u16(b, 0);
	blob_u16(b, 4 << 5 | 1); /* CustomAttribute: of field 4 */
	blob_u16(b, 1 << 3 | 3);
	blob_u16(b, 0);
	for (int i = 0; i < 3; i++) /* AssemblyRef */
		blob_u32(b, 0);
	for (int i = 0; i < 4; i++)
		blob_u16(b, 0);
	blob_u16(b, ENTRY); /* NestedClass */
	blob_u16(b, TABLE);
	blob_u16(b, DEEP);
	blob_u16(b, ENTRY);
}

static void
put_stream(struct blob *b, uint32_t at, uint32_t len, const char *name)
{
	blob_u32(b, at);
	blob_u32(b, len);
	blob_put(b, name, strlen(name) + 1);
	while (b->len % 4)
		blob_u8(b, 0);
}

static void
put_metadata(struct blob *b)
{
	struct blob tables = { 0 };
	struct heaps h = { 0 };
	uint32_t at = 20 + 20 + 20 + 16, start = (uint32_t)b->len;

	blob_u8(&h.strings, 0);
	blob_u8(&h.blobs, 0);
	put_tables(&tables, &h);
	blob_u32(b, 0x424a5342);
	blob_u32(b, 0x00010001);
	blob_u32(b, 0);
	blob_u32(b, 4);
	blob_put(b, "v4.0", 4);
	blob_u16(b, 0);
	blob_u16(b, 3);
	put_stream(b, at, (uint32_t)tables.len, "#~");
	at += (uint32_t)tables.len;
	put_stream(b, at, (uint32_t)h.strings.len, "#Strings");
	at += (uint32_t)h.strings.len;
	put_stream(b, at, (uint32_t)h.blobs.len, "#Blob");
	while (b->len < start + 20 + 20 + 20 + 16)
		blob_u8(b, 0);
	blob_put(b, tables.data, tables.len);
	blob_put(b, h.strings.data, h.strings.len);
	blob_put(b, h.blobs.data, h.blobs.len);
	blob_free(&tables);
	blob_free(&h.strings);
	blob_free(&h.blobs);
}

/* A PE file of one section, at 0x2000 in memory and 0x200 in the file. */
static void
put_module(struct blob *b, bool is_64bit)
{
	size_t directories = is_64bit ? 112 : 96;

	blob_put(b, "MZ", 2);
	while (b->len < 0x3c)
		blob_u8(b, 0);
	blob_u32(b, 0x40);
	blob_put(b, "PE\0\0", 4);
	blob_u16(b, 0x14c);
	blob_u16(b, 1); /* sections */
	blob_put(b, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
	blob_u16(b, (uint16_t)(directories + 16 * 8));
	blob_u16(b, 0x2102);
	blob_u16(b, is_64bit ? 0x20b : 0x10b);
	while (b->len < 0x58 + directories + 14 * 8)
		blob_u8(b, 0);
	blob_u32(b, 0x2000); /* the CLI header */
	blob_u32(b, 72);
	blob_u64(b, 0);
	blob_put(b, ".text\0\0\0", 8);
	blob_u32(b, 0x1000);
	blob_u32(b, 0x2000);
	blob_u32(b, 0x1000);
	blob_u32(b, 0x200);
	while (b->len < 0x200)
		blob_u8(b, 0);
	blob_u32(b, 72);
	blob_u32(b, 0x00050002);
	blob_u32(b, 0x2000 + 72); /* the metadata */
	blob_u32(b, 0x800);
	while (b->len < 0x200 + 72)
		blob_u8(b, 0);
	put_metadata(b);
}

/* --- tests --- */

static const struct {
	uint32_t token;
	const char *name;
} name_rows[] = {
	{ 0x02000000 + MODULE, "<Module>" },
	{ 0x02000000 + CACHE, "A.Cache" },
	{ 0x02000000 + TABLE, "A.Table`1" },
	{ 0x02000000 + ENTRY, "A.Table`1+Entry" },
	{ 0x02000000 + DEEP, "A.Table`1+Entry+Deep" },
	{ 0x02000000 + FAR, "A.Far" },
	{ 0x02000000, NULL },
	{ 0x02000000 + FAR + 1, NULL },
	{ 0x01000001, NULL },
	{ 0, NULL },
	{ 0xffffffff, NULL },
};

static void
test_type_names(void **state)
{
	(void)state;
	for (int is_64bit = 0; is_64bit < 2; is_64bit++) {
		struct blob module = { 0 };
		struct metadata *m;
		struct arena a;
		struct error err;

		put_module(&module, is_64bit);
		arena_init(&a, 0);
		error_clear(&err);
		m = metadata_open(module.data, module.len, &err);
		if (!m)
			fail_msg("%s", err.message);
		for (size_t i = 0; i < COUNT_OF(name_rows); i++) {
			const char *name =
			    metadata_type_name(m, name_rows[i].token, &a, &err);

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

static const struct {
	const char *name;
	struct metadata_static field;
} static_rows[] = {
	{ "Current", { "A.Cache", "A.Session", false, false, false } },
	{ "Names", { "A.Cache", "System.String", true, false, false } },
	{ "All",
	  { "A.Cache", "System.Collections.Generic.List`1", false, false,
	    false } },
	{ "Mine", { "A.Cache", "A.Session", false, false, true } },
	{ "Made", { "A.Cache", "Other.Outer+Inner", false, false, false } },
	{ "Origin", { "A.Table`1+Entry+Deep", "A.Point", false, true, false } },
};

static void
test_statics(void **state)
{
	struct blob module = { 0 };
	struct metadata *m;
	struct arena a;
	struct error err;
	const char *name;
	uint32_t row = 0;
	size_t i = 0;

	(void)state;
	put_module(&module, true);
	arena_init(&a, 0);
	error_clear(&err);
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
	{ SESSION, "A.Session", METADATA_YES },
	{ SESSION, "A.Base", METADATA_YES },
	{ SESSION, "A.IThing", METADATA_YES },
	{ SESSION, "System.Object", METADATA_YES },
	{ SESSION, "A.Cache", METADATA_NO },
	{ BASE, "A.Session", METADATA_NO },
	{ BASE, "A.IThing", METADATA_NO },
	{ FAR, "Other.Thing", METADATA_YES },
	{ FAR, "Other.Else", METADATA_MAYBE },
	{ DEEP, "A.Table`1+Entry+Deep", METADATA_YES },
	{ DEEP, "A.Table`1", METADATA_NO },
	{ 0, "A.Session", METADATA_NO },
	{ 999, "A.Session", METADATA_NO },
};

static void
test_what_a_type_is(void **state)
{
	struct blob module = { 0 };
	struct metadata *m;
	struct arena a;
	struct error err;

	(void)state;
	put_module(&module, true);
	arena_init(&a, 0);
	error_clear(&err);
	m = metadata_open(module.data, module.len, &err);
	assert_non_null(m);
	for (size_t i = 0; i < COUNT_OF(is_rows); i++)
		assert_int_equal(metadata_type_is(m,
						  0x02000000 + is_rows[i].type,
						  is_rows[i].name, &a),
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
	struct error err;
	const char *name;
	uint32_t row = 0;

	error_clear(&err);
	arena_init(&a, 0);
	m = metadata_open(data, len, &err);
	assert_int_equal(m == NULL, err.kind != ERROR_NONE);
	for (uint32_t i = 0; m && i < TYPES_COUNT + 2; i++) {
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

static void
test_damage(void **state)
{
	struct blob module = { 0 };
	uint8_t *copy;

	(void)state;
	put_module(&module, true);
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

static void
test_other_files(void **state)
{
	static const struct {
		const char *bytes, *message;
	} rows[] = {
		{ "ELF", "this is no module: it does not begin with MZ "
			 "(at offset 0x0)" },
		{ "", "the input ends inside the signature: 2 bytes were "
		      "expected, 0 are left (at offset 0x0)" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err;

		error_clear(&err);
		assert_null(metadata_open((const uint8_t *)rows[i].bytes,
					  strlen(rows[i].bytes), &err));
		assert_string_equal(err.message, rows[i].message);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_type_names),
		cmocka_unit_test(test_statics),
		cmocka_unit_test(test_what_a_type_is),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_other_files),
	};

	return run_tests(tests);
}
