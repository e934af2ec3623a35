#include "model/analysis/groups.h"
#include "model/base/sorted.h"
#include "model/heap/framework.h"
#include "model/heap/root_gaps.h"
#include "model/base/hash.h"
#include "model/graph/reach_kinds.h"
#include <stdlib.h>
#include <string.h>

enum { LOOK_EVERY = 65536 };

const char *const grouping_ids[GROUPING_COUNT + 1] = {
	"", "namespace", "module", "generation", "root", "segment",
};

bool
group_id_is(struct group_id a, struct group_id b)
{
	return a.by == b.by && (a.which == b.which || a.by == GROUP_NONE);
}

/* --- texts that types are grouped by ------------------------------------- */

/* Borrowed, not NUL-terminated. */
struct piece {
	const char *text;
	size_t len;
};

/* Returns the part before the last dot of the outermost type's name. */
static struct piece
namespace_of(const struct type *t)
{
	const char *start = type_class_name(t);
	size_t len = strcspn(start, "<[+`(, ");

	while (len && start[len - 1] != '.')
		len--;
	return (struct piece){ start, len ? len - 1 : 0 };
}

static struct piece
module_of(const struct type *t)
{
	const char *file = type_module_file(t);

	return (struct piece){ file, strlen(file) };
}

static struct piece
piece_of(const struct heap *h, enum grouping by, type_id type)
{
	return by == GROUP_NAMESPACE ? namespace_of(&h->types[type]) : module_of(&h->types[type]);
}

static bool
is_of_types(enum grouping by)
{
	return by == GROUP_NAMESPACE || by == GROUP_MODULE;
}

static bool
piece_is(struct piece a, struct piece b)
{
	return a.len == b.len && !memcmp(a.text, b.text, a.len);
}

/* --- groups of types ----------------------------------------------------- */

/* Sorted by hash first: comparing millions of long texts would take seconds. */
struct hashed {
	uint64_t hash;
	struct piece piece;
	type_id type;
};

static int
compare_hashed(const void *x, const void *y)
{
	const struct hashed *a = x, *b = y;
	size_t len = a->piece.len < b->piece.len ? a->piece.len : b->piece.len;
	int order;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	order = memcmp(a->piece.text, b->piece.text, len);
	if (order)
		return order;
	if (a->piece.len != b->piece.len)
		return a->piece.len < b->piece.len ? -1 : 1;
	return (a->type > b->type) - (a->type < b->type);
}

static int
compare_groups(const void *x, const void *y)
{
	const struct group_sum *a = x, *b = y;

	return (a->id.which > b->id.which) - (a->id.which < b->id.which);
}

/* The lowest type with a text represents the group. */
static void
add_types(struct groups *g, const struct heap *h, const struct hashed *types, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct type *t = &h->types[types[i].type];

		if (!i || !piece_is(types[i].piece, types[i - 1].piece))
			g->items[g->count++].id =
			    (struct group_id){ (uint8_t)g->by, types[i].type };
		g->items[g->count - 1].count += t->count;
		g->items[g->count - 1].bytes += t->bytes;
		g->of_type[types[i].type] = g->items[g->count - 1].id.which;
	}
	qsort(g->items, g->count, sizeof *g->items, compare_groups);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *number = &g->of_type[types[i].type];
		uint32_t at;

		LOWER_BOUND(at, 0, g->count, g->items[at].id.which < *number);
		*number = at;
	}
}

static bool
group_types(struct groups *g, const struct heap *h, struct error *err)
{
	struct hashed *types = memory_new((size_t)h->types_count + 1, sizeof *types, err);
	uint32_t count = 0;

	g->items = memory_new((size_t)h->types_count + 1, sizeof *g->items, err);
	g->of_type = memory_new((size_t)h->types_count + 1, sizeof *g->of_type, err);
	if (types && g->items && g->of_type) {
		for (type_id t = 0; t < h->types_count; t++) {
			struct piece p = piece_of(h, g->by, t);

			if (h->types[t].count)
				types[count++] =
				    (struct hashed){ hash_bytes(HASH_START, p.text, p.len), p, t };
		}
		qsort(types, count, sizeof *types, compare_hashed);
		add_types(g, h, types, count);
	}
	memory_free(types);
	return types && g->items && g->of_type;
}

/* --- groups of objects --------------------------------------------------- */

static uint32_t
groups_possible(const struct heap *h, enum grouping by)
{
	return by == GROUP_GENERATION ? GEN_COUNT
	       : by == GROUP_ROOT     ? ROOT_KIND_COUNT + 1
				      : h->ranges_count + 1;
}

/* Consecutive objects: either all that start in one range, or those between two ranges, which
   belong to the last group. */
