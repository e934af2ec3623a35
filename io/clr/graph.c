#include "io/clr/contents.h"
#include "io/clr/graph_state.h"
#include "io/runtime/native.h"
#include "io/runtime/presence.h"
#include <inttypes.h>

/* --- warnings ------------------------------------------------------------- */

static bool
warn_about_holes(struct clr_graph *g, struct error *err)
{
	struct heap_memory *m = heap_builder_memory(g->builder, err);
	struct losses *losses = &heap_builder_info(g->builder)->losses;
	uint64_t count = 0, bytes = 0;
	unsigned shown = 0;

	if (!m)
		return false;
	for (unsigned i = 0; i < g->workers_count; i++) {
		count += g->workers[i].lost_count;
		bytes += g->workers[i].lost_bytes;
	}
	if (!count)
		return true;
	losses->damaged_nodes += count;
	losses->missing_bytes += bytes;
	if (!heap_builder_warning(g->builder, err,
				  "%" PRIu64 " hole%s in the heap, %" PRIu64
				  " bytes: the objects there are unknown",
				  count, count == 1 ? "" : "s", bytes))
		return false;
	for (uint32_t i = 0; i < m->holes_count && shown < HOLES_SHOWN; i++) {
		const struct heap_hole *h = &m->holes[i];

		if (h->reason == clr_hole_text(CLR_HOLE_UNFINISHED))
			continue;
		shown++;
		if (!heap_builder_warning(g->builder, err,
					  "hole at %" PRIx64 ", %" PRIu64
					  " bytes: %s; last good object: %" PRIx64,
					  h->start, h->end - h->start, h->reason, h->last_good))
			return false;
	}
	return true;
}

static bool
warn_about_cut(struct clr_graph *g, struct error *err)
{
	uint64_t bytes = g->runtime->memory->cut_bytes;

	if (!bytes)
		return true;
	heap_builder_info(g->builder)->losses.missing_bytes += bytes;
	return heap_builder_warning(
	    g->builder, err,
	    "the file is cut short: %" PRIu64
	    " bytes of memory are missing; objects that handles and stacks hold may seem "
	    "unreachable",
	    bytes);
}

/* Modules of one kind: how many, and the path of the first. */
struct some_modules {
	uint32_t count;
	const char *first;
};

static struct some_modules
find_modules(const struct clr_graph *g, enum memory_trust trust, bool are_named)
{
	const struct clr_modules *modules = clr_types_names(g->types)->modules;
	struct some_modules some = { 0 };

	for (size_t i = 0; i < clr_modules_count(modules); i++) {
		const struct clr_module *m = clr_modules_at(modules, i);

		if (m->trust != trust || !m->metadata == are_named)
			continue;
		if (!some.count++)
			some.first = *m->path ? m->path : "an unnamed one";
	}
	return some;
}

