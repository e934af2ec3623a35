#include "model/graph/root_ways.h"
#include "model/heap/framework.h"
#include "model/base/sorted.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 1 << 16 }; /* objects and references between checks for Esc */

/* --- objects on paths ----------------------------------------------------- */

static uint32_t
rank_of(const struct root_ways *w, node_id n)
{
	uint64_t before = (UINT64_C(1) << (n & 63)) - 1;

	return w->ranks[n >> 6] + (uint32_t)__builtin_popcountll(w->on_way[n >> 6] & before);
}

static bool
mark_ways(struct root_ways *w, const node_id *targets, uint32_t count, struct progress *progress,
	  struct error *err)
{
	const struct reach *reach = w->reach;
	uint64_t work = 0;

	for (uint32_t i = 0; i < count; i++) {
		node_id n = targets[i];

		if (bits_has(w->is_target, n))
			continue;
		bits_add(w->is_target, n);
		if (reach->distance[n] == DISTANCE_UNREACHABLE) {
			w->lost_count++;
			continue;
		}
		w->reached_count++;
		w->reached_bytes += heap_size(reach->heap, n);
		for (; !bits_has(w->on_way, n); n = reach->next[n]) {
			bits_add(w->on_way, n);
			if (!(++work & (BATCH - 1)) && progress_is_cancelled(progress))
				return error_cancelled(err);
			if (!reach->distance[n])
				break;
		}
		if (!(i & (BATCH - 1)) && !progress_add(progress, 0))
			return error_cancelled(err);
	}
	return true;
}

static uint32_t
count_ranks(struct root_ways *w)
{
	size_t words = bits_words(w->reach->heap->nodes_count);
	uint32_t sum = 0;

	for (size_t i = 0; i < words; i++) {
		w->ranks[i] = sum;
		sum += (uint32_t)__builtin_popcountll(w->on_way[i]);
	}
	return sum;
}

/* Calls `visit` for every object on a path, in id order. */
static void
each_on_way(const struct root_ways *w, void (*visit)(void *to, node_id n), void *to)
{
	size_t words = bits_words(w->reach->heap->nodes_count);

	for (size_t i = 0; i < words; i++)
		for (uint64_t left = w->on_way[i]; left;)
			visit(to, bits_take(&left, i));
}

/* Objects by distance, ascending: a counting sort. */
struct by_distance {
	const struct reach *reach;
	uint32_t longest;
	uint32_t *ends; /* running end of each distance */
	node_id *nodes;
};

static void
note_longest(void *to, node_id n)
{
	struct by_distance *b = to;

	if (b->reach->distance[n] > b->longest)
		b->longest = b->reach->distance[n];
}

static void
count_distance(void *to, node_id n)
{
	struct by_distance *b = to;

	b->ends[b->reach->distance[n] + 1]++;
}

static void
place_by_distance(void *to, node_id n)
{
	struct by_distance *b = to;

	b->nodes[b->ends[b->reach->distance[n]]++] = n;
}

static bool
sort_by_distance(struct by_distance *b, const struct root_ways *w, uint32_t count,
		 struct error *err)
{
	*b = (struct by_distance){ .reach = w->reach };
	each_on_way(w, note_longest, b);
	b->ends = memory_new((size_t)b->longest + 2, sizeof(*b->ends), err);
	b->nodes = memory_new((size_t)count + 1, sizeof(*b->nodes), err);
	if (!b->ends || !b->nodes)
		return false;
	each_on_way(w, count_distance, b);
	for (uint32_t d = 0; d <= b->longest; d++)
		b->ends[d + 1] += b->ends[d];
	each_on_way(w, place_by_distance, b);
	return true;
}

/* Adds the totals of each object to the next one, farthest first. */
static bool
sum_up(struct root_ways *w, uint32_t count, struct progress *progress, struct error *err)
{
	const struct reach *reach = w->reach;
	struct by_distance b;
	bool is_ok = sort_by_distance(&b, w, count, err);

	for (uint32_t i = count; is_ok && i-- > 0;) {
		node_id n = b.nodes[i];
		uint32_t at = rank_of(w, n), before;

		if (!(i & (BATCH - 1)) && progress_is_cancelled(progress))
			is_ok = error_cancelled(err);
		if (bits_has(w->is_target, n)) {
			w->counts[at]++;
			w->bytes[at] += heap_size(reach->heap, n);
		}
		if (!reach->distance[n])
			continue;
		before = rank_of(w, reach->next[n]);
		w->counts[before] += w->counts[at];
		w->bytes[before] += w->bytes[at];
	}
	memory_free(b.ends);
	memory_free(b.nodes);
	return is_ok;
}