struct stretch {
	struct node_span span;
	uint32_t range; /* ranges_count if between ranges */
};

/* Returns the stretch that starts at `at`; `range` is the next range to look at. */
static struct stretch
next_stretch(const struct heap *h, node_id at, uint32_t *range)
{
	struct stretch s = { { at, h->nodes_count }, h->ranges_count };

	while (*range < h->ranges_count &&
	       (!h->ranges[*range].count || h->ranges[*range].first < at))
		++*range;
	if (*range == h->ranges_count)
		return s;
	if (h->ranges[*range].first == at) {
		s.range = (*range)++;
		s.span.end = at + h->ranges[s.range].count;
	} else {
		s.span.end = h->ranges[*range].first;
	}
	return s;
}

static uint32_t
group_of_stretch(const struct heap *h, enum grouping by, uint32_t range)
{
	if (by == GROUP_SEGMENT)
		return range;
	return range < h->ranges_count ? h->ranges[range].generation : GEN_UNKNOWN;
}

static bool
sum_span(struct group_sum *group, const struct heap *h, struct node_span span,
	 struct progress *progress, struct error *err)
{
	for (node_id n = span.first; n < span.end; n++) {
		group->bytes += heap_size(h, n);
		if (n % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
	}
	group->count += span.end - span.first;
	return true;
}

static bool
group_ranges(struct groups *g, const struct heap *h, struct progress *progress, struct error *err)
{
	uint32_t range = 0;

	progress_begin(progress, "adding up sizes", "objects", h->nodes_count);
	for (node_id at = 0; at < h->nodes_count;) {
		struct stretch s = next_stretch(h, at, &range);

		if (!sum_span(&g->items[group_of_stretch(h, g->by, s.range)], h, s.span, progress,
			      err))
			return false;
		at = s.span.end;
	}
	return true;
}

static bool
group_by_root(struct groups *g, const struct heap *h, const struct reach *reach,
	      struct progress *progress, struct error *err)
{
	uint8_t *kinds = reach_kinds_new(reach, progress, err);
	bool ok = kinds != NULL;

	if (ok)
		progress_begin(progress, "adding up sizes", "objects", h->nodes_count);
	for (node_id n = 0; ok && n < h->nodes_count; n++) {
		g->items[kinds[n]].count++;
		g->items[kinds[n]].bytes += heap_size(h, n);
		if (n % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			ok = error_cancelled(err);
	}
	memory_free(kinds);
	return ok;
}

static void
drop_empty(struct groups *g, uint32_t possible)
{
	for (uint32_t i = 0; i < possible; i++) {
		struct group_sum group = g->items[i];

		group.id = (struct group_id){ (uint8_t)g->by, i };
		if (group.count)
			g->items[g->count++] = group;
	}
}

bool
groups_compute(struct groups *g, const struct heap *h, const struct reach *reach, enum grouping by,
	       struct progress *progress, struct error *err)
{
	uint32_t possible = groups_possible(h, by);
	bool ok;

	*g = (struct groups){ .by = by };
	if (is_of_types(by)) {
		ok = group_types(g, h, err);
	} else {
		g->items = memory_new(possible, sizeof *g->items, err);
		ok = g->items && (by == GROUP_ROOT ? group_by_root(g, h, reach, progress, err)
						   : group_ranges(g, h, progress, err));
		if (ok)
			drop_empty(g, possible);
	}
	if (!ok)
		groups_clear(g);
	return ok;
}

static bool
number_by_root(const struct heap *h, const struct reach *reach, const uint32_t *items,
	       uint32_t *of_node, struct progress *progress, struct error *err)
{
	uint8_t *kinds = reach_kinds_new(reach, progress, err);

	if (!kinds)
		return false;
	for (node_id n = 0; n < h->nodes_count; n++)
		of_node[n] = items[kinds[n]];
	memory_free(kinds);
	return true;
}

static void
number_by_range(const struct heap *h, enum grouping by, const uint32_t *items, uint32_t *of_node)
{
	uint32_t range = 0;

	for (node_id at = 0; at < h->nodes_count;) {
		struct stretch s = next_stretch(h, at, &range);
		uint32_t item = items[group_of_stretch(h, by, s.range)];

		for (; at < s.span.end; at++)
			of_node[at] = item;
	}
}

/* Sets of_node[nodes_count] to the index into `items` of each object. Namespaces and modules have
   `of_type` instead. */
static bool
number_objects(const struct groups *g, const struct heap *h, const struct reach *reach,
	       uint32_t *of_node, struct progress *progress, struct error *err)
{
	uint32_t *items = memory_new(groups_possible(h, g->by), sizeof *items, err);
	bool ok = items != NULL;

	for (uint32_t i = 0; ok && i < g->count; i++)
		items[g->items[i].id.which] = i;
	if (ok && g->by == GROUP_ROOT)
		ok = number_by_root(h, reach, items, of_node, progress, err);
	else if (ok)
		number_by_range(h, g->by, items, of_node);
	memory_free(items);
	return ok;
}

bool
groups_retain(struct groups *g, const struct retained *r, const struct reach *reach,
	      struct progress *progress, struct error *err)
{
	const struct heap *h = r->heap;
	struct retained_sum *sums = memory_new((size_t)g->count + 1, sizeof *sums, err);
	uint32_t *of_node = NULL;
	bool ok = sums != NULL;

