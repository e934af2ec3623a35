#include "model/graph/paths_search.h"

#include <string.h>

/* --- reporting a path ---------------------------------------------------- */

/* Returns the object from which on the path is the one that reach.h knows. */
static node_id
common_start(const struct paths *p, const struct paths_known *k)
{
	const struct reach *reach = p->up.reach;
	const struct paths_rest *rest;
	const node_id *nodes;
	uint32_t i;

	if (k->rest == NO_REST)
		return p->places[k->place].node;
	rest = &p->rests[k->rest];
	if (!p->up.is_guided || !rest->count)
		return NODE_NONE;
	nodes = p->rest_nodes + rest->first;
	/* It may end where the path of reach.h goes on. */
	if (reach->distance[nodes[rest->count - 1]])
		return NODE_NONE;
	for (i = rest->count - 1; i > 0; i--)
		if (reach->next[nodes[i - 1]] != nodes[i])
			break;
	return nodes[i];
}

/* Finds an earlier path with the same rest; registers the new part. */
static bool
share_rest(struct paths *p, struct paths_known *k)
{
	const struct reach *reach = p->up.reach;
	node_id node = common_start(p, k);

	for (; node != NODE_NONE; node = reach->next[node]) {
		const uint32_t *owner = node_map_find(&p->owners, node);

		if (owner) {
			k->path.shared_path = *owner;
			k->path.shared_length = reach->distance[node];
			return true;
		}
		if (!node_map_add(&p->owners, node, (uint32_t)p->found_count, p->err))
			return false;
		paths_spend(p, 1);
		if (!reach->distance[node])
			return true;
	}
	return true;
}

/* `last_root`: see struct paths_task. */
static bool
found_add(struct paths *p, const struct paths_known *k, uint32_t last_root)
{
	const struct paths_task more = { .kind = TASK_ROOT,
					 .path = (uint32_t)p->found_count,
					 .root = last_root };

	if (!APPEND(p->found, p->found_count, p->found_room, p->err, *k))
		return false;
	return paths_task_add(p, &more, p->cost);
}

static struct paths_known
known_path(const struct paths *p, uint32_t place, uint32_t rest, uint32_t root)
{
	const struct paths_place *at = &p->places[place];
	uint32_t left = rest == NO_REST ? p->up.reach->distance[at->node] : p->rests[rest].count;

	return (struct paths_known){
		.path = { .root = root, .length = at->depth + left, .shared_path = PATH_NONE },
		.place = place,
		.rest = rest
	};
}

static bool
report_path(struct paths *p, uint32_t place, uint32_t rest, uint32_t root)
{
	struct paths_known k = known_path(p, place, rest, root);
	const struct paths_task follow = { .kind = TASK_FOLLOW, .place = place, .rest = rest };

	return share_rest(p, &k) && paths_task_add(p, &follow, p->cost) &&
	       found_add(p, &k, ROOT_NOWHERE);
}

/* Reports the path from a root of the place's own object. Its branches are those of the path that
   goes on from here. */
static bool
report_end(struct paths *p, uint32_t place)
{
	uint32_t root = upward_root(&p->up, p->places[place].node), rest;
	struct paths_known k;

	if (!paths_rest_none(p, root, &rest))
		return false;
	k = known_path(p, place, rest, root);
	return found_add(p, &k, ROOT_NOWHERE);
}

/* Returns the root that reach.h leads to, if it is of the current tier. */
static uint32_t
known_root(struct paths *p, node_id node)
{
	const struct reach *reach = p->up.reach;
	uint32_t steps = 0;

	for (; reach->distance[node]; node = reach->next[node], steps++) {
		const uint32_t *owner = node_map_find(&p->owners, node);

		if (owner)
			return p->found[*owner].path.root;
	}
	paths_spend(p, steps);
	return upward_root(&p->up, node);
}

/* --- trying a place ------------------------------------------------------ */

enum verdict { VERDICT_NO, VERDICT_YES, VERDICT_FAILED };

/* Checks whether the rest of the path that reach.h knows avoids the prefix. */
static enum verdict
known_rest_is_clear(struct paths *p, uint32_t place)
{
	const struct paths_place *at = &p->places[place];
	const struct reach *reach = p->up.reach;
	uint32_t parent = at->parent, nearest = p->places[parent].nearest;
	node_id node = at->node;

	if (place == parent)
		return VERDICT_YES;
	while (reach->distance[node] > nearest) {
		bool has;

		node = reach->next[node];
		if (!paths_place_has(p, parent, node, &has))
			return VERDICT_FAILED;
		if (has)
			return VERDICT_NO;
		paths_spend(p, 1);
	}
	return VERDICT_YES;
}

