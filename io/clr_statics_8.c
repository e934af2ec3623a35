#include "io/clr_statics_8.h"

enum {
	/* Flags of a type that is no array. */
	IS_GENERIC = 0x30,
	IS_DYNAMIC = 4,
	IS_OF_OTHER_MODULE = 2,

	TABLE_BYTES = 64, /* of a method table, before its slots */
	METHODS_OF_SLOT = 8,
	SLOT_BYTES = 8,
	SLOT_FLAGS = 0x1f, /* of the second flags */
	SLOTS_INSIDE = 2,

	DYNAMIC_TYPES = 8,
	DYNAMIC_COUNT = 16,
	REFERENCES = 32,
	THREAD_DYNAMIC_TYPES = 0,
	THREAD_DYNAMIC_COUNT = 8,
	THREAD_HANDLE = 16,
	ENTRY_BYTES = 16,
	ARRAY_ITEMS = 16,
};

static bool
read_dynamic(const struct clr_layout *layout, struct memory_reader *r,
	     uint64_t table, struct clr_statics_8 *out)
{
	uint16_t flags2, virtuals;
	uint64_t at;
	int outside;

	if (!clr_u16(layout, r, table, CLR_MT_FLAGS2, &flags2) ||
	    !clr_u16(layout, r, table, CLR_MT_NUM_VIRTUALS, &virtuals))
		return false;
	outside = __builtin_popcount(flags2 & SLOT_FLAGS) - SLOTS_INSIDE;
	at = table + TABLE_BYTES +
	     SLOT_BYTES * ((virtuals + METHODS_OF_SLOT - 1u) / METHODS_OF_SLOT +
			   (outside > 0 ? (unsigned)outside : 0));
	return memory_u64(r, at, &out->fields) && out->fields &&
	       memory_u32(r, at + 8, &out->number);
}

/* Of a block: what the table of dynamic types says of one. */
static bool
find_entry(struct memory_reader *r, uint64_t types_at, uint64_t count_at,
	   uint32_t number, uint64_t *value)
{
	uint64_t types, count, entry;

	return memory_u64(r, types_at, &types) && types &&
	       memory_u64(r, count_at, &count) && number < count &&
	       memory_u64(r, types + ENTRY_BYTES * (uint64_t)number, &entry) &&
	       entry && memory_u64(r, entry, value);
}

bool
clr_statics_8_find(const struct clr_layout *layout, struct memory_reader *r,
		   uint64_t table, uint32_t flags, struct clr_statics_8 *out)
{
	uint64_t block;

	/* Strings have a length in the place of those flags. */
	if (flags & CLR_MT_HAS_COMPONENTS)
		flags &= ~(uint32_t)(IS_GENERIC | IS_DYNAMIC);
	*out = (struct clr_statics_8){ .is_dynamic = flags & IS_DYNAMIC };
	if (clr_is_collectible(layout, flags) ||
	    (flags & IS_GENERIC && !out->is_dynamic) ||
	    (out->is_dynamic && flags & IS_OF_OTHER_MODULE) ||
	    !clr_u64(layout, r, table, CLR_MT_MODULE, &out->module) ||
	    (out->is_dynamic && !read_dynamic(layout, r, table, out)))
		return false;
	if (!clr_u64(layout, r, out->module, CLR_MODULE_STATICS, &block) ||
	    !block)
		return false;
	if (out->is_dynamic
		? !find_entry(r, block + DYNAMIC_TYPES, block + DYNAMIC_COUNT,
			      out->number, &out->references)
		: !memory_u64(r, block + REFERENCES, &out->references))
		out->references = 0;
	return true;
}

bool
clr_statics_8_of_thread(const struct clr_layout *layout,
			struct memory_reader *r, uint64_t thread,
			const struct clr_statics_8 *type, uint64_t *references)
{
	uint64_t blocks, count, number, block, handle;

	if (!clr_u64(layout, r, thread, CLR_THREAD_STATICS, &blocks) ||
	    !blocks ||
	    !clr_u64(layout, r, thread, CLR_THREAD_STATICS_COUNT, &count) ||
	    !clr_u64(layout, r, type->module, CLR_MODULE_NUMBER, &number) ||
	    number >= count || number > UINT32_MAX ||
	    !memory_u64(r, blocks + SLOT_BYTES * number, &block) || !block)
		return false;
	if (type->is_dynamic ? !find_entry(r, block + THREAD_DYNAMIC_TYPES,
					   block + THREAD_DYNAMIC_COUNT,
					   type->number, &handle)
			     : !memory_u64(r, block + THREAD_HANDLE, &handle))
		return false;
	if (!handle || !memory_u64(r, handle, references) || !*references)
		return false;
	*references += ARRAY_ITEMS;
	return true;
}
