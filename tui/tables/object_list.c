#include "tui/tables/object_list.h"
#include "model/analysis/async.h"
#include "model/analysis/diff.h"
#include "model/analysis/held_types.h"
#include "model/graph/retention.h"
#include <stdlib.h>
#include <string.h>

enum { LOOK_EVERY = 65536 };

/* The worker's input. The UI thread may change only `into`, which is used at the end. */
struct making {
	struct listing listing; /* for filter and cells */
	struct target target;
	enum object_list_kind what;
	const node_id *these;
	uint32_t these_count;
	node_id *found;              /* by a pass that is not repeated; or NULL */
	struct filter *filter;       /* the view's; unused by others meanwhile */
	const struct column *column; /* the sort column, or NULL */
	bool is_descending;
	struct id_list list;
	size_t room;            /* capacity of its ids */
	uint32_t objects_count; /* see struct object_list */
	uint64_t objects_bytes;
	struct object_list *into;
};

/* --- which objects ------------------------------------------------------- */

static bool
list_add(struct making *m, node_id node, struct error *err)
{
	struct id_list *list = &m->list;

	if (!APPEND(list->ids, list->count, m->room, err, node))
		return false;
	list->bytes_count += heap_size(m->listing.facts.heap, node);
	return true;
}

/* `seen` counts from 1. */
static bool
may_go_on(struct progress *progress, uint64_t seen, struct error *err)
{
	if (seen % LOOK_EVERY == 0)
		(void)progress_add(progress, LOOK_EVERY);
	return !progress_is_cancelled(progress) || error_cancelled(err);
}

static bool
list_referrers(struct making *m, struct progress *progress, struct error *err)
{
	struct referrers r = reverse_of(m->listing.facts.reverse, m->target.node);
	node_id source, last = NODE_NONE;
	uint64_t seen = 0;

	progress_begin(progress, "listing referrers", "referrers", r.left);
	/* Sources are in id order, so repeated references are adjacent. */
	while (referrers_next(&r, &source)) {
		if (!may_go_on(progress, ++seen, err))
			return false;
		if (source != last && !list_add(m, source, err))
			return false;
		last = source;
	}
	return true;
}

static bool
list_references(struct making *m, struct progress *progress, struct error *err)
{
	struct refs r = heap_refs(m->listing.facts.heap, m->target.node);
	uint64_t seen = 0;
	node_id target;

	progress_begin(progress, "listing references", "references", r.left);
	while (refs_next(&r, &target))
		if (!may_go_on(progress, ++seen, err) || !list_add(m, target, err))
			return false;
	return true;
}

static bool
list_these(struct making *m, struct progress *progress, struct error *err)
{

	progress_begin(progress, "listing objects", "objects", m->these_count);
	for (uint32_t i = 0; i < m->these_count; i++)
		if (!may_go_on(progress, i + 1ULL, err) || !list_add(m, m->these[i], err))
			return false;
	return true;
}

static bool
list_compared(struct making *m, struct progress *progress, struct error *err)
{
	const struct diff_nodes *all = m->target.compared;

	progress_begin(progress, "listing objects", "objects", all->count);
	for (node_id n = 0; n < all->count; n++) {
		if (!may_go_on(progress, n + 1ULL, err))
			return false;
		if (all->rows[n] == m->target.compared_row && !list_add(m, n, err))
			return false;
	}
	return true;
}

static bool
list_calls(struct making *m, struct progress *progress, struct error *err)
{
	const struct async_calls *c = m->target.calls;
	uint32_t group = m->target.calls_group;
	node_id *nodes = async_group_nodes(c, group, progress, err);
	bool ok;

	m->these = nodes;
	m->these_count = c->groups[group].objects_count;
	ok = nodes && list_these(m, progress, err);
	memory_free(nodes);
	return ok;
}

/* Lists what a row of `contents` counts, and keeps it for the next time. */
static bool
list_held(struct making *m, struct progress *progress, struct error *err)
{
	const struct held_objects *o = m->target.held;

	m->found = held_type_objects(m->listing.facts.retention->retained, &o->holders, o->folds,
				     &o->of, progress, err);
	m->these = m->found;
	m->these_count = (uint32_t)o->of.count;
	return m->found && list_these(m, progress, err);
}

