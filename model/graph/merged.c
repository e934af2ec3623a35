#include "model/graph/merged.h"

#include "model/heap/bits.h"
#include "model/heap/order.h"
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1 << 16 }; /* objects and references between checks for Esc */

/* Totals of the referrers of one type. */
struct sum {
	uint64_t refs_count, bytes, held_bytes;
	uint32_t count, held_count, cycle_count;
	node_id last_held; /* counted last; NODE_NONE at first */
	uint32_t row;      /* once assigned */
};

struct opening {
	const struct heap *heap;
	const struct reverse *rev;
	struct progress *progress;
	const struct merged_row *held;
	uint64_t *above;  /* bits: objects of the rows above */
	uint64_t *found;  /* bits: objects of the new rows */
	uint64_t *cycles; /* bits: objects above that refer to `held` */
	struct sum *sums; /* indexed by type */
	uint64_t work, reported;
	struct merged_row *rows;
	size_t rows_count, rows_room;
	struct error *err;
};

void
merged_row_clear(struct merged_row *row)
{
	memory_free(row->nodes);
	*row = (struct merged_row){ .type = TYPE_NONE, .root_name = "" };
}

bool
merged_top(struct merged_row *row, const struct heap *h, type_id type, struct progress *progress,
	   struct error *err)
{
	uint8_t *types = memory_new((size_t)h->types_count + 1, 1, err);
	struct id_list list;
	bool is_ok;

	*row = (struct merged_row){ .type = type, .root_name = "" };
	if (!types)
		return false;
	types[type] = 1;
	is_ok = id_list_of_types(&list, h, types, progress, err);
	memory_free(types);
	if (!is_ok)
		return false;
	row->nodes = list.ids;
	row->count = list.count;
	row->bytes = list.bytes_count;
	return true;
}

bool
merged_top_of(struct merged_row *row, const struct heap *h, type_id type, const node_id *nodes,
	      uint32_t count, struct error *err)
{
	*row = (struct merged_row){ .type = type, .root_name = "" };
	row->nodes = memory_new((size_t)count + 1, sizeof(*row->nodes), err);
	if (!row->nodes)
		return false;
	memcpy(row->nodes, nodes, count * sizeof(*nodes));
	row->count = count;
	for (uint32_t i = 0; i < count; i++)
		row->bytes += heap_size(h, nodes[i]);
	return true;
}

/* Counts `steps` of work; false when cancelled. */
static bool
opening_work(struct opening *o, uint64_t steps, uint32_t done)
{
	uint64_t more = done - o->reported;

	o->work += steps;
	if (o->work < BATCH)
		return true;
	o->work = 0;
	o->reported = done;
	return progress_add(o->progress, more) || error_cancelled(o->err);
}

static bool
mark_above(struct opening *o, const struct merged_row *const *path, uint32_t depth)
{
	for (uint32_t d = 0; d < depth; d++) {
		for (uint32_t i = 0; i < path[d]->count; i++) {
			bits_add(o->above, path[d]->nodes[i]);
			if (!opening_work(o, 1, 0))
				return false;
		}
	}
	return true;
}

/* --- referrers ----------------------------------------------------------- */

static void
sum_up_ref(struct opening *o, node_id source, node_id held)
{
	struct sum *sum = &o->sums[heap_type_of(o->heap, source)];

	if (bits_has(o->above, source)) {
		sum->cycle_count += !bits_has(o->cycles, source);
		bits_add(o->cycles, source);
		return;
	}
	sum->refs_count++;
	if (sum->last_held != held) {
		sum->held_count++;
		sum->held_bytes += heap_size(o->heap, held);
	}
	sum->last_held = held;
	if (bits_has(o->found, source))
		return;
	bits_add(o->found, source);
	sum->count++;
	sum->bytes += heap_size(o->heap, source);
}

static bool
sum_up_referrers(struct opening *o)
{
	struct reverse_scan scan = { .node = NODE_NONE };

	for (uint32_t i = 0; i < o->held->count; i++) {
		node_id held = o->held->nodes[i], source;
		struct referrers referrers;

		/* Within a block it is shorter to continue. */
		if (scan.node > held || scan.node >> BLOCK_SHIFT != held >> BLOCK_SHIFT)
			reverse_scan_init(&scan, o->rev, held);
		while (scan.node < held)
			reverse_scan_next(&scan);
		referrers = reverse_scan_next(&scan);
		while (referrers_next(&referrers, &source)) {
			sum_up_ref(o, source, held);
			if (!opening_work(o, 1, i))
				return false;
		}
		if (!opening_work(o, 1, i))
			return false;
	}
	return true;
}

