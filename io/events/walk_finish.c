#include "io/events/walk_native.h"
#include "io/events/walk_statics.h"
#include "io/memory/mapping_use.h"
#include "io/pe/name_spelling.h"
#include "model/base/sorted.h"
#include "model/heap/names.h"
#include "model/heap/root_gaps.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	UNTYPED_PER_CENT = 1, /* more suggest that another session has them */
	FROZEN_GAP_MAX = 1 << 16,
};

struct finishing {
	struct walk *w;
	struct heap_builder *builder;
	struct walk_modules modules;
	struct walk_native native;
	struct arena scratch;
	type_id *map; /* type number → type of the heap */
};

/* --- types --- */

/*
 * Names a type whose name was too long for an event, which then has none: by its definition, "…",
 * and its address in the process, which tells it from others of that definition. NULL: no memory.
 */
static const char *
name_of_long(struct finishing *f, const struct walk_type *t, struct error *err)
{
	const struct walk_type *element = walk_type_element(f->w, t);
	const struct walk_type *of = element ? element : t;
	const char *module = walk_texts_find(&f->w->modules, of->module);
	const char *name = walk_type_definition(&f->modules, of, &f->scratch, err);

	if (err->kind != ERROR_NONE)
		return NULL;
	if (name)
		return arena_printf(&f->scratch, err, "%.*s<…>%s#%" PRIx64, (int)strcspn(name, "`"),
				    name, t->element ? "[]" : "", t->id);
	return arena_printf(&f->scratch, err, "%s!#%08" PRIx32 "<…>%s#%" PRIx64,
			    module ? file_base_name(module) : "", of->token, t->element ? "[]" : "",
			    t->id);
}

/* The raw name for the heap; NULL: no memory. */
static const char *
type_name(struct finishing *f, const struct walk_type *t, struct error *err)
{
	const struct walk_type *element;
	const char *name = t->name, *definition = NULL;

	if (!name)
		return arena_printf(&f->scratch, err, "UNKNOWN 0x%" PRIx64, t->id);
	if (!*name)
		return name_of_long(f, t, err);
	element = walk_type_element(f->w, t);
	if (element)
		definition = walk_type_definition(&f->modules, element, &f->scratch, err);
	if (definition)
		name = name_nest(name, definition, &f->scratch, err);
	return name && err->kind == ERROR_NONE ? name_spell(name, &f->scratch, err) : NULL;
}

/* Returns the path of the module. The box of an async method belongs to the module of its state
   machine, the last type argument. */
static const char *
type_module(const struct finishing *f, const struct walk_type *t)
{
	const char *box = t->name ? strstr(t->name, "StateMachineBox`") : NULL;
	const struct walk_type *machine = NULL;
	const char *path;

	if (box && !memchr(t->name, '[', (size_t)(box - t->name)) && !(t->flags & WALK_TYPE_ARRAY))
		machine = walk_type_find(f->w, t->last_argument);
	path = walk_texts_find(&f->w->modules, machine ? machine->module : t->module);
	return path ? path : "";
}

static bool
finish_types(struct finishing *f, struct error *err)
{
	struct walk *w = f->w;

	f->map = memory_new(w->types->count, sizeof(*f->map), err);
	if (!f->map)
		return false;
	for (size_t i = 0; i < w->types->count && i < w->totals.count; i++) {
		const struct walk_type *t = &w->types->items[i];
		struct arena_mark mark = arena_mark(&f->scratch);
		struct native_name native;
		const char *name;

		if (!w->totals.items[i].count)
			continue;
		if (!walk_native_name(&f->native, w, i, &f->scratch, &native, err))
			return false;
		name =
		    native.name ? name_spell(native.name, &f->scratch, err) : type_name(f, t, err);
		if (!name)
			return false;
		f->map[i] = heap_builder_type(f->builder, name,
					      native.name ? native.module : type_module(f, t), err);
		arena_reset(&f->scratch, mark);
		if (f->map[i] == TYPE_NONE)
			return false;
		w->report.types_count++;
		if (t->name || native.name)
			continue;
		w->report.untyped_types++;
		w->report.untyped_objects += w->totals.items[i].count;
	}
	heap_stream_map_types(w->stream, f->map, (uint32_t)w->types->count);
	return true;
}

