#include "model/graph/paths_search.h"

enum {
	NEAR_STEPS = 16,       /* checked one by one */
	DOMINATING_STEPS = 64, /* steps of a prefix that are checked for each branch */
};

/* --- tasks --------------------------------------------------------------- */

/* Among tasks of equal cost, the one added last comes first. */
bool
paths_task_schedule(struct paths *p, uint32_t task, uint32_t cost)
{
	uint64_t order = UINT32_MAX - p->sequence++;

	return agenda_add(&p->agenda, (uint64_t)cost << 32 | order, task, p->err);
}

static bool
task_keep(struct paths *p, const struct paths_task *task, uint32_t *index)
{
	*index = p->free_task;
	if (*index != UINT32_MAX) {
		p->free_task = p->tasks[*index].next_free;
	} else {
		if (!MAKE_ROOM(p->tasks, p->tasks_count + 1, p->tasks_room, p->err))
			return false;
		*index = (uint32_t)p->tasks_count++;
	}
	p->tasks[*index] = *task;
	return true;
}

bool
paths_task_add(struct paths *p, const struct paths_task *task, uint32_t cost)
{
	uint32_t index;

	return task_keep(p, task, &index) && paths_task_schedule(p, index, cost);
}

void
paths_task_drop(struct paths *p, uint32_t index)
{
	p->tasks[index].next_free = p->free_task;
	p->free_task = index;
}

bool
paths_place_add(struct paths *p, node_id node, uint32_t parent, uint32_t *index)
{
	const struct paths_place *below = p->places_count ? &p->places[parent] : NULL;
	uint32_t distance = p->up.is_guided ? p->up.reach->distance[node] : 0;
	struct paths_place place = { node, parent, 0, 0, distance, NO_DOUBT };

	if (below) {
		place.depth = below->depth + 1;
		place.cost = paths_cost(below->cost, upward_step(&p->up, node));
		if (below->nearest < distance)
			place.nearest = below->nearest;
	}
	*index = (uint32_t)p->places_count;
	return APPEND(p->places, p->places_count, p->places_room, p->err, place);
}

/* --- prefixes ------------------------------------------------------------- */

static bool
on_path_fill(struct paths *p, uint32_t place)
{
	uint32_t at = place;

	/* Mostly it is the previous prefix and one object more. */
	if (p->on_path_of != p->places[place].parent || place == p->places[place].parent) {
		node_map_empty(&p->on_path);
		p->on_path_of = UINT32_MAX;
		for (; at != p->places[at].parent; at = p->places[at].parent)
			if (!node_map_add(&p->on_path, p->places[at].node, 0, p->err))
				return false;
		paths_spend(p, p->places[place].depth);
	}
	p->on_path_of = place;
	return node_map_add(&p->on_path, p->places[at].node, 0, p->err);
}

/* Called only if distances cannot decide it. */
bool
paths_place_has(struct paths *p, uint32_t place, node_id node, bool *has)
{
	uint32_t at = place;

	*has = false;
	for (int i = 0; i < NEAR_STEPS; i++, at = p->places[at].parent) {
		if (p->places[at].node == node)
			*has = true;
		if (*has || at == p->places[at].parent)
			return true;
	}
	if (p->on_path_of != place && !on_path_fill(p, place))
		return false;
	*has = node_map_find(&p->on_path, node) != NULL;
	return true;
}

/* In lesser tiers a dead end need not be a cycle: it may lead to no root of the tier. */
void
paths_circle_add(struct paths *p, uint32_t place)
{
	struct path_circle circle = { p->places[place].node,
				      p->places[p->places[place].parent].node };

	for (uint32_t i = 0; i < p->circles_count; i++)
		if (p->circles[i].referrer == circle.referrer && p->circles[i].held == circle.held)
			return;
	if (p->circles_count < PATH_CIRCLES_MAX && p->up.is_guided)
		p->circles[p->circles_count++] = circle;
}

/* Returns true if one of the last objects of the prefix dominates `node`. */
static bool
is_dominated(struct paths *p, uint32_t place, node_id node)
{
	if (!p->dominators)
		return false;
	for (uint32_t i = 0; i < DOMINATING_STEPS; i++) {
		paths_spend(p, 1);
		if (dominators_holds(p->dominators, p->places[place].node, node))
			return true;
		if (place == p->places[place].parent)
			break;
		place = p->places[place].parent;
	}
	return false;
}

bool
paths_is_dead(struct paths *p, uint32_t parent, node_id node)
{
	return node_map_find(&p->dead, node) ||
	       (p->dead_of == parent && node_map_find(&p->dead_here, node)) ||
	       is_dominated(p, parent, node);
}

/* --- doubtful branches ---------------------------------------------------- */

/* Schedules after all else of the same cost, so that more branches join. */
static bool
doubt_schedule(struct paths *p, uint32_t task, uint32_t cost)
{
	return agenda_add(&p->agenda, (uint64_t)cost << 32 | UINT32_MAX, task, p->err);
}

static bool
doubt_make_due(struct paths *p, struct paths_doubt *doubt, uint32_t place)
{
	const struct paths_task task = { .kind = TASK_DOUBT, .place = place };
	uint32_t index;

	if (doubt->due <= p->cost)
		return true;
	doubt->due = p->cost;
	return task_keep(p, &task, &index) && doubt_schedule(p, index, p->cost);
}