static bool
try_place(struct paths *p, uint32_t index, uint32_t place)
{
	uint32_t parent = p->places[place].parent, root;
	node_id node = p->places[place].node;
	enum verdict verdict = VERDICT_NO;
	bool has = false;

	if (place != parent &&
	    (!p->up.is_guided || p->up.reach->distance[node] >= p->places[parent].nearest) &&
	    !paths_place_has(p, parent, node, &has))
		return false;
	if (has || (place != parent && paths_is_dead(p, parent, node))) {
		paths_circle_add(p, place);
		paths_task_drop(p, index);
		return true;
	}
	if (p->up.is_guided) {
		verdict = known_rest_is_clear(p, place);
		if (verdict == VERDICT_FAILED)
			return false;
	}
	paths_task_drop(p, index);
	if (verdict == VERDICT_NO)
		return paths_doubt_add(p, place);
	root = known_root(p, node);
	/* Lesser roots come after all paths from better ones. */
	return root == ROOT_NOWHERE || report_path(p, place, NO_REST, root);
}

/* --- branching off ------------------------------------------------------- */

/* Returns the object after this place on a reported path, or NODE_NONE. */
static node_id
next_on_way(const struct paths *p, const struct paths_task *task)
{
	node_id node = p->places[task->place].node;
	const struct paths_rest *rest;

	if (task->rest == NO_REST)
		return p->up.reach->distance[node] ? p->up.reach->next[node] : NODE_NONE;
	rest = &p->rests[task->rest];
	return task->position < rest->count ? p->rest_nodes[rest->first + task->position]
					    : NODE_NONE;
}

/* The path goes on from here; it could also end, at a root of this object. */
static bool
end_add(struct paths *p, uint32_t place)
{
	const struct paths_task end = { .kind = TASK_END, .place = place };
	uint32_t root = upward_root(&p->up, p->places[place].node);

	return root == ROOT_NOWHERE ||
	       paths_task_add(p, &end,
			      paths_cost(p->places[place].cost, p->up.reach->costs.roots[root]));
}

static bool
follow_way(struct paths *p, uint32_t index)
{
	struct paths_task task = p->tasks[index];
	struct paths_task branch = { .kind = TASK_BRANCH,
				     .place = task.place,
				     .taken = next_on_way(p, &task),
				     .to = p->cost,
				     .next = UINT32_MAX };

	branch.referrers = reverse_of(p->up.reverse, p->places[task.place].node);
	if (branch.taken == NODE_NONE) {
		paths_task_drop(p, index);
	} else {
		if (!end_add(p, task.place) ||
		    !paths_place_add(p, branch.taken, task.place, &task.place))
			return false;
		task.position++;
		p->tasks[index] = task;
		if (!paths_task_schedule(p, index, p->cost))
			return false;
	}
	/* Scheduled last: branches near the object come first. */
	return paths_task_add(p, &branch, p->cost);
}

/*
 * Returns a lower bound on the cost of paths through this referrer of a place. A step costs at
 * least 1, so the number of steps to a root, which is known, is a bound, too; the better bound
 * takes a search, which is left out if the number of steps alone makes the path cost more than
 * `most`.
 */
static uint32_t
least_cost(const struct paths *p, const struct paths_place *place, node_id referrer, uint32_t most)
{
	uint32_t prefix = paths_cost(place->cost, upward_step(&p->up, referrer));
	uint32_t steps = p->up.is_guided ? p->up.reach->distance[referrer] : 0;

	return paths_cost(
	    prefix, paths_cost(prefix, steps) > most ? steps : upward_guess(&p->up, referrer));
}

/* Finds the next referrer that allows a path of the current cost. */
static bool
next_branch(struct paths *p, struct paths_task *task, node_id *referrer)
{
	const struct paths_place *place = &p->places[task->place];
	node_id node = place->node, last = NODE_NONE;

	if (!task->referrers.is_first)
		last = task->referrers.last;
	/* Try at least one, whatever the budget. */
	do {
		uint32_t cost;

		if (!referrers_next(&task->referrers, referrer))
			return false;
		paths_spend(p, 1);
		if (*referrer == last || *referrer == task->taken)
			continue;
		last = *referrer;
		if (!upward_follows(&p->up, *referrer, node))
			continue;
		cost = least_cost(p, place, *referrer, task->to);
		if (cost >= task->from && cost <= task->to)
			return true;
		if (cost > task->to && cost < task->next)
			task->next = cost;
	} while (*p->budget);
	return false;
}

