#include "model/graph/retention.h"
#include "model/graph/derived.h"

static bool
compute_all(struct holdings *holdings, const struct reverse *rev,
	    const struct ignored *ig, uint64_t limit_bytes,
	    struct progress *progress, struct error *err)
{
	const struct heap *h = rev->heap;

	if (!holdings->dominators)
		holdings->dominators =
		    dominators_compute(h, rev, ig, limit_bytes, progress, err);
	if (!holdings->dominators)
		return false;
	holdings->retained =
	    retained_compute(holdings->dominators, progress, err);
	if (!holdings->retained)
		return false;
	holdings->types = retained_by_type(holdings->retained, false,
					   &holdings->arena, progress, err);
	holdings->bytes = sizeof *holdings + holdings->dominators->bytes +
			  holdings->retained->bytes +
			  holdings->arena.used_bytes;
	return holdings->types != NULL;
}

const struct holdings *
holdings_compute(const struct heap *h, const struct reverse *rev,
		 const struct reach *reach, const struct ignored *ignored,
		 uint64_t limit_bytes, struct progress *progress,
		 struct error *err)
{
	struct holdings *holdings = memory_new(1, sizeof *holdings, err);
	const struct ignored *tables = NULL;
	bool ok;

	if (!holdings)
		return NULL;
	arena_init(&holdings->arena, 0);
	if (!ignored) {
		holdings->dominators =
		    derived_dominators(h, reach, progress, err);
		ignored = tables = ignored_with_tables(
		    h, NULL, 0, reach->static_tables,
		    reach->static_tables_count, progress, err);
	}
	ok = ignored && err->kind == ERROR_NONE &&
	     compute_all(holdings, rev, ignored, limit_bytes, progress, err);
	ignored_free(tables);
	if (ok)
		return holdings;
	holdings_free(holdings);
	return NULL;
}

void
holdings_free(const struct holdings *holdings)
{
	struct holdings *owned = (struct holdings *)(uintptr_t)holdings;

	if (!holdings)
		return;
	retained_free(owned->retained);
	dominators_free(owned->dominators);
	arena_clear(&owned->arena);
	memory_free(owned);
}

uint64_t
holdings_bytes(const struct heap *h)
{
	return dominators_bytes(h) + h->nodes_count / 8 * 9;
}