/* Says what the names rest on that may be those of another build. */
static bool
warn_about_files(struct clr_graph *g, struct error *err)
{
	static const struct {
		enum memory_trust trust;
		const char *text;
	} rows[] = {
		{ MEMORY_UNVERIFIED, "the builds of these files cannot be compared" },
		{ MEMORY_CHANGED, "these files were written to after the process started" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct some_modules some = find_modules(g, rows[i].trust, true);

		if (some.count &&
		    !heap_builder_warning(
			g->builder, err,
			"names in %" PRIu32 " module%s come from files (the first is %.120s) whose "
			"numbers of types, methods and fields agree with memory, but names may "
			"differ: %s",
			some.count, some.count == 1 ? "" : "s", some.first, rows[i].text))
			return false;
	}
	return true;
}

/* Merges the first bad references of all threads, by object. */
static void
merge_bad_refs(const struct clr_graph *g, struct clr_bad_refs *all)
{
	unsigned at[WORKER_MAX] = { 0 };

	*all = (struct clr_bad_refs){ .count = clr_graph_bad_refs(g) };
	while (all->shown < BAD_REFS_SHOWN && all->shown < all->count) {
		const struct clr_bad_ref *first = NULL;
		unsigned of = 0;

		for (unsigned i = 0; i < g->workers_count; i++) {
			const struct clr_bad_refs *some = &g->workers[i].bad_refs;

			if (at[i] < some->shown &&
			    (!first || some->first[at[i]].object < first->object)) {
				first = &some->first[at[i]];
				of = i;
			}
		}
		if (!first)
			return;
		all->first[all->shown++] = *first;
		at[of]++;
	}
}

/* References of dead objects are no loss. */
static bool
warn_about_stale_refs(struct clr_graph *g, struct error *err)
{
	uint64_t count = g->stale_refs;

	return !count ||
	       heap_builder_warning(g->builder, err,
				    "%" PRIu64 " reference%s of dead objects, which a background "
				    "collection was sweeping, lead%s to no object and %s left out",
				    count, count == 1 ? "" : "s", count == 1 ? "s" : "",
				    count == 1 ? "is" : "are");
}

static bool
warn_about_refs(struct clr_graph *g, struct error *err)
{
	struct losses *losses = &heap_builder_info(g->builder)->losses;
	const struct type *types = heap_builder_types(g->builder);
	struct clr_bad_refs bad;

	for (unsigned i = 0; i < g->workers_count; i++)
		losses->partial_nodes += g->workers[i].partial_count;
	merge_bad_refs(g, &bad);
	losses->damaged_refs += bad.count;
	if (!bad.count)
		return true;
	if (!heap_builder_warning(
		g->builder, err, "%" PRIu64 " reference%s to no object and %s left out", bad.count,
		bad.count == 1 ? " leads" : "s lead", bad.count == 1 ? "is" : "are"))
		return false;
	for (unsigned i = 0; i < bad.shown; i++)
		if (!heap_builder_warning(g->builder, err,
					  "object %" PRIx64 " (%.100s) refers to %" PRIx64
					  ", where no object starts",
					  bad.first[i].object, types[bad.first[i].type->id].name,
					  bad.first[i].target))
			return false;
	return true;
}

/* Explains why types are named by numbers. */
static bool
warn_about_names(struct clr_graph *g, uint32_t unnamed, struct error *err)
{
	struct some_modules missing = find_modules(g, MEMORY_TRUSTED, false);
	struct some_modules other = find_modules(g, MEMORY_REPLACED, false);
	bool is_good = true;

	if (other.count)
		is_good = heap_builder_warning(
		    g->builder, err,
		    "%" PRIu32 " types are named by numbers: the file%s of "
		    "%" PRIu32 " module%s %s of another build than the process loaded; the first "
		    "is %.150s%s",
		    unnamed, other.count == 1 ? "" : "s", other.count, other.count == 1 ? "" : "s",
		    other.count == 1 ? "is" : "are", other.first,
		    g->memory->is_dump ? ". --sysroot DIR says where the files of a core are"
				       : ". Events have the names: leave out -m");
	else if (!missing.count)
		return heap_builder_warning(
		    g->builder, err,
		    "%" PRIu32 " types are named by numbers: their records are damaged", unnamed);
	return is_good &&
	       (!missing.count ||
		heap_builder_warning(
		    g->builder, err,
		    "%" PRIu32 " types are named by numbers: the metadata of "
		    "%" PRIu32 " modules is missing; the first is %.150s. --sysroot DIR says where "
		    "the files of a core are",
		    unnamed, missing.count, missing.first));
}

static bool
warn_about_symbols(struct clr_graph *g, struct error *err)
{
	const char *why = g->runtime->native->why;

	return !*why ||
	       heap_builder_warning(
		   g->builder, err,
		   "types have no names: Native AOT has them only in the program's symbols, and %s",
		   why);
}

static bool
warn_about_types(struct clr_graph *g, struct error *err)
{
	const struct clr_types_losses *l = clr_types_losses(g->types);
	struct heap_builder *b = g->builder;

	if (l->unnamed && !(g->runtime->native ? warn_about_symbols(g, err)
					       : warn_about_names(g, l->unnamed, err)))
		return false;
	if (l->nameless_calls &&
	    !heap_builder_warning(
		b, err,
		"suspended calls wait at %" PRIu32
		" places in methods whose names are unknown: not all of the code is in memory; "
		"createdump -u writes all of it",
		l->nameless_calls))
		return false;
	if (l->cut &&
	    !heap_builder_warning(b, err, "%" PRIu32 " types have names that are too long", l->cut))
		return false;
	if (l->damaged_refs &&
	    !heap_builder_warning(
		b, err, "the references of %" PRIu32 " types are unknown; the first is %.80s: %s",
		l->damaged_refs, l->damaged_name, l->damaged_why))
		return false;
	return !l->loader_allocators || heap_builder_warning(b, err,
							     "the loader allocators of %" PRIu32
							     " collectible types were not found",
							     l->loader_allocators);
}

static bool
warn_about_doubts(struct clr_graph *g, const struct clr_doubts *doubts, struct error *err)
{
	for (size_t i = 0; i < doubts->count; i++)
		if (!heap_builder_warning(g->builder, err, "%s", doubts->texts[i]))
			return false;
	return true;
}

/* --- ranges, modules, information --- */

/* An ephemeral segment is split into its generations. */
static bool
add_range(struct clr_graph *g, const struct clr_range *r, struct error *err)
{
	uint64_t gen0 = r->ephemeral_start[0], gen1 = r->ephemeral_start[1];
	int32_t heap = (int32_t)r->heap;

	if (gen0 > r->end || gen0 < r->start)
		gen0 = r->end;
	if (gen1 > gen0 || gen1 < r->start)
		gen1 = gen0;
	return heap_builder_range(g->builder, r->start, gen1, (enum generation)r->generation, heap,
				  err) &&
	       heap_builder_range(g->builder, gen1, gen0, GEN_1, heap, err) &&
	       heap_builder_range(g->builder, gen0, r->end, GEN_0, heap, err);
}

static bool
add_ranges(struct clr_graph *g, struct error *err)
{
	for (size_t i = 0; i < g->heaps->ranges_count; i++)
		if (!add_range(g, &g->heaps->ranges[i], err))
			return false;
	return true;
}

static bool
add_modules(struct clr_graph *g, struct error *err)
{
	const struct clr_modules *from = clr_types_names(g->types)->modules;
	struct heap_memory *m = heap_builder_memory(g->builder, err);
	struct arena *a = heap_builder_arena(g->builder);
	size_t count = clr_modules_count(from);
	struct heap_module *modules;

	modules = arena_array(a, struct heap_module, count, err);
	if (!m || !modules)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct clr_module *module = clr_modules_at(from, i);

		modules[i] = (struct heap_module){
			.address = module->address,
			.path = arena_strndup(a, module->path, strlen(module->path), err),
			.image = module->image,
			.image_bytes = module->image_bytes,
			.is_dynamic = module->is_dynamic,
		};
		if (!modules[i].path)
			return false;
	}
	m->modules = modules;
	m->modules_count = (uint32_t)count;
	return true;
}

