#include "tests/made/made_code.h"
#include "io/runtime/descriptor.h"
#include "io/runtime/frame_chain.h"
#include "model/heap/memory.h"
#include <stdlib.h>

enum { LEVELS = 5, SECTION_BYTES = 0x20000, POINTERS_SINCE = 10, JITTED_UNWIND = 0x40 };

uint64_t
made_code_field(const struct made_code *code, uint64_t base, enum clr_field field)
{
	return base + code->runtime.layout.offset[field];
}

static void
put(struct made_code *code, uint64_t base, enum clr_field field, uint64_t value)
{
	made_memory_u64(code->memory, made_code_field(code, base, field), value);
}

static void
put_u32(struct made_code *code, uint64_t base, enum clr_field field, uint32_t value)
{
	made_memory_u32(code->memory, made_code_field(code, base, field), value);
}

/* --- sections ------------------------------------------------------------ */

static void
put_section(struct made_code *code, unsigned i, uint32_t flags, uint64_t module, uint64_t heap)
{
	uint64_t begin = MADE_JITTED + SECTION_BYTES * (uint64_t)i;
	uint64_t fragment = MADE_FRAGMENT + 0x20 * i;
	uint64_t section = MADE_SECTION + 0x80 * i;

	made_memory_zeros(code->memory, fragment, 0x20);
	put(code, fragment, CLR_FRAGMENT_BEGIN, begin);
	put(code, fragment, CLR_FRAGMENT_END, begin + SECTION_BYTES);
	put(code, fragment, CLR_FRAGMENT_SECTION, section);
	made_memory_zeros(code->memory, section, 0x80);
	put(code, section, CLR_SECTION_BEGIN, begin);
	put(code, section, CLR_SECTION_END, begin + SECTION_BYTES);
	put_u32(code, section, CLR_SECTION_FLAGS, flags);
	put(code, section, CLR_SECTION_MODULE, module);
	put(code, section, CLR_SECTION_HEAP, heap);
	/* The lowest level has 17 bits of the address. */
	made_memory_u64(code->memory, MADE_CODE_MAP + 0x800 * (LEVELS - 1) + 8 * i, fragment | 1);
}

static void
put_sections(struct made_code *code)
{
	made_memory_zeros(code->memory, MADE_CODE_MAP, 0x800 * LEVELS);
	for (unsigned i = 0; i + 1 < LEVELS; i++) {
		unsigned index = MADE_JITTED >> (49 - 8 * i) & 0xff;

		made_memory_u64(code->memory, MADE_CODE_MAP + 0x800 * i + 8 * index,
				(MADE_CODE_MAP + 0x800 * (i + 1)) | (i == 2));
	}
	put_section(code, 0, 2, 0, MADE_CODE_HEAP);
	put_section(code, 1, 4, 0, 0);
	put_section(code, 2, 0, MADE_READY, 0);
}

/* --- code compiled at run time ------------------------------------------- */

static void
put_start(struct made_code *code, uint32_t offset)
{
	uint64_t word = MADE_STARTS + 4 * (uint64_t)(offset / 256);
	uint32_t bucket = offset / 32 % 8, value = offset % 32 / 4 + 1, old;
	const uint8_t *bytes;
	uint64_t at;
	size_t len;

	for (size_t i = 0; (bytes = made_memory_piece(code->memory, i, &at, &len)); i++)
		if (word >= at && word - at + 4 <= len)
			break;
	old = bytes ? bytes_load_u32(bytes + (word - at)) : 0;
	made_memory_u32(code->memory, word, old | value << (28 - 4 * bucket));
}

static void
put_entry(struct made_code *code, uint64_t at, uint32_t begin, uint32_t end, uint32_t unwind)
{
	made_memory_u32(code->memory, at, begin);
	made_memory_u32(code->memory, at + 4, end);
	made_memory_u32(code->memory, at + 8, unwind);
}

