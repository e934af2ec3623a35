#include "model/graph/reach_costs.h"
#include "model/base/hash.h"
#include "model/base/seed.h"
#include "model/base/text.h"
#include "model/base/u64_map.h"
#include "model/heap/framework.h"
#include "model/heap/names.h"
#include <string.h>

/* Who declares the variable or method of a root. */
enum root_owner { OWNER_APPLICATION, OWNER_UNKNOWN, OWNER_FRAMEWORK };
enum { OWNER_COUNT = OWNER_FRAMEWORK + 1 };
enum { TASK_REFS_MAX = 64 }; /* references of a task that are looked at */

/*
 * Costs of roots by kind and owner; tiers (root_kinds) come before costs.
 * A static variable costs at most one more than any other root: the runtime keeps variables in
 * arrays that handles hold, and the path through the array must not be the cheaper one. The kinds
 * of lesser tiers compete with none but their own and cost nothing; so do words on stacks, except
 * those that refer to awaited tasks.
 */
// clang-format off
static const uint8_t root_kind_costs[ROOT_KIND_COUNT][OWNER_COUNT] = {
	/*                     application, unknown, framework */
	[ROOT_STATIC] =        { 0, 2, 5 },
	[ROOT_THREAD_STATIC] = { 1, 4, 5 },
	[ROOT_STRONG] =        { 8, 8, 8 },
	[ROOT_PINNED] =        { 8, 8, 8 },
	[ROOT_ASYNC_PINNED] =  { 8, 8, 8 },
	[ROOT_REF_COUNTED] =   { 8, 8, 8 },
	[ROOT_SIZED_REF] =     { 8, 8, 8 },
	[ROOT_FROZEN] =        { 8, 8, 8 },
	[ROOT_STACK] =         { 4, 6, 8 },
	[ROOT_STACK_WORD] =    { 4, 6, 8 },
	/* The others cost nothing. */
};
// clang-format on

/* --- steps ---------------------------------------------------------------- */

/* Types of the framework that programs are made of: collections, and the delegates by which their
   parts call each other. */
static const char *const building_blocks[] = {
	"System.Collections.",
	"System.Action",
	"System.EventHandler",
	"System.Func<",
};

static bool
is_building_block(const struct type *t)
{
	for (size_t i = 0; i < sizeof(building_blocks) / sizeof(building_blocks[0]); i++)
		if (text_begins(t->raw, building_blocks[i]))
			return true;
	/* Names of nested types may lack the namespace. */
	return text_begins(type_module_file(t), building_blocks[0]);
}

static uint8_t
step_cost(const struct type *t)
{
	return t->flags & TYPE_ARRAY || !type_is_of_framework(t) || is_building_block(t)
		   ? STEP_COST_MIN
		   : STEP_COST_MAX;
}

/* --- owners of roots ------------------------------------------------------ */

/*
 * The classes of the heap, by the names that roots show: C# spelling without the well-known
 * namespaces. The values are enum root_owner. Full hashes are taken for equality: a collision only
 * makes a path a little dearer.
 */
struct classes {
	struct u64_map owners;
	uint64_t seed;
};

static bool
classes_fill(struct classes *c, const struct heap *h, struct error *err)
{
	c->seed = seed_random();
	for (type_id i = 0; i < h->types_count; i++) {
		const struct type *t = &h->types[i];
		const char *name = type_class_name(t);
		size_t len = strcspn(name, "<[+`(, "), start = 0;
		bool is_framework = type_is_of_framework(t);
		uint64_t key;

		if (is_framework)
			start = name_field_start(name, len);
		key = hash_bytes(c->seed, name + start, len - start);
		/* A class of the application wins, in whatever order. */
		if (is_framework && u64_map_get(&c->owners, key) != U64_MAP_NONE)
			continue;
		if (!u64_map_put(&c->owners, key,
				 is_framework ? OWNER_FRAMEWORK : OWNER_APPLICATION, err))
			return false;
	}
	return true;
}

