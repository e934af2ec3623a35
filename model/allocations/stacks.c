#include "model/allocations/stacks.h"
#include "model/base/hash.h"
#include <stdlib.h>
#include <string.h>

/* The stack of a cell. */
struct stack {
	uint32_t methods[ALLOCATION_FRAMES]; /* the innermost first */
	uint32_t count, site;                /* index of the site; 0 if there are no methods */
	uint32_t type;
};

struct making {
	struct allocation_stacks *to;
	const struct allocations *of;
	bool *mine, *is_chosen; /* by method */
	const char *name;
	bool is_by_site; /* `name` is a site's */
	struct u64_map index;
	uint32_t *parents; /* by node */
	size_t parents_room;
	uint32_t parents_count;
	struct stack stack;
};

/* --- which stacks --------------------------------------------------------- */

static bool
choose(struct making *m, struct error *err)
{
	bool is_type = false;

	m->is_chosen = memory_new((size_t)m->of->methods_count + 1, sizeof(bool), err);
	if (!m->is_chosen)
		return false;
	for (uint32_t i = 0; i < m->of->methods_count; i++) {
		m->is_chosen[i] = !strcmp(m->of->methods[i].name, m->name);
		m->is_by_site |= m->is_chosen[i];
	}
	for (uint32_t i = 0; i < m->of->types_count; i++)
		is_type |= !strcmp(m->of->types[i].name, m->name);
	return m->is_by_site || is_type || !*m->name ||
	       error_set(err, ERROR_USAGE,
			 "no method or type that was sampled has the name %.100s; :allocations "
			 "lists them",
			 m->name);
}

static void
read_stack(struct making *m, const struct allocation_cell *c)
{
	const struct allocation_node *nodes = m->of->nodes;
	struct stack *s = &m->stack;
	bool has_site = false;

	s->count = s->site = 0;
	s->type = c->type;
	for (uint32_t n = c->node; n && s->count < ALLOCATION_FRAMES; n = nodes[n].parent) {
		if (!has_site && m->mine[nodes[n].method]) {
			has_site = true;
			s->site = s->count;
		}
		s->methods[s->count++] = nodes[n].method;
	}
}

static bool
is_wanted(const struct making *m)
{
	const struct stack *s = &m->stack;

	if (!*m->name)
		return true;
	if (m->is_by_site)
		return s->count && m->is_chosen[s->methods[s->site]];
	return !strcmp(m->of->types[s->type].name, m->name);
}

/* --- the tree ------------------------------------------------------------- */

static bool
add_node(struct making *m, uint32_t parent, uint32_t site, uint32_t type, struct error *err)
{
	struct allocation_rows *rows = &m->to->rows;
	const struct allocation_row row = { .site = site, .type = type };

	return APPEND(m->parents, m->parents_count, m->parents_room, err, parent) &&
	       APPEND(rows->items, rows->count, rows->room, err, row);
}

/* Sums of a cell: of all the time, and of the seconds that rates are of. */
struct cell_sums {
	struct allocation_sum all, rate;
};

static void
add_sums(struct allocation_row *to, const struct cell_sums *sums)
{
	allocation_sum_merge(&to->sum, &sums->all);
	allocation_sum_merge(&to->rate, &sums->rate);
}

/* Goes from a node to the one of a method, or with UINT32_MAX of a type, and adds the cell to
   it. */
static bool
step(struct making *m, uint32_t *node, uint32_t site, uint32_t type, const struct cell_sums *sums,
     struct error *err)
{
	bool is_type = site == UINT32_MAX;
	uint64_t key = (uint64_t)*node << 32 | (uint64_t)is_type << 31 | (is_type ? type : site);
	uint32_t found = u64_map_get(&m->index, key);

	if (found == U64_MAP_NONE) {
		found = m->to->rows.count;
		if (!u64_map_put(&m->index, key, found, err) ||
		    !add_node(m, *node, site, type, err))
			return false;
	}
	add_sums(&m->to->rows.items[found], sums);
	*node = found;
	return true;
}

