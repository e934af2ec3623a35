#include "model/analysis/async_runtime.h"
#include "model/base/hash.h"
#include "model/base/seed.h"
#include "model/base/sorted.h"
#include "model/base/u64_map.h"
#include "model/heap/contents.h"
#include <string.h>

enum { CHAINS_EVERY = 1024 };

/* --- walking along a chain ----------------------------------------------- */

static void
walk_end(struct async_walk *w, enum async_end end)
{
	w->is_over = true;
	w->end = (uint8_t)end;
}

const struct async_item *
async_walk_next(const struct async_calls *c, struct async_walk *w)
{
	const struct async_item *item;

	if (w->is_over)
		return NULL;
	item = &c->items[w->item];
	w->depth++;
	if (!item->nexts_count || c->is_single)
		walk_end(w, ASYNC_ENDS);
	else if (item->nexts_count > 1 && w->depth > 1)
		walk_end(w, ASYNC_FORKS);
	else if (item->ends_circle)
		walk_end(w, ASYNC_CIRCLES);
	else if (w->depth == ASYNC_DEPTH_MAX)
		walk_end(w, ASYNC_IS_CUT);
	else
		w->item = c->nexts[item->nexts_first + w->next];
	w->next = 0;
	return item;
}

/*
 * Marks the items whose continuation closes a circle. `walks` has the number of the walk that
 * visited an item first. Forks end a chain, so each item has at most one continuation here.
 */
static void
mark_circles(struct async_calls *c, uint32_t *walks)
{
	for (uint32_t i = 0; i < c->items_count; i++) {
		uint32_t at = i;

		while (!walks[at] && c->items[at].nexts_count == 1) {
			uint32_t next = c->nexts[c->items[at].nexts_first];

			walks[at] = i + 1;
			c->items[at].ends_circle = walks[next] == i + 1;
			at = next;
		}
	}
}

/* --- chains --------------------------------------------------------------- */

struct chains {
	struct async_finder *f;
	size_t room;
	uint64_t steps;
	uint32_t *marked; /* by item: is in a chain already */
};

/* Checks for cancellation once in CHAINS_EVERY chains. */
static bool
may_go_on(struct chains *s, struct error *err)
{
	return ++s->steps % CHAINS_EVERY || !progress_is_cancelled(s->f->progress) ||
	       error_cancelled(err);
}

static bool
is_wanted(const struct chains *s, const struct async_chain *chain)
{
	const struct async_input *in = s->f->in;
	struct async_walk w = async_walk_of(chain);
	bool has_call = in->with_tasks, has_only = in->only == NODE_NONE;
	bool has_table = !in->only_table;
	const struct async_item *item;

	while ((item = async_walk_next(s->f->out, &w))) {
		has_call |= item->kind == ASYNC_CALL;
		has_only |= item->node == in->only;
		has_table = has_table || contents_table(in->heap, item->node) == in->only_table;
	}
	return has_call && has_only && has_table;
}

/* Marks the items of a chain up to one that is already marked: the rest of the chain is marked,
   too. */
static void
mark_chain(const struct chains *s, const struct async_chain *chain)
{
	struct async_walk w = async_walk_of(chain);
	const struct async_item *item;

	while ((item = async_walk_next(s->f->out, &w))) {
		uint32_t at = (uint32_t)(item - s->f->out->items);

		if (s->marked[at] && w.depth > 1)
			return;
		s->marked[at] = 1;
	}
}

static bool
add_chain(struct chains *s, uint32_t item, uint32_t next, struct error *err)
{
	struct async_calls *c = s->f->out;
	struct async_chain chain = { item, next };

	if (!may_go_on(s, err))
		return false;
	mark_chain(s, &chain);
	if (!is_wanted(s, &chain))
		return true;
	return APPEND(c->chains, c->chains_count, s->room, err, chain);
}

/* Adds all chains that begin at an item. */
static bool
add_chains(struct chains *s, uint32_t item, struct error *err)
{
	const struct async_item *i = &s->f->out->items[item];
	bool ok = true;

	if (s->f->in->is_single)
		return add_chain(s, item, 0, err);
	if (i->nexts_count <= 1)
		return i->has_previous || add_chain(s, item, 0, err);
	for (uint32_t k = 0; ok && k < i->nexts_count; k++)
		ok = add_chain(s, item, k, err);
	return ok;
}

/* No chain leads into a circle, so begin one behind the item that closes it. */
static bool
add_circles(struct chains *s, struct error *err)
{
	const struct async_calls *c = s->f->out;
	bool ok = true;

	for (uint32_t i = 0; ok && i < c->items_count; i++) {
		uint32_t next;

		if (!c->items[i].ends_circle)
			continue;
		next = c->nexts[c->items[i].nexts_first];
		if (!s->marked[next])
			ok = add_chain(s, next, 0, err);
	}
	return ok;
}

