#include "io/runtime/native.h"
#include "io/memory/elf.h"
#include "io/pe/name_spelling.h"
#include "io/runtime/threads.h"
#include "io/runtime/version.h"
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>

enum {
	ENTRIES_MAX = 4096,
	OFFSET_MAX = 1 << 16,
	NAME_BYTES = 64,
	TYPE_ENTRY_BYTES = 24,
	GLOBAL_ENTRY_BYTES = 16,
	HEAD_BYTES = 4096,
	TLS_MAX = 64 << 10,
	THREADS_MAX = 64 << 10,
};

/* The major version of the description, the .NET that has it, and a flag of method tables that has
   moved. */
static const struct {
	uint16_t header;
	uint32_t version, pointers_flag;
} versions[] = { { 3, 8, 0x00200000 }, { 4, 9, 0x01000000 }, { 5, 10, 0x01000000 } };

/* Fields that the walker reads through the layout. */
static const struct {
	const char *type, *field;
	enum clr_field to;
} fields[] = {
	{ "MethodTable", "m_uFlags", CLR_MT_FLAGS },
	{ "MethodTable", "m_uBaseSize", CLR_MT_BASE_SIZE },
	{ "MethodTable", "m_pRelatedParameterType", CLR_MT_PER_INST },
	{ "gc_alloc_context", "alloc_ptr", CLR_ALLOC_POINTER },
	{ "gc_alloc_context", "alloc_limit", CLR_ALLOC_LIMIT },
	{ "dac_generation", "allocation_context", CLR_GENERATION_CONTEXT },
	{ "dac_generation", "start_segment", CLR_GENERATION_SEGMENT },
	{ "dac_heap_segment", "allocated", CLR_SEGMENT_ALLOCATED },
	{ "dac_heap_segment", "committed", CLR_SEGMENT_COMMITTED },
	{ "dac_heap_segment", "reserved", CLR_SEGMENT_RESERVED },
	{ "dac_heap_segment", "mem", CLR_SEGMENT_MEM },
	{ "dac_heap_segment", "flags", CLR_SEGMENT_FLAGS },
	{ "dac_heap_segment", "next", CLR_SEGMENT_NEXT },
};

/* Fields that io/runtime/heaps.c expects at these places. */
static const struct {
	const char *type, *field;
	uint32_t offset;
} places[] = {
	{ "GcDacVars", "major_version_number", 0 },
	{ "GcDacVars", "minor_version_number", 1 },
	{ "GcDacVars", "generation_size", 8 },
	{ "GcDacVars", "total_generation_count", 16 },
	{ "GcDacVars", "generation_table", 48 },
	{ "GcDacVars", "ephemeral_heap_segment", 80 },
	{ "GcDacVars", "alloc_allocated", 120 },
	{ "GcDacVars", "finalize_queue", 144 },
	{ "GcDacVars", "n_heaps", 176 },
	{ "GcDacVars", "g_heaps", 184 },
	{ "dac_generation", "allocation_start", 64 },
};

struct description {
	struct memory_reader *reader;
	uint64_t types, globals;
	struct error *err;
};

/* --- the description ------------------------------------------------------ */

static bool
is_text(struct memory_reader *r, uint64_t at, const char *wanted)
{
	char text[NAME_BYTES];

	return memory_text(r, at, text, sizeof(text)) && !strcmp(text, wanted);
}

static bool
find_field(const struct description *d, const char *type, const char *field, uint32_t *offset)
{
	uint64_t at = d->types, name, member;

	for (int i = 0; i < ENTRIES_MAX; i++, at += TYPE_ENTRY_BYTES) {
		if (!memory_u64(d->reader, at, &name) || !name ||
		    !memory_u64(d->reader, at + 8, &member))
			return false;
		if (is_text(d->reader, name, type) && is_text(d->reader, member, field))
			return memory_u32(d->reader, at + 16, offset) && *offset <= OFFSET_MAX;
	}
	return false;
}

