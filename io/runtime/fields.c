#include "io/runtime/fields.h"

enum {
	CLASS_IN_OWNER = 1, /* bit 0: a method table, not a class */
	ROW_MASK = 0xffffff,
	IS_STATIC = 1 << 24,
	IS_THREAD_STATIC = 1 << 25,
	IS_IN_IMAGE = 1 << 26,
	OFFSET_MASK = 0x7ffffff,
	KIND_SHIFT = 27,
};

bool
clr_class_is_shared(const struct clr_layout *layout, struct memory_reader *r, uint64_t table,
		    uint64_t class)
{
	uint64_t other, class_there, parent, parent_there;

	return clr_u64(layout, r, class, CLR_CLASS_MT, &other) && other != table &&
	       clr_u64(layout, r, other, CLR_MT_CLASS_OR_CANON, &class_there) &&
	       class_there == class && clr_u64(layout, r, table, CLR_MT_PARENT, &parent) &&
	       parent && clr_u64(layout, r, other, CLR_MT_PARENT, &parent_there) &&
	       parent_there == parent;
}

bool
clr_is_continuation(const struct clr_layout *layout, struct memory_reader *r, uint64_t table)
{
	uint64_t class;

	return clr_u64(layout, r, table, CLR_MT_CLASS_OR_CANON, &class) &&
	       clr_class_is_shared(layout, r, table, class);
}

enum clr_class_answer
clr_class_find(const struct clr_layout *layout, struct memory_reader *r, uint64_t table,
	       uint64_t *owner, uint64_t *class)
{
	uint64_t found, back;

	*owner = table;
	*class = 0;
	if (!clr_u64(layout, r, table, CLR_MT_CLASS_OR_CANON, &found))
		return CLR_CLASS_ABSENT;
	if (found & CLASS_IN_OWNER) {
		*owner = found & ~(uint64_t)CLASS_IN_OWNER;
		if (!clr_u64(layout, r, *owner, CLR_MT_CLASS_OR_CANON, &found))
			return CLR_CLASS_ABSENT;
	}
	if (!found || found & CLASS_IN_OWNER)
		return CLR_CLASS_NONE;
	*class = found;
	if (!clr_u64(layout, r, found, CLR_CLASS_MT, &back))
		return CLR_CLASS_ABSENT;
	if (back == *owner || clr_class_is_shared(layout, r, *owner, found))
		return CLR_CLASS_FOUND;
	*class = 0;
	return CLR_CLASS_NONE;
}

/* False: absent, or not a field of that owner. */
static bool
read_record(struct memory_reader *r, uint64_t at, uint64_t owner, struct clr_field_record *out)
{
	uint8_t bytes[CLR_FIELD_BYTES];
	uint32_t flags, place;

	if (!memory_read(r, at, bytes, sizeof(bytes)) || bytes_load_u64(bytes) != owner)
		return false;
	flags = bytes_load_u32(bytes + 8);
	place = bytes_load_u32(bytes + 12);
	*out = (struct clr_field_record){
		.row = flags & ROW_MASK,
		.offset = place & OFFSET_MASK,
		.kind = (uint8_t)(place >> KIND_SHIFT),
		.is_static = flags & IS_STATIC,
		.is_thread_static = flags & IS_THREAD_STATIC,
		.is_in_image = flags & IS_IN_IMAGE,
	};
	return out->row != 0;
}

void
clr_fields_open(const struct clr_layout *layout, struct memory_reader *r, uint64_t owner,
		uint64_t class, struct clr_fields *out)
{
	*out = (struct clr_fields){ .owner = owner };
	if (clr_u64(layout, r, class, CLR_CLASS_FIELDS, &out->at))
		(void)!clr_u64(layout, r, class, CLR_CLASS_METHODS, &out->end);
}

bool
clr_fields_next(struct memory_reader *r, struct clr_fields *f, struct clr_field_record *out)
{
	if (!f->at || f->at == f->end || !read_record(r, f->at, f->owner, out))
		return false;
	f->at += CLR_FIELD_BYTES;
	return true;
}
