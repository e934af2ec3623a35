#include "model/allocations/allocations.h"
#include "model/base/hash.h"
#include "model/base/seed.h"
#include "model/heap/names.h"
#include <stdio.h>
#include <string.h>

#define NO_METHOD UINT32_MAX

static bool
add_root(struct allocations *a, struct error *err)
{
	const struct allocation_node root = { 0, NO_METHOD };

	return APPEND(a->nodes, a->nodes_count, a->nodes_room, err, root);
}

struct allocations *
allocations_new(struct error *err)
{
	struct allocations *a = memory_new(1, sizeof *a, err);

	if (!a)
		return NULL;
	arena_init(&a->arena, 0);
	if (add_root(a, err))
		return a;
	allocations_free(a);
	return NULL;
}

void
allocations_free(struct allocations *a)
{
	if (!a)
		return;
	u64_map_clear(&a->type_index);
	u64_map_clear(&a->address_index);
	u64_map_clear(&a->node_index);
	u64_map_clear(&a->cell_index);
	memory_free(a->types);
	memory_free(a->nodes);
	memory_free(a->cells);
	memory_free(a->addresses);
	memory_free(a->methods);
	arena_clear(&a->arena);
	memory_free(a);
}

double
allocations_seconds(const struct allocations *a)
{
	return a->time_ns ? (double)a->time_ns / 1e9 : 1e-9;
}

/* --- samples -------------------------------------------------------------- */

static uint64_t
pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

/* Types beyond the bound share one. */
static bool
type_number(struct allocations *a, const char *raw, bool *is_folded,
	    uint32_t *number, struct error *err)
{
	static const char others[] = "(other types)";
	struct allocation_type type = { NULL, NULL };
	struct display_name shown;
	uint64_t key = hash_text(seed_random(), raw);

	U64_MAP_FIND(*number, &a->type_index, key,
		     !strcmp(a->types[*number].raw, raw));
	if (*number != U64_MAP_NONE)
		return true;
	if (a->types_count + 1 >= ALLOCATION_TYPES && raw != others) {
		*is_folded = true;
		return type_number(a, others, is_folded, number, err);
	}
	type.raw = arena_strndup(&a->arena, raw, strlen(raw), err);
	if (!type.raw || !name_display(type.raw, &a->arena, &shown, err))
		return false;
	type.name = shown.full;
	*number = a->types_count;
	return u64_map_put(&a->type_index, key, *number, err) &&
	       APPEND(a->types, a->types_count, a->types_room, err, type);
}

static bool
address_number(struct allocations *a, uint64_t address, uint32_t *number,
	       struct error *err)
{
	*number = u64_map_get(&a->address_index, address);
	if (*number != U64_MAP_NONE)
		return true;
	*number = a->addresses_count;
	return u64_map_put(&a->address_index, address, *number, err) &&
	       APPEND(a->addresses, a->addresses_count, a->addresses_room, err,
		      address);
}

/* Goes from a node to one of its callees, which is added if there is room. */
static bool
descend(struct allocations *a, uint32_t *node, uint32_t method,
	struct error *err)
{
	const struct allocation_node callee = { *node, method };
	uint64_t key = pair(*node, method);
	uint32_t found = u64_map_get(&a->node_index, key);

	if (found == U64_MAP_NONE) {
		found = a->nodes_count;
		if (!u64_map_put(&a->node_index, key, found, err) ||
		    !APPEND(a->nodes, a->nodes_count, a->nodes_room, err,
			    callee))
			return false;
	}
	*node = found;
	return true;
}

/* The cell of a stack and type; sums up what no bound leaves room for at the
   root. */
static bool
cell_number(struct allocations *a, uint32_t node, uint32_t type,
	    uint32_t *number, struct error *err)
{
	struct allocation_cell cell = { .node = node, .type = type };
	uint64_t key = pair(node, type);

	*number = u64_map_get(&a->cell_index, key);
	if (*number != U64_MAP_NONE)
		return true;
	*number = a->cells_count;
	return u64_map_put(&a->cell_index, key, *number, err) &&
	       APPEND(a->cells, a->cells_count, a->cells_room, err, cell);
}

/* Finds the node of a stack, from the outermost caller inwards. */
static bool
find_node(struct allocations *a, const struct allocation_sample *sample,
	  bool *is_folded, uint32_t *node, struct error *err)
{
	uint32_t count = sample->frames_count, method;

	*node = 0;
	if (count > ALLOCATION_FRAMES) {
		count = ALLOCATION_FRAMES;
		*is_folded = true;
	}
	while (count--) {
		if (a->nodes_count >= ALLOCATION_NODES) {
			*is_folded = true;
			return true;
		}
		if (!address_number(a, sample->frames[count], &method, err) ||
		    !descend(a, node, method, err))
			return false;
	}
	return true;
}