static void
put_header(struct made_code *code, unsigned i, uint32_t start, uint32_t count)
{
	uint64_t header = MADE_HEADER + 0x100 * (uint64_t)i;

	made_memory_zeros(code->memory, header, 0x100);
	put(code, header, CLR_CODE_HEADER_METHOD, MADE_RECORD(i));
	put_u32(code, header, CLR_CODE_HEADER_COUNT, count);
	made_memory_u64(code->memory, MADE_JITTED + start - 8, header);
	put_start(code, start);
}

static void
put_jitted(struct made_code *code)
{
	uint64_t entries = made_code_field(code, MADE_HEADER, CLR_CODE_HEADER_ENTRIES);

	static const uint8_t unwind[] = { 1, 4, 2, 0, 4, 0x42, 1, 0x50 };

	made_memory_zeros(code->memory, MADE_JITTED, 0x2000);
	made_memory_put(code->memory, MADE_JITTED + JITTED_UNWIND, unwind, sizeof(unwind));
	made_memory_zeros(code->memory, MADE_CODE_HEAP, 0x80);
	made_memory_zeros(code->memory, MADE_STARTS, 0x800);
	put(code, MADE_CODE_HEAP, CLR_CODE_HEAP_BASE, MADE_JITTED);
	put(code, MADE_CODE_HEAP, CLR_CODE_HEAP_MAP, MADE_STARTS);
	put_header(code, MADE_SHORT, 0x100, 2);
	put_entry(code, entries, 0x100, 0x180, JITTED_UNWIND);
	put_entry(code, entries + 12, 0x180, 0x1a0, JITTED_UNWIND);
	put_header(code, MADE_LONG, 0x1c4, 1);
	put_entry(code, entries + 0x100, 0x1c4, 0x11c4, JITTED_UNWIND);
	for (uint32_t i = 2; i <= 0x10; i++)
		if (code->runtime.layout.version >= POINTERS_SINCE)
			made_memory_u32(code->memory, MADE_STARTS + 4 * i, 0x1c0 | (9 + 1));
	put_start(code, 0x1240);
	made_memory_u64(code->memory, MADE_JITTED + 0x1240 - 8, 3);
}

/* --- precompiled code ---------------------------------------------------- */

/* An unwind record with one code, then GC info: a length of two chunks. */
static void
put_unwind(struct made_code *code, unsigned i, uint32_t length)
{
	uint64_t at = MADE_UNWIND + 0x20 * (uint64_t)i;
	uint32_t chunks = (length & 0xff) | 0x100 | length >> 8 << 9;
	unsigned skip = code->runtime.layout.facts->gc_info_version < 4 ? 4 : 2;

	made_memory_u8(code->memory, at, 1);
	made_memory_u8(code->memory, at + 2, 1);
	made_memory_u32(code->memory, at + 12, chunks << skip);
}

/* Where the runtime looks for a key at first, and the next time. */
static uint64_t
bucket_of(uint64_t key, unsigned tries)
{
	uint32_t seed = (uint32_t)(key >> 2);
	uint32_t step = 1 + ((uint32_t)(key >> 5) + 1) % (MADE_BUCKETS_COUNT - 1);

	return MADE_BUCKETS + 64 * (1 + (uint64_t)((seed + tries * step) % MADE_BUCKETS_COUNT));
}

/* The second key needs two tries: bit 63 of the first value says so. */
static void
put_methods(struct made_code *code)
{
	uint64_t called = MADE_COMPILED + 0x1000, other = called + 0x180;
	uint64_t at = bucket_of(called, 0);

	made_memory_zeros(code->memory, MADE_BUCKETS, 64 * (MADE_BUCKETS_COUNT + 1));
	made_memory_u32(code->memory, MADE_BUCKETS, MADE_BUCKETS_COUNT);
	made_memory_u64(code->memory, at + 16, called);
	made_memory_u64(code->memory, at + 48, MADE_RECORD(MADE_CALLED) >> 1);
	at = bucket_of(other, 0);
	made_memory_u64(code->memory, at, 4);
	made_memory_u64(code->memory, at + 32, UINT64_C(1) << 63);
	at = bucket_of(other, 1);
	made_memory_u64(code->memory, at + 24, other);
	made_memory_u64(code->memory, at + 56, MADE_RECORD(MADE_OTHER) >> 1);
}

