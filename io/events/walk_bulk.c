#include "io/base/utf16.h"
#include "io/events/walk_state.h"
#include "model/base/sorted.h"
#include <string.h>

enum {
	BULK_HEAD_BYTES = 10,      /* u32 index, u32 count, u16 */
	BULK_BUFFER_BYTES = 64256, /* the runtime's array of records */
};

struct bulk {
	uint32_t count, cut_count; /* cut: announced, but missing */
	const uint8_t *records;
	size_t each;
};

static void
count_missing(struct walk *w, enum walk_series series, uint32_t events)
{
	uint64_t *const counts[SERIES_COUNT] = {
		[SERIES_ROOTS] = &w->current.missing_root_events,
		[SERIES_DEPENDENTS] = &w->current.missing_dependent_events,
		[SERIES_OBJECTS] = &w->current.missing_object_events,
		[SERIES_REFS] = &w->current.missing_ref_events,
	};

	*counts[series] += events;
}

/* `count` records of the series are missing at this place. */
static bool
lose_records(struct walk *w, enum walk_series series, uint64_t count, struct error *err)
{
	if (series == SERIES_REFS) {
		w->current.missing_refs += count;
		return !walk_is_built(w) || walk_pairs_lost_refs(&w->pairs, count, err);
	}
	if (series == SERIES_OBJECTS) {
		w->current.missing_objects += count;
		return !walk_is_built(w) || walk_pairs_lost_objects(&w->pairs, err);
	}
	return true;
}

static bool
fill_gap(struct walk *w, enum walk_series series, uint32_t events, size_t each, struct error *err)
{
	uint64_t full = w->full_count[series];

	count_missing(w, series, events);
	if (!full)
		full = BULK_BUFFER_BYTES / each;
	return lose_records(w, series, events * full, err);
}

/* Bounds the announced count of a truncated event by that of a full one. */
static void
cut_short(struct walk *w, struct bulk *bulk, uint32_t room)
{
	uint32_t full = (uint32_t)(BULK_BUFFER_BYTES / bulk->each);

	w->current.damaged_events_count++;
	if (bulk->count > full)
		bulk->count = full;
	bulk->cut_count = bulk->count > room ? bulk->count - room : 0;
	bulk->count = room;
}

/* Reads the head of an event with records of `each` bytes. False: there are none, or no memory. */
static bool
enter_bulk(struct walk *w, enum walk_series series, const struct nettrace_event *event, size_t each,
	   struct bulk *bulk, struct error *err)
{
	uint32_t index, room;

	if (event->payload_len < BULK_HEAD_BYTES) {
		w->current.damaged_events_count += w->is_running;
		return false;
	}
	index = bytes_load_u32(event->payload);
	if (w->is_running && index < w->next_index[series]) {
		/* Numbers restart, which ends a walk without collections. */
		if (!walk_end(w, !w->has_seen_gc, err))
			return false;
	}
	if (!walk_enter(w, event, err))
		return false;
	if (index > w->next_index[series] &&
	    !fill_gap(w, series, index - w->next_index[series], each, err))
		return false;
	w->next_index[series] = index + (index < UINT32_MAX);
	bulk->count = bytes_load_u32(event->payload + 4);
	bulk->records = event->payload + BULK_HEAD_BYTES;
	bulk->each = each;
	room = (uint32_t)((event->payload_len - BULK_HEAD_BYTES) / each);
	bulk->cut_count = 0;
	if (bulk->count > room)
		cut_short(w, bulk, room);
	if (bulk->count > w->full_count[series])
		w->full_count[series] = bulk->count;
	w->is_last_full[series] = bulk->count >= BULK_BUFFER_BYTES / each;
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
	struct walk_total *total;

	if (o->type >= w->totals.count) {
		size_t room = 2 * (size_t)o->type + 256;
		struct walk_total *larger =
		    memory_resize(w->totals.items, room, sizeof(*larger), err);

		if (!larger)
			return false;
		memset(larger + w->totals.count, 0, (room - w->totals.count) * sizeof(*larger));
		w->totals.items = larger;
		w->totals.count = room;
	}
	total = &w->totals.items[o->type];
	if (total->size != o->size)
		total->size = total->count ? 0 : o->size;
	total->count++;
	total->bytes += o->size;
	return true;
}

/* Is it in none of the ranges from the start of the collection? */
static bool
is_outside(struct walk *w, uint64_t address)
{
	const struct gc_range *ranges = w->ranges_before.items;
	size_t at;

	if (address - ranges[w->last_range].start < ranges[w->last_range].reserved_bytes)
		return false;
	/* The first range that starts above the address. */
	LOWER_BOUND(at, 0, w->ranges_before.count, ranges[at].start <= address);
	if (!at || address - ranges[at - 1].start >= ranges[at - 1].reserved_bytes)
		return true;
	w->last_range = at - 1;
	return false;
}

/*
 * With server GC another thread reports the ranges, perhaps after the first objects. Frozen objects
 * come first of all, so enough of those early objects are kept to check them at the end.
 */
enum { UNRANGED_MAX = 1 << 19 };

static bool
may_be_outside(struct walk *w, uint64_t address)
{
	if (!w->ranges_before.count)
		return w->outside.count < 2 * UNRANGED_MAX;
	return is_outside(w, address);
}