static bool
list_by_types(struct making *m, struct progress *progress, struct error *err)
{
	uint8_t *wanted = memory_new(m->listing.facts.heap->types_count, 1, err);
	bool ok;

	if (!wanted)
		return false;
	for (type_id t = 0; t < m->listing.facts.heap->types_count; t++)
		wanted[t] = m->what == LIST_ALL || t == m->target.type;
	/* The objects of a group are selected first and filtered later. */
	ok = m->filter && m->target.group.by == GROUP_NONE
		 ? filter_list(m->filter, &m->listing, wanted, progress, &m->list, err)
		 : id_list_of_types(&m->list, m->listing.facts.heap, wanted, progress, err);
	memory_free(wanted);
	return ok;
}

/* Decides whether an object stays in the list. */
typedef bool keep_node(const struct making *m, const void *context, node_id node);

static bool
keep_only(struct making *m, keep_node *keeps, const void *context, struct progress *progress,
	  struct error *err)
{
	uint32_t kept = 0;

	m->list.bytes_count = 0;
	for (uint32_t i = 0; i < m->list.count; i++) {
		node_id node = m->list.ids[i];

		if (!may_go_on(progress, i + 1ULL, err))
			return false;
		if (!keeps(m, context, node))
			continue;
		m->list.bytes_count += heap_size(m->listing.facts.heap, node);
		m->list.ids[kept++] = node;
	}
	m->list.count = kept;
	return true;
}

static bool
passes_filter(const struct making *m, const void *context, node_id node)
{
	struct row row = row_of_node(m->listing.facts.heap, node);

	(void)context;
	return filter_passes(m->filter, &m->listing, &row);
}

static bool
keep_filtered(struct making *m, struct progress *progress, struct error *err)
{
	progress_begin(progress, "filtering", "objects", m->list.count);
	return keep_only(m, passes_filter, NULL, progress, err);
}

static bool
is_member(const struct making *m, const void *context, node_id node)
{
	(void)m;
	return group_members_has(context, node);
}

/* A list of a type may be limited to one group of the heap. */
static bool
keep_group(struct making *m, struct progress *progress, struct error *err)
{
	struct group_members members;
	bool ok = group_members_init(&members, m->listing.facts.heap, m->listing.facts.reach,
				     m->target.group, progress, err) &&
		  keep_only(m, is_member, &members, progress, err);

	group_members_clear(&members);
	return ok;
}

/* --- order --------------------------------------------------------------- */

/* The sort key is a number of the object. */
static uint64_t
key_number(const void *context, node_id n)
{
	const struct making *m = context;

	return m->column->from.object(&m->listing.facts, n);
}

struct type_ranks {
	const struct heap *heap;
	uint32_t *ranks;
};

static uint64_t
key_type(const void *context, node_id n)
{
	const struct type_ranks *ranks = context;

	return ranks->ranks[heap_type_of(ranks->heap, n)];
}

struct named_type {
	const char *name;
	type_id type;
};

static int
compare_names(const void *a, const void *b)
{
	const struct named_type *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->type > y->type) - (x->type < y->type);
}

static bool
sort_by_type(struct making *m, struct progress *progress, struct error *err)
{
	uint32_t count = m->listing.facts.heap->types_count;
	struct named_type *names = memory_new(count, sizeof *names, err);
	struct type_ranks ranks = { m->listing.facts.heap,
				    memory_new(count, sizeof(uint32_t), err) };
	bool ok = names && ranks.ranks;

	for (type_id t = 0; ok && t < count; t++)
		names[t] = (struct named_type){ facts_type_name(&m->listing.facts, t), t };
	if (ok) {
		qsort(names, count, sizeof *names, compare_names);
		for (uint32_t i = 0; i < count; i++)
			ranks.ranks[names[i].type] = i;
		ok = id_list_sort(&m->list, key_type, &ranks, m->is_descending, progress, err);
	}
	memory_free(names);
	memory_free(ranks.ranks);
	return ok;
}

/* The sort key is the first eight bytes: sortable columns have short texts. */
static uint64_t
order_of_text(const char *text)
{
	uint64_t order = 0;

	for (int i = 0; i < 8; i++) {
		order = order << 8 | (unsigned char)*text;
		text += *text != 0;
	}
	return order;
}

