/*
 * Lists of objects: of the heap, of a type, those that refer to one or that it
 * refers to. A list is 4 bytes an object; everything shown is worked out for
 * the rows on screen, so millions page without a pause.
 */
#include "tui/app.h"
#include "tui/describe.h"
#include "tui/object_cells.h"
#include "tui/views.h"
#include "model/async.h"
#include "model/order.h"
#include <stdlib.h>
#include <string.h>

enum lists {
	LIST_ALL,
	LIST_OF_TYPE,
	LIST_REFERRERS,
	LIST_REFERENCES,
	LIST_OF_THESE,
	LIST_OF_CALLS, /* those of the target */
};

enum { LOOK_EVERY = 65536 };

struct objects_state {
	enum lists what;
	const node_id *these; /* of LIST_OF_THESE; in the view's arena */
	uint32_t these_count;
	struct id_list list;
};

/* --- cells --------------------------------------------------------------- */

static void
cell_address(const struct view *v, const struct row *row, struct value *out)
{
	value_address(out, heap_address(v->session->heap, row->node));
}

static void
cell_type(const struct view *v, const struct row *row, struct value *out)
{
	view_type_cell(v, row->type, out);
}

static void
cell_size(const struct view *v, const struct row *row, struct value *out)
{
	value_bytes(out, heap_size(v->session->heap, row->node));
}

static void
cell_retained(const struct view *v, const struct row *row, struct value *out)
{
	value_bytes(out, session_retained(v->session, row->node).bytes);
}

static void
cell_retained_share(const struct view *v, const struct row *row,
		    struct value *out)
{
	value_share(out, session_retained(v->session, row->node).bytes,
		    v->session->heap->bytes_count);
}

static void
cell_gen(const struct view *v, const struct row *row, struct value *out)
{
	value_generation(out, heap_generation(v->session->heap, row->node));
}

static void
cell_in(const struct view *v, const struct row *row, struct value *out)
{
	value_count(out, reverse_of(v->session->reverse, row->node).left);
}

static void
cell_out(const struct view *v, const struct row *row, struct value *out)
{
	value_count(out, heap_refs(v->session->heap, row->node).left);
}

static void
cell_distance(const struct view *v, const struct row *row, struct value *out)
{
	uint32_t distance = v->session->reach->distance[row->node];

	if (distance == DISTANCE_UNREACHABLE)
		value_blank(out);
	else
		value_count(out, distance);
}

static void
cell_live(const struct view *v, const struct row *row, struct value *out)
{
	if (v->session->reach->distance[row->node] == DISTANCE_UNREACHABLE)
		value_text(out, STYLE_WARNING, "dead");
	else
		value_text(out, STYLE_NORMAL, "live");
}

static void
cell_root(const struct view *v, const struct row *row, struct value *out)
{
	describe_root_of(v->session, row->node, out);
}

/* In their order the first that fits. */
static void
cell_kind(const struct view *v, const struct row *row, struct value *out)
{
	static const struct {
		uint32_t flag; /* enum type_flag */
		const char *kind;
	} kinds[] = {
		{ TYPE_EXCEPTION, "exception" },
		{ TYPE_DELEGATE, "delegate" },
		{ TYPE_STRING, "string" },
		{ TYPE_ARRAY, "array" },
	};
	uint32_t flags = v->session->heap->types[row->type].flags;

	value_text(out, STYLE_DIM, "other");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (flags & kinds[i].flag) {
			value_text(out, STYLE_DIM, kinds[i].kind);
			return;
		}
}

static void
cell_heap(const struct view *v, const struct row *row, struct value *out)
{
	object_cell_heap(v, heap_address(v->session->heap, row->node), out);
}

/* --- making the list ----------------------------------------------------- */

/* All that a worker needs; nothing that the screen's thread may change. */
struct making {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;
	const struct root_index *roots;
	const struct retained *retained;
	struct target target;
	enum lists what;
	const node_id *these;
	uint32_t these_count;
	struct filter *filter;   /* the view's: nobody else uses it meanwhile */
	const struct view *view; /* for the filter's cells */
	const char *sort;        /* id of a column, or NULL */
	bool is_descending;
	struct id_list list;
};

