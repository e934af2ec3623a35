#include "model/analysis/diff_paths.h"
#include "model/base/u64_map.h"
#include "model/heap/root_gaps.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOOK_EVERY = 65536,
	LABEL_NONE = 0,    /* no root reaches the object */
	LABEL_SEVERAL = 1, /* several roots keep the object, none alone */
	LABEL_KINDS = 2,   /* first of the labels for roots without a name, by kind */
	LABELS_FIXED = LABEL_KINDS + ROOT_KIND_COUNT,
	LABELS_MAX = DIFF_PATHS_MAX / 2,
	NAME_BYTES = 200 /* longest name of a type or root on a path */
};

/* Paths are numbered: first the labels of roots, then each path that extends another by one type.
   So one number describes the path of an object. */
struct path {
	uint32_t parent; /* DIFF_NONE: the path is a label */
	uint32_t type_row;
	uint32_t types_count; /* types on the path */
};

struct paths {
	struct diff *diff;
	const struct diff_heap *heaps;
	bool has_gaps; /* a heap lacks some kinds of roots */
	const struct type_match *match;
	uint32_t steps;            /* maximum number of types on a path */
	uint32_t **labels;         /* [heap][root] */
	const struct root **named; /* by label: a root with that name, or NULL */
	uint32_t labels_count;
	struct path *items;
	uint32_t count;
	size_t room;
	struct u64_map children; /* paths by parent and type */
	/* [heap][path]; paths that were added after the heap was summed are missing. */
	struct diff_sum **sums;
	uint32_t *sums_counts;
	uint32_t *of_node; /* path of each object of one heap, plus 1 */
	struct arena scratch;
};

/* --- labels of roots ----------------------------------------------------- */

struct labelled {
	const struct root *root;
	uint32_t heap;
	uint32_t *label; /* destination of its label */
};

static int
compare_labelled(const void *x, const void *y)
{
	const struct root *a = ((const struct labelled *)x)->root;
	const struct root *b = ((const struct labelled *)y)->root;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return strcmp(a->name, b->name);
}

static bool
is_same_label(const struct labelled *a, const struct labelled *b)
{
	return a->root->kind == b->root->kind && !strcmp(a->root->name, b->root->name);
}

/* Collects the named roots of all heaps and labels the roots without a name. */
static bool
collect_named(struct paths *p, struct labelled **all, size_t *count, struct error *err)
{
	size_t room = 0;

	for (uint32_t h = 0; h < p->diff->heaps_count; h++) {
		const struct heap *heap = p->heaps[h].heap;

		p->labels[h] =
		    arena_array(&p->scratch, uint32_t, (size_t)heap->roots_count + 1, err);
		if (!p->labels[h])
			return false;
		for (uint32_t r = 0; r < heap->roots_count; r++) {
			const struct root *root = &heap->roots[r];
			uint32_t *label = &p->labels[h][r];

			*label = LABEL_KINDS + root->kind;
			if (!root->name[0])
				continue;
			if (!APPEND(*all, *count, room, err, (struct labelled){ root, h, label }))
				return false;
		}
	}
	return true;
}

/* All roots with one label. */
struct label_run {
	size_t first, end;
	const char *last_name; /* "Sessions" if the name is
				  "Leaky.Cache.Sessions" */
};

static const char *
last_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot[1] ? dot + 1 : name;
}

static int
compare_runs(const void *x, const void *y)
{
	const struct label_run *a = x, *b = y;
	int order = strcmp(a->last_name, b->last_name);

	if (order)
		return order;
	return (a->first > b->first) - (a->first < b->first);
}

static bool
is_in_run(const struct labelled *all, const struct label_run *run, uint32_t heap)
{
	for (size_t i = run->first; i < run->end; i++)
		if (all[i].heap == heap)
			return true;
	return false;
}

/* Some sources give the class that declares a static variable, others do not: "Sessions" is
   "Leaky.Cache.Sessions" if no heap has both. */
