#include "io/clr/roots.h"
#include "io/clr/frame_names.h"
#include "io/runtime/finalizers.h"
#include "io/runtime/method_table.h"
#include "io/clr/stacks.h"
#include "model/base/sorted.h"
#include "model/heap/names.h"
#include "model/heap/root_gaps.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct clr_roots {
	const struct clr_heaps *heaps;
	const struct clr_names *names;
	struct progress *progress;    /* or NULL */
	struct heap_builder *builder; /* its arena holds the names */
	struct clr_handles handles;
	struct clr_finalizers finalizers;
	struct clr_thread_names threads;
	struct clr_statics statics;
	struct clr_stacks stacks;
	uint32_t loaded_missing_count;
	struct clr_link *links;
	size_t links_count, links_room;
};

/* --- first step --- */

static bool
find_links(struct clr_roots *r, struct error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->handles.count; i++) {
		const struct clr_handle *h = &r->handles.items[i];

		if (h->kind != HANDLE_DEPENDENT || !h->second)
			continue;
		if (!APPEND(r->links, r->links_count, r->links_room, err,
			    (struct clr_link){ h->object, h->second }))
			return false;
	}
	if (r->links_count)
		qsort(r->links, r->links_count, sizeof(*r->links), compare_u64_pair);
	for (size_t i = 0; i < r->links_count; i++)
		if (!kept || compare_u64_pair(&r->links[kept - 1], &r->links[i]))
			r->links[kept++] = r->links[i];
	r->links_count = kept;
	return true;
}

/* Reads all modules, also those of no object in the heap. */
static bool
find_modules(const struct clr_names *names, const struct clr_loaded *loaded, struct error *err)
{
	for (size_t i = 0; i < loaded->modules_count; i++)
		if (!clr_modules_find(names->modules, loaded->modules[i], err))
			return false;
	return true;
}

static bool
read_modules(const struct clr_heaps *heaps, const struct clr_names *names,
	     struct progress *progress, struct error *err)
{
	struct clr_loaded loaded;
	bool is_good;

	if (!clr_loaded_read(&loaded, heaps->runtime, progress, err))
		return false;
	is_good = find_modules(names, &loaded, err);
	clr_loaded_clear(&loaded);
	return is_good;
}

static bool
read_statics(struct clr_roots *r, const struct clr_names *names, struct error *err)
{
	struct clr_loaded loaded;
	bool is_good;

	if (!clr_loaded_read(&loaded, r->heaps->runtime, r->progress, err))
		return false;
	is_good = find_modules(names, &loaded, err) &&
		  clr_statics_read(&r->statics, r->heaps, names, &loaded, &r->threads,
				   heap_builder_arena(r->builder), r->progress, err);
	r->loaded_missing_count = loaded.missing_count + r->statics.missing_count;
	clr_loaded_clear(&loaded);
	return is_good;
}

struct clr_roots *
clr_roots_read(const struct clr_heaps *heaps, const struct clr_names *names, struct heap_builder *b,
	       struct progress *progress, struct error *err)
{
	struct clr_roots *r = memory_new(1, sizeof(*r), err);

	if (!r)
		return NULL;
	r->heaps = heaps;
	r->builder = b;
	r->progress = progress;
	r->names = names;
	if (clr_handles_read_all(&r->handles, heaps, progress, err) && find_links(r, err) &&
	    clr_finalizers_read(&r->finalizers, heaps, err) &&
	    clr_thread_names_read(&r->threads, heaps->runtime, &r->handles, heap_builder_arena(b),
				  err) &&
	    read_statics(r, names, err))
		return r;
	clr_roots_free(r);
	return NULL;
}

void
clr_roots_free(struct clr_roots *roots)
{
	if (!roots)
		return;
	clr_handles_clear(&roots->handles);
	clr_finalizers_clear(&roots->finalizers);
	clr_thread_names_clear(&roots->threads);
	clr_statics_clear(&roots->statics);
	clr_stacks_clear(&roots->stacks);
	memory_free(roots->links);
	memory_free(roots);
}

const struct clr_link *
clr_roots_links(const struct clr_roots *roots, size_t *count)
{
	*count = roots->links_count;
	return roots->links;
}

/* --- second step --- */

