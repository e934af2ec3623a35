#include "model/graph/way_list.h"

enum {
	SHARED_MIN = 1,       /* shortest rest that is worth sharing, in references */
	SLICE_VISITS = 65536, /* visits between checks for Esc */
};

static bool
way_make_nodes(struct way *way, struct error *err)
{
	uint32_t own = way->path.length - way->distance + 1;

	way->count = own;
	if (own > WAY_FIRST_STEPS + WAY_LAST_STEPS + 1) {
		way->count = WAY_FIRST_STEPS + WAY_LAST_STEPS;
		way->skipped = own - way->count;
	}
	way->nodes = memory_new(way->count, sizeof *way->nodes, err);
	return way->nodes != NULL;
}

static bool
way_take_nodes(struct way *way, const struct paths *p, uint32_t index, struct error *err)
{
	uint32_t own = way->path.length - way->distance + 1, first;

	if (!way_make_nodes(way, err))
		return false;
	first = way->skipped ? WAY_LAST_STEPS : way->count;
	paths_steps(p, index, 0, first, way->nodes);
	if (way->skipped)
		paths_steps(p, index, own - WAY_FIRST_STEPS, WAY_FIRST_STEPS,
			    way->nodes + WAY_LAST_STEPS);
	for (uint32_t i = 0; i < way->count / 2; i++) {
		node_id swap = way->nodes[i];

		way->nodes[i] = way->nodes[way->count - 1 - i];
		way->nodes[way->count - 1 - i] = swap;
	}
	return true;
}

static bool
ways_add(struct ways *ways, const struct paths *p, uint32_t index, struct error *err)
{
	struct way way = { .path = *paths_get(p, index) };

	if (!MAKE_ROOM(ways->items, ways->count + 1, ways->room, err))
		return false;
	if (way.path.shared_path != PATH_NONE && way.path.shared_length >= SHARED_MIN)
		way.distance = way.path.shared_length;
	else if (!way.path.has_same_objects)
		way.path.shared_path = PATH_NONE;
	if (!way_take_nodes(&way, p, index, err))
		return false;
	ways->items[ways->count++] = way;
	return true;
}

bool
ways_add_word(struct ways *ways, const struct stack_word *word, struct error *err)
{
	struct way way = {
		.path = { .root = word->root, .length = word->length, .shared_path = PATH_NONE }
	};

	if (!MAKE_ROOM(ways->items, ways->count + 1, ways->room, err) || !way_make_nodes(&way, err))
		return false;
	for (uint32_t i = 0; i < way.count; i++)
		way.nodes[i] = word->nodes[i < WAY_FIRST_STEPS ? i : i + way.skipped];
	ways->items[ways->count++] = way;
	return true;
}

void
ways_clear(struct ways *ways)
{
	for (size_t i = 0; i < ways->count; i++)
		memory_free(ways->items[i].nodes);
	memory_free(ways->items);
	*ways = (struct ways){ 0 };
}

bool
way_search_run(void *search, struct progress *progress, struct error *err)
{
	struct way_search *s = search;

	progress_begin(progress, "looking for ways", "objects", s->budget);
	s->end = PATHS_FOUND;
	while (s->found.count < s->wanted) {
		uint64_t slice = SLICE_VISITS, spent;

		s->end = paths_next(s->paths, &slice, err);
		spent = SLICE_VISITS - slice;
		s->visits += spent;
		if (s->end == PATHS_FAILED)
			return false;
		if (s->end == PATHS_FOUND &&
		    !ways_add(&s->found, s->paths, paths_count(s->paths) - 1, err))
			return false;
		if (s->end == PATHS_ALL || s->end == PATHS_GAVE_UP)
			return true;
		if (!progress_add(progress, spent)) {
			s->end = PATHS_BUDGET;
			return error_cancelled(err);
		}
		if (s->visits >= s->budget && s->end == PATHS_BUDGET)
			return true;
	}
	return true;
}

node_id
way_own_node(const struct way *way)
{
	bool begins_shared = way->path.shared_path != PATH_NONE && !way->path.has_same_objects;

	return way->nodes[begins_shared && way->count > 1];
}

node_id
way_node(const struct ways *ways, const struct way *way, uint32_t distance)
{
	uint32_t at;

	while (distance < way->distance)
		way = &ways->items[way->path.shared_path];
	at = distance - way->distance;
	if (way->skipped && at >= WAY_FIRST_STEPS) {
		if (at < WAY_FIRST_STEPS + way->skipped)
			return NODE_NONE;
		at -= way->skipped;
	}
	return way->nodes[at];
}
