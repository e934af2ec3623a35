#include "model/heap_stream.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Objects are staged in runs of ascending addresses: what a collector walks is
 * a handful of runs, and anything else is only more of them. Each run can be
 * read front to back, so the heap is a merge of all runs by address.
 *
 * objects:  address − previous address of the run, type, size, refs_count
 * refs:     zigzag(target − address of the object), refs_count times
 * All as varints.
 */
struct staged {
	uint8_t *bytes;
	size_t used, room;
};

struct run {
	size_t object_at, ref_at; /* where it begins in the staged bytes */
	uint64_t first, count;    /* first: number of objects before it */
};

struct staged_root {
	uint64_t address;
	const char *name, *label;
	uint8_t kind;
	bool is_pinned;
};

struct link {
	uint64_t object, target;
};

struct heap_stream {
	struct heap_builder *builder;
	struct staged objects, refs;
	struct run *runs;
	size_t runs_count, runs_room;
	uint64_t objects_count, last_address, refs_left;
	struct staged_root *roots;
	size_t roots_count, roots_room;
	struct link *links; /* sorted by object while finishing */
	size_t links_count, links_room;
	bool has_deferred_types;
	const type_id *types; /* what the objects' type numbers mean, or NULL */
	uint32_t types_count, largest_type;

	/* While finishing: objects whose address is taken, by number. */
	uint64_t *doubles;
	size_t doubles_count, doubles_room;
	uint64_t *undefined; /* addresses referred to where no object is */
	size_t undefined_count, undefined_room;
};

/* One object read back from a run. */
struct cursor {
	const uint8_t *object_at, *ref_at;
	uint64_t left, number; /* objects to come; number of this one */
	uint64_t address, type, size, refs_count;
	size_t link_at, links_count; /* of this object */
};

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
	if (!s->builder || !staged_reserve(&s->objects, 1, err) ||
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
	memory_free(s->roots);
	memory_free(s->links);
	memory_free(s->doubles);
	memory_free(s->undefined);
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
	if (!memory_make_room((void **)&s->runs, s->runs_count, &s->runs_room,
			      sizeof(*s->runs), err))
		return false;
	s->runs[s->runs_count++] = (struct run){
		.object_at = s->objects.used,
		.ref_at = s->refs.used,
		.first = s->objects_count,
	};
	s->last_address = 0;
	return true;
}

bool
heap_stream_object(struct heap_stream *s, uint64_t address, type_id type,
		   uint64_t size, uint64_t refs_count, struct error *err)
{
	if (s->refs_left)
		return error_set(err, ERROR_INPUT,
				 "the object before %" PRIx64 " still lacks "
				 "%" PRIu64 " references",
				 address, s->refs_left);
	if (!s->has_deferred_types &&
	    type >= heap_builder_types_count(s->builder))
		return error_set(
		    err, ERROR_INPUT, "object %" PRIx64 " has type %u of %u",
		    address, type, heap_builder_types_count(s->builder));
	if ((!s->runs_count || address <= s->last_address) &&
	    !run_begin(s, err))
		return false;
	if (!staged_reserve(&s->objects, 4 * VARINT_MAX_BYTES, err))
		return false;
	staged_put(&s->objects, address - s->last_address);
	staged_put(&s->objects, type);
	staged_put(&s->objects, size);
	staged_put(&s->objects, refs_count);
	if (type > s->largest_type)
		s->largest_type = type;
	s->runs[s->runs_count - 1].count++;
	s->last_address = address;
	s->objects_count++;
	s->refs_left = refs_count;
	return true;
}

bool
heap_stream_ref(struct heap_stream *s, uint64_t target, struct error *err)
{
	if (!s->refs_left)
		return error_set(err, ERROR_INPUT,
				 "object %" PRIx64 " has more references than "
				 "announced",
				 s->last_address);
	if (!staged_reserve(&s->refs, VARINT_MAX_BYTES, err))
		return false;
	staged_put(&s->refs,
		   varint_zigzag((int64_t)(target - s->last_address)));
	s->refs_left--;
	return true;
}

bool
heap_stream_link(struct heap_stream *s, uint64_t object, uint64_t target,
		 struct error *err)
{
	if (!memory_make_room((void **)&s->links, s->links_count,
			      &s->links_room, sizeof(*s->links), err))
		return false;
	s->links[s->links_count++] = (struct link){ object, target };
	return true;
}

