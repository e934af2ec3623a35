#include "io/clr_methods.h"
#include "io/metadata_fields.h"

enum {
	STUB_BYTES = 16,
	JUMP_BYTES = 6,
	LOAD_BYTES = 7,
	CHUNK_BYTES = 24,
	PLACE_BYTES = 8,
	HALF_BITS = 12, /* of a token */
};

/* ldr x12, literal: the address behind `code`, in units of 4 bytes. */
static uint64_t
literal_of_arm64(const uint8_t *bytes, uint64_t code)
{
	for (size_t i = 0; i < STUB_BYTES; i += 4) {
		uint32_t word = bytes_load_u32(bytes + i);

		if ((word & 0xff00001f) == 0x5800000c)
			return code + i +
			       (uint64_t)((int64_t)(int32_t)(word << 8) >> 13) *
				   4;
	}
	return 0;
}

static uint64_t
literal_of_x64(const uint8_t *bytes, uint64_t code)
{
	size_t at = bytes[0] == 0xff && bytes[1] == 0x25 ? JUMP_BYTES : 0;

	if (bytes[at] != 0x4c || bytes[at + 1] != 0x8b || bytes[at + 2] != 0x15)
		return 0;
	return code + at + LOAD_BYTES +
	       (uint64_t)(int32_t)bytes_load_u32(bytes + at + 3);
}

bool
clr_method_at(const struct clr_names *n, uint64_t code, struct clr_method *out,
	      struct error *err)
{
	uint8_t bytes[STUB_BYTES];
	uint64_t literal, record;

	*out = (struct clr_method){ .name = "" };
	if (!memory_read(n->reader, code, bytes, sizeof(bytes)))
		return false;
	literal = memory_reader_memory(n->reader)->machine == MEMORY_ARM64
		      ? literal_of_arm64(bytes, code)
		      : literal_of_x64(bytes, code);
	return literal && memory_u64(n->reader, literal, &record) &&
	       clr_method_of_record(n, record, out, err);
}

/* *row: of MethodDef, if the record is one. */
static bool
read_record(const struct clr_names *n, uint64_t record, uint64_t *table,
	    uint32_t *row)
{
	struct memory_reader *r = n->reader;
	uint16_t low, high;
	uint8_t place, last;
	uint64_t chunk;

	if (record % PLACE_BYTES || !memory_u16(r, record, &low) ||
	    !memory_u8(r, record + 2, &place))
		return false;
	chunk = record - CHUNK_BYTES - PLACE_BYTES * (uint64_t)place;
	if (!memory_u64(r, chunk, table) || !memory_u8(r, chunk + 16, &last) ||
	    place > last || !memory_u16(r, chunk + 18, &high))
		return false;
	*row = (high & ((1U << HALF_BITS) - 1)) << HALF_BITS |
	       (low & ((1U << HALF_BITS) - 1));
	return true;
}

bool
clr_method_of_record(const struct clr_names *n, uint64_t record,
		     struct clr_method *out, struct error *err)
{
	const struct clr_module *module;
	uint32_t row, first, end;
	uint64_t table;

	*out = (struct clr_method){ .name = "" };
	if (!read_record(n, record, &table, &row))
		return false;
	module = clr_modules_find(n->modules, clr_name_module(n, table), err);
	if (!module || !module->metadata ||
	    !metadata_methods_of(module->metadata, clr_name_token(n, table),
				 &first, &end) ||
	    row < first || row >= end)
		return false;
	out->table = table;
	out->name = metadata_method_name(module->metadata, row);
	return *out->name != '\0';
}