static bool
list_add(struct id_list *list, uint32_t *capacity, const struct heap *h,
	 node_id node, struct error *err)
{
	node_id *ids;

	if (list->count == *capacity) {
		*capacity = *capacity ? *capacity * 2 : 64;
		ids = memory_resize(list->ids, *capacity, sizeof *ids, err);
		if (!ids)
			return false;
		list->ids = ids;
	}
	list->ids[list->count++] = node;
	list->bytes_count += heap_size(h, node);
	return true;
}

/* Looks for Esc every 65,536 objects; `seen` counts from 1. */
static bool
may_go_on(struct progress *progress, uint64_t seen, struct error *err)
{
	return seen % LOOK_EVERY || progress_add(progress, LOOK_EVERY) ||
	       error_cancelled(err);
}

static bool
list_referrers(struct making *m, struct progress *progress, struct error *err)
{
	struct referrers r = reverse_of(m->reverse, m->target.node);
	node_id source, last = NODE_NONE;
	uint32_t capacity = 0;
	uint64_t seen = 0;

	progress_begin(progress, "listing referrers", r.left);
	/* In id order: one that refers to it twice comes twice in a row. */
	while (referrers_next(&r, &source)) {
		if (!may_go_on(progress, ++seen, err))
			return false;
		if (source != last &&
		    !list_add(&m->list, &capacity, m->heap, source, err))
			return false;
		last = source;
	}
	return true;
}

static bool
list_references(struct making *m, struct progress *progress, struct error *err)
{
	struct refs r = heap_refs(m->heap, m->target.node);
	uint32_t capacity = 0;
	uint64_t seen = 0;
	node_id target;

	progress_begin(progress, "listing references", r.left);
	while (refs_next(&r, &target))
		if (!may_go_on(progress, ++seen, err) ||
		    !list_add(&m->list, &capacity, m->heap, target, err))
			return false;
	return true;
}

static bool
list_these(struct making *m, struct error *err)
{
	uint32_t capacity = 0;

	for (uint32_t i = 0; i < m->these_count; i++)
		if (!list_add(&m->list, &capacity, m->heap, m->these[i], err))
			return false;
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
	ok = nodes && list_these(m, err);
	memory_free(nodes);
	return ok;
}

static bool
list_by_types(struct making *m, struct progress *progress, struct error *err)
{
	uint8_t *wanted = memory_new(m->heap->types_count, 1, err);
	bool ok;

	if (!wanted)
		return false;
	for (type_id t = 0; t < m->heap->types_count; t++)
		wanted[t] = m->what == LIST_ALL || t == m->target.type;
	/* Of a group, only what is in it is filtered. */
	ok = m->filter && m->target.group.by == GROUP_NONE
		 ? filter_list(m->filter, m->view, wanted, progress, &m->list,
			       err)
		 : id_list_of_types(&m->list, m->heap, wanted, progress, err);
	memory_free(wanted);
	return ok;
}

static bool
drop_filtered(struct making *m, struct progress *progress, struct error *err)
{
	uint32_t kept = 0;

	progress_begin(progress, "filtering", m->list.count);
	m->list.bytes_count = 0;
	for (uint32_t i = 0; i < m->list.count; i++) {
		node_id node = m->list.ids[i];
		struct row row = row_of_node(m->heap, node);

		if (!may_go_on(progress, i + 1ULL, err))
			return false;
		if (!filter_lets_through(m->filter, m->view, &row))
			continue;
		m->list.bytes_count += heap_size(m->heap, node);
		m->list.ids[kept++] = node;
	}
	m->list.count = kept;
	return true;
}

/* --- order --------------------------------------------------------------- */

static uint64_t
key_address(const void *context, node_id n)
{
	(void)context;
	return n;
}

static uint64_t
key_size(const void *context, node_id n)
{
	const struct making *m = context;

	return heap_size(m->heap, n);
}

static uint64_t
key_retained(const void *context, node_id n)
{
	const struct making *m = context;

	return retained_of(m->retained, n).bytes;
}

