#include "tests/made/made_types.h"

enum { IMAGE_BYTES = 0x4000, SECTION_AT = 0x200, SECTION_ADDRESS = 0x2000 };
#define NEGATIVE(n) ((uint64_t)0 - (n))

/* One series: `bytes` of references from `offset` on. */
static void
put_series(struct made_runtime *rt, uint64_t method_table, uint32_t base_bytes, uint32_t offset,
	   uint32_t bytes)
{
	made_memory_u64(rt->memory, method_table - 8, 1);
	made_memory_u64(rt->memory, method_table - 16, offset);
	made_memory_u64(rt->memory, method_table - 24, (uint64_t)bytes - base_bytes);
}

void
made_type_token(struct made_runtime *rt, uint64_t method_table, uint32_t row)
{
	uint64_t at = method_table + rt->layout.offset[CLR_MT_FLAGS2];

	if (rt->setup.version >= 9)
		made_memory_u32(rt->memory, at, row << 8);
	else
		made_memory_u16(rt->memory, at + 2, (uint16_t)row);
}

void
made_table_put(struct made_runtime *rt, uint64_t table, uint32_t flags, uint32_t base_bytes,
	       uint32_t row)
{
	const uint32_t *offset = rt->layout.offset;
	uint64_t class = table + 0x60;

	made_memory_u32(rt->memory, table + offset[CLR_MT_FLAGS], flags);
	made_memory_u32(rt->memory, table + offset[CLR_MT_BASE_SIZE], base_bytes);
	made_memory_u64(rt->memory, table + offset[CLR_MT_MODULE], MADE_MODULE_RECORD);
	made_memory_u64(rt->memory, table + offset[CLR_MT_CLASS_OR_CANON], class);
	made_memory_u64(rt->memory, class + offset[CLR_CLASS_MT], table);
	made_type_token(rt, table, row);
}

static void
put_image(struct made_runtime *rt, bool is_mapped)
{
	struct blob b = { 0 };

	made_module_put(&b, true, NULL);
	made_memory_zeros(rt->memory, MADE_IMAGE, IMAGE_BYTES);
	if (is_mapped) {
		made_memory_put(rt->memory, MADE_IMAGE, b.data, SECTION_AT);
		made_memory_put(rt->memory, MADE_IMAGE + SECTION_ADDRESS, b.data + SECTION_AT,
				b.len - SECTION_AT);
	} else {
		made_memory_put(rt->memory, MADE_IMAGE, b.data, b.len);
	}
	blob_free(&b);
}

/* .NET 8 has no field for the image: record → assembly → image → layout. */
static void
put_module(struct made_runtime *rt)
{
	const uint32_t *offset = rt->layout.offset;
	uint64_t at = MADE_MODULE_RECORD, next = at + 0x800;

	made_memory_zeros(rt->memory, at, 0x1000);
	if (clr_has(&rt->layout, CLR_MODULE_BASE)) {
		made_memory_u64(rt->memory, at + offset[CLR_MODULE_BASE], MADE_IMAGE);
		return;
	}
	made_memory_u64(rt->memory, at + offset[CLR_MODULE_PE_ASSEMBLY], next);
	made_memory_u64(rt->memory, next + offset[CLR_PE_ASSEMBLY_IMAGE], next + 0x100);
	made_memory_u64(rt->memory, next + 0x100 + offset[CLR_PE_IMAGE_FLAT], next + 0x200);
	made_memory_u64(rt->memory, next + 0x200 + offset[CLR_PE_LAYOUT_BASE], MADE_IMAGE);
}

/* The arguments of MADE_SHARED: one. */
static void
put_dictionary(struct made_runtime *rt)
{
	uint64_t table = MADE_METHOD_TABLE(MADE_SHARED);
	uint32_t at = rt->layout.offset[CLR_MT_FLAGS];

	made_memory_u32(rt->memory, table + at, CLR_MT_HAS_POINTERS | 0x10);
	made_memory_u64(rt->memory, table + rt->layout.offset[CLR_MT_PER_INST],
			MADE_DICTIONARY + 8);
	made_memory_u16(rt->memory, MADE_DICTIONARY + 4, 1);
	made_memory_u16(rt->memory, MADE_DICTIONARY + 6, 1);
	made_memory_u64(rt->memory, MADE_DICTIONARY + 8, MADE_DICTIONARY + 16);
	made_memory_u64(rt->memory, MADE_DICTIONARY + 16, MADE_METHOD_TABLE(MADE_PAIR));
}

