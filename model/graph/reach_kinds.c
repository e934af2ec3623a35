#include "model/graph/reach_kinds.h"

enum { LOOK_EVERY = 65536, KIND_UNKNOWN = 0xff };

struct filling {
	const struct reach *reach;
	uint8_t *kinds;
	struct progress *progress;
	uint64_t steps; /* a path can be as long as the heap is large */
};

static bool
may_go_on(struct filling *f)
{
	return ++f->steps % LOOK_EVERY || !progress_is_cancelled(f->progress);
}

/* Follows the path to an object whose kind is known, then stores that kind along the path: each
   object is visited twice at most. */
static bool
fill_way(struct filling *f, node_id from)
{
	const struct reach *reach = f->reach;
	node_id n = from;
	uint8_t kind;

	while (reach->distance[n] && f->kinds[n] == KIND_UNKNOWN) {
		n = reach->next[n];
		if (!may_go_on(f))
			return false;
	}
	kind = reach->distance[n] ? f->kinds[n] : reach->heap->roots[reach->next[n]].kind;
	f->kinds[n] = kind;
	for (n = from; f->kinds[n] == KIND_UNKNOWN; n = reach->next[n]) {
		f->kinds[n] = kind;
		if (!may_go_on(f))
			return false;
	}
	return true;
}

static bool
fill_all(struct filling *f, struct error *err)
{
	uint32_t count = f->reach->heap->nodes_count;

	progress_begin(f->progress, "finding roots", "objects", count);
	for (node_id n = 0; n < count; n++)
		f->kinds[n] =
		    f->reach->distance[n] == DISTANCE_UNREACHABLE ? REACH_KIND_NONE : KIND_UNKNOWN;
	for (node_id n = 0; n < count; n++) {
		if (f->kinds[n] == KIND_UNKNOWN && !fill_way(f, n))
			return error_cancelled(err);
		if (n % LOOK_EVERY == 0 && !progress_add(f->progress, LOOK_EVERY))
			return error_cancelled(err);
	}
	return true;
}

uint8_t *
reach_kinds_new(const struct reach *reach, struct progress *progress, struct error *err)
{
	struct filling f = { .reach = reach, .progress = progress };

	f.kinds = memory_new((size_t)reach->heap->nodes_count + 1, 1, err);
	if (!f.kinds || fill_all(&f, err))
		return f.kinds;
	memory_free(f.kinds);
	return NULL;
}
