#include "io/walk.h"
#include "io/walk_name.h"
#include "io/walk_state.h"
#include "io/walk_text.h"
#include "model/names.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	BULK_HEAD_BYTES = 10,      /* u32 index, u32 count, u16 */
	BULK_BUFFER_BYTES = 64256, /* the runtime's array of records */
};

/* --- life --- */

struct walk *
walk_new(const struct walk_options *options, struct error *err)
{
	struct walk *w = memory_new(1, sizeof(*w), err);

	if (!w)
		return NULL;
	w->options = *options;
	arena_init(&w->arena, 0);
	w->types = options->types;
	if (!w->types) {
		w->owns_types = true;
		w->types = walk_types_new(err);
	}
	if (w->types)
		return w;
	walk_free(w);
	return NULL;
}

/* Forgets the walk kept so far. */
static void
forget_kept(struct walk *w)
{
	walk_pairs_clear(&w->pairs);
	heap_stream_free(w->stream);
	w->stream = NULL;
	walk_queue_clear(&w->outside);
	nettrace_map_clear(&w->methods_wanted);
	w->roots.count = 0;
	w->statics.count = 0;
	w->wrappers.count = 0;
	w->ranges.count = 0;
	if (w->totals.count)
		memset(w->totals.items, 0,
		       w->totals.count * sizeof(*w->totals.items));
}

static void
texts_clear(struct walk_texts *t)
{
	nettrace_map_clear(&t->index);
	memory_free(t->items);
}

void
walk_free(struct walk *w)
{
	if (!w)
		return;
	forget_kept(w);
	if (w->owns_types)
		walk_types_free(w->types);
	memory_free(w->roots.items);
	memory_free(w->statics.items);
	memory_free(w->wrappers.items);
	memory_free(w->ranges.items);
	memory_free(w->ranges_before.items);
	memory_free(w->totals.items);
	memory_free(w->shown);
	texts_clear(&w->modules);
	texts_clear(&w->methods);
	arena_clear(&w->arena);
	memory_free(w);
}

/* --- what is missing --- */

bool
walk_is_complete(const struct walk_report *r)
{
	return r->has_end && !r->missing_object_events &&
	       !r->missing_ref_events && !r->missing_root_events &&
	       !r->missing_dependent_events && !r->lost_events &&
	       !r->damaged_events_count &&
	       r->refs_count == r->refs_expected_count;
}

static void PRINTF_LIKE(3, 4)
    append(char *text, size_t text_size, const char *format, ...)
{
	size_t len = strlen(text);
	va_list args;

	if (len && len + 3 < text_size) {
		memcpy(text + len, ", ", 3);
		len += 2;
	}
	va_start(args, format);
	vsnprintf(text + len, text_size - len, format, args);
	va_end(args);
}

const char *
walk_missing(const struct walk_report *r, char *text, size_t text_size)
{
	const struct {
		uint64_t count;
		const char *what;
	} parts[] = {
		{ r->missing_object_events, "with objects" },
		{ r->missing_ref_events, "with references" },
		{ r->missing_root_events, "with roots" },
		{ r->missing_dependent_events, "with dependent handles" },
		{ r->lost_events, "of the collecting thread" },
	};

	*text = '\0';
	if (walk_is_complete(r))
		return text;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i].count)
			append(text, text_size, "%" PRIu64 " %s %s lost",
			       parts[i].count,
			       parts[i].count == 1 ? "event" : "events",
			       parts[i].what);
	if (r->damaged_events_count)
		append(text, text_size, "%" PRIu64 " events damaged",
		       r->damaged_events_count);
	if (!r->has_end)
		append(text, text_size, "the end of the collection not seen");
	if (r->refs_count != r->refs_expected_count)
		append(text, text_size,
		       "%" PRIu64 " references of %" PRIu64 " there",
		       r->refs_count, r->refs_expected_count);
	return text;
}

/* --- a walk begins and ends --- */

