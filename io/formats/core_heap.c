#include "io/clr/graph.h"
#include "io/formats/core_heap.h"
#include "io/memory/core.h"
#include <string.h>

/* The kernel puts the heap of malloc() at most that far above the program. */
#define HEAP_APART (UINT64_C(1) << 30)

/* A core has no names of anonymous memory. The first file is the program, and the kernel puts the
   heap of malloc() above it: name that [heap]. The program's uninitialized data, in between, get
   the name too, but are small. */
static void
name_heap(struct mapping_list *list)
{
	uint64_t end = 0;
	size_t i = 0;

	while (i < list->count && list->items[i].map.flags & MEMORY_FILE &&
	       !strcmp(list->items[i].map.name, list->items[0].map.name))
		end = list->items[i++].map.end;
	for (; end && i < list->count; i++) {
		struct memory_mapping *m = &list->items[i].map;

		if (m->flags & MEMORY_FILE || m->start - end > HEAP_APART)
			return;
		if (m->flags & MEMORY_WRITE)
			m->name = "[heap]";
		end = m->end;
	}
}

/* Memory that is looked at for pages of zeros, about: a third of a second. */
#define LOOK_BYTES (UINT64_C(1) << 30)

static bool
is_anonymous(const struct memory_mapping *m)
{
	return !(m->flags & MEMORY_FILE);
}

/* Lists the mappings with the bytes that are in the core: of anonymous memory those that were
   written. If none were, and none can be, it is only reserved, and left out. */
static bool
fill_list(struct mapping_list *list, struct progress *progress, struct error *err)
{
	const struct memory *m = list->filled_from;
	uint64_t anonymous = 0, every;

	list->items = memory_new(m->mappings_count + 1, sizeof(*list->items), err);
	for (size_t i = 0; i < m->mappings_count; i++)
		if (is_anonymous(&m->mappings[i]))
			anonymous += m->mappings[i].end - m->mappings[i].start;
	every = anonymous / LOOK_BYTES + 1;
	for (size_t i = 0; list->items && i < m->mappings_count; i++) {
		const struct memory_mapping *map = &m->mappings[i];
		uint64_t bytes = is_anonymous(map)
				     ? core_written_bytes(m, map->start, map->end, every)
				     : core_present_bytes(m, map->start, map->end);

		if (bytes || !is_anonymous(map) || map->flags & MEMORY_WRITE)
			list->items[list->count++] = (struct used_mapping){ *map, bytes };
		if (progress_is_cancelled(progress))
			return error_cancelled(err);
	}
	if (list->items)
		name_heap(list);
	return list->items != NULL;
}

static const struct heap *
load(struct input *in, const struct load_how *how, struct error *err)
{
	struct memory *m = core_open(in, how->sysroot, how->progress, err);
	struct mapping_list mappings = { .fill = fill_list };
	struct clr_graph_options options = {
		.symbols = how->symbols,
		.what = how->what,
		.runtime = how->runtime,
		.is_forced = how->is_forced,
		.has_conservative_stacks = how->has_conservative_stacks,
		.kept = m, /* with LOAD_ALL */
		.mappings = &mappings,
		.memory_bytes = how->memory_bytes,
		.progress = how->progress,
		.preview = how->preview,
	};
	const struct heap *h;
	bool is_kept;

	if (!m)
		return NULL;
	m->runtime_wanted = how->runtime;
	options.pid = core_facts(m)->pid;
	mappings.known.detail = RESIDENT_PRESENT;
	mappings.known.parts[RESIDENT_STACKS].count = m->threads_count;
	mappings.filled_from = m;
	h = clr_graph_load(m, how->path, &options, err);
	memory_free(mappings.items);
	is_kept = h && how->what == LOAD_ALL;
	if (!core_is_intact(m, err)) {
		heap_free(h);
		h = NULL;
	}
	if (!is_kept)
		memory_close(m);
	return h;
}

const struct source source_core = {
	.name = "core",
	.help = "core of a .NET process",
	.accepts = core_accepts,
	.load = load,
};
