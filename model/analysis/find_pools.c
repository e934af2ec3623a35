/*
 * Pools of the framework that keep much for reuse. Which types a pool is made of is a table; every
 * pool of one sort is one finding, wherever its parts have their roots: the buckets of
 * ArrayPool<T>.Shared are thread static variables. What a pool keeps is found by references: words
 * left over on stacks refer to pooled objects, too, so that nothing dominates them.
 */
#include "model/analysis/finder.h"
#include "model/analysis/library_types.h"
#include "model/base/hash.h"
#include "model/base/sorted.h"
#include "model/heap/bits.h"
#include <stdlib.h>
#include <string.h>

enum {
	POOL_PARTS = 10,    /* times `much` */
	POOL_MIN = 4 << 20, /* bytes; every server keeps some buffers */
};

/* Returns the name of the pool that has this part. */
static const char *
pool_name(const struct finder *f, node_id part)
{
	return library_type_of(heap_type(f->heap, part), LIBRARY_POOL)->name;
}

bool
finder_is_pooled(const struct finder *f, node_id n)
{
	for (uint32_t i = 0; i < f->out->count; i++) {
		const struct finding *pool = &f->out->items[i];

		if (pool->kind == &finding_pool &&
		    bsearch(&n, pool->nodes, pool->nodes_count, sizeof n, compare_u32))
			return true;
	}
	return false;
}

/* The bytes that a pool holds, and the threads for which it has buckets. */
struct pooled {
	uint64_t bytes, threads;
};

/* Tallies the objects of the pool and those that they retain, each once. */
static bool
tally_all(struct finder *f, const struct members *m, uint32_t from, uint32_t end, struct error *err)
{
	const struct dominators *d = f->retained->dominators;
	uint32_t *positions = memory_new(end - from, sizeof *positions, err);
	uint32_t inside = 0;
	uint64_t steps = 0;
	bool ok = positions != NULL;

	for (uint32_t i = from; ok && i < end; i++)
		positions[i - from] = d->positions[m->items[i].node];
	if (ok)
		SORT_NUMBERS(positions, end - from);
	for (uint32_t i = 0; ok && i < end - from; i++) {
		uint32_t p = positions[i] < inside ? inside : positions[i];

		if (positions[i] >= inside)
			inside = dominators_end(d, positions[i]);
		for (; ok && p < inside; p++) {
			tally_add(&f->tally, f->heap, d->objects[p]);
			ok = finder_may_go_on(f, &steps, err);
		}
	}
	memory_free(positions);
	return ok;
}

/* Returns the type with the most bytes. */
static type_id
largest_type(const struct tally *t)
{
	type_id best = TYPE_NONE;

	for (uint32_t i = 0; i < t->types_count; i++)
		if (best == TYPE_NONE || t->bytes[t->types[i]] > t->bytes[best])
			best = t->types[i];
	return best;
}

static bool
describe_pool(struct finder *f, struct finding *out, const struct members *m, uint32_t from,
	      uint32_t end, struct error *err)
{
	struct pooled *pooled = arena_new(&f->out->arena, struct pooled, err);

	if (!pooled || !tally_all(f, m, from, end, err))
		return false;
	out->type = largest_type(&f->tally);
	out->count = f->tally.counts[out->type];
	pooled->bytes = f->tally.bytes[out->type];
	tally_clear(&f->tally);
	for (uint32_t i = from; i < end; i++)
		pooled->threads +=
		    raw_ends(heap_type(f->heap, m->items[i].node), "ThreadLocalArray[]");
	out->more = pooled;
	return true;
}

static bool
report_pool(void *context, const struct members *m, uint32_t from, uint32_t end, struct error *err)
{
	struct finder *f = context;
	struct finding *out;
	uint64_t bytes;

	if (!finder_retained(f, m, from, end, &bytes, err))
		return false;
	if (bytes < POOL_PARTS * f->much || bytes < POOL_MIN)
		return true;
	out = finder_add(f, &finding_pool, err);
	if (!out || !describe_pool(f, out, m, from, end, err))
		return false;
	out->name = pool_name(f, m->items[from].other);
	out->subject = m->items[from].node;
	return finding_set_members(f, out, m, from, end, err);
}