void
made_types_put(struct made_runtime *rt, bool is_mapped)
{
	struct made_memory *m = rt->memory;

	put_image(rt, is_mapped);
	put_module(rt);
	put_dictionary(rt);
	made_type_token(rt, MADE_METHOD_TABLE(MADE_STRING), MADE_POINT);
	made_type_token(rt, MADE_METHOD_TABLE(MADE_OBJECT), MADE_BASE);
	made_type_token(rt, MADE_METHOD_TABLE(MADE_PAIR), MADE_SESSION);
	made_type_token(rt, MADE_METHOD_TABLE(MADE_SHARED), MADE_GENERIC);
	put_series(rt, MADE_METHOD_TABLE(MADE_PAIR), 40, 8, 16);
	put_series(rt, MADE_METHOD_TABLE(MADE_SHARED), 40, 8, 16);
	put_series(rt, MADE_METHOD_TABLE(MADE_ARRAY), 24, 16, 0);
	made_memory_u64(m, MADE_METHOD_TABLE(MADE_ARRAY) + rt->layout.offset[CLR_MT_PER_INST],
			MADE_METHOD_TABLE(MADE_PAIR));
}

/* As made_runtime.c lays objects out: groups of five, of growing lengths. */
uint64_t
made_pair_at(const struct made_runtime *rt, unsigned number)
{
	uint64_t at = made_runtime_range(rt, 0, GEN_2)->start;

	for (unsigned i = 0;; i++) {
		at += 24 + ((22 + 2 * (uint64_t)i + 7) & ~UINT64_C(7));
		if (i == number)
			return at;
		at += 40 + 24 + 8 * (uint64_t)(i % 4) + 40;
		if (i % 5 == 2)
			at += 24 + 8 * (uint64_t)i;
	}
}

void
made_pair_refs(struct made_runtime *rt, unsigned number, uint64_t first, uint64_t second)
{
	uint64_t at = made_pair_at(rt, number);

	made_memory_u64(rt->memory, at + 8, first);
	made_memory_u64(rt->memory, at + 16, second);
}

void
made_far_put(struct made_runtime *rt, uint64_t object)
{
	const uint32_t *offset = rt->layout.offset;
	struct made_memory *m = rt->memory;
	uint64_t table = MADE_FAR_TABLE;
	uint64_t keeper = made_pair_at(rt, 0), scout = MADE_ALLOCATOR + 0x400;
	uint64_t in_module = clr_has(&rt->layout, CLR_MODULE_LOADER_ALLOCATOR)
				 ? offset[CLR_MODULE_LOADER_ALLOCATOR]
				 : 0x180;

	made_memory_zeros(m, table - 0x40, 0x200);
	made_table_put(rt, table, clr_facts((unsigned)rt->setup.version)->collectible_flag, 24,
		       MADE_FAR);
	made_memory_u64(m, table + offset[CLR_MT_AUXILIARY], table + 0x100);
	made_memory_u64(m, table + 0x108, MADE_MODULE_RECORD);
	/* Module → allocator → handle → the object, which leads back. */
	made_memory_u64(m, MADE_MODULE_RECORD + in_module, MADE_ALLOCATOR);
	made_memory_zeros(m, MADE_ALLOCATOR, 0x1000);
	made_memory_u64(m, MADE_ALLOCATOR + 0x208, MADE_ALLOCATOR + 0x300);
	made_memory_u64(m, MADE_ALLOCATOR + 0x300, keeper);
	made_memory_u64(m, keeper + 8, scout);
	made_memory_u64(m, scout + 8, MADE_ALLOCATOR);
	made_memory_u64(m, object, table);
}