static bool
ways_fill(struct root_ways *w, const node_id *targets, uint32_t count, struct progress *progress,
	  struct error *err)
{
	size_t words = bits_words(w->reach->heap->nodes_count);
	uint32_t on_way;

	w->is_target = arena_array(&w->arena, uint64_t, words, err);
	if (!w->is_target)
		return false;
	w->on_way = arena_array(&w->arena, uint64_t, words, err);
	if (!w->on_way)
		return false;
	w->ranks = arena_array(&w->arena, uint32_t, words, err);
	if (!w->ranks || !mark_ways(w, targets, count, progress, err))
		return false;
	on_way = count_ranks(w);
	w->counts = arena_array(&w->arena, uint32_t, (size_t)on_way + 1, err);
	if (w->counts)
		w->bytes = arena_array(&w->arena, uint64_t, (size_t)on_way + 1, err);
	return w->bytes && sum_up(w, on_way, progress, err);
}

struct root_ways *
root_ways_new(const struct reach *reach, const node_id *targets, uint32_t count,
	      struct progress *progress, struct error *err)
{
	struct root_ways *w = memory_new(1, sizeof(*w), err);

	if (!w)
		return NULL;
	w->reach = reach;
	arena_init(&w->arena, 0);
	progress_begin(progress, "following ways to the roots", "objects", 0);
	if (ways_fill(w, targets, count, progress, err))
		return w;
	root_ways_free(w);
	return NULL;
}

void
root_ways_free(struct root_ways *ways)
{
	if (!ways)
		return;
	arena_clear(&ways->arena);
	memory_free(ways);
}

/* --- rows ----------------------------------------------------------------- */

void
root_ways_rows_clear(struct root_ways_rows *rows)
{
	for (uint32_t i = 0; i < rows->count; i++)
		memory_free(rows->items[i].joined);
	memory_free(rows->items);
	memory_free(rows->nodes);
	memory_free(rows->joined);
	*rows = (struct root_ways_rows){ 0 };
}

static int
compare_rows(const void *left, const void *right)
{
	const struct root_ways_row *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->root_kind != b->root_kind)
		return a->root_kind < b->root_kind ? -1 : 1;
	return a->root_name && b->root_name ? strcmp(a->root_name, b->root_name) : 0;
}

static void
row_add(struct root_ways_row *row, const struct root_ways *w, node_id n)
{
	uint32_t at = rank_of(w, n);

	row->count += w->counts[at];
	row->bytes += w->bytes[at];
	row->ends_count += row->type != TYPE_NONE && bits_has(w->is_target, n);
	row->nodes_count++;
}

/* Returns the root of a path whose rooted object is `n`. */
static const struct root *
root_at(const struct root_ways *w, node_id n)
{
	return &w->reach->heap->roots[w->reach->next[n]];
}

struct named_node {
	const struct root *root;
	node_id node;
};

static int
compare_named(const void *left, const void *right)
{
	const struct named_node *a = left, *b = right;
	int order;

	if (a->root->kind != b->root->kind)
		return a->root->kind < b->root->kind ? -1 : 1;
	order = strcmp(a->root->name, b->root->name);
	return order ? order : (a->node > b->node) - (a->node < b->node);
}

struct tops {
	const struct root_ways *ways;
	struct named_node *items;
	size_t count, room;
	struct error *err;
	bool has_failed;
};

static void
note_top(void *to, node_id n)
{
	struct tops *t = to;

	if (t->ways->reach->distance[n] || t->has_failed)
		return;
	t->has_failed = !APPEND(t->items, t->count, t->room, t->err,
				(struct named_node){ root_at(t->ways, n), n });
}

static bool
is_same_name(const struct named_node *a, const struct named_node *b)
{
	return a->root->kind == b->root->kind && !strcmp(a->root->name, b->root->name);
}

/* Returns the end of the roots of this kind; `names` is their number of
   names. */
static size_t
kind_end(const struct tops *t, size_t start, size_t *names)
{
	size_t end = start + 1;

	*names = 1;
	for (; end < t->count && t->items[end].root->kind == t->items[start].root->kind; end++)
		*names += !is_same_name(&t->items[end - 1], &t->items[end]);
	return end;
}

