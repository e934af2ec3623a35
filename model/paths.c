#include "model/paths.h"

#include "model/detour.h"
#include <string.h>

#define NO_REST UINT32_MAX /* the rest of a way is that of reach.h */

enum {
	NEAR_STEPS = 16, /* looked through one by one */
	BYTES_MAX = 1 << 29,
};

/*
 * The beginnings of all ways, seen from the object: a tree. Each place is an
 * object at the end of one beginning; the same object has many.
 */
struct place {
	node_id node;
	uint32_t parent;  /* the place it refers to; the first is its own */
	uint32_t depth;   /* references to the object */
	uint32_t nearest; /* least distance to a root on the beginning */
};

enum task_kind {
	TASK_TRY,    /* a new place: what is its shortest rest? */
	TASK_TELL,   /* it is known: this is the next way */
	TASK_FOLLOW, /* look for branches along a way that was told */
	TASK_BRANCH, /* the referrers of a place, one after the other */
	TASK_ROOT,   /* the next root of an object at the end of a way */
};

struct task {
	uint8_t kind; /* enum task_kind */
	uint32_t place;
	uint32_t rest;     /* index into rests, or NO_REST */
	uint32_t position; /* FOLLOW: in that rest */
	/* BRANCH: the referrer already taken; what may branch off now has at
	   least a length from `from` to `to`, and then `next`. */
	node_id taken;
	uint32_t from, to, next;
	struct referrers referrers;
	uint32_t path, root; /* ROOT: the way told last, its root */
	uint32_t next_free;
};

/* What a detour found: objects from a place on, the place left out. */
struct rest {
	size_t first; /* in rest_nodes */
	uint32_t count, root;
};

/* A way is a place and its rest. */
struct known_path {
	struct path path;
	uint32_t place, rest;
};

struct paths {
	struct upward up;
	struct place *places;
	size_t places_count, places_room;
	struct task *tasks;
	size_t tasks_count, tasks_room;
	uint32_t free_task; /* a list, or UINT32_MAX */
	struct agenda agenda;
	uint32_t sequence;
	struct rest *rests;
	size_t rests_count, rests_room;
	node_id *rest_nodes;
	size_t rest_nodes_count, rest_nodes_room;
	struct known_path *found;
	size_t found_count, found_room;

	/* The objects of the beginning that ends at `on_path_of`. */
	struct node_map on_path;
	uint32_t on_path_of;
	/* Objects whose ways all come back to the object, or to the beginning
	   that ends at `dead_of`. */
	struct node_map dead, dead_here;
	uint32_t dead_of;
	/* The first way that goes on from here as reach.h says. */
	struct node_map owners;

	struct detour detour;
	bool is_detouring;
	uint32_t detour_task; /* the one that wants to know */
	uint32_t length;      /* of the task being done */
	bool gave_up;
	struct path_circle circles[PATH_CIRCLES_MAX];
	uint32_t circles_count;
	uint64_t *budget;
	struct error *err;
};

static void
paths_spend(struct paths *p, uint64_t visits)
{
	*p->budget -= visits < *p->budget ? visits : *p->budget;
}

/* --- tasks --------------------------------------------------------------- */

/* The last one that came is the first of those with the same length. */
static bool
task_schedule(struct paths *p, uint32_t task, uint32_t length)
{
	uint64_t order = UINT32_MAX - p->sequence++;

	return agenda_add(&p->agenda, (uint64_t)length << 32 | order, task,
			  p->err);
}

static bool
task_add(struct paths *p, const struct task *task, uint32_t length)
{
	uint32_t index = p->free_task;

	if (index != UINT32_MAX) {
		p->free_task = p->tasks[index].next_free;
	} else {
		if (!memory_make_room(&p->tasks, p->tasks_count, &p->tasks_room,
				      sizeof(*p->tasks), p->err))
			return false;
		index = (uint32_t)p->tasks_count++;
	}
	p->tasks[index] = *task;
	return task_schedule(p, index, length);
}

static void
task_drop(struct paths *p, uint32_t index)
{
	p->tasks[index].next_free = p->free_task;
	p->free_task = index;
}