bool
heap_stream_root(struct heap_stream *s, uint64_t object, enum root_kind kind,
		 bool is_pinned, const char *name, const char *label,
		 struct error *err)
{
	struct arena *a = heap_builder_arena(s->builder);
	struct staged_root *root;

	if (!memory_make_room((void **)&s->roots, s->roots_count,
			      &s->roots_room, sizeof(*s->roots), err))
		return false;
	root = &s->roots[s->roots_count++];
	*root = (struct staged_root){
		.address = object,
		.kind = (uint8_t)kind,
		.is_pinned = is_pinned,
		.name = name ? arena_strndup(a, name, strlen(name), err) : "",
		.label =
		    label ? arena_strndup(a, label, strlen(label), err) : "",
	};
	return root->name && root->label;
}

bool
heap_stream_range(struct heap_stream *s, uint64_t start, uint64_t end,
		  enum generation gen, int32_t heap_number, struct error *err)
{
	return heap_builder_range(s->builder, start, end, gen, heap_number,
				  err);
}

void
heap_stream_defer_types(struct heap_stream *s)
{
	s->has_deferred_types = true;
}

void
heap_stream_map_types(struct heap_stream *s, const type_id *map,
		      uint32_t map_count)
{
	s->types = map;
	s->types_count = map_count;
}

/* --- finishing --- */

/* Links are sorted by object, and so are the objects of a run. */
static void
cursor_find_links(const struct heap_stream *s, struct cursor *c)
{
	const struct link *links = s->links;

	while (c->link_at < s->links_count &&
	       links[c->link_at].object < c->address)
		c->link_at++;
	c->links_count = 0;
	while (c->link_at + c->links_count < s->links_count &&
	       links[c->link_at + c->links_count].object == c->address)
		c->links_count++;
}

static void
cursor_read(const struct heap_stream *s, struct cursor *c)
{
	uint64_t delta;

	c->object_at = varint_get(c->object_at, &delta);
	c->object_at = varint_get(c->object_at, &c->type);
	c->object_at = varint_get(c->object_at, &c->size);
	c->object_at = varint_get(c->object_at, &c->refs_count);
	c->address += delta;
	if (s->types)
		c->type = s->types[c->type];
	if (c->link_at < s->links_count)
		cursor_find_links(s, c);
	else
		c->links_count = 0;
}

static struct cursor
cursor_begin(const struct heap_stream *s, const struct run *run)
{
	struct cursor c = {
		.object_at = s->objects.bytes + run->object_at,
		.ref_at = s->refs.bytes + run->ref_at,
		.left = run->count,
		.number = run->first,
	};

	cursor_read(s, &c);
	return c;
}

/* To the next object of the run; the references must have been read. */
static bool
cursor_next(const struct heap_stream *s, struct cursor *c)
{
	if (!--c->left)
		return false;
	c->number++;
	cursor_read(s, c);
	return true;
}

static uint64_t
cursor_ref(struct cursor *c)
{
	uint64_t delta;

	c->ref_at = varint_get(c->ref_at, &delta);
	return c->address + (uint64_t)varint_unzigzag(delta);
}

typedef bool visit(struct heap_stream *s, const struct cursor *c, void *context,
		   struct error *err);

/* All objects in the order they came, without their references. */
static bool
visit_all(struct heap_stream *s, visit *each, void *context,
	  struct progress *progress, struct error *err)
{
	for (size_t i = 0; i < s->runs_count; i++) {
		struct cursor c = cursor_begin(s, &s->runs[i]);

		do {
			if (!each(s, &c, context, err))
				return false;
			if (!(c.number & 0xffff) &&
			    !progress_add(progress, 0x10000))
				return error_cancelled(err);
		} while (cursor_next(s, &c));
	}
	return true;
}

static bool
visit_tally(struct heap_stream *s, const struct cursor *c, void *context,
	    struct error *err)
{
	tally_object(context, (type_id)c->type, c->size,
		     c->refs_count + c->links_count);
	return addresses_survey(heap_builder_addresses(s->builder), c->address,
				err);
}

static bool
visit_place(struct heap_stream *s, const struct cursor *c, void *context,
	    struct error *err)
{
	struct addresses *addresses = heap_builder_addresses(s->builder);

	(void)context;
	if (c->address && addresses_place(addresses, c->address))
		return true;
	if (!memory_make_room((void **)&s->doubles, s->doubles_count,
			      &s->doubles_room, sizeof(*s->doubles), err))
		return false;
	s->doubles[s->doubles_count++] = c->number;
	addresses_make_up(addresses);
	return true;
}

