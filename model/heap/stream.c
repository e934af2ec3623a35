#include "model/base/sorted.h"
#include "model/heap/staged.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool
staged_reserve(struct staged *s, size_t bytes, struct error *err)
{
	size_t room = s->room + s->room / 2 + 65536;
	uint8_t *larger;

	if (s->room - s->used >= bytes)
		return true;
	larger = memory_resize(s->bytes, room, 1, err);
	if (!larger)
		return false;
	s->bytes = larger;
	s->room = room;
	return true;
}

static void
staged_put(struct staged *s, uint64_t value)
{
	s->used = (size_t)(varint_put(s->bytes + s->used, value) - s->bytes);
}

struct heap_stream *
heap_stream_new(struct error *err)
{
	struct heap_stream *s = memory_new(1, sizeof(*s), err);

	if (!s)
		return NULL;
	s->builder = heap_builder_new(err);
	s->tally.sizes = memory_new(TALLY_SIZES, sizeof(*s->tally.sizes), err);
	if (!s->builder || !s->tally.sizes || !staged_reserve(&s->objects, 1, err) ||
	    !staged_reserve(&s->refs, 1, err)) {
		heap_stream_free(s);
		return NULL;
	}
	return s;
}

void
heap_stream_free(struct heap_stream *s)
{
	if (!s)
		return;
	heap_builder_free(s->builder);
	memory_free(s->objects.bytes);
	memory_free(s->refs.bytes);
	memory_free(s->runs);
	memory_free(s->marks);
	memory_free(s->tally.types);
	memory_free(s->tally.sizes);
	memory_free(s->roots);
	memory_free(s->weak);
	memory_free(s->links);
	memory_free(s->doubles);
	memory_free(s->undefined.items);
	memory_free(s);
}

struct heap_builder *
heap_stream_builder(struct heap_stream *s)
{
	return s->builder;
}

static bool
run_begin(struct heap_stream *s, struct error *err)
{
	if (!APPEND(s->runs, s->runs_count, s->runs_room, err,
		    (struct run){
			.object_at = s->objects.used,
			.ref_at = s->refs.used,
			.first = s->objects_count,
		    }))
		return false;
	s->last_address = 0;
	s->has_last = false;
	return true;
}

/* Sets a mark at which a thread can begin to read. */
static bool
mark_place(struct heap_stream *s, struct error *err)
{
	if (!APPEND(s->marks, s->marks_count, s->marks_room, err,
		    (struct staged_mark){
			.object_at = s->objects.used,
			.ref_at = s->refs.used,
			.number = s->objects_count,
			.before = s->last_address,
		    }))
		return false;
	s->has_last = false;
	return true;
}

/* Encodes objects that equal the previous one in one byte. */
static void
put_kind(struct heap_stream *s, type_id type, uint64_t size, uint64_t refs_count)
{
	if (s->has_last && type == s->last_type && size == s->last_size &&
	    refs_count == s->last_refs_count) {
		staged_put(&s->objects, 0);
		return;
	}
	staged_put(&s->objects, (uint64_t)type + 1);
	staged_put(&s->objects, size);
	staged_put(&s->objects, refs_count);
	s->last_type = type;
	s->last_size = size;
	s->last_refs_count = refs_count;
	s->has_last = true;
}

static bool
tally_make_room(struct heap_stream *s, type_id type, struct error *err)
{
	size_t room = 2 * (size_t)type + 256;
	struct tally_type *larger;

	if (type >= s->numbers_count)
		s->numbers_count = type + 1;
	if (type < s->tally_room)
		return true;
	larger = memory_resize(s->tally.types, room, sizeof(*larger), err);
	if (!larger)
		return false;
	for (size_t i = s->tally_room; i < room; i++)
		larger[i] = (struct tally_type){ .min_bytes = UINT64_MAX };
	s->tally.types = larger;
	s->tally_room = room;
	return true;
}

