#include "io/runtime/runtime.h"
#include "io/runtime/descriptor.h"
#include "io/runtime/frame_chain.h"
#include "io/runtime/native_contract.h"
#include "io/runtime/native.h"
#include "io/runtime/search.h"
#include "io/runtime/threads.h"
#include "io/runtime/version.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	SLOTS_MAX = 256,
	GC_SLOTS_MAX = 64, /* slots searched for GcDacVars */
};

/* --- variables in g_dacTable --------------------------------------------- */

bool
clr_variable(const struct clr_runtime *rt, uint32_t slot, uint64_t *value)
{
	uint64_t variable;

	*value = 0;
	return slot < rt->dac_slots_count &&
	       memory_u64(rt->reader, rt->dac_table + 8 * (uint64_t)slot, &variable) && variable &&
	       memory_u64(rt->reader, variable, value) && *value;
}

bool
clr_table_flags(const struct clr_runtime *rt, uint64_t method_table, uint32_t *flags)
{
	if (!clr_u32(&rt->layout, rt->reader, method_table, CLR_MT_FLAGS, flags))
		return false;
	if (rt->native)
		*flags = clr_native_flags(rt->native, *flags);
	return true;
}

/* Checks the structure's version, and two sizes that never changed. */
static bool
is_gc_vars(const struct clr_runtime *rt, uint64_t address, uint64_t *generation_bytes)
{
	uint64_t version, generations_count;

	return memory_u64(rt->reader, address, &version) &&
	       memory_u64(rt->reader, address + 8, generation_bytes) &&
	       memory_u64(rt->reader, address + 16, &generations_count) && (version & 0xff) >= 1 &&
	       (version & 0xff) <= 8 && version >> 8 < 32 && *generation_bytes > 64 &&
	       *generation_bytes < 4096 && generations_count == 5;
}

static bool
find_gc_vars(struct clr_runtime *rt, struct error *err)
{
	uint32_t first = 0, second = 0, count = 0;

	for (uint32_t i = 0; i < rt->dac_slots_count && i < GC_SLOTS_MAX; i++) {
		uint64_t address, bytes;

		if (!clr_variable(rt, i, &address) || !is_gc_vars(rt, address, &bytes))
			continue;
		if (count++ == 0) {
			first = i;
			rt->gc_vars = address;
			rt->generation_bytes = bytes;
		} else {
			second = i;
		}
	}
	rt->gc_slot = first;
	if (count == 1)
		return true;
	if (count)
		return error_set(
		    err, ERROR_INPUT,
		    "%u slots of g_dacTable look like the collector's variables (%u and %u among "
		    "them); one was expected",
		    count, first, second);
	return error_set(err, ERROR_INPUT,
			 "g_dacTable (0x%" PRIx64
			 ", %u slots) leads to nothing that looks like the collector's variables: "
			 "it is cut short, or of an unknown version; " CLR_OTHER_WAYS,
			 rt->dac_table, rt->dac_slots_count);
}

/* The slots around GcDacVars are the same from .NET 8 to 11. */
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

/* The first slot leads to the map itself, in .NET 8 to 11. */
static void
find_code_map(struct clr_runtime *rt, const struct clr_descriptor *d)
{
	if (!clr_descriptor_address(d, "ExecutionManagerCodeRangeMapAddress", &rt->code_map) &&
	    (!rt->dac_slots_count || !memory_u64(rt->reader, rt->dac_table, &rt->code_map)))
		rt->code_map = 0;
}

/* The method tables of free objects and of strings have unique base sizes. */
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
		if (flags == (CLR_MT_HAS_COMPONENTS | 1) && size == 24 && !module &&
		    !rt->free_table)
			rt->free_table = table;
		if ((flags & 0x8000ffffu) == (CLR_MT_HAS_COMPONENTS | 2) && size == 22 && module &&
		    !rt->string_table)
			rt->string_table = table;
	}
}

/* --- contract descriptor -------------------------------------------------- */

/* The runtime's file may have what a core left out. */
static bool
descriptor_open_file(struct clr_runtime *rt, const struct elf_image *image, uint64_t address,
		     struct clr_descriptor *d)
{
	struct elf_file elf;
	struct file file;
	bool is_damaged, is_open;

	if (!clr_version_open_file(rt, &file))
		return false;
	is_open = elf_file_open(&elf, file.data, file.len) &&
		  clr_descriptor_open_file(d, &elf, image->bias, address, &is_damaged);
	file_close(&file);
	return is_open;
}

static enum clr_descriptor_source
descriptor_open_at(struct clr_runtime *rt, const struct elf_image *image, uint64_t address,
		   struct clr_descriptor *d)
{
	enum clr_descriptor_source descriptor_source = CLR_DESCRIPTOR_NONE;
	bool is_damaged = false;

	if (clr_descriptor_open(d, rt->reader, address, &is_damaged))
		descriptor_source = CLR_DESCRIPTOR_IN_MEMORY;
	else if (descriptor_open_file(rt, image, address, d))
		descriptor_source = CLR_DESCRIPTOR_IN_FILE;
	if (is_damaged)
		clr_doubt(&rt->doubts, "the runtime's contract descriptor is damaged%s",
			  d->root ? "; it was read from the runtime's file" : "");
	return descriptor_source;
}

static void
descriptor_open(struct clr_runtime *rt, const struct elf_image *image, struct clr_descriptor *d)
{
	struct elf_symbol symbol;

	*d = (struct clr_descriptor){ 0 };
	if (elf_image_find(image, rt->reader, "DotNetRuntimeContractDescriptor", &symbol, NULL))
		rt->descriptor_source = descriptor_open_at(rt, image, symbol.address, d);
}