/* The sort key of columns without a faster one is the value of the cell. */
static uint64_t
key_cell(const void *context, node_id n)
{
	const struct making *m = context;
	const struct cells in = { &m->listing.facts, m->listing.rows };
	struct row row = row_of_node(m->listing.facts.heap, n);
	struct value v;

	value_blank(&v);
	table_cell(m->listing.table, &in, m->column, &row, &v);
	return v.kind == VALUE_TEXT ? order_of_text(v.text) : value_order(&v);
}

static bool
sort_list(struct making *m, struct progress *progress, struct error *err)
{
	if (!m->column)
		return true;
	if (!strcmp(m->column->id, "type"))
		return sort_by_type(m, progress, err);
	return id_list_sort(&m->list,
			    m->column->from.source == SOURCE_OBJECT ? key_number : key_cell, m,
			    m->is_descending, progress, err);
}

/* --- sums ---------------------------------------------------------------- */

static int
compare_ids(const void *a, const void *b)
{
	node_id x = *(const node_id *)a, y = *(const node_id *)b;

	return (x > y) - (x < y);
}

/* Counts each object once. */
static bool
count_objects(struct making *m, struct error *err)
{
	const struct id_list *list = &m->list;
	node_id *ids;

	m->objects_count = list->count;
	m->objects_bytes = list->bytes_count;
	if (m->what != LIST_REFERENCES || !list->count)
		return true;
	ids = memory_new(list->count, sizeof *ids, err);
	if (!ids)
		return false;
	memcpy(ids, list->ids, list->count * sizeof *ids);
	qsort(ids, list->count, sizeof *ids, compare_ids);
	for (uint32_t i = 1; i < list->count; i++)
		if (ids[i] == ids[i - 1]) {
			m->objects_count--;
			m->objects_bytes -= heap_size(m->listing.facts.heap, ids[i]);
		}
	memory_free(ids);
	return true;
}

/* --- all of it ----------------------------------------------------------- */

typedef bool make_some(struct making *m, struct progress *progress, struct error *err);

static bool
make_list(void *context, struct progress *progress, struct error *err)
{
	static make_some *const lists[] = {
		[LIST_ALL] = list_by_types,         [LIST_OF_TYPE] = list_by_types,
		[LIST_REFERRERS] = list_referrers,  [LIST_REFERENCES] = list_references,
		[LIST_OF_THESE] = list_these,       [LIST_OF_CALLS] = list_calls,
		[LIST_OF_COMPARED] = list_compared, [LIST_OF_HELD] = list_held,
	};
	struct making *m = context;
	bool is_grouped = m->target.group.by != GROUP_NONE;
	bool is_filtered = lists[m->what] == list_by_types && !is_grouped;

	return lists[m->what](m, progress, err) && (!is_grouped || keep_group(m, progress, err)) &&
	       (!m->filter || is_filtered || keep_filtered(m, progress, err)) &&
	       count_objects(m, err) && sort_list(m, progress, err);
}

/* Keeps what a pass has found. If there is no memory it is found again. */
static void
take_found(struct view *v, const struct making *m)
{
	struct error ignored = { 0 };
	node_id *these = arena_array(&v->arena, node_id, (size_t)m->these_count + 1, &ignored);

	if (!these)
		return;
	memcpy(these, m->found, m->these_count * sizeof *these);
	m->into->these = these;
	m->into->these_count = m->these_count;
	m->into->what = LIST_OF_THESE;
}

static void
take_list(struct view *v, void *context, bool ok)
{
	struct making *m = context;

	if (ok && m->found)
		take_found(v, m);
	memory_free(m->found);
	if (ok) {
		id_list_free(&m->into->list);
		m->into->list = m->list;
		m->into->objects_count = m->objects_count;
		m->into->objects_bytes = m->objects_bytes;
		v->rows_count = m->list.count;
	} else {
		id_list_free(&m->list);
	}
	memory_free(m);
}

bool
object_list_make(struct view *v, struct object_list *l, struct error *err)
{
	struct making *m = memory_new(1, sizeof *m, err);

	if (!m)
		return false;
	m->target = v->target;
	m->what = l->what;
	m->these = l->these;
	m->these_count = l->these_count;
	m->is_descending = v->is_descending;
	/* Sort by address until the column's needs are met; view_update() runs again then. */
	if (v->sort >= 0 && !(v->ops->table->columns[v->sort].needs & ~v->session->has))
		m->column = &v->ops->table->columns[v->sort];
	m->listing = view_listing(v);
	m->filter = v->filter;
	m->into = l;
	return view_run(v, "listing objects", make_list, take_list, m, err);
}