struct pools {
	struct finder *f;
	/* Parts of pools, then what is found in these. `key`: hash of the pool's name, by which
	   two are taken for one; `other`: a part of it. */
	struct members members;
	uint64_t steps;
};

/* Returns true for objects that only lead to the pooled ones. */
static bool
leads_on(const struct finder *f, node_id n)
{
	const struct type *t = heap_type(f->heap, n);

	return f->roles[heap_type_of(f->heap, n)] == ROLE_POOL || is_collection(t) || is_part(t) ||
	       (t->flags & TYPE_ARRAY && t->flags & TYPE_HAS_REFS);
}

/*
 * Adds the objects to which one of the pool refers. Pools refer to more than to what they keep,
 * such as loggers; only collections and arrays lead to pooled objects.
 */
static bool
add_targets(struct pools *p, struct member from, struct error *err)
{
	struct finder *f = p->f;
	const struct type *t = heap_type(f->heap, from.node);
	bool is_pool = f->roles[heap_type_of(f->heap, from.node)] == ROLE_POOL &&
		       !(t->flags & TYPE_ARRAY) && !is_part(t);
	struct refs r = heap_refs(f->heap, from.node);
	struct member to = { .key = from.key, .other = from.other };
	bool ok = true;

	while (ok && refs_next(&r, &to.node)) {
		if (bits_has(f->seen, to.node) || (is_pool && !leads_on(f, to.node)))
			continue;
		bits_add(f->seen, to.node);
		ok = members_add(&p->members, to, err) && finder_may_go_on(f, &p->steps, err);
	}
	return ok;
}

/* Adds all parts of pools, and from there what they keep. */
static bool
gather_pools(struct pools *p, struct error *err)
{
	struct finder *f = p->f;
	const struct node_list *parts = &f->by_role[ROLE_POOL];
	bool ok = true;

	for (uint32_t i = 0; ok && i < parts->count; i++) {
		node_id part = parts->items[i];
		struct member m = { .key = hash_text(HASH_START, pool_name(f, part)),
				    .node = part,
				    .other = part };

		bits_add(f->seen, part);
		ok = members_add(&p->members, m, err);
	}
	for (uint32_t i = 0; ok && i < p->members.count; i++)
		if (leads_on(f, p->members.items[i].node))
			ok = add_targets(p, p->members.items[i], err);
	for (uint32_t i = 0; i < p->members.count; i++)
		bits_remove(f->seen, p->members.items[i].node);
	return ok;
}

static bool
find_pools(struct finder *f, struct error *err)
{
	struct pools p = { .f = f };
	bool ok = gather_pools(&p, err) && members_report(&p.members, report_pool, f, err);

	memory_free(p.members.items);
	return ok;
}

/* --- in words ------------------------------------------------------------ */

static void
what_pool(struct finding_words *w, struct text *out)
{
	text_add(out, w->finding->name);
}

static void
why_pool(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;
	const struct pooled *pooled = f->more;

	text_addf(out, "holds %s %s (%s) for reuse", words_count(w, f->count), words_type(w),
		  words_size(w, pooled->bytes));
	if (pooled->threads)
		text_addf(out, ", in the buckets of %s thread%s", words_count(w, pooled->threads),
			  plural(pooled->threads));
}

/*
 * All pools of one sort keep 10 times `much` and 4 MiB. `type`, `count`: the objects that take
 * most; `name`: the pool; `more`: their bytes, and the threads with buckets. Evidence: the parts of
 * the pools and the pooled objects.
 */
const struct finding_kind finding_pool = {
	.id = "pool",
	.title = "pools",
	.harmless = "no leak if as much is in use at the same time again and again; a pool keeps "
		    "what the largest load has taken, for seconds or for ever",
	.find = find_pools,
	.needs_retained = true,
	.what = what_pool,
	.why = why_pool,
	.id_parts = ID_NAME,
};