static void
join_runs(const struct paths *p, struct labelled *all, const struct label_run *a,
	  const struct label_run *b)
{
	bool is_long_a = a->last_name != all[a->first].root->name;
	bool is_long_b = b->last_name != all[b->first].root->name;
	const struct label_run *full = is_long_a ? a : b;
	const struct label_run *brief = is_long_a ? b : a;

	if (is_long_a == is_long_b || all[a->first].root->kind != all[b->first].root->kind)
		return;
	for (uint32_t h = 0; h < p->diff->heaps_count; h++)
		if (is_in_run(all, full, h) && is_in_run(all, brief, h))
			return;
	for (size_t i = brief->first; i < brief->end; i++)
		*all[i].label = *all[full->first].label;
}

/* Joins only static variables: a dot in the name of a method or thread has another meaning. */
static bool
join_statics(const struct paths *p, struct labelled *all, size_t count, struct error *err)
{
	struct label_run *runs = memory_new(count + 1, sizeof *runs, err);
	size_t runs_count = 0, next;

	for (size_t first = 0; runs && first < count; first = next) {
		next = first + 1;
		while (next < count && is_same_label(&all[first], &all[next]))
			next++;
		if (all[first].root->kind <= ROOT_THREAD_STATIC)
			runs[runs_count++] =
			    (struct label_run){ first, next, last_name(all[first].root->name) };
	}
	if (runs_count)
		qsort(runs, runs_count, sizeof *runs, compare_runs);
	for (size_t first = 0; first < runs_count; first = next) {
		next = first + 1;
		while (next < runs_count && !strcmp(runs[next].last_name, runs[first].last_name))
			next++;
		if (next == first + 2)
			join_runs(p, all, &runs[first], &runs[first + 1]);
	}
	memory_free(runs);
	return runs != NULL;
}

static bool
number_labels(struct paths *p, struct labelled *all, size_t count, struct error *err)
{
	if (count)
		qsort(all, count, sizeof *all, compare_labelled);
	p->named = arena_array(&p->scratch, const struct root *, LABELS_FIXED + count, err);
	p->labels_count = LABELS_FIXED;
	for (size_t i = 0; p->named && i < count; i++) {
		if (i && is_same_label(&all[i - 1], &all[i])) {
			*all[i].label = *all[i - 1].label;
		} else if (p->labels_count < LABELS_MAX) {
			*all[i].label = p->labels_count;
			p->named[p->labels_count++] = all[i].root;
		} else {
			p->diff->is_cut = true;
		}
	}
	return p->named && join_statics(p, all, count, err);
}

static bool
label_roots(struct paths *p, struct error *err)
{
	struct labelled *all = NULL;
	size_t count = 0;
	bool ok;

	p->labels = arena_array(&p->scratch, uint32_t *, p->diff->heaps_count, err);
	ok = p->labels && collect_named(p, &all, &count, err) && number_labels(p, all, count, err);
	memory_free(all);
	return ok;
}

/* --- paths --------------------------------------------------------------- */

static uint32_t
add_path(struct paths *p, uint32_t parent, uint32_t type_row, struct error *err)
{
	if (!MAKE_ROOM(p->items, p->count + 1, p->room, err))
		return DIFF_NONE;
	p->items[p->count] =
	    (struct path){ parent, type_row,
			   parent == DIFF_NONE ? 0 : p->items[parent].types_count + 1 };
	return p->count++;
}

static bool
init_paths(struct paths *p, struct error *err)
{
	uint32_t heaps_count = p->diff->heaps_count;

	p->sums = arena_array(&p->scratch, struct diff_sum *, heaps_count, err);
	p->sums_counts = arena_array(&p->scratch, uint32_t, heaps_count, err);
	if (!p->sums || !p->sums_counts)
		return false;
	for (uint32_t i = 0; i < p->labels_count; i++)
		if (add_path(p, DIFF_NONE, i, err) == DIFF_NONE)
			return false;
	return true;
}