static uint64_t
key_gen(const void *context, node_id n)
{
	const struct making *m = context;

	return heap_generation(m->heap, n);
}

static uint64_t
key_in(const void *context, node_id n)
{
	const struct making *m = context;

	return reverse_of(m->reverse, n).left;
}

static uint64_t
key_out(const void *context, node_id n)
{
	const struct making *m = context;

	return heap_refs(m->heap, n).left;
}

static uint64_t
key_distance(const void *context, node_id n)
{
	const struct making *m = context;

	return m->reach->distance[n];
}

static uint64_t
key_live(const void *context, node_id n)
{
	const struct making *m = context;

	return m->reach->distance[n] != DISTANCE_UNREACHABLE;
}

/* Roots are numbered by object: this groups what one root keeps. */
static uint64_t
key_root(const void *context, node_id n)
{
	const struct making *m = context;
	const struct root *root = root_index_find(m->roots, n);

	if (!root)
		return UINT64_MAX;
	return (uint64_t)root_kinds[root->kind].priority << 32 |
	       (uint32_t)(root - m->heap->roots);
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
	uint32_t count = m->heap->types_count;
	struct named_type *names = memory_new(count, sizeof *names, err);
	struct type_ranks ranks = { m->heap,
				    memory_new(count, sizeof(uint32_t), err) };
	bool ok = names && ranks.ranks;

	for (type_id t = 0; ok && t < count; t++)
		names[t] = (struct named_type){ m->heap->types[t].name, t };
	if (ok) {
		qsort(names, count, sizeof *names, compare_names);
		for (uint32_t i = 0; i < count; i++)
			ranks.ranks[names[i].type] = i;
		ok = id_list_sort(&m->list, key_type, &ranks, m->is_descending,
				  progress, err);
	}
	memory_free(names);
	memory_free(ranks.ranks);
	return ok;
}

/* clang-format off */
static const struct {
	const char *id;
	order_key *key;
} keys[] = {
	{ "address", key_address }, { "size", key_size }, { "gen", key_gen },
	{ "in", key_in }, { "out", key_out }, { "distance", key_distance },
	{ "live", key_live }, { "root", key_root }, { "retained", key_retained },
	{ "retained_share", key_retained },
};
/* clang-format on */

static bool
sort_list(struct making *m, struct progress *progress, struct error *err)
{
	if (!m->sort)
		return true;
	if (!strcmp(m->sort, "type"))
		return sort_by_type(m, progress, err);
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (!strcmp(m->sort, keys[i].id))
			return id_list_sort(&m->list, keys[i].key, m,
					    m->is_descending, progress, err);
	return true;
}

/* Lists of types may be of one group of the heap only. */
static bool
keep_group(struct making *m, struct progress *progress, struct error *err)
{
	struct group_members members;
	uint32_t kept = 0;
	bool ok = group_members_init(&members, m->heap, m->reach,
				     m->target.group, progress, err);

	if (ok)
		m->list.bytes_count = 0;
	for (uint32_t i = 0; ok && i < m->list.count; i++) {
		node_id node = m->list.ids[i];

		ok = may_go_on(progress, i + 1ULL, err);
		if (!group_members_has(&members, node))
			continue;
		m->list.bytes_count += heap_size(m->heap, node);
		m->list.ids[kept++] = node;
	}
	m->list.count = kept;
	group_members_clear(&members);
	return ok;
}

static bool
make_list(void *context, struct progress *progress, struct error *err)
{
	struct making *m = context;
	bool ok = m->what == LIST_REFERRERS ? list_referrers(m, progress, err)
		  : m->what == LIST_REFERENCES
		      ? list_references(m, progress, err)
		  : m->what == LIST_OF_THESE ? list_these(m, err)
		  : m->what == LIST_OF_CALLS ? list_calls(m, progress, err)
					     : list_by_types(m, progress, err);

	if (!ok)
		return false;
	if (m->target.group.by != GROUP_NONE && !keep_group(m, progress, err))
		return false;
	if (m->filter &&
	    (m->what >= LIST_REFERRERS || m->target.group.by != GROUP_NONE) &&
	    !drop_filtered(m, progress, err))
		return false;
	return sort_list(m, progress, err);
}