static bool
place_add(struct paths *p, node_id node, uint32_t parent, uint32_t *index)
{
	const struct place *below = p->places_count ? &p->places[parent] : NULL;
	uint32_t distance = upward_guess(&p->up, node);
	struct place place = { node, parent, 0, distance };

	if (below) {
		place.depth = below->depth + 1;
		if (below->nearest < distance)
			place.nearest = below->nearest;
	}
	if (!memory_make_room(&p->places, p->places_count, &p->places_room,
			      sizeof(*p->places), p->err))
		return false;
	*index = (uint32_t)p->places_count;
	p->places[p->places_count++] = place;
	return true;
}

/* The least length of a way through this place, if it is one reference on. */
static uint32_t
least_length(const struct paths *p, uint32_t depth, node_id node)
{
	uint64_t length = (uint64_t)depth + upward_guess(&p->up, node);

	return length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
}

/* --- what a beginning consists of ---------------------------------------- */

static bool
on_path_fill(struct paths *p, uint32_t place)
{
	uint32_t at = place;

	/* Mostly it is the last one and one object more. */
	if (p->on_path_of != p->places[place].parent ||
	    place == p->places[place].parent) {
		node_map_empty(&p->on_path);
		p->on_path_of = UINT32_MAX;
		for (; at != p->places[at].parent; at = p->places[at].parent)
			if (!node_map_add(&p->on_path, p->places[at].node, 0,
					  p->err))
				return false;
		paths_spend(p, p->places[place].depth);
	}
	p->on_path_of = place;
	return node_map_add(&p->on_path, p->places[at].node, 0, p->err);
}

/* Only asked where distances do not tell. */
static bool
place_has(struct paths *p, uint32_t place, node_id node, bool *has)
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

/* --- telling a way ------------------------------------------------------- */

/* Where the rest begins to be the one that reach.h knows. */
static node_id
common_start(const struct paths *p, const struct known_path *k)
{
	const struct reach *reach = p->up.reach;
	const struct rest *rest;
	const node_id *nodes;
	uint32_t i;

	if (k->rest == NO_REST)
		return p->places[k->place].node;
	rest = &p->rests[k->rest];
	if (!p->up.is_guided || !rest->count)
		return NODE_NONE;
	nodes = p->rest_nodes + rest->first;
	for (i = rest->count - 1; i > 0; i--)
		if (reach->next[nodes[i - 1]] != nodes[i])
			break;
	return nodes[i];
}

/* Which earlier way goes on alike; from there on it owns what is new. */
static bool
share_rest(struct paths *p, struct known_path *k)
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
		if (!node_map_add(&p->owners, node, (uint32_t)p->found_count,
				  p->err))
			return false;
		paths_spend(p, 1);
		if (!reach->distance[node])
			return true;
	}
	return true;
}

static bool
found_add(struct paths *p, const struct known_path *k)
{
	const struct task more = { .kind = TASK_ROOT,
				   .path = (uint32_t)p->found_count,
				   .root = k->path.root };

	if (!memory_make_room(&p->found, p->found_count, &p->found_room,
			      sizeof(*p->found), p->err))
		return false;
	p->found[p->found_count++] = *k;
	return task_add(p, &more, k->path.length);
}

static bool
tell_path(struct paths *p, uint32_t place, uint32_t rest, uint32_t root)
{
	struct known_path k = { .path = { .root = root,
					  .length = p->length,
					  .shared_path = PATH_NONE },
				.place = place,
				.rest = rest };
	const struct task follow = { .kind = TASK_FOLLOW,
				     .place = place,
				     .rest = rest };

	return share_rest(p, &k) && task_add(p, &follow, p->length) &&
	       found_add(p, &k);
}

/* The root that reach.h leads to, if it is of the tier that is due. */
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

/* Whether the rest that reach.h knows keeps clear of the beginning. */
static enum verdict
known_rest_is_clear(struct paths *p, uint32_t place)
{
	const struct place *at = &p->places[place];
	const struct reach *reach = p->up.reach;
	uint32_t parent = at->parent, nearest = p->places[parent].nearest;
	node_id node = at->node;

	if (place == parent)
		return VERDICT_YES;
	while (reach->distance[node] > nearest) {
		bool has;

		node = reach->next[node];
		if (!place_has(p, parent, node, &has))
			return VERDICT_FAILED;
		if (has)
			return VERDICT_NO;
		paths_spend(p, 1);
	}
	return VERDICT_YES;
}

