#include "io/runtime/native_contract.h"
#include "io/runtime/native.h"
#include <inttypes.h>
#include <stdio.h>

enum {
	NEAR_BYTES = 4096, /* between the two variables; measured: 360 */
	POINTERS_FLAG = 0x01000000,
	VERSION_MAX = 8, /* of GcDacVars */
	HEAPS_AT = 176,  /* in GcDacVars: n_heaps; 0 without server GC */
	TABLE_AT = 48,   /* generation_table; 0 with server GC */
};

static bool
lacks(const char *what, struct error *err)
{
	return error_set(err, ERROR_INPUT,
			 "the contract descriptor of the Native AOT runtime lacks %s: it is "
			 "damaged, or of an unknown version",
			 what);
}

bool
clr_native_contract_version(struct clr_runtime *rt, const struct clr_descriptor *d,
			    struct error *err)
{
	const char *text = clr_descriptor_text(d, "RuntimeProductVersionString");
	unsigned major, minor, patch;

	if (!text || sscanf(text, "%u.%u.%u", &major, &minor, &patch) != 3)
		return lacks("RuntimeProductVersionString", err);
	rt->version[0] = major;
	rt->version[1] = minor;
	rt->version[2] = patch;
	rt->version_from = CLR_VERSION_TEXT;
	return true;
}

/* Keeps the fields that the walker reads through the layout. */
static bool
keep_fields(struct clr_runtime *rt, struct error *err)
{
	static const enum clr_field kept[] = {
		CLR_THREAD_STORE_FIRST, CLR_THREAD_OS_ID,
		CLR_THREAD_NEXT,        CLR_THREAD_ALLOC_CONTEXT,
		CLR_ALLOC_POINTER,      CLR_ALLOC_LIMIT,
		CLR_MT_FLAGS,           CLR_MT_BASE_SIZE,
		CLR_MT_PER_INST,        CLR_EE_CONTEXT_GC_CONTEXT,
		CLR_GENERATION_CONTEXT, CLR_GENERATION_SEGMENT,
		CLR_SEGMENT_ALLOCATED,  CLR_SEGMENT_COMMITTED,
		CLR_SEGMENT_RESERVED,   CLR_SEGMENT_MEM,
		CLR_SEGMENT_FLAGS,      CLR_SEGMENT_NEXT,
	};
	const struct clr_layout described = rt->layout;
	struct clr_layout *l = &rt->layout;

	clr_layout_init_native(l, (int)rt->version[0]);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		enum clr_field f = kept[i];

		if (!described.is_described[f])
			return lacks(clr_field_name(f), err);
		l->offset[f] = described.offset[f];
		l->is_described[f] = true;
		l->described_fields++;
	}
	return true;
}

static bool
is_in(const struct elf_image *image, uint64_t address)
{
	return address >= image->base && address < image->end;
}

static bool
has_variables(struct clr_runtime *rt, const struct elf_image *image, uint64_t address)
{
	uint64_t version, heaps, table;

	return memory_u64(rt->reader, address, &version) && version & 0xff &&
	       (version & 0xff) <= VERSION_MAX && version <= UINT16_MAX &&
	       memory_u64(rt->reader, address + TABLE_AT, &table) &&
	       memory_u64(rt->reader, address + HEAPS_AT, &heaps) &&
	       is_in(image, heaps ? heaps : table) && clr_native_has_variables(rt, address);
}

static bool
find_variables(struct clr_runtime *rt, const struct elf_image *image,
	       const struct clr_descriptor *d, struct error *err)
{
	static const char name[] = "FreeObjectMethodTable";
	uint64_t near;

	if (!clr_descriptor_address(d, name, &near) ||
	    !memory_u64(rt->reader, near, &rt->free_table) || !rt->free_table)
		return lacks(name, err);
	near &= ~(uint64_t)7;
	for (uint64_t i = 0; i < NEAR_BYTES; i += 8)
		if (has_variables(rt, image, near - i) || has_variables(rt, image, near + i))
			return true;
	return error_set(err, ERROR_INPUT,
			 "the collector's variables are not near 0x%" PRIx64
			 ", where other versions of Native AOT have them",
			 near);
}

bool
clr_native_contract_open(struct clr_runtime *rt, const struct elf_image *image,
			 const struct clr_descriptor *d, struct error *err)
{
	const uint32_t *offset = rt->layout.offset;
	struct clr_native_threads threads;
	uint64_t store = 0;

	if (!clr_native_begin(rt, image, err) || !keep_fields(rt, err) ||
	    !find_variables(rt, image, d, err))
		return false;
	rt->native->pointers_flag = POINTERS_FLAG;
	threads = (struct clr_native_threads){
		.next = offset[CLR_THREAD_NEXT],
		.id = offset[CLR_THREAD_OS_ID],
		.context = offset[CLR_THREAD_ALLOC_CONTEXT] + offset[CLR_EE_CONTEXT_GC_CONTEXT],
	};
	(void)!clr_descriptor_global(d, rt->reader, "ThreadStore", &store);
	return clr_native_read_threads(rt, &threads, store + offset[CLR_THREAD_STORE_FIRST], err);
}