static bool
is_wanted(const struct walk *w, uint32_t number)
{
	if (w->is_listing)
		return false;
	if (w->options.which)
		return number == w->options.which;
	return !w->has_report || !walk_is_complete(&w->report);
}

static int
compare_ranges(const void *a, const void *b)
{
	const struct gc_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static bool
keep_walk(struct walk *w, struct error *err)
{
	forget_kept(w);
	w->has_report = false;
	w->last_range = 0;
	if (w->ranges_before.count)
		qsort(w->ranges_before.items, w->ranges_before.count,
		      sizeof(*w->ranges_before.items), compare_ranges);
	w->stream = heap_stream_new(err);
	if (!w->stream)
		return false;
	heap_stream_defer_types(w->stream);
	w->pairs.stream = w->stream;
	return true;
}

static bool
begin_walk(struct walk *w, const struct nettrace_event *event,
	   struct error *err)
{
	w->current = (struct walk_report){ .began_at = event->timestamp };
	if (w->is_gc_open) {
		w->current.has_gc = true;
		w->current.gc_number = w->gc.number;
		w->current.gc_generation = w->gc.generation;
		w->current.gc_reason = w->gc.reason;
		w->current.gc_type = w->gc.type;
	}
	memset(w->next_index, 0, sizeof(w->next_index));
	memset(w->full_count, 0, sizeof(w->full_count));
	w->thread = event->thread;
	w->is_running = true;
	w->is_kept = is_wanted(w, ++w->walks_count);
	return !w->is_kept || keep_walk(w, err);
}

static bool
list_add(struct walk_list *list, const struct walk_report *report,
	 struct error *err)
{
	size_t room = list->count;
	struct walk_report *larger;

	if (!(room & (room - 1))) {
		larger = memory_resize(list->reports, room ? 2 * room : 1,
				       sizeof(*larger), err);
		if (!larger)
			return false;
		list->reports = larger;
	}
	list->reports[list->count++] = *report;
	return true;
}

bool
walk_end(struct walk *w, bool has_end, struct error *err)
{
	if (!w->is_running)
		return true;
	w->is_running = false;
	w->current.has_end = has_end;
	if (w->suspended_at && w->stopped_at > w->suspended_at)
		w->current.suspend_ns = w->stopped_at - w->suspended_at;
	w->is_pause_open = w->suspended_at != 0;
	if (w->is_listing)
		return list_add(w->list, &w->current, err);
	if (!w->is_kept)
		return true;
	if (!walk_pairs_finish(&w->pairs, has_end, err))
		return false;
	w->current.unknown_refs_objects = w->pairs.unknown_count;
	w->report = w->current;
	w->has_report = true;
	return true;
}

/*
 * Room is there for a walk's event; false: it is to be ignored, or no memory
 * (then `err` is set).
 */
static bool
enter_walk(struct walk *w, const struct nettrace_event *event,
	   struct error *err)
{
	/* Collections of young objects may be walked too: only in part. */
	if (w->is_gc_open && w->gc.generation < 2)
		return false;
	return w->is_running || begin_walk(w, event, err);
}

/* --- bulk events --- */

struct bulk {
	uint32_t count;
	const uint8_t *records;
	size_t each;
};

static void
count_missing(struct walk *w, enum walk_series series, uint32_t events)
{
	uint64_t *counts[SERIES_COUNT] = {
		[SERIES_ROOTS] = &w->current.missing_root_events,
		[SERIES_DEPENDENTS] = &w->current.missing_dependent_events,
		[SERIES_OBJECTS] = &w->current.missing_object_events,
		[SERIES_REFS] = &w->current.missing_ref_events,
	};

	*counts[series] += events;
}

static bool
fill_gap(struct walk *w, enum walk_series series, uint32_t events, size_t each,
	 struct error *err)
{
	uint64_t full = w->full_count[series];

	count_missing(w, series, events);
	if (!full)
		full = BULK_BUFFER_BYTES / each;
	if (!w->is_kept)
		return true;
	if (series == SERIES_REFS)
		return walk_pairs_lost_refs(&w->pairs, events * full, err);
	if (series == SERIES_OBJECTS)
		return walk_pairs_lost_objects(&w->pairs, err);
	return true;
}

/*
 * The records of an event of the series, each of so many bytes. False: none,
 * or no memory.
 */
static bool
enter_bulk(struct walk *w, enum walk_series series,
	   const struct nettrace_event *event, size_t each, struct bulk *bulk,
	   struct error *err)
{
	uint32_t index, room;

	if (event->payload_len < BULK_HEAD_BYTES) {
		w->current.damaged_events_count += w->is_running;
		return false;
	}
	index = bytes_load_u32(event->payload);
	if (w->is_running && index < w->next_index[series]) {
		/* The numbers begin again. Without collections, it ends so. */
		if (!walk_end(w, !w->has_seen_gc, err))
			return false;
	}
	if (!enter_walk(w, event, err))
		return false;
	if (index > w->next_index[series] &&
	    !fill_gap(w, series, index - w->next_index[series], each, err))
		return false;
	w->next_index[series] = index + (index < UINT32_MAX);
	bulk->count = bytes_load_u32(event->payload + 4);
	bulk->records = event->payload + BULK_HEAD_BYTES;
	bulk->each = each;
	room = (uint32_t)((event->payload_len - BULK_HEAD_BYTES) / each);
	if (bulk->count > room) {
		w->current.damaged_events_count++;
		bulk->count = room;
	}
	if (bulk->count > w->full_count[series])
		w->full_count[series] = bulk->count;
	return true;
}

static uint64_t
load_pointer(const struct walk *w, const uint8_t *at)
{
	return w->pointer_bytes == 8 ? bytes_load_u64(at) : bytes_load_u32(at);
}

static bool
count_object(struct walk *w, const struct walk_object *o, struct error *err)
{
	if (o->type >= w->totals.count) {
		size_t room = 2 * (size_t)o->type + 256;
		struct walk_total *larger =
		    memory_resize(w->totals.items, room, sizeof(*larger), err);

		if (!larger)
			return false;
		memset(larger + w->totals.count, 0,
		       (room - w->totals.count) * sizeof(*larger));
		w->totals.items = larger;
		w->totals.count = room;
	}
	w->totals.items[o->type].count++;
	w->totals.items[o->type].bytes += o->size;
	return true;
}

/* Is it in none of the ranges that the collection began with? */
static bool
is_outside(struct walk *w, uint64_t address)
{
	const struct gc_range *ranges = w->ranges_before.items;
	size_t low = 0, high = w->ranges_before.count;

	if (address - ranges[w->last_range].start <
	    ranges[w->last_range].reserved_bytes)
		return false;
	/* The first range that begins above. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low ||
	    address - ranges[low - 1].start >= ranges[low - 1].reserved_bytes)
		return true;
	w->last_range = low - 1;
	return false;
}

static bool
take_object(struct walk *w, const struct walk_object *o, struct error *err)
{
	if (w->ranges_before.count && is_outside(w, o->address) &&
	    (!walk_queue_put(&w->outside, o->address, err) ||
	     !walk_queue_put(&w->outside, o->size, err)))
		return false;
	return count_object(w, o, err) && walk_pairs_object(&w->pairs, o, err);
}

static bool
take_objects(struct walk *w, const struct nettrace_event *event,
	     struct error *err)
{
	size_t p = w->pointer_bytes;
	struct bulk bulk;

	if (!enter_bulk(w, SERIES_OBJECTS, event, p + 24, &bulk, err))
		return err->kind == ERROR_NONE;
	for (uint32_t i = 0; i < bulk.count; i++) {
		const uint8_t *at = bulk.records + i * bulk.each;
		struct walk_object o = {
			.address = load_pointer(w, at),
			.size = bytes_load_u64(at + p),
			.refs_count = bytes_load_u64(at + p + 16),
		};

		w->current.object_bytes += o.size;
		w->current.refs_expected_count += o.refs_count;
		if (w->is_kept &&
		    (!walk_types_number(w->types, bytes_load_u64(at + p + 8),
					&o.type, err) ||
		     !take_object(w, &o, err)))
			return false;
	}
	w->current.objects_count += bulk.count;
	return true;
}

static bool
take_refs(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	struct bulk bulk;

	if (!enter_bulk(w, SERIES_REFS, event, w->pointer_bytes + 4, &bulk,
			err))
		return err->kind == ERROR_NONE;
	w->current.refs_count += bulk.count;
	return !w->is_kept ||
	       walk_pairs_refs(&w->pairs, bulk.records, bulk.count,
			       w->pointer_bytes, bulk.each, err);
}

/* --- roots --- */

enum root_source {
	FROM_STACK,
	FROM_FINALIZER,
	FROM_HANDLE,
	FROM_SIZED_REF = 4
};
enum root_flag { ROOT_PINNING = 1, ROOT_WEAK = 2, ROOT_COUNTED = 8 };

static enum root_kind
root_kind_of(uint8_t source, uint32_t flags)
{
	if (flags & ROOT_COUNTED)
		return ROOT_REF_COUNTED;
	switch (source) {
	case FROM_STACK:
		return ROOT_STACK;
	case FROM_FINALIZER:
		return ROOT_FINALIZER;
	case FROM_HANDLE:
		return flags & ROOT_PINNING ? ROOT_PINNED : ROOT_STRONG;
	case FROM_SIZED_REF:
		return ROOT_SIZED_REF;
	default:
		return ROOT_OTHER;
	}
}

static bool
add_root(struct walk *w, const struct walk_root *root, struct error *err)
{
	if (root->kind == ROOT_STACK && root->id &&
	    !nettrace_map_put(&w->methods_wanted, root->id, 0, err))
		return false;
	if (!memory_make_room((void **)&w->roots.items, w->roots.count,
			      &w->roots.room, sizeof(*root), err))
		return false;
	w->roots.items[w->roots.count++] = *root;
	return true;
}

static bool
take_roots(struct walk *w, const struct nettrace_event *event,
	   struct error *err)
{
	size_t p = w->pointer_bytes;
	struct bulk bulk;

	if (!enter_bulk(w, SERIES_ROOTS, event, 2 * p + 5, &bulk, err))
		return err->kind == ERROR_NONE;
	for (uint32_t i = 0; i < bulk.count; i++) {
		const uint8_t *at = bulk.records + i * bulk.each;
		uint32_t flags = bytes_load_u32(at + p + 1);
		struct walk_root root = {
			.object = load_pointer(w, at),
			.id = load_pointer(w, at + p + 5),
			.kind = (uint8_t)root_kind_of(at[p], flags),
			.is_pinned = flags & ROOT_PINNING,
		};

		if (!root.object)
			continue; /* a slot of a stack that holds nothing */
		if (flags & ROOT_WEAK) {
			w->current.weak_count++;
			continue;
		}
		w->current.roots_count++;
		if (w->is_kept && !add_root(w, &root, err))
			return false;
	}
	return true;
}

static bool
take_dependents(struct walk *w, const struct nettrace_event *event,
		struct error *err)
{
	size_t p = w->pointer_bytes;
	struct bulk bulk;

	if (!enter_bulk(w, SERIES_DEPENDENTS, event, 3 * p, &bulk, err))
		return err->kind == ERROR_NONE;
	for (uint32_t i = 0; i < bulk.count; i++) {
		const uint8_t *at = bulk.records + i * bulk.each;
		uint64_t key = load_pointer(w, at);
		uint64_t value = load_pointer(w, at + p);

		if (!key || !value)
			continue; /* its key is gone, or it has no value */
		w->current.dependents_count++;
		if (w->is_kept && !heap_stream_link(w->stream, key, value, err))
			return false;
	}
	return true;
}

/* The cursor behind "u32 count, more"; false: to be ignored, or no memory. */
static bool
enter_list(struct walk *w, const struct nettrace_event *event, size_t more,
	   struct bytes *b, uint32_t *count, struct error *ignored,
	   struct error *err)
{
	if (!enter_walk(w, event, err))
		return false;
	error_clear(ignored);
	bytes_init(b, event->payload, event->payload_len, ignored);
	*count = bytes_u32(b, "the number of records");
	bytes_skip(b, more, "the rest of the header");
	return true;
}

static bool
take_statics(struct walk *w, const struct nettrace_event *event,
	     struct error *err)
{
	struct error ignored;
	struct bytes b;
	uint32_t count;

	if (!enter_list(w, event, 10, &b, &count, &ignored, err))
		return err->kind == ERROR_NONE;
	for (uint32_t i = 0; i < count && bytes_ok(&b); i++) {
		struct walk_static s = { 0 };
		struct bytes_array field;

		bytes_skip(&b, 8, "a static's place");
		s.object = bytes_u64(&b, "a static's value");
		s.type = bytes_u64(&b, "a static's type");
		bytes_skip(&b, 4, "a static's flags");
		field = walk_text_take(&b, "a static's name");
		if (!bytes_ok(&b))
			break;
		w->current.statics_count++;
		if (!w->is_kept)
			continue;
		s.field = walk_text_utf8(&field, &w->arena, err);
		if (!s.field ||
		    !memory_make_room((void **)&w->statics.items,
				      w->statics.count, &w->statics.room,
				      sizeof(s), err))
			return false;
		w->statics.items[w->statics.count++] = s;
	}
	w->current.damaged_events_count += !bytes_ok(&b);
	return true;
}

/* COM: what it holds of ours (CCW), and what we hold of it (RCW: counted). */
static bool
take_wrappers(struct walk *w, const struct nettrace_event *event,
	      struct error *err)
{
	enum { CCW_BYTES = 44 };
	struct error ignored;
	struct bytes b;
	uint32_t count;

	if (!enter_list(w, event, 2, &b, &count, &ignored, err))
		return err->kind == ERROR_NONE;
	/* The ids had other uses once. */
	if (count > bytes_left(&b) / 40)
		return true;
	w->current.wrappers_count += count;
	if (event->id != GC_BULK_CCW || !w->is_kept)
		return true;
	for (uint32_t i = 0; i < count && bytes_left(&b) >= CCW_BYTES; i++) {
		struct walk_wrapper wrapper;

		bytes_skip(&b, 8, "a wrapper");
		wrapper.object = bytes_u64(&b, "an object");
		bytes_skip(&b, 8, "a type");
		wrapper.interface = bytes_u64(&b, "an interface");
		bytes_skip(&b, 12, "counts");
		if (!memory_make_room((void **)&w->wrappers.items,
				      w->wrappers.count, &w->wrappers.room,
				      sizeof(wrapper), err))
			return false;
		w->wrappers.items[w->wrappers.count++] = wrapper;
	}
	return true;
}

/* --- collections --- */

static bool
take_range(struct walk *w, const struct nettrace_event *event,
	   struct error *err)
{
	struct walk_ranges *ranges =
	    w->is_running ? &w->ranges : &w->ranges_before;
	struct gc_range range;

	if (!gc_range_read(&range, event, w->pointer_bytes) ||
	    range.generation > GEN_POH)
		return true;
	w->current.ranges_count += w->is_running;
	if (w->is_listing || (w->is_running && !w->is_kept))
		return true;
	if (!memory_make_room((void **)&ranges->items, ranges->count,
			      &ranges->room, sizeof(range), err))
		return false;
	ranges->items[ranges->count++] = range;
	return true;
}

static bool
take_gc_start(struct walk *w, const struct nettrace_event *event,
	      struct error *err)
{
	struct gc_start start;

	if (!gc_start_read(&start, event))
		return true;
	w->has_seen_gc = true;
	/* One that runs while others go on in the background. */
	if (!walk_end(w, false, err))
		return false;
	w->gc = start;
	w->is_gc_open = true;
	w->ranges_before.count = 0;
	return true;
}

static bool
take_gc_end(struct walk *w, const struct nettrace_event *event,
	    struct error *err)
{
	struct gc_end end;

	w->has_seen_gc = true;
	if (!gc_end_read(&end, event) ||
	    (w->is_gc_open && end.number != w->gc.number))
		return true;
	w->is_gc_open = false;
	return walk_end(w, true, err);
}

static void
take_restart(struct walk *w, const struct nettrace_event *event)
{
	if (w->is_pause_open && event->timestamp > w->suspended_at) {
		uint64_t pause = event->timestamp - w->suspended_at;

		if (w->is_listing)
			w->list->reports[w->list->count - 1].pause_ns = pause;
		else if (w->is_kept)
			w->report.pause_ns = pause;
	}
	w->is_pause_open = false;
	w->suspended_at = w->stopped_at = 0;
}

static bool
take_types(struct walk *w, const struct nettrace_event *event,
	   struct error *err)
{
	bool is_damaged = false;

	if (w->is_listing)
		return true;
	if (!walk_types_read(w->types, event, &is_damaged, err))
		return false;
	w->current.damaged_events_count += is_damaged;
	return true;
}

static bool
take_runtime(struct walk *w, const struct nettrace_event *event,
	     struct error *err)
{
	switch (event->id) {
	case GC_BULK_OBJECT:
		return take_objects(w, event, err);
	case GC_BULK_REF:
		return take_refs(w, event, err);
	case GC_BULK_TYPE:
		return take_types(w, event, err);
	case GC_BULK_ROOT:
		return take_roots(w, event, err);
	case GC_BULK_DEPENDENT:
		return take_dependents(w, event, err);
	case GC_BULK_STATIC:
		return take_statics(w, event, err);
	case GC_BULK_CCW:
	case GC_BULK_RCW:
		return take_wrappers(w, event, err);
	case GC_RANGE:
		return take_range(w, event, err);
	case GC_START:
		return take_gc_start(w, event, err);
	case GC_END:
		return take_gc_end(w, event, err);
	case GC_SUSPEND_BEGIN:
		w->suspended_at = event->timestamp;
		return true;
	case GC_SUSPEND_END:
		w->stopped_at = event->timestamp;
		return true;
	case GC_RESTART_END:
		take_restart(w, event);
		return true;
	default:
		return true;
	}
}

/* --- names of modules and methods --- */

enum rundown_event { /* what is loaded; at its load, at start or stop */
		     METHOD_LOAD = 143,
		     METHOD_UNLOAD = 144,
		     DOMAIN_MODULE_FIRST = 151,
		     DOMAIN_MODULE_LAST = 152,
		     MODULE_FIRST = 153,
		     MODULE_LAST = 154,
};

const char *
walk_texts_find(const struct walk_texts *t, uint64_t id)
{
	uint32_t i = nettrace_map_get(&t->index, id);

	return i == NETTRACE_MAP_NONE ? NULL : t->items[i];
}

/* The first text that an id was given stays. */
static bool
texts_add(struct walk_texts *t, uint64_t id, const char *text,
	  struct error *err)
{
	if (!text ||
	    !memory_make_room((void **)&t->items, t->count, &t->room,
			      sizeof(*t->items), err) ||
	    !nettrace_map_put(&t->index, id, (uint32_t)t->count, err))
		return false;
	t->items[t->count++] = text;
	return true;
}

static bool
take_module(struct walk *w, const struct nettrace_event *event,
	    bool is_in_domain, struct error *err)
{
	struct error ignored;
	struct bytes b;
	struct bytes_array path;
	uint64_t id;

	error_clear(&ignored);
	bytes_init(&b, event->payload, event->payload_len, &ignored);
	id = bytes_u64(&b, "a module");
	bytes_skip(&b, is_in_domain ? 16 + 8 : 8 + 8, "its assembly, flags");
	path = walk_text_take(&b, "a path");
	if (!bytes_ok(&b) || walk_texts_find(&w->modules, id))
		return true;
	return texts_add(&w->modules, id, walk_text_utf8(&path, &w->arena, err),
			 err);
}

/* "Namespace.Type.Method", only of methods on whose stack roots are. */
static bool
take_method(struct walk *w, const struct nettrace_event *event,
	    struct error *err)
{
	struct display_name type;
	struct bytes_array texts[2];
	const char *raw, *name;
	struct error ignored;
	struct bytes b;
	uint64_t id;

	error_clear(&ignored);
	bytes_init(&b, event->payload, event->payload_len, &ignored);
	id = bytes_u64(&b, "a method");
	bytes_skip(&b, 8 + 8 + 4 + 4 + 4, "its module, code, token, flags");
	texts[0] = walk_text_take(&b, "a type");
	texts[1] = walk_text_take(&b, "a method");
	if (!bytes_ok(&b) || walk_texts_find(&w->methods, id) ||
	    nettrace_map_get(&w->methods_wanted, id) == NETTRACE_MAP_NONE)
		return true;
	raw = walk_text_utf8(&texts[0], &w->arena, err);
	name = walk_text_utf8(&texts[1], &w->arena, err);
	if (raw)
		raw = walk_name_spell(raw, &w->arena, err);
	if (!raw || !name || !name_display(raw, &w->arena, &type, err))
		return false;
	return texts_add(&w->methods, id,
			 arena_printf(&w->arena, err, "%s%s%s", type.full,
				      *type.full ? "." : "", name),
			 err);
}

static bool
take_rundown(struct walk *w, const struct nettrace_event *event,
	     struct error *err)
{
	uint32_t id = event->id;

	if (event->provider == NETTRACE_RUNTIME) /* numbered one lower */
		id += id == DOMAIN_MODULE_LAST;
	if (id >= DOMAIN_MODULE_FIRST && id <= DOMAIN_MODULE_LAST)
		return take_module(w, event, true, err);
	if (id >= MODULE_FIRST && id <= MODULE_LAST)
		return take_module(w, event, false, err);
	if (id == METHOD_LOAD || id == METHOD_UNLOAD)
		return take_method(w, event, err);
	return true;
}

static bool
take_process(struct walk *w, const struct nettrace_event *event,
	     struct error *err)
{
	struct error ignored;
	struct bytes_array text;
	struct bytes b;

	if (event->id != 1 || w->command_line)
		return true;
	error_clear(&ignored);
	bytes_init(&b, event->payload, event->payload_len, &ignored);
	text = walk_text_take(&b, "the command line");
	if (!bytes_ok(&b))
		return true;
	w->command_line = walk_text_utf8(&text, &w->arena, err);
	return w->command_line != NULL;
}

/* --- what comes --- */

static void
take_loss(struct walk *w, const struct nettrace_event *event)
{
	if (w->is_running && event->thread == w->thread)
		w->current.lost_events += event->lost_count;
}

bool
walk_take(struct walk *w, const struct nettrace *t, enum nettrace_item item,
	  const struct nettrace_event *event, struct error *err)
{
	if (item == NETTRACE_LOST) {
		take_loss(w, event);
		return true;
	}
	w->pointer_bytes = nettrace_header(t)->pointer_bytes;
	switch (event->provider) {
	case NETTRACE_RUNTIME:
		if (event->id >= METHOD_LOAD && event->id <= MODULE_LAST)
			return w->is_listing || take_rundown(w, event, err);
		return take_runtime(w, event, err);
	case NETTRACE_RUNDOWN:
		return w->is_listing || take_rundown(w, event, err);
	case NETTRACE_EVENTPIPE:
		return w->is_listing || take_process(w, event, err);
	default:
		return true;
	}
}

enum walk_state
walk_state(const struct walk *w)
{
	if (w->is_running && w->is_kept)
		return WALK_RUNNING;
	return w->has_report ? WALK_DONE : WALK_NONE;
}

const struct walk_report *
walk_report(const struct walk *w)
{
	return w->is_running && w->is_kept ? &w->current : &w->report;
}
