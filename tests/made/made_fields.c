#include "tests/made/made_fields.h"

void
made_field_put(struct made_runtime *rt, uint64_t records, unsigned i, uint64_t owner, uint32_t row,
	       uint32_t offset, uint32_t kind)
{
	uint64_t at = records + 16 * (uint64_t)i;

	made_memory_u64(rt->memory, at, owner);
	made_memory_u32(rt->memory, at + 8, row);
	made_memory_u32(rt->memory, at + 12, offset | kind << 27);
}

static void
put_struct(struct made_runtime *rt)
{
	const uint32_t *offset = rt->layout.offset;
	struct made_memory *m = rt->memory;
	enum { IS_VALUE = 0x40000 };

	made_table_put(rt, MADE_STRUCT, IS_VALUE, 24, MADE_SESSION);
	made_memory_u64(m, MADE_STRUCT + 0x60 + offset[CLR_CLASS_FIELDS], MADE_FIELDS + 0x200);
	made_memory_u64(m, MADE_TYPES + 16, MADE_STRUCT);
}

void
made_fields_put(struct made_runtime *rt)
{
	static const struct {
		uint32_t row, offset, kind;
	} fields[] = { { 1, 0, MADE_REFERENCE },
		       { 2, 8, MADE_REFERENCE },
		       { 5, 16, MADE_INT32 },
		       { 7, 20, MADE_VALUE },
		       { 3, 24, MADE_VALUE } };
	uint64_t table = MADE_METHOD_TABLE(MADE_PAIR);

	made_memory_zeros(rt->memory, MADE_FIELDS, 0x1000);
	made_memory_u64(rt->memory, table + 0x60 + rt->layout.offset[CLR_CLASS_FIELDS],
			MADE_FIELDS);
	for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		made_field_put(rt, MADE_FIELDS, i, table, fields[i].row, fields[i].offset,
			       fields[i].kind);
	made_type_token(rt, table, MADE_CACHE);
	put_struct(rt);
}
