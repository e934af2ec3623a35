#include "io/clr/lock_objects.h"
#include "io/clr/contents_state.h"
#include "io/runtime/threads.h"
#include "model/heap/node_map.h"
#include <string.h>

enum {
	IS_LOCKED = 1,
	WAITERS_SHIFT = 7,
	LOOK_EVERY = 65536,
};

/* False: the type has no such field, or its memory is not in the dump. */
static bool
read_number(struct clr_contents *c, const struct clr_object *o, const char *name, uint32_t *out)
{
	struct content_field field;
	struct error ignored = { 0 };

	return clr_object_field(c, o, name, &field, &ignored) && field.kind == CONTENT_VALUE &&
	       field.bytes == sizeof(*out) &&
	       memory_u32(clr_contents_reader(c), field.address, out);
}

/* The object in a field; NODE_NONE: null, or unknown. */
static node_id
follow(struct clr_contents *c, node_id n, const char *name)
{
	struct content_field field;
	struct error ignored = { 0 };
	struct clr_object o;
	uint64_t address;

	return clr_object_open(c, n, &o, &ignored) &&
		       clr_object_field(c, &o, name, &field, &ignored) &&
		       field.kind == CONTENT_REFERENCE &&
		       memory_u64(clr_contents_reader(c), field.address, &address) && address
		   ? heap_find(c->heap, address)
		   : NODE_NONE;
}

/* Counts the threads in Monitor.Wait; a list longer than there are threads is damaged, or has a
 * circle. */
static uint32_t
count_waits(struct clr_contents *c, node_id lock)
{
	node_id condition = follow(c, lock, "_waitEventOrCondition"), waiter;
	uint32_t count = 0;

	if (condition == NODE_NONE)
		return 0;
	waiter = follow(c, condition, "_waitersHead");
	for (; waiter != NODE_NONE; count++) {
		if (count >= c->runtime->threads_count)
			return WAITERS_UNKNOWN;
		waiter = follow(c, waiter, "next");
	}
	return count;
}

/* .NET 11, whose Monitor is managed, has managed ids of threads in locks. */
static void
set_owner(const struct clr_runtime *rt, struct heap_lock *lock, uint32_t owner)
{
	bool is_managed = clr_has(&rt->layout, CLR_SYNC_LOCK);
	const struct clr_thread *thread =
	    clr_thread_find(rt, is_managed ? CLR_THREAD_BY_ID : CLR_THREAD_BY_OS_ID, owner);

	lock->os_id = thread ? thread->os_id : is_managed ? 0 : owner;
	lock->thread = thread ? thread->id : is_managed ? owner : 0;
}

/* Reads the Lock object `object`. False: the type's fields are unknown. */
static bool
read_lock(struct clr_contents *c, node_id object, struct heap_lock *lock)
{
	uint32_t owner = 0, state = 0, again = 0;
	struct error ignored = { 0 };
	struct clr_object o;

	if (!c->runtime->layout.facts->has_lock_objects ||
	    !clr_object_open(c, object, &o, &ignored) ||
	    !read_number(c, &o, "_owningThreadId", &owner) ||
	    !read_number(c, &o, "_state", &state) || !read_number(c, &o, "_recursionCount", &again))
		return false;
	lock->waiters = state >> WAITERS_SHIFT;
	if (!(state & IS_LOCKED))
		return true;
	lock->entered = again + 1;
	set_owner(c->runtime, lock, owner);
	return true;
}

/* Fills in the locks of sync blocks, and notes their objects in `monitors`. */
static bool
read_monitors(struct clr_contents *c, struct heap_locks *out, struct node_map *monitors,
	      struct progress *progress, struct error *err)
{
	for (size_t i = 0; i < out->count; i++) {
		struct heap_lock *lock = &out->items[i];
		bool is_known;

		if (lock->monitor == NODE_NONE)
			continue;
		if (progress_is_cancelled(progress))
			return error_cancelled(err);
		pthread_mutex_lock(&c->lock);
		is_known = read_lock(c, lock->monitor, lock);
		lock->pulse_waiters = count_waits(c, lock->monitor);
		pthread_mutex_unlock(&c->lock);
		out->unknown_count += !is_known;
		if (!node_map_find(monitors, lock->monitor) &&
		    !node_map_add(monitors, lock->monitor, 0, err))
			return false;
	}
	return true;
}

static bool
add_object(struct clr_contents *c, node_id n, struct heap_locks *out, struct error *err)
{
	struct heap_lock lock = { .object = n, .monitor = NODE_NONE, .is_object = true };
	bool is_known;

	pthread_mutex_lock(&c->lock);
	is_known = read_lock(c, n, &lock);
	pthread_mutex_unlock(&c->lock);
	out->unknown_objects_count += !is_known;
	if (!lock.entered)
		return true;
	return APPEND(out->items, out->count, out->room, err, lock);
}

/* Only CoreLib's type: packages for older versions have one of the same name. */
static type_id
find_type(const struct heap *h)
{
	for (type_id t = 0; t < h->types_count; t++)
		if (!strcmp(h->types[t].raw, "System.Threading.Lock") &&
		    strstr(h->types[t].module, "System.Private.CoreLib"))
			return t;
	return TYPE_NONE;
}

static bool
read_objects(struct clr_contents *c, type_id type, struct heap_locks *out,
	     const struct node_map *monitors, struct progress *progress, struct error *err)
{
	const struct heap *h = c->heap;

	progress_begin(progress, "looking for objects that are locks", "objects", h->nodes_count);
	for (node_id n = 0; n < h->nodes_count; n++) {
		if (n % LOOK_EVERY == LOOK_EVERY - 1 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
		if (heap_type_of(h, n) == type && !node_map_find(monitors, n) &&
		    !add_object(c, n, out, err))
			return false;
	}
	return true;
}

bool
clr_lock_objects_read(struct clr_contents *c, struct heap_locks *out, struct progress *progress,
		      struct error *err)
{
	type_id type = find_type(c->heap);
	struct node_map monitors = { 0 };
	bool is_good;

	is_good = read_monitors(c, out, &monitors, progress, err) &&
		  (type == TYPE_NONE || read_objects(c, type, out, &monitors, progress, err));
	node_map_clear(&monitors);
	return is_good;
}
