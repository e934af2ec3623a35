#include "tests/made/made_module.h"
#include <string.h>

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

enum { STATIC = 0x16, CONSTANT = 0x56, FIELDS_COUNT = 16 };
enum { NO_MORE = MADE_METHODS_COUNT + 1 };

static void
put_type_defs(struct blob *b, struct heaps *h)
{
	static const struct {
		const char *name, *space;
		uint16_t base, first_field, first_method;
	} rows[MADE_TYPES_COUNT] = {
		{ "<Module>", "", 0, 1, MADE_RUN },
		{ "Cache", "A", OBJECT << 2 | 1, 1, MADE_RUN },
		{ "Session", "A", MADE_BASE << 2, 9, MADE_WALK },
		{ "Base", "A", OBJECT << 2 | 1, 9, NO_MORE },
		{ "IThing", "A", 0, 9, NO_MORE },
		{ "Table`1", "A", OBJECT << 2 | 1, 9, NO_MORE },
		{ "Entry", "", OBJECT << 2 | 1, 9, NO_MORE },
		{ "Deep", "", OBJECT << 2 | 1, 9, NO_MORE },
		{ "Point", "A", OBJECT << 2 | 1, 10, NO_MORE },
		{ "Far", "A", OTHER_THING << 2 | 1, 10, NO_MORE },
		{ "DateTimeOffset", "System", OBJECT << 2 | 1, MADE_TIME_ROW, NO_MORE },
		{ "MulticastDelegate", "System", OBJECT << 2 | 1, MADE_MULTICAST_ROW, NO_MORE },
		{ "Handler", "A", MADE_MULTICAST << 2, FIELDS_COUNT + 1, NO_MORE },
	};

	for (size_t i = 0; i < MADE_TYPES_COUNT; i++) {
		blob_u32(b, 0);
		blob_u16(b, text(h, rows[i].name));
		blob_u16(b, text(h, rows[i].space));
		blob_u16(b, rows[i].base);
		blob_u16(b, rows[i].first_field);
		blob_u16(b, rows[i].first_method);
	}
}

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
		{ "Made", STATIC, "\6\x1f\x19\x12\x19", 5 }, /* Other.Outer+Inner */
		{ "Origin", STATIC, "\6\x11\x24", 3 },       /* struct Point */
		{ "_dateTime", 6, "\6\x0a", 2 },
		{ "_offsetMinutes", 6, "\6\x06", 2 },
		{ "_target", 6, "\6\x1c", 2 },
		{ "_methodPtr", 6, "\6\x18", 2 },
		{ "_methodPtrAux", 6, "\6\x18", 2 },
		{ "_invocationList", 6, "\6\x1c", 2 },
		{ "_invocationCount", 6, "\6\x18", 2 },
	};

	for (size_t i = 0; i < FIELDS_COUNT; i++) {
		blob_u16(b, rows[i].flags);
		blob_u16(b, text(h, rows[i].name));
		blob_u16(b, signature(h, rows[i].signature, rows[i].signature_len));
	}
}