/* The same; a missing name is an error. */
static bool
field(const struct description *d, const char *type, const char *name, uint32_t *offset)
{
	return find_field(d, type, name, offset) ||
	       error_set(d->err, ERROR_INPUT,
			 "the description of the Native AOT runtime lacks %s.%s: it is damaged, or "
			 "of an unknown version",
			 type, name);
}

static bool
global(const struct description *d, const char *wanted, uint64_t *value)
{
	uint64_t at = d->globals, name;

	for (int i = 0; i < ENTRIES_MAX; i++, at += GLOBAL_ENTRY_BYTES) {
		if (!memory_u64(d->reader, at, &name) || !name)
			break;
		if (is_text(d->reader, name, wanted) && memory_u64(d->reader, at + 8, value) &&
		    *value)
			return true;
	}
	return error_set(d->err, ERROR_INPUT,
			 "the description of the Native AOT runtime lacks %s: it is damaged, or of "
			 "an unknown version",
			 wanted);
}

static bool
open_description(struct clr_runtime *rt, struct description *d, uint64_t header)
{
	uint8_t cookie[4];
	uint16_t major;

	if (!memory_read(d->reader, header, cookie, sizeof(cookie)) ||
	    memcmp(cookie, "DNDH", sizeof(cookie)) != 0 ||
	    !memory_u16(d->reader, header + 4, &major) ||
	    !memory_u64(d->reader, header + 16, &d->types) ||
	    !memory_u64(d->reader, header + 24, &d->globals))
		return error_set(d->err, ERROR_INPUT,
				 "DotNetRuntimeDebugHeader (0x%" PRIx64
				 ") is not in memory, or damaged",
				 header);
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		if (versions[i].header != major)
			continue;
		rt->version[0] = versions[i].version;
		rt->version_from = CLR_VERSION_TABLE;
		rt->native->pointers_flag = versions[i].pointers_flag;
		return true;
	}
	return error_set(
	    d->err, ERROR_INPUT,
	    "the description of the Native AOT runtime has version %u; 3 to 5 (.NET 8, 9 and 10) "
	    "can be read; its events may be captured: heaptop PID",
	    major);
}

static bool
fill_layout(struct clr_runtime *rt, const struct description *d)
{
	struct clr_layout *l = &rt->layout;
	uint32_t offset;

	clr_layout_init_native(l, (int)rt->version[0]);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (!field(d, fields[i].type, fields[i].field, &offset))
			return false;
		l->offset[fields[i].to] = offset;
		l->is_described[fields[i].to] = true;
		l->described_fields++;
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!field(d, places[i].type, places[i].field, &offset))
			return false;
		if (offset != places[i].offset)
			return error_set(d->err, ERROR_INPUT,
					 "the Native AOT runtime has %s.%s at %" PRIu32 "; %" PRIu32
					 " was expected",
					 places[i].type, places[i].field, offset, places[i].offset);
	}
	return true;
}

bool
clr_native_has_variables(struct clr_runtime *rt, uint64_t address)
{
	uint64_t count;

	rt->gc_vars = address;
	return memory_u64(rt->reader, address + 8, &rt->generation_bytes) &&
	       memory_u64(rt->reader, address + 16, &count) && count == 5 &&
	       rt->generation_bytes > 64 && rt->generation_bytes < 4096;
}

static bool
fill_variables(struct clr_runtime *rt, const struct description *d)
{
	uint64_t address;

	if (!global(d, "g_gcDacGlobals", &address) ||
	    !global(d, "g_pFreeObjectEEType", &rt->free_table))
		return false;
	if (!clr_native_has_variables(rt, address))
		return error_set(d->err, ERROR_INPUT,
				 "the collector's variables (0x%" PRIx64
				 ") are not in memory, or damaged",
				 rt->gc_vars);
	return true;
}

/* --- threads -------------------------------------------------------------- */

