#include "tui/tables/referrer_expansion.h"
#include "model/base/format.h"
#include "model/heap/bits.h"
#include <string.h>

/* Keys of rows other than objects: see row_key(). */
enum { WHAT_ROOT = 1, WHAT_MORE, WHAT_NOTE };
#define WHAT(kind, n) ((uint64_t)(kind) << 40 | (n))

static void
clear(void *expansion)
{
	struct referrer_expansion *e = expansion;

	rows_clear(&e->level);
	memory_free(e->path);
	memory_free(e->is_on_path);
}

bool
referrer_can_open(const struct reverse *rev, node_id node)
{
	uint32_t roots_count;

	return reverse_count(rev, node) > 0 || heap_roots_of(rev->heap, node, &roots_count);
}

/* --- the way up ---------------------------------------------------------- */

static bool
path_add(struct referrer_expansion *e, node_id node, struct error *err)
{
	if (!APPEND(e->path, e->path_count, e->path_room, err, node))
		return false;
	if (e->is_on_path)
		bits_add(e->is_on_path, node);
	return true;
}

/* Long paths use a bit set, short ones are searched. */
static bool
path_mark(struct referrer_expansion *e, struct error *err)
{
	e->is_on_path = memory_new(bits_words(e->heap->nodes_count), sizeof *e->is_on_path, err);
	if (!e->is_on_path)
		return false;
	for (size_t i = 0; i < e->path_count; i++)
		bits_add(e->is_on_path, e->path[i]);
	return true;
}

/* Returns how many levels above the new rows this object is; 0: not on the path. */
static size_t
levels_up(const struct referrer_expansion *e, node_id node)
{
	if (e->is_on_path && !bits_has(e->is_on_path, node))
		return 0;
	for (size_t i = e->path_count; i-- > 0;)
		if (e->path[i] == node)
			return e->path_count - i;
	return 0;
}

/* --- one level ----------------------------------------------------------- */

static bool
level_add(struct referrer_expansion *e, struct row row, uint64_t what, struct error *err)
{
	row.depth = e->depth + 1;
	row.key = row_key(e->key, what);
	return rows_append(&e->level, &row, err);
}

static bool
level_add_roots(struct referrer_expansion *e, node_id node, struct error *err)
{
	uint32_t count, same, shown = 0;
	const struct root *roots = heap_roots_of(e->heap, node, &count);

	for (uint32_t i = 0; i < count; i += same) {
		struct row row = row_of(ROW_ROOT);

		/* Stack slots of one thread share a row. */
		for (same = 1; i + same < count; same++)
			if (roots[i].kind != roots[i + same].kind ||
			    strcmp(roots[i].name, roots[i + same].name))
				break;
		row.node = node;
		row.type = heap_type_of(e->heap, node);
		row.root = (uint32_t)(roots + i - e->heap->roots);
		row.data = same;
		if (shown++ == PAGE_ITEMS) {
			row.kind = ROW_NOTE;
			row.data = count - i;
			return level_add(e, row, WHAT(WHAT_NOTE, 0), err);
		}
		if (!level_add(e, row, WHAT(WHAT_ROOT, row.root), err))
			return false;
	}
	return true;
}

static struct row
row_of_referrer(const struct referrer_expansion *e, const struct referrer *r)
{
	struct row row = row_of_node(e->heap, r->node);
	node_id held = e->path[e->path_count - 1];
	size_t up = levels_up(e, r->node);

	row.data = r->refs_count < UINT32_MAX ? r->refs_count : UINT32_MAX;
	if (up) {
		row.kind = ROW_CYCLE;
		row.data |= (uint64_t)up << 32;
		return row;
	}
	if (e->reach && reach_is_static_ref(e->reach, r->node, held))
		row.data |= UINT64_C(1) << 63;
	if (!e->is_flat && referrer_can_open(e->reverse, r->node))
		row.fold = FOLD_CLOSED;
	return row;
}

static bool
level_add_page(struct referrer_expansion *e, node_id node, struct progress *progress,
	       struct error *err)
{
	struct referrer_page page;
	struct row more = row_of(ROW_MORE);

	if (!referrer_page_read(&page, e->reverse, e->reach, node, e->after, progress, err))
		return false;
	for (uint32_t i = 0; i < page.count; i++)
		if (!level_add(e, row_of_referrer(e, &page.items[i]), page.items[i].node, err))
			return false;
	more.data = page.left;
	return !page.left || level_add(e, more, WHAT(WHAT_MORE, 0), err);
}

/* --- from level to level ------------------------------------------------- */

