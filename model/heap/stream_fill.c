#include "model/base/sorted.h"
#include "model/base/worker.h"
#include "model/heap/staged.h"
#include <stdlib.h>
#include <string.h>

/* With more runs, threads would mostly seek in them. */
enum { THREADED_RUNS_MAX = 256 };

/* One object read back from a run. */
struct cursor {
	const uint8_t *object_at, *ref_at;
	uint64_t left, number; /* objects to come; number of this one */
	uint64_t address, type, size, refs_count;
	size_t link_at; /* the first link of this or a later object */
};

/* --- reading back --- */

/* Returns the index of the first link of an object at this address or above. */
static size_t
links_from(const struct heap_stream *s, uint64_t address)
{
	size_t at;

	LOWER_BOUND(at, 0, s->links_count, s->links[at].object < address);
	return at;
}

static void
cursor_read(const struct heap_stream *s, struct cursor *c)
{
	uint64_t delta, kind;

	c->object_at = varint_get(c->object_at, &delta);
	c->object_at = varint_get(c->object_at, &kind);
	c->address += delta;
	if (kind) {
		c->type = s->types ? s->types[kind - 1] : kind - 1;
		c->object_at = varint_get(c->object_at, &c->size);
		c->object_at = varint_get(c->object_at, &c->refs_count);
	}
	/* Links are sorted by object, and so are the objects of a run. */
	while (c->link_at < s->links_count && s->links[c->link_at].object < c->address)
		c->link_at += s->links[c->link_at].same_count;
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
	c.link_at = links_from(s, c.address);
	return c;
}

/* Advances to the next object; its references must have been read. */
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

static void
cursor_skip_refs(struct cursor *c)
{
	for (uint64_t i = 0; i < c->refs_count; i++)
		while (*c->ref_at++ & 0x80)
			;
}

/* Advances to the first object at `address` or above, if there is one. */
static bool
cursor_advance(const struct heap_stream *s, uint64_t address, struct cursor *c)
{
	while (c->address < address) {
		cursor_skip_refs(c);
		if (!cursor_next(s, c))
			return false;
	}
	return true;
}

static size_t
cursor_links(const struct heap_stream *s, const struct cursor *c)
{
	return c->link_at < s->links_count && s->links[c->link_at].object == c->address
		   ? s->links[c->link_at].same_count
		   : 0;
}

static size_t
marks_from(const struct heap_stream *s, uint64_t number)
{
	size_t at;

	LOWER_BOUND(at, 0, s->marks_count, s->marks[at].number < number);
	return at;
}

/* Returns the first mark of the run behind an object at `address`. */
static size_t
marks_at(const struct heap_stream *s, const struct run *run, uint64_t address)
{
	size_t at;

	LOWER_BOUND(at, marks_from(s, run->first), marks_from(s, run->first + run->count),
		    s->marks[at].before < address);
	return at;
}

static bool
cursor_seek(const struct heap_stream *s, const struct run *run, uint64_t address, struct cursor *c)
{
	size_t low = marks_at(s, run, address);

	if (run->last_address < address)
		return false;
	if (low > marks_from(s, run->first)) {
		const struct staged_mark *m = &s->marks[low - 1];

		*c = (struct cursor){
			.object_at = s->objects.bytes + m->object_at,
			.ref_at = s->refs.bytes + m->ref_at,
			.left = run->first + run->count - m->number,
			.number = m->number,
			.address = m->before,
			.link_at = links_from(s, address),
		};
		cursor_read(s, c);
	} else {
		*c = cursor_begin(s, run);
	}
	return cursor_advance(s, address, c);
}

/* --- placing --- */

static bool
place(struct heap_stream *s, const struct cursor *c, struct tally *tally, struct error *err)
{
	struct addresses *addresses = heap_builder_addresses(s->builder);

	if (c->address && addresses_place(addresses, c->address)) {
		tally->types[c->type].refs += cursor_links(s, c);
		return true;
	}
	if (!APPEND(s->doubles, s->doubles_count, s->doubles_room, err, c->number))
		return false;
	addresses_make_up(addresses);
	return true;
}

/* Advances to the object at this address; false if the run has none. */
static bool
cursor_forward(const struct heap_stream *s, const struct run *run, uint64_t address,
	       struct cursor *c)
{
	size_t next_mark = marks_from(s, c->number + 1);
	uint64_t run_end = run->first + run->count;

	if (c->address < address && next_mark < s->marks_count &&
	    s->marks[next_mark].number < run_end && s->marks[next_mark].before < address)
		return cursor_seek(s, run, address, c) && c->address == address;
	return cursor_advance(s, address, c) && c->address == address;
}

/* Counts links as references of their objects' types: types without references have shorter
   records. At most one pass over the objects. */