static bool
add_program(struct clr_graph *g, struct error *err)
{
	const struct clr_native *n = g->runtime->native;
	struct heap_memory *m = heap_builder_memory(g->builder, err);
	struct arena *a = heap_builder_arena(g->builder);
	struct heap_module *module = arena_new(a, struct heap_module, err);
	const char *path = g->runtime->path;

	if (!m || !module)
		return false;
	*module = (struct heap_module){
		.address = n->base,
		.path = arena_strndup(a, path, strlen(path), err),
		.image = n->base,
		.image_bytes = n->end - n->base,
	};
	m->modules = module;
	m->modules_count = 1;
	return module->path;
}

static bool
add_info(struct clr_graph *g, const char *name, struct error *err)
{
	struct heap_info *info = heap_builder_info(g->builder);
	struct arena *a = heap_builder_arena(g->builder);
	const uint32_t *version = g->runtime->version;
	bool is_exact = g->runtime->version_from != CLR_VERSION_TABLE;

	info->pid = g->options->pid;
	info->source = arena_strndup(a, name, strlen(name), err);
	if (is_exact)
		info->format =
		    arena_printf(a, err, "memory of .NET %" PRIu32 ".%" PRIu32 ".%" PRIu32,
				 version[0], version[1], version[2]);
	else
		info->format = arena_printf(a, err, "memory of .NET %" PRIu32 "%s", version[0],
					    g->runtime->native ? ", Native AOT" : "");
	return info->source && info->format &&
	       (!g->options->origin || heap_origin_record(g->builder, g->options->origin, err));
}

