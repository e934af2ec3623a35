#include "io/clr_runtime.h"
#include "io/clr_descriptor.h"
#include "io/clr_threads.h"
#include "io/clr_version.h"
#include "io/elf_image.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	SLOTS_MAX = 256,
	GC_SLOTS_MAX = 64, /* of which one may lead to GcDacVars */
	DOUBT_BYTES = 200,
};

void
clr_doubt(struct clr_runtime *rt, const char *format, ...)
{
	char text[DOUBT_BYTES];
	struct error err;
	va_list args;
	const char *copy;

	if (rt->doubts_count == CLR_DOUBTS_MAX)
		return;
	error_clear(&err);
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = arena_strndup(&rt->arena, text, strlen(text), &err);
	if (copy)
		rt->doubts[rt->doubts_count++] = copy;
}

/* --- which of the mapped files ------------------------------------------- */

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What was seen while looking, for the sentence if nothing is found. */
struct search {
	struct elf_image image;
	struct elf_symbol table;
	const struct memory_mapping *found;
	const char *other; /* a runtime of a kind that we do not know */
	const char *other_path;
	const char *absent_path; /* one that cannot be asked */
};

/* Without what the kernel adds when a file was replaced: by an upgrade. */
static size_t
path_len(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t len = strlen(path), mark_len = sizeof(mark) - 1;

	return len > mark_len && !strcmp(path + len - mark_len, mark)
		   ? len - mark_len
		   : len;
}

static bool
path_ends_in(const char *path, const char *end)
{
	size_t len = path_len(path), end_len = strlen(end);

	return len > end_len && !memcmp(path + len - end_len, end, end_len);
}

static bool
path_is_of(const char *path, const char *file)
{
	const char *name = base_name(path);
	size_t len = strlen(file);

	return path_len(name) == len && !memcmp(name, file, len);
}

/* The first program that cannot be asked; or better, the library. */
static void
note_absent(struct search *s, const char *path)
{
	if (path_is_of(path, "libcoreclr.so") ||
	    (!s->absent_path && !path_ends_in(path, ".so") &&
	     !strstr(path, ".so.")))
		s->absent_path = path;
}

static void
search_mapping(struct clr_runtime *rt, struct search *s,
	       const struct memory_mapping *mapping)
{
	struct elf_image image;
	struct elf_symbol symbol;
	const char *path = mapping->name;
	bool is_absent;

	if (path_is_of(path, "libclrgc.so") ||
	    path_is_of(path, "libclrgcexp.so"))
		rt->gc_library = path;
	if (strncmp(base_name(path), "libmonosgen", 11) == 0) {
		s->other = "Mono";
		s->other_path = mapping->name;
	}
	/* A managed module: looking inside would open its file for nothing. */
	if (path_ends_in(path, ".dll"))
		return;
	if (!elf_image_open(&image, rt->reader, mapping->start))
		return;
	if (elf_image_find(&image, rt->reader, "g_dacTable", &symbol,
			   &is_absent)) {
		rt->runtimes_count++;
		if (s->found)
			return;
		s->found = mapping;
		s->image = image;
		s->table = symbol;
	} else if (is_absent) {
		note_absent(s, mapping->name);
	} else if (elf_image_find(&image, rt->reader,
				  "DotNetRuntimeDebugHeader", &symbol, NULL)) {
		s->other = "NativeAOT";
		s->other_path = mapping->name;
	} else if (path_is_of(path, "libcoreclr.so")) {
		s->other = elf_image_find(&image, rt->reader,
					  "mono_get_root_domain", &symbol, NULL)
			       ? "Mono"
			       : "a runtime without g_dacTable";
		s->other_path = mapping->name;
	}
}

/* Each beginning of a file that is mapped; else what the dump's writer noted.
 */
static void
runtime_search(struct clr_runtime *rt, struct search *s)
{
	const struct memory *m = rt->memory;
	const struct memory_mapping *hint;
	const char *last = NULL;
	uint64_t last_end = 0;

	for (size_t i = 0; i < m->mappings_count; i++) {
		const struct memory_mapping *mapping = &m->mappings[i];

		if (!(mapping->flags & MEMORY_FILE) || mapping->file_offset)
			continue;
		/* The same beginning twice is data, not a loaded file. */
		if (last_end == mapping->start && last &&
		    strcmp(last, mapping->name) == 0)
			continue;
		search_mapping(rt, s, mapping);
		last = mapping->name;
		last_end = mapping->end;
	}
	hint = memory_mapping_at(m, m->runtime_hint);
	if (!s->found && hint && hint->start == m->runtime_hint)
		search_mapping(rt, s, hint);
}

