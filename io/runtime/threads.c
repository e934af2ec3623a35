#include "io/runtime/threads.h"
#include "model/base/sorted.h"
#include "model/heap/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 64 << 10, STACK_MAX = 1 << 30 };
/* Bits of Thread.State. */
#define STATE_UNSTARTED UINT32_C(0x400)
#define STATE_DEAD      UINT32_C(0x800)

/* Each version reaches the allocation context by another path. */
static bool
thread_context(const struct clr_runtime *rt, struct clr_thread *t)
{
	const struct clr_layout *l = &rt->layout;
	uint64_t at = t->address;

	if (clr_has(l, CLR_THREAD_LOCALS)) {
		if (!clr_u64(l, rt->reader, at, CLR_THREAD_LOCALS, &at))
			return false;
		if (!at)
			return true; /* not started */
		at += l->offset[CLR_LOCALS_ALLOC_CONTEXT];
		if (clr_has(l, CLR_EE_CONTEXT_GC_CONTEXT))
			at += l->offset[CLR_EE_CONTEXT_GC_CONTEXT];
	} else {
		at += l->offset[CLR_THREAD_ALLOC_CONTEXT];
	}
	return clr_u64(l, rt->reader, at, CLR_ALLOC_POINTER, &t->alloc_pointer) &&
	       clr_u64(l, rt->reader, at, CLR_ALLOC_LIMIT, &t->alloc_limit);
}

/* Leaves both ends 0 unless they can be those of a stack. */
static void
thread_stack(const struct clr_runtime *rt, struct clr_thread *t)
{
	const struct clr_layout *l = &rt->layout;
	uint64_t base, limit;

	t->stack_base = t->stack_limit = 0;
	if (!clr_u64(l, rt->reader, t->address, CLR_THREAD_STACK_BASE, &base) ||
	    !clr_u64(l, rt->reader, t->address, CLR_THREAD_STACK_LIMIT, &limit) || limit >= base ||
	    base - limit > STACK_MAX || base % 8 || limit % 8)
		return;
	t->stack_base = base;
	t->stack_limit = limit;
}

/* A walk does not need these fields, so they may be absent. */
static void
thread_state(const struct clr_runtime *rt, struct clr_thread *t)
{
	const struct clr_layout *l = &rt->layout;
	uint32_t no_preemption;

	if (clr_u32(l, rt->reader, t->address, CLR_THREAD_PREEMPTIVE_DISABLED, &no_preemption))
		t->mode = no_preemption ? THREAD_COOPERATIVE : THREAD_PREEMPTIVE;
	if (!clr_u64(l, rt->reader, t->address, CLR_THREAD_LAST_THROWN, &t->last_thrown))
		t->last_thrown = 0;
	thread_stack(rt, t);
}

static bool
thread_read(const struct clr_runtime *rt, struct clr_thread *t)
{
	const struct clr_layout *l = &rt->layout;

	thread_state(rt, t);
	return clr_u32(l, rt->reader, t->address, CLR_THREAD_ID, &t->id) &&
	       clr_u32(l, rt->reader, t->address, CLR_THREAD_STATE, &t->state) &&
	       clr_u64(l, rt->reader, t->address, CLR_THREAD_OS_ID, &t->os_id) &&
	       thread_context(rt, t);
}

/* The process's thread ids, sorted. */
struct known {
	uint64_t *ids;
	size_t count;
};

static bool
known_read(struct known *k, struct clr_runtime *rt, struct error *err)
{
	const struct memory *m = rt->memory;

	k->count = m->threads_count;
	k->ids = arena_array(&rt->arena, uint64_t, k->count + 1, err);
	if (!k->ids)
		return false;
	for (size_t i = 0; i < k->count; i++)
		k->ids[i] = (uint32_t)m->threads[i].tid;
	SORT_NUMBERS(k->ids, k->count);
	return true;
}

/* A live thread must be one that the kernel knows. */
static bool
is_plausible(const struct known *k, const struct clr_thread *t)
{
	return !t->os_id || t->state & (STATE_DEAD | STATE_UNSTARTED) || !k->count ||
	       bsearch(&t->os_id, k->ids, k->count, sizeof(*k->ids), compare_u64);
}

/* A list that is being read, in one of two forms. */
struct list {
	struct clr_thread *threads;
	uint32_t count, wanted;
	bool has_links; /* leads through the threads' link fields */
};

/* Reads the thread to which the list's head or another thread points, and sets
 * *next. */
static bool
read_next(struct clr_runtime *rt, const struct known *known, struct list *list, uint64_t *next,
	  struct clr_doubts *doubts)
{
	const struct clr_layout *l = &rt->layout;
	struct clr_thread *t = &list->threads[list->count];

	t->address = *next;
	if (list->has_links)
		t->address -= l->offset[CLR_THREAD_NEXT];
	if (!thread_read(rt, t)) {
		clr_doubt(doubts, "the runtime's thread at 0x%" PRIx64 " is not in memory",
			  t->address);
		return false;
	}
	if (!is_plausible(known, t)) {
		clr_doubt(doubts,
			  "the runtime's thread at 0x%" PRIx64 " has the kernel id %" PRIu64
			  ", but the process has no such thread",
			  t->address, t->os_id);
		return false;
	}
	list->count++;
	(void)!clr_u64(l, rt->reader, t->address, CLR_THREAD_NEXT, next);
	return true;
}

static bool
list_read(struct clr_runtime *rt, const struct known *known, struct list *list,
	  struct clr_doubts *doubts)
{
	uint64_t next;