static void
take_list(struct view *v, void *context, bool ok)
{
	struct objects_state *state = v->state;
	struct making *m = context;

	if (ok) {
		id_list_free(&state->list);
		state->list = m->list;
		v->rows_count = m->list.count;
	} else {
		id_list_free(&m->list);
	}
	memory_free(m);
}

static bool
objects_rows(struct view *v, struct error *err)
{
	const struct objects_state *state = v->state;
	struct making *m = memory_new(1, sizeof *m, err);

	if (!m)
		return false;
	m->heap = v->session->heap;
	m->reverse = v->session->reverse;
	m->reach = v->session->reach;
	m->roots = v->session->roots;
	if (v->session->holdings)
		m->retained = v->session->holdings->retained;
	m->target = v->target;
	m->what = state->what;
	m->these = state->these;
	m->these_count = state->these_count;
	m->is_descending = v->is_descending;
	/* Until it can be sorted so, by address; view_update() comes back. */
	if (v->sort >= 0 &&
	    !(v->ops->columns[v->sort].needs & ~v->session->has))
		m->sort = v->ops->columns[v->sort].id;
	m->filter = v->filter;
	m->view = v;
	return view_run(v, "listing objects", make_list, take_list, m, err);
}

/* --- the views ----------------------------------------------------------- */

static bool
open_list(struct view *v, enum lists what, struct error *err)
{
	struct objects_state *state =
	    arena_new(&v->arena, struct objects_state, err);

	v->state = state;
	if (state)
		state->what = what;
	return state != NULL;
}

static bool
these_open(struct view *v, struct error *err)
{
	struct target *t = &v->target;
	node_id *these =
	    arena_array(&v->arena, node_id, (size_t)t->nodes_count + 1, err);
	struct objects_state *state;

	snprintf(v->title, sizeof v->title, "%s", t->nodes_title);
	if (!these || !open_list(v, LIST_OF_THESE, err))
		return false;
	memcpy(these, t->nodes, t->nodes_count * sizeof *these);
	state = v->state;
	state->these = these;
	state->these_count = t->nodes_count;
	t->nodes = NULL;
	t->nodes_title = NULL;
	return true;
}

static bool
calls_open(struct view *v, struct error *err)
{
	struct target *t = &v->target;
	struct async_calls *calls = t->calls;

	snprintf(v->title, sizeof v->title, "%s", t->nodes_title);
	t->nodes_title = NULL;
	t->calls = NULL; /* until it is held */
	if (!open_list(v, LIST_OF_CALLS, err))
		return false;
	t->calls = async_hold(calls);
	return true;
}

/* "objects Leaky.Session of gen2": a module or namespace is the type's. */
static void
tell_group(struct view *v)
{
	char name[GROUP_NAME_BYTES];
	size_t len = strlen(v->title);

	if (v->target.group.by != GROUP_NAMESPACE &&
	    v->target.group.by != GROUP_MODULE)
		snprintf(v->title + len, sizeof v->title - len, " %.100s",
			 group_phrase(v->session->heap, v->target.group, name));
}

static bool
objects_open(struct view *v, struct error *err)
{
	bool is_typed = v->target.type != TYPE_NONE;

	/* Of the type of an object, if that is what is selected. */
	v->target.node = NODE_NONE;
	if (v->target.nodes)
		return these_open(v, err);
	if (v->target.calls)
		return calls_open(v, err);
	if (is_typed)
		snprintf(v->title, sizeof v->title, "objects %s",
			 session_type_name(v->session, v->target.type));
	if (v->target.group.by != GROUP_NONE)
		tell_group(v);
	return open_list(v, is_typed ? LIST_OF_TYPE : LIST_ALL, err);
}

static bool
referrers_open(struct view *v, struct error *err)
{
	char name[VALUE_TEXT_BYTES];

	snprintf(v->title, sizeof v->title, "referrers of %.200s",
		 describe_node(v->session, v->target.node, name, sizeof name));
	return open_list(v, LIST_REFERRERS, err);
}

