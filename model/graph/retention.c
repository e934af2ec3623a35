#include "model/graph/retention.h"
#include "model/graph/derived.h"

static bool
compute_all(struct retention *retention, const struct reverse *rev, const struct ignored *ig,
	    uint64_t limit_bytes, struct progress *progress, struct error *err)
{
	const struct heap *h = rev->heap;

	if (!retention->dominators)
		retention->dominators = dominators_compute(h, rev, ig, limit_bytes, progress, err);
	if (!retention->dominators)
		return false;
	retention->retained = retained_compute(retention->dominators, progress, err);
	if (!retention->retained)
		return false;
	retention->types =
	    retained_by_type(retention->retained, false, &retention->arena, progress, err);
	retention->bytes = sizeof *retention + retention->dominators->bytes +
			   retention->retained->bytes + retention->arena.used_bytes;
	return retention->types != NULL;
}

const struct retention *
retention_compute(const struct heap *h, const struct reverse *rev, const struct reach *reach,
		  const struct ignored *ignored, uint64_t limit_bytes, struct progress *progress,
		  struct error *err)
{
	struct retention *retention = memory_new(1, sizeof *retention, err);
	const struct ignored *tables = NULL;
	bool ok;

	if (!retention)
		return NULL;
	arena_init(&retention->arena, 0);
	if (!ignored && !reach) {
		ignored = tables = ignored_with_all_tables(h, NULL, 0, progress, err);
	} else if (!ignored) {
		retention->dominators = derived_dominators(h, reach, progress, err);
		ignored = tables = ignored_with_tables(h, NULL, 0, reach->static_tables,
						       reach->static_tables_count, progress, err);
	}
	ok = ignored && err->kind == ERROR_NONE &&
	     compute_all(retention, rev, ignored, limit_bytes, progress, err);
	ignored_free(tables);
	if (ok)
		return retention;
	retention_free(retention);
	return NULL;
}

void
retention_free(const struct retention *retention)
{
	struct retention *owned = (struct retention *)(uintptr_t)retention;

	if (!retention)
		return;
	retained_free(owned->retained);
	dominators_free(owned->dominators);
	arena_clear(&owned->arena);
	memory_free(owned);
}

uint64_t
retention_bytes(const struct heap *h)
{
	return dominators_bytes(h) + h->nodes_count / 8 * 9;
}
