#include "model/graph/mine.h"
#include "model/base/arena.h"
#include "model/heap/bits.h"

enum { BATCH = 1 << 16, AHEAD = 24 };

static void
sum_add(struct mine_sum *to, const struct mine_sum *more)
{
	to->count += more->count;
	to->bytes += more->bytes;
	to->own_bytes += more->own_bytes;
	to->dead_count += more->dead_count;
	to->dead_bytes += more->dead_bytes;
	if (more->max_bytes > to->max_bytes)
		to->max_bytes = more->max_bytes;
}

/* Counts every type for itself, where dominators are unknown. */
static void
count_types(struct mine *m, const struct type *types)
{
	for (type_id t = 0; t < m->types_count; t++) {
		const struct type *type = &types[t];
		uint64_t bytes = type_scaled(type, type->bytes);
		struct mine_sum sum = { .count = type_scaled(type, type->count),
					.bytes = bytes,
					.own_bytes = bytes,
					.max_bytes = type->max_bytes };

		sum_add(m->owners[t] == CODE_FRAMEWORK ? &m->left_out : &m->types[t], &sum);
	}
}

/* --- objects ------------------------------------------------------------- */

/* Returns the type that an object counts with, TYPE_NONE if it is left out; `holder` is that of its
   dominator. */
static type_id
type_counted_with(const struct mine *m, type_id type, type_id holder)
{
	switch ((enum code_owner)m->owners[type]) {
	case CODE_MINE:
		return type;
	case CODE_ARRAY:
		return holder == TYPE_NONE ? type : holder;
	case CODE_FRAMEWORK:
		break;
	}
	return holder;
}

static void
add_object(struct mine_sum *sum, const struct type *t, uint64_t size, bool is_itself, bool is_dead)
{
	uint64_t bytes = type_scaled(t, size);
	uint64_t count = is_itself ? type_scaled(t, 1) : 0;

	sum->bytes += bytes;
	sum->count += count;
	if (is_dead) {
		sum->dead_bytes += bytes;
		sum->dead_count += count;
	}
	if (!is_itself)
		return;
	sum->own_bytes += bytes;
	if (size > sum->max_bytes)
		sum->max_bytes = size;
}

/* Sizes are in id order, too. */
static inline void
prefetch(const struct dominators *d, node_id n)
{
	dominators_prefetch_type(d, n);
	__builtin_prefetch(&d->heap->size_codes[n]);
}

/* A dominator comes before all that it dominates, so its own holder is known when they are
   reached. */
static bool
count_objects(struct mine *m, const struct dominators *d, type_id *holders,
	      struct progress *progress, struct error *err)
{
	const struct heap *h = d->heap;

	progress_begin(progress, "adding up my code", "objects", h->nodes_count);
	for (uint32_t p = 0; p < h->nodes_count; p++) {
		node_id n = d->objects[p];
		type_id type = heap_type_of(h, n), with;

		if (p + AHEAD < h->nodes_count)
			prefetch(d, d->objects[p + AHEAD]);
		with = type_counted_with(m, type,
					 d->parents[p] ? holders[d->parents[p] - 1] : TYPE_NONE);
		holders[p] = with;
		if (with != TYPE_NONE)
			bits_add(m->counted, n);
		add_object(with == TYPE_NONE ? &m->left_out : &m->types[with], &h->types[type],
			   heap_size(h, n), with == TYPE_NONE || with == type,
			   p >= d->reachable_count);
		if (!(p & (BATCH - 1)) && !progress_add(progress, p ? BATCH : 0))
			return error_cancelled(err);
	}
	return true;
}

static bool
count_by_dominators(struct mine *m, const struct dominators *d, struct progress *progress,
		    struct error *err)
{
	uint32_t count = d->heap->nodes_count;
	type_id *holders = memory_new((size_t)count + 1, sizeof *holders, err);
	bool ok;

	m->counted = memory_new(bits_words(count) + 1, sizeof *m->counted, err);
	ok = holders && m->counted && count_objects(m, d, holders, progress, err);
	memory_free(holders);
	return ok;
}

/* --- all ----------------------------------------------------------------- */

static void
sum_types(struct mine *m, const struct type *types)
{
	for (type_id t = 0; t < m->types_count; t++) {
		m->present_count += types[t].count > 0;
		m->mine_count += m->types[t].count > 0;
		sum_add(&m->all, &m->types[t]);
	}
}

bool
mine_compute(struct mine *m, const struct type *types, uint32_t types_count,
	     const struct dominators *d, const char *patterns, struct progress *progress,
	     struct error *err)
{
	size_t room = (size_t)types_count + 1;
	bool ok;

	*m = (struct mine){ .types_count = types_count };
	m->owners = my_code_owners(types, types_count, patterns, err);
	m->types = memory_new(room, sizeof *m->types, err);
	ok = m->owners && m->types;
	if (ok && d)
		ok = count_by_dominators(m, d, progress, err);
	else if (ok)
		count_types(m, types);
	if (ok)
		sum_types(m, types);
	else
		mine_clear(m);
	return ok;
}

void
mine_clear(struct mine *m)
{
	memory_free(m->owners);
	memory_free(m->types);
	memory_free(m->counted);
	*m = (struct mine){ 0 };
}

bool
mine_has(const struct mine *m, const struct heap *h, node_id n)
{
	if (m->counted)
		return bits_has(m->counted, n);
	return m->owners[heap_type_of(h, n)] != CODE_FRAMEWORK;
}