/* Up to .NET 9 a thread holds the context itself. */
static bool
find_thread_layout(const struct description *d, struct clr_native_threads *l)
{
	static const char *const names[] = { "RuntimeThreadLocals", "ThreadBuffer" };
	bool is_new = find_field(d, names[0], "m_pNext", &l->next);
	const char *name = names[is_new ? 0 : 1];
	uint32_t more;

	if (!field(d, name, "m_pNext", &l->next) || !field(d, name, "m_threadId", &l->id))
		return false;
	if (!find_field(d, name, "m_eeAllocContext", &l->context))
		return field(d, name, "m_rgbAllocContextBuffer", &l->context);
	if (!field(d, "ee_alloc_context", "m_rgbAllocContextBuffer", &more))
		return false;
	l->context += more;
	return true;
}

/* False: absent. */
static bool
read_thread(struct clr_runtime *rt, const struct clr_native_threads *l, uint64_t at,
	    struct clr_thread *t, uint64_t *next)
{
	*t = (struct clr_thread){ .address = at };
	return memory_u64(rt->reader, at + l->next, next) &&
	       memory_u64(rt->reader, at + l->id, &t->os_id) &&
	       clr_u64(&rt->layout, rt->reader, at + l->context, CLR_ALLOC_POINTER,
		       &t->alloc_pointer) &&
	       clr_u64(&rt->layout, rt->reader, at + l->context, CLR_ALLOC_LIMIT, &t->alloc_limit);
}

bool
clr_native_read_threads(struct clr_runtime *rt, const struct clr_native_threads *l, uint64_t list,
			struct error *err)
{
	struct clr_thread *threads = NULL;
	size_t count = 0, room = 0;
	uint64_t at;
	bool is_good = true;

	if (!memory_u64(rt->reader, list, &at)) {
		clr_doubt(&rt->doubts, "the list of threads is not in memory");
		return true;
	}
	while (is_good && at && count < THREADS_MAX) {
		struct clr_thread t;
		uint64_t next;

		if (!read_thread(rt, l, at, &t, &next)) {
			clr_doubt(&rt->doubts,
				  "the runtime's thread at 0x%" PRIx64 " is not in memory", at);
			break;
		}
		is_good = APPEND(threads, count, room, err, t);
		at = next;
	}
	if (at && count == THREADS_MAX) {
		clr_doubt(&rt->doubts, "the list of threads has no end");
		count = 0;
	}
	is_good = is_good && clr_threads_set(rt, threads, count, err);
	memory_free(threads);
	return is_good;
}

static bool
read_threads(struct clr_runtime *rt, const struct description *d)
{
	struct clr_native_threads l;
	uint32_t store, list;
	uint64_t runtime, at = 0;

	if (!find_thread_layout(d, &l) || !field(d, "RuntimeInstance", "m_pThreadStore", &store) ||
	    !field(d, "ThreadStore", "m_ThreadList", &list) ||
	    !global(d, "g_pTheRuntimeInstance", &runtime))
		return false;
	(void)!memory_u64(rt->reader, runtime + store, &at);
	return clr_native_read_threads(rt, &l, at + list, d->err);
}

/* --- the program ---------------------------------------------------------- */

static uint64_t
tls_bytes(const uint8_t *head, size_t len)
{
	struct elf_segment s;

	return elf_first_segment(head, len, PT_TLS, &s) && s.memory_size < TLS_MAX ? s.memory_size
										   : 0;
}

/* If the file is gone, its first page still has the build id. */
bool
clr_native_find_symbols(struct clr_runtime *rt, const char *folder, struct error *err)
{
	struct clr_native *n = rt->native;
	uint8_t head[HEAD_BYTES];
	struct file first_page = {
		.data = head,
		.len = memory_copy(rt->memory, n->base, head, sizeof(head)),
	};
	struct file program;
	bool has_file = clr_version_open_file(rt, &program);
	const struct native_search search = {
		.program = has_file ? &program : &first_page,
		.path = rt->path,
		.folder = folder,
		.root = rt->memory->sysroot,
	};

	n->types = native_types_search(&search, n->why, err);
	if (has_file)
		file_close(&program);
	return err->kind == ERROR_NONE;
}