static void
put_methods(struct blob *b, struct heaps *h)
{
	static const struct {
		const char *name, *signature;
		uint8_t signature_len;
	} rows[MADE_METHODS_COUNT] = {
		{ "Run", "\0\0\1", 3 },
		{ "Stop", "\x30\1\3\1\x1d\x08\x1e\0\x13\0", 10 }, /* (int[], M, T) */
		{ "Walk", "\x20\1\1\x1b", 4 },                    /* a function pointer */
	};

	for (size_t i = 0; i < MADE_METHODS_COUNT; i++) {
		blob_u64(b, 0);
		blob_u16(b, text(h, rows[i].name));
		blob_u16(b, signature(h, rows[i].signature, rows[i].signature_len));
		blob_u16(b, 1);
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
	blob_u64(b, 1 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 6 | 1 << 9 | 1 << 10 | 1 << 12 |
			UINT64_C(1) << 0x20 | UINT64_C(1) << 0x23 | UINT64_C(1) << 0x29);
	blob_u64(b, 0);
	blob_u32(b, 1); /* Module */
	blob_u32(b, REFS_COUNT);
	blob_u32(b, MADE_TYPES_COUNT);
	blob_u32(b, FIELDS_COUNT);
	blob_u32(b, MADE_METHODS_COUNT);
	blob_u32(b, 1); /* InterfaceImpl */
	blob_u32(b, 1); /* MemberRef */
	blob_u32(b, 1); /* CustomAttribute */
	blob_u32(b, 1); /* Assembly */
	blob_u32(b, 1); /* AssemblyRef */
	blob_u32(b, 2); /* NestedClass */
	blob_u16(b, 0);
	blob_u16(b, text(h, "test.dll"));
	for (int i = 0; i < 3; i++)
		blob_u16(b, 0);
	put_type_refs(b, h);
	put_type_defs(b, h);
	put_fields(b, h);
	put_methods(b, h);
	blob_u16(b, MADE_SESSION);
	blob_u16(b, MADE_THING << 2);
	blob_u16(b, THREAD_STATIC << 3 | 1); /* MemberRef: its constructor */
	blob_u16(b, text(h, ".ctor"));
	blob_u16(b, 0);
	blob_u16(b, 4 << 5 | 1); /* CustomAttribute: of field 4 */
	blob_u16(b, 1 << 3 | 3);
	blob_u16(b, 0);
	for (int i = 0; i < 4; i++) /* Assembly */
		blob_u32(b, 0);
	blob_u16(b, 0);
	blob_u16(b, text(h, "test"));
	blob_u16(b, 0);
	for (int i = 0; i < 3; i++) /* AssemblyRef */
		blob_u32(b, 0);
	for (int i = 0; i < 4; i++)
		blob_u16(b, 0);
	blob_u16(b, MADE_ENTRY); /* NestedClass */
	blob_u16(b, MADE_GENERIC);
	blob_u16(b, MADE_DEEP);
	blob_u16(b, MADE_ENTRY);
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

void
made_metadata_put(struct blob *b)
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

static void
put_zeros(struct blob *b, size_t len)
{
	while (b->len < len)
		blob_u8(b, 0);
}

enum { FILE_AT = 0x200, ADDRESS = 0x2000, CLI_BYTES = 72 };
enum { DEBUG_AT = FILE_AT + CLI_BYTES, DEBUG_BYTES = 2 * 28 + 40 };

/* Two entries: of a kind that is of no interest, and the build. */
static void
put_build(struct blob *b, const struct pe_build *build)
{
	for (uint32_t kind = 16; kind; kind = kind == 16 ? 2 : 0) {
		blob_u64(b, 0);
		blob_u32(b, 0);
		blob_u32(b, kind);
		blob_u32(b, 24 + 7);
		blob_u32(b, 0);
		blob_u32(b, kind == 2 ? DEBUG_AT + 56 : 0);
	}
	blob_put(b, "RSDS", 4);
	blob_put(b, build->guid, sizeof(build->guid));
	blob_u32(b, build->age);
	blob_put(b, "test.pdb", 9);
	put_zeros(b, DEBUG_AT + DEBUG_BYTES);
}

/* A PE file of one section, at 0x2000 in memory and 0x200 in the file. */
void
made_module_put(struct blob *b, bool is_64bit, const struct pe_build *build)
{
	size_t directories = 0x58 + (is_64bit ? 112 : 96);
	struct blob metadata = { 0 };

	made_metadata_put(&metadata);
	blob_put(b, "MZ", 2);
	put_zeros(b, 0x3c);
	blob_u32(b, 0x40);
	blob_put(b, "PE\0\0", 4);
	blob_u16(b, 0x14c);
	blob_u16(b, 1); /* sections */
	put_zeros(b, b->len + 12);
	blob_u16(b, (uint16_t)(directories - 0x58 + 16 * 8));
	blob_u16(b, 0x2102);
	blob_u16(b, is_64bit ? 0x20b : 0x10b);
	put_zeros(b, directories + PE_DIRECTORY_DEBUG * 8);
	blob_u32(b, build ? ADDRESS + CLI_BYTES : 0);
	blob_u32(b, build ? 56 : 0);
	put_zeros(b, directories + PE_DIRECTORY_CLI * 8);
	blob_u32(b, ADDRESS);
	blob_u32(b, CLI_BYTES);
	blob_u64(b, 0);
	blob_put(b, ".text\0\0\0", 8);
	blob_u32(b, 0x1000);
	blob_u32(b, ADDRESS);
	blob_u32(b, 0x1000);
	blob_u32(b, FILE_AT);
	put_zeros(b, FILE_AT);
	blob_u32(b, CLI_BYTES);
	blob_u32(b, 0x00050002);
	blob_u32(b, ADDRESS + CLI_BYTES + DEBUG_BYTES); /* the metadata */
	blob_u32(b, (uint32_t)metadata.len);
	put_zeros(b, DEBUG_AT);
	if (build)
		put_build(b, build);
	put_zeros(b, DEBUG_AT + DEBUG_BYTES);
	blob_put(b, metadata.data, metadata.len);
	blob_free(&metadata);
}