struct adding {
	struct clr_roots *roots;
	struct heap_builder *builder;
	const struct addresses *addresses;
	struct losses *losses;
	struct heap_memory *memory;
	struct arena *arena; /* the heap's */
	struct error *err;
};

/* NODE_NONE: no object starts there; counts a loss. */
static node_id
find_node(struct adding *g, uint64_t object)
{
	node_id n = addresses_find(g->addresses, object);

	g->losses->undefined_roots += n == NODE_NONE;
	return n;
}

static bool
add_root(struct adding *g, uint64_t object, enum root_kind kind, bool is_pinned, const char *name,
	 const char *label)
{
	node_id n = find_node(g, object);

	return n == NODE_NONE ||
	       heap_builder_root(g->builder, n, kind, is_pinned, name, label, g->err);
}

/* By kind of handle; ROOT_KIND_COUNT: weak or dependent, no root. */
static const struct {
	uint8_t kind; /* enum root_kind */
	bool is_pinned;
	const char *label;
} handle_roots[HANDLE_KIND_COUNT] = {
	[HANDLE_WEAK_SHORT] = { ROOT_KIND_COUNT, false, NULL },
	[HANDLE_WEAK_LONG] = { ROOT_KIND_COUNT, false, NULL },
	[HANDLE_STRONG] = { ROOT_STRONG, false, NULL },
	[HANDLE_PINNED] = { ROOT_PINNED, true, NULL },
	[HANDLE_VARIABLE] = { ROOT_STRONG, false, "variable handle" },
	[HANDLE_REF_COUNTED] = { ROOT_REF_COUNTED, false, NULL },
	[HANDLE_DEPENDENT] = { ROOT_KIND_COUNT, false, NULL },
	[HANDLE_ASYNC_PINNED] = { ROOT_ASYNC_PINNED, true, NULL },
	[HANDLE_SIZED_REF] = { ROOT_SIZED_REF, false, NULL },
	[HANDLE_WEAK_NATIVE_COM] = { ROOT_KIND_COUNT, false, NULL },
	[HANDLE_WEAK_INTERIOR] = { ROOT_KIND_COUNT, false, NULL },
	[HANDLE_CROSS_REFERENCE] = { ROOT_OTHER, false, "cross-reference handle" },
};

static bool
add_handle(struct adding *g, const struct clr_handle *h, struct heap_handle *out)
{
	*out = (struct heap_handle){
		.address = h->address,
		.object = find_node(g, h->object),
		.dependent = NODE_NONE,
		.kind = h->kind,
	};
	if (h->second)
		out->dependent = addresses_find(g->addresses, h->second);
	if (out->object == NODE_NONE)
		return true;
	if (clr_handle_is_weak((enum heap_handle_kind)h->kind))
		return heap_builder_weak(g->builder, out->object, 1, g->err);
	return handle_roots[h->kind].kind == ROOT_KIND_COUNT ||
	       heap_builder_root(
		   g->builder, out->object, (enum root_kind)handle_roots[h->kind].kind,
		   handle_roots[h->kind].is_pinned, NULL, handle_roots[h->kind].label, g->err);
}

static bool
add_handles(struct adding *g)
{
	const struct clr_handles *from = &g->roots->handles;
	struct heap_handle *items = arena_array(g->arena, struct heap_handle, from->count, g->err);

	if (!items)
		return false;
	for (size_t i = 0; i < from->count; i++)
		if (!add_handle(g, &from->items[i], &items[i]))
			return false;
	g->memory->handles = items;
	g->memory->handles_count = (uint32_t)from->count;
	return true;
}

static bool
add_finalizers(struct adding *g)
{
	const struct clr_finalizers *from = &g->roots->finalizers;
	struct heap_finalizable *items =
	    arena_array(g->arena, struct heap_finalizable, from->count, g->err);
	uint32_t count = 0;

	if (!items)
		return false;
	for (size_t i = 0; i < from->count; i++) {
		const struct clr_finalizer *f = &from->items[i];
		bool is_ready = clr_finalizer_is_ready(f);
		node_id n = find_node(g, f->object);

		if (n == NODE_NONE)
			continue;
		items[count++] = (struct heap_finalizable){ n, is_ready };
		if (is_ready &&
		    !heap_builder_root(g->builder, n, ROOT_FINALIZER, false, NULL, NULL, g->err))
			return false;
	}
	g->memory->finalizables = items;
	g->memory->finalizables_count = count;
	return true;
}

