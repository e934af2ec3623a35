#include "tests/made/made_runtime.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GENERATION_BYTES = 256, RANGE_BYTES = 0x1000 };

/* --- the library ---------------------------------------------------------- */

static uint32_t
hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

static void
put_library(struct made_memory *m, uint64_t table_bytes)
{
	static const char names[] = "\0g_dacTable\0DotNetRuntimeContractDescriptor";
	const uint64_t dynamic = 0x400, symbols = 0x600, hashes = 0x700, strings = 0x800;
	uint64_t at = MADE_LIBRARY;

	made_memory_zeros(m, at, 0x1000);
	made_memory_zeros(m, MADE_TABLE, 0x5000);
	made_memory_put(m, at, ELFMAG, SELFMAG);
	made_memory_u8(m, at + EI_CLASS, ELFCLASS64);
	made_memory_u8(m, at + EI_DATA, ELFDATA2LSB);
	made_memory_u64(m, at + 32, 64);
	made_memory_u16(m, at + 56, 2);
	made_memory_u32(m, at + 64, PT_LOAD);
	made_memory_u64(m, at + 64 + 40, 0x15000);
	made_memory_u32(m, at + 120, PT_DYNAMIC);
	made_memory_u64(m, at + 120 + 16, dynamic);
	made_memory_u64(m, at + dynamic, DT_SYMTAB);
	made_memory_u64(m, at + dynamic + 8, at + symbols);
	made_memory_u64(m, at + dynamic + 16, DT_STRTAB);
	made_memory_u64(m, at + dynamic + 24, strings); /* as musl leaves it */
	made_memory_u64(m, at + dynamic + 32, DT_GNU_HASH);
	made_memory_u64(m, at + dynamic + 40, at + hashes);
	made_memory_put(m, at + strings, names, sizeof(names));
	made_memory_u32(m, at + symbols + 24, 1);
	made_memory_u16(m, at + symbols + 24 + 6, 1);
	made_memory_u64(m, at + symbols + 24 + 8, MADE_TABLE - MADE_LIBRARY);
	made_memory_u64(m, at + symbols + 24 + 16, table_bytes);
	made_memory_u32(m, at + hashes, 1);     /* buckets */
	made_memory_u32(m, at + hashes + 4, 1); /* the first symbol */
	made_memory_u32(m, at + hashes + 8, 1); /* words of the filter */
	made_memory_u32(m, at + hashes + 24, 1);
	made_memory_u32(m, at + hashes + 28, hash_of("g_dacTable") | 1);
}

void
made_descriptor_put(struct made_runtime *rt, uint64_t at, uint64_t text_at, const char *text,
		    const uint64_t *pointers, uint32_t pointers_count)
{
	struct made_memory *m = rt->memory;

	made_memory_zeros(m, at, 40 + 8 * (size_t)pointers_count);
	made_memory_put(m, at, "DNCCDAC", 8);
	made_memory_u32(m, at + 8, 1);
	made_memory_u32(m, at + 12, (uint32_t)strlen(text));
	made_memory_u64(m, at + 16, text_at);
	made_memory_u32(m, at + 24, pointers_count);
	made_memory_u64(m, at + 32, at + 40);
	for (uint32_t i = 0; i < pointers_count; i++)
		made_memory_u64(m, at + 40 + 8 * (uint64_t)i, pointers[i]);
	made_memory_put(m, text_at, text, strlen(text));
}

