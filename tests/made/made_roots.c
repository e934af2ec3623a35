#include "tests/made/made_roots.h"
#include "model/heap/memory.h"

enum {
	HANDLE_MAP = 232, /* fields of the collector's variables */
	FINALIZE_QUEUE = 144,
	MODULE = 0x10000, /* behind the method tables, which name it */
	MODULE_BYTES = 0x800,
	PAIR_BYTES = 40,
	AUXILIARY = 0x100, /* behind the class's method table */
	CLASS = 0x180,
	FIELDS = 0x200,
	REFERENCE = 0x12,
};

unsigned
made_handle_kinds(const struct made_runtime *rt)
{
	return rt->setup.version >= 10 ? 13 : 12;
}

unsigned
made_processors(const struct made_runtime *rt)
{
	return rt->setup.is_server ? 3 : 1;
}

/* Objects come in turns (made_runtime.c): 24, 24 to 40, then a pair. */
uint64_t
made_pair(const struct made_runtime *rt, unsigned heap, unsigned number)
{
	const struct made_range *r =
	    made_runtime_range(rt, heap, rt->setup.has_segments ? GEN_2 : GEN_1);
	uint64_t at = r->start;

	for (unsigned i = 0; i < number; i++) {
		at += 24 + ((22 + 2 * i + 7) & ~7U) + PAIR_BYTES + (24 + 8 * (i % 4)) + PAIR_BYTES;
		if (i % 5 == 2)
			at += (24 + 8 * i + 7) & ~7U;
	}
	return at + 24 + ((22 + 2 * number + 7) & ~7U);
}

/* --- handles --- */

static void
put_handle_table(struct made_runtime *rt, unsigned processor)
{
	struct made_memory *m = rt->memory;
	unsigned kinds = made_handle_kinds(rt), lists = 6 * kinds;
	uint64_t table = MADE_HANDLE_TABLE + 0x80 * (uint64_t)processor;
	uint64_t segment = MADE_HANDLE_SEGMENT + 0x10000 * (uint64_t)processor;
	unsigned seconds = kinds - 1; /* the block with second objects */

	made_memory_u64(m, table + (4 * kinds + 7) / 8 * 8, segment);
	made_memory_zeros(m, segment, 0x10000);
	made_memory_u64(m, segment + 1928 + lists, table);
	made_memory_u8(m, segment + 1936 + lists + 3, (uint8_t)kinds);
	for (unsigned i = 0; i < 120; i++) {
		made_memory_u8(m, segment + 1560 + i, i < kinds ? (uint8_t)i : 255);
		made_memory_u8(m, segment + 1680 + i,
			       i == HANDLE_DEPENDENT ? (uint8_t)seconds : 255);
	}
	for (unsigned kind = 0; kind < seconds; kind++)
		made_memory_u64(m, segment + 0x1000 + 512 * kind, made_pair(rt, 0, kind % 10));
	made_memory_u64(m, segment + 0x1000 + 512 * seconds, made_pair(rt, 0, 9));
}

static void
put_handles(struct made_runtime *rt)
{
	struct made_memory *m = rt->memory;

	made_memory_u64(m, MADE_GC + HANDLE_MAP, MADE_MAP);
	made_memory_u64(m, MADE_MAP, MADE_MAP + 0x100);
	made_memory_u64(m, MADE_MAP + 0x100, MADE_MAP + 0x200);
	made_memory_u64(m, MADE_MAP + 0x200, MADE_MAP + 0x300);
	for (unsigned i = 0; i < made_processors(rt); i++) {
		made_memory_u64(m, MADE_MAP + 0x300 + 8 * (uint64_t)i,
				MADE_HANDLE_TABLE + 0x80 * (uint64_t)i);
		put_handle_table(rt, i);
	}
}

/* --- finalizer queues --- */