	if (ok && !g->of_type) {
		of_node = memory_new((size_t)h->nodes_count + 1, sizeof *of_node, err);
		ok = of_node && number_objects(g, h, reach, of_node, progress, err);
	}
	ok = ok && retained_by_group(r, g->of_type, of_node, g->count, sums, progress, err);
	for (uint32_t i = 0; ok && i < g->count; i++)
		g->items[i].retained = sums[i];
	memory_free(sums);
	memory_free(of_node);
	return ok;
}

static void
count_mine_by_type(struct groups *g, const struct mine *m)
{
	for (type_id t = 0; t < m->types_count; t++) {
		struct group_sum *group = &g->items[g->of_type[t]];

		group->count += m->types[t].count;
		group->bytes += m->types[t].bytes;
	}
}

static bool
count_mine_by_object(struct groups *g, const struct mine *m, const struct heap *h,
		     const uint32_t *of_node, struct progress *progress, struct error *err)
{
	progress_begin(progress, "adding up sizes", "objects", h->nodes_count);
	for (node_id n = 0; n < h->nodes_count; n++) {
		struct group_sum *group = &g->items[of_node[n]];

		if (mine_has(m, h, n)) {
			group->count += m->owners[heap_type_of(h, n)] != CODE_FRAMEWORK;
			group->bytes += heap_size(h, n);
		}
		if (n % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
	}
	return true;
}

bool
groups_count_mine(struct groups *g, const struct mine *m, const struct heap *h,
		  const struct reach *reach, struct progress *progress, struct error *err)
{
	uint32_t *of_node;
	bool ok;

	for (uint32_t i = 0; i < g->count; i++)
		g->items[i].count = g->items[i].bytes = 0;
	if (g->of_type) {
		count_mine_by_type(g, m);
		return true;
	}
	of_node = memory_new((size_t)h->nodes_count + 1, sizeof *of_node, err);
	ok = of_node && number_objects(g, h, reach, of_node, progress, err) &&
	     count_mine_by_object(g, m, h, of_node, progress, err);
	memory_free(of_node);
	return ok;
}

void
groups_drop_empty(struct groups *g)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < g->count; i++)
		if (g->items[i].count || g->items[i].bytes)
			g->items[kept++] = g->items[i];
	g->count = kept;
}

void
groups_clear(struct groups *g)
{
	memory_free(g->items);
	memory_free(g->of_type);
	*g = (struct groups){ 0 };
}

/* --- names --------------------------------------------------------------- */

static void
name_segment(const struct heap *h, uint32_t which, char *out)
{
	char heap[32] = "";
	const struct range *r;

	if (which >= h->ranges_count) {
		snprintf(out, GROUP_NAME_BYTES, "%s",
			 h->ranges_count ? "outside all segments" : "(segments unknown)");
		return;
	}
	r = &h->ranges[which];
	if (r->heap_number >= 0)
		snprintf(heap, sizeof heap, ", heap %d", (int)r->heap_number);
	snprintf(out, GROUP_NAME_BYTES, "%llx-%llx %s%s", (unsigned long long)r->start,
		 (unsigned long long)r->end, generation_name((enum generation)r->generation), heap);
}

static void
name_type_group(const struct heap *h, struct group_id id, char *out)
{
	struct piece p = piece_of(h, (enum grouping)id.by, id.which);

	if (p.len)
		snprintf(out, GROUP_NAME_BYTES, "%.*s",
			 p.len < GROUP_NAME_BYTES ? (int)p.len : GROUP_NAME_BYTES - 1, p.text);
	else
		snprintf(out, GROUP_NAME_BYTES, "%s",
			 id.by == GROUP_MODULE ? "(module unknown)" : "(no namespace)");
}

const char *
group_name(const struct heap *h, struct group_id id, char out[GROUP_NAME_BYTES])
{
	out[0] = '\0';
	if (is_of_types((enum grouping)id.by))
		name_type_group(h, id, out);
	else if (id.by == GROUP_GENERATION)
		snprintf(out, GROUP_NAME_BYTES, "%s", generation_name((enum generation)id.which));
	else if (id.by == GROUP_ROOT)
		snprintf(out, GROUP_NAME_BYTES, "%s",
			 id.which < ROOT_KIND_COUNT ? root_kinds[id.which].title
			 : heap_knows_roots(h)      ? "no root"
						    : "root unknown");
	else if (id.by == GROUP_SEGMENT)
		name_segment(h, id.which, out);
	return out;
}

const char *
group_phrase(const struct heap *h, struct group_id id, char out[GROUP_NAME_BYTES])
{
	char name[GROUP_NAME_BYTES];

	snprintf(out, GROUP_NAME_BYTES, "%s %.230s", id.by == GROUP_ROOT ? "kept by" : "in",
		 group_name(h, id, name));
	return out;
}

/* --- members ------------------------------------------------------------- */

static bool
mark_types(struct group_members *m, struct error *err)
{
	const struct heap *h = m->heap;
	enum grouping by = (enum grouping)m->id.by;
	struct piece wanted = piece_of(h, by, m->id.which);

	m->types = memory_new((size_t)h->types_count + 1, 1, err);
	if (!m->types)
		return false;
	for (type_id t = 0; t < h->types_count; t++)
		m->types[t] = piece_is(piece_of(h, by, t), wanted);
	return true;
}

static bool
all_objects(struct group_members *m, struct error *err)
{
	m->spans = memory_new(1, sizeof *m->spans, err);
	if (!m->spans)
		return false;
	m->spans[0] = (struct node_span){ 0, m->heap->nodes_count };
	m->spans_count = 1;
	return true;
}

static bool
find_spans(struct group_members *m, struct error *err)
{
	const struct heap *h = m->heap;
	enum grouping by = (enum grouping)m->id.by;
	uint32_t range = 0;
	size_t room = 0;

	for (node_id at = 0; at < h->nodes_count;) {
		struct stretch s = next_stretch(h, at, &range);

		at = s.span.end;
		if (group_of_stretch(h, by, s.range) != m->id.which)
			continue;
		if (!APPEND(m->spans, m->spans_count, room, err, s.span))
			return false;
	}
	return true;
}

bool
group_members_init(struct group_members *m, const struct heap *h, const struct reach *reach,
		   struct group_id id, struct progress *progress, struct error *err)
{
	bool ok;