static bool
nothing_found(const struct memory *m, const struct search *s, struct error *err)
{
	if (s->absent_path)
		return error_set(
		    err, ERROR_INPUT,
		    "what %s exports is neither in %s nor in its file; "
		    "--sysroot DIR says where files are",
		    base_name(s->absent_path), m->name);
	if (s->other_path)
		return error_set(err, ERROR_INPUT,
				 "%s in %s is %s; only CoreCLR can be read "
				 "from memory",
				 base_name(s->other_path), m->name, s->other);
	return error_set(
	    err, ERROR_INPUT, "there is no .NET runtime in %s%s", m->name,
	    m->mappings_count ? ""
			      : ", and it does not say which files are mapped");
}

/* --- what its table leads to --------------------------------------------- */

bool
clr_variable(const struct clr_runtime *rt, uint32_t slot, uint64_t *value)
{
	uint64_t variable;

	*value = 0;
	return slot < rt->dac_slots_count &&
	       memory_u64(rt->reader, rt->dac_table + 8 * (uint64_t)slot,
			  &variable) &&
	       variable && memory_u64(rt->reader, variable, value) && *value;
}

/* The version of the structure, and two sizes that have never changed. */
static bool
is_gc_vars(const struct clr_runtime *rt, uint64_t address)
{
	uint64_t version, generation_size, generations_count;

	return memory_u64(rt->reader, address, &version) &&
	       memory_u64(rt->reader, address + 8, &generation_size) &&
	       memory_u64(rt->reader, address + 16, &generations_count) &&
	       (version & 0xff) >= 1 && (version & 0xff) <= 8 &&
	       version >> 8 < 32 && generation_size > 64 &&
	       generation_size < 4096 && generations_count == 5;
}

static bool
find_gc_vars(struct clr_runtime *rt, struct error *err)
{
	uint32_t first = 0, second = 0, count = 0;

	for (uint32_t i = 0; i < rt->dac_slots_count && i < GC_SLOTS_MAX; i++) {
		uint64_t address;

		if (!clr_variable(rt, i, &address) || !is_gc_vars(rt, address))
			continue;
		if (count++ == 0) {
			first = i;
			rt->gc_vars = address;
		} else {
			second = i;
		}
	}
	rt->gc_slot = first;
	if (count == 1)
		return true;
	if (count)
		return error_set(err, ERROR_INPUT,
				 "%u slots of the runtime's table look like "
				 "the collector's (%u and %u among them); one "
				 "was expected",
				 count, first, second);
	return error_set(
	    err, ERROR_INPUT,
	    "the runtime's table (0x%" PRIx64
	    ", %u slots) leads to nothing that looks like the collector's "
	    "variables: %s",
	    rt->dac_table, rt->dac_slots_count,
	    "its memory is not here, or this version is unknown");
}

/* Its neighbours have kept their places from .NET 8 to 10. */
static void
find_neighbours(struct clr_runtime *rt)
{
	uint32_t slot = rt->gc_slot;

	if (slot < 4 || !clr_variable(rt, slot - 4, &rt->thread_store))
		rt->thread_store = 0;
	if (slot >= 3 && !clr_variable(rt, slot - 3, &rt->finalizer_thread))
		rt->finalizer_thread = 0;
	if (!clr_variable(rt, slot + 1, &rt->app_domain))
		rt->app_domain = 0;
}

/* Tables that can be told by their sizes: free space, and strings. */
static void
find_tables(struct clr_runtime *rt)
{
	const struct clr_layout *l = &rt->layout;

	for (uint32_t i = 0; i < rt->dac_slots_count; i++) {
		uint64_t table, module;
		uint32_t flags, size;

		if (!clr_variable(rt, i, &table) || table % 8 ||
		    !clr_u32(l, rt->reader, table, CLR_MT_FLAGS, &flags) ||
		    !clr_u32(l, rt->reader, table, CLR_MT_BASE_SIZE, &size) ||
		    !clr_u64(l, rt->reader, table, CLR_MT_MODULE, &module))
			continue;
		if (flags == (CLR_MT_HAS_COMPONENTS | 1) && size == 24 &&
		    !module && !rt->free_table)
			rt->free_table = table;
		if ((flags & 0x8000ffffu) == (CLR_MT_HAS_COMPONENTS | 2) &&
		    size == 22 && module && !rt->string_table)
			rt->string_table = table;
	}
}

/* --- what it tells of itself ---------------------------------------------- */

