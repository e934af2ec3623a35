#ifndef IO_PE_METADATA_TABLES_H
#define IO_PE_METADATA_TABLES_H

/*
 * The tables of a module's metadata (ECMA-335 II.24): rows of columns that are 2 or 4 bytes wide,
 * depending on the size of the heap or table they index. The stream "#~" starts with:
 *
 *    0  u32       reserved
 *    4  u8 u8     version
 *    6  u8        wide heaps: 1 #Strings, 2 #GUID, 4 #Blob
 *    8  u64       bit mask of the tables present
 *   16  u64       bit mask of the sorted ones
 *   24  u32 …     rows of each, then the tables
 */
#include "io/base/bytes.h"

enum metadata_table {
	TABLE_MODULE,
	TABLE_TYPE_REF,
	TABLE_TYPE_DEF,
	TABLE_FIELD = 4,
	TABLE_METHOD_DEF = 6,
	TABLE_PARAM = 8,
	TABLE_INTERFACE_IMPL,
	TABLE_MEMBER_REF,
	TABLE_CONSTANT,
	TABLE_CUSTOM_ATTRIBUTE,
	TABLE_FIELD_MARSHAL,
	TABLE_DECL_SECURITY,
	TABLE_CLASS_LAYOUT,
	TABLE_STAND_ALONE_SIG = 0x11,
	TABLE_EVENT_MAP,
	TABLE_EVENT = 0x14,
	TABLE_PROPERTY_MAP,
	TABLE_PROPERTY = 0x17,
	TABLE_MODULE_REF = 0x1a,
	TABLE_TYPE_SPEC,
	TABLE_ASSEMBLY = 0x20,
	TABLE_ASSEMBLY_REF = 0x23,
	TABLE_FILE = 0x26,
	TABLE_EXPORTED_TYPE,
	TABLE_MANIFEST_RESOURCE,
	TABLE_NESTED_CLASS,
	TABLE_GENERIC_PARAM,
	TABLE_METHOD_SPEC,
	TABLE_GENERIC_PARAM_CONSTRAINT,
	TABLES_COUNT
};
enum { METADATA_COLUMNS_MAX = 9 };

/* Column numbers. */
enum { MODULE_GENERATION, MODULE_NAME };
enum { TYPE_REF_SCOPE, TYPE_REF_NAME, TYPE_REF_NAMESPACE };
enum {
	TYPE_DEF_FLAGS,
	TYPE_DEF_NAME,
	TYPE_DEF_NAMESPACE,
	TYPE_DEF_BASE,
	TYPE_DEF_FIELDS,
	TYPE_DEF_METHODS
};
enum { INTERFACE_IMPL_CLASS, INTERFACE_IMPL_INTERFACE };
enum { FIELD_FLAGS, FIELD_NAME, FIELD_SIGNATURE };
enum { METHOD_DEF_NAME = 3, METHOD_DEF_SIGNATURE };
enum { MEMBER_REF_CLASS };
enum { CUSTOM_ATTRIBUTE_PARENT, CUSTOM_ATTRIBUTE_TYPE, CUSTOM_ATTRIBUTE_VALUE };
enum { CLASS_LAYOUT_SIZE = 1, CLASS_LAYOUT_PARENT };
enum { ASSEMBLY_NAME = 5 };
enum { NESTED_CLASS_INNER, NESTED_CLASS_OUTER };

struct metadata_rows {
	const uint8_t *data;
	uint32_t count, row_bytes;
	uint8_t offsets[METADATA_COLUMNS_MAX], widths[METADATA_COLUMNS_MAX];
};

struct metadata_tables {
	struct metadata_rows tables[TABLES_COUNT];
};

/* Reads the head of "#~"; the cursor fails unless all rows are present. */
void metadata_tables_read(struct metadata_tables *t, struct bytes *b);
/* A column of a row, counted from 1; 0 for a row that does not exist. */
uint32_t metadata_column(const struct metadata_tables *t, enum metadata_table table, uint32_t row,
			 unsigned column);
/* The first row with the value in this column, by which the table is sorted; 0: none. */
uint32_t metadata_find_row(const struct metadata_tables *t, enum metadata_table table,
			   unsigned column, uint32_t value);
/* The last row whose column is at most the value; 0: none. */
uint32_t metadata_find_last(const struct metadata_tables *t, enum metadata_table table,
			    unsigned column, uint32_t value);

#endif