static bool
add_callers(struct making *m, const struct cell_sums *sums, struct error *err)
{
	const struct stack *s = &m->stack;
	uint32_t node = 0;

	for (uint32_t i = m->is_by_site ? s->site + 1 : 0; i < s->count; i++)
		if (!step(m, &node, s->methods[i], 0, sums, err))
			return false;
	return true;
}

static bool
add_callees(struct making *m, const struct cell_sums *sums, struct error *err)
{
	const struct stack *s = &m->stack;
	uint32_t node = 0;

	for (uint32_t i = m->is_by_site ? s->site : s->count; i-- > 0;)
		if (!step(m, &node, s->methods[i], 0, sums, err))
			return false;
	return step(m, &node, UINT32_MAX, s->type, sums, err);
}

static bool
add_cells(struct making *m, enum stacks_direction direction, struct progress *progress,
	  struct error *err)
{
	if (!add_node(m, 0, UINT32_MAX, 0, err))
		return false;
	for (uint32_t i = 0; i < m->of->cells_count; i++) {
		const struct allocation_cell *c = &m->of->cells[i];
		const struct cell_sums sums = { c->sum, allocation_cell_rate_sum(m->of, c) };

		if (progress_is_cancelled(progress))
			return error_cancelled(err);
		read_stack(m, c);
		if (!c->sum.samples || !is_wanted(m))
			continue;
		add_sums(&m->to->rows.items[0], &sums);
		if (!(direction == STACKS_CALLERS ? add_callers(m, &sums, err)
						  : add_callees(m, &sums, err)))
			return false;
	}
	return true;
}

/* --- the order ------------------------------------------------------------ */

struct place {
	double bytes;
	uint32_t parent, node;
};

static int
compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Sorts nodes by parent, and those of a parent by bytes. Node 0, the root, has no parent. */
static bool
sort_nodes(struct making *m, struct error *err)
{
	uint32_t count = m->to->rows.count, at = 0;
	struct place *places = memory_new(count, sizeof *places, err);

	m->to->order = memory_new(count, sizeof(uint32_t), err);
	m->to->first = memory_new((size_t)count + 1, sizeof(uint32_t), err);
	if (!places || !m->to->order || !m->to->first) {
		memory_free(places);
		return false;
	}
	for (uint32_t i = 1; i < count; i++)
		places[i - 1] = (struct place){ m->to->rows.items[i].sum.bytes, m->parents[i], i };
	qsort(places, count - 1, sizeof *places, compare_places);
	for (uint32_t n = 0; n <= count; n++) {
		while (at < count - 1 && places[at].parent < n) {
			m->to->order[at] = places[at].node;
			at++;
		}
		m->to->first[n] = at;
	}
	memory_free(places);
	return true;
}

bool
allocation_stacks_make(struct allocation_stacks *s, const struct allocations *of, const char *name,
		       enum stacks_direction direction, const char *my_modules,
		       struct progress *progress, struct error *err)
{
	struct making *m = memory_new(1, sizeof *m, err);
	bool ok;

	*s = (struct allocation_stacks){ .rows.of = of };
	if (!m)
		return false;
	m->to = s;
	m->of = of;
	m->name = name;
	m->mine = allocations_mine(of, my_modules, err);
	ok = m->mine && choose(m, err) && add_cells(m, direction, progress, err) &&
	     sort_nodes(m, err);
	u64_map_clear(&m->index);
	memory_free(m->mine);
	memory_free(m->is_chosen);
	memory_free(m->parents);
	memory_free(m);
	return ok;
}

void
allocation_stacks_clear(struct allocation_stacks *s)
{
	allocation_rows_clear(&s->rows);
	memory_free(s->order);
	memory_free(s->first);
	*s = (struct allocation_stacks){ 0 };
}

uint64_t
allocation_stacks_hash(const struct allocation_stacks *s, uint32_t node)
{
	const struct allocation_row *row = &s->rows.items[node];
	const struct allocations *of = s->rows.of;

	if (row->site == UINT32_MAX)
		return hash_text(HASH_START, of->types[row->type].raw);
	return hash_text(hash_text(HASH_START, of->methods[row->site].module),
			 of->methods[row->site].name);
}