	list->count = 0;
	if (!clr_u64(&rt->layout, rt->reader, rt->thread_store, CLR_THREAD_STORE_FIRST, &next)) {
		clr_doubt(doubts, "the list of threads is not in memory");
		return false;
	}
	while (next && list->count < list->wanted)
		if (!read_next(rt, known, list, &next, doubts))
			return false;
	if (list->count == list->wanted && !next)
		return true;
	clr_doubt(doubts, "the runtime counts %u threads, but its list has %s%u", list->wanted,
		  next ? "more than " : "", list->count);
	return false;
}

/*
 * The list's head and each link hold the address of the next thread, or of its link field. The form
 * that is not the version's own is tried, too: the list proves itself.
 */
static bool
threads_walk(struct clr_runtime *rt, const struct known *known, struct list *list)
{
	struct clr_doubts ignored = { .arena = &rt->arena };
	struct clr_doubts found = rt->doubts;

	list->has_links = rt->layout.facts->has_thread_links;
	if (list_read(rt, known, list, &found))
		return true;
	list->has_links = !list->has_links;
	if (list_read(rt, known, list, &ignored))
		return true;
	rt->doubts = found;
	return false;
}

/* --- lookup -------------------------------------------------------------- */

struct clr_thread_place {
	uint64_t key;
	uint32_t thread;
};

static int
by_key(const void *left, const void *right)
{
	const struct clr_thread_place *a = left, *b = right;

	return a->key != b->key ? (a->key > b->key) - (a->key < b->key)
				: (a->thread > b->thread) - (a->thread < b->thread);
}

static uint64_t
key_of(const struct clr_thread *t, enum clr_thread_key key)
{
	return key == CLR_THREAD_BY_ID ? t->id : key == CLR_THREAD_BY_OS_ID ? t->os_id : t->address;
}

static bool
sort_places(struct clr_runtime *rt, struct error *err)
{
	for (unsigned key = 0; key < CLR_THREAD_KEYS; key++) {
		struct clr_thread_place *places =
		    arena_array(&rt->arena, struct clr_thread_place, rt->threads_count + 1, err);

		if (!places)
			return false;
		for (uint32_t i = 0; i < rt->threads_count; i++)
			places[i] = (struct clr_thread_place){
				key_of(&rt->threads[i], (enum clr_thread_key)key), i
			};
		qsort(places, rt->threads_count, sizeof(*places), by_key);
		rt->thread_places[key] = places;
	}
	return true;
}

const struct clr_thread *
clr_thread_find(const struct clr_runtime *rt, enum clr_thread_key key, uint64_t value)
{
	const struct clr_thread_place *places = rt->thread_places[key];
	size_t at;

	LOWER_BOUND(at, 0, value ? rt->threads_count : 0, places[at].key < value);
	return value && at < rt->threads_count && places[at].key == value
		   ? &rt->threads[places[at].thread]
		   : NULL;
}

/* True also for an assembly whose file was replaced. */
static bool
is_assembly(const char *name)
{
	const char *end = strrchr(name, '.');

	return end && (!strcmp(end, ".dll") || !strcmp(end, ".dll (deleted)"));
}

/* Managed code is in no file, or in an assembly. */
static bool
is_native(const struct memory *m, uint64_t pc)
{
	const struct memory_mapping *at = memory_mapping_at(m, pc);

	return at && at->flags & MEMORY_FILE && !is_assembly(at->name);
}

/* The background GC thread allocates nothing and stays in cooperative mode for long. */
static bool
is_background_collector(const struct memory_thread *t)
{
	return !strcmp(t->name, ".NET BGC");
}

size_t
clr_threads_allocating(const struct clr_runtime *rt)
{
	const struct memory *m = rt->memory;
	size_t count = 0;

	for (size_t i = 0; i < m->threads_count; i++) {
		const struct memory_thread *t = &m->threads[i];
		const struct clr_thread *known =
		    clr_thread_find(rt, CLR_THREAD_BY_OS_ID, (uint64_t)t->tid);

		count += known && known->mode == THREAD_COOPERATIVE &&
			 !is_background_collector(t) && is_native(m, t->pc);
	}
	return count;
}

bool
clr_threads_set(struct clr_runtime *rt, const struct clr_thread *threads, size_t count,
		struct error *err)
{
	struct clr_thread *copy = arena_array(&rt->arena, struct clr_thread, count + 1, err);

	if (!copy)
		return false;
	if (count)
		memcpy(copy, threads, count * sizeof(*copy));
	rt->threads = copy;
	rt->threads_count = count;
	rt->are_threads_known = true;
	return sort_places(rt, err);
}

bool
clr_threads_read(struct clr_runtime *rt, struct error *err)
{
	struct list list = { 0 };
	struct known known;

	if (!clr_u32(&rt->layout, rt->reader, rt->thread_store, CLR_THREAD_STORE_COUNT,
		     &list.wanted) ||
	    list.wanted > THREADS_MAX) {
		clr_doubt(&rt->doubts, "the number of threads is unknown");
		return true;
	}
	list.threads = arena_array(&rt->arena, struct clr_thread, (size_t)list.wanted + 1, err);
	if (!list.threads || !known_read(&known, rt, err))
		return false;
	rt->are_threads_known = threads_walk(rt, &known, &list);
	if (!rt->are_threads_known)
		return true;
	rt->threads = list.threads;
	rt->threads_count = list.count;
	return sort_places(rt, err);
}
