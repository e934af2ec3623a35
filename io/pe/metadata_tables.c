#include "io/pe/metadata_tables.h"
#include "model/base/sorted.h"
#include <assert.h>

/* Kinds of columns: a number of bytes, an index of a heap or table, or a coded index of several
 * tables. */
enum {
	END = 0,
	U2 = 2,
	U4 = 4,
	STRING,
	GUID,
	BLOB,
	IN_TABLE = 0x40, /* + table */
	CODED = 0x80,    /* + kind */
};
#define T(table) (IN_TABLE + (table))

enum coded {
	TYPE_DEF_OR_REF = CODED,
	HAS_CONSTANT,
	HAS_CUSTOM_ATTRIBUTE,
	HAS_FIELD_MARSHAL,
	HAS_DECL_SECURITY,
	MEMBER_REF_PARENT,
	HAS_SEMANTICS,
	METHOD_DEF_OR_REF,
	MEMBER_FORWARDED,
	IMPLEMENTATION,
	CUSTOM_ATTRIBUTE_KIND,
	RESOLUTION_SCOPE,
	TYPE_OR_METHOD_DEF,
	CODED_END
};

enum { NO_TABLE = 0xff, CODED_TABLES_MAX = 22 };
static const struct {
	uint8_t bits, count, tables[CODED_TABLES_MAX];
} coded_indexes[CODED_END - CODED] = {
	[TYPE_DEF_OR_REF - CODED] = { 2, 3, { 0x02, 0x01, 0x1b } },
	[HAS_CONSTANT - CODED] = { 2, 3, { 0x04, 0x08, 0x17 } },
	[HAS_CUSTOM_ATTRIBUTE - CODED] = { 5, 22, { 0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0a, 0x00,
						    0x0e, 0x17, 0x14, 0x11, 0x1a, 0x1b, 0x20, 0x23,
						    0x26, 0x27, 0x28, 0x2a, 0x2c, 0x2b } },
	[HAS_FIELD_MARSHAL - CODED] = { 1, 2, { 0x04, 0x08 } },
	[HAS_DECL_SECURITY - CODED] = { 2, 3, { 0x02, 0x06, 0x20 } },
	[MEMBER_REF_PARENT - CODED] = { 3, 5, { 0x02, 0x01, 0x1a, 0x06, 0x1b } },
	[HAS_SEMANTICS - CODED] = { 1, 2, { 0x14, 0x17 } },
	[METHOD_DEF_OR_REF - CODED] = { 1, 2, { 0x06, 0x0a } },
	[MEMBER_FORWARDED - CODED] = { 1, 2, { 0x04, 0x06 } },
	[IMPLEMENTATION - CODED] = { 2, 3, { 0x26, 0x23, 0x27 } },
	[CUSTOM_ATTRIBUTE_KIND - CODED] = { 3, 4, { NO_TABLE, NO_TABLE, 0x06, 0x0a } },
	[RESOLUTION_SCOPE - CODED] = { 2, 4, { 0x00, 0x1a, 0x23, 0x01 } },
	[TYPE_OR_METHOD_DEF - CODED] = { 1, 2, { 0x02, 0x06 } },
};

/* clang-format off */
static const uint8_t schema[TABLES_COUNT][METADATA_COLUMNS_MAX + 1] = {
	/* Module           */ [0x00] = { U2, STRING, GUID, GUID, GUID },
	/* TypeRef          */ [0x01] = { RESOLUTION_SCOPE, STRING, STRING },
	/* TypeDef          */ [0x02] = { U4, STRING, STRING, TYPE_DEF_OR_REF, T(0x04), T(0x06) },
	/* FieldPtr         */ [0x03] = { T(0x04) },
	/* Field            */ [0x04] = { U2, STRING, BLOB },
	/* MethodPtr        */ [0x05] = { T(0x06) },
	/* MethodDef        */ [0x06] = { U4, U2, U2, STRING, BLOB, T(0x08) },
	/* ParamPtr         */ [0x07] = { T(0x08) },
	/* Param            */ [0x08] = { U2, U2, STRING },
	/* InterfaceImpl    */ [0x09] = { T(0x02), TYPE_DEF_OR_REF },
	/* MemberRef        */ [0x0a] = { MEMBER_REF_PARENT, STRING, BLOB },
	/* Constant         */ [0x0b] = { U2, HAS_CONSTANT, BLOB },
	/* CustomAttribute  */ [0x0c] = { HAS_CUSTOM_ATTRIBUTE, CUSTOM_ATTRIBUTE_KIND, BLOB },
	/* FieldMarshal     */ [0x0d] = { HAS_FIELD_MARSHAL, BLOB },
	/* DeclSecurity     */ [0x0e] = { U2, HAS_DECL_SECURITY, BLOB },
	/* ClassLayout      */ [0x0f] = { U2, U4, T(0x02) },
	/* FieldLayout      */ [0x10] = { U4, T(0x04) },
	/* StandAloneSig    */ [0x11] = { BLOB },
	/* EventMap         */ [0x12] = { T(0x02), T(0x14) },
	/* EventPtr         */ [0x13] = { T(0x14) },
	/* Event            */ [0x14] = { U2, STRING, TYPE_DEF_OR_REF },
	/* PropertyMap      */ [0x15] = { T(0x02), T(0x17) },
	/* PropertyPtr      */ [0x16] = { T(0x17) },
	/* Property         */ [0x17] = { U2, STRING, BLOB },
	/* MethodSemantics  */ [0x18] = { U2, T(0x06), HAS_SEMANTICS },
	/* MethodImpl       */ [0x19] = { T(0x02), METHOD_DEF_OR_REF, METHOD_DEF_OR_REF },
	/* ModuleRef        */ [0x1a] = { STRING },
	/* TypeSpec         */ [0x1b] = { BLOB },
	/* ImplMap          */ [0x1c] = { U2, MEMBER_FORWARDED, STRING, T(0x1a) },
	/* FieldRVA         */ [0x1d] = { U4, T(0x04) },
	/* EncLog           */ [0x1e] = { U4, U4 },
	/* EncMap           */ [0x1f] = { U4 },
	/* Assembly         */ [0x20] = { U4, U4, U4, U4, BLOB, STRING, STRING },
	/* AssemblyProcessor*/ [0x21] = { U4 },
	/* AssemblyOS       */ [0x22] = { U4, U4, U4 },
	/* AssemblyRef      */ [0x23] = { U4, U4, U4, BLOB, STRING, STRING, BLOB },
	/* …RefProcessor    */ [0x24] = { U4, T(0x23) },
	/* …RefOS           */ [0x25] = { U4, U4, U4, T(0x23) },
	/* File             */ [0x26] = { U4, STRING, BLOB },
	/* ExportedType     */ [0x27] = { U4, U4, STRING, STRING, IMPLEMENTATION },
	/* ManifestResource */ [0x28] = { U4, U4, STRING, IMPLEMENTATION },
	/* NestedClass      */ [0x29] = { T(0x02), T(0x02) },
	/* GenericParam     */ [0x2a] = { U2, U2, TYPE_OR_METHOD_DEF, STRING },
	/* MethodSpec       */ [0x2b] = { METHOD_DEF_OR_REF, BLOB },
	/* …ParamConstraint */ [0x2c] = { T(0x2a), TYPE_DEF_OR_REF },
};
/* clang-format on */
enum { WIDE_STRINGS = 1, WIDE_GUIDS = 2, WIDE_BLOBS = 4, HAS_EXTRA = 0x40 };