static void
tally_links(const struct heap_stream *s, struct tally *tally)
{
	for (size_t i = 0; i < s->runs_count && s->links_count; i++) {
		const struct run *run = &s->runs[i];
		struct cursor c = cursor_begin(s, run);
		size_t at = c.link_at;

		while (at < s->links_count && s->links[at].object <= run->last_address) {
			if (cursor_forward(s, run, s->links[at].object, &c))
				tally->types[c.type].refs += s->links[at].same_count;
			at += s->links[at].same_count;
		}
	}
}

bool
staged_place(struct heap_stream *s, struct tally *tally, struct progress *progress,
	     struct error *err)
{
	if (addresses_are_placed(heap_builder_addresses(s->builder))) {
		tally_links(s, tally);
		return progress_add(progress, s->objects_count) || error_cancelled(err);
	}
	for (size_t i = 0; i < s->runs_count; i++) {
		struct cursor c = cursor_begin(s, &s->runs[i]);

		do {
			if (!place(s, &c, tally, err))
				return false;
			if (!(c.number & 0xffff) && !progress_add(progress, 0x10000))
				return error_cancelled(err);
		} while (cursor_next(s, &c));
	}
	return true;
}

static bool
is_double(const struct heap_stream *s, uint64_t number)
{
	return s->doubles_count &&
	       bsearch(&number, s->doubles, s->doubles_count, sizeof(number), compare_u64);
}

/* --- filling --- */

/* Adds objects to the heap one after another; one a thread. */
struct filling {
	const struct heap_stream *s;
	const struct addresses *addresses;
	struct chunk_builder *chunk;
	struct cursor *cursors; /* at most one for each run */
	size_t cursors_count;
	node_id node, nodes_count;
	uint64_t before; /* address of the previous object, or 0 */
	struct addresses_page page;
	node_id *targets; /* targets of one object */
	size_t targets_room;
	struct undefined undefined;
	struct progress *progress;
};

/* Objects often refer to the one allocated just before. */
static node_id
find_target(struct filling *f, uint64_t target)
{
	if (!target)
		return NODE_NONE;
	if (target == f->before)
		return f->node - 1;
	return addresses_find_near(f->addresses, target, &f->page);
}

static bool
add_target(struct filling *f, uint64_t target, uint64_t *count, struct error *err)
{
	node_id id = find_target(f, target);
	struct undefined *u = &f->undefined;

	if (id != NODE_NONE)
		return APPEND(f->targets, *count, f->targets_room, err, id);
	return !target || APPEND(u->items, u->count, u->room, err, target);
}

static bool
fill_object(struct filling *f, struct cursor *c, size_t links_count, struct error *err)
{
	uint64_t refs_count = 0;

	for (uint64_t i = 0; i < c->refs_count; i++)
		if (!add_target(f, cursor_ref(c), &refs_count, err))
			return false;
	for (size_t i = 0; i < links_count; i++)
		if (!add_target(f, f->s->links[c->link_at + i].target, &refs_count, err))
			return false;
	if (!(f->node & (CHUNK_NODES - 1)))
		chunk_builder_begin(f->chunk, f->node >> CHUNK_SHIFT);
	if (!chunk_builder_object(f->chunk, (type_id)c->type, c->size, refs_count, err))
		return false;
	for (uint64_t i = 0; i < refs_count; i++)
		chunk_builder_ref(f->chunk, f->targets[i]);
	f->before = c->address;
	f->node++;
	if (f->node & (CHUNK_NODES - 1) && f->node != f->nodes_count)
		return true;
	if (!progress_add(f->progress, CHUNK_NODES))
		return error_cancelled(err);
	return chunk_builder_end(f->chunk, err);
}

/* Restores the binary heap below `at`: the lowest address is at the top. */
static void
sift_down(struct cursor *cursors, size_t count, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;
		struct cursor swap;

		if (child >= count)
			return;
		if (child + 1 < count && cursors[child + 1].address < cursors[child].address)
			child++;
		if (cursors[at].address <= cursors[child].address)
			return;
		swap = cursors[at];
		cursors[at] = cursors[child];
		cursors[child] = swap;
		at = child;
	}
}

/* Skips doubles and their references. */
static bool
cursor_settle(const struct heap_stream *s, struct cursor *c)
{
	while (is_double(s, c->number)) {
		cursor_skip_refs(c);
		if (!cursor_next(s, c))
			return false;
	}
	return true;
}

/* Adds objects in address order, from the cursors up to id `end`. */
static bool
fill_merged(struct filling *f, node_id end, struct error *err)
{
	struct cursor *top = f->cursors;

	for (size_t i = f->cursors_count / 2; i-- > 0;)
		sift_down(f->cursors, f->cursors_count, i);
	while (f->cursors_count && f->node < end) {
		if (!fill_object(f, top, cursor_links(f->s, top), err))
			return false;
		if (!cursor_next(f->s, top) || (f->s->doubles_count && !cursor_settle(f->s, top)))
			*top = f->cursors[--f->cursors_count];
		if (f->cursors_count > 1)
			sift_down(f->cursors, f->cursors_count, 0);
	}
	return true;
}