static void
tops_to_rows(struct root_ways_rows *rows, const struct tops *t)
{
	size_t end = 0, names = 0;

	for (size_t i = 0; i < t->count; i++) {
		struct root_ways_row *row = &rows->items[rows->count];
		bool is_first = i == end;

		if (is_first)
			end = kind_end(t, i, &names);
		if (is_first ||
		    (names <= ROOT_WAYS_NAMES && !is_same_name(&t->items[i - 1], &t->items[i])))
			rows->count++;
		else
			row--;
		if (!row->nodes) {
			row->type = TYPE_NONE;
			row->root_kind = t->items[i].root->kind;
			row->root_name = names <= ROOT_WAYS_NAMES ? t->items[i].root->name : "";
			row->has_all_names = names > ROOT_WAYS_NAMES;
			row->nodes = rows->nodes + i;
		}
		rows->nodes[i] = t->items[i].node;
		row_add(row, t->ways, t->items[i].node);
	}
}

bool
root_ways_top(struct root_ways_rows *rows, const struct root_ways *ways, struct progress *progress,
	      struct error *err)
{
	struct tops t = { .ways = ways, .err = err };
	bool is_ok;

	*rows = (struct root_ways_rows){ 0 };
	each_on_way(ways, note_top, &t);
	if (t.count)
		qsort(t.items, t.count, sizeof(*t.items), compare_named);
	rows->items = memory_new(t.count + 1, sizeof(*rows->items), err);
	rows->nodes = memory_new(t.count + 1, sizeof(*rows->nodes), err);
	is_ok = !t.has_failed && rows->items && rows->nodes;
	if (is_ok && progress_is_cancelled(progress))
		is_ok = error_cancelled(err);
	if (is_ok) {
		tops_to_rows(rows, &t);
		qsort(rows->items, rows->count, sizeof(*rows->items), compare_rows);
	} else {
		root_ways_rows_clear(rows);
	}
	memory_free(t.items);
	return is_ok;
}

/* The objects below a row, while they are collected. */
struct below {
	const struct root_ways *ways;
	type_id list_type; /* objects of this type are passed; or TYPE_NONE */
	node_id *list;     /* passed; those before `looked_below` have been followed */
	size_t list_count, list_room, looked_below;
	bool is_joined; /* objects of `list_type` are in the row already */
	node_id *nodes;
	size_t count, room;
	uint64_t work;
	struct progress *progress;
	struct error *err;
};

static bool
below_add(struct below *b, node_id n)
{
	return APPEND(b->nodes, b->count, b->room, b->err, n);
}

static bool
below_work(struct below *b)
{
	return ++b->work & (BATCH - 1) || progress_add(b->progress, 0) || error_cancelled(b->err);
}

/* Sorts numbers from `first` on, drops those that follow their like, and returns their new count.
 */
static size_t
drop_doubles(node_id *nodes, size_t first, size_t count)
{
	size_t kept = first;

	if (!nodes)
		return 0;
	if (count - first < 2)
		return count;
	SORT_NUMBERS(nodes + first, count - first);
	for (size_t i = first; i < count; i++)
		if (kept == first || nodes[kept - 1] != nodes[i])
			nodes[kept++] = nodes[i];
	return kept;
}

static bool
pass(struct below *b, node_id n)
{
	return b->is_joined || APPEND(b->list, b->list_count, b->list_room, b->err, n);
}

/*
 * Adds what is right below an object. An object is below one other only, but found once for each
 * reference: without its doubles dropped at once, a list would be followed twice from each object
 * that refers to the next one twice, and so 2^40 times to its 40th.
 */
static bool
gather_below(struct below *b, node_id above)
{
	const struct reach *reach = b->ways->reach;
	struct refs refs = heap_refs(reach->heap, above);
	const size_t first_node = b->count, first_passed = b->list_count;
	node_id n;

	while (refs_next(&refs, &n)) {
		if (!below_work(b))
			return false;
		if (!bits_has(b->ways->on_way, n) || !reach->distance[n] || reach->next[n] != above)
			continue;
		if (heap_type_of(reach->heap, n) == b->list_type ? !pass(b, n) : !below_add(b, n))
			return false;
	}
	b->count = drop_doubles(b->nodes, first_node, b->count);
	b->list_count = drop_doubles(b->list, first_passed, b->list_count);
	return true;
}

