/* Findings that need the bytes of objects: empty collections, arrays of zeros, boxed values. */
#include "model/analysis/collection_places.h"
#include "model/analysis/finder.h"
#include "model/base/load.h"
#include "model/base/zeros.h"
#include "model/heap/object_bytes.h"
#include "model/table/table.h"
#include <string.h>

enum {
	ZEROS_MIN = 1024, /* smaller arrays are not examined */
	ROOM_MIN = 16,    /* capacity from which a collection can be nearly empty */
	EMPTY_PART = 4,   /* nearly empty: less than a quarter is in use */
	LOOK_EVERY = 4096,
};

/* How objects of a type are examined. */
enum look { LOOK_UNKNOWN, LOOK_NONE, LOOK_COLLECTION, LOOK_ZEROS, LOOK_BOX };

struct values {
	struct finder *f;
	struct object_bytes bytes;
	/* Layouts of the arrays of collections. These and all arrays below are indexed by
	   type_id. */
	struct content_layout *arrays;
	bool *is_asked; /* the layout in `arrays` has been requested */
	uint8_t *looks; /* enum look */
	/* Set for LOOK_COLLECTION. */
	const struct collection_kind **kinds;
	uint64_t *unused;      /* unused bytes of the collections found */
	uint64_t *empty_bytes; /* bytes of collections without elements */
	uint32_t *live_counts; /* collections examined */
	struct members found;  /* grouped by type */
};

/* --- collections ---------------------------------------------------------- */

static const struct content_part *
part_of(const struct content_layout *layout, const char *name)
{
	for (uint32_t i = 0; i < layout->parts_count; i++)
		if (!layout->parts[i].depth && !strcmp(layout->parts[i].name, name))
			return &layout->parts[i];
	return NULL;
}

static bool
read_field(struct values *v, node_id n, const struct content_layout *layout, const char *name,
	   uint32_t bytes, uint64_t *value)
{
	const struct content_part *part = part_of(layout, name);
	const uint8_t *at;

	if (!part || part->bytes != bytes)
		return false;
	at = object_bytes_at(&v->bytes, object_bytes_address(&v->bytes, n) + part->offset, bytes);
	if (at)
		*value = load_bytes(at, bytes);
	return at != NULL;
}

/* Finds capacity and element size of the array at `address`; null has capacity
   0. */
static bool
room_of(struct values *v, uint64_t address, uint64_t *room, uint32_t *each)
{
	const struct heap *h = v->f->heap;
	node_id array = address ? heap_find(h, address) : NODE_NONE;
	struct content_layout *layout;
	struct error ignored = { 0 };
	type_id type;

	*room = *each = 0;
	if (!address)
		return true;
	if (array == NODE_NONE)
		return false;
	type = heap_type_of(h, array);
	layout = &v->arrays[type];
	if (!v->is_asked[type] && !h->memory->contents->layout(h->memory->source, array, layout,
							       &v->bytes.arena, &ignored))
		layout->element_bytes = 0;
	v->is_asked[type] = true;
	*each = layout->element_bytes;
	if (!*each)
		return false;
	*room = elements_room(layout, heap_size(h, array)) / *each;
	return true;
}

static bool
look_at_collection(struct values *v, node_id n, struct error *err)
{
	type_id type = heap_type_of(v->f->heap, n);
	const struct collection_kind *c = v->kinds[type];
	const struct content_layout *layout = object_bytes_layout(&v->bytes, n);
	uint64_t array, count, freed = 0, room;
	uint32_t each;

	if (!layout || !read_field(v, n, layout, c->array, 8, &array) ||
	    !read_field(v, n, layout, c->used, 4, &count) ||
	    (c->freed && !read_field(v, n, layout, c->freed, 4, &freed)) || freed > count ||
	    !room_of(v, array, &room, &each) || count > room)
		return true;
	v->live_counts[type]++;
	count -= freed;
	if (count && (room < ROOM_MIN || count >= room / EMPTY_PART))
		return true;
	v->unused[type] += (room - count) * each;
	if (!count)
		v->empty_bytes[type] += heap_size(v->f->heap, n);
	return members_add(&v->found, (struct member){ type, 0, n, 0 }, err);
}