void
made_runtime_describe(struct made_runtime *rt, const char *text, const uint64_t *pointers,
		      uint32_t pointers_count)
{
	struct made_memory *m = rt->memory;
	uint64_t symbol = MADE_LIBRARY + 0x600 + 48, at = MADE_DESCRIPTOR;
	uint64_t chain = MADE_LIBRARY + 0x700 + 28;

	/* A second symbol in the bucket. */
	made_memory_u32(m, chain, hash_of("g_dacTable") & ~1u);
	made_memory_u32(m, chain + 4, hash_of("DotNetRuntimeContractDescriptor") | 1);
	made_memory_u32(m, symbol, 12);
	made_memory_u16(m, symbol + 6, 1);
	made_memory_u64(m, symbol + 8, at - MADE_LIBRARY);
	made_memory_u64(m, symbol + 16, 40);
	made_descriptor_put(rt, at, MADE_TEXT, text, pointers, pointers_count);
}

void
made_runtime_say(struct made_runtime *rt, const char *version)
{
	char words[120];

	snprintf(words, sizeof(words),
		 "@(#)Version %s @Commit: 0123456789012345678901234567890123456789", version);
	made_memory_put(rt->memory, MADE_LIBRARY + 0x10800, words, strlen(words) + 1);
}

/* Slot `slot` leads to a variable, and that to `value`. */
static void
put_slot(struct made_memory *m, unsigned slot, uint64_t value)
{
	made_memory_u64(m, MADE_TABLE + 8 * slot, MADE_VARIABLE + 8 * slot);
	made_memory_u64(m, MADE_VARIABLE + 8 * slot, value);
}

static void
put_table(struct made_memory *m, int version)
{
	unsigned gc = version >= 10 ? 19 : 20;

	put_slot(m, gc - 4, MADE_STORE);
	put_slot(m, gc - 3, MADE_THREAD + 0x1000);
	put_slot(m, gc, MADE_GC);
	put_slot(m, 2, MADE_METHOD_TABLE(MADE_FREE));
	put_slot(m, 3, MADE_METHOD_TABLE(MADE_STRING));
	put_slot(m, 4, UINT64_C(0x1234567)); /* leads nowhere */
}

/* --- method tables -------------------------------------------------------- */

static void
put_method_table(struct made_runtime *rt, enum made_table number, uint32_t flags, uint32_t size,
		 enum made_table canonical)
{
	struct made_memory *m = rt->memory;
	uint64_t at = MADE_METHOD_TABLE(number), class = at + 0x60;
	bool is_own = canonical == number;

	made_memory_zeros(m, MADE_METHODS + 0x100 * (uint64_t)number, 0x100);
	made_memory_u32(m, at + rt->layout.offset[CLR_MT_FLAGS], flags);
	made_memory_u32(m, at + rt->layout.offset[CLR_MT_BASE_SIZE], size);
	if (number == MADE_FREE)
		return;
	made_memory_u64(m, at + rt->layout.offset[CLR_MT_MODULE], MADE_METHODS + 0x10000);
	made_memory_u64(m, at + rt->layout.offset[CLR_MT_CLASS_OR_CANON],
			is_own ? class : MADE_METHOD_TABLE(canonical) | 1);
	made_memory_u64(m, class + rt->layout.offset[CLR_CLASS_MT], at);
}

static void
put_method_tables(struct made_runtime *rt)
{
	put_method_table(rt, MADE_FREE, CLR_MT_HAS_COMPONENTS | 1, 24, MADE_FREE);
	put_method_table(rt, MADE_STRING, CLR_MT_HAS_COMPONENTS | 2, 22, MADE_STRING);
	put_method_table(rt, MADE_OBJECT, 0, 24, MADE_OBJECT);
	put_method_table(rt, MADE_PAIR, CLR_MT_HAS_POINTERS, 40, MADE_PAIR);
	put_method_table(rt, MADE_ARRAY,
			 CLR_MT_HAS_COMPONENTS | CLR_MT_HAS_POINTERS | 0x000a0000u | 8, 24,
			 MADE_ARRAY);
	put_method_table(rt, MADE_SHARED, CLR_MT_HAS_POINTERS, 40, MADE_OBJECT);
}