/* Adds the place to the doubtful branches of its parent. */
bool
paths_doubt_add(struct paths *p, uint32_t place)
{
	uint32_t parent = p->places[place].parent;
	struct paths_doubt *doubt;

	if (p->places[parent].doubt == NO_DOUBT) {
		if (!MAKE_ROOM(p->doubts, p->doubts_count + 1, p->doubts_room, p->err))
			return false;
		p->places[parent].doubt = (uint32_t)p->doubts_count;
		p->doubts[p->doubts_count++] = (struct paths_doubt){ .due = UINT32_MAX };
	}
	doubt = &p->doubts[p->places[parent].doubt];
	if (!APPEND(doubt->places, doubt->count, doubt->room, p->err, place))
		return false;
	return doubt_make_due(p, doubt, parent);
}

bool
paths_detour_start(struct paths *p, uint32_t task)
{
	uint32_t parent = p->tasks[task].place;
	const struct paths_doubt *doubt = &p->doubts[p->places[parent].doubt];

	if (doubt->due != p->cost) {
		paths_task_drop(p, task);
		return true;
	}
	/* The object itself has no prefix to avoid. */
	if (doubt->places[0] == parent) {
		node_map_empty(&p->on_path);
		p->on_path_of = UINT32_MAX;
	} else if (p->on_path_of != parent && !on_path_fill(p, parent)) {
		return false;
	}
	detour_begin(&p->detour, &p->up, &p->on_path);
	for (size_t i = 0; i < doubt->count; i++) {
		const struct paths_place *at = &p->places[doubt->places[i]];

		if (!detour_start(&p->detour, at->node, at->cost, p->err))
			return false;
	}
	paths_spend(p, doubt->count);
	p->detour.dead[0] = &p->dead;
	if (p->dead_of == parent)
		p->detour.dead[1] = &p->dead_here;
	p->is_detouring = true;
	p->detour_task = task;
	return true;
}

/* Records that all objects met only lead back to the prefix. */
static bool
note_dead(struct paths *p, uint32_t parent)
{
	struct node_map *dead = &p->dead;

	if (p->places[parent].depth) {
		if (p->dead_of != parent)
			node_map_empty(&p->dead_here);
		p->dead_of = parent;
		dead = &p->dead_here;
	}
	for (size_t i = 0; i < p->detour.steps_count; i++)
		if (!node_map_add(dead, p->detour.steps[i].node, 0, p->err))
			return false;
	return true;
}

bool
paths_rest_none(struct paths *p, uint32_t root, uint32_t *rest)
{
	*rest = (uint32_t)p->rests_count;
	return APPEND(p->rests, p->rests_count, p->rests_room, p->err,
		      (struct paths_rest){ p->rest_nodes_count, 0, root });
}

/* Stores the path found, from the place's referrer to the root. */
static bool
rest_add(struct paths *p, struct paths_task *task)
{
	const struct detour *d = &p->detour;
	uint32_t count = d->steps[d->end].depth;
	size_t wanted = p->rest_nodes_count + count;

	if (!MAKE_ROOM(p->rest_nodes, wanted, p->rest_nodes_room, p->err) ||
	    !MAKE_ROOM(p->rests, p->rests_count + 1, p->rests_room, p->err))
		return false;
	for (uint32_t at = d->end, i = count; i > 0; at = d->steps[at].from)
		p->rest_nodes[p->rest_nodes_count + --i] = d->steps[at].node;
	task->rest = (uint32_t)p->rests_count;
	p->rests[p->rests_count++] = (struct paths_rest){ p->rest_nodes_count, count, d->root };
	p->rest_nodes_count = wanted;
	return true;
}

/* The best branch gets its rest; those of the others are no cheaper. */
static bool
keep_best(struct paths *p, uint32_t index, struct paths_doubt *doubt)
{
	struct paths_task report = { .kind = TASK_REPORT };
	uint32_t start = p->detour.end, cost = p->detour.cost;

	while (p->detour.steps[start].from != start)
		start = p->detour.steps[start].from;
	report.place = doubt->places[start];
	doubt->places[start] = doubt->places[--doubt->count];
	if (!rest_add(p, &report) || !paths_task_add(p, &report, cost))
		return false;
	doubt->due = doubt->count ? cost : UINT32_MAX;
	if (doubt->count)
		return doubt_schedule(p, index, cost);
	paths_task_drop(p, index);
	return true;
}

bool
paths_detour_end(struct paths *p, enum detour_end end)
{
	uint32_t index = p->detour_task, parent = p->tasks[index].place;
	struct paths_doubt *doubt = &p->doubts[p->places[parent].doubt];
	bool is_self = doubt->places[0] == parent;

	p->is_detouring = false;
	if (end == DETOUR_FOUND)
		return keep_best(p, index, doubt);
	for (size_t i = 0; end == DETOUR_NONE && !is_self && i < doubt->count; i++)
		paths_circle_add(p, doubt->places[i]);
	doubt->count = 0;
	doubt->due = UINT32_MAX;
	paths_task_drop(p, index);
	if (end == DETOUR_TOO_LONG)
		p->gave_up = true;
	return end == DETOUR_TOO_LONG || is_self || note_dead(p, parent);
}