static bool
check_object(const struct heap_stream *s, uint64_t address, type_id type, struct error *err)
{
	if (s->refs_left)
		return error_set(err, ERROR_INPUT,
				 "%" PRIu64 " references of the object before "
				 "%" PRIx64 " are missing",
				 s->refs_left, address);
	if (!s->has_deferred_types && type >= heap_builder_types_count(s->builder))
		return error_set(err, ERROR_INPUT, "object %" PRIx64 " has type %u of %u", address,
				 type, heap_builder_types_count(s->builder));
	return true;
}

bool
heap_stream_object(struct heap_stream *s, uint64_t address, type_id type, uint64_t size,
		   uint64_t refs_count, struct error *err)
{
	struct run *run;

	if (!check_object(s, address, type, err))
		return false;
	if ((!s->runs_count || address <= s->last_address) && !run_begin(s, err))
		return false;
	run = &s->runs[s->runs_count - 1];
	if (run->count && !(run->count % MARK_OBJECTS) && !mark_place(s, err))
		return false;
	if (!staged_reserve(&s->objects, 4 * VARINT_MAX_BYTES, err) ||
	    (type >= s->numbers_count && !tally_make_room(s, type, err)) ||
	    !addresses_note(heap_builder_addresses(s->builder), address, err))
		return false;
	tally_object(&s->tally, type, size, refs_count);
	staged_put(&s->objects, address - s->last_address);
	put_kind(s, type, size, refs_count);
	run->count++;
	run->last_address = s->last_address = address;
	s->objects_count++;
	s->refs_left = refs_count;
	return true;
}

bool
heap_stream_ref(struct heap_stream *s, uint64_t target, struct error *err)
{
	if (!s->refs_left)
		return error_set(err, ERROR_INPUT,
				 "object %" PRIx64 " has more references than announced",
				 s->last_address);
	if (!staged_reserve(&s->refs, VARINT_MAX_BYTES, err))
		return false;
	staged_put(&s->refs, varint_zigzag((int64_t)(target - s->last_address)));
	s->refs_left--;
	return true;
}

bool
heap_stream_link(struct heap_stream *s, uint64_t object, uint64_t target, struct error *err)
{
	return APPEND(s->links, s->links_count, s->links_room, err,
		      (struct link){ object, target, 0 });
}

bool
heap_stream_root_shared(struct heap_stream *s, uint64_t object, enum root_kind kind, bool is_pinned,
			const char *name, const char *label, struct error *err)
{
	return APPEND(s->roots, s->roots_count, s->roots_room, err,
		      (struct staged_root){
			  .address = object,
			  .kind = (uint8_t)kind,
			  .is_pinned = is_pinned,
			  .name = name ? name : "",
			  .label = label ? label : "",
		      });
}

bool
heap_stream_root(struct heap_stream *s, uint64_t object, enum root_kind kind, bool is_pinned,
		 const char *name, const char *label, struct error *err)
{
	struct arena *a = heap_builder_arena(s->builder);

	name = name ? arena_strndup(a, name, strlen(name), err) : "";
	label = label ? arena_strndup(a, label, strlen(label), err) : "";
	return name && label &&
	       heap_stream_root_shared(s, object, kind, is_pinned, name, label, err);
}

bool
heap_stream_weak(struct heap_stream *s, uint64_t object, struct error *err)
{
	return APPEND(s->weak, s->weak_count, s->weak_room, err, object);
}

bool
heap_stream_range(struct heap_stream *s, uint64_t start, uint64_t end, enum generation gen,
		  int32_t heap_number, struct error *err)
{
	return heap_builder_range(s->builder, start, end, gen, heap_number, err);
}

void
heap_stream_defer_types(struct heap_stream *s)
{
	s->has_deferred_types = true;
}

void
heap_stream_map_types(struct heap_stream *s, const type_id *map, uint32_t map_count)
{
	s->types = map;
	s->types_count = map_count;
}

/* --- finishing --- */

static void
count_losses(struct heap_stream *s)
{
	struct losses *losses = &heap_builder_info(s->builder)->losses;
	const struct undefined *u = &s->undefined;

	losses->made_up_addresses += s->doubles_count;
	losses->undefined_refs += u->count;
	SORT_NUMBERS(u->items, u->count);
	for (size_t i = 0; i < u->count; i++)
		losses->undefined_nodes += !i || u->items[i] != u->items[i - 1];
}