uint64_t
made_object(struct made_runtime *rt, uint64_t at, enum made_table table, uint32_t components)
{
	static const unsigned sizes[MADE_TABLES_COUNT][2] = {
		[MADE_FREE] = { 24, 1 }, [MADE_STRING] = { 22, 2 }, [MADE_OBJECT] = { 24, 0 },
		[MADE_PAIR] = { 40, 0 }, [MADE_ARRAY] = { 24, 8 },  [MADE_SHARED] = { 40, 0 },
	};

	made_memory_u64(rt->memory, at, MADE_METHOD_TABLE(table));
	if (sizes[table][1])
		made_memory_u32(rt->memory, at + 8, components);
	return at + ((sizes[table][0] + (uint64_t)sizes[table][1] * components + 7) & ~UINT64_C(7));
}

/* --- ranges --------------------------------------------------------------- */

static uint64_t
generations_of(const struct made_runtime *rt, unsigned heap)
{
	(void)rt;
	return MADE_HEAP + 0x10000 * (uint64_t)heap + 0x1000;
}

/* Some of everything, then a thread's room in gen0. */
static void
put_objects(struct made_runtime *rt, struct made_range *r)
{
	uint64_t at = r->start;

	for (uint32_t i = 0; i < 10; i++) {
		at = made_object(rt, at, MADE_OBJECT, 0);
		at = made_object(rt, at, MADE_STRING, i);
		at = made_object(rt, at, MADE_PAIR, 0);
		at = made_object(rt, at, MADE_ARRAY, i % 4);
		at = made_object(rt, at, MADE_SHARED, 0);
		r->objects_count += 5;
		if (i % 5 == 2) {
			at = made_object(rt, at, MADE_FREE, 8 * i);
			r->free_count++;
		}
	}
	if (r->heap == 0 &&
	    (r->generation == GEN_0 || (rt->setup.has_segments && r->generation == GEN_2))) {
		rt->context_pointer = at;
		rt->context_limit = at + 0x200;
		at = made_object(rt, at + 0x218, MADE_OBJECT, 0);
		r->objects_count++;
	}
	r->end = at;
}

/* A segment of the generation, before those that it has. */
static struct made_range *
put_range(struct made_runtime *rt, unsigned heap, unsigned generation, uint64_t flags)
{
	struct made_memory *m = rt->memory;
	unsigned number = rt->ranges_count++;
	struct made_range *r = &rt->ranges[number];
	uint64_t base = MADE_RANGE + 0x400000 * (uint64_t)number;
	uint64_t first = base + (rt->setup.has_segments && !(flags & 1) ? 0x1000 : 0);
	uint64_t chain = generations_of(rt, heap) + GENERATION_BYTES * (uint64_t)generation + 56;
	struct memory_reader *reader;
	struct error err = { 0 };
	uint64_t next = 0;

	reader = memory_reader_new(made_memory_open(m), &err);
	if (!reader || !memory_u64(reader, chain, &next))
		abort();
	memory_reader_free(reader);
	r->segment = MADE_SEGMENT + 0x100 * (uint64_t)number;
	r->start = flags & 1 ? base + 8 : rt->setup.has_segments ? first : base + 0x28;
	r->heap = heap;
	r->generation = flags & 1 ? (unsigned)GEN_FROZEN : generation;
	made_memory_zeros(m, first, RANGE_BYTES);
	made_memory_map(m, base, base + 0x400000, 0, MEMORY_READ | MEMORY_WRITE, "");
	put_objects(rt, r);
	made_memory_zeros(m, r->segment, 0x100);
	made_memory_u64(m, r->segment, r->end);
	made_memory_u64(m, r->segment + 8, first + RANGE_BYTES);
	made_memory_u64(m, r->segment + 16, base + 0x400000);
	made_memory_u64(m, r->segment + 32, r->start);
	made_memory_u64(m, r->segment + 40, flags);
	made_memory_u64(m, r->segment + 48, next);
	made_memory_u64(m, chain, r->segment);
	return r;
}

