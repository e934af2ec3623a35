/* Continuations read from fields. */
#include "model/analysis/async_runtime.h"
#include "model/heap/framework.h"
#include "model/heap/table_index.h"
#include <string.h>

enum {
	NOT_THERE = 0, /* offset 0 is that of the method table, never of a field */
	STEPS_MAX = 8, /* wrappers around a continuation */
	STATE_RUNNING = -1,
	RESUME_CODE = 8,            /* offset of a ResumeInfo's DiagnosticIP */
	TASK_COMPLETED = 0x1600000, /* m_stateFlags: succeeded, failed or cancelled */
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
	/* Objects of runtime async. */
	uint32_t head_at;    /* of a promise: with what it resumes */
	uint32_t promise_at; /* of a helper */
	uint32_t source_at;  /* of a helper: the awaited source */
	uint32_t resume_at;  /* of a continuation: 0 in an idle one */
};

struct by_fields {
	struct table_index tables;
	struct shape *shapes; /* by method table; the last is for objects without one */
};

/* --- shapes --------------------------------------------------------------- */

/* Returns false for an object that is not in memory: its type cannot be examined. */
static bool
is_readable(const struct heap *h, node_id n)
{
	struct content_header header;
	struct error ignored = { 0 };

	return h->memory->contents->header(h->memory->source, n, &header, &ignored);
}

/* Returns the offset of a field of that kind, or NOT_THERE. */
static uint32_t
offset_of(const struct heap *h, node_id n, const char *name, enum content_kind kind)
{
	const struct heap_memory *m = h->memory;
	struct content_field f;
	struct error ignored = { 0 };

	if (!m->contents->field(m->source, n, name, &f, &ignored) || f.kind != kind)
		return NOT_THERE;
	return (uint32_t)(f.address - heap_address(h, n));
}

/* Returns the offset of the continuation in a source of a ValueTask, or in the box of a pooled
   async method. */
static uint32_t
source_next(const struct heap *h, node_id n)
{
	static const char *const names[] = {
		"_continuationState",         "_valueTaskSource._continuationState",
		"_mrvtsc._continuationState", "_source._continuationState",
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
	s->box_at = offset_of(h, n, "StateMachine.<>t__builder.m_task", CONTENT_REFERENCE);
}

static void
learn_follow(const struct heap *h, node_id n, struct shape *s)
{
	static const struct {
		const char *name;
		enum follow follow;
	} fields[] = {
		{ "m_task", FOLLOW_OBJECT },  { "m_action", FOLLOW_OBJECT },
		{ "_target", FOLLOW_OBJECT }, { "_continuation", FOLLOW_OBJECT },
		{ "_items", FOLLOW_LIST },
	};

	for (size_t i = 0; !s->follow_at && i < sizeof(fields) / sizeof(fields[0]); i++) {
		s->follow_at = offset_of(h, n, fields[i].name, CONTENT_REFERENCE);
		s->follow = (uint8_t)(s->follow_at ? fields[i].follow : FOLLOW_NONE);
	}
}

static void
learn_continuation(const struct heap *h, node_id n, struct shape *s)
{
	s->kind = ASYNC_CALL;
	s->next_at = offset_of(h, n, "Next", CONTENT_REFERENCE);
	s->state_at = offset_of(h, n, "State", CONTENT_VALUE);
	s->resume_at = offset_of(h, n, "ResumeInfo", CONTENT_VALUE);
	s->is_item = s->next_at && s->resume_at;
}

static void
learn_helper(const struct heap *h, node_id n, struct shape *s)
{
	s->follow_at = offset_of(h, n, "Next", CONTENT_REFERENCE);
	s->follow = FOLLOW_OBJECT;
	s->promise_at = offset_of(h, n, "RuntimeAsyncTask", CONTENT_REFERENCE);
	s->source_at = offset_of(h, n, "Source", CONTENT_REFERENCE);
}

/* Returns true for an object of runtime async that is no task. */
static bool
learn_part(const struct async_finder *f, node_id n, struct shape *s)
{
	enum async_part part = async_part_of(f, n);

	if (part == ASYNC_PART_CONTINUATION)
		learn_continuation(f->heap, n, s);
	if (async_part_is_helper(part))
		learn_helper(f->heap, n, s);
	if (part == ASYNC_PART_PROMISE)
		s->head_at = offset_of(f->heap, n, "m_stateObject", CONTENT_REFERENCE);
	return part == ASYNC_PART_CONTINUATION || async_part_is_helper(part);
}

static void
learn(const struct async_finder *f, node_id n, struct shape *s)
{
	const struct heap *h = f->heap;
	const struct type *t = heap_type(h, n);

	s->is_known = is_readable(h, n);
	if (!s->is_known || t->flags & (TYPE_ARRAY | TYPE_STRING) || !(t->flags & TYPE_HAS_REFS) ||
	    learn_part(f, n, s))
		return;
	s->flags_at = offset_of(h, n, "m_stateFlags", CONTENT_VALUE);
	s->next_at = offset_of(h, n, "m_continuationObject", CONTENT_REFERENCE);
	s->is_item = s->flags_at && s->next_at;
	s->kind = s->head_at ? ASYNC_PROMISE : ASYNC_TASK;
	if (!s->is_item) {
		s->flags_at = NOT_THERE;
		s->next_at = source_next(h, n);
		s->is_item = s->next_at != NOT_THERE;
		s->kind = ASYNC_SOURCE;
		s->completed_at = offset_of(h, n, "_valueTaskSource._completed", CONTENT_VALUE);
	}
	if (s->is_item && type_is_async(t))
		learn_call(h, n, s);
	learn_follow(h, n, s);
}

static const struct shape *
shape_of(const struct by_fields *b, const struct async_finder *f, node_id n)
{
	uint32_t none = f->heap->memory->tables_count;
	uint32_t table = table_index_of(&b->tables, n);
	struct shape *s = &b->shapes[table == TABLE_NONE ? none : table];

	if (!s->is_known && table != TABLE_NONE)
		learn(f, n, s);
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
integer_at(const struct heap *h, node_id n, uint32_t offset, enum literal_kind kind)
{
	int64_t value = 0;

	if (offset == NOT_THERE ||
	    !contents_read_integer(h, heap_address(h, n) + offset, kind, &value))
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
		    h, heap_address(h, item->node) + s->state_at, LITERAL_INT32, &state);
	} else if (s->machine_at) {
		machine = reference_at(h, item->node, s->machine_at);
		item->has_state = machine != NODE_NONE &&
				  contents_integer(h, machine, "<>1__state", &state, &ignored);
	}
	item->state = (int32_t)state;
}