static int
compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool
is_double(const struct heap_stream *s, uint64_t number)
{
	return s->doubles_count &&
	       bsearch(&number, s->doubles, s->doubles_count, sizeof(number),
		       compare_u64);
}

/* Puts objects into the heap one after another, and chunks where they belong.
 */
struct filling {
	struct chunk_builder *chunk;
	node_id node, nodes_count;
	node_id *targets; /* of one object */
	size_t targets_room;
	struct progress *progress;
};

/* Adds to the targets of an object, or to what is undefined. */
static bool
add_target(struct heap_stream *s, struct filling *f, uint64_t target,
	   uint64_t *count, struct error *err)
{
	const struct addresses *addresses = heap_builder_addresses(s->builder);
	node_id id = target ? addresses_find(addresses, target) : NODE_NONE;

	if (id != NODE_NONE) {
		if (!memory_make_room((void **)&f->targets, *count,
				      &f->targets_room, sizeof(*f->targets),
				      err))
			return false;
		f->targets[(*count)++] = id;
	} else if (target) {
		if (!memory_make_room((void **)&s->undefined,
				      s->undefined_count, &s->undefined_room,
				      sizeof(*s->undefined), err))
			return false;
		s->undefined[s->undefined_count++] = target;
	}
	return true;
}

static bool
read_targets(struct heap_stream *s, struct filling *f, struct cursor *c,
	     uint64_t *count, struct error *err)
{
	*count = 0;
	for (uint64_t i = 0; i < c->refs_count; i++)
		if (!add_target(s, f, cursor_ref(c), count, err))
			return false;
	for (size_t i = 0; i < c->links_count; i++)
		if (!add_target(s, f, s->links[c->link_at + i].target, count,
				err))
			return false;
	return true;
}

static bool
fill_object(struct heap_stream *s, struct filling *f, struct cursor *c,
	    struct error *err)
{
	uint64_t refs_count;

	if (!read_targets(s, f, c, &refs_count, err))
		return false;
	if (!(f->node & (CHUNK_NODES - 1)))
		chunk_builder_begin(f->chunk, f->node >> CHUNK_SHIFT);
	if (!chunk_builder_object(f->chunk, (type_id)c->type, c->size,
				  refs_count, err))
		return false;
	for (uint64_t i = 0; i < refs_count; i++)
		chunk_builder_ref(f->chunk, f->targets[i]);
	f->node++;
	if (f->node & (CHUNK_NODES - 1) && f->node != f->nodes_count)
		return true;
	if (!progress_add(f->progress, CHUNK_NODES))
		return error_cancelled(err);
	return chunk_builder_end(f->chunk, err);
}

/* Restores the heap order below `at`: the lowest address is at the top. */
static void
sift_down(struct cursor *cursors, size_t count, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;
		struct cursor swap;

		if (child >= count)
			return;
		if (child + 1 < count &&
		    cursors[child + 1].address < cursors[child].address)
			child++;
		if (cursors[at].address <= cursors[child].address)
			return;
		swap = cursors[at];
		cursors[at] = cursors[child];
		cursors[child] = swap;
		at = child;
	}
}

/* Moves past doubles, whose references are passed over with them. */
static bool
cursor_settle(const struct heap_stream *s, struct cursor *c)
{
	while (is_double(s, c->number)) {
		for (uint64_t i = 0; i < c->refs_count; i++)
			cursor_ref(c);
		if (!cursor_next(s, c))
			return false;
	}
	return true;
}

static bool
fill_merged(struct heap_stream *s, struct filling *f, struct cursor *cursors,
	    struct error *err)
{
	size_t count = 0;

	for (size_t i = 0; i < s->runs_count; i++) {
		cursors[count] = cursor_begin(s, &s->runs[i]);
		if (cursor_settle(s, &cursors[count]))
			count++;
	}
	for (size_t i = count / 2; i-- > 0;)
		sift_down(cursors, count, i);
	while (count) {
		if (!fill_object(s, f, &cursors[0], err))
			return false;
		if (!cursor_next(s, &cursors[0]) ||
		    !cursor_settle(s, &cursors[0]))
			cursors[0] = cursors[--count];
		sift_down(cursors, count, 0);
	}
	return true;
}

