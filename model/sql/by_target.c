#include "model/sql/by_target.h"
#include "model/base/arena.h"

enum { PART_REFS = 1 << 23 };

struct by_target {
	const struct heap *heap;
	take_ref *take;
	void *context;
	struct progress *progress;
	/* `starts[n]` is the index of the first reference to an object, among those of all objects;
	   in a part it moves to the next free place. */
	uint32_t *starts;
	/* The references to the objects from `first` to before `end`. */
	node_id first, end;
	uint32_t base; /* the index of the first of these */
	struct part_ref {
		node_id source;
		uint32_t number;
	} * refs;
};

typedef void add_ref(struct by_target *b, node_id source, node_id target, uint32_t number);

static bool
for_each_ref(struct by_target *b, add_ref *add, struct error *err)
{
	struct refs_scan scan;
	node_id target;

	refs_scan_init(&scan, b->heap, 0);
	while (scan.node < b->heap->nodes_count) {
		node_id source = scan.node;
		struct refs refs = refs_scan_begin(&scan);
		uint32_t number = 0;

		if (!(source % CHUNK_NODES) && progress_is_cancelled(b->progress))
			return error_cancelled(err);
		while (refs_next(&refs, &target))
			add(b, source, target, ++number);
		refs_scan_end(&scan, &refs);
	}
	return true;
}

static void
count_ref(struct by_target *b, node_id source, node_id target, uint32_t number)
{
	(void)source;
	(void)number;
	b->starts[target + 1]++;
}

static void
place_ref(struct by_target *b, node_id source, node_id target, uint32_t number)
{
	if (target >= b->first && target < b->end)
		b->refs[b->starts[target]++ - b->base] = (struct part_ref){ source, number };
}

/* Find where the references to each object begin. */
static bool
find_starts(struct by_target *b, struct error *err)
{
	uint32_t nodes = b->heap->nodes_count;

	b->starts = memory_new((size_t)nodes + 1, sizeof *b->starts, err);
	if (!b->starts || !for_each_ref(b, count_ref, err))
		return false;
	for (node_id n = 0; n < nodes; n++)
		b->starts[n + 1] += b->starts[n];
	return true;
}

/* Choose as many objects from `first` on as one part has references for. */
static void
choose_part(struct by_target *b)
{
	b->base = b->starts[b->first];
	b->end = b->first + 1;
	while (b->end < b->heap->nodes_count && b->starts[b->end + 1] - b->base <= PART_REFS)
		b->end++;
}

/* Take the references of a part, which end where those of the next object begin. */
static bool
take_part(struct by_target *b, struct error *err)
{
	uint32_t at = b->base;

	for (node_id n = b->first; n < b->end; n++)
		for (; at < b->starts[n]; at++) {
			const struct part_ref *ref = &b->refs[at - b->base];

			if (!b->take(b->context, ref->source, ref->number, n, err))
				return false;
		}
	return true;
}

static bool
do_part(struct by_target *b, struct error *err)
{
	bool ok;

	choose_part(b);
	b->refs =
	    memory_resize(NULL, (size_t)(b->starts[b->end] - b->base) + 1, sizeof *b->refs, err);
	ok = b->refs && for_each_ref(b, place_ref, err) && take_part(b, err);
	memory_free(b->refs);
	b->refs = NULL;
	b->first = b->end;
	return ok;
}

bool
refs_by_target(const struct heap *h, take_ref *take, void *context, struct progress *progress,
	       struct error *err)
{
	struct by_target b = { .heap = h, .take = take, .context = context, .progress = progress };
	bool ok;

	if (h->refs_count > UINT32_MAX)
		return error_set(err, ERROR_USAGE, "%llu references are too many for an index",
				 (unsigned long long)h->refs_count);
	ok = find_starts(&b, err);
	while (ok && b.first < h->nodes_count)
		ok = do_part(&b, err);
	memory_free(b.starts);
	return ok;
}
