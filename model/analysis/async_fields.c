/* Continuations read from fields. */
#include "model/analysis/async_state.h"
#include "model/heap/table_index.h"
#include <string.h>

enum {
	NOT_THERE = 0, /* offset 0 is that of the method table, never of a
			  field */
	STEPS_MAX = 8, /* wrappers around a continuation */
	TASK_COMPLETED = 0x1600000, /* m_stateFlags: succeeded, failed or
				       cancelled */
	STATE_ENDED = -2,
};

enum follow { FOLLOW_NONE, FOLLOW_OBJECT, FOLLOW_LIST };

/* Offsets of fields in objects of one method table. */
struct shape {
	bool is_known, is_item;
	uint8_t kind;   /* enum async_kind, if is_item */
	uint8_t follow; /* enum follow: how follow_at leads to continuations */
	uint32_t follow_at;
	uint32_t flags_at, next_at; /* offsets in items, or NOT_THERE */
	uint32_t state_at, machine_at;
	uint32_t completed_at;
	uint32_t box_at; /* of the box in its own builder */
};

struct by_fields {
	struct table_index tables;
	struct shape *shapes; /* by method table; the last is for objects
				 without one */
};

/* --- shapes --------------------------------------------------------------- */

/* Returns false for an object that is not in memory: its type cannot be
   examined. */
static bool
is_readable(const struct heap *h, node_id n)
{
	struct content_header header;
	struct error ignored = { 0 };

	return h->memory->contents->header(h->memory->source, n, &header,
					   &ignored);
}

/* Returns the offset of a field of that kind, or NOT_THERE. */
static uint32_t
offset_of(const struct heap *h, node_id n, const char *name,
	  enum content_kind kind)
{
	const struct heap_memory *m = h->memory;
	struct content_field f;
	struct error ignored = { 0 };

	if (!m->contents->field(m->source, n, name, &f, &ignored) ||
	    f.kind != kind)
		return NOT_THERE;
	return (uint32_t)(f.address - heap_address(h, n));
}

/* Returns the offset of the continuation in a source of a ValueTask, or in the
   box of a pooled async method. */
static uint32_t
source_next(const struct heap *h, node_id n)
{
	static const char *const names[] = {
		"_continuationState",
		"_valueTaskSource._continuationState",
		"_mrvtsc._continuationState",
		"_source._continuationState",
		"_core._continuationState",
	};
	uint32_t at = NOT_THERE;

	for (size_t i = 0; !at && i < sizeof(names) / sizeof(names[0]); i++)
		at = offset_of(h, n, names[i], CONTENT_REFERENCE);
	return at;
}

static void
learn_call(const struct heap *h, node_id n, struct shape *s)
{
	s->kind = ASYNC_CALL;
	s->state_at = offset_of(h, n, "StateMachine.<>1__state", CONTENT_VALUE);
	s->machine_at = offset_of(h, n, "StateMachine", CONTENT_REFERENCE);
	s->box_at = offset_of(h, n, "StateMachine.<>t__builder.m_task",
			      CONTENT_REFERENCE);
}

static void
learn_follow(const struct heap *h, node_id n, struct shape *s)
{
	static const struct {
		const char *name;
		enum follow follow;
	} fields[] = {
		{ "m_task", FOLLOW_OBJECT },
		{ "m_action", FOLLOW_OBJECT },
		{ "_target", FOLLOW_OBJECT },
		{ "_continuation", FOLLOW_OBJECT },
		{ "_items", FOLLOW_LIST },
	};

	for (size_t i = 0;
	     !s->follow_at && i < sizeof(fields) / sizeof(fields[0]); i++) {
		s->follow_at =
		    offset_of(h, n, fields[i].name, CONTENT_REFERENCE);
		s->follow =
		    (uint8_t)(s->follow_at ? fields[i].follow : FOLLOW_NONE);
	}
}