/* Among lesser roots a dead end may be no circle: it is just not theirs. */
static void
add_circle(struct paths *p, uint32_t place)
{
	struct path_circle circle = { p->places[place].node,
				      p->places[p->places[place].parent].node };

	for (uint32_t i = 0; i < p->circles_count; i++)
		if (p->circles[i].referrer == circle.referrer &&
		    p->circles[i].held == circle.held)
			return;
	if (p->circles_count < PATH_CIRCLES_MAX && p->up.is_guided)
		p->circles[p->circles_count++] = circle;
}

static bool
is_dead(const struct paths *p, uint32_t parent, node_id node)
{
	return node_map_find(&p->dead, node) ||
	       (p->dead_of == parent && node_map_find(&p->dead_here, node));
}

static bool
start_detour(struct paths *p, uint32_t task, uint32_t place)
{
	uint32_t parent = p->places[place].parent;

	/* From the object itself nothing is to be kept clear of. */
	if (place == parent)
		node_map_empty(&p->on_path);
	if (place == parent)
		p->on_path_of = UINT32_MAX;
	else if (p->on_path_of != parent && !on_path_fill(p, parent))
		return false;
	if (!detour_begin(&p->detour, &p->up, p->places[place].node,
			  &p->on_path, p->err))
		return false;
	p->detour.dead[0] = &p->dead;
	if (p->dead_of == parent)
		p->detour.dead[1] = &p->dead_here;
	p->is_detouring = true;
	p->detour_task = task;
	return true;
}

/* No way from what the detour met but back to the beginning. */
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

/* Keeps what was found, from the place's referrer to the root. */
static bool
rest_add(struct paths *p, struct task *task)
{
	const struct detour *d = &p->detour;
	uint32_t count = d->steps[d->end].depth;
	size_t wanted = p->rest_nodes_count + count;

	if (wanted > p->rest_nodes_room) {
		size_t room = wanted + wanted / 2;
		node_id *nodes =
		    memory_resize(p->rest_nodes, room, sizeof(*nodes), p->err);

		if (!nodes)
			return false;
		p->rest_nodes = nodes;
		p->rest_nodes_room = room;
	}
	if (!memory_make_room(&p->rests, p->rests_count, &p->rests_room,
			      sizeof(*p->rests), p->err))
		return false;
	for (uint32_t at = d->end, i = count; i > 0; at = d->steps[at].from)
		p->rest_nodes[p->rest_nodes_count + --i] = d->steps[at].node;
	task->rest = (uint32_t)p->rests_count;
	p->rests[p->rests_count++] =
	    (struct rest){ p->rest_nodes_count, count, d->root };
	p->rest_nodes_count = wanted;
	return true;
}

static bool
end_detour(struct paths *p, enum detour_end end)
{
	struct task *task = &p->tasks[p->detour_task];
	uint32_t place = task->place, parent = p->places[place].parent;

	p->is_detouring = false;
	if (end == DETOUR_FOUND) {
		task->kind = TASK_TELL;
		return rest_add(p, task) &&
		       task_schedule(p, p->detour_task,
				     p->places[place].depth +
					 p->rests[task->rest].count);
	}
	task_drop(p, p->detour_task);
	if (end == DETOUR_TOO_LONG)
		p->gave_up = true;
	else if (place != parent) {
		add_circle(p, place);
		return note_dead(p, parent);
	}
	return true;
}