/* Equal roots share a row: return the key of the last row at or before this root. */
static uint64_t
key_of_root(const struct referrer_expansion *e, uint32_t root)
{
	const struct row *rows = e->level.items;
	size_t found = 0;

	for (size_t i = 0; i < e->level.count; i++)
		if (rows[i].kind == ROW_ROOT && rows[i].root <= root)
			found = i;
	return rows[found].key;
}

/* Returns the row to open next, SIZE_MAX at the end; sets expansion.end_key. */
static size_t
next_alone(struct referrer_expansion *e)
{
	const struct row *first = e->level.items;
	bool is_alone = e->level.count == 1;

	e->expansion.end_key = is_alone ? first->key : e->key;
	return is_alone && first->kind == ROW_OBJECT && first->fold != FOLD_NONE ? 0 : SIZE_MAX;
}

static size_t
next_to_root(struct referrer_expansion *e, node_id node)
{
	const struct row *rows = e->level.items;
	node_id step = reach_step(e->reach, node);

	e->expansion.end_key =
	    e->reach->distance[node] == 0 ? key_of_root(e, e->reach->next[node]) : e->key;
	for (size_t i = 0; step != NODE_NONE && i < e->level.count; i++) {
		if (rows[i].node != step || rows[i].kind == ROW_ROOT)
			continue;
		e->expansion.end_key = rows[i].key;
		return rows[i].kind == ROW_OBJECT ? i : SIZE_MAX;
	}
	return SIZE_MAX;
}

static size_t
next_row(struct referrer_expansion *e, node_id node)
{
	if (e->rule == TREE_WHILE_ALONE)
		return next_alone(e);
	if (e->rule == TREE_TO_ROOT)
		return next_to_root(e, node);
	/* Select the first new row of a page. */
	e->expansion.end_key =
	    e->rule == TREE_MORE && e->level.count ? e->level.items[0].key : e->key;
	return SIZE_MAX;
}

/* Turns the row into one that replaces the path from its object on, except its last objects. */
static bool
row_skip_way(struct referrer_expansion *e, struct row *row, struct progress *progress,
	     struct error *err)
{
	const struct reach *reach = e->reach;
	uint32_t skipped = reach->distance[row->node] - EXPANSION_LAST;
	bool is_one_type = true;
	node_id node = row->node;

	for (uint32_t i = 0; i < skipped; i++) {
		is_one_type &= heap_type_of(e->heap, node) == row->type;
		node = reach->next[node];
		if (i % EXPANSION_AT_ONCE == 0 && progress_is_cancelled(progress))
			return error_cancelled(err);
	}
	row->kind = ROW_SKIP;
	row->data |= (uint64_t)is_one_type << 63;
	e->landing = node;
	return true;
}

static bool
is_far(const struct referrer_expansion *e, node_id node)
{
	return e->rule == TREE_TO_ROOT && e->steps >= EXPANSION_FIRST &&
	       e->reach->distance[node] >= EXPANSION_LAST + EXPANSION_SKIP_MIN;
}

/* Opens the row `next` of the level too; if the limits are reached, sets it to SIZE_MAX. */
static bool
open_next(struct referrer_expansion *e, size_t *next, struct progress *progress, struct error *err)
{
	struct row *row = &e->level.items[*next];

	e->expansion.end_key = row->key;
	if (is_far(e, row->node) && !row_skip_way(e, row, progress, err))
		return false;
	if (e->steps + 1 >= e->steps_max || reverse_count(e->reverse, row->node) > e->refs_max) {
		e->expansion.is_cut = true;
		*next = SIZE_MAX;
		return true;
	}
	row->fold = FOLD_OPEN;
	e->key = row->key;
	e->depth = row->depth;
	return path_add(e, row->node, err);
}

/* Inserts the level; the next one follows its row `next`. */
static bool
put_level(struct referrer_expansion *e, size_t next, struct error *err)
{
	struct row *gap = rows_insert(&e->expansion.rows, e->at, e->level.count, err);

	if (!gap)
		return false;
	if (e->level.count)
		memcpy(gap, e->level.items, e->level.count * sizeof *gap);
	e->level.count = 0;
	e->at += next + 1;
	e->steps++;
	return true;
}

/* The only row below a ROW_SKIP is the object where the path continues. */
static bool
land(struct referrer_expansion *e, struct error *err)
{
	struct row row = row_of_node(e->heap, e->landing);

	e->landing = NODE_NONE;
	row.fold = FOLD_OPEN;
	row.data = 1;
	if (!level_add(e, row, row.node, err) || !path_add(e, row.node, err))
		return false;
	e->key = e->expansion.end_key = e->level.items[0].key;
	e->depth++;
	return put_level(e, 0, err);
}

/* Opens the row e->key, which is about the last object of the path. */
static bool
expand_level(struct referrer_expansion *e, struct progress *progress, bool *is_end,
	     struct error *err)
{
	node_id node = e->path[e->path_count - 1];
	size_t next;