/* --- roots --- */

static int
compare_roots(const void *a, const void *b)
{
	const struct walk_root *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->is_pinned < y->is_pinned) - (x->is_pinned > y->is_pinned);
}

/* Merges the slots in which one method holds the same object. */
static bool
finish_roots(struct finishing *f, struct error *err)
{
	struct walk_roots *roots = &f->w->roots;
	const struct walk_root *last = NULL;

	if (roots->count)
		qsort(roots->items, roots->count, sizeof(*roots->items), compare_roots);
	for (size_t i = 0; i < roots->count; i++) {
		const struct walk_root *r = &roots->items[i];
		const char *name = NULL;

		if (last && last->object == r->object && last->kind == r->kind && last->id == r->id)
			continue;
		last = r;
		if (r->kind == ROOT_STACK)
			name = walk_texts_find(&f->w->methods, r->id);
		if (!heap_stream_root(f->w->stream, r->object, r->kind, r->is_pinned, name, NULL,
				      err))
			return false;
	}
	return true;
}

static bool
finish_wrappers(struct finishing *f, struct error *err)
{
	const struct walk_wrappers *wrappers = &f->w->wrappers;

	for (size_t i = 0; i < wrappers->count; i++) {
		char label[40];

		snprintf(label, sizeof(label), "CCW 0x%" PRIx64, wrappers->items[i].interface);
		if (!heap_stream_root(f->w->stream, wrappers->items[i].object, ROOT_REF_COUNTED,
				      false, NULL, label, err))
			return false;
	}
	return true;
}

/* --- ranges --- */

/* The first range that starts above the address, or the count. */
static size_t
range_above(const struct walk_ranges *ranges, uint64_t address)
{
	size_t at;

	LOWER_BOUND(at, 0, ranges->count, ranges->items[at].start <= address);
	return at;
}

static uint64_t
range_end(uint64_t start, uint64_t bytes)
{
	uint64_t end;

	return __builtin_add_overflow(start, bytes, &end) ? UINT64_MAX : end;
}

/* Adjacent objects in no generation. */
struct frozen {
	uint64_t start, end;
	size_t above; /* the range after it */
};

static bool
end_frozen(struct finishing *f, struct frozen *now, struct error *err)
{
	bool is_good = heap_stream_range(f->w->stream, now->start, now->end, GEN_FROZEN, -1, err);

	*now = (struct frozen){ 0 };
	return is_good;
}

static bool
add_frozen(struct finishing *f, struct frozen *now, uint64_t address, uint64_t size,
	   struct error *err)
{
	size_t above = range_above(&f->w->ranges, address);

	if (now->end &&
	    (address < now->end || address - now->end > FROZEN_GAP_MAX || above != now->above) &&
	    !end_frozen(f, now, err))
		return false;
	if (!now->end)
		*now = (struct frozen){ .start = address, .above = above };
	now->end = range_end(address, size ? size : 1);
	return heap_stream_root(f->w->stream, address, ROOT_FROZEN, false, NULL, NULL, err);
}

/*
 * Objects in no range at the end of the collection are in frozen segments, which the runtime does
 * not describe. They are never collected.
 */
static bool
finish_frozen(struct finishing *f, struct error *err)
{
	struct walk *w = f->w;
	struct frozen now = { 0 };

	while (w->outside.count) {
		uint64_t address = walk_queue_take(&w->outside);
		uint64_t size = walk_queue_take(&w->outside);
		size_t above = range_above(&w->ranges, address);
		const struct gc_range *r = above ? &w->ranges.items[above - 1] : NULL;

		if (r && address - r->start < r->reserved_bytes)
			continue;
		if (!add_frozen(f, &now, address, size, err))
			return false;
	}
	return !now.end || end_frozen(f, &now, err);
}