/* --- building --- */

static bool
is_walkable(const struct clr_graph *g, struct error *err)
{
	if (!g->heaps->invalid_count || g->options->is_forced)
		return true;
	return error_set(
	    err, ERROR_INPUT,
	    "the collector was moving objects in %s, so the heap cannot be walked reliably; "
	    "--force loads what can be read",
	    g->memory->name);
}

/* Precedes the objects, since dependent handles are references of some. */
static bool
read_roots(struct clr_graph *g, struct error *err)
{
	g->roots = clr_roots_read(g->heaps, clr_types_names(g->types), g->builder,
				  g->options->progress, err);
	if (g->roots)
		g->links = clr_roots_links(g->roots, &g->links_count);
	return g->roots != NULL;
}

static bool
add_roots(struct clr_graph *g, struct error *err)
{
	struct heap_memory *m = heap_builder_memory(g->builder, err);

	return m && clr_roots_add(g->roots, m, g->options->has_conservative_stacks, err);
}

/* Limits the graph to the memory left; it takes at least 5.5 bytes an object. */
static bool
limit_memory(struct clr_graph *g, struct error *err)
{
	const struct clr_graph_options *o = g->options;
	uint64_t left = o->memory_bytes > o->kept_bytes ? o->memory_bytes - o->kept_bytes : 1;

	if (!o->memory_bytes)
		return true;
	heap_builder_arena(g->builder)->limit_bytes = left;
	return 11 * g->objects_count / 2 <= left ||
	       error_limit(err, 11 * g->objects_count / 2, left);
}

/* An object with its references in a typical heap; memory to count objects. */
enum { OBJECT_BYTES = 11, COUNTING_BYTES = 15 << 20 };

static bool
explain_limit(const struct clr_graph *g, struct error *err)
{
	uint64_t graph = g->objects_count * OBJECT_BYTES;
	uint64_t needed = memory_refused().needed_bytes;

	if (!g->objects_count && needed < COUNTING_BYTES)
		needed = COUNTING_BYTES;
	if (needed < memory_held() + graph)
		needed = memory_held() + graph;
	if (needed < g->options->kept_bytes + graph)
		needed = g->options->kept_bytes + graph;
	return heap_is_too_large(g->objects_count, needed, g->options->memory_bytes, err);
}

static bool
find_presence(struct clr_graph *g, struct error *err)
{
	return g->options->is_forced || clr_presence_check(g->heaps, &g->lacks_heap, err);
}

/* Adds the modules of the program. One of Native AOT is one module. */
static bool
add_all_modules(struct clr_graph *g, struct error *err)
{
	return g->runtime->native ? add_program(g, err) : add_modules(g, err);
}

/* Reads all that a dump without a heap has. */
static bool
build_threads(struct clr_graph *g, const char *name, struct error *err)
{
	struct heap_memory *m = heap_builder_memory(g->builder, err);

	if (!m)
		return false;
	m->lacks_objects = clr_presence_no_heap;
	return clr_roots_threads(m, g->heaps, clr_types_names(g->types), g->builder,
				 g->options->progress, err) &&
	       add_all_modules(g, err) && add_info(g, name, err) &&
	       heap_builder_warning(g->builder, err, "%s", clr_presence_no_heap) &&
	       warn_about_doubts(g, &g->runtime->doubts, err) && warn_about_files(g, err);
}

