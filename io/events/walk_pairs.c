#include "io/events/walk_pairs.h"
#include "io/base/bytes.h"

void
walk_pairs_clear(struct walk_pairs *p)
{
	walk_queue_clear(&p->ahead.queue);
	walk_queue_clear(&p->behind.queue);
	walk_queue_clear(&p->refs);
	memory_free(p->holes);
	*p = (struct walk_pairs){ 0 };
}

/* --- the queues --- */

static bool
objects_put(struct walk_objects *o, const struct walk_object *object, struct error *err)
{
	uint64_t delta = varint_zigzag((int64_t)(object->address - o->last_in));

	o->last_in = object->address;
	if (__builtin_add_overflow(o->refs_count, object->refs_count, &o->refs_count))
		o->refs_count = UINT64_MAX;
	return walk_queue_put(&o->queue, delta, err) &&
	       walk_queue_put(&o->queue, object->type, err) &&
	       walk_queue_put(&o->queue, object->size, err) &&
	       walk_queue_put(&o->queue, object->refs_count, err);
}

static bool
objects_take(struct walk_objects *o, struct walk_object *object)
{
	if (!o->queue.count)
		return false;
	o->last_out += (uint64_t)varint_unzigzag(walk_queue_take(&o->queue));
	object->address = o->last_out;
	object->type = (uint32_t)walk_queue_take(&o->queue);
	object->size = walk_queue_take(&o->queue);
	object->refs_count = walk_queue_take(&o->queue);
	return true;
}

static bool
refs_put(struct walk_pairs *p, uint64_t target, struct error *err)
{
	uint64_t delta = varint_zigzag((int64_t)(target - p->last_ref_in));

	p->last_ref_in = target;
	p->refs_put++;
	return walk_queue_put(&p->refs, delta, err);
}

/* Must not be called in a hole, or with an empty queue. */
static uint64_t
refs_take(struct walk_pairs *p)
{
	p->last_ref_out += (uint64_t)varint_unzigzag(walk_queue_take(&p->refs));
	p->refs_taken++;
	return p->last_ref_out;
}

static const struct walk_hole *
next_hole(const struct walk_pairs *p)
{
	return p->holes_at < p->holes_count ? &p->holes[p->holes_at] : NULL;
}

/* The number of known references among the next `count`. */
static uint64_t
refs_known(const struct walk_pairs *p, uint64_t count)
{
	uint64_t end = p->refs_taken + count, known = count;

	for (size_t i = p->holes_at; i < p->holes_count; i++) {
		const struct walk_hole *hole = &p->holes[i];
		uint64_t start = hole->at, stop = hole->at + hole->count;

		if (start >= end)
			break;
		if (start < p->refs_taken)
			start = p->refs_taken;
		known -= (stop < end ? stop : end) - start;
	}
	return known;
}

/* Skips holes at this place, up to `end`. */
static void
skip_holes(struct walk_pairs *p, uint64_t end)
{
	const struct walk_hole *hole;

	while ((hole = next_hole(p)) && hole->at <= p->refs_taken) {
		uint64_t stop = hole->at + hole->count;

		if (stop > end) {
			if (p->refs_taken < end)
				p->refs_taken = end;
			return;
		}
		if (p->refs_taken < stop)
			p->refs_taken = stop;
		p->holes_at++;
	}
}

/* --- pairing --- */

/* Gives the object the next `count` references, without holes. */
static bool
emit_from_queue(struct walk_pairs *p, const struct walk_object *o, uint64_t count,
		struct error *err)
{
	uint64_t end = p->refs_taken + count;
	uint64_t known = refs_known(p, count);

	if (known < o->refs_count)
		p->unknown_count++;
	if (!heap_stream_object(p->stream, o->address, o->type, o->size, known, err))
		return false;
	skip_holes(p, end);
	while (p->refs_taken < end) {
		if (!heap_stream_ref(p->stream, refs_take(p), err))
			return false;
		skip_holes(p, end);
	}
	return true;
}

/* Takes the first waiting object, if there is one. */
static bool
pairs_head(struct walk_pairs *p)
{
	if (!p->has_head)
		p->has_head = objects_take(&p->ahead, &p->head);
	return p->has_head;
}

/* Emits all objects whose references are in the queue. */
static bool
pair_queued(struct walk_pairs *p, struct error *err)
{
	while (pairs_head(p) && p->head.refs_count <= p->refs_put - p->refs_taken) {
		p->has_head = false;
		if (!emit_from_queue(p, &p->head, p->head.refs_count, err))
			return false;
	}
	return true;
}