/* Objects that share an address come last, under made-up ones. */
static bool
fill_doubles(struct heap_stream *s, struct filling *f, struct error *err)
{
	for (size_t i = 0; s->doubles_count && i < s->runs_count; i++) {
		struct cursor c = cursor_begin(s, &s->runs[i]);

		do {
			if (is_double(s, c.number)) {
				if (!fill_object(s, f, &c, err))
					return false;
			} else {
				for (uint64_t k = 0; k < c.refs_count; k++)
					cursor_ref(&c);
			}
		} while (cursor_next(s, &c));
	}
	return true;
}

static bool
fill_objects(struct heap_stream *s, struct progress *progress,
	     struct error *err)
{
	struct filling f = {
		.chunk = chunk_builder_new(s->builder, err),
		.nodes_count =
		    addresses_count(heap_builder_addresses(s->builder)),
		.progress = progress,
	};
	struct cursor *cursors =
	    memory_new(s->runs_count, sizeof(*cursors), err);
	bool ok;

	ok = f.chunk && cursors && fill_merged(s, &f, cursors, err) &&
	     fill_doubles(s, &f, err);
	chunk_builder_free(f.chunk);
	memory_free(f.targets);
	memory_free(cursors);
	return ok;
}

static void
count_losses(struct heap_stream *s)
{
	struct losses *losses = &heap_builder_info(s->builder)->losses;

	losses->made_up_addresses += s->doubles_count;
	losses->undefined_refs += s->undefined_count;
	if (s->undefined_count)
		qsort(s->undefined, s->undefined_count, sizeof(*s->undefined),
		      compare_u64);
	for (size_t i = 0; i < s->undefined_count; i++)
		losses->undefined_nodes +=
		    !i || s->undefined[i] != s->undefined[i - 1];
}

static bool
finish_roots(struct heap_stream *s, struct error *err)
{
	const struct addresses *addresses = heap_builder_addresses(s->builder);

	for (size_t i = 0; i < s->roots_count; i++) {
		const struct staged_root *r = &s->roots[i];

		if (!heap_builder_root(
			s->builder, addresses_find(addresses, r->address),
			r->kind, r->is_pinned, r->name, r->label, err))
			return false;
	}
	return true;
}

/* Targets of objects that are not there. */
static bool
finish_links(struct heap_stream *s, struct error *err)
{
	const struct addresses *addresses = heap_builder_addresses(s->builder);

	for (size_t i = 0; i < s->links_count; i++) {
		const struct link *l = &s->links[i];
		node_id target = addresses_find(addresses, l->target);

		if (target != NODE_NONE &&
		    addresses_find(addresses, l->object) == NODE_NONE &&
		    !heap_builder_root(s->builder, target, ROOT_DEPENDENT,
				       false, "", "", err))
			return false;
	}
	return true;
}

/* Every number that an object has must be in the map. */
static bool
check_types(const struct heap_stream *s, struct error *err)
{
	if (s->has_deferred_types && s->objects_count &&
	    s->largest_type >= s->types_count)
		return error_set(err, ERROR_INPUT,
				 "an object has type number %u of %u",
				 s->largest_type, s->types_count);
	return true;
}

static int
compare_links(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return (x->target > y->target) - (x->target < y->target);
}

static bool
finish_all(struct heap_stream *s, struct progress *progress, struct error *err)
{
	struct addresses *addresses = heap_builder_addresses(s->builder);
	struct tally *tally = heap_builder_tally(s->builder, err);

	if (s->refs_left)
		return error_set(err, ERROR_INPUT,
				 "the last object still lacks %" PRIu64
				 " references",
				 s->refs_left);
	if (!check_types(s, err))
		return false;
	if (s->links_count)
		qsort(s->links, s->links_count, sizeof(*s->links),
		      compare_links);
	progress_begin(progress, "ordering objects", s->objects_count * 3);
	if (!tally || !visit_all(s, visit_tally, tally, progress, err) ||
	    !heap_builder_totals(s->builder, err) ||
	    !addresses_plan(addresses, err) ||
	    !visit_all(s, visit_place, NULL, progress, err) ||
	    !addresses_seal(addresses, err) ||
	    !heap_builder_objects(s->builder, err) ||
	    !fill_objects(s, progress, err))
		return false;
	count_losses(s);
	return finish_roots(s, err) && finish_links(s, err);
}

const struct heap *
heap_stream_finish(struct heap_stream *s, struct progress *progress,
		   struct error *err)
{
	const struct heap *heap = NULL;

	if (finish_all(s, progress, err)) {
		heap = heap_builder_finish(s->builder, err);
		s->builder = NULL;
	}
	heap_stream_free(s);
	return heap;
}