static bool
references_open(struct view *v, struct error *err)
{
	char name[VALUE_TEXT_BYTES];

	snprintf(v->title, sizeof v->title, "references of %.200s",
		 describe_node(v->session, v->target.node, name, sizeof name));
	return open_list(v, LIST_REFERENCES, err);
}

static void
objects_close(struct view *v)
{
	struct objects_state *state = v->state;

	if (state)
		id_list_free(&state->list);
	async_free(v->target.calls);
}

/* Of a list of some of a type: all in it, whatever row is selected. */
static bool
objects_selection(const struct view *v, const struct row *row,
		  struct target *out, char *title, size_t title_size)
{
	const struct objects_state *state = v->state;

	if (state->what != LIST_OF_THESE || row->type != v->target.type)
		return false;
	*out = target_of_type(row->type);
	out->nodes = state->these;
	out->nodes_count = state->these_count;
	out->nodes_title = title;
	snprintf(title, title_size, "%s", v->title);
	return true;
}

/* Of the referrers of an object: the reference to that. */
static uint32_t
referrers_leaves_out(const struct view *v, const struct row *row,
		     bool as_reference, struct ignored_entry *entries,
		     uint32_t max)
{
	if (!as_reference || !max)
		return 0;
	entries[0] =
	    (struct ignored_entry){ IGNORED_REF, row->node, v->target.node };
	return 1;
}

static void
objects_row(const struct view *v, size_t index, struct row *out)
{
	const struct objects_state *state = v->state;

	*out = row_of_node(v->session->heap, state->list.ids[index]);
}

static size_t
objects_find(const struct view *v, uint64_t key)
{
	const struct objects_state *state = v->state;

	for (size_t i = 0; i < v->rows_count; i++)
		if (state->list.ids[i] == key)
			return i;
	return SIZE_MAX;
}

static bool
objects_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct objects_state *state = v->state;
	const struct filter *f = v->shown.filter;
	char count[32], size[32], unknown[48];

	if (line)
		return false;
	if (view_is_busy(v) && !state->list.count) {
		value_pending(out);
		return true;
	}
	value_count(out, state->list.count);
	snprintf(count, sizeof count, "%s", value_for_people(out, out->buffer));
	value_bytes(out, state->list.bytes_count);
	snprintf(size, sizeof size, "%s", value_for_people(out, out->buffer));
	value_printf(out, STYLE_DIM, "%s object%s, %s%s%s%s", count,
		     state->list.count == 1 ? "" : "s", size,
		     !f                     ? ""
		     : filter_is_pattern(f) ? ", of types that match "
					    : ", where ",
		     f ? filter_text(f) : "",
		     f && !view_is_busy(v)
			 ? filter_remark(f, unknown, sizeof unknown)
			 : "");
	return true;
}

/* What stands in the selected row, with what it holds and who holds it. */
static bool
inspect(const struct call *call, struct error *err)
{
	struct target target = view_target(call->view);

	if (target.node == NODE_NONE)
		return error_set(err, ERROR_USAGE, "no object is selected");
	return app_open(call->app, &view_inspect, &target, err);
}