/* Objects of threads are unknown in a heap without objects. Returns the threads, or NULL. */
static struct heap_thread *
add_threads(struct adding *g, const struct clr_thread_names *from, uint64_t finalizer)
{
	struct heap_thread *items = arena_array(g->arena, struct heap_thread, from->count, g->err);
	const struct addresses *objects = g->addresses;

	if (!items)
		return NULL;
	for (size_t i = 0; i < from->count; i++) {
		const struct clr_thread_name *t = &from->items[i];

		items[i] = (struct heap_thread){
			.address = t->address,
			.os_id = t->os_id,
			.id = t->id,
			.object = objects ? addresses_find(objects, t->object) : NODE_NONE,
			.thrown = objects ? addresses_find(objects, t->thrown) : NODE_NONE,
			.mode = t->mode,
			.name = t->name,
			.is_unnamed = t->is_unnamed,
			.is_finalizer = t->address && t->address == finalizer,
		};
	}
	g->memory->threads = items;
	g->memory->threads_count = (uint32_t)from->count;
	return items;
}

static bool
add_statics(struct adding *g)
{
	const struct clr_statics *from = &g->roots->statics;

	for (size_t i = 0; i < from->count; i++) {
		const struct clr_static *s = &from->items[i];

		if (!add_root(g, s->object, s->thread ? ROOT_THREAD_STATIC : ROOT_STATIC, false,
			      s->name, s->thread ? s->thread->title : NULL))
			return false;
	}
	for (size_t i = 0; i < from->arrays_count; i++)
		if (!add_root(g, from->arrays[i].object, ROOT_THREAD_STATIC, false, NULL,
			      from->arrays[i].thread->title))
			return false;
	return true;
}

/* "thread 5 (OS 4711) leaky-0, frame 3, rbx". */
static const char *
label_slot(struct adding *g, const struct clr_stack_root *s, const char *thread)
{
	static const char *const registers[X64_REGISTERS] = { "rax", "rcx", "rdx", "rbx",
							      "rsp", "rbp", "rsi", "rdi",
							      "r8",  "r9",  "r10", "r11",
							      "r12", "r13", "r14", "r15" };

	if (s->slot < X64_REGISTERS)
		return arena_printf(g->arena, g->err, "%s, frame %" PRIu32 ", %s", thread, s->frame,
				    registers[s->slot]);
	return arena_printf(g->arena, g->err, "%s, frame %" PRIu32 ", 0x%" PRIx64, thread, s->frame,
			    s->slot);
}

static bool
add_slot(struct adding *g, const struct clr_stack_root *s, const char *thread,
	 struct clr_frame_names *names)
{
	struct content_frame frame = { 0 };
	const char *label = label_slot(g, s, thread ? thread : "");

	return label && clr_frame_name_method(names, s->record, &frame) &&
	       add_root(g, s->object, ROOT_STACK, s->is_pinned, frame.text, label);
}

/* Says how the stacks were read. */
static bool
describe_stacks(struct adding *g)
{
	const struct clr_stacks *from = &g->roots->stacks;

	g->memory->stacks = (struct heap_stacks){
		.frames = from->frames,
		.unknown_frames = from->unknown_frames,
		.unknown_why = from->unknown_why ? from->unknown_why : "",
		.unread_threads = from->unread_count,
		.why = arena_printf(g->arena, g->err, "%s", from->why),
	};
	return g->memory->stacks.why != NULL;
}

static bool
add_stacks(struct adding *g)
{
	const struct clr_stacks *from = &g->roots->stacks;
	struct clr_frame_names names = {
		.runtime = g->roots->heaps->runtime,
		.names = g->roots->names,
		.arena = g->arena,
		.err = g->err,
	};

	for (size_t i = 0; i < from->count; i++) {
		const struct clr_stack_root *s = &from->items[i];
		const struct clr_thread_name *name =
		    clr_thread_names_find(&g->roots->threads, s->os_id);
		const char *thread = name ? name->title : NULL;
		bool is_good =
		    s->is_known
			? add_slot(g, s, thread, &names)
			: add_root(g, s->object, s->is_local ? ROOT_THREAD_STATIC : ROOT_STACK_WORD,
				   false, thread,
				   s->is_interior ? "conservative, interior pointer"
						  : "conservative");

		if (!is_good)
			return false;
	}
	return true;
}