/* A pooled box whose state machine was cleared waits to be reused. */
static bool
is_pooled_box_free(const struct heap *h, node_id n, const struct shape *s)
{
	return s->machine_at ? reference_at(h, n, s->machine_at) == NODE_NONE
			     : s->box_at && reference_at(h, n, s->box_at) == NODE_NONE;
}

static bool
is_completed(const struct async_finder *f, node_id n, const struct shape *s)
{
	const struct heap *h = f->heap;
	struct async_item call = { .node = n };

	if (s->resume_at)
		return !bits_has(f->suspended, n);
	if (s->flags_at)
		return integer_at(h, n, s->flags_at, LITERAL_INT32) & TASK_COMPLETED;
	if (s->kind != ASYNC_CALL)
		return integer_at(h, n, s->completed_at, LITERAL_UINT8);
	read_state(h, s, &call);
	return is_pooled_box_free(h, n, s) || (call.has_state && call.state == STATE_ENDED);
}

/* Each thread keeps continuations that mark the end of a chain. */
static bool
is_idle(const struct heap *h, node_id n, const struct shape *s)
{
	return s->resume_at && !integer_at(h, n, s->resume_at, LITERAL_POINTER);
}

/* Returns the continuation, which may be wrapped. Awaiting an async iterator means awaiting the
   iterator, not its box. */
static node_id
next_of(const struct heap *h, node_id n, const struct shape *s)
{
	node_id next = reference_at(h, n, s->next_at);
	node_id machine = NODE_NONE;
	struct error ignored = { 0 };

	if (next == NODE_NONE && s->machine_at)
		machine = reference_at(h, n, s->machine_at);
	if (machine != NODE_NONE &&
	    !contents_reference(h, machine, "<>v__promiseOfValueOrEnd._continuationState", &next,
				&ignored))
		return NODE_NONE;
	return next;
}

/* The method that a running one has called has no object. If the method of a continuation is
   unknown, the place of its code tells it from others. */
static void
read_continuation(const struct async_finder *f, const struct shape *s, struct async_item *item)
{
	const struct heap *h = f->heap;
	int64_t info, code;

	if (bits_has(f->running, item->node))
		item->state = STATE_RUNNING;
	if (type_is_async(heap_type(h, item->node)))
		return;
	info = integer_at(h, item->node, s->resume_at, LITERAL_POINTER);
	item->code = (uint64_t)info;
	if (contents_read_integer(h, (uint64_t)info + RESUME_CODE, LITERAL_POINTER, &code))
		item->code = (uint64_t)code;
}

/* --- items ---------------------------------------------------------------- */

static bool
look(struct async_finder *f, void *context, node_id n, struct error *err)
{
	const struct by_fields *b = context;
	const struct heap *h = f->heap;
	const struct shape *s = shape_of(b, f, n);
	struct async_item *item;
	uint32_t at;
	bool has_ended;

	if (!s->is_item || is_idle(h, n, s))
		return true;
	has_ended = is_completed(f, n, s);
	f->out->completed_count += has_ended && s->kind == ASYNC_CALL;
	f->out->calls_count += !has_ended && s->kind == ASYNC_CALL;
	if ((has_ended && !f->in->with_completed) ||
	    (s->kind == ASYNC_SOURCE && reference_at(h, n, s->next_at) == NODE_NONE))
		return true;
	at = async_item_add(f, n, (enum async_kind)s->kind, err);
	if (at == UINT32_MAX)
		return false;
	item = &f->out->items[at];
	item->is_completed = has_ended;
	if (s->kind == ASYNC_CALL)
		read_state(h, s, item);
	if (s->resume_at)
		read_continuation(f, s, item);
	return true;
}

