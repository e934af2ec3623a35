#include "model/allocations/allocations.h"
#include "model/allocations/tally.h"
#include "model/base/hash.h"
#include "model/base/less.h"
#include "model/base/seed.h"
#include "model/heap/my_code.h"
#include <string.h>

struct allocations *
allocations_hold(struct allocations *a)
{
	a->holders++;
	return a;
}

void
allocations_free(struct allocations *a)
{
	if (!a || --a->holders)
		return;
	memory_free(a->nodes);
	memory_free(a->cells);
	memory_free(a->methods);
	memory_free(a->samples.items);
	for (size_t i = 0; i < ALLOCATION_FULL; i++)
		memory_free(a->full[i].items);
	arena_clear(&a->arena);
	memory_free(a);
}

const struct allocation_samples *
allocations_at_full(const struct allocations *a, uint32_t number)
{
	for (size_t i = 0; number && i < ALLOCATION_FULL; i++)
		if (a->full[i].number == number)
			return &a->full[i];
	return NULL;
}

bool
allocation_facts_lack_stacks(const struct allocation_facts *f)
{
	return f->recorded.is_trace && f->total.samples && f->without_stack == f->total.samples;
}

bool
allocations_lack_names(const struct allocations *a)
{
	const struct recorded *r = &a->facts.recorded;

	return a->unknown_count && r->is_trace && !r->counts[RECORDED_METHODS];
}

bool
allocations_are_lacking(const struct allocations *a)
{
	const struct allocation_facts *f = &a->facts;

	return allocation_facts_lack_stacks(f) || allocations_lack_names(a) ||
	       recorded_lacks(&f->recorded, RECORDED_ALLOCATIONS);
}

double
allocations_seconds(const struct allocations *a)
{
	return a->facts.time_ns ? (double)a->facts.time_ns / 1e9 : 1e-9;
}

double
allocations_rate_seconds(const struct allocations *a)
{
	return a->facts.recent_ns ? (double)a->facts.recent_ns / 1e9 : allocations_seconds(a);
}

struct allocation_sum
allocation_cell_rate_sum(const struct allocations *a, const struct allocation_cell *c)
{
	const struct allocation_sum none = { 0 };

	if (!a->facts.recent_ns)
		return c->sum;
	return c->recent ? *c->recent : none;
}

static bool
is_mine(const struct allocation_method *m, const char *my_modules)
{
	const struct type declaring = {
		.name = m->name, .short_name = m->name, .raw = m->name, .module = m->module
	};

	if (m->is_unknown)
		return false;
	return my_modules && *my_modules ? my_code_has(&declaring, my_modules) : !m->is_framework;
}

bool *
allocations_mine(const struct allocations *a, const char *my_modules, struct error *err)
{
	bool *mine = memory_new((size_t)a->methods_count + 1, sizeof *mine, err);

	for (uint32_t i = 0; mine && i < a->methods_count; i++)
		mine[i] = is_mine(&a->methods[i], my_modules);
	return mine;
}

uint32_t
allocations_site(const struct allocations *a, const bool *mine, uint32_t node)
{
	uint32_t innermost = a->nodes[node].method;

	for (; node; node = a->nodes[node].parent)
		if (mine[a->nodes[node].method])
			return a->nodes[node].method;
	return innermost;
}

/* --- naming --------------------------------------------------------------- */

struct naming {
	const struct allocation_tally *from;
	struct allocations *to;
	struct arena scratch; /* texts of one method */
	struct u64_map methods, nodes, cells;
	uint32_t *method_of; /* by number of an address */
	uint32_t *node_of;   /* by number of a node */
	uint32_t *cell_of;   /* by number of a cell */
	size_t methods_text_bytes;
};

static bool
copy_text(struct naming *n, const char **text, struct error *err)
{
	*text = arena_strndup(&n->to->arena, *text, strlen(*text), err);
	return *text != NULL;
}

static bool
copy_types(struct naming *n, struct error *err)
{
	uint32_t count = n->from->types_count;
	struct allocation_type *types =
	    arena_array(&n->to->arena, struct allocation_type, count + 1, err);
	bool ok = types != NULL;

	for (uint32_t i = 0; ok && i < count; i++) {
		types[i] = n->from->types[i];
		ok = copy_text(n, &types[i].raw, err) && copy_text(n, &types[i].name, err);
	}
	n->to->types = types;
	n->to->types_count = count;
	return ok;
}

/* Finds or adds a method by its name and module. */
static bool
method_number(struct naming *n, struct allocation_method m, uint32_t *number, struct error *err)
{
	static const struct allocation_method others = { "(other methods)", "", false, true };
	struct allocations *to = n->to;
	uint64_t key = hash_text(hash_text(seed_random(), m.name), m.module);
	size_t text_bytes = strlen(m.name) + strlen(m.module) + 2;

	U64_MAP_FIND(*number, &n->methods, key,
		     !strcmp(to->methods[*number].name, m.name) &&
			 !strcmp(to->methods[*number].module, m.module));
	if (*number != U64_MAP_NONE)
		return true;
	if (text_bytes > ALLOCATION_METHOD_TEXT_BYTES - n->methods_text_bytes &&
	    m.name != others.name)
		return method_number(n, others, number, err);
	if (m.name != others.name)
		n->methods_text_bytes += text_bytes;
	*number = to->methods_count;
	return copy_text(n, &m.name, err) && copy_text(n, &m.module, err) &&
	       u64_map_put(&n->methods, key, *number, err) &&
	       APPEND(to->methods, to->methods_count, to->methods_room, err, m);
}