/* Looks below an object, and below those that follow it in a list. */
static bool
gather_list(struct below *b, node_id above)
{
	if (!gather_below(b, above))
		return false;
	while (b->looked_below < b->list_count)
		if (!gather_below(b, b->list[b->looked_below++]))
			return false;
	return true;
}

static void
count_by_type(struct root_ways_rows *rows, const struct below *b, uint32_t *row_of)
{
	const struct heap *h = b->ways->reach->heap;

	for (size_t i = 0; b->nodes && i < b->count; i++) {
		type_id type = heap_type_of(h, b->nodes[i]);

		if (!row_of[type]) {
			row_of[type] = ++rows->count;
			rows->items[rows->count - 1].type = type;
		}
		row_add(&rows->items[row_of[type] - 1], b->ways, b->nodes[i]);
	}
}

static void
deal_nodes(struct root_ways_rows *rows, const struct below *b, const uint32_t *row_of)
{
	const struct heap *h = b->ways->reach->heap;
	node_id *at = rows->nodes;

	for (uint32_t i = 0; i < rows->count; i++) {
		rows->items[i].nodes = at;
		at += rows->items[i].nodes_count;
		rows->items[i].nodes_count = 0;
	}
	for (size_t i = 0; i < b->count; i++) {
		struct root_ways_row *row = &rows->items[row_of[heap_type_of(h, b->nodes[i])] - 1];

		row->nodes[row->nodes_count++] = b->nodes[i];
	}
}

static bool
deal_by_type(struct root_ways_rows *rows, const struct below *b, struct error *err)
{
	uint32_t types_count = b->ways->reach->heap->types_count;
	size_t most = b->count < types_count ? b->count : types_count;
	uint32_t *row_of = memory_new((size_t)types_count + 1, sizeof(*row_of), err);

	if (!row_of)
		return false;
	rows->items = memory_new(most + 1, sizeof(*rows->items), err);
	if (rows->items)
		rows->nodes = memory_new(b->count + 1, sizeof(*rows->nodes), err);
	if (rows->items && rows->nodes) {
		count_by_type(rows, b, row_of);
		deal_nodes(rows, b, row_of);
	}
	memory_free(row_of);
	return rows->nodes != NULL;
}

/* Hands over the objects that were passed, with those that they follow. */
static bool
take_list(struct root_ways_rows *rows, struct below *b, const struct root_ways_row *above)
{
	if (!b->list_count || above->joined)
		return true;
	for (uint32_t i = 0; i < above->nodes_count; i++)
		if (!pass(b, above->nodes[i]))
			return false;
	SORT_NUMBERS(b->list, b->list_count);
	rows->joined = b->list;
	rows->joined_count = (uint32_t)b->list_count;
	b->list = NULL;
	return true;
}

void
root_ways_join(struct root_ways_row *above, struct root_ways_rows *below)
{
	if (!below->joined || above->joined)
		return;
	above->nodes = above->joined = below->joined;
	above->nodes_count = below->joined_count;
	below->joined = NULL;
	below->joined_count = 0;
}

bool
root_ways_open(struct root_ways_rows *rows, const struct root_ways *ways,
	       const struct root_ways_row *above, bool joins_lists, struct progress *progress,
	       struct error *err)
{
	struct below b = { .ways = ways, .list_type = TYPE_NONE, .progress = progress, .err = err };
	bool is_ok = true;

	if ((joins_lists || above->joined) && above->type != TYPE_NONE &&
	    type_is_of_framework(&ways->reach->heap->types[above->type]))
		b.list_type = above->type;
	b.is_joined = above->joined != NULL;
	*rows = (struct root_ways_rows){ 0 };
	progress_begin(progress, "going on from the roots", "objects", 0);
	for (uint32_t i = 0; is_ok && i < above->nodes_count; i++)
		is_ok = above->type == TYPE_NONE ? below_add(&b, above->nodes[i])
						 : gather_list(&b, above->nodes[i]);
	if (is_ok) {
		b.count = drop_doubles(b.nodes, 0, b.count);
		is_ok = deal_by_type(rows, &b, err) && take_list(rows, &b, above);
	}
	memory_free(b.nodes);
	memory_free(b.list);
	if (!is_ok) {
		root_ways_rows_clear(rows);
		return false;
	}
	if (rows->count)
		qsort(rows->items, rows->count, sizeof(*rows->items), compare_rows);
	return true;
}