	*m = (struct group_members){ .heap = h, .id = id };
	if (id.by == GROUP_GENERATION || id.by == GROUP_SEGMENT)
		ok = find_spans(m, err);
	else
		ok = all_objects(m, err);
	if (ok && is_of_types((enum grouping)id.by))
		ok = mark_types(m, err);
	if (ok && id.by == GROUP_ROOT) {
		m->kinds = reach_kinds_new(reach, progress, err);
		ok = m->kinds != NULL;
	}
	if (!ok)
		group_members_clear(m);
	return ok;
}

void
group_members_clear(struct group_members *m)
{
	memory_free(m->types);
	memory_free(m->kinds);
	memory_free(m->spans);
	*m = (struct group_members){ 0 };
}

static bool
is_in_spans(const struct group_members *m, node_id n)
{
	uint32_t at;

	LOWER_BOUND(at, 0, m->spans_count, m->spans[at].end <= n);
	return at < m->spans_count && m->spans[at].first <= n;
}

bool
group_members_has(const struct group_members *m, node_id n)
{
	if (m->types && !m->types[heap_type_of(m->heap, n)])
		return false;
	if (m->kinds && m->kinds[n] != m->id.which)
		return false;
	return is_in_spans(m, n);
}

static void
sum_types(const struct group_members *m, struct type_sum *sums)
{
	for (type_id t = 0; t < m->heap->types_count; t++) {
		const struct type *type = &m->heap->types[t];

		if (!m->types || m->types[t])
			sums[t] = (struct type_sum){ type->count, type->bytes, type->max_bytes };
	}
}

static bool
sum_objects(const struct group_members *m, struct node_span span, struct type_sum *sums,
	    struct progress *progress, struct error *err)
{
	for (node_id n = span.first; n < span.end; n++) {
		if (!m->kinds || m->kinds[n] == m->id.which)
			type_sum_add(&sums[heap_type_of(m->heap, n)], heap_size(m->heap, n));
		if (n % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
	}
	return true;
}

bool
group_members_sum(const struct group_members *m, struct type_sum *sums, struct progress *progress,
		  struct error *err)
{
	if (is_of_types((enum grouping)m->id.by) || m->id.by == GROUP_NONE) {
		sum_types(m, sums);
		return true;
	}
	progress_begin(progress, "adding up types", "objects", m->heap->nodes_count);
	for (uint32_t i = 0; i < m->spans_count; i++)
		if (!sum_objects(m, m->spans[i], sums, progress, err))
			return false;
	return true;
}
