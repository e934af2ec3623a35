#include "model/graph/derived.h"
#include "model/base/arena.h"
#include <string.h>

static const struct reach *
read_reach(const struct heap *h, struct progress *progress, struct error *err)
{
	const struct heap_derived *d = h->derived;
	struct reach_restoring r;

	if (!reach_restore_begin(&r, h, d->static_tables_count, err))
		return NULL;
	if (d->static_tables_count)
		memcpy(r.static_tables, d->static_tables,
		       d->static_tables_count * sizeof(*d->static_tables));
	if (d->read_ways(d->kept, &r, progress, err))
		return reach_restore_end(&r, d->static_refs_count, progress, err);
	reach_free(r.reach);
	return NULL;
}

const struct reach *
derived_reach(const struct heap *h, bool prefer_statics, struct progress *progress,
	      struct error *err)
{
	const struct heap_derived *d = h->derived;
	const struct reach *reach = NULL;
	struct memory_refused before = memory_refused();
	struct error why = { 0 };

	if (d && d->read_ways && d->prefers_statics == prefer_statics)
		reach = read_reach(h, progress, &why);
	if (reach)
		return reach;
	if (why.kind == ERROR_CANCELLED) {
		*err = why;
		return NULL;
	}
	/* Bad results in the file only cost time: compute them. */
	memory_refused_set(before);
	return reach_compute(h, prefer_statics, progress, err);
}

static bool
is_about(const struct heap_derived *d, const struct reach *reach)
{
	uint32_t count = reach->static_tables_count;

	return d->static_tables_count == count &&
	       (!count ||
		!memcmp(d->static_tables, reach->static_tables, count * sizeof(*d->static_tables)));
}

const struct dominators *
derived_dominators(const struct heap *h, const struct reach *reach, struct progress *progress,
		   struct error *err)
{
	const struct heap_derived *d = h->derived;
	const struct dominators *dominators = NULL;
	struct dominators_restoring r;
	struct memory_refused before = memory_refused();
	struct error why = { 0 };

	if (!d || !d->read_dominators || !is_about(d, reach) ||
	    !dominators_restore_begin(&r, h, &why))
		return NULL;
	if (d->read_dominators(d->kept, &r, progress, &why))
		dominators = dominators_restore_end(&r, d->reachable_count, progress, &why);
	else
		dominators_free(r.dominators);
	if (why.kind == ERROR_CANCELLED)
		*err = why;
	memory_refused_set(before);
	return dominators;
}