/* --- arrays of zeros ------------------------------------------------------ */

static bool
look_at_zeros(struct values *v, node_id n, struct error *err)
{
	const struct heap *h = v->f->heap;
	const struct content_layout *layout;
	uint64_t address = object_bytes_address(&v->bytes, n), left;
	uint32_t count;

	if (heap_size(h, n) < ZEROS_MIN)
		return true;
	layout = object_bytes_layout(&v->bytes, n);
	if (!layout || !object_bytes_count(&v->bytes, layout, n, &count))
		return true;
	address += layout->elements_at;
	left = (uint64_t)count * layout->element_bytes;
	while (left) {
		size_t len = left < OBJECT_PIECE ? (size_t)left : OBJECT_PIECE;
		const uint8_t *at = object_bytes_at(&v->bytes, address, len);

		if (!at || !is_all_zero(at, len))
			return true;
		left -= len;
		address += len;
	}
	return members_add(&v->found, (struct member){ heap_type_of(h, n), 0, n, 0 }, err);
}

/* --- all objects --------------------------------------------------------- */

static enum look
look_of(struct values *v, node_id n)
{
	type_id type = heap_type_of(v->f->heap, n);
	const struct type *t = &v->f->heap->types[type];
	const struct content_layout *layout;

	if (t->flags & TYPE_STRING)
		return LOOK_NONE;
	v->kinds[type] = collection_kind_named(t->raw);
	if (v->kinds[type] && v->kinds[type]->used)
		return LOOK_COLLECTION;
	if (t->bytes < v->f->much)
		return LOOK_NONE;
	if (t->flags & TYPE_ARRAY)
		return t->flags & TYPE_HAS_REFS ? LOOK_NONE : LOOK_ZEROS;
	layout = object_bytes_layout(&v->bytes, n);
	/* The next object of this type may have a layout. */
	if (!layout)
		return LOOK_UNKNOWN;
	return layout->is_boxed ? LOOK_BOX : LOOK_NONE;
}

static bool
look_at(struct values *v, node_id n, struct error *err)
{
	type_id type = heap_type_of(v->f->heap, n);

	if (v->looks[type] == LOOK_UNKNOWN)
		v->looks[type] = (uint8_t)look_of(v, n);
	switch (v->looks[type]) {
	case LOOK_COLLECTION:
		return look_at_collection(v, n, err);
	case LOOK_ZEROS:
		return look_at_zeros(v, n, err);
	case LOOK_BOX:
		return members_add(&v->found, (struct member){ type, 0, n, 0 }, err);
	default:
		return true;
	}
}

static bool
look_at_all(struct values *v, struct error *err)
{
	const struct heap *h = v->f->heap;

	progress_begin(v->f->progress, "looking into objects", "objects", h->nodes_count);
	for (node_id n = 0; n < h->nodes_count; n++) {
		if (finder_is_live(v->f, n) && !look_at(v, n, err))
			return false;
		if (n % LOOK_EVERY == 0 && !progress_add(v->f->progress, LOOK_EVERY))
			return error_cancelled(err);
	}
	return true;
}

static bool
report_type(void *context, const struct members *m, uint32_t from, uint32_t end, struct error *err)
{
	static const struct finding_kind *const kinds[] = {
		[LOOK_COLLECTION] = &finding_empty,
		[LOOK_ZEROS] = &finding_zeros,
		[LOOK_BOX] = &finding_boxed,
	};
	const struct values *v = context;
	type_id type = (type_id)m->items[from].key;
	enum look look = (enum look)v->looks[type];
	struct finder *f = v->f;
	uint64_t bytes = v->unused[type] + v->empty_bytes[type];
	struct finding *out;

	for (uint32_t i = from; i < end && look != LOOK_COLLECTION; i++)
		bytes += heap_size(f->heap, m->items[i].node);
	if (bytes < f->much)
		return true;
	out = finder_add(f, kinds[look], err);
	if (!out || !finding_set_members(f, out, m, from, end, err))
		return false;
	out->type = type;
	out->count = out->nodes_count;
	out->all_count = v->live_counts[type];
	out->unused_bytes = v->unused[type];
	if (look == LOOK_BOX)
		out->holder_type = finder_holder(f, out->nodes, out->nodes_count);
	return true;
}