static bool
build(struct clr_graph *g, const char *name, struct error *err)
{
	bool is_all = g->options->what == LOAD_ALL;

	if (!find_presence(g, err))
		return false;
	if (g->lacks_heap)
		return build_threads(g, name, err);
	if (!is_walkable(g, err) || (is_all && !read_roots(g, err)) || !clr_graph_objects(g, err))
		return false;
	if (is_all && (!limit_memory(g, err) || !clr_graph_refs(g, err) || !add_ranges(g, err) ||
		       !add_roots(g, err) || !clr_graph_recheck_refs(g, err)))
		return false;
	return add_all_modules(g, err) && add_info(g, name, err) &&
	       (!is_all || clr_graph_resident(g, err)) &&
	       warn_about_doubts(g, &g->runtime->doubts, err) &&
	       warn_about_doubts(g, &g->heaps->doubts, err) && warn_about_cut(g, err) &&
	       warn_about_files(g, err) && warn_about_holes(g, err) && warn_about_types(g, err) &&
	       warn_about_refs(g, err) && warn_about_stale_refs(g, err);
}

/* --- contents of objects --- */

static void
close_contents(const struct heap_memory *m)
{
	clr_contents_free((struct clr_contents *)(uintptr_t)m->source);
}

/* Moves the runtime and the types, and on success the memory, to the contents. */
static bool
keep_memory(struct clr_graph *g, struct error *err)
{
	struct heap_memory *m = heap_builder_memory(g->builder, err);

	if (m) {
		m->resident_bytes = g->options->resident_bytes;
		m->kept_bytes = g->options->kept_bytes;
	}
	if (!g->options->kept || g->options->what != LOAD_ALL)
		return m != NULL;
	if (!m)
		return false;
	m->lacks_fields = g->runtime->native;
	g->contents = clr_contents_new(g->runtime, g->types, err);
	if (!g->contents)
		return false;
	g->runtime = NULL;
	g->types = NULL;
	m->contents = &clr_contents_ops;
	m->source = g->contents;
	m->close = close_contents;
	return true;
}

static const struct heap *
finish(struct clr_graph *g, struct error *err)
{
	const struct heap *h;

	if (!keep_memory(g, err))
		return NULL;
	h = heap_builder_finish(g->builder, err);
	g->builder = NULL;
	if (h && g->contents)
		clr_contents_start(g->contents, h, g->options->kept);
	return h;
}

static bool
open_all(struct clr_graph *g, struct error *err)
{
	g->runtime = clr_runtime_open(g->memory, err);
	if (!g->runtime)
		return false;
	g->heaps = clr_heaps_open(g->runtime, err);
	if (!g->heaps)
		return false;
	g->builder = heap_builder_new(err);
	if (!g->builder)
		return false;
	g->types = clr_types_new(&g->runtime->layout, g->runtime->reader, g->builder, err);
	if (!g->types)
		return false;
	clr_types_set_runtime(g->types, g->runtime);
	if (!g->runtime->native)
		return true;
	clr_types_set_native(g->types, g->runtime->native);
	if (!g->options->native && !g->options->native_why)
		return clr_native_find_symbols(g->runtime, g->options->symbols, err);
	clr_native_set_symbols(g->runtime, g->options->native, g->options->native_why);
	return true;
}

const struct heap *
clr_graph_load(const struct memory *m, const char *name, const struct clr_graph_options *options,
	       struct error *err)
{
	struct clr_graph *g = memory_new(1, sizeof(*g), err);
	const struct heap *heap = NULL;

	if (!g)
		return NULL;
	g->memory = m;
	g->options = options;
	pthread_mutex_init(&g->lock, NULL);
	if (open_all(g, err) && build(g, name, err))
		heap = finish(g, err);
	if (!heap && options->memory_bytes && err->is_limit)
		explain_limit(g, err);
	memory_free(g->doubtful);
	clr_roots_free(g->roots);
	clr_types_free(g->types);
	heap_builder_free(g->builder);
	clr_heaps_close(g->heaps);
	clr_runtime_close(g->runtime);
	pthread_mutex_destroy(&g->lock);
	memory_free(g);
	return heap;
}