static void
put_queue(struct made_runtime *rt, unsigned heap)
{
	static const unsigned ends[7] = {
		0, 0, 3, 4, MADE_REGISTERED, 6, MADE_REGISTERED + MADE_READY
	};
	struct made_memory *m = rt->memory;
	uint64_t queue = MADE_QUEUE + 0x100 * (uint64_t)heap;
	uint64_t array = queue + 0x80;

	for (unsigned i = 0; i < 7; i++)
		made_memory_u64(m, queue + 8 * i, array + 8 * ends[i]);
	made_memory_u64(m, queue + 56, array);
	made_memory_u64(m, queue + 64, array + 8 * 10);
	for (unsigned i = 0; i < ends[6]; i++)
		made_memory_u64(m, array + 8 * i, made_pair(rt, heap, i));
	if (rt->setup.is_server)
		made_memory_u64(m, MADE_HEAP + 0x10000 * (uint64_t)heap + 24, queue);
	else
		made_memory_u64(m, MADE_CELL + FINALIZE_QUEUE, queue);
}

/* --- a class with variables --- */

static void
put_field(struct made_memory *m, unsigned i, uint32_t flags, uint32_t offset)
{
	uint64_t at = MADE_CLASS + FIELDS + 16 * (uint64_t)i;

	made_memory_u64(m, at, MADE_CLASS);
	made_memory_u32(m, at + 8, flags | (i + 1));
	made_memory_u32(m, at + 12, offset | (uint32_t)REFERENCE << 27);
}

static void
put_class(struct made_runtime *rt)
{
	struct made_memory *m = rt->memory;
	const uint32_t *offset = rt->layout.offset;
	uint64_t auxiliary = MADE_CLASS + AUXILIARY;
	uint64_t variables = made_pair(rt, 0, 1) + 8; /* two references */

	made_memory_u32(m, MADE_CLASS + offset[CLR_MT_BASE_SIZE], 24);
	made_memory_u32(m, MADE_CLASS + offset[CLR_MT_FLAGS2], 2);
	made_memory_u64(m, MADE_CLASS + offset[CLR_MT_MODULE], MADE_METHODS + MODULE);
	made_memory_u64(m, MADE_CLASS + offset[CLR_MT_AUXILIARY], auxiliary);
	made_memory_u64(m, MADE_CLASS + offset[CLR_MT_CLASS_OR_CANON], MADE_CLASS + CLASS);
	made_memory_u64(m, MADE_CLASS + CLASS + offset[CLR_CLASS_MT], MADE_CLASS);
	made_memory_u64(m, MADE_CLASS + CLASS + offset[CLR_CLASS_FIELDS], MADE_CLASS + FIELDS);
	made_memory_u32(m, auxiliary - 36, 2);
	made_memory_u64(m, auxiliary - 24, variables);
	made_memory_u64(m, auxiliary - 8, MADE_CLASS);
	put_field(m, 0, 1 << 24, 0);
	put_field(m, 1, 1 << 24, 8);
	put_field(m, 2, 3 << 24, 16);
	made_memory_u64(m, variables, made_pair(rt, 0, 2));
	made_memory_u64(m, variables + 8, made_pair(rt, 0, 3));
	if (rt->setup.version == 8) {
		made_memory_u64(m, MADE_METHODS + MODULE + 1224, MADE_CLASS + 0x300);
		made_memory_u64(m, MADE_CLASS + 0x320, variables);
	}
}

/* It may be there already, with metadata (tests/made/made_types.h). */
static void
put_module(struct made_runtime *rt, uint64_t module)
{
	uint64_t word;

	if (memory_copy(made_memory_open(rt->memory), module, &word, sizeof(word)) != sizeof(word))
		made_memory_zeros(rt->memory, module, MODULE_BYTES);
}