static void
put_functions(struct made_code *code)
{
	static const uint32_t bounds[][2] = {
		{ 0x1000, 0x1100 }, { 0x1100, 0x1140 }, { 0x1140, 0x1180 }, { 0x1180, 0x1200 },
		{ 0x1200, 0x1240 }, { 0x1300, 0x1340 }, { 0x1340, 0x1360 },
	};
	enum { COUNT = sizeof(bounds) / sizeof(bounds[0]) };

	made_memory_zeros(code->memory, MADE_COMPILED, 0x2000);
	for (uint32_t i = 0; i < COUNT; i++)
		put_entry(code, MADE_FUNCTIONS + 12 * i, bounds[i][0], bounds[i][1],
			  0x800 + 0x20 * i);
	put_unwind(code, 0, 0x140);
	put_unwind(code, 3, 0xe0);
	put(code, MADE_COMPOSITE, CLR_READY_FUNCTIONS, MADE_FUNCTIONS);
	put_u32(code, MADE_COMPOSITE, CLR_READY_FUNCTIONS_COUNT, COUNT);
	made_memory_zeros(code->memory, MADE_COLD_MAP, 0x10);
	made_memory_u32(code->memory, MADE_COLD_MAP, 5);
	made_memory_u32(code->memory, MADE_COLD_MAP + 4, 3);
	put(code, MADE_COMPOSITE, CLR_READY_COLD_MAP, MADE_COLD_MAP);
	put_u32(code, MADE_COMPOSITE, CLR_READY_COLD_COUNT, 2);
}

static void
put_compiled(struct made_code *code)
{
	uint64_t methods;

	made_memory_zeros(code->memory, MADE_READY, 0x800);
	made_memory_zeros(code->memory, MADE_READY_INFO, 0x400);
	made_memory_zeros(code->memory, MADE_COMPOSITE, 0x400);
	put(code, MADE_READY, CLR_MODULE_READY, MADE_READY_INFO);
	put(code, MADE_READY_INFO, CLR_READY_COMPOSITE, MADE_COMPOSITE);
	methods = made_code_field(code, MADE_COMPOSITE, CLR_READY_METHODS);
	put(code, methods, CLR_HASH_BUCKETS, MADE_BUCKETS);
	put_functions(code);
	put_methods(code);
}

/* --- a thread ------------------------------------------------------------ */

static void
put_thread(struct made_code *code)
{
	made_memory_zeros(code->memory, MADE_CODE_THREAD, 0x400);
	put(code, MADE_CODE_THREAD, CLR_THREAD_FRAME, UINT64_MAX);
	made_memory_zeros(code->memory, MADE_CODE_STACK, MADE_CODE_STACK_BYTES);
	code->thread = (struct clr_thread){
		.address = MADE_CODE_THREAD,
		.os_id = 1,
		.mode = THREAD_PREEMPTIVE,
		.stack_limit = MADE_CODE_STACK,
		.stack_base = MADE_CODE_STACK + MADE_CODE_STACK_BYTES,
	};
}

/* --- all of it ----------------------------------------------------------- */

struct made_code *
made_code_new(int version)
{
	struct made_code *code = calloc(1, sizeof(*code));
	struct error err = { 0 };

	if (!code || !clr_layout_init(&code->runtime.layout, version, MEMORY_X64, &err))
		abort();
	code->memory = made_memory_new(MEMORY_X64);
	code->runtime.code_map = MADE_CODE_MAP;
	put_sections(code);
	put_jitted(code);
	put_compiled(code);
	put_thread(code);
	clr_frame_kinds_read(&code->runtime, &(struct clr_descriptor){ 0 });
	return code;
}

void
made_code_free(struct made_code *code)
{
	made_memory_free(code->memory);
	free(code);
}

bool
made_code_find(struct made_code *code, uint64_t address, struct clr_code *out)
{
	struct memory_reader *r;
	struct error err = { 0 };
	bool is_found;

	r = memory_reader_new(made_memory_open(code->memory), &err);
	if (!r)
		abort();
	is_found = clr_code_find(&code->runtime, r, address, out);
	memory_reader_free(r);
	return is_found;
}
