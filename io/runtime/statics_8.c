#include "io/runtime/statics_8.h"

enum {
	/* Flags of a type that is not an array. */
	IS_DYNAMIC = 4,
	IS_OF_OTHER_MODULE = 2,

	TABLE_BYTES = 64, /* size of a method table without slots */
	METHODS_OF_SLOT = 8,
	SLOT_BYTES = 8,
	SLOT_FLAGS = 0x1f, /* in MTFlags2 */
	SLOTS_INSIDE = 2,

	DYNAMIC_TYPES = 8,
	DYNAMIC_COUNT = 16,
	REFERENCES = 32,
	DEFINITION_FLAGS = 48,
	THREAD_DYNAMIC_TYPES = 0,
	THREAD_DYNAMIC_COUNT = 8,
	THREAD_HANDLE = 16,
	ENTRY_BYTES = 16,
	ENTRY_FLAGS = 8,
	IS_INITIALIZED = 1,
	ROW_MASK = 0xffffff, /* of a token */
};

static bool
read_dynamic(const struct clr_names *names, uint64_t table, struct clr_statics_8 *out)
{
	const struct clr_layout *layout = names->layout;
	struct memory_reader *r = names->reader;
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

/* An entry in a block's table of dynamic types. */
struct entry {
	uint64_t at;    /* 0: no entry */
	uint64_t first; /* first word */
	uint32_t flags;
};

static struct entry
find_entry(struct memory_reader *r, uint64_t types_at, uint64_t count_at, uint32_t number)
{
	uint64_t types, count, at;
	struct entry e = { 0 };

	if (!memory_u64(r, types_at, &types) || !types || !memory_u64(r, count_at, &count) ||
	    number >= count)
		return e;
	at = types + ENTRY_BYTES * (uint64_t)number;
	if (!memory_u64(r, at, &e.at) || !e.at || !memory_u32(r, at + ENTRY_FLAGS, &e.flags) ||
	    !memory_u64(r, e.at, &e.first))
		e = (struct entry){ 0 };
	return e;
}

static void
find_dynamic(struct memory_reader *r, uint64_t block, struct clr_statics_8 *out)
{
	struct entry e = find_entry(r, block + DYNAMIC_TYPES, block + DYNAMIC_COUNT, out->number);

	out->ordinary = (struct clr_static_starts){ e.first, e.at };
	out->is_initialized = e.flags & IS_INITIALIZED;
}

static void
find_fixed(const struct clr_names *names, uint64_t table, uint64_t block, struct clr_statics_8 *out)
{
	uint32_t row = clr_name_token(names, table) & ROW_MASK;
	uint8_t flags;

	out->ordinary.values = block;
	if (!memory_u64(names->reader, block + REFERENCES, &out->ordinary.references))
		out->ordinary.references = 0;
	out->is_initialized =
	    row && memory_u8(names->reader, block + DEFINITION_FLAGS + row - 1, &flags) &&
	    flags & IS_INITIALIZED;
}

bool
clr_statics_8_find(const struct clr_names *names, uint64_t table, uint32_t flags,
		   struct clr_statics_8 *out)
{
	const struct clr_layout *layout = names->layout;
	uint32_t low = clr_low_flags(flags);
	uint64_t block;

	*out = (struct clr_statics_8){ .is_dynamic = low & IS_DYNAMIC };
	if (clr_is_collectible(layout, flags) || (low & CLR_MT_GENERIC && !out->is_dynamic) ||
	    (out->is_dynamic && low & IS_OF_OTHER_MODULE) ||
	    !clr_u64(layout, names->reader, table, CLR_MT_MODULE, &out->module) ||
	    (out->is_dynamic && !read_dynamic(names, table, out)))
		return false;
	if (!clr_u64(layout, names->reader, out->module, CLR_MODULE_STATICS, &block) || !block)
		return false;
	if (out->is_dynamic)
		find_dynamic(names->reader, block, out);
	else
		find_fixed(names, table, block, out);
	return true;
}

/* The block of a thread in a module; 0: none. */
static uint64_t
block_of_thread(const struct clr_names *names, uint64_t thread, uint64_t module)
{
	const struct clr_layout *layout = names->layout;
	struct memory_reader *r = names->reader;
	uint64_t blocks, count, number, block;

	if (!clr_u64(layout, r, thread, CLR_THREAD_STATICS, &blocks) || !blocks ||
	    !clr_u64(layout, r, thread, CLR_THREAD_STATICS_COUNT, &count) ||
	    !clr_u64(layout, r, module, CLR_MODULE_NUMBER, &number) || number >= count ||
	    number > UINT32_MAX || !memory_u64(r, blocks + SLOT_BYTES * number, &block))
		return 0;
	return block;
}

void
clr_statics_8_thread(const struct clr_names *names, uint64_t thread,
		     const struct clr_statics_8 *type, struct clr_static_starts *out)
{
	struct memory_reader *r = names->reader;
	uint64_t block = block_of_thread(names, thread, type->module), handle;
	struct entry e = { .at = block };

	*out = (struct clr_static_starts){ 0 };
	if (!block)
		return;
	if (type->is_dynamic)
		e = find_entry(r, block + THREAD_DYNAMIC_TYPES, block + THREAD_DYNAMIC_COUNT,
			       type->number);
	else if (!memory_u64(r, block + THREAD_HANDLE, &e.first))
		e.first = 0;
	handle = e.first;
	out->values = e.at;
	if (handle && memory_u64(r, handle, &out->references) && out->references)
		out->references += CLR_ARRAY_ITEMS;
}