static bool
finish_ranges(struct finishing *f, struct error *err)
{
	struct walk_ranges *ranges = &f->w->ranges;

	if (!ranges->count)
		return true;
	SORT_BY(ranges->items, ranges->count, start);
	for (size_t i = 0; i < ranges->count; i++) {
		const struct gc_range *r = &ranges->items[i];

		if (!heap_stream_range(f->w->stream, r->start, range_end(r->start, r->used_bytes),
				       r->generation, -1, err))
			return false;
	}
	return finish_frozen(f, err);
}

/* --- warnings --- */

/*
 * The runtime describes each type once, until no session listens for types. Native AOT forgets its
 * descriptions at the end of a walk, unless the session has ended by then: the next walk lacks them
 * (27 of 320 captures of a busy program; the walk after that was complete).
 */
static const char *const untyped_reasons[] = {
	[WALK_OTHERS_UNKNOWN] =
	    "the runtime describes each type once, and has described these to another or an "
	    "earlier tracing session",
	[WALK_OTHERS_NONE] = "the runtime describes each type once, and has described these in an "
			     "earlier session; capture again",
	[WALK_OTHERS_SOME] =
	    "the runtime describes each type once, and another tracing session in the process "
	    "listens for types (Type keyword); stop it and capture again",
};

static bool
warn_missing(struct finishing *f, struct error *err)
{
	const struct walk_report *r = &f->w->report;
	char text[400], refs[80] = "";

	if (r->unknown_refs_objects)
		snprintf(refs, sizeof refs,
			 "; the references of %" PRIu64 " objects are incomplete",
			 r->unknown_refs_objects);
	if (!walk_is_complete(r) &&
	    !heap_builder_warning(f->builder, err, "the heap is incomplete: %s%s",
				  walk_missing(r, text, sizeof(text)), refs))
		return false;
	if (!r->untyped_objects)
		return true;
	/* An incomplete stream explains missing types, too. */
	if (r->untyped_objects <= r->objects_count / 100 * UNTYPED_PER_CENT || !walk_is_complete(r))
		return heap_builder_warning(f->builder, err,
					    "%" PRIu64 " of %" PRIu64
					    " types have no names, those of "
					    "%" PRIu64 " objects: they were not described",
					    r->untyped_types, r->types_count, r->untyped_objects);
	return heap_builder_warning(f->builder, err,
				    "%" PRIu64 " of %" PRIu64 " types have no names, those of "
				    "%" PRIu64 " of %" PRIu64 " objects: %s",
				    r->untyped_types, r->types_count, r->untyped_objects,
				    r->objects_count, untyped_reasons[f->w->options.others]);
}

/* COM objects explain why other tools report other sums. */
static bool
warn_wrappers(struct finishing *f, struct error *err)
{
	const struct walk_report *r = &f->w->report;

	if ((r->ccws_count || r->rcws_count) &&
	    !heap_builder_warning(f->builder, err,
				  "%" PRIu64 " objects are held by COM (CCW) "
				  "and %" PRIu64 " hold COM objects (RCW), outside of this heap",
				  r->ccws_count, r->rcws_count))
		return false;
	return !r->strange_events_count ||
	       heap_builder_warning(f->builder, err,
				    "left out because of an unknown format: events about COM "
				    "objects: %" PRIu64,
				    r->strange_events_count);
}

static bool
warn_modules(struct finishing *f, struct error *err)
{
	uint32_t count = f->modules.others_count;

	return !count ||
	       heap_builder_warning(
		   f->builder, err,
		   "%" PRIu32 " %s not the build that the process had: names of nested types, and "
		   "the classes that declare static fields, are missing",
		   count, count == 1 ? "module here is" : "modules here are");
}

static uint64_t
larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Types that have no names in the events need symbols. */
static bool
warn_symbols(struct finishing *f, struct error *err)
{
	const struct walk_native *n = &f->native;

	return !n->is_native || n->types || !n->why[0] ||
	       heap_builder_warning(
		   f->builder, err,
		   "types have no names: Native AOT has them only in the program's symbols, and %s",
		   n->why);
}