static bool
try_place(struct paths *p, uint32_t index, uint32_t place)
{
	uint32_t parent = p->places[place].parent, root;
	node_id node = p->places[place].node;
	enum verdict verdict = VERDICT_NO;
	bool has = false;

	if (place != parent &&
	    (!p->up.is_guided ||
	     p->up.reach->distance[node] >= p->places[parent].nearest) &&
	    !place_has(p, parent, node, &has))
		return false;
	if (has || (place != parent && is_dead(p, parent, node))) {
		add_circle(p, place);
		task_drop(p, index);
		return true;
	}
	if (p->up.is_guided) {
		verdict = known_rest_is_clear(p, place);
		if (verdict == VERDICT_FAILED)
			return false;
	}
	if (verdict == VERDICT_NO)
		return start_detour(p, index, place);
	task_drop(p, index);
	root = known_root(p, node);
	/* What only lesser roots reach comes after all that is better. */
	return root == ROOT_NOWHERE || tell_path(p, place, NO_REST, root);
}

/* --- branching off ------------------------------------------------------- */

/* The object after this place on a way that was told, or NODE_NONE. */
static node_id
next_on_way(const struct paths *p, const struct task *task)
{
	node_id node = p->places[task->place].node;
	const struct rest *rest;

	if (task->rest == NO_REST)
		return p->up.reach->distance[node] ? p->up.reach->next[node]
						   : NODE_NONE;
	rest = &p->rests[task->rest];
	return task->position < rest->count
		   ? p->rest_nodes[rest->first + task->position]
		   : NODE_NONE;
}

static bool
follow_way(struct paths *p, uint32_t index)
{
	struct task task = p->tasks[index];
	struct task branch = { .kind = TASK_BRANCH,
			       .place = task.place,
			       .taken = next_on_way(p, &task),
			       .to = p->length,
			       .next = UINT32_MAX };

	branch.referrers =
	    reverse_of(p->up.reverse, p->places[task.place].node);
	if (branch.taken == NODE_NONE) {
		task_drop(p, index);
	} else {
		if (!place_add(p, branch.taken, task.place, &task.place))
			return false;
		task.position++;
		p->tasks[index] = task;
		if (!task_schedule(p, index, p->length))
			return false;
	}
	/* Scheduled last, so that branches near the object come first. */
	return task_add(p, &branch, p->length);
}

/* The next referrer through which a way of this length is possible. */
static bool
next_branch(struct paths *p, struct task *task, node_id *referrer)
{
	const struct place *place = &p->places[task->place];
	node_id node = place->node, last = NODE_NONE;
	uint32_t depth = place->depth + 1;

	if (!task->referrers.is_first)
		last = task->referrers.last;
	/* One at least, however little may be spent. */
	do {
		uint32_t length;

		if (!referrers_next(&task->referrers, referrer))
			return false;
		paths_spend(p, 1);
		if (*referrer == last || *referrer == task->taken)
			continue;
		last = *referrer;
		if (!upward_follows(&p->up, *referrer, node))
			continue;
		length = least_length(p, depth, *referrer);
		if (length >= task->from && length <= task->to)
			return true;
		if (length > task->to && length < task->next)
			task->next = length;
	} while (*p->budget);
	return false;
}

static bool
branch_off(struct paths *p, uint32_t index)
{
	struct task task = p->tasks[index];
	struct task try = { .kind = TASK_TRY };
	node_id referrer;
	bool found = next_branch(p, &task, &referrer);

	if (!found && !task.referrers.left) {
		if (task.next == UINT32_MAX) {
			task_drop(p, index);
			return true;
		}
		task.from = task.next;
		task.to = task.next;
		task.next = UINT32_MAX;
		task.referrers =
		    reverse_of(p->up.reverse, p->places[task.place].node);
	}
	p->tasks[index] = task;
	if (!task_schedule(p, index, task.to))
		return false;
	return !found || (place_add(p, referrer, task.place, &try.place) &&
			  task_add(p, &try, p->length));
}

/* The same way from another root; those that read the same are one. */
static bool
next_root(struct paths *p, uint32_t index)
{
	struct task *task = &p->tasks[index];
	struct known_path k = p->found[task->path];
	const struct root *last = &p->up.heap->roots[task->root];

	for (uint32_t i = task->root + 1; i < p->up.heap->roots_count; i++) {
		const struct root *root = &p->up.heap->roots[i];

		paths_spend(p, 1);
		if (root->object != last->object)
			break;
		if (root_kinds[root->kind].tier != p->up.tier ||
		    ignored_root(p->up.ignored, i) ||
		    (root->kind == last->kind &&
		     !strcmp(root->name, last->name)))
			continue;
		k.path.root = i;
		if (!k.path.has_same_objects)
			k.path.shared_path = task->path;
		k.path.shared_length = k.path.length;
		k.path.has_same_objects = true;
		task_drop(p, index);
		return found_add(p, &k);
	}
	task_drop(p, index);
	return true;
}