/* The ends of where a heap allocates; the segment itself says less. */
static void
put_ephemeral(struct made_runtime *rt, unsigned heap, const struct made_range *r)
{
	struct made_memory *m = rt->memory;
	uint64_t at = MADE_HEAP + 0x10000 * (uint64_t)heap;

	if (rt->setup.is_server) {
		made_memory_u64(m, at + 8, r->end);
		made_memory_u64(m, at + 16, r->segment);
		made_memory_u64(m, at + 24, 0);
	} else {
		made_memory_u64(m, MADE_CELL + 120, r->end);
		made_memory_u64(m, MADE_CELL + 80, r->segment);
	}
	made_memory_u64(m, r->segment, r->start);
}

static void
put_heap(struct made_runtime *rt, unsigned heap)
{
	struct made_memory *m = rt->memory;
	uint64_t generations = generations_of(rt, heap);
	const struct made_range *r;

	made_memory_zeros(m, MADE_HEAP + 0x10000 * (uint64_t)heap, 0x2000);
	put_range(rt, heap, GEN_LOH, 8);
	put_range(rt, heap, GEN_POH, 512);
	r = put_range(rt, heap, GEN_2, 0);
	if (rt->setup.has_segments) {
		/* gen1 and gen0 begin at the sixth and eleventh object. */
		made_memory_u64(m, generations + 64, r->start + 0x138);
		made_memory_u64(m, generations + GENERATION_BYTES + 64, r->start + 0x98);
	} else {
		put_range(rt, heap, GEN_1, 0);
		r = put_range(rt, heap, GEN_0, 0);
	}
	put_ephemeral(rt, heap, r);
	if (heap == 0)
		put_range(rt, heap, GEN_2, 1);
}

/* --- the collector's variables -------------------------------------------- */

/* The field at `at` is the address of a variable. */
static void
put_variable(struct made_memory *m, uint64_t at, uint64_t value)
{
	made_memory_u64(m, MADE_GC + at, MADE_CELL + at);
	made_memory_u64(m, MADE_CELL + at, value);
}

static void
put_collector(struct made_runtime *rt)
{
	struct made_memory *m = rt->memory;
	uint64_t list = MADE_CELL + 0x400;
	static const uint32_t offsets[22] = {
		[0] = 8, [1] = 16, [2] = 24, [18] = 0x1000, [21] = UINT32_MAX
	};

	made_memory_u8(m, MADE_GC, 2);
	made_memory_u8(m, MADE_GC + 1, rt->setup.version >= 10 ? 4 : 1);
	made_memory_u64(m, MADE_GC + 8, GENERATION_BYTES);
	made_memory_u64(m, MADE_GC + 16, 5);
	made_memory_u64(m, MADE_GC + 48, generations_of(rt, 0));
	put_variable(m, 72, 2);
	put_variable(m, 80, 0);
	put_variable(m, 120, 0);
	put_variable(m, 144, 0);
	put_variable(m, 192, 0);
	put_variable(m, 320, 1);
	made_memory_u64(m, MADE_GC + 240, MADE_OFFSETS);
	for (unsigned i = 0; i < 22; i++)
		made_memory_u32(m, MADE_OFFSETS + 4 * i, offsets[i]);
	made_memory_u64(m, MADE_GC + 248, MADE_OFFSETS + 0x100);
	made_memory_u32(m, MADE_OFFSETS + 0x104, 56);
	made_memory_u32(m, MADE_OFFSETS + 0x108, rt->setup.has_segments ? 64 : UINT32_MAX);
	if (!rt->setup.is_server)
		return;
	put_variable(m, 176, 2);
	put_variable(m, 184, list);
	made_memory_u64(m, list, MADE_HEAP);
	made_memory_u64(m, list + 8, MADE_HEAP + 0x10000);
}

/* --- threads -------------------------------------------------------------- */

