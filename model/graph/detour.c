#include "model/graph/detour.h"

bool
upward_follows(const struct upward *u, node_id source, node_id target)
{
	return u->reach->distance[source] != DISTANCE_UNREACHABLE &&
	       !ignored_ref(u->ignored, source, target) &&
	       !reach_is_static_ref(u->reach, source, target);
}

uint32_t
upward_root(const struct upward *u, node_id n)
{
	return reach_own_root(u->reach, u->ignored, n, u->tier);
}

uint32_t
upward_guess(const struct upward *u, node_id n)
{
	const struct reach *reach = u->reach;
	const uint32_t *known = NULL;
	uint64_t cost = 0;
	struct error ignored = { 0 };
	node_id end = n;

	if (!u->is_guided)
		return 0;
	for (; !(known = node_map_find(u->costs, end)) && reach->distance[end];
	     cost += upward_step(u, end))
		end = reach->next[end];
	cost += known ? *known : reach->costs.roots[reach->next[end]];
	if (cost > UINT32_MAX)
		return UINT32_MAX;
	/* If memory runs out, these costs are added up again when needed. */
	for (uint32_t rest = (uint32_t)cost;
	     (n != end || !known) && node_map_add(u->costs, n, rest, &ignored);
	     n = reach->next[n], rest -= upward_step(u, n))
		if (n == end)
			break;
	return (uint32_t)cost;
}

void
detour_clear(struct detour *d)
{
	memory_free(d->steps);
	node_map_clear(&d->met);
	agenda_clear(&d->agenda);
	*d = (struct detour){ 0 };
}

static uint64_t
key_of(uint64_t cost, uint32_t order)
{
	return (cost < UINT32_MAX ? cost : UINT32_MAX) << 32 | order;
}

/* Cheapest estimate first; among equals the one that is deepest. */
static uint64_t
key_of_step(const struct detour *d, const struct detour_step *step)
{
	return key_of((uint64_t)step->cost + upward_guess(d->up, step->node),
		      UINT32_MAX - step->depth);
}

/* A path that ends here may be dearer than one that goes on: it waits in the agenda for its turn,
   before steps of the same cost. */
static uint64_t
key_of_end(const struct detour *d, const struct detour_step *step, uint32_t root)
{
	return key_of((uint64_t)step->cost + d->up->reach->costs.roots[root], 0);
}

static bool
detour_meet(struct detour *d, struct detour_step step, struct error *err)
{
	node_id node = step.node;
	uint32_t *known = node_map_find(&d->met, node);
	uint32_t index = known ? *known : (uint32_t)d->steps_count;

	if (known && d->steps[index].cost <= step.cost)
		return true;
	if (!known) {
		if (!MAKE_ROOM(d->steps, d->steps_count + 1, d->steps_room, err) ||
		    !node_map_add(&d->met, node, index, err))
			return false;
		d->steps_count++;
	}
	d->steps[index] = step;
	return agenda_add(&d->agenda, key_of_step(d, &step), index, err);
}

void
detour_begin(struct detour *d, const struct upward *up, const struct node_map *avoided)
{
	d->up = up;
	d->avoided = avoided;
	d->dead[0] = NULL;
	d->dead[1] = NULL;
	d->steps_count = 0;
	d->agenda.count = 0;
	d->is_expanding = false;
	node_map_empty(&d->met);
}

bool
detour_start(struct detour *d, node_id start, uint32_t cost, struct error *err)
{
	const struct detour_step step = { start, (uint32_t)d->steps_count, 0, cost };

	return detour_meet(d, step, err);
}

static bool
detour_wants(const struct detour *d, node_id source, node_id target)
{
	return upward_follows(d->up, source, target) && !node_map_find(d->avoided, source) &&
	       !(d->dead[0] && node_map_find(d->dead[0], source)) &&
	       !(d->dead[1] && node_map_find(d->dead[1], source));
}

static bool
detour_expand(struct detour *d, uint64_t *budget, struct error *err)
{
	const struct detour_step held = d->steps[d->expanded];
	node_id source;

	while (*budget && referrers_next(&d->referrers, &source)) {
		const struct detour_step step = { source, d->expanded, held.depth + 1,
						  held.cost + upward_step(d->up, source) };

		--*budget;
		if (detour_wants(d, source, held.node) && !detour_meet(d, step, err))
			return false;
	}
	d->is_expanding = d->referrers.left > 0;
	return true;
}

/* Takes an item of the agenda. Returns true if a path ends there. */
static bool
detour_step_on(struct detour *d, struct agenda_item item, bool *is_good, struct error *err)
{
	const struct detour_step *step = &d->steps[item.what];
	uint32_t root = upward_root(d->up, step->node);
	uint64_t end = root == ROOT_NOWHERE ? 0 : key_of_end(d, step, root);

	d->root = root;
	d->end = item.what;
	d->cost = (uint32_t)(end >> 32);
	if (root != ROOT_NOWHERE && (item.key >> 32) == (end >> 32))
		return true;
	/* Skip a step that was met again on a cheaper path. */
	if (item.key != key_of_step(d, step))
		return false;
	if (root != ROOT_NOWHERE)
		*is_good = agenda_add(&d->agenda, end, item.what, err);
	d->expanded = item.what;
	d->referrers = reverse_of(d->up->reverse, step->node);
	d->is_expanding = true;
	return false;
}

enum detour_end
detour_run(struct detour *d, uint64_t *budget, struct error *err)
{
	for (;;) {
		bool is_good = true;

		if (d->is_expanding && !detour_expand(d, budget, err))
			return DETOUR_FAILED;
		if (d->steps_count > DETOUR_MAX)
			return DETOUR_TOO_LONG;
		if (!*budget)
			return DETOUR_BUDGET;
		if (!d->agenda.count)
			return DETOUR_NONE;
		--*budget;
		if (detour_step_on(d, agenda_take(&d->agenda), &is_good, err))
			return DETOUR_FOUND;
		if (!is_good)
			return DETOUR_FAILED;
	}
}