/* --- the search ---------------------------------------------------------- */

static bool
do_task(struct paths *p, uint32_t index)
{
	const struct task task = p->tasks[index];

	switch ((enum task_kind)task.kind) {
	case TASK_TRY:
		return try_place(p, index, task.place);
	case TASK_TELL:
		task_drop(p, index);
		return tell_path(p, task.place, task.rest,
				 p->rests[task.rest].root);
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
		if (root_kinds[p->up.heap->roots[i].kind].tier == tier &&
		    !ignored_root(p->up.ignored, i))
			return true;
	return false;
}

/* From the object again, to roots of this tier only. */
static bool
start_tier(struct paths *p, uint8_t tier, bool is_guided)
{
	const struct task first = { .kind = TASK_TRY };

	p->up.tier = tier;
	p->up.is_guided = is_guided;
	p->on_path_of = UINT32_MAX;
	p->dead_of = UINT32_MAX;
	node_map_empty(&p->dead);
	node_map_empty(&p->dead_here);
	return task_add(p, &first, least_length(p, 0, p->places[0].node));
}

/* False: there is no tier left. */
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
	return p->places_room * sizeof(*p->places) +
	       p->tasks_room * sizeof(*p->tasks) +
	       p->agenda.room * sizeof(*p->agenda.items) +
	       p->rest_nodes_room * sizeof(*p->rest_nodes) +
	       p->found_room * sizeof(*p->found) +
	       (p->owners.room + p->dead.room + p->dead_here.room +
		p->on_path.room) *
		   sizeof(struct node_map_entry);
}

/* One step of the search. */
static bool
paths_step(struct paths *p)
{
	enum detour_end end;
	struct agenda_item item;

	if (!p->is_detouring) {
		item = agenda_take(&p->agenda);
		p->length = (uint32_t)(item.key >> 32);
		paths_spend(p, 1);
		return do_task(p, item.what);
	}
	end = detour_run(&p->detour, p->budget, p->err);
	if (end == DETOUR_FAILED)
		return false;
	return end == DETOUR_BUDGET || end_detour(p, end);
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
		if (paths_bytes(p) > BYTES_MAX)
			return PATHS_GAVE_UP;
		if (!*budget)
			return PATHS_BUDGET;
		if (!is_ok || !paths_step(p))
			return PATHS_FAILED;
	}
	return PATHS_FOUND;
}

struct paths *
paths_new(const struct reverse *rev, const struct reach *reach,
	  const struct ignored *ignored, node_id object, struct error *err)
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
				 .is_guided = true };
	p->free_task = UINT32_MAX;
	p->err = err;
	is_ok = !root || (place_add(p, object, 0, &first) &&
			  start_tier(p, root_kinds[root->kind].tier, true));
	if (is_ok)
		return p;
	paths_free(p);
	return NULL;
}

void
paths_free(struct paths *p)
{
	if (!p)
		return;
	memory_free(p->places);
	memory_free(p->tasks);
	agenda_clear(&p->agenda);
	memory_free(p->rests);
	memory_free(p->rest_nodes);
	memory_free(p->found);
	node_map_clear(&p->on_path);
	node_map_clear(&p->dead);
	node_map_clear(&p->dead_here);
	node_map_clear(&p->owners);
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
paths_steps(const struct paths *p, uint32_t index, uint32_t first,
	    uint32_t count, node_id *steps)
{
	const struct known_path *k = &p->found[index];
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
		const struct rest *rest = &p->rests[k->rest];

		for (uint32_t i = 0; i < rest->count; i++, depth++)
			if (depth >= first && depth < end)
				steps[depth - first] =
				    p->rest_nodes[rest->first + i];
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