/* --- rows ---------------------------------------------------------------- */

static struct merged_row *
add_row(struct opening *o)
{
	struct merged_row *row;

	if (o->rows_count == UINT32_MAX - 1) {
		error_set(o->err, ERROR_SYSTEM, "too many rows");
		return NULL;
	}
	if (!MAKE_ROOM(o->rows, o->rows_count + 1, o->rows_room, o->err))
		return NULL;
	row = &o->rows[o->rows_count++];
	*row = (struct merged_row){ .type = TYPE_NONE, .root_name = "" };
	return row;
}

static bool
add_type_row(struct opening *o, type_id type)
{
	const struct sum *sum = &o->sums[type];
	struct merged_row *row;

	if (!sum->count && !sum->cycle_count)
		return true;
	row = add_row(o);
	if (!row)
		return false;
	row->type = type;
	row->bytes = sum->bytes;
	row->refs_count = sum->refs_count;
	row->held_count = sum->held_count;
	row->held_bytes = sum->held_bytes;
	row->cycle_count = sum->cycle_count;
	row->nodes = memory_resize(NULL, (size_t)sum->count + 1, sizeof(*row->nodes), o->err);
	return row->nodes != NULL;
}

/* Most bytes held first; among equals roots, in the order in which they were added. */
static int
compare_rows(const void *a, const void *b)
{
	const struct merged_row *l = a, *r = b;

	if (l->held_bytes != r->held_bytes)
		return l->held_bytes > r->held_bytes ? -1 : 1;
	if ((l->type == TYPE_NONE) != (r->type == TYPE_NONE))
		return l->type == TYPE_NONE ? -1 : 1;
	if (l->type == TYPE_NONE)
		return l->order < r->order ? -1 : l->order > r->order;
	if (l->held_count != r->held_count)
		return l->held_count > r->held_count ? -1 : 1;
	if (l->refs_count != r->refs_count)
		return l->refs_count > r->refs_count ? -1 : 1;
	if (l->cycle_count != r->cycle_count)
		return l->cycle_count > r->cycle_count ? -1 : 1;
	return l->type < r->type ? -1 : l->type > r->type;
}

static bool
deal_nodes(struct opening *o)
{
	size_t words = bits_words(o->heap->nodes_count);

	for (size_t w = 0; w < words; w++) {
		for (uint64_t left = o->found[w]; left;) {
			node_id n = bits_take(&left, w);
			type_id type = heap_type_of(o->heap, n);
			struct merged_row *row = &o->rows[o->sums[type].row];

			row->nodes[row->count++] = n;
		}
		if (!opening_work(o, 1, o->held->count))
			return false;
	}
	return true;
}

static bool
add_type_rows(struct opening *o)
{
	size_t first = o->rows_count;

	for (type_id t = 0; t < o->heap->types_count; t++)
		if (!add_type_row(o, t))
			return false;
	for (size_t i = first; i < o->rows_count; i++)
		o->sums[o->rows[i].type].row = (uint32_t)i;
	return deal_nodes(o);
}

/* --- roots --------------------------------------------------------------- */

/* The roots of the objects in the row above. */
struct held_roots {
	struct root *roots;
	size_t count, room;
};

static bool
collect_roots(struct opening *o, struct held_roots *held)
{
	const struct heap *h = o->heap;
	uint32_t i = 0;

	/* Both are sorted by object. */
	for (uint32_t r = 0; r < h->roots_count; r++) {
		while (i < o->held->count && o->held->nodes[i] < h->roots[r].object)
			i++;
		if (i == o->held->count)
			return true;
		if (!opening_work(o, 1, o->held->count))
			return false;
		if (o->held->nodes[i] != h->roots[r].object)
			continue;
		if (!APPEND(held->roots, held->count, held->room, o->err, h->roots[r]))
			return false;
	}
	return true;
}

static int
compare_roots(const void *a, const void *b)
{
	const struct root *l = a, *r = b;
	int order = strcmp(l->name, r->name);

	return order ? order : l->object < r->object ? -1 : l->object > r->object;
}

static bool
has_same_name(const struct root *l, const struct root *r)
{
	return l->name == r->name || !strcmp(l->name, r->name);
}

static size_t
names_count(const struct root *roots, size_t count)
{
	size_t names = count > 0;

	for (size_t i = 1; i < count; i++)
		names += !has_same_name(&roots[i - 1], &roots[i]);
	return names;
}