static bool
find_chains(struct async_finder *f, struct error *err)
{
	struct chains s = { .f = f };
	struct async_calls *c = f->out;
	bool ok;

	s.marked = memory_new((size_t)c->items_count + 1, sizeof(*s.marked), err);
	if (!s.marked)
		return false;
	mark_circles(c, s.marked);
	memset(s.marked, 0, c->items_count * sizeof(*s.marked));
	progress_begin(f->progress, "following async calls", "calls", c->items_count);
	ok = true;
	/* A continuation that is no task only ends chains. */
	for (uint32_t i = 0; ok && i < c->items_count; i++)
		ok = (c->items[i].kind == ASYNC_OTHER && c->items[i].has_previous) ||
		     add_chains(&s, i, err);
	ok = ok && add_circles(&s, err);
	memory_free(s.marked);
	return ok;
}

/* --- groups --------------------------------------------------------------- */

/* Returns true if the items look the same in a chain. */
static bool
is_alike(const struct heap *h, const struct async_item *a, const struct async_item *b)
{
	return heap_type_of(h, a->node) == heap_type_of(h, b->node) && a->code == b->code &&
	       a->has_state == b->has_state && a->state == b->state &&
	       a->is_completed == b->is_completed;
}

static bool
are_equal(const struct async_finder *f, const struct async_chain *x, const struct async_chain *y)
{
	struct async_walk a = async_walk_of(x), b = async_walk_of(y);
	const struct async_item *i, *k;

	do {
		i = async_walk_next(f->out, &a);
		k = async_walk_next(f->out, &b);
		if (!i != !k || (i && !is_alike(f->heap, i, k)))
			return false;
	} while (i);
	return a.end == b.end;
}

static uint64_t
hash_of(const struct async_finder *f, uint64_t seed, const struct async_chain *chain)
{
	struct async_walk w = async_walk_of(chain);
	const struct async_item *item;
	uint64_t hash = seed;

	while ((item = async_walk_next(f->out, &w))) {
		uint64_t key[2] = { heap_type_of(f->heap, item->node) |
					(uint64_t)(uint32_t)item->state << 32,
				    item->code };

		hash = hash_bytes(hash, key, sizeof(key));
	}
	return hash;
}

struct grouping {
	struct async_finder *f;
	struct u64_map groups; /* by hash of their chains */
	uint32_t *group_of;    /* by chain */
	uint64_t seed;
};

/* Finds or makes the group of a chain. Until put_in_order(), chains_first is the first chain of the
   group. */
static bool
find_group(struct grouping *g, uint32_t chain, struct error *err)
{
	struct async_calls *c = g->f->out;
	uint64_t key = hash_of(g->f, g->seed, &c->chains[chain]);
	uint32_t group;

	U64_MAP_FIND(group, &g->groups, key,
		     are_equal(g->f, &c->chains[c->groups[group].chains_first], &c->chains[chain]));
	if (group == U64_MAP_NONE) {
		group = c->groups_count;
		if (!u64_map_put(&g->groups, key, group, err))
			return false;
		c->groups[c->groups_count++].chains_first = chain;
	}
	g->group_of[chain] = group;
	c->groups[group].chains_count++;
	return true;
}

static bool
put_in_order(struct grouping *g, struct error *err)
{
	struct async_calls *c = g->f->out;
	struct async_chain *ordered =
	    memory_new((size_t)c->chains_count + 1, sizeof(*ordered), err);
	uint32_t first = 0;

	if (!ordered)
		return false;
	for (uint32_t i = 0; i < c->groups_count; i++) {
		c->groups[i].chains_first = first;
		first += c->groups[i].chains_count;
		c->groups[i].chains_count = 0;
	}
	for (uint32_t i = 0; i < c->chains_count; i++) {
		struct async_group *group = &c->groups[g->group_of[i]];

		ordered[group->chains_first + group->chains_count++] = c->chains[i];
	}
	memory_free(c->chains);
	c->chains = ordered;
	return true;
}

static bool
fill_groups(struct grouping *g, struct error *err)
{
	struct async_calls *c = g->f->out;

	progress_begin(g->f->progress, "grouping async calls", "calls", c->chains_count);
	for (uint32_t i = 0; i < c->chains_count; i++) {
		if (i % CHAINS_EVERY == 0 && !progress_add(g->f->progress, CHAINS_EVERY))
			return error_cancelled(err);
		if (!find_group(g, i, err))
			return false;
	}
	return put_in_order(g, err);
}

static bool
make_groups(struct async_finder *f, struct error *err)
{
	struct grouping g = { .f = f, .seed = seed_random() };
	struct async_calls *c = f->out;
	size_t room = (size_t)c->chains_count + 1;
	bool ok;

	g.group_of = memory_new(room, sizeof(*g.group_of), err);
	c->groups = memory_new(room, sizeof(*c->groups), err);
	ok = g.group_of && c->groups && fill_groups(&g, err);
	u64_map_clear(&g.groups);
	memory_free(g.group_of);
	return ok;
}

/* By item: the last group that visited it, and its smallest depth in a
   chain. */