static bool
name_addresses(struct naming *n, struct allocation_namer namer, struct error *err)
{
	const struct allocation_tally *from = n->from;
	bool ok = true;

	for (uint32_t i = 0; ok && i < from->addresses_count; i++) {
		struct allocation_method m = { 0 };

		arena_reset(&n->scratch, (struct arena_mark){ 0 });
		ok = namer.name(namer.context, from->addresses[i], &n->scratch, &m, err) &&
		     method_number(n, m, &n->method_of[i], err);
		n->to->unknown_count += m.is_unknown;
	}
	return ok;
}

/* Builds the tree with methods in place of addresses. Callers come before their callees, so that
   one pass suffices. */
static bool
merge_nodes(struct naming *n, struct error *err)
{
	struct allocation_node callee = { 0, UINT32_MAX };
	struct allocations *to = n->to;

	if (!APPEND(to->nodes, to->nodes_count, to->nodes_room, err, callee))
		return false;
	for (uint32_t i = 1; i < n->from->nodes_count; i++) {
		const struct allocation_node *old = &n->from->nodes[i];
		uint64_t key;

		callee.parent = n->node_of[old->parent];
		callee.method = n->method_of[old->method];
		key = u64_map_pair(callee.parent, callee.method);
		n->node_of[i] = u64_map_get(&n->nodes, key);
		if (n->node_of[i] != U64_MAP_NONE)
			continue;
		n->node_of[i] = to->nodes_count;
		if (!u64_map_put(&n->nodes, key, to->nodes_count, err) ||
		    !APPEND(to->nodes, to->nodes_count, to->nodes_room, err, callee))
			return false;
	}
	return true;
}

static bool
merge_cells(struct naming *n, struct error *err)
{
	struct allocations *to = n->to;

	for (uint32_t i = 0; i < n->from->cells_count; i++) {
		struct allocation_cell c = n->from->cells[i];
		uint32_t *at = &n->cell_of[i];
		uint64_t key;

		/* Counted anew; what is followed may still be alive. */
		if (!c.sum.samples && !n->from->survived)
			continue;
		c.node = n->node_of[c.node];
		c.alive = NULL;
		key = u64_map_pair(c.node, c.type);
		*at = u64_map_get(&n->cells, key);
		if (*at != U64_MAP_NONE) {
			allocation_sum_merge(&to->cells[*at].sum, &c.sum);
			continue;
		}
		*at = to->cells_count;
		if (!u64_map_put(&n->cells, key, *at, err) ||
		    !APPEND(to->cells, to->cells_count, to->cells_room, err, c))
			return false;
	}
	return true;
}

/* Sums up the samples of the last seconds. */
static bool
sum_recent(struct naming *n, struct error *err)
{
	const struct allocation_tally *from = n->from;
	struct allocation_facts *facts = &n->to->facts;
	const struct recent *r = from->recent;
	const uint64_t most_ns = RECENT_SECONDS * UINT64_C(1000000000);
	uint64_t ns = facts->time_ns < most_ns ? facts->time_ns : most_ns;
	uint64_t begin = less(from->until, allocation_tally_ticks(from, ns));

	if (!r)
		return true;
	if (r->given_way > begin) {
		begin = r->given_way;
		ns = allocation_tally_ns(from, less(from->until, begin));
	}
	facts->recent_ns = ns;
	for (uint64_t i = r->first; i < r->end; i++) {
		const struct recent_sample *s = recent_at(r, i);
		struct allocation_cell *c = &n->to->cells[n->cell_of[s->cell]];

		if (s->time <= begin)
			continue;
		if (!c->recent)
			c->recent = arena_new(&n->to->arena, struct allocation_sum, err);
		if (!c->recent)
			return false;
		recent_sum_add(c->recent, s);
		recent_sum_add(&facts->recent, s);
	}
	return true;
}

static bool
make_numbers(uint32_t **numbers, uint32_t count, struct error *err)
{
	*numbers = memory_new(count + 1, sizeof(**numbers), err);
	return *numbers != NULL;
}

static bool
name_all(struct naming *n, struct allocation_namer namer, struct error *err)
{
	n->to->facts = n->from->facts;
	return make_numbers(&n->method_of, n->from->addresses_count, err) &&
	       make_numbers(&n->node_of, n->from->nodes_count, err) &&
	       make_numbers(&n->cell_of, n->from->cells_count, err) && copy_types(n, err) &&
	       name_addresses(n, namer, err) && merge_nodes(n, err) && merge_cells(n, err) &&
	       sum_recent(n, err) && allocation_tally_copy_alive(n->from, n->to, n->cell_of, err);
}

struct allocations *
allocations_name(const struct allocation_tally *t, struct allocation_namer namer, struct error *err)
{
	struct naming n = { .from = t };
	bool ok;

	n.to = memory_new(1, sizeof *n.to, err);
	if (!n.to)
		return NULL;
	n.to->holders = 1;
	arena_init(&n.to->arena, 0);
	arena_init(&n.scratch, 0);
	ok = name_all(&n, namer, err);
	u64_map_clear(&n.methods);
	u64_map_clear(&n.nodes);
	u64_map_clear(&n.cells);
	memory_free(n.method_of);
	memory_free(n.node_of);
	memory_free(n.cell_of);
	arena_clear(&n.scratch);
	if (ok)
		return n.to;
	allocations_free(n.to);
	return NULL;
}