static void
put_types(struct made_runtime *rt)
{
	struct made_memory *m = rt->memory;
	const uint32_t *offset = rt->layout.offset;
	uint64_t module = MADE_METHODS + MODULE;
	uint64_t assembly = MADE_ASSEMBLIES + (rt->setup.version < 11 ? 0x40 : 0);
	uint64_t list = MADE_DOMAIN + offset[CLR_APP_DOMAIN_ASSEMBLIES];
	uint64_t map = module + offset[CLR_MODULE_TYPE_DEFS];
	unsigned gc = rt->setup.version >= 10 ? 19 : 20;

	made_memory_u64(m, MADE_VARIABLE + 8 * (uint64_t)(gc + 1), MADE_DOMAIN);
	made_memory_u64(m, MADE_TABLE + 8 * (uint64_t)(gc + 1),
			MADE_VARIABLE + 8 * (uint64_t)(gc + 1));
	put_module(rt, module);
	made_memory_u32(m, list, 2);
	made_memory_u32(m, list + 16, 5);
	made_memory_u64(m, list + 24, MADE_ASSEMBLIES);
	made_memory_u64(m, MADE_ASSEMBLIES, assembly);
	made_memory_u64(m, MADE_ASSEMBLIES + 24, module); /* .NET 8 */
	made_memory_u64(m, assembly + 16, module);        /* later */
	if (clr_has(&rt->layout, CLR_MODULE_ASSEMBLY))
		made_memory_u64(m, module + offset[CLR_MODULE_ASSEMBLY], assembly);
	made_memory_u64(m, map + 8, MADE_TYPES);
	made_memory_u32(m, map + 16, 8);
	made_memory_u64(m, map + 24, 3);
	made_memory_u64(m, MADE_TYPES + 8, MADE_CLASS | 1);
	made_memory_u64(m, module + offset[CLR_MODULE_TYPE_PARAMS], MADE_TYPES + 0x100);
	made_memory_u64(m, MADE_TYPES + 0x100 + 16, MADE_TYPES + 0x200);
	made_memory_u64(m, MADE_TYPES + 0x200, 2); /* buckets */
	made_memory_u64(m, MADE_TYPES + 0x218, MADE_TYPES + 0x280);
	made_memory_u64(m, MADE_TYPES + 0x220, 1);
	made_memory_u64(m, MADE_TYPES + 0x280, MADE_METHOD_TABLE(MADE_ARRAY));
	made_memory_u64(m, MADE_TYPES + 0x288, 1);
}

/* --- threads --- */

/* Thread 0 has variables; the array in which they are is a pair as well. */
static void
put_thread_data(struct made_runtime *rt)
{
	struct made_memory *m = rt->memory;
	uint32_t offset = rt->layout.offset[CLR_THREAD_LOCAL_DATA];

	if (offset == CLR_ABSENT)
		return;
	made_memory_u64(m, MADE_THREAD + offset, MADE_THREAD_DATA);
	made_memory_u32(m, MADE_THREAD_DATA, 3);
	made_memory_u64(m, MADE_THREAD_DATA + 8, made_pair(rt, 0, 4) - 8);
	made_memory_u64(m, MADE_THREAD_DATA + 24, MADE_THREAD);
	made_memory_u64(m, made_pair(rt, 0, 4) + 8, made_pair(rt, 0, 5));
	made_memory_u64(m, made_pair(rt, 0, 5) + 16, made_pair(rt, 0, 6));
}

static void
put_stack(struct made_runtime *rt)
{
	struct made_memory *m = rt->memory;

	made_memory_zeros(m, MADE_STACK, MADE_STACK_BYTES);
	made_memory_map(m, MADE_STACK, MADE_STACK + MADE_STACK_BYTES, 0, MEMORY_READ | MEMORY_WRITE,
			"[stack]");
	made_memory_thread(m, MADE_STACK_TID, MADE_STACK + 0x800, MADE_LIBRARY);
	made_memory_u64(m, MADE_STACK + 0x800, made_pair(rt, 0, 7));
	made_memory_u64(m, MADE_STACK + 0x808, made_pair(rt, 0, 8) + 20);
	made_memory_u64(m, MADE_STACK + 0x810, made_pair(rt, 0, 7));
	made_memory_u64(m, MADE_STACK + 0x100, made_pair(rt, 0, 9)); /* old */
}

void
made_roots_put(struct made_runtime *rt)
{
	made_memory_zeros(rt->memory, MADE_ROOTS, MADE_ROOTS_BYTES);
	put_handles(rt);
	for (unsigned i = 0; i < (rt->setup.is_server ? 2U : 1U); i++)
		put_queue(rt, i);
	put_types(rt);
	put_class(rt);
	put_thread_data(rt);
	put_stack(rt);
}