/* Adds a continuation. A task that is not an item has completed and is skipped. */
static bool
add_target(struct async_finder *f, const struct by_fields *b, uint32_t item, node_id target,
	   struct error *err)
{
	const uint32_t *known = node_map_find(&f->map, target);
	uint32_t next;

	if (known)
		return async_next_add(f, item, *known, err);
	if (shape_of(b, f, target)->is_item || async_part_of(f, target) != ASYNC_PART_NONE)
		return true;
	next = async_item_add(f, target, ASYNC_OTHER, err);
	return next != UINT32_MAX && async_next_add(f, item, next, err);
}

/* Returns the object inside wrappers; stops at a list. A promise as a continuation resumes the
   calls behind it. */
static node_id
unwrap(const struct async_finder *f, const struct by_fields *b, node_id n)
{
	for (int i = 0; i < STEPS_MAX; i++) {
		const struct shape *s = shape_of(b, f, n);
		node_id to;

		if (!s->head_at && (s->is_item || s->follow != FOLLOW_OBJECT))
			return n;
		to = reference_at(f->heap, n, s->head_at ? s->head_at : s->follow_at);
		/* A delegate to a static method may be its own target. */
		if (to == NODE_NONE || to == n)
			return n;
		n = to;
	}
	return n;
}

static bool
add_list(struct async_finder *f, const struct by_fields *b, uint32_t item, node_id list,
	 struct error *err)
{
	node_id array = reference_at(f->heap, list, shape_of(b, f, list)->follow_at);
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
link_item(struct async_finder *f, const struct by_fields *b, uint32_t item, struct error *err)
{
	node_id n = f->out->items[item].node;
	const struct shape *s = shape_of(b, f, n);
	node_id next = next_of(f->heap, n, s);

	/* A completed item refers to a mark, or to outdated continuations. */
	if (f->out->items[item].is_completed)
		return true;
	if (s->resume_at && next == NODE_NONE)
		next = async_promise_of(f, n);
	if (next == NODE_NONE)
		return true;
	if (!s->resume_at)
		next = unwrap(f, b, next);
	if (shape_of(b, f, next)->follow == FOLLOW_LIST && !shape_of(b, f, next)->is_item)
		return add_list(f, b, item, next, err);
	return add_target(f, b, item, next, err);
}

/* --- runtime async -------------------------------------------------------- */

static node_id
link_next(const struct async_finder *f, void *context, node_id n)
{
	const struct shape *s = shape_of(context, f, n);

	return reference_at(f->heap, n, s->resume_at ? s->next_at : s->follow_at);
}

static node_id
link_promise(const struct async_finder *f, void *context, node_id helper)
{
	return reference_at(f->heap, helper, shape_of(context, f, helper)->promise_at);
}

static node_id
link_head(const struct async_finder *f, void *context, node_id promise)
{
	return reference_at(f->heap, promise, shape_of(context, f, promise)->head_at);
}

static bool
link_has_completed(const struct async_finder *f, void *context, node_id promise)
{
	return is_completed(f, promise, shape_of(context, f, promise));
}

/* Joins a helper's continuation with the awaited source. Most sources have a field of their own for
   what goes on after them. */
static bool
add_source(struct async_finder *f, void *context, node_id n, struct error *err)
{
	const struct by_fields *b = context;
	node_id source, first;

	if (async_part_of(f, n) != ASYNC_PART_SOURCE_HELPER)
		return true;
	source = reference_at(f->heap, n, shape_of(b, f, n)->source_at);
	first = link_next(f, context, n);
	return source == NODE_NONE || first == NODE_NONE ||
	       async_awaited_add(f, source, first, ASYNC_SOURCE, err);
}

bool
async_find_by_fields(struct async_finder *f, struct error *err)
{
	struct by_fields b = { 0 };
	const struct async_links links = { link_next, link_promise, link_head, link_has_completed,
					   &b };
	uint32_t count;
	bool ok;

	b.shapes = memory_new((size_t)f->heap->memory->tables_count + 1, sizeof(*b.shapes), err);
	ok = b.shapes && table_index_init(&b.tables, f->heap, err) &&
	     async_runtime_find(f, &links, err) &&
	     async_each_object(f, "looking for async calls", look, &b, err);
	count = f->out->ordered_count = f->out->items_count;
	progress_begin(f->progress, "joining async calls", "calls", count);
	for (uint32_t i = 0; ok && i < count; i++)
		ok = (progress_add(f->progress, 1) || error_cancelled(err)) &&
		     link_item(f, &b, i, err);
	if (ok && f->parts)
		ok = async_each_object(f, "looking for awaited objects", add_source, &b, err);
	memory_free(b.shapes);
	table_index_clear(&b.tables);
	return ok;
}
