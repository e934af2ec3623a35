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
	const struct root *roots;
	uint32_t count;

	/* A guided search knows from the distance whether a root is here. */
	if (u->is_guided && u->reach->distance[n])
		return ROOT_NOWHERE;
	roots = heap_roots_of(u->heap, n, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t index = (uint32_t)(roots - u->heap->roots) + i;

		if (root_kinds[roots[i].kind].tier == u->tier &&
		    !ignored_root(u->ignored, index))
			return index;
	}
	return ROOT_NOWHERE;
}

void
detour_clear(struct detour *d)
{
	memory_free(d->steps);
	node_map_clear(&d->met);
	agenda_clear(&d->agenda);
	*d = (struct detour){ 0 };
}

/* Shortest estimate first; among equals the one that is deepest. */
static uint64_t
key_of_step(const struct detour *d, const struct detour_step *step)
{
	uint64_t length =
	    (uint64_t)step->depth + upward_guess(d->up, step->node);

	if (length > UINT32_MAX)
		length = UINT32_MAX;
	return length << 32 | (UINT32_MAX - step->depth);
}

static bool
detour_meet(struct detour *d, node_id node, uint32_t from, uint32_t depth,
	    struct error *err)
{
	uint32_t *known = node_map_find(&d->met, node);
	uint32_t index = known ? *known : (uint32_t)d->steps_count;
	struct detour_step step = { node, from, depth };

	if (known && d->steps[index].depth <= depth)
		return true;
	if (!known) {
		if (!MAKE_ROOM(d->steps, d->steps_count + 1, d->steps_room,
			       err) ||
		    !node_map_add(&d->met, node, index, err))
			return false;
		d->steps_count++;
	}
	d->steps[index] = step;
	return agenda_add(&d->agenda, key_of_step(d, &step), index, err);
}

void
detour_begin(struct detour *d, const struct upward *up,
	     const struct node_map *avoided)
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
detour_start(struct detour *d, node_id start, struct error *err)
{
	return detour_meet(d, start, (uint32_t)d->steps_count, 0, err);
}

static bool
detour_wants(const struct detour *d, node_id source, node_id target)
{
	return upward_follows(d->up, source, target) &&
	       !node_map_find(d->avoided, source) &&
	       !(d->dead[0] && node_map_find(d->dead[0], source)) &&
	       !(d->dead[1] && node_map_find(d->dead[1], source));
}

static bool
detour_expand(struct detour *d, uint64_t *budget, struct error *err)
{
	node_id target = d->steps[d->expanded].node, source;
	uint32_t depth = d->steps[d->expanded].depth + 1;

	while (*budget && referrers_next(&d->referrers, &source)) {
		--*budget;
		if (detour_wants(d, source, target) &&
		    !detour_meet(d, source, d->expanded, depth, err))
			return false;
	}
	d->is_expanding = d->referrers.left > 0;
	return true;
}

enum detour_end
detour_run(struct detour *d, uint64_t *budget, struct error *err)
{
	for (;;) {
		struct agenda_item item;

		if (d->is_expanding && !detour_expand(d, budget, err))
			return DETOUR_FAILED;
		if (d->steps_count > DETOUR_MAX)
			return DETOUR_TOO_LONG;
		if (!*budget)
			return DETOUR_BUDGET;
		if (!d->agenda.count)
			return DETOUR_NONE;
		item = agenda_take(&d->agenda);
		--*budget;
		/* Skip a step that was met again on a shorter path. */
		if (item.key != key_of_step(d, &d->steps[item.what]))
			continue;
		d->root = upward_root(d->up, d->steps[item.what].node);
		d->end = item.what;
		if (d->root != ROOT_NOWHERE)
			return DETOUR_FOUND;
		d->expanded = item.what;
		d->referrers =
		    reverse_of(d->up->reverse, d->steps[item.what].node);
		d->is_expanding = true;
	}
}