/* Finds the owner of "Shop.Cache.items" or "TimerQueue.Instances". */
static enum root_owner
owner_of_name(const struct classes *c, const char *name)
{
	size_t len = name_field_start(name, strlen(name));
	size_t first = strcspn(name, ".<+");
	uint32_t owner;

	if (!len)
		return OWNER_UNKNOWN;
	if (framework_has_namespace(name, len - 1))
		return OWNER_FRAMEWORK;
	owner = u64_map_get(&c->owners, hash_bytes(c->seed, name, len - 1));
	if (owner == U64_MAP_NONE && first < len - 1)
		owner = u64_map_get(&c->owners, hash_bytes(c->seed, name, first));
	if (owner != U64_MAP_NONE)
		return (enum root_owner)owner;
	/* The application has no object of the class. */
	return first < len - 1 && name[first] == '.' ? OWNER_APPLICATION : OWNER_UNKNOWN;
}

static enum root_owner
owner_of(const struct classes *c, const struct heap *h, const struct root *r)
{
	enum root_owner owner;

	/* Words have the names of threads. */
	if (r->kind == ROOT_STACK_WORD)
		return type_is_of_framework(heap_type(h, r->object)) ? OWNER_FRAMEWORK
								     : OWNER_APPLICATION;
	owner = owner_of_name(c, r->name);
	/* Some sources have only the name of the field. */
	if (owner == OWNER_UNKNOWN && r->kind != ROOT_STACK &&
	    !type_is_of_framework(heap_type(h, r->object)))
		owner = OWNER_APPLICATION;
	return owner;
}

static bool
has_owner(const struct root *r)
{
	const uint8_t *costs = root_kind_costs[r->kind];

	return costs[OWNER_APPLICATION] != costs[OWNER_FRAMEWORK];
}

/* --- threads that wait ---------------------------------------------------- */

/* Returns the type of the object that a thread which waits for a task adds to it, or TYPE_NONE if
   no thread waits. */
static type_id
waiter_type(const struct heap *h)
{
	for (type_id t = 0; t < h->types_count; t++)
		if (!strcmp(h->types[t].raw, "System.Threading.Tasks.Task+SetOnInvokeMres") &&
		    type_is_of_framework(&h->types[t]))
			return t;
	return TYPE_NONE;
}

static bool
is_of_same_thread(const struct root *word, const struct root *other)
{
	return other->kind == ROOT_STACK_WORD && !strcmp(word->name, other->name);
}

/* Returns true if a word refers to a task for which its thread waits. */
static bool
is_awaited(const struct heap *h, const struct root *word, type_id waiters)
{
	struct refs refs = heap_refs(h, word->object);
	node_id target;

	for (int i = 0; i < TASK_REFS_MAX && refs_next(&refs, &target); i++) {
		const struct root *roots;
		uint32_t count;

		if (heap_type_of(h, target) != waiters)
			continue;
		roots = heap_roots_of(h, target, &count);
		for (uint32_t k = 0; k < count; k++)
			if (is_of_same_thread(word, &roots[k]))
				return true;
	}
	return false;
}

/* --- all roots ------------------------------------------------------------ */

static bool
cost_roots(uint8_t *costs, uint8_t *tiers, const struct heap *h, struct error *err)
{
	struct classes c = { 0 };
	type_id waiters = waiter_type(h);
	bool ok = classes_fill(&c, h, err);

	for (uint32_t i = 0; ok && i < h->roots_count; i++) {
		const struct root *r = &h->roots[i];
		enum root_owner owner = OWNER_UNKNOWN;

		tiers[i] = root_kinds[r->kind].tier;
		if (r->kind == ROOT_STACK_WORD) {
			if (waiters == TYPE_NONE || !is_awaited(h, r, waiters))
				continue; /* costs nothing */
			tiers[i] = 0;
		}
		if (has_owner(r))
			owner = owner_of(&c, h, r);
		costs[i] = root_kind_costs[r->kind][owner];
	}
	u64_map_clear(&c.owners);
	return ok;
}

bool
reach_costs_init(struct reach_costs *c, const struct heap *h, struct arena *a, struct error *err)
{
	uint8_t *steps = arena_array(a, uint8_t, (size_t)h->types_count + 1, err);
	uint8_t *roots = steps ? arena_array(a, uint8_t, (size_t)h->roots_count + 1, err) : NULL;

	uint8_t *tiers = roots ? arena_array(a, uint8_t, (size_t)h->roots_count + 1, err) : NULL;

	if (!tiers)
		return false;
	for (type_id t = 0; t < h->types_count; t++)
		steps[t] = step_cost(&h->types[t]);
	*c = (struct reach_costs){ steps, roots, tiers };
	return cost_roots(roots, tiers, h, err);
}