static bool
branch_off(struct paths *p, uint32_t index)
{
	struct paths_task task = p->tasks[index];
	struct paths_task try = { .kind = TASK_TRY };
	node_id referrer;
	bool found = next_branch(p, &task, &referrer);

	if (!found && !task.referrers.left) {
		if (task.next == UINT32_MAX) {
			paths_task_drop(p, index);
			return true;
		}
		task.from = task.next;
		task.to = task.next;
		task.next = UINT32_MAX;
		task.referrers = reverse_of(p->up.reverse, p->places[task.place].node);
	}
	p->tasks[index] = task;
	if (!paths_task_schedule(p, index, task.to))
		return false;
	return !found || (paths_place_add(p, referrer, task.place, &try.place) &&
			  paths_task_add(p, &try, p->cost));
}

static bool
looks_like(const struct root *a, const struct root *b)
{
	return a->kind == b->kind && !strcmp(a->name, b->name);
}

/* Reports the path again for another root, unless it looks the same. */
static bool
next_root(struct paths *p, uint32_t index)
{
	const struct paths_task *task = &p->tasks[index];
	struct paths_known k = p->found[task->path];
	const struct root *roots = p->up.heap->roots;
	uint32_t first_path = k.path.has_same_objects ? k.path.shared_path : task->path;
	const struct root *first = &roots[p->found[first_path].path.root];
	uint32_t last = task->root, count, i;

	i = last == ROOT_NOWHERE
		? (uint32_t)(heap_roots_of(p->up.heap, first->object, &count) - roots)
		: last + 1;
	for (; i < p->up.heap->roots_count && roots[i].object == first->object; i++) {
		paths_spend(p, 1);
		if (p->up.reach->costs.tiers[i] != p->up.tier || ignored_root(p->up.ignored, i) ||
		    looks_like(&roots[i], first) ||
		    (last != ROOT_NOWHERE && looks_like(&roots[i], &roots[last])))
			continue;
		k.path.root = i;
		k.path.shared_path = first_path;
		k.path.shared_length = k.path.length;
		k.path.has_same_objects = true;
		paths_task_drop(p, index);
		return found_add(p, &k, i);
	}
	paths_task_drop(p, index);
	return true;
}

/* --- the search ---------------------------------------------------------- */

static bool
do_task(struct paths *p, uint32_t index)
{
	const struct paths_task task = p->tasks[index];

	switch ((enum paths_task_kind)task.kind) {
	case TASK_TRY:
		return try_place(p, index, task.place);
	case TASK_DOUBT:
		return paths_detour_start(p, index);
	case TASK_REPORT:
		paths_task_drop(p, index);
		return report_path(p, task.place, task.rest, p->rests[task.rest].root);
	case TASK_END:
		paths_task_drop(p, index);
		return report_end(p, task.place);
	case TASK_FOLLOW:
		return follow_way(p, index);
	case TASK_BRANCH:
		return branch_off(p, index);
	case TASK_ROOT:
		return next_root(p, index);
	}
	return true;
}

static bool
tier_has_roots(const struct paths *p, uint8_t tier)
{
	for (uint32_t i = 0; i < p->up.heap->roots_count; i++)
		if (p->up.reach->costs.tiers[i] == tier && !ignored_root(p->up.ignored, i))
			return true;
	return false;
}

/* Restarts at the object, for roots of this tier. */
static bool
start_tier(struct paths *p, uint8_t tier, bool is_guided)
{
	const struct paths_task first = { .kind = TASK_TRY };

	p->up.tier = tier;
	p->up.is_guided = is_guided;
	p->on_path_of = UINT32_MAX;
	p->dead_of = UINT32_MAX;
	node_map_empty(&p->dead);
	node_map_empty(&p->dead_here);
	return paths_task_add(p, &first, upward_guess(&p->up, p->places[0].node));
}

/* Starts the next tier that has roots. Returns false if there is none. */
static bool
start_next_tier(struct paths *p, bool *is_ok)
{
	for (unsigned tier = p->up.tier + 1U; tier < ROOT_KIND_COUNT; tier++) {
		if (!tier_has_roots(p, (uint8_t)tier))
			continue;
		*is_ok = start_tier(p, (uint8_t)tier, false);
		return true;
	}
	return false;
}