/* Applies the descriptor and its sub-descriptors, which .NET 11 has for its collector. */
static void
describe(struct clr_runtime *rt, const struct elf_image *image, const struct clr_descriptor *d)
{
	uint64_t addresses[CLR_SUBS_MAX];
	uint32_t count = clr_descriptor_subs(d, rt->reader, addresses);

	clr_descriptor_describe(d, &rt->layout);
	for (uint32_t i = 0; i < count; i++) {
		struct clr_descriptor sub;

		if (!descriptor_open_at(rt, image, addresses[i], &sub))
			continue;
		clr_descriptor_describe(&sub, &rt->layout);
		clr_descriptor_close(&sub);
	}
}

/* The built-in layout, corrected by the descriptor; if the version was not measured, the descriptor
 * alone. */
static bool
layout_fill(struct clr_runtime *rt, const struct elf_image *image, const struct clr_descriptor *d,
	    struct error *err)
{
	struct clr_layout *l = &rt->layout;
	const char *missing;
	struct error unknown = { 0 };

	if (!clr_layout_init(l, (int)rt->version[0], rt->memory->machine, &unknown)) {
		if (!d->root) {
			*err = unknown;
			return false;
		}
		clr_layout_init_empty(l, (int)rt->version[0]);
		clr_doubt(&rt->doubts,
			  ".NET %u is not supported yet: fields are where its contract descriptor "
			  "says, everything else is assumed to be as in " CLR_NEWEST,
			  rt->version[0]);
	}
	describe(rt, image, d);
	if (l->is_guess && !l->described_fields)
		clr_doubt(&rt->doubts,
			  "the layout of .NET %u is known for x64 only; here it is a guess",
			  rt->version[0]);
	return clr_layout_is_enough(l, &missing) ||
	       error_set(err, ERROR_INPUT,
			 "the contract descriptor of .NET %u lacks %s; " CLR_OTHER_WAYS,
			 rt->version[0], missing);
}

/* The descriptor's address takes precedence over the one that was recognised. */
static void
compare_global(struct clr_runtime *rt, const struct clr_descriptor *d, const char *name,
	       uint64_t *found)
{
	uint64_t described;

	if (!clr_descriptor_global(d, rt->reader, name, &described))
		return;
	rt->described_globals++;
	if (described == *found)
		return;
	if (*found)
		clr_doubt(&rt->doubts,
			  "%s was found at 0x%" PRIx64
			  ", but the contract descriptor says 0x%" PRIx64,
			  name, *found, described);
	*found = described;
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

static bool
runtime_read(struct clr_runtime *rt, const struct elf_image *image, const struct clr_descriptor *d,
	     struct error *err)
{
	if (!layout_fill(rt, image, d, err) || !find_gc_vars(rt, err))
		return false;
	find_neighbours(rt);
	find_tables(rt);
	find_code_map(rt, d);
	clr_frame_kinds_read(rt, d);
	compare_globals(rt, d);
	if (!rt->thread_store)
		clr_doubt(&rt->doubts, "the runtime's list of threads was not found");
	if (!rt->free_table)
		clr_doubt(&rt->doubts, "the method table of free objects was not found");
	return clr_threads_read(rt, err);
}

/* --- opening ------------------------------------------------------------- */

/* Only a single-file program exports its version structure. */
static bool
is_single_file(const struct clr_runtime *rt)
{
	return rt->path[0] ? !clr_is_library(rt->path) : rt->version_from == CLR_VERSION_INFO;
}

static void
doubt_choice(struct clr_runtime *rt, const struct clr_search *s)
{
	char text[160];

	rt->runtimes_count = s->count;
	if (s->count > 1 && !rt->memory->runtime_wanted)
		clr_doubt(&rt->doubts,
			  "there are %u runtimes, this is the first; choose with --runtime N: %s",
			  s->count, clr_search_text(s, text, sizeof(text)));
}

static bool
native_open(struct clr_runtime *rt, const struct clr_place *place, struct error *err)
{
	struct clr_descriptor d;
	bool is_good;

	if (!place->is_described)
		return clr_native_open(rt, &place->image, rt->dac_table, err);
	descriptor_open(rt, &place->image, &d);
	is_good = clr_native_contract_version(rt, &d, err);
	if (is_good) {
		clr_layout_init_native(&rt->layout, (int)rt->version[0]);
		describe(rt, &place->image, &d);
		is_good = clr_native_contract_open(rt, &place->image, &d, err);
	}
	clr_descriptor_close(&d);
	return is_good;
}

static bool
runtime_fill(struct clr_runtime *rt, struct error *err)
{
	const struct clr_place *place;
	struct clr_descriptor d;
	struct clr_search s;
	bool is_good;

	clr_search(&s, rt->memory, rt->reader);
	place = clr_search_choose(&s, rt->memory, err);
	if (!place)
		return false;
	rt->path = place->path;
	rt->gc_library = s.gc_library;
	rt->base = place->image.base;
	rt->dac_table = place->table.address;
	rt->dac_slots_count =
	    place->table.size / 8 < SLOTS_MAX ? (uint32_t)(place->table.size / 8) : SLOTS_MAX;
	doubt_choice(rt, &s);
	if (place->is_native)
		return native_open(rt, place, err);
	if (!clr_version_find(rt, &place->image, place->table.size, err))
		return false;
	rt->is_single_file = is_single_file(rt);
	descriptor_open(rt, &place->image, &d);
	is_good = runtime_read(rt, &place->image, &d, err);
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
	rt->doubts.arena = &rt->arena;
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
	clr_native_close(rt);
	memory_reader_free(rt->reader);
	arena_clear(&rt->arena);
	memory_free(rt);
}