static bool
add_frozen(struct adding *g)
{
	const struct clr_heaps *heaps = g->roots->heaps;

	for (size_t i = 0; i < heaps->ranges_count; i++) {
		const struct clr_range *r = &heaps->ranges[i];
		uint32_t end;

		if (r->generation != GEN_FROZEN)
			continue;
		end = addresses_rank(g->addresses, r->end);
		for (uint32_t n = addresses_rank(g->addresses, r->start); n < end; n++)
			if (!heap_builder_root(g->builder, n, ROOT_FROZEN, false, NULL, NULL,
					       g->err))
				return false;
	}
	return true;
}

/* Objects kept alive by a missing root look unreachable. */
static bool
warn_about_missing(struct adding *g)
{
	const struct clr_roots *r = g->roots;
	const struct {
		uint32_t count;
		enum root_gap_kind kind;
		const char *what;
	} missing[] = {
		{ r->handles.missing_count, GAP_HANDLES, "of the handles" },
		{ r->finalizers.missing_count, GAP_FINALIZERS, "of the finalizer queue" },
		{ r->loaded_missing_count, GAP_STATICS, "of the types with static variables" },
		{ r->stacks.missing_count, GAP_STACKS, "of the stacks" },
		{ r->stacks.missing_locals_count, GAP_THREAD_STATICS,
		  "of the thread-static variables" },
	};

	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
		if (!missing[i].count)
			continue;
		root_gaps_add(g->losses, missing[i].kind, GAP_ABSENT);
		if (!heap_builder_warning(
			g->builder, g->err,
			"%" PRIu32 " parts %s are not in memory: objects that only they keep alive "
			"seem unreachable",
			missing[i].count, missing[i].what))
			return false;
	}
	return true;
}

bool
clr_roots_add(struct clr_roots *roots, struct heap_memory *memory, bool is_conservative,
	      struct error *err)
{
	struct heap_builder *b = roots->builder;
	struct adding g = {
		.roots = roots,
		.builder = b,
		.addresses = heap_builder_addresses(b),
		.losses = &heap_builder_info(b)->losses,
		.memory = memory,
		.arena = heap_builder_arena(b),
		.err = err,
	};

	return clr_stacks_read(&roots->stacks, roots->heaps, g.addresses, is_conservative, err) &&
	       warn_about_missing(&g) &&
	       add_threads(&g, &roots->threads, roots->heaps->runtime->finalizer_thread) &&
	       add_handles(&g) && add_finalizers(&g) && add_statics(&g) && describe_stacks(&g) &&
	       add_stacks(&g) && add_frozen(&g);
}

/* --- without objects --- */

/* Names the type of the last exception, if it is in memory. */
static bool
name_thrown(struct heap_thread *t, const struct clr_thread_name *from, const struct clr_runtime *rt,
	    const struct clr_names *names, struct arena *a, struct error *err)
{
	struct memory_refused before = memory_refused();
	struct error unknown = { 0 };
	struct display_name spelled;
	struct content_table type;
	uint64_t table;

	if (from->thrown && memory_u64(rt->reader, from->thrown, &table) &&
	    clr_method_table_read(&type, rt, names, table & ~CLR_OBJECT_MARKS, a, &unknown) &&
	    name_display(type.name, a, &spelled, &unknown))
		t->thrown_type = spelled.full;
	return memory_was_enough(before, err);
}

bool
clr_roots_threads(struct heap_memory *memory, const struct clr_heaps *heaps,
		  const struct clr_names *names, struct heap_builder *b, struct progress *progress,
		  struct error *err)
{
	const struct clr_runtime *rt = heaps->runtime;
	struct adding g = { .memory = memory, .arena = heap_builder_arena(b), .err = err };
	struct clr_thread_names threads;
	struct heap_thread *items;
	bool is_good;

	if (!read_modules(heaps, names, progress, err) ||
	    !clr_thread_names_read(&threads, rt, NULL, g.arena, err))
		return false;
	items = add_threads(&g, &threads, rt->finalizer_thread);
	is_good = items != NULL;
	for (size_t i = 0; is_good && i < threads.count; i++)
		is_good = name_thrown(&items[i], &threads.items[i], rt, names, g.arena, err);
	clr_thread_names_clear(&threads);
	return is_good;
}