/* The log keeps this in a .gcdump, which has no other place for it. */
static bool
add_root_gaps(struct finishing *f, struct error *err)
{
	struct heap_info *info = heap_builder_info(f->builder);
	char gaps[ROOT_GAPS_TEXT_BYTES];

	if (!f->native.is_native)
		return true;
	root_gaps_add_native_aot(&info->losses);
	info->log = arena_printf(heap_builder_arena(f->builder), err, "%sunknown roots: %s\n",
				 info->log ? info->log : "", root_gaps_text(&info->losses, gaps));
	return info->log;
}

/*
 * Lost events show as gaps in the sequence numbers, in those of their series, or both; lost
 * references also in what the objects announce.
 */
static void
count_losses(struct losses *l, const struct walk_report *r)
{
	uint64_t arrived = r->refs_count, announced = r->refs_expected_count;

	l->lost_events =
	    larger(r->lost_events, r->missing_object_events + r->missing_ref_events +
				       r->missing_root_events + r->missing_dependent_events);
	l->lost_nodes = r->missing_objects;
	l->lost_refs = r->missing_refs;
	if (announced > arrived)
		l->lost_refs = larger(l->lost_refs, announced - arrived);
	l->partial_nodes = r->unknown_refs_objects;
	l->damaged_events = r->damaged_events_count;
	l->unnamed_types = r->untyped_types;
	l->unnamed_nodes = r->untyped_objects;
	l->is_unfinished = !r->has_end;
	/* Surplus references are damage, unless their objects were lost. */
	if (arrived > announced && !l->lost_events && !l->damaged_events && r->has_end)
		l->damaged_refs += arrived - announced;
}

static bool
finish_info(struct finishing *f, const struct nettrace *t, struct error *err)
{
	struct arena *a = heap_builder_arena(f->builder);
	struct heap_info *info = heap_builder_info(f->builder);
	const struct nettrace_header *h = nettrace_header(t);
	const char *command = f->w->command_line;

	info->format = arena_printf(a, err, "nettrace %" PRIu32, h->major);
	info->process = command ? arena_strndup(a, command, strlen(command), err) : "";
	info->pid = (int32_t)h->pid;
	info->is_64bit = h->pointer_bytes == 8;
	info->gc_number = f->w->report.gc_number;
	count_losses(&info->losses, &f->w->report);
	info->time = nettrace_time(t, f->w->report.began_at) / INT64_C(1000000000);
	return info->format && info->process && add_root_gaps(f, err) && warn_missing(f, err) &&
	       warn_symbols(f, err) && warn_wrappers(f, err) && warn_modules(f, err);
}

/* Sums up the resident memory by use. Other addresses than those of ranges are not in the
   events. */
static bool
finish_resident(struct finishing *f, struct error *err)
{
	const struct mapping_list *mappings = f->w->options.mappings;
	const struct walk_ranges *ranges = &f->w->ranges;
	struct mapping_clues clues = { 0 };
	bool ok = true;

	if (!mappings)
		return true;
	for (size_t i = 0; ok && i < ranges->count; i++) {
		const struct gc_range *r = &ranges->items[i];

		ok = mapping_clues_add(
		    &clues,
		    (struct mapping_clue){ r->start, range_end(r->start, r->reserved_bytes),
					   RESIDENT_MANAGED, CLUE_JOINS },
		    err);
	}
	ok = ok && mapping_use_sum(&heap_builder_info(f->builder)->resident, mappings, &clues, err);
	mapping_clues_clear(&clues);
	return ok;
}

/* --- the heap --- */

static bool
finish_all(struct finishing *f, struct error *err)
{
	struct walk *w = f->w;

	f->modules.walk = w;
	f->modules.items = memory_new(w->modules.count, sizeof(*f->modules.items), err);
	f->modules.is_asked = memory_new(w->modules.count, sizeof(*f->modules.is_asked), err);
	return f->modules.items && f->modules.is_asked && walk_native_open(&f->native, w, err) &&
	       finish_types(f, err) && finish_roots(f, err) &&
	       walk_statics_finish(w, &f->modules, err) && finish_wrappers(f, err) &&
	       finish_ranges(f, err) && finish_resident(f, err);
}

