#include "io/clr/lock_objects.h"
#include "io/clr/contents_state.h"
#include "io/runtime/locks.h"
#include <string.h>

enum {
	IS_LOCKED = 1,
	WAITERS_SHIFT = 7,
	LOOK_EVERY = 65536,
};

/* False: the type has no such field, or its memory is not in the dump. */
static bool
read_number(struct clr_contents *c, const struct clr_object *o,
	    const char *name, uint32_t *out)
{
	struct content_field field;
	struct error ignored = { 0 };

	return clr_object_field(c, o, name, &field, &ignored) &&
	       field.kind == CONTENT_VALUE && field.bytes == sizeof(*out) &&
	       memory_u32(clr_contents_reader(c), field.address, out);
}

/* False: the lock is free, or unknown if !*is_known. */
static bool
read_lock(struct clr_contents *c, struct heap_lock *lock, bool *is_known)
{
	const struct clr_runtime *rt = c->runtime;
	uint32_t owner = 0, state = 0, again = 0;
	struct error ignored = { 0 };
	struct clr_object o;

	*is_known = rt->layout.facts->has_lock_objects &&
		    clr_object_open(c, lock->object, &o, &ignored) &&
		    read_number(c, &o, "_owningThreadId", &owner) &&
		    read_number(c, &o, "_state", &state) &&
		    read_number(c, &o, "_recursionCount", &again);
	lock->is_object = true;
	lock->waiters = state >> WAITERS_SHIFT;
	lock->entered = again + 1;
	lock->os_id = owner;
	lock->thread = clr_thread_of_os_id(rt, owner);
	return *is_known && state & IS_LOCKED;
}

static bool
take_object(struct clr_contents *c, node_id n, struct heap_locks *out,
	    struct error *err)
{
	struct heap_lock lock = { .object = n };
	bool is_known, is_held;

	pthread_mutex_lock(&c->lock);
	is_held = read_lock(c, &lock, &is_known);
	pthread_mutex_unlock(&c->lock);
	out->unknown_objects_count += !is_known;
	if (!is_held)
		return true;
	return APPEND(out->items, out->count, out->room, err, lock);
}

/*
 * Only CoreLib's type: packages for older versions have one of the same name.
 */
static type_id
find_type(const struct heap *h)
{
	for (type_id t = 0; t < h->types_count; t++)
		if (!strcmp(h->types[t].raw, "System.Threading.Lock") &&
		    strstr(h->types[t].module, "System.Private.CoreLib"))
			return t;
	return TYPE_NONE;
}

bool
clr_lock_objects_read(struct clr_contents *c, struct heap_locks *out,
		      struct progress *progress, struct error *err)
{
	const struct heap *h = c->heap;
	type_id type = find_type(h);

	if (type == TYPE_NONE)
		return true;
	progress_begin(progress, "looking for objects that are locks",
		       "objects", h->nodes_count);
	for (node_id n = 0; n < h->nodes_count; n++) {
		if (n % LOOK_EVERY == LOOK_EVERY - 1 &&
		    !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
		if (heap_type_of(h, n) == type && !take_object(c, n, out, err))
			return false;
	}
	return true;
}