/* Objects whose address is taken come last, under made-up addresses. */
static bool
fill_doubles(struct filling *f, struct error *err)
{
	const struct heap_stream *s = f->s;

	for (size_t i = 0; s->doubles_count && i < s->runs_count; i++) {
		struct cursor c = cursor_begin(s, &s->runs[i]);

		do {
			f->before = 0; /* the address is another object's */
			if (!is_double(s, c.number))
				cursor_skip_refs(&c);
			else if (!fill_object(f, &c, 0, err))
				return false;
		} while (cursor_next(s, &c));
	}
	return true;
}

static bool
fill_all(struct filling *f, struct error *err)
{
	const struct heap_stream *s = f->s;

	f->cursors_count = 0;
	for (size_t i = 0; i < s->runs_count; i++) {
		struct cursor *c = &f->cursors[f->cursors_count];

		*c = cursor_begin(s, &s->runs[i]);
		f->cursors_count += cursor_settle(s, c);
	}
	return fill_merged(f, f->nodes_count, err) && fill_doubles(f, err);
}

/* Frees the staged bytes of objects that are in the heap now, from mark to mark, as other threads
   start at marks. */
static void
release_staged(const struct heap_stream *s, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < s->runs_count; i++) {
		size_t first = marks_at(s, &s->runs[i], from);
		size_t end = marks_at(s, &s->runs[i], to);
		const struct staged_mark *a, *b;

		if (end - first < 2)
			continue;
		a = &s->marks[first];
		b = &s->marks[end - 1];
		memory_release(s->objects.bytes + a->object_at, b->object_at - a->object_at);
		memory_release(s->refs.bytes + a->ref_at, b->ref_at - a->ref_at);
	}
}

/* A worker_run for one chunk; requires that there are no doubles. */
static bool
fill_chunk(void *context, uint64_t chunk, unsigned thread, struct error *err)
{
	struct filling *f = &((struct filling *)context)[thread];
	const struct heap_stream *s = f->s;
	node_id first = (node_id)(chunk << CHUNK_SHIFT);
	bool is_last = f->nodes_count - first <= CHUNK_NODES;
	node_id end = is_last ? f->nodes_count : first + CHUNK_NODES;
	uint64_t address = addresses_of(f->addresses, first);
	uint64_t address_end = is_last ? UINT64_MAX : addresses_of(f->addresses, end);

	f->node = first;
	f->before = 0;
	f->cursors_count = 0;
	for (size_t i = 0; i < s->runs_count; i++) {
		struct cursor *c = &f->cursors[f->cursors_count];

		f->cursors_count +=
		    cursor_seek(s, &s->runs[i], address, c) && c->address < address_end;
	}
	if (!fill_merged(f, end, err))
		return false;
	release_staged(s, address, address_end);
	return true;
}

static bool
fillings_run(struct filling *fillings, unsigned threads_count, struct error *err)
{
	node_id nodes_count = fillings[0].nodes_count;
	uint64_t chunks = ((uint64_t)nodes_count + CHUNK_NODES - 1) >> CHUNK_SHIFT;

	for (unsigned i = 0; i < threads_count; i++)
		if (!fillings[i].chunk || !fillings[i].cursors)
			return false;
	if (threads_count == 1)
		return fill_all(&fillings[0], err);
	return worker_run_all(threads_count, chunks, fill_chunk, fillings, err);
}

static bool
gather_undefined(struct heap_stream *s, const struct undefined *u, struct error *err)
{
	for (size_t i = 0; i < u->count; i++) {
		if (!APPEND(s->undefined.items, s->undefined.count, s->undefined.room, err,
			    u->items[i]))
			return false;
	}
	return true;
}

bool
staged_fill(struct heap_stream *s, struct progress *progress, struct error *err)
{
	struct filling fillings[WORKER_MAX] = { 0 };
	unsigned threads_count = worker_threads();
	bool is_good;

	if (s->doubles_count || s->runs_count > THREADED_RUNS_MAX ||
	    s->objects_count <= CHUNK_NODES)
		threads_count = 1;
	for (unsigned i = 0; i < threads_count; i++) {
		fillings[i].s = s;
		fillings[i].progress = progress;
		fillings[i].addresses = heap_builder_addresses(s->builder);
		fillings[i].nodes_count = addresses_count(fillings[i].addresses);
		fillings[i].chunk = chunk_builder_new(s->builder, err);
		fillings[i].cursors = memory_new(s->runs_count, sizeof(*fillings[i].cursors), err);
	}
	is_good = fillings_run(fillings, threads_count, err);
	for (unsigned i = 0; i < threads_count; i++) {
		is_good = is_good && gather_undefined(s, &fillings[i].undefined, err);
		chunk_builder_free(fillings[i].chunk);
		memory_free(fillings[i].cursors);
		memory_free(fillings[i].targets);
		memory_free(fillings[i].undefined.items);
	}
	return is_good;
}