/* clang-format off */
static const struct column columns[] = {
	/* id         title       width sorts  cell           help                                                   rank flags needs */
	{ "address",  "Address",  14,   UP,    cell_address,  "where the object is; #N if the dump does not say",       0, 0, 0 },
	{ "type",     "Type",     FILL, UP,    cell_type,     "name in C# spelling",                                    0, COLUMN_BY_TYPE, 0 },
	{ "size",     "Size",     9,    DOWN,  cell_size,     "bytes, without what it refers to",                       0, 0, 0 },
	{ "retained", "Retained", 11,   DOWN,  cell_retained, "bytes that only it holds, its own included",             1, COLUMN_DEAR, NEED_HOLDINGS },
	{ "retained_share", "Ret%", 6,  DOWN,  cell_retained_share, "part of all bytes",                                7, COLUMN_DEAR, NEED_HOLDINGS },
	{ "gen",      "Gen",      -7,   DOWN,  cell_gen,      "generation, if the dump has segments",                   6, COLUMN_RANGES | COLUMN_BLANK, 0 },
	{ "in",       "In",       6,    DOWN,  cell_in,       "references to it",                                       4, 0, NEED_REVERSE },
	{ "out",      "Out",      6,    DOWN,  cell_out,      "references to others",                                   5, 0, 0 },
	{ "distance", "Dist",     6,    UP,    cell_distance, "references from the nearest root",                       3, 0, NEED_REACH },
	{ "live",     "Live",     -4,   UP,    cell_live,     "live: some root reaches it; dead: none does",            8, COLUMN_MEMORY, NEED_REACH },
	{ "root",     "Root",     -24,  UP,    cell_root,     "the root at the end of the shortest way",                2, 0, NEED_REACH },
	{ "kind",     "Kind",     -9,   UP,   cell_kind,      "exception, delegate, string, array; or other",           9, COLUMN_MACHINE | COLUMN_MEMORY | COLUMN_BY_TYPE, 0 },
	{ "heap",     "Heap",     5,    UP,   cell_heap,      "of server GC, from 0",                                   9, COLUMN_MACHINE | COLUMN_MEMORY, 0 },
	{ "table",    "Table",    14,   UP,    object_cell_table, "its method table, of heaps from memory",            9, COLUMN_MACHINE | COLUMN_MEMORY, 0 },
	{ 0 },
};
static const struct heap_column heap_columns[] = {
	{ "address",  HEAP_ADDRESS }, { "size", HEAP_SIZE }, { "gen", HEAP_GENERATION }, { "in", HEAP_IN }, { "out", HEAP_OUT },
	{ "distance", HEAP_DISTANCE },
	{ 0 },
};
static const struct command commands[] = {
	/* name    keys     args bar        help                   run */
	{ "open",  "Enter i", "", "inspect", "look at this object", inspect, false },
	OBJECT_SHORT,
	{ 0 },
};
/* clang-format on */

const struct view_ops view_objects = {
	.command = { .name = "objects",
		     .keys = "2",
		     .args = "[TYPE]",
		     .bar = "objects",
		     .help = "objects of a type, or all" },
	.empty = "no such object is in the heap; :types shows what is",
	.columns = columns,
	.heap_columns = heap_columns,
	.commands = commands,
	.needs = NEED_OBJECTS,
	.takes = TAKES_TYPE | TAKES_OPTIONAL,
	.flags = VIEW_OBJECTS,
	.open = objects_open,
	.close = objects_close,
	.rows = objects_rows,
	.row = objects_row,
	.find = objects_find,
	.selection = objects_selection,
	.heading = objects_heading,
};

const struct view_ops view_referrers = {
	.command = { .name = "referrers",
		     .keys = "",
		     .args = "ADDRESS",
		     .bar = "",
		     .help = "objects that refer to it, as a list" },
	.empty = "no object refers to it; :paths tells which roots do",
	.columns = columns,
	.heap_columns = heap_columns,
	.commands = commands,
	.needs = NEED_OBJECTS | NEED_REVERSE,
	.takes = TAKES_OBJECT,
	.flags = VIEW_OBJECTS,
	.open = referrers_open,
	.close = objects_close,
	.rows = objects_rows,
	.row = objects_row,
	.find = objects_find,
	.leaves_out = referrers_leaves_out,
	.heading = objects_heading,
};

const struct view_ops view_references = {
	.command = { .name = "references",
		     .keys = "o",
		     .args = "ADDRESS",
		     .bar = "outgoing",
		     .help = "objects that it refers to, in order" },
	.empty = "it refers to no object; :referrers lists the objects that "
		 "refer to it",
	.columns = columns,
	.heap_columns = heap_columns,
	.commands = commands,
	.needs = NEED_OBJECTS,
	.takes = TAKES_OBJECT,
	.flags = VIEW_OBJECTS,
	.open = references_open,
	.close = objects_close,
	.rows = objects_rows,
	.row = objects_row,
	.find = objects_find,
	.heading = objects_heading,
};