static bool
add_object(struct walk *w, const struct walk_object *o, struct error *err)
{
	if (!walk_is_built(w))
		return count_object(w, o, err);
	if (may_be_outside(w, o->address) && (!walk_queue_put(&w->outside, o->address, err) ||
					      !walk_queue_put(&w->outside, o->size, err)))
		return false;
	return count_object(w, o, err) && walk_pairs_object(&w->pairs, o, err);
}

bool
walk_take_objects(struct walk *w, const struct nettrace_event *event, struct error *err)
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
		    (!walk_types_number(w->types, bytes_load_u64(at + p + 8), &o.type, err) ||
		     !add_object(w, &o, err)))
			return false;
	}
	w->current.objects_count += bulk.count;
	walk_check_memory(w);
	return !bulk.cut_count || lose_records(w, SERIES_OBJECTS, bulk.cut_count, err);
}

bool
walk_take_refs(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	struct bulk bulk;

	if (!enter_bulk(w, SERIES_REFS, event, w->pointer_bytes + 4, &bulk, err))
		return err->kind == ERROR_NONE;
	w->current.refs_count += bulk.count;
	walk_check_memory(w);
	if (walk_is_built(w) &&
	    !walk_pairs_refs(&w->pairs, bulk.records, bulk.count, w->pointer_bytes, bulk.each, err))
		return false;
	return !bulk.cut_count || lose_records(w, SERIES_REFS, bulk.cut_count, err);
}

/* --- roots --- */

enum root_source { FROM_STACK, FROM_FINALIZER, FROM_HANDLE, FROM_SIZED_REF = 4 };
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
	    !u64_map_put(&w->methods_wanted, root->id, 0, err))
		return false;
	return APPEND(w->roots.items, w->roots.count, w->roots.room, err, *root);
}

bool
walk_take_roots(struct walk *w, const struct nettrace_event *event, struct error *err)
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
			continue; /* a stack slot without an object */
		if (flags & ROOT_WEAK) {
			w->current.weak_count++;
			if (walk_is_built(w) && !heap_stream_weak(w->stream, root.object, err))
				return false;
			continue;
		}
		w->current.roots_count++;
		if (walk_is_built(w) && !add_root(w, &root, err))
			return false;
	}
	return true;
}

bool
walk_take_dependents(struct walk *w, const struct nettrace_event *event, struct error *err)
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
			continue; /* a dead key, or no value */
		w->current.dependents_count++;
		if (walk_is_built(w) && !heap_stream_link(w->stream, key, value, err))
			return false;
	}
	return true;
}

/* Skips "u32 count" and `more`; false: ignore the event, or no memory. */
static bool
enter_list(struct walk *w, const struct nettrace_event *event, size_t more, struct bytes *b,
	   uint32_t *count, struct error *ignored, struct error *err)
{
	if (!walk_enter(w, event, err))
		return false;
	*b = gc_payload(event, ignored);
	*count = bytes_u32(b, "the number of records");
	bytes_skip(b, more, "the rest of the header");
	return true;
}

bool
walk_take_statics(struct walk *w, const struct nettrace_event *event, struct error *err)
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
		field = utf16_take(&b, "a static's name");
		if (!bytes_ok(&b))
			break;
		w->current.statics_count++;
		if (!walk_is_built(w))
			continue;
		s.field = utf16_to_utf8(&field, &w->arena, err);
		if (!s.field ||
		    !APPEND(w->statics.items, w->statics.count, w->statics.room, err, s))
			return false;
	}
	w->current.damaged_events_count += !bytes_ok(&b);
	return true;
}

/* --- COM, on Windows only --- */

enum { RCW_BYTES = 40, CCW_BYTES = 44, CCW_OLD_BYTES = 48 };

static bool
add_ccw(struct walk *w, struct bytes *b, size_t each, struct error *err)
{
	struct walk_wrapper wrapper;

	bytes_skip(b, 8, "a wrapper");
	wrapper.object = bytes_u64(b, "an object");
	bytes_skip(b, 8, "a type");
	wrapper.interface = bytes_u64(b, "an interface");
	bytes_skip(b, each - 32, "counts");
	if (!walk_is_built(w) || !bytes_ok(b))
		return true;
	return APPEND(w->wrappers.items, w->wrappers.count, w->wrappers.room, err, wrapper);
}

/*
 * Objects held by COM (CCW) are roots; objects that hold COM objects (RCW) are only counted, as are
 * events in an unknown format: their ids once had other uses.
 */
bool
walk_take_wrappers(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	bool is_ccw = event->id == GC_BULK_CCW;
	size_t each = is_ccw ? CCW_BYTES : RCW_BYTES;
	struct error ignored;
	struct bytes b;
	uint32_t count;

	if (!enter_list(w, event, 2, &b, &count, &ignored, err))
		return err->kind == ERROR_NONE;
	if (!bytes_ok(&b) || count > bytes_left(&b) / each) {
		w->current.strange_events_count++;
		return true;
	}
	if (is_ccw && count && bytes_left(&b) / CCW_OLD_BYTES >= count)
		each = CCW_OLD_BYTES;
	if (!is_ccw) {
		w->current.rcws_count += count;
		return true;
	}
	w->current.ccws_count += count;
	for (uint32_t i = 0; i < count; i++)
		if (!add_ccw(w, &b, each, err))
			return false;
	return true;
}

bool
walk_take_types(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	bool is_damaged = false;

	if (w->is_listing)
		return true;
	if (!walk_types_read(w->types, event, &is_damaged, err))
		return false;
	w->current.damaged_events_count += is_damaged;
	return true;
}
