#include "io/clr_fields.h"

enum {
	CLASS_IN_OWNER = 1, /* bit 0: the class is that of another table */
	ROW_MASK = 0xffffff,
	IS_STATIC = 1 << 24,
	IS_OF_THREAD = 1 << 25,
	IS_IN_IMAGE = 1 << 26,
	OFFSET_MASK = 0x7ffffff,
	KIND_SHIFT = 27,
};

uint64_t
clr_fields_owner(const struct clr_layout *layout, struct memory_reader *r,
		 uint64_t table, uint64_t *class)
{
	if (!clr_u64(layout, r, table, CLR_MT_CLASS_OR_CANON, class) ||
	    !(*class & CLASS_IN_OWNER))
		return table;
	table = *class & ~(uint64_t)CLASS_IN_OWNER;
	if (!clr_u64(layout, r, table, CLR_MT_CLASS_OR_CANON, class) ||
	    *class & CLASS_IN_OWNER)
		*class = 0;
	return table;
}

bool
clr_field_record_read(struct memory_reader *r, uint64_t at, uint64_t owner,
		      struct clr_field_record *out)
{
	uint8_t bytes[CLR_FIELD_BYTES];
	uint32_t flags, place;

	if (!memory_read(r, at, bytes, sizeof(bytes)) ||
	    bytes_load_u64(bytes) != owner)
		return false;
	flags = bytes_load_u32(bytes + 8);
	place = bytes_load_u32(bytes + 12);
	*out = (struct clr_field_record){
		.row = flags & ROW_MASK,
		.offset = place & OFFSET_MASK,
		.kind = (uint8_t)(place >> KIND_SHIFT),
		.is_static = flags & IS_STATIC,
		.is_of_thread = flags & IS_OF_THREAD,
		.is_in_image = flags & IS_IN_IMAGE,
	};
	return true;
}
