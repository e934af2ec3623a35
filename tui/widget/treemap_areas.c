#include "tui/widget/treemap_areas.h"
#include "model/base/hash.h"
#include <stdio.h>
#include <string.h>

struct group {
	uint64_t hash, weight;
	type_id type; /* the first of the group */
	uint8_t area;
};

struct groups_found {
	const struct heap *heap;
	enum grouping by;
	struct group items[TREEMAP_MAX];
	uint32_t count;
	uint32_t of_rows[TREEMAP_MAX]; /* index; UINT32_MAX: no type */
};

static const char *
name_of(const struct groups_found *g, type_id type, char out[GROUP_NAME_BYTES])
{
	return group_name(g->heap, (struct group_id){ (uint8_t)g->by, type }, out);
}

static uint32_t
find_group(struct groups_found *g, type_id type)
{
	char name[GROUP_NAME_BYTES];
	uint64_t hash = hash_text(HASH_START, name_of(g, type, name)) | 1;
	uint32_t i = 0;

	while (i < g->count && g->items[i].hash != hash)
		i++;
	if (i == g->count)
		g->items[g->count++] = (struct group){ hash, 0, type, TREEMAP_NO_AREA };
	return i;
}

static void
find_groups(struct groups_found *g, enum grouping by, const type_id *types, const uint64_t *weights,
	    size_t count)
{
	g->by = by;
	g->count = 0;
	for (size_t i = 0; i < count; i++) {
		g->of_rows[i] = UINT32_MAX;
		if (types[i] == TYPE_NONE)
			continue;
		g->of_rows[i] = find_group(g, types[i]);
		g->items[g->of_rows[i]].weight += weights[i];
	}
}

/* Moves the groups with most bytes to the front. */
static uint32_t
take_largest(struct groups_found *g, uint32_t largest[TREEMAP_AREAS])
{
	bool is_taken[TREEMAP_MAX] = { false };
	uint32_t count = 0;

	while (count < TREEMAP_AREAS && count < g->count) {
		uint32_t best = UINT32_MAX;

		for (uint32_t i = 0; i < g->count; i++)
			if (!is_taken[i] &&
			    (best == UINT32_MAX || g->items[i].weight > g->items[best].weight))
				best = i;
		is_taken[best] = true;
		largest[count++] = best;
	}
	return count;
}

/* Gives a group the area that it had before, or a free one. */
static void
give_area(struct treemap_areas *a, const struct groups_found *g, struct group *group,
	  bool only_before)
{
	uint8_t at = 0;

	if (group->area != TREEMAP_NO_AREA)
		return;
	while (at < TREEMAP_AREAS &&
	       (only_before ? a->items[at].hash != group->hash : a->items[at].is_shown))
		at++;
	if (at == TREEMAP_AREAS)
		return;
	group->area = at;
	a->items[at].is_shown = true;
	a->items[at].hash = group->hash;
	name_of(g, group->type, a->items[at].name);
}

void
treemap_areas_assign(struct treemap_areas *a, const struct heap *h, const type_id *types,
		     const uint64_t *weights, size_t count)
{
	struct groups_found g = { .heap = h };
	uint32_t largest[TREEMAP_AREAS], largest_count;

	find_groups(&g, GROUP_MODULE, types, weights, count);
	if (g.count < 2)
		find_groups(&g, GROUP_NAMESPACE, types, weights, count);
	largest_count = take_largest(&g, largest);
	for (int i = 0; i < TREEMAP_AREAS; i++)
		a->items[i].is_shown = false;
	for (uint32_t i = 0; i < largest_count; i++)
		give_area(a, &g, &g.items[largest[i]], true);
	for (uint32_t i = 0; i < largest_count; i++)
		give_area(a, &g, &g.items[largest[i]], false);
	a->has_others = g.count > largest_count;
	a->of_all = g.count == 1 ? g.items[0].area : TREEMAP_NO_AREA;
	for (size_t i = 0; i < count; i++)
		a->of_rows[i] =
		    g.of_rows[i] == UINT32_MAX ? TREEMAP_NO_AREA : g.items[g.of_rows[i]].area;
}