static size_t
paths_bytes(const struct paths *p)
{
	return p->places_room * sizeof(*p->places) + p->tasks_room * sizeof(*p->tasks) +
	       p->agenda.room * sizeof(*p->agenda.items) + p->doubts_room * sizeof(*p->doubts) +
	       p->rest_nodes_room * sizeof(*p->rest_nodes) + p->found_room * sizeof(*p->found) +
	       (p->owners.room + p->costs.room + p->dead.room + p->dead_here.room +
		p->on_path.room) *
		   sizeof(struct node_map_entry);
}

static bool
paths_step(struct paths *p)
{
	enum detour_end end;
	struct agenda_item item;

	if (!p->is_detouring) {
		item = agenda_take(&p->agenda);
		p->cost = (uint32_t)(item.key >> 32);
		paths_spend(p, 1);
		return do_task(p, item.what);
	}
	end = detour_run(&p->detour, p->budget, p->err);
	if (end == DETOUR_FAILED)
		return false;
	return end == DETOUR_BUDGET || paths_detour_end(p, end);
}

enum paths_end
paths_next(struct paths *p, uint64_t *budget, struct error *err)
{
	size_t found_before = p->found_count;
	bool is_ok = true;

	p->budget = budget;
	p->err = err;
	while (p->found_count == found_before) {
		if (!p->agenda.count && !p->is_detouring &&
		    (p->places_count == 0 || !start_next_tier(p, &is_ok)))
			return p->gave_up ? PATHS_GAVE_UP : PATHS_ALL;
		if (paths_bytes(p) > PATHS_BYTES_MAX)
			return PATHS_GAVE_UP;
		if (!*budget)
			return PATHS_BUDGET;
		if (!is_ok || !paths_step(p))
			return PATHS_FAILED;
	}
	return PATHS_FOUND;
}

struct paths *
paths_new(const struct reverse *rev, const struct reach *reach, const struct ignored *ignored,
	  node_id object, struct error *err)
{
	struct paths *p = memory_new(1, sizeof(*p), err);
	const struct root *root = reach_root(reach, object);
	uint32_t first;
	bool is_ok;

	if (!p)
		return NULL;
	p->up = (struct upward){ .heap = rev->heap,
				 .reverse = rev,
				 .reach = reach,
				 .ignored = ignored,
				 .costs = &p->costs,
				 .is_guided = true };
	p->free_task = UINT32_MAX;
	p->err = err;
	is_ok = !root || (paths_place_add(p, object, 0, &first) &&
			  start_tier(p, reach->costs.tiers[root - reach->heap->roots], true));
	if (is_ok)
		return p;
	paths_free(p);
	return NULL;
}

void
paths_use_dominators(struct paths *p, const struct dominators *dominators)
{
	p->dominators = dominators;
}

void
paths_free(struct paths *p)
{
	if (!p)
		return;
	memory_free(p->places);
	memory_free(p->tasks);
	agenda_clear(&p->agenda);
	for (size_t i = 0; i < p->doubts_count; i++)
		memory_free(p->doubts[i].places);
	memory_free(p->doubts);
	memory_free(p->rests);
	memory_free(p->rest_nodes);
	memory_free(p->found);
	node_map_clear(&p->on_path);
	node_map_clear(&p->dead);
	node_map_clear(&p->dead_here);
	node_map_clear(&p->owners);
	node_map_clear(&p->costs);
	detour_clear(&p->detour);
	memory_free(p);
}

/* --- what was found ------------------------------------------------------ */

uint32_t
paths_count(const struct paths *p)
{
	return (uint32_t)p->found_count;
}

const struct path *
paths_get(const struct paths *p, uint32_t index)
{
	return &p->found[index].path;
}

void
paths_steps(const struct paths *p, uint32_t index, uint32_t first, uint32_t count, node_id *steps)
{
	const struct paths_known *k = &p->found[index];
	uint32_t end = first + count, at = k->place, depth;
	node_id node = p->places[at].node;

	for (depth = p->places[at].depth;; depth--) {
		if (depth >= first && depth < end)
			steps[depth - first] = p->places[at].node;
		if (!depth)
			break;
		at = p->places[at].parent;
	}
	depth = p->places[k->place].depth + 1;
	if (k->rest != NO_REST) {
		const struct paths_rest *rest = &p->rests[k->rest];

		for (uint32_t i = 0; i < rest->count; i++, depth++)
			if (depth >= first && depth < end)
				steps[depth - first] = p->rest_nodes[rest->first + i];
		return;
	}
	for (; depth < end; depth++) {
		node = p->up.reach->next[node];
		if (depth >= first)
			steps[depth - first] = node;
	}
}

uint32_t
paths_circles(const struct paths *p, const struct path_circle **circles)
{
	*circles = p->circles;
	return p->circles_count;
}