static void
learn(const struct heap *h, node_id n, struct shape *s)
{
	const struct type *t = heap_type(h, n);

	s->is_known = is_readable(h, n);
	if (!s->is_known || t->flags & (TYPE_ARRAY | TYPE_STRING) ||
	    !(t->flags & TYPE_HAS_REFS))
		return;
	s->flags_at = offset_of(h, n, "m_stateFlags", CONTENT_VALUE);
	s->next_at = offset_of(h, n, "m_continuationObject", CONTENT_REFERENCE);
	s->is_item = s->flags_at && s->next_at;
	s->kind = ASYNC_TASK;
	if (!s->is_item) {
		s->flags_at = NOT_THERE;
		s->next_at = source_next(h, n);
		s->is_item = s->next_at != NOT_THERE;
		s->kind = ASYNC_SOURCE;
		s->completed_at = offset_of(h, n, "_valueTaskSource._completed",
					    CONTENT_VALUE);
	}
	if (s->is_item && type_is_async(t))
		learn_call(h, n, s);
	learn_follow(h, n, s);
}

static const struct shape *
shape_of(const struct by_fields *b, const struct heap *h, node_id n)
{
	uint32_t none = h->memory->tables_count;
	uint32_t table = table_index_of(&b->tables, n);
	struct shape *s = &b->shapes[table == TABLE_NONE ? none : table];

	if (!s->is_known && table != TABLE_NONE)
		learn(h, n, s);
	return s;
}

/* --- reading -------------------------------------------------------------- */

static node_id
reference_at(const struct heap *h, node_id n, uint32_t offset)
{
	node_id target = NODE_NONE;

	if (offset == NOT_THERE ||
	    !contents_read_reference(h, heap_address(h, n) + offset, &target))
		return NODE_NONE;
	return target;
}

static int64_t
integer_at(const struct heap *h, node_id n, uint32_t offset,
	   enum literal_kind kind)
{
	int64_t value = 0;

	if (offset == NOT_THERE ||
	    !contents_read_integer(h, heap_address(h, n) + offset, kind,
				   &value))
		return 0;
	return value;
}

static void
read_state(const struct heap *h, const struct shape *s, struct async_item *item)
{
	struct error ignored = { 0 };
	int64_t state = 0;
	node_id machine;

	if (s->state_at) {
		item->has_state = contents_read_integer(
		    h, heap_address(h, item->node) + s->state_at, LITERAL_INT32,
		    &state);
	} else if (s->machine_at) {
		machine = reference_at(h, item->node, s->machine_at);
		item->has_state = machine != NODE_NONE &&
				  contents_integer(h, machine, "<>1__state",
						   &state, &ignored);
	}
	item->state = (int32_t)state;
}

/* A pooled box whose state machine was cleared waits to be reused. */
static bool
is_pooled_box_free(const struct heap *h, node_id n, const struct shape *s)
{
	return s->machine_at
		   ? reference_at(h, n, s->machine_at) == NODE_NONE
		   : s->box_at && reference_at(h, n, s->box_at) == NODE_NONE;
}

static bool
is_completed(const struct heap *h, node_id n, const struct shape *s)
{
	struct async_item call = { .node = n };

	if (s->flags_at)
		return integer_at(h, n, s->flags_at, LITERAL_INT32) &
		       TASK_COMPLETED;
	if (s->kind != ASYNC_CALL)
		return integer_at(h, n, s->completed_at, LITERAL_UINT8);
	read_state(h, s, &call);
	return is_pooled_box_free(h, n, s) ||
	       (call.has_state && call.state == STATE_ENDED);
}

/* Returns the continuation, which may be wrapped. Awaiting an async iterator
   means awaiting the iterator, not its box. */
static node_id
next_of(const struct heap *h, node_id n, const struct shape *s)
{
	node_id next = reference_at(h, n, s->next_at);
	node_id machine = NODE_NONE;
	struct error ignored = { 0 };

	if (next == NODE_NONE && s->machine_at)
		machine = reference_at(h, n, s->machine_at);
	if (machine != NODE_NONE &&
	    !contents_reference(h, machine,
				"<>v__promiseOfValueOrEnd._continuationState",
				&next, &ignored))
		return NODE_NONE;
	return next;
}

/* --- items ---------------------------------------------------------------- */