static bool
add_root_row(struct opening *o, const struct root *roots, size_t count, const char *name)
{
	struct merged_row *row = add_row(o);

	if (!row)
		return false;
	row->root_kind = roots[0].kind;
	row->root_name = name;
	row->refs_count = count;
	row->order = (uint32_t)o->rows_count;
	for (size_t i = 0; i < count; i++) {
		if (i && roots[i].object == roots[i - 1].object)
			continue;
		row->held_count++;
		row->held_bytes += heap_size(o->heap, roots[i].object);
	}
	return true;
}

/* Adds rows for the roots of one kind, which are sorted by object. */
static bool
add_kind_rows(struct opening *o, struct root *roots, size_t count)
{
	size_t first = 0;

	/* Millions of finalizer roots share one name: do not sort them. */
	if (names_count(roots, count) > 1) {
		struct root *sorted = memory_resize(NULL, count, sizeof(*sorted), o->err);
		size_t names;

		if (!sorted)
			return false;
		memcpy(sorted, roots, count * sizeof(*sorted));
		qsort(sorted, count, sizeof(*sorted), compare_roots);
		names = names_count(sorted, count);
		if (names <= MERGED_ROOT_NAMES)
			memcpy(roots, sorted, count * sizeof(*sorted));
		memory_free(sorted);
		if (names > MERGED_ROOT_NAMES) {
			if (!add_root_row(o, roots, count, ""))
				return false;
			o->rows[o->rows_count - 1].has_all_names = true;
			return true;
		}
	}
	for (size_t i = 1; i <= count; i++) {
		if (i < count && has_same_name(&roots[first], &roots[i]))
			continue;
		if (!add_root_row(o, roots + first, i - first, roots[first].name))
			return false;
		first = i;
	}
	return true;
}

static bool
add_root_rows(struct opening *o)
{
	struct held_roots held = { 0 };
	struct root *of_kind;
	bool is_ok = collect_roots(o, &held);

	of_kind = memory_resize(NULL, held.count + 1, sizeof(*of_kind), o->err);
	is_ok = is_ok && of_kind;
	for (unsigned rank = 0; is_ok && rank <= UINT8_MAX; rank++) {
		size_t count = 0;

		for (unsigned kind = 0; is_ok && kind < ROOT_KIND_COUNT; kind++, count = 0) {
			if (root_kinds[kind].priority != rank)
				continue;
			for (size_t i = 0; i < held.count; i++)
				if (held.roots[i].kind == kind)
					of_kind[count++] = held.roots[i];
			is_ok = !count || add_kind_rows(o, of_kind, count);
		}
	}
	memory_free(of_kind);
	memory_free(held.roots);
	return is_ok;
}

/* ------------------------------------------------------------------------- */

static bool
opening_run(struct opening *o, const struct merged_row *const *path, uint32_t depth)
{
	for (type_id t = 0; t < o->heap->types_count; t++)
		o->sums[t].last_held = NODE_NONE;
	return mark_above(o, path, depth) && sum_up_referrers(o) && add_root_rows(o) &&
	       add_type_rows(o);
}

static void
sort_rows(struct opening *o)
{
	if (o->rows_count)
		qsort(o->rows, o->rows_count, sizeof(*o->rows), compare_rows);
}

bool
merged_open(struct merged_row **rows, uint32_t *rows_count, const struct merged_row *const *path,
	    uint32_t depth, const struct reverse *rev, struct progress *progress, struct error *err)
{
	const struct heap *h = rev->heap;
	size_t words = bits_words(h->nodes_count);
	struct opening o = {
		.heap = h, .rev = rev, .progress = progress, .held = path[depth - 1], .err = err
	};
	bool is_ok;

	*rows = NULL;
	*rows_count = 0;
	progress_begin(progress, "looking for referrers", "objects", o.held->count);
	o.above = memory_new(words, sizeof(*o.above), err);
	o.found = memory_new(words, sizeof(*o.found), err);
	o.cycles = memory_new(words, sizeof(*o.cycles), err);
	o.sums = memory_new((size_t)h->types_count + 1, sizeof(*o.sums), err);
	is_ok = o.above && o.found && o.cycles && o.sums && opening_run(&o, path, depth);
	if (is_ok)
		sort_rows(&o);
	memory_free(o.above);
	memory_free(o.found);
	memory_free(o.cycles);
	memory_free(o.sums);
	for (size_t i = 0; !is_ok && i < o.rows_count; i++)
		merged_row_clear(&o.rows[i]);
	if (!is_ok) {
		memory_free(o.rows);
		return false;
	}
	*rows = o.rows;
	*rows_count = (uint32_t)o.rows_count;
	return true;
}