bool
walk_pairs_object(struct walk_pairs *p, const struct walk_object *object, struct error *err)
{
	if (p->has_object_hole)
		return objects_put(&p->behind, object, err);
	if (p->has_head || p->ahead.queue.count || object->refs_count > p->refs_put - p->refs_taken)
		return objects_put(&p->ahead, object, err);
	return emit_from_queue(p, object, object->refs_count, err);
}

static uint64_t
load_pointer(const uint8_t *at, unsigned pointer_bytes)
{
	return pointer_bytes == 8 ? bytes_load_u64(at) : bytes_load_u32(at);
}

/* Gives the first waiting object its references straight from the event. */
static bool
emit_from_records(struct walk_pairs *p, const uint8_t *records, unsigned pointer_bytes, size_t each,
		  struct error *err)
{
	const struct walk_object *o = &p->head;

	p->has_head = false;
	if (!heap_stream_object(p->stream, o->address, o->type, o->size, o->refs_count, err))
		return false;
	for (uint64_t i = 0; i < o->refs_count; i++)
		if (!heap_stream_ref(p->stream, load_pointer(records + i * each, pointer_bytes),
				     err))
			return false;
	p->refs_put += o->refs_count;
	p->refs_taken += o->refs_count;
	return true;
}

bool
walk_pairs_refs(struct walk_pairs *p, const uint8_t *records, uint32_t count,
		unsigned pointer_bytes, size_t each, struct error *err)
{
	uint32_t i = 0;

	while (i < count) {
		const uint8_t *at = records + i * each;
		bool is_waiting = pairs_head(p);

		if (is_waiting && p->refs_put == p->refs_taken && p->head.refs_count <= count - i) {
			i += (uint32_t)p->head.refs_count;
			if (!emit_from_records(p, at, pointer_bytes, each, err))
				return false;
			continue;
		}
		if (!refs_put(p, load_pointer(at, pointer_bytes), err))
			return false;
		i++;
		if (is_waiting && p->head.refs_count <= p->refs_put - p->refs_taken &&
		    !pair_queued(p, err))
			return false;
	}
	return pair_queued(p, err);
}

bool
walk_pairs_lost_refs(struct walk_pairs *p, uint64_t count, struct error *err)
{
	uint64_t end;

	/* A count that no heap has: the rest of the walk is useless. */
	if (__builtin_add_overflow(p->refs_put, count, &end))
		return true;
	if (!APPEND(p->holes, p->holes_count, p->holes_room, err,
		    (struct walk_hole){ p->refs_put, count }))
		return false;
	p->refs_put = end;
	return pair_queued(p, err);
}

/* Emits objects whose references are unknown. */
static bool
emit_without_refs(struct walk_pairs *p, struct walk_objects *objects, struct error *err)
{
	struct walk_object o;

	while (objects_take(objects, &o))
		if (!emit_from_queue(p, &o, 0, err))
			return false;
	objects->refs_count = 0;
	return true;
}

bool
walk_pairs_lost_objects(struct walk_pairs *p, struct error *err)
{
	p->has_object_hole = true;
	return emit_without_refs(p, &p->behind, err);
}

/* Drops references of unknown objects. */
static void
drop_refs(struct walk_pairs *p, uint64_t count)
{
	uint64_t end = p->refs_taken + count;

	skip_holes(p, end);
	while (p->refs_taken < end) {
		(void)refs_take(p);
		skip_holes(p, end);
	}
}

bool
walk_pairs_finish(struct walk_pairs *p, bool has_end, struct error *err)
{
	uint64_t left;

	if (!pair_queued(p, err))
		return false;
	if (p->has_head) {
		/* It gets none at all: its count may be the damage. */
		p->has_head = false;
		if (!emit_from_queue(p, &p->head, 0, err))
			return false;
	}
	if (!emit_without_refs(p, &p->ahead, err))
		return false;
	left = p->refs_put - p->refs_taken;
	if (has_end && p->behind.refs_count <= left) {
		struct walk_object o;

		drop_refs(p, left - p->behind.refs_count);
		while (objects_take(&p->behind, &o))
			if (!emit_from_queue(p, &o, o.refs_count, err))
				return false;
	}
	return emit_without_refs(p, &p->behind, err);
}