static bool
values_init(struct values *v, struct finder *f, struct error *err)
{
	size_t types = (size_t)f->heap->types_count + 1;
	struct arena *a = &f->scratch;

	*v = (struct values){ .f = f };
	v->arrays = arena_array(a, struct content_layout, types, err);
	v->is_asked = arena_array(a, bool, types, err);
	v->looks = arena_array(a, uint8_t, types, err);
	v->kinds = arena_array(a, const struct collection_kind *, types, err);
	v->unused = arena_array(a, uint64_t, types, err);
	v->empty_bytes = arena_array(a, uint64_t, types, err);
	v->live_counts = arena_array(a, uint32_t, types, err);
	return v->arrays && v->is_asked && v->looks && v->kinds && v->unused && v->empty_bytes &&
	       v->live_counts && object_bytes_init(&v->bytes, f->heap, err);
}

static bool
find_in_values(struct finder *f, struct error *err)
{
	struct values v;
	bool ok = values_init(&v, f, err) && look_at_all(&v, err) &&
		  members_report(&v.found, report_type, &v, err);

	memory_free(v.found.items);
	object_bytes_clear(&v.bytes);
	return ok;
}

/* --- in words ------------------------------------------------------------- */

static void
why_empty(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	text_addf(out, "are empty or nearly empty: %s with unused room",
		  words_size(w, f->bytes + f->unused_bytes));
}

/*
 * Lists, dictionaries and other collections of one type that are empty, or have room for 16 or more
 * elements and use less than a quarter of it. The empty ones and the unused room take `much`.
 * `count`: those collections; `unused_bytes`: the unused room.
 */
const struct finding_kind finding_empty = {
	.id = "empty",
	.title = "empty collections",
	.harmless = "no leak if they are about to be filled; otherwise they were created too "
		    "early, or with too much capacity",
	.heaps = OF_FIELDS,
	.what = what_part,
	.why = why_empty,
	.id_parts = ID_TYPE,
	.is_waste = true,
};

static void
why_zeros(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	text_addf(out, "%s only zeros: %s", verb_for(f->count, "contains", "contain"),
		  words_size(w, f->bytes));
}

/* Arrays of values, of 1 KiB or more, that contain only zeros: `much` of one type. `type`: the
   arrays. */
const struct finding_kind finding_zeros = {
	.id = "zeros",
	.title = "arrays of zeros",
	.harmless = "no leak if they are buffers about to be filled, or belong to a pool",
	.heaps = OF_CONTENTS,
	.find = find_in_values,
	.what = what_count,
	.why = why_zeros,
	.id_parts = ID_TYPE,
	.is_waste = true,
};

static void
what_boxed(struct finding_words *w, struct text *out)
{
	text_addf(out, "%s boxed %s", words_count(w, w->finding->count), words_type(w));
}

static void
why_boxed(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	text_addf(out, "%s %s", verb_for(f->count, "takes", "take"), words_size(w, f->bytes));
}

/* Boxed values, `much` of one type. `holder_type`: the type of most referrers. */
const struct finding_kind finding_boxed = {
	.id = "boxed",
	.title = "boxed values",
	.harmless = "no leak in itself: a box takes 16 bytes more than its value; generic "
		    "collections need none",
	.heaps = OF_CONTENTS,
	.what = what_boxed,
	.why = why_boxed,
	.held = held_by_type,
	.id_parts = ID_TYPE,
	.is_waste = true,
};