static bool
has_no_walk(const struct walk *w, bool is_whole, struct error *err)
{
	char text[RECORDED_TEXT_BYTES];

	if (!w->recorded.is_trace)
		return error_set(err, ERROR_INPUT,
				 "the runtime has sent no heap walk; to read its memory instead: "
				 "heaptop -m PID");
	recorded_lack_text(&w->recorded, RECORDED_WALKS,
			   is_whole ? "" : ", or cut before one began", text);
	error_set(err, ERROR_INPUT, "%s; to record one: heaptop -o FILE.nettrace PID", text);
	err->is_absent = true;
	return false;
}

static bool
has_walk(struct walk *w, const struct nettrace *t, struct error *err)
{
	/* Without events of collections, the stream's end ends the walk. */
	if (!walk_end(w, !w->has_seen_gc && nettrace_status(t)->has_ended, err))
		return false;
	if (w->has_report && !w->report.is_too_large)
		return true;
	if (w->has_report)
		return heap_is_too_large(w->report.objects_count,
					 walk_memory(w->report.objects_count, w->report.refs_count),
					 w->options.memory_bytes, err);
	if (!w->walks_count)
		return has_no_walk(w, nettrace_status(t)->has_ended, err);
	return error_set(err, ERROR_USAGE,
			 "the trace has %" PRIu32 " heap %s, but number %" PRIu32 " was asked for",
			 w->walks_count, w->walks_count == 1 ? "walk" : "walks", w->options.which);
}

const struct heap *
walk_finish(struct walk *w, const struct nettrace *t, struct walk_report *report,
	    struct progress *progress, struct error *err)
{
	struct finishing f = { .w = w };
	const struct heap *heap = NULL;

	arena_init(&f.scratch, 0);
	if (walk_take(w, t, NETTRACE_END, NULL, err) && has_walk(w, t, err)) {
		f.builder = heap_stream_builder(w->stream);
		if (finish_all(&f, err) && finish_info(&f, t, err)) {
			struct heap_stream *stream = w->stream;

			w->stream = NULL;
			heap = heap_stream_finish(stream, progress, err);
		}
	}
	if (report)
		*report = w->report;
	memory_free(f.map);
	memory_free(f.modules.items);
	memory_free(f.modules.is_asked);
	arena_clear(&f.scratch);
	walk_free(w);
	return heap;
}

/* --- preview --- */

/* Spells a name for the screen, once. */
static bool
shown_name(struct walk *w, size_t i, const char **name, struct error *err)
{
	const struct walk_type *t = &w->types->items[i];
	struct display_name shown;
	const char *raw;

	*name = "(name not read yet)";
	if (!t->name || !*t->name)
		return true;
	if (!w->shown[i]) {
		raw = name_spell(t->name, &w->arena, err);
		if (!raw || !name_display(raw, &w->arena, &shown, err))
			return false;
		w->shown[i] = shown.full;
	}
	*name = w->shown[i];
	return true;
}

static bool
make_shown_room(struct walk *w, struct error *err)
{
	size_t count = w->types->count;
	const char **larger;

	if (count <= w->shown_count)
		return true;
	larger = memory_resize(w->shown, count, sizeof(*larger), err);
	if (!larger)
		return false;
	memset(larger + w->shown_count, 0, (count - w->shown_count) * sizeof(*larger));
	w->shown = larger;
	w->shown_count = count;
	return true;
}

bool
walk_publish(struct walk *w, struct preview *preview, struct error *err)
{
	size_t types_count = w->types->count;
	uint32_t count = 0;
	struct type *types;
	bool is_good;

	w->preview = preview;
	if (types_count > w->totals.count)
		types_count = w->totals.count;
	types = memory_new(types_count, sizeof(*types), err);
	is_good = types && make_shown_room(w, err);
	for (size_t i = 0; is_good && i < types_count; i++) {
		struct type *t = &types[count];

		if (!w->totals.items[i].count)
			continue;
		is_good = shown_name(w, i, &t->name, err);
		t->short_name = t->raw = t->name;
		t->module = "";
		t->multiplier = 1;
		t->count = w->totals.items[i].count;
		t->bytes = w->totals.items[i].bytes;
		count++;
	}
	is_good = is_good && preview_publish(preview, types, count, walk_report(w)->objects_count,
					     0, false, err);
	memory_free(types);
	return is_good;
}