/* Returns the path that extends `parent` by a type. DIFF_NONE sets `err`. */
static uint32_t
path_child(struct paths *p, uint32_t parent, uint32_t type_row, struct error *err)
{
	uint64_t key = u64_map_pair(parent, type_row);
	uint32_t known = u64_map_get(&p->children, key);

	if (known != U64_MAP_NONE)
		return known;
	if (p->count >= DIFF_PATHS_MAX) {
		p->diff->is_cut = true;
		return parent;
	}
	if (!u64_map_put(&p->children, key, p->count, err))
		return DIFF_NONE;
	return add_path(p, parent, type_row, err);
}

/* The walk through one heap. */
struct walk {
	struct paths *paths;
	const struct heap *heap;
	const struct reach *reach;
	const uint32_t *labels, *rows;
	uint32_t *of_node;
	uint32_t near; /* largest distance at which objects get paths of their own */
};

/* Sets the path of an object near its root, and of all objects between them. */
static bool
take_near(struct walk *w, node_id n, struct error *err)
{
	node_id steps[DIFF_PATH_STEPS];
	uint32_t count = 0, path;

	while (count < w->near && w->reach->distance[n]) {
		steps[count++] = n;
		n = w->reach->next[n];
	}
	path = w->labels[w->reach->next[n]];
	if (w->paths->steps)
		steps[count++] = n;
	else
		w->of_node[n] = path + 1;
	while (count--) {
		type_id type = heap_type_of(w->heap, steps[count]);

		path = path_child(w->paths, path, w->rows[type], err);
		if (path == DIFF_NONE)
			return false;
		w->of_node[steps[count]] = path + 1;
	}
	return true;
}

/* Sets the path of `n`. An object too far from its root has the path of the object before it.
   Walking twice avoids a stack. */
static bool
take_node(struct walk *w, node_id n, struct progress *progress, struct error *err)
{
	const uint32_t *distance = w->reach->distance;
	uint32_t steps = 0;
	node_id above = n;

	if (distance[n] == DISTANCE_UNREACHABLE) {
		w->of_node[n] = LABEL_NONE + 1;
		return true;
	}
	while (!w->of_node[above] && distance[above] > w->near) {
		above = w->reach->next[above];
		if (++steps % LOOK_EVERY == 0 && progress_is_cancelled(progress))
			return error_cancelled(err);
	}
	if (!w->of_node[above] && !take_near(w, above, err))
		return false;
	for (; n != above; n = w->reach->next[n])
		w->of_node[n] = w->of_node[above];
	return true;
}

/* Returns the label of an object that no other object dominates. */
static uint32_t
label_of_top(const struct walk *w, node_id n)
{
	uint32_t count;
	const struct root *roots = heap_roots_of(w->heap, n, &count);

	return count ? w->labels[roots - w->heap->roots] : LABEL_SEVERAL;
}

/* Returns the path of the object at `position`. Its dominator comes earlier in the order and
   already has one. */
static uint32_t
path_of_position(struct walk *w, const struct dominators *d, uint32_t position, struct error *err)
{
	node_id n = d->objects[position];
	uint32_t parent = d->parents[position], path;

	if (position >= d->reachable_count)
		return LABEL_NONE;
	path = parent ? w->of_node[d->objects[parent - 1]] - 1 : label_of_top(w, n);
	if (w->paths->items[path].types_count == DIFF_PATH_STEPS)
		return path;
	return path_child(w->paths, path, w->rows[heap_type_of(w->heap, n)], err);
}