static uint8_t
coded_width(const struct metadata_tables *t, unsigned kind)
{
	uint32_t most = 0;

	for (unsigned i = 0; i < coded_indexes[kind].count; i++) {
		uint8_t table = coded_indexes[kind].tables[i];

		if (table != NO_TABLE && t->tables[table].count > most)
			most = t->tables[table].count;
	}
	return most < 1U << (16 - coded_indexes[kind].bits) ? 2 : 4;
}

static uint8_t
column_width(const struct metadata_tables *t, uint8_t column, uint8_t wide)
{
	switch (column) {
	case U2:
	case U4:
		return column;
	case STRING:
		return wide & WIDE_STRINGS ? 4 : 2;
	case GUID:
		return wide & WIDE_GUIDS ? 4 : 2;
	case BLOB:
		return wide & WIDE_BLOBS ? 4 : 2;
	default:
		if (column >= CODED)
			return coded_width(t, column - CODED);
		assert(column - IN_TABLE < TABLES_COUNT);
		return t->tables[column - IN_TABLE].count < 1 << 16 ? 2 : 4;
	}
}

static void
lay_out(struct metadata_tables *t, unsigned table, uint8_t wide)
{
	struct metadata_rows *rows = &t->tables[table];
	uint32_t at = 0;

	for (unsigned i = 0; schema[table][i] != END; i++) {
		rows->offsets[i] = (uint8_t)at;
		rows->widths[i] = column_width(t, schema[table][i], wide);
		at += rows->widths[i];
	}
	rows->row_bytes = at;
}

void
metadata_tables_read(struct metadata_tables *t, struct bytes *b)
{
	uint64_t valid;
	uint8_t wide;

	*t = (struct metadata_tables){ 0 };
	bytes_skip(b, 6, "the head of the tables");
	wide = bytes_u8(b, "the widths of the heaps");
	bytes_skip(b, 1, "the head of the tables");
	valid = bytes_u64(b, "which tables there are");
	bytes_skip(b, 8, "which tables are sorted");
	if (bytes_ok(b) && valid >> TABLES_COUNT)
		bytes_fail(b, b->at, "the metadata has unknown tables");
	for (unsigned i = 0; i < TABLES_COUNT; i++)
		if (valid >> i & 1)
			t->tables[i].count = bytes_count(b, 1, "the rows of a table");
	if (wide & HAS_EXTRA)
		bytes_skip(b, 4, "the head of the tables");
	for (unsigned i = 0; i < TABLES_COUNT && bytes_ok(b); i++) {
		struct metadata_rows *rows = &t->tables[i];

		lay_out(t, i, wide);
		rows->data = bytes_take(b, (uint64_t)rows->count * rows->row_bytes, "a table");
	}
}

uint32_t
metadata_column(const struct metadata_tables *t, enum metadata_table table, uint32_t row,
		unsigned column)
{
	const struct metadata_rows *rows = &t->tables[table];
	size_t at;

	if (row < 1 || row > rows->count)
		return 0;
	at = (size_t)(row - 1) * rows->row_bytes + rows->offsets[column];
	return rows->widths[column] == 4 ? bytes_load_u32(&rows->data[at])
					 : (uint32_t)(rows->data[at] | rows->data[at + 1] << 8);
}

uint32_t
metadata_find_last(const struct metadata_tables *t, enum metadata_table table, unsigned column,
		   uint32_t value)
{
	uint32_t next;

	/* Rows start at 1; row 0 means none. */
	LOWER_BOUND(next, 1, t->tables[table].count + 1,
		    metadata_column(t, table, next, column) <= value);
	return next - 1;
}

uint32_t
metadata_find_row(const struct metadata_tables *t, enum metadata_table table, unsigned column,
		  uint32_t value)
{
	uint32_t row;

	row = value ? metadata_find_last(t, table, column, value - 1) + 1 : 1;
	return metadata_column(t, table, row, column) == value && row <= t->tables[table].count
		   ? row
		   : 0;
}
