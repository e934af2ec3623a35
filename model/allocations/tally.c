#include "model/allocations/tally.h"
#include "model/base/hash.h"
#include "model/base/seed.h"
#include "model/heap/names.h"
#include <string.h>

struct allocation_tally *
allocation_tally_new(struct error *err)
{
	const struct allocation_node root = { 0, UINT32_MAX };
	struct allocation_tally *t = memory_new(1, sizeof *t, err);

	if (!t)
		return NULL;
	arena_init(&t->arena, 0);
	if (APPEND(t->nodes, t->nodes_count, t->nodes_room, err, root))
		return t;
	allocation_tally_free(t);
	return NULL;
}

void
allocation_tally_free(struct allocation_tally *t)
{
	if (!t)
		return;
	u64_map_clear(&t->type_index);
	u64_map_clear(&t->address_index);
	u64_map_clear(&t->node_index);
	u64_map_clear(&t->cell_index);
	memory_free(t->types);
	memory_free(t->nodes);
	memory_free(t->cells);
	memory_free(t->addresses);
	survived_free(t->survived);
	for (size_t i = 0; i < ALLOCATION_FULL; i++)
		memory_free(t->kept[i].items);
	recent_free(t->recent);
	arena_clear(&t->arena);
	memory_free(t);
}

/* The memory of a name as it came, and as it is shown in full and in short. */
static size_t
text_bytes(const char *raw)
{
	return 3 * (strlen(raw) + 1);
}

static bool
has_room_for_type(const struct allocation_tally *t, const char *raw)
{
	return t->types_count + 1 < ALLOCATION_TYPES &&
	       text_bytes(raw) <= ALLOCATION_TYPE_TEXT_BYTES - t->types_text_bytes;
}

/* Types beyond the bounds share one. */
static bool
type_number(struct allocation_tally *t, const char *raw, bool *is_folded, uint32_t *number,
	    struct error *err)
{
	static const char others[] = "(other types)";
	struct allocation_type type = { NULL, NULL };
	struct display_name shown;
	uint64_t key = hash_text(seed_random(), raw);

	U64_MAP_FIND(*number, &t->type_index, key, !strcmp(t->types[*number].raw, raw));
	if (*number != U64_MAP_NONE)
		return true;
	if (!has_room_for_type(t, raw) && raw != others) {
		*is_folded = true;
		return type_number(t, others, is_folded, number, err);
	}
	type.raw = arena_strndup(&t->arena, raw, strlen(raw), err);
	if (!type.raw || !name_display(type.raw, &t->arena, &shown, err))
		return false;
	type.name = shown.full;
	if (raw != others)
		t->types_text_bytes += text_bytes(raw);
	*number = t->types_count;
	return u64_map_put(&t->type_index, key, *number, err) &&
	       APPEND(t->types, t->types_count, t->types_room, err, type);
}

static bool
address_number(struct allocation_tally *t, uint64_t address, uint32_t *number, struct error *err)
{
	*number = u64_map_get(&t->address_index, address);
	if (*number != U64_MAP_NONE)
		return true;
	*number = t->addresses_count;
	return u64_map_put(&t->address_index, address, *number, err) &&
	       APPEND(t->addresses, t->addresses_count, t->addresses_room, err, address);
}

/* Goes from a node to one of its callees, which is added if there is room. */
static bool
descend(struct allocation_tally *t, uint32_t *node, uint32_t method, struct error *err)
{
	const struct allocation_node callee = { *node, method };
	uint64_t key = u64_map_pair(*node, method);
	uint32_t found = u64_map_get(&t->node_index, key);

	if (found == U64_MAP_NONE) {
		found = t->nodes_count;
		if (!u64_map_put(&t->node_index, key, found, err) ||
		    !APPEND(t->nodes, t->nodes_count, t->nodes_room, err, callee))
			return false;
	}
	*node = found;
	return true;
}

/* The cell of a stack and type; sums up what no bound leaves room for at the root. */
static bool
cell_number(struct allocation_tally *t, uint32_t node, uint32_t type, uint32_t *number,
	    struct error *err)
{
	struct allocation_cell cell = { .node = node, .type = type };
	uint64_t key = u64_map_pair(node, type);

	*number = u64_map_get(&t->cell_index, key);
	if (*number != U64_MAP_NONE)
		return true;
	*number = t->cells_count;
	return u64_map_put(&t->cell_index, key, *number, err) &&
	       APPEND(t->cells, t->cells_count, t->cells_room, err, cell);
}

/* Finds the node of a stack, from the outermost caller inwards. */
static bool
find_node(struct allocation_tally *t, const struct allocation_sample *sample, bool *is_folded,
	  uint32_t *node, struct error *err)
{
	uint32_t count = sample->frames_count, method;

	*node = 0;
	if (count > ALLOCATION_FRAMES) {
		count = ALLOCATION_FRAMES;
		*is_folded = true;
	}
	while (count--) {
		if (t->nodes_count >= ALLOCATION_NODES) {
			*is_folded = true;
			return true;
		}
		if (!address_number(t, sample->frames[count], &method, err) ||
		    !descend(t, node, method, err))
			return false;
	}
	return true;
}

static void
remember(struct allocation_tally *t, const struct allocation_sample *sample, uint32_t cell)
{
	const struct recent_sample s = { sample->time, sample->size, sample->tick_bytes, cell };

	if (t->recent)
		recent_add(t->recent, &s);
}

bool
allocation_tally_keep_recent(struct allocation_tally *t, struct error *err)
{
	t->recent = recent_new(err);
	return t->recent != NULL;
}

bool
allocation_tally_add(struct allocation_tally *t, const struct allocation_sample *sample,
		     uint32_t *cell, struct error *err)
{
	struct allocation_sum sum = { 0 };
	bool is_folded = false;
	uint32_t node, type;

	if (!type_number(t, sample->type, &is_folded, &type, err) ||
	    !find_node(t, sample, &is_folded, &node, err))
		return false;
	if (t->cells_count >= ALLOCATION_CELLS &&
	    u64_map_get(&t->cell_index, u64_map_pair(node, type)) == U64_MAP_NONE) {
		is_folded = true;
		node = 0;
	}
	if (!cell_number(t, node, type, cell, err))
		return false;
	if (sample->tick_bytes)
		allocation_sum_add_tick(&sum, sample->size, sample->tick_bytes);
	else
		allocation_sum_add(&sum, sample->size);
	allocation_sum_merge(&t->cells[*cell].sum, &sum);
	allocation_sum_merge(&t->facts.total, &sum);
	t->facts.folded += is_folded;
	t->facts.without_stack += !sample->frames_count;
	remember(t, sample, *cell);
	return true;
}

void
allocation_tally_restart(struct allocation_tally *t)
{
	const struct allocation_sum none = { 0 };

	t->facts.total = none;
	t->facts.without_stack = t->facts.folded = 0;
	for (uint32_t i = 0; i < t->cells_count; i++)
		t->cells[i].sum = none;
	if (t->recent)
		recent_restart(t->recent);
}