/* What is built in, and above that what the runtime tells; or only that. */
static bool
layout_fill(struct clr_runtime *rt, const struct clr_descriptor *d,
	    struct error *err)
{
	struct clr_layout *l = &rt->layout;
	const char *missing;
	struct error unknown;

	error_clear(&unknown);
	if (!clr_layout_init(l, (int)rt->version[0], rt->memory->machine,
			     &unknown)) {
		if (!d->root) {
			*err = unknown;
			return false;
		}
		clr_layout_init_empty(l, (int)rt->version[0]);
		clr_doubt(rt,
			  "nobody has measured .NET %u; its layout is what it "
			  "tells itself",
			  rt->version[0]);
	}
	clr_descriptor_describe(d, l);
	return clr_layout_is_enough(l, &missing) ||
	       error_set(err, ERROR_INPUT, ".NET %u does not tell where %s is",
			 rt->version[0], missing);
}

/* What was found by its looks must be what the runtime names. */
static void
compare_global(struct clr_runtime *rt, const struct clr_descriptor *d,
	       const char *name, uint64_t *found)
{
	uint64_t told;

	if (!clr_descriptor_global(d, rt->reader, name, &told) ||
	    told == *found)
		return;
	if (*found)
		clr_doubt(rt,
			  "%s was found at 0x%" PRIx64
			  ", the runtime says 0x%" PRIx64,
			  name, *found, told);
	*found = told;
}

static void
compare_globals(struct clr_runtime *rt, const struct clr_descriptor *d)
{
	compare_global(rt, d, "ThreadStore", &rt->thread_store);
	compare_global(rt, d, "FinalizerThread", &rt->finalizer_thread);
	compare_global(rt, d, "AppDomain", &rt->app_domain);
	compare_global(rt, d, "FreeObjectMethodTable", &rt->free_table);
	compare_global(rt, d, "StringMethodTable", &rt->string_table);
}

static void
descriptor_open(struct clr_runtime *rt, const struct elf_image *image,
		struct clr_descriptor *d)
{
	struct elf_symbol symbol;
	bool is_damaged = false;

	*d = (struct clr_descriptor){ 0 };
	if (elf_image_find(image, rt->reader, "DotNetRuntimeContractDescriptor",
			   &symbol, NULL) &&
	    !clr_descriptor_open(d, rt->reader, symbol.address, &is_damaged) &&
	    is_damaged)
		clr_doubt(rt, "what the runtime tells of itself is damaged");
}

static bool
runtime_read(struct clr_runtime *rt, const struct clr_descriptor *d,
	     struct error *err)
{
	if (!layout_fill(rt, d, err) || !find_gc_vars(rt, err))
		return false;
	if (rt->runtimes_count > 1)
		clr_doubt(rt, "there are %u runtimes; this is the first",
			  rt->runtimes_count);
	find_neighbours(rt);
	find_tables(rt);
	compare_globals(rt, d);
	if (!rt->thread_store)
		clr_doubt(rt, "the runtime's list of threads is not found");
	if (!rt->free_table)
		clr_doubt(rt, "what free space looks like is not found");
	return clr_threads_read(rt, err);
}

/* --- opening ------------------------------------------------------------- */

static bool
runtime_fill(struct clr_runtime *rt, struct error *err)
{
	struct search s = { 0 };
	struct clr_descriptor d;
	bool is_good;

	runtime_search(rt, &s);
	if (!s.found)
		return nothing_found(rt->memory, &s, err);
	rt->path = s.found->name;
	rt->base = s.image.base;
	rt->is_single_file = !path_is_of(rt->path, "libcoreclr.so");
	rt->dac_table = s.table.address;
	rt->dac_slots_count = s.table.size / 8 < SLOTS_MAX
				  ? (uint32_t)(s.table.size / 8)
				  : SLOTS_MAX;
	if (!clr_version_find(rt, &s.image, s.table.size, err))
		return false;
	descriptor_open(rt, &s.image, &d);
	is_good = runtime_read(rt, &d, err);
	clr_descriptor_close(&d);
	return is_good;
}

struct clr_runtime *
clr_runtime_open(const struct memory *m, struct error *err)
{
	struct clr_runtime *rt = memory_new(1, sizeof(*rt), err);

	if (!rt)
		return NULL;
	rt->memory = m;
	arena_init(&rt->arena, 0);
	rt->reader = memory_reader_new(m, err);
	if (rt->reader && runtime_fill(rt, err))
		return rt;
	clr_runtime_close(rt);
	return NULL;
}

void
clr_runtime_close(struct clr_runtime *rt)
{
	if (!rt)
		return;
	memory_reader_free(rt->reader);
	arena_clear(&rt->arena);
	memory_free(rt);
}