static bool
walk_dominators(struct walk *w, const struct dominators *d, struct progress *progress,
		struct error *err)
{
	for (uint32_t i = 0; i < w->heap->nodes_count; i++) {
		uint32_t path = path_of_position(w, d, i, err);

		if (path == DIFF_NONE)
			return false;
		w->of_node[d->objects[i]] = path + 1;
		if (i % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
	}
	return true;
}

static bool
walk_ways(struct walk *w, struct progress *progress, struct error *err)
{
	for (node_id n = 0; n < w->heap->nodes_count; n++) {
		if (!w->of_node[n] && !take_node(w, n, progress, err))
			return false;
		if (n % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
	}
	return true;
}

static bool
walk_heap(struct paths *p, uint32_t h, struct progress *progress, struct error *err)
{
	const struct heap *heap = p->heaps[h].heap;
	struct walk w = {
		.paths = p,
		.heap = heap,
		.reach = p->heaps[h].reach,
		.labels = p->labels[h],
		.rows = p->match->rows[h],
		.near = p->steps ? p->steps - 1 : 0,
	};

	memory_free(p->of_node);
	w.of_node = p->of_node = memory_new((size_t)heap->nodes_count + 1, sizeof *w.of_node, err);
	if (!w.of_node)
		return false;
	progress_begin(progress, "following paths from the roots", "objects", heap->nodes_count);
	if (diff_needs_dominators(p->diff->by))
		return walk_dominators(&w, p->heaps[h].dominators, progress, err);
	return walk_ways(&w, progress, err);
}

/* --- sums ---------------------------------------------------------------- */

static bool
sum_heap(struct paths *p, uint32_t h, struct progress *progress, struct error *err)
{
	const struct heap *heap = p->heaps[h].heap;
	const struct mine *mine = p->heaps[h].mine;
	struct diff_sum *sums = arena_array(&p->scratch, struct diff_sum, p->count, err);

	p->sums[h] = sums;
	p->sums_counts[h] = p->count;
	if (!sums)
		return false;
	progress_begin(progress, "adding up sizes", "objects", heap->nodes_count);
	for (node_id n = 0; n < heap->nodes_count; n++) {
		struct diff_sum *sum = &sums[p->of_node[n] - 1];

		if (!mine || mine_has(mine, heap, n)) {
			sum->count++;
			sum->bytes += heap_size(heap, n);
		}
		if (n % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
	}
	return true;
}

static struct diff_sum
sum_of(const struct paths *p, uint32_t h, uint32_t path)
{
	return path < p->sums_counts[h] ? p->sums[h][path] : (struct diff_sum){ 0 };
}

static bool
has_objects(const struct paths *p, uint32_t path)
{
	for (uint32_t h = 0; h < p->diff->heaps_count; h++)
		if (sum_of(p, h, path).count)
			return true;
	return false;
}

/* --- rows ---------------------------------------------------------------- */

static const char *
label_name(const struct paths *p, uint32_t label, char out[NAME_BYTES])
{
	const struct root *root = p->named[label];

	if (label == LABEL_NONE)
		return p->has_gaps ? "root unknown" : "no root";
	if (label == LABEL_SEVERAL)
		return "several roots";
	if (!root)
		return root_kinds[label - LABEL_KINDS].title;
	snprintf(out, NAME_BYTES, "%s %s", root_kinds[root->kind].title, root->name);
	return out;
}

/* Returns a name such as "static Sessions → List<Session> → Session[]". */
static const char *
name_path(struct paths *p, const struct heap *const *heaps, uint32_t path, struct error *err)
{
	uint32_t types[DIFF_PATH_STEPS], count = 0;
	char label[NAME_BYTES], text[(DIFF_PATH_STEPS + 1) * (NAME_BYTES + 8)];
	size_t len;

	for (; p->items[path].parent != DIFF_NONE; path = p->items[path].parent)
		types[count++] = p->items[path].type_row;
	len = (size_t)snprintf(text, sizeof text, "%s", label_name(p, path, label));
	while (count--) {
		const struct type *t = type_match_type(p->match, heaps, types[count], NULL);

		len += (size_t)snprintf(text + len, sizeof text - len, " → %.*s", NAME_BYTES - 1,
					t->short_name);
	}
	return arena_strndup(&p->diff->arena, text, len, err);
}

struct named_path {
	const char *name;
	uint32_t path;
};

static int
compare_named(const void *x, const void *y)
{
	const struct named_path *a = x, *b = y;
	int order = strcmp(a->name, b->name);

	if (order)
		return order;
	return (a->path > b->path) - (a->path < b->path);
}

static struct named_path *
name_rows(struct paths *p, uint32_t *count, struct error *err)
{
	struct named_path *rows = memory_new((size_t)p->count + 1, sizeof *rows, err);
	const struct heap **heaps =
	    arena_array(&p->scratch, const struct heap *, p->diff->heaps_count, err);
	bool ok = rows && heaps;

	*count = 0;
	for (uint32_t h = 0; ok && h < p->diff->heaps_count; h++)
		heaps[h] = p->heaps[h].heap;
	for (uint32_t i = 0; ok && i < p->count; i++) {
		if (!has_objects(p, i))
			continue;
		rows[*count].path = i;
		rows[*count].name = name_path(p, heaps, i, err);
		ok = rows[(*count)++].name != NULL;
	}
	if (ok) {
		qsort(rows, *count, sizeof *rows, compare_named);
		return rows;
	}
	memory_free(rows);
	return NULL;
}

/* Keeps the row of each object of the last heap. */
static bool
keep_nodes(struct paths *p, const uint32_t *row_of_path, struct error *err)
{
	const struct heap *last = p->heaps[p->diff->heaps_count - 1].heap;
	const struct mine *mine = p->heaps[p->diff->heaps_count - 1].mine;
	struct diff_nodes *nodes = memory_new(1, sizeof *nodes, err);

	if (!nodes)
		return false;
	for (node_id n = 0; n < last->nodes_count; n++)
		p->of_node[n] =
		    !mine || mine_has(mine, last, n) ? row_of_path[p->of_node[n] - 1] : DIFF_NONE;
	*nodes = (struct diff_nodes){ .count = last->nodes_count, .rows = p->of_node };
	p->diff->nodes = nodes;
	p->of_node = NULL;
	return true;
}

static bool
make_path_rows(struct paths *p, struct error *err)
{
	struct diff *d = p->diff;
	uint32_t *row_of_path = arena_array(&p->scratch, uint32_t, (size_t)p->count + 1, err);
	uint32_t count;
	struct named_path *rows = row_of_path ? name_rows(p, &count, err) : NULL;
	bool ok = rows && diff_make_rows(d, count, err);

	for (uint32_t row = 0; ok && row < count; row++) {
		const char *name = rows[row].name;

		row_of_path[rows[row].path] = row;
		d->rows[row] = (struct diff_row){ name, name, "", "" };
		for (uint32_t h = 0; h < d->heaps_count; h++)
			d->sums[(size_t)row * d->heaps_count + h] = sum_of(p, h, rows[row].path);
	}
	ok = ok && keep_nodes(p, row_of_path, err);
	memory_free(rows);
	return ok;
}

bool
diff_paths(struct diff *d, const struct diff_heap *heaps, const struct type_match *match,
	   struct progress *progress, struct error *err)
{
	struct paths p = { .diff = d, .heaps = heaps, .match = match };
	bool ok;

	p.steps = d->by == DIFF_PATH ? DIFF_PATH_STEPS : 0;
	for (uint32_t h = 0; h < d->heaps_count; h++)
		p.has_gaps |= !heap_knows_roots(heaps[h].heap);
	arena_init(&p.scratch, 0);
	ok = label_roots(&p, err) && init_paths(&p, err);
	for (uint32_t h = 0; ok && h < d->heaps_count; h++)
		ok = walk_heap(&p, h, progress, err) && sum_heap(&p, h, progress, err);
	ok = ok && make_path_rows(&p, err);
	memory_free(p.of_node);
	memory_free(p.items);
	u64_map_clear(&p.children);
	arena_clear(&p.scratch);
	return ok;
}