	if (e->rule != TREE_MORE && !level_add_roots(e, node, err))
		return false;
	if (!level_add_page(e, node, progress, err))
		return false;
	next = next_row(e, node);
	if (next != SIZE_MAX && !open_next(e, &next, progress, err))
		return false;
	*is_end = next == SIZE_MAX;
	return put_level(e, next, err) && (e->landing == NODE_NONE || land(e, err));
}

static bool
make(void *expansion, struct progress *progress, struct error *err)
{
	struct referrer_expansion *e = expansion;
	bool is_long = e->rule > TREE_MORE, is_end = false;
	node_id first = e->path[e->path_count - 1];

	progress_begin(progress, "finding referrers", "referrers",
		       is_long ? 0 : reverse_count(e->reverse, first));
	if (is_long && !path_mark(e, err))
		return false;
	while (!is_end) {
		if (progress_is_cancelled(progress))
			return error_cancelled(err);
		if (!expand_level(e, progress, &is_end, err))
			return false;
	}
	return true;
}

/* --- on the screen's thread ---------------------------------------------- */

/* Collects the objects from the top down to the opening row `at`. */
static bool
path_take(struct referrer_expansion *e, const struct rows *rows, size_t at, struct error *err)
{
	uint32_t depth = rows->items[at].depth + 1;

	for (uint32_t i = 0; i < depth; i++)
		if (!path_add(e, NODE_NONE, err))
			return false;
	for (size_t i = at + 1; i-- > 0 && depth > 0;)
		if (rows->items[i].depth < depth)
			e->path[--depth] = rows->items[i].node;
	return true;
}

/* Returns the last object shown before the ROW_MORE `at`. */
static node_id
last_shown(const struct rows *rows, size_t at)
{
	size_t parent = rows_parent_of(rows, at);

	for (size_t i = at; i-- > parent + 1;)
		if (rows->items[i].depth == rows->items[at].depth)
			return rows->items[i].node;
	return NODE_NONE;
}

static const struct expansion_kind referrers = {
	.what = "finding referrers",
	.size = sizeof(struct referrer_expansion),
	.make = make,
	.clear = clear,
};

struct referrer_expansion *
referrer_expansion_new(const struct view *v, size_t at, enum tree_rule rule, struct error *err)
{
	const struct session *s = v->session;
	const struct rows *rows = &((const struct tree *)v->state)->rows;
	struct referrer_expansion *e = expansion_new(v, &referrers, at, err);
	size_t opens = at;

	if (!e)
		return NULL;
	e->heap = s->heap;
	e->reverse = s->reverse;
	e->reach = s->reach;
	e->rule = rule;
	e->after = NODE_NONE;
	e->landing = NODE_NONE;
	e->steps_max = EXPANSION_STEPS_MAX;
	e->refs_max = UINT64_MAX;
	if (rule == TREE_MORE) {
		e->expansion.replaces = true;
		opens = rows_parent_of(rows, at);
		e->after = last_shown(rows, at);
	}
	e->key = rows->items[opens].key;
	e->depth = rows->items[opens].depth;
	if (path_take(e, rows, opens, err))
		return e;
	expansion_free(e);
	return NULL;
}

bool
referrer_expansion_start(struct referrer_expansion *e, struct view *v, struct error *err)
{
	uint64_t refs = reverse_count(e->reverse, e->path[e->path_count - 1]);
	bool is_long = e->refs_max > EXPANSION_AT_ONCE && e->rule > TREE_MORE;

	e->expansion.is_short = !is_long && refs <= EXPANSION_AT_ONCE;
	return expansion_start(e, v, err);
}

uint64_t
referrer_row_refs(const struct cells *in, const struct row *row)
{
	(void)in;
	if (referrer_row_is_object(row) || row->kind == ROW_ROOT)
		return referrer_row_times(row);
	/* Each outgoing reference has its own row. */
	return row->kind == ROW_PLAIN ? 1 : UINT64_MAX;
}

void
referrer_times_cell(const struct cells *in, const struct row *row, struct value *out)
{
	uint64_t times = referrer_row_refs(in, row);
	char count[FORMAT_BYTES];

	if (times > 1 && times != UINT64_MAX)
		value_printf(out, STYLE_NUMBER, "×%s", format_count(times, count));
	else
		value_blank(out);
}

void
referrer_rest_cell(const struct row *row, struct value *out)
{
	char count[FORMAT_BYTES];

	if (row->kind == ROW_MORE)
		value_printf(out, STYLE_DIM, "… %s more; Enter shows %d",
			     format_count(row->data, count), PAGE_ITEMS);
	else
		value_printf(out, STYLE_DIM, "… %s more roots", format_count(row->data, count));
}