struct visited {
	struct {
		uint32_t group; /* index + 1 */
		uint32_t depth;
	} * items;
	struct progress *progress;
};

static bool
visited_init(struct visited *v, const struct async_calls *c, struct progress *progress,
	     struct error *err)
{
	v->progress = progress;
	v->items = memory_new((size_t)c->items_count + 1, sizeof(*v->items), err);
	return v->items != NULL;
}

/* Visits each item of a group once. Two chains that meet continue alike, so it leaves a chain at an
   item that was visited before at no greater depth. */
static bool
each_in_group(const struct async_calls *c, uint32_t group, struct visited *v,
	      void (*visit)(void *to, const struct async_item *item), void *to, struct error *err)
{
	const struct async_group *g = &c->groups[group];

	for (uint32_t i = 0; i < g->chains_count; i++) {
		struct async_walk w = async_walk_of(&c->chains[g->chains_first + i]);
		const struct async_item *item;

		if (!progress_add(v->progress, 1))
			return error_cancelled(err);
		while ((item = async_walk_next(c, &w))) {
			size_t at = (size_t)(item - c->items);
			bool is_new = v->items[at].group != group + 1;

			if (is_new)
				visit(to, item);
			else if (w.depth > 1 && v->items[at].depth <= w.depth)
				break;
			v->items[at].group = group + 1;
			if (is_new || w.depth < v->items[at].depth)
				v->items[at].depth = w.depth;
		}
	}
	return true;
}

struct summing {
	const struct heap *heap;
	struct async_group *group;
};

static void
sum_up_item(void *to, const struct async_item *item)
{
	const struct summing *s = to;

	s->group->objects_count++;
	s->group->bytes += heap_size(s->heap, item->node);
}

static bool
sum_up(const struct async_finder *f, struct error *err)
{
	struct async_calls *c = f->out;
	struct visited v;
	bool ok = visited_init(&v, c, f->progress, err);

	progress_begin(f->progress, "summing up async calls", "calls", c->chains_count);
	for (uint32_t i = 0; ok && i < c->groups_count; i++) {
		struct summing s = { f->heap, &c->groups[i] };

		ok = each_in_group(c, i, &v, sum_up_item, &s, err);
	}
	memory_free(v.items);
	return ok;
}

/* --- finding all calls --------------------------------------------------- */

static void
count_nameless(const struct heap *h, struct async_calls *c)
{
	for (uint32_t i = 0; i < c->items_count; i++) {
		const struct async_item *item = &c->items[i];

		c->nameless_count += item->kind == ASYNC_CALL && !item->is_completed &&
				     !type_is_async(heap_type(h, item->node));
	}
}

struct async_calls *
async_find(const struct async_input *in, struct progress *progress, struct error *err)
{
	struct async_finder f = { .in = in, .heap = in->heap, .progress = progress };
	bool ok;

	f.out = memory_new(1, sizeof(*f.out), err);
	f.seen = memory_new(bits_words(in->heap->nodes_count), sizeof(*f.seen), err);
	if (f.out)
		f.out->is_single = in->is_single;
	ok = f.out && f.seen && async_runtime_init(&f, err) &&
	     (contents_have_fields(in->heap) ? async_find_by_fields(&f, err)
					     : async_find_by_references(&f, err)) &&
	     (in->links_only || (find_chains(&f, err) && make_groups(&f, err) && sum_up(&f, err)));
	memory_free(f.seen);
	node_map_clear(&f.map);
	async_runtime_clear(&f);
	if (ok) {
		count_nameless(in->heap, f.out);
		return f.out;
	}
	async_free(f.out);
	return NULL;
}

void
async_free(struct async_calls *c)
{
	if (!c)
		return;
	if (c->holders) {
		c->holders--;
		return;
	}
	memory_free(c->items);
	memory_free(c->nexts);
	memory_free(c->chains);
	memory_free(c->groups);
	memory_free(c);
}

struct async_calls *
async_hold(struct async_calls *c)
{
	c->holders++;
	return c;
}

struct gathering {
	node_id *nodes;
	size_t count;
};

static void
gather(void *to, const struct async_item *item)
{
	struct gathering *g = to;

	g->nodes[g->count++] = item->node;
}

node_id *
async_group_nodes(const struct async_calls *c, uint32_t group, struct progress *progress,
		  struct error *err)
{
	const struct async_group *g = &c->groups[group];
	struct gathering to = { .nodes = memory_new((size_t)g->objects_count + 1, sizeof(*to.nodes),
						    err) };
	struct visited v = { 0 };
	bool ok;

	progress_begin(progress, "listing async calls", "calls", g->chains_count);
	ok = to.nodes && visited_init(&v, c, progress, err) &&
	     each_in_group(c, group, &v, gather, &to, err);
	memory_free(v.items);
	if (!ok) {
		memory_free(to.nodes);
		return NULL;
	}
	SORT_NUMBERS(to.nodes, to.count);
	return to.nodes;
}