static bool
finish_roots(struct heap_stream *s, struct error *err)
{
	const struct addresses *addresses = heap_builder_addresses(s->builder);

	for (size_t i = 0; i < s->roots_count; i++) {
		const struct staged_root *r = &s->roots[i];

		if (!heap_builder_root(s->builder, addresses_find(addresses, r->address), r->kind,
				       r->is_pinned, r->name, r->label, err))
			return false;
	}
	return true;
}

static bool
finish_weak(struct heap_stream *s, struct error *err)
{
	const struct addresses *addresses = heap_builder_addresses(s->builder);

	for (size_t i = 0; i < s->weak_count; i++) {
		node_id object = addresses_find(addresses, s->weak[i]);

		if (object != NODE_NONE && !heap_builder_weak(s->builder, object, 1, err))
			return false;
	}
	return true;
}

/* Targets of dependent handles whose object is not in the heap. */
static bool
finish_links(struct heap_stream *s, struct error *err)
{
	const struct addresses *addresses = heap_builder_addresses(s->builder);

	for (size_t i = 0; i < s->links_count; i++) {
		const struct link *l = &s->links[i];
		node_id target = addresses_find(addresses, l->target);

		if (target != NODE_NONE && addresses_find(addresses, l->object) == NODE_NONE &&
		    !heap_builder_root(s->builder, target, ROOT_DEPENDENT, false, "", "", err))
			return false;
	}
	return true;
}

static bool
check_types(const struct heap_stream *s, struct error *err)
{
	if (s->has_deferred_types && s->numbers_count > s->types_count)
		return error_set(err, ERROR_INPUT, "an object has type number %u of %u",
				 s->numbers_count - 1, s->types_count);
	return true;
}

static void
tally_map(const struct heap_stream *s, struct tally *tally)
{
	memcpy(tally->sizes, s->tally.sizes, TALLY_SIZES * sizeof(*tally->sizes));
	for (uint32_t i = 0; i < s->numbers_count; i++) {
		const struct tally_type *from = &s->tally.types[i];
		struct tally_type *to = &tally->types[s->types ? s->types[i] : i];

		if (!from->count)
			continue;
		to->count += from->count;
		to->bytes += from->bytes;
		to->refs += from->refs;
		if (from->min_bytes < to->min_bytes)
			to->min_bytes = from->min_bytes;
		if (from->max_bytes > to->max_bytes)
			to->max_bytes = from->max_bytes;
	}
}

static void
sort_links(struct heap_stream *s)
{
	size_t first = 0;

	if (s->links_count)
		qsort(s->links, s->links_count, sizeof(*s->links), compare_u64_pair);
	for (size_t i = 0; i < s->links_count; i++) {
		if (s->links[i].object != s->links[first].object)
			first = i;
		s->links[first].same_count++;
	}
}

static bool
finish_all(struct heap_stream *s, struct progress *progress, struct error *err)
{
	struct addresses *addresses = heap_builder_addresses(s->builder);
	struct tally *tally = heap_builder_tally(s->builder, err);

	if (s->refs_left)
		return error_set(err, ERROR_INPUT,
				 "%" PRIu64 " references of the last object are missing",
				 s->refs_left);
	if (!tally || !check_types(s, err))
		return false;
	tally_map(s, tally);
	sort_links(s);
	progress_begin(progress, "ordering objects", "objects", s->objects_count * 2);
	if (!addresses_plan(addresses, err) || !staged_place(s, tally, progress, err) ||
	    !heap_builder_totals(s->builder, err) || !addresses_seal(addresses, err) ||
	    !heap_builder_objects(s->builder, err) || !staged_fill(s, progress, err))
		return false;
	count_losses(s);
	return finish_roots(s, err) && finish_links(s, err) && finish_weak(s, err);
}

const struct heap *
heap_stream_finish(struct heap_stream *s, struct progress *progress, struct error *err)
{
	const struct heap *heap = NULL;

	if (finish_all(s, progress, err)) {
		heap = heap_builder_finish(s->builder, err);
		s->builder = NULL;
	}
	heap_stream_free(s);
	return heap;
}