/* The offset in a thread to which the list's pointers lead. */
static uint64_t
link_of(const struct made_runtime *rt)
{
	return rt->setup.version < 11 ? rt->layout.offset[CLR_THREAD_NEXT] : 0;
}

static void
put_thread(struct made_runtime *rt, unsigned i)
{
	struct made_memory *m = rt->memory;
	const uint32_t *offset = rt->layout.offset;
	uint64_t at = MADE_THREAD + 0x1000 * (uint64_t)i, locals = at + 0x800;
	uint64_t context = at + offset[CLR_THREAD_ALLOC_CONTEXT];
	uint64_t next = i + 1 < MADE_THREADS_COUNT ? at + 0x1000 + link_of(rt) : 0;

	made_memory_zeros(m, at, 0x1000);
	made_memory_u32(m, at + offset[CLR_THREAD_ID], i + 1);
	made_memory_u64(m, at + offset[CLR_THREAD_OS_ID], MADE_TID + i);
	made_memory_u64(m, at + offset[CLR_THREAD_NEXT], next);
	made_memory_thread(m, (int32_t)(MADE_TID + i), at, MADE_LIBRARY);
	if (rt->setup.version > 8) {
		made_memory_u64(m, at + offset[CLR_THREAD_LOCALS], locals);
		context = locals + (rt->setup.version >= 10 ? 8 : 0);
	}
	if (i == 0) {
		made_memory_u64(m, context, rt->context_pointer);
		made_memory_u64(m, context + 8, rt->context_limit);
	}
}

static void
put_threads(struct made_runtime *rt)
{
	struct made_memory *m = rt->memory;
	const uint32_t *offset = rt->layout.offset;

	made_memory_zeros(m, MADE_STORE, 0x1000);
	made_memory_u64(m, MADE_STORE + offset[CLR_THREAD_STORE_FIRST], MADE_THREAD + link_of(rt));
	made_memory_u32(m, MADE_STORE + offset[CLR_THREAD_STORE_COUNT], MADE_THREADS_COUNT);
	for (unsigned i = 0; i < MADE_THREADS_COUNT; i++)
		put_thread(rt, i);
}

/* --- all of it ------------------------------------------------------------ */

struct made_runtime *
made_runtime_new(const struct made_setup *setup)
{
	struct made_runtime *rt = calloc(1, sizeof(*rt));
	struct error err = { 0 };

	if (!rt)
		abort();
	rt->setup = *setup;
	rt->memory = made_memory_new(MEMORY_X64);
	if (!clr_layout_init(&rt->layout, setup->version, MEMORY_X64, &err))
		abort();
	put_method_tables(rt);
	put_library(rt->memory, clr_facts((unsigned)setup->version)->table_bytes);
	put_table(rt->memory, setup->version);
	put_collector(rt);
	for (unsigned i = 0; i < (setup->is_server ? 2u : 1u); i++)
		put_heap(rt, i);
	/* Mappings in the order of addresses: ranges are below the library. */
	made_memory_map(rt->memory, MADE_THREAD, MADE_THREAD + 0x1000 * MADE_THREADS_COUNT, 0,
			MEMORY_READ | MEMORY_WRITE, "[stack]");
	made_memory_map(rt->memory, MADE_LIBRARY, MADE_LIBRARY + 0x15000, 0,
			MEMORY_READ | MEMORY_WRITE | MEMORY_FILE, MADE_PATH);
	put_threads(rt);
	return rt;
}

void
made_runtime_free(struct made_runtime *rt)
{
	made_memory_free(rt->memory);
	free(rt);
}

const struct made_range *
made_runtime_range(const struct made_runtime *rt, unsigned heap, unsigned generation)
{
	for (unsigned i = 0; i < rt->ranges_count; i++) {
		if (rt->ranges[i].heap == heap && rt->ranges[i].generation == generation)
			return &rt->ranges[i];
	}
	return NULL;
}
