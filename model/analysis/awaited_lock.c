#include "model/analysis/awaited_lock.h"
#include "model/heap/thread_title.h"

/* A word has the name of its thread; the reference of a frame has that of the method, and the
 * thread in its label. */
uint64_t
root_thread(const struct root *root)
{
	if (root->kind != ROOT_STACK_WORD && root->kind != ROOT_STACK)
		return 0;
	return thread_title_os_id(root->kind == ROOT_STACK ? root->label : root->name);
}

bool
root_is_of_thread(const struct root *root, uint64_t os_id)
{
	return os_id && root_thread(root) == os_id;
}

static bool
has_stack_root(const struct heap *h, node_id object, uint64_t os_id)
{
	uint32_t count = 0;
	const struct root *roots = object == NODE_NONE ? NULL : heap_roots_of(h, object, &count);

	for (uint32_t i = 0; i < count; i++)
		if (root_is_of_thread(&roots[i], os_id))
			return true;
	return false;
}

const struct heap_lock *
awaited_lock(const struct heap *h, const struct heap_locks *locks, uint64_t os_id,
	     struct progress *progress)
{
	for (size_t i = 0; i < locks->count && !progress_is_cancelled(progress); i++) {
		const struct heap_lock *lock = &locks->items[i];

		if (lock->entered && lock->os_id != os_id &&
		    (has_stack_root(h, lock->object, os_id) ||
		     has_stack_root(h, lock->monitor, os_id)))
			return lock;
	}
	return NULL;
}

/* The os_id 0 is unknown in a lock, and that of all threads which have exited: then the managed id
   tells which one it is. */
static bool
is_holder(const struct heap_thread *t, const struct heap_lock *lock)
{
	if (lock->os_id)
		return t->id && t->os_id == lock->os_id;
	return t->id && t->id == lock->thread;
}

const char *
lock_holder(const struct heap *h, const struct heap_lock *lock, struct arena *a, struct error *err)
{
	const struct heap_memory *m = h->memory;
	char title[THREAD_TITLE_BYTES];

	if (!lock->entered)
		return "";
	for (uint32_t i = 0; i < m->threads_count; i++) {
		const struct heap_thread *t = &m->threads[i];

		if (!is_holder(t, lock))
			continue;
		thread_title(t->id, t->os_id, title);
		return *t->name ? arena_printf(a, err, "%s \"%s\"", title, t->name)
				: arena_printf(a, err, "%s", title);
	}
	if (!lock->thread)
		return "an unknown thread";
	return arena_printf(a, err, "%s", thread_title(lock->thread, lock->os_id, title));
}