bool
clr_native_begin(struct clr_runtime *rt, const struct elf_image *image, struct error *err)
{
	struct clr_native *n = arena_new(&rt->arena, struct clr_native, err);
	uint8_t head[HEAD_BYTES];
	size_t head_len;

	if (!n)
		return false;
	rt->native = n;
	n->base = image->base;
	n->end = image->end;
	head_len = memory_copy(rt->memory, image->base, head, sizeof(head));
	n->tls_bytes = tls_bytes(head, head_len);
	return true;
}

bool
clr_native_open(struct clr_runtime *rt, const struct elf_image *image, uint64_t header,
		struct error *err)
{
	struct description d = { .reader = rt->reader, .err = err };

	return clr_native_begin(rt, image, err) && open_description(rt, &d, header) &&
	       fill_layout(rt, &d) && fill_variables(rt, &d) && read_threads(rt, &d);
}

void
clr_native_set_symbols(struct clr_runtime *rt, struct native_types *types, const char *why)
{
	rt->native->types = native_types_share(types);
	snprintf(rt->native->why, sizeof(rt->native->why), "%s", types ? "" : why);
}

void
clr_native_close(struct clr_runtime *rt)
{
	if (rt->native)
		native_types_free(rt->native->types);
}

/* --- method tables -------------------------------------------------------- */

enum {
	KIND_SHIFT = 26,
	KIND_MASK = 0x1f,
	NATIVE_POINTER = 0xc, /* IntPtr, then UIntPtr, Single, Double */
	NATIVE_STRUCT = 0x10,
	NATIVE_VALUES_END = 0x13,
	NATIVE_ARRAY = 0x17, /* then those of one dimension */
	NATIVE_VECTOR = 0x18,
	MT_VECTOR = 0x20000,
	FIELD_STRUCT = 0x11,
	FIELD_REFERENCE = 0x12,
};

static uint32_t
kind_of(uint32_t flags)
{
	return flags >> KIND_SHIFT & KIND_MASK;
}

uint32_t
clr_native_flags(const struct clr_native *n, uint32_t flags)
{
	uint32_t kind = kind_of(flags);
	uint32_t out = flags & (CLR_MT_HAS_COMPONENTS | CLR_MT_HAS_FINALIZER);

	if (flags & n->pointers_flag)
		out |= CLR_MT_HAS_POINTERS;
	if (flags & CLR_MT_HAS_COMPONENTS)
		out |= flags & UINT16_MAX;
	if (kind == NATIVE_ARRAY || kind == NATIVE_VECTOR)
		out |= CLR_MT_ARRAY;
	if (kind == NATIVE_VECTOR)
		out |= MT_VECTOR;
	if (kind && kind < NATIVE_VALUES_END)
		out |= CLR_MT_VALUE;
	return out;
}

uint8_t
clr_native_kind(uint32_t flags)
{
	static const uint8_t after_numbers[] = { 0x18, 0x19, 0xc, 0xd };
	uint32_t kind = kind_of(flags);

	if (kind && kind < NATIVE_POINTER)
		return (uint8_t)kind; /* the same */
	if (kind >= NATIVE_POINTER && kind < NATIVE_STRUCT)
		return after_numbers[kind - NATIVE_POINTER];
	return kind && kind < NATIVE_VALUES_END ? FIELD_STRUCT : FIELD_REFERENCE;
}

bool
clr_native_name(const struct clr_native *n, uint64_t method_table, struct arena *a,
		struct native_name *out, struct error *err)
{
	*out = (struct native_name){ 0 };
	if (!n->types)
		return true;
	if (!native_types_name(n->types, method_table - n->base, a, out, err))
		return false;
	if (out->name)
		out->name = name_spell(out->name, a, err);
	return err->kind == ERROR_NONE;
}