bool
allocations_add(struct allocations *a, const struct allocation_sample *sample,
		struct error *err)
{
	struct allocation_sum sum = { 0 };
	bool is_folded = false;
	uint32_t node, type, cell;

	if (!type_number(a, sample->type, &is_folded, &type, err) ||
	    !find_node(a, sample, &is_folded, &node, err))
		return false;
	if (a->cells_count >= ALLOCATION_CELLS &&
	    u64_map_get(&a->cell_index, pair(node, type)) == U64_MAP_NONE) {
		is_folded = true;
		node = 0;
	}
	if (!cell_number(a, node, type, &cell, err))
		return false;
	if (sample->tick_bytes)
		allocation_sum_add_tick(&sum, sample->size, sample->tick_bytes);
	else
		allocation_sum_add(&sum, sample->size);
	allocation_sum_merge(&a->cells[cell].sum, &sum);
	allocation_sum_merge(&a->total, &sum);
	a->folded += is_folded;
	a->without_stack += !sample->frames_count;
	return true;
}

/* --- names ---------------------------------------------------------------- */

/* Finds or adds a method by its name and module. */
static bool
method_number(struct allocations *a, struct u64_map *index, size_t *room,
	      const struct allocation_method *found, uint32_t *number,
	      struct error *err)
{
	struct allocation_method m = *found;
	uint64_t key = hash_text(hash_text(seed_random(), m.name), m.module);

	U64_MAP_FIND(*number, index, key,
		     !strcmp(a->methods[*number].name, m.name) &&
			 !strcmp(a->methods[*number].module, m.module));
	if (*number != U64_MAP_NONE)
		return true;
	m.name = arena_strndup(&a->arena, m.name, strlen(m.name), err);
	m.module = arena_strndup(&a->arena, m.module, strlen(m.module), err);
	*number = a->methods_count;
	return m.name && m.module && u64_map_put(index, key, *number, err) &&
	       APPEND(a->methods, a->methods_count, *room, err, m);
}

/* Stores the method of each address in `of`. */
static bool
name_addresses(struct allocations *a, struct allocation_namer namer,
	       uint32_t *of, struct error *err)
{
	struct u64_map index = { 0 };
	size_t room = 0;
	bool ok = true;

	for (uint32_t i = 0; ok && i < a->addresses_count; i++) {
		struct allocation_method m = { 0 };

		ok = namer.name(namer.context, a->addresses[i], &m, err) &&
		     method_number(a, &index, &room, &m, &of[i], err);
	}
	u64_map_clear(&index);
	return ok;
}

/* Builds the tree again with methods in place of addresses. Callers come before
   their callees, so that one pass suffices. Stores the new numbers. */
static bool
merge_nodes(struct allocations *a, const uint32_t *method_of, uint32_t *node_of,
	    struct error *err)
{
	struct allocation_node *old = a->nodes;
	uint32_t count = a->nodes_count;
	bool ok;

	a->nodes = NULL;
	a->nodes_count = 0;
	a->nodes_room = 0;
	u64_map_clear(&a->node_index);
	ok = add_root(a, err);
	for (uint32_t i = 1; ok && i < count; i++) {
		node_of[i] = node_of[old[i].parent];
		ok = descend(a, &node_of[i], method_of[old[i].method], err);
	}
	memory_free(old);
	return ok;
}

static bool
merge_cells(struct allocations *a, const uint32_t *node_of, struct error *err)
{
	uint32_t count = a->cells_count, number;

	u64_map_clear(&a->cell_index);
	a->cells_count = 0;
	/* A cell moves to its own place or an earlier one. */
	for (uint32_t i = 0; i < count; i++) {
		struct allocation_cell c = a->cells[i];

		if (!cell_number(a, node_of[c.node], c.type, &number, err))
			return false;
		allocation_sum_merge(&a->cells[number].sum, &c.sum);
	}
	return true;
}

bool
allocations_name(struct allocations *a, struct allocation_namer namer,
		 struct error *err)
{
	uint32_t *method_of =
	    memory_new(a->addresses_count + 1, sizeof(uint32_t), err);
	uint32_t *node_of = memory_new(a->nodes_count, sizeof(uint32_t), err);
	bool ok = method_of && node_of &&
		  name_addresses(a, namer, method_of, err) &&
		  merge_nodes(a, method_of, node_of, err) &&
		  merge_cells(a, node_of, err);

	memory_free(method_of);
	memory_free(node_of);
	return ok;
}

uint32_t
allocations_site(const struct allocations *a, uint32_t node)
{
	uint32_t innermost = a->nodes[node].method;

	for (; node; node = a->nodes[node].parent) {
		const struct allocation_method *m =
		    &a->methods[a->nodes[node].method];

		if (!m->is_framework && !m->is_unknown)
			return a->nodes[node].method;
	}
	return innermost;
}