static bool
look(struct async_finder *f, void *context, node_id n, struct error *err)
{
	const struct by_fields *b = context;
	const struct heap *h = f->heap;
	const struct shape *s = shape_of(b, h, n);
	struct async_item *item;
	uint32_t at;
	bool has_ended;

	if (!s->is_item)
		return true;
	has_ended = is_completed(h, n, s);
	f->out->completed_count += has_ended && s->kind == ASYNC_CALL;
	f->out->calls_count += !has_ended && s->kind == ASYNC_CALL;
	if ((has_ended && !f->in->with_completed) ||
	    (s->kind == ASYNC_SOURCE &&
	     reference_at(h, n, s->next_at) == NODE_NONE))
		return true;
	at = async_item_add(f, n, (enum async_kind)s->kind, err);
	if (at == UINT32_MAX)
		return false;
	item = &f->out->items[at];
	item->is_completed = has_ended;
	if (s->kind == ASYNC_CALL)
		read_state(h, s, item);
	return true;
}

/* Add a continuation. A task that is not an item has completed: skip it. */
static bool
add_target(struct async_finder *f, const struct by_fields *b, uint32_t item,
	   node_id target, struct error *err)
{
	const uint32_t *known = node_map_find(&f->map, target);
	uint32_t next;

	if (known)
		return async_next_add(f, item, *known, err);
	if (shape_of(b, f->heap, target)->is_item)
		return true;
	next = async_item_add(f, target, ASYNC_OTHER, err);
	return next != UINT32_MAX && async_next_add(f, item, next, err);
}

/* Returns the object inside wrappers; stops at a list. */
static node_id
unwrap(const struct async_finder *f, const struct by_fields *b, node_id n)
{
	for (int i = 0; i < STEPS_MAX; i++) {
		const struct shape *s = shape_of(b, f->heap, n);
		node_id to;

		if (s->is_item || s->follow != FOLLOW_OBJECT)
			return n;
		to = reference_at(f->heap, n, s->follow_at);
		/* A delegate to a static method may be its own target. */
		if (to == NODE_NONE || to == n)
			return n;
		n = to;
	}
	return n;
}

static bool
add_list(struct async_finder *f, const struct by_fields *b, uint32_t item,
	 node_id list, struct error *err)
{
	node_id array =
	    reference_at(f->heap, list, shape_of(b, f->heap, list)->follow_at);
	struct refs r;
	node_id target;

	if (array == NODE_NONE || bits_has(f->seen, array))
		return true;
	bits_add(f->seen, array);
	r = heap_refs(f->heap, array);
	while (refs_next(&r, &target))
		if (!add_target(f, b, item, unwrap(f, b, target), err))
			return false;
	return true;
}

static bool
link_item(struct async_finder *f, const struct by_fields *b, uint32_t item,
	  struct error *err)
{
	node_id n = f->out->items[item].node;
	node_id next = next_of(f->heap, n, shape_of(b, f->heap, n));

	/* A completed item refers to a mark, or to outdated continuations. */
	if (next == NODE_NONE || f->out->items[item].is_completed)
		return true;
	next = unwrap(f, b, next);
	if (shape_of(b, f->heap, next)->follow == FOLLOW_LIST &&
	    !shape_of(b, f->heap, next)->is_item)
		return add_list(f, b, item, next, err);
	return add_target(f, b, item, next, err);
}

bool
async_find_by_fields(struct async_finder *f, struct error *err)
{
	struct by_fields b = { 0 };
	uint32_t count;
	bool ok;

	b.shapes = memory_new((size_t)f->heap->memory->tables_count + 1,
			      sizeof(*b.shapes), err);
	ok = b.shapes && table_index_init(&b.tables, f->heap, err) &&
	     async_each_object(f, "looking for async calls", look, &b, err);
	/* Items added below are no tasks and have no continuations. */
	count = f->out->items_count;
	progress_begin(f->progress, "joining async calls", "calls", count);
	for (uint32_t i = 0; ok && i < count; i++)
		ok = (progress_add(f->progress, 1) || error_cancelled(err)) &&
		     link_item(f, &b, i, err);
	memory_free(b.shapes);
	table_index_clear(&b.tables);
	return ok;
}
