#include "tui/tables/referrer_expansion.h"
#include "model/base/format.h"
#include "model/heap/bits.h"
#include <string.h>

/* Keys of rows other than objects: see tree_key(). */
enum { WHAT_ROOT = 1, WHAT_MORE, WHAT_NOTE };
#define WHAT(kind, n) ((uint64_t)(kind) << 40 | (n))

static void
clear(void *expansion)
{
	struct climb *c = expansion;

	rows_clear(&c->level);
	memory_free(c->path);
	memory_free(c->is_on_path);
}

bool
climb_can_open(const struct reverse *rev, node_id node)
{
	uint32_t roots_count;

	return reverse_count(rev, node) > 0 ||
	       heap_roots_of(rev->heap, node, &roots_count);
}

/* --- the way up ---------------------------------------------------------- */

static bool
climb_add_path(struct climb *c, node_id node, struct error *err)
{
	if (!APPEND(c->path, c->path_count, c->path_room, err, node))
		return false;
	if (c->is_on_path)
		bits_add(c->is_on_path, node);
	return true;
}

/* Long paths use a bit set, short ones are searched. */
static bool
climb_mark_path(struct climb *c, struct error *err)
{
	c->is_on_path = memory_new(bits_words(c->heap->nodes_count),
				   sizeof *c->is_on_path, err);
	if (!c->is_on_path)
		return false;
	for (size_t i = 0; i < c->path_count; i++)
		bits_add(c->is_on_path, c->path[i]);
	return true;
}

/* Returns how many levels above the new rows this object is; 0: not on the
   path. */
static size_t
levels_up(const struct climb *c, node_id node)
{
	if (c->is_on_path && !bits_has(c->is_on_path, node))
		return 0;
	for (size_t i = c->path_count; i-- > 0;)
		if (c->path[i] == node)
			return c->path_count - i;
	return 0;
}

/* --- one level ----------------------------------------------------------- */

static bool
level_add(struct climb *c, struct row row, uint64_t what, struct error *err)
{
	row.depth = c->depth + 1;
	row.key = tree_key(c->key, what);
	return rows_append(&c->level, &row, err);
}

static bool
level_add_roots(struct climb *c, node_id node, struct error *err)
{
	uint32_t count, same, shown = 0;
	const struct root *roots = heap_roots_of(c->heap, node, &count);

	for (uint32_t i = 0; i < count; i += same) {
		struct row row = row_of(ROW_ROOT);

		/* Stack slots of one thread share a row. */
		for (same = 1; i + same < count; same++)
			if (roots[i].kind != roots[i + same].kind ||
			    strcmp(roots[i].name, roots[i + same].name))
				break;
		row.node = node;
		row.type = heap_type_of(c->heap, node);
		row.root = (uint32_t)(roots + i - c->heap->roots);
		row.data = same;
		if (shown++ == PAGE_ITEMS) {
			row.kind = ROW_NOTE;
			row.data = count - i;
			return level_add(c, row, WHAT(WHAT_NOTE, 0), err);
		}
		if (!level_add(c, row, WHAT(WHAT_ROOT, row.root), err))
			return false;
	}
	return true;
}

static struct row
row_of_referrer(const struct climb *c, const struct referrer *r)
{
	struct row row = row_of_node(c->heap, r->node);
	node_id held = c->path[c->path_count - 1];
	size_t up = levels_up(c, r->node);

	row.data = r->refs_count < UINT32_MAX ? r->refs_count : UINT32_MAX;
	if (up) {
		row.kind = ROW_CYCLE;
		row.data |= (uint64_t)up << 32;
		return row;
	}
	if (c->reach && reach_is_static_ref(c->reach, r->node, held))
		row.data |= UINT64_C(1) << 63;
	if (!c->is_flat && climb_can_open(c->reverse, r->node))
		row.fold = FOLD_CLOSED;
	return row;
}

static bool
level_add_page(struct climb *c, node_id node, struct progress *progress,
	       struct error *err)
{
	struct referrer_page page;
	struct row more = row_of(ROW_MORE);

	if (!referrer_page_read(&page, c->reverse, c->reach, node, c->after,
				progress, err))
		return false;
	for (uint32_t i = 0; i < page.count; i++)
		if (!level_add(c, row_of_referrer(c, &page.items[i]),
			       page.items[i].node, err))
			return false;
	more.data = page.left;
	return !page.left || level_add(c, more, WHAT(WHAT_MORE, 0), err);
}

/* --- from level to level ------------------------------------------------- */

/* Equal roots share a row: return the key of the last row at or before this
   root. */
static uint64_t
key_of_root(const struct climb *c, uint32_t root)
{
	const struct row *rows = c->level.items;
	size_t found = 0;

	for (size_t i = 0; i < c->level.count; i++)
		if (rows[i].kind == ROW_ROOT && rows[i].root <= root)
			found = i;
	return rows[found].key;
}

/* Returns the row to open next, SIZE_MAX at the end; sets expansion.end_key. */
static size_t
next_alone(struct climb *c)
{
	const struct row *first = c->level.items;
	bool is_alone = c->level.count == 1;

	c->expansion.end_key = is_alone ? first->key : c->key;
	return is_alone && first->kind == ROW_OBJECT && first->fold != FOLD_NONE
		   ? 0
		   : SIZE_MAX;
}

static size_t
next_to_root(struct climb *c, node_id node)
{
	const struct row *rows = c->level.items;
	node_id step = reach_step(c->reach, node);

	c->expansion.end_key = c->reach->distance[node] == 0
				   ? key_of_root(c, c->reach->next[node])
				   : c->key;
	for (size_t i = 0; step != NODE_NONE && i < c->level.count; i++) {
		if (rows[i].node != step || rows[i].kind == ROW_ROOT)
			continue;
		c->expansion.end_key = rows[i].key;
		return rows[i].kind == ROW_OBJECT ? i : SIZE_MAX;
	}
	return SIZE_MAX;
}

static size_t
next_row(struct climb *c, node_id node)
{
	if (c->rule == TREE_WHILE_ALONE)
		return next_alone(c);
	if (c->rule == TREE_TO_ROOT)
		return next_to_root(c, node);
	/* Select the first new row of a page. */
	c->expansion.end_key = c->rule == TREE_MORE && c->level.count
				   ? c->level.items[0].key
				   : c->key;
	return SIZE_MAX;
}

/* Turn the row into one that replaces the path from its object on, except its
   last objects. */
static bool
row_skip_way(struct climb *c, struct row *row, struct progress *progress,
	     struct error *err)
{
	const struct reach *reach = c->reach;
	uint32_t skipped = reach->distance[row->node] - CLIMB_LAST;
	bool is_one_type = true;
	node_id node = row->node;

	for (uint32_t i = 0; i < skipped; i++) {
		is_one_type &= heap_type_of(c->heap, node) == row->type;
		node = reach->next[node];
		if (i % CLIMB_AT_ONCE == 0 && progress_is_cancelled(progress))
			return error_cancelled(err);
	}
	row->kind = ROW_SKIP;
	row->data |= (uint64_t)is_one_type << 63;
	c->landing = node;
	return true;
}

static bool
is_far(const struct climb *c, node_id node)
{
	return c->rule == TREE_TO_ROOT && c->steps >= CLIMB_FIRST &&
	       c->reach->distance[node] >= CLIMB_LAST + CLIMB_SKIP_MIN;
}

/* Open the row `next` of the level too; if the limits are reached, set it to
   SIZE_MAX. */
static bool
climb_go_on(struct climb *c, size_t *next, struct progress *progress,
	    struct error *err)
{
	struct row *row = &c->level.items[*next];

	c->expansion.end_key = row->key;
	if (is_far(c, row->node) && !row_skip_way(c, row, progress, err))
		return false;
	if (c->steps + 1 >= c->steps_max ||
	    reverse_count(c->reverse, row->node) > c->refs_max) {
		c->expansion.is_cut = true;
		*next = SIZE_MAX;
		return true;
	}
	row->fold = FOLD_OPEN;
	c->key = row->key;
	c->depth = row->depth;
	return climb_add_path(c, row->node, err);
}

/* Insert the level; the next one follows its row `next`. */
static bool
put_level(struct climb *c, size_t next, struct error *err)
{
	struct row *gap =
	    rows_insert(&c->expansion.rows, c->at, c->level.count, err);

	if (!gap)
		return false;
	if (c->level.count)
		memcpy(gap, c->level.items, c->level.count * sizeof *gap);
	c->level.count = 0;
	c->at += next + 1;
	c->steps++;
	return true;
}

/* The only row below a ROW_SKIP is the object where the path continues. */
static bool
climb_land(struct climb *c, struct error *err)
{
	struct row row = row_of_node(c->heap, c->landing);

	c->landing = NODE_NONE;
	row.fold = FOLD_OPEN;
	row.data = 1;
	if (!level_add(c, row, row.node, err) ||
	    !climb_add_path(c, row.node, err))
		return false;
	c->key = c->expansion.end_key = c->level.items[0].key;
	c->depth++;
	return put_level(c, 0, err);
}

/* Open the row c->key, which is about the last object of the path. */
static bool
climb_step(struct climb *c, struct progress *progress, bool *is_end,
	   struct error *err)
{
	node_id node = c->path[c->path_count - 1];
	size_t next;

	if (c->rule != TREE_MORE && !level_add_roots(c, node, err))
		return false;
	if (!level_add_page(c, node, progress, err))
		return false;
	next = next_row(c, node);
	if (next != SIZE_MAX && !climb_go_on(c, &next, progress, err))
		return false;
	*is_end = next == SIZE_MAX;
	return put_level(c, next, err) &&
	       (c->landing == NODE_NONE || climb_land(c, err));
}

static bool
make(void *expansion, struct progress *progress, struct error *err)
{
	struct climb *c = expansion;
	bool is_long = c->rule > TREE_MORE, is_end = false;
	node_id first = c->path[c->path_count - 1];

	progress_begin(progress, "finding referrers", "referrers",
		       is_long ? 0 : reverse_count(c->reverse, first));
	if (is_long && !climb_mark_path(c, err))
		return false;
	while (!is_end) {
		if (progress_is_cancelled(progress))
			return error_cancelled(err);
		if (!climb_step(c, progress, &is_end, err))
			return false;
	}
	return true;
}

/* --- on the screen's thread ---------------------------------------------- */

/* Collect the objects from the top down to the opening row `at`. */
static bool
climb_take_path(struct climb *c, const struct rows *rows, size_t at,
		struct error *err)
{
	uint32_t depth = rows->items[at].depth + 1;
	size_t first, last;

	for (size_t i = at + 1; i-- > 0 && depth > 0;) {
		if (rows->items[i].depth >= depth)
			continue;
		depth = rows->items[i].depth;
		if (!climb_add_path(c, rows->items[i].node, err))
			return false;
	}
	for (first = 0, last = c->path_count; first + 1 < last; first++) {
		node_id swap = c->path[first];

		c->path[first] = c->path[--last];
		c->path[last] = swap;
	}
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

static const struct expansion_kind climb = {
	.what = "finding referrers",
	.size = sizeof(struct climb),
	.make = make,
	.clear = clear,
};

struct climb *
climb_new(const struct view *v, size_t at, enum tree_rule rule,
	  struct error *err)
{
	const struct session *s = v->session;
	const struct rows *rows = &((const struct tree *)v->state)->rows;
	struct climb *c = expansion_new(v, &climb, at, err);
	size_t opens = at;

	if (!c)
		return NULL;
	c->heap = s->heap;
	c->reverse = s->reverse;
	c->reach = s->reach;
	c->rule = rule;
	c->after = NODE_NONE;
	c->landing = NODE_NONE;
	c->steps_max = CLIMB_STEPS_MAX;
	c->refs_max = UINT64_MAX;
	if (rule == TREE_MORE) {
		c->expansion.replaces = true;
		opens = rows_parent_of(rows, at);
		c->after = last_shown(rows, at);
	}
	c->key = rows->items[opens].key;
	c->depth = rows->items[opens].depth;
	if (climb_take_path(c, rows, opens, err))
		return c;
	expansion_free(c);
	return NULL;
}

bool
climb_start(struct climb *c, struct view *v, struct error *err)
{
	uint64_t refs = reverse_count(c->reverse, c->path[c->path_count - 1]);
	bool is_long = c->refs_max > CLIMB_AT_ONCE && c->rule > TREE_MORE;

	c->expansion.is_short = !is_long && refs <= CLIMB_AT_ONCE;
	return expansion_start(c, v, err);
}

uint64_t
climb_refs(const struct cells *in, const struct row *row)
{
	(void)in;
	if (climb_row_is_object(row) || row->kind == ROW_ROOT)
		return climb_row_times(row);
	/* Each outgoing reference has its own row. */
	return row->kind == ROW_PLAIN ? 1 : UINT64_MAX;
}

void
climb_times_cell(const struct cells *in, const struct row *row,
		 struct value *out)
{
	uint64_t times = climb_refs(in, row);
	char count[FORMAT_BYTES];

	if (times > 1 && times != UINT64_MAX)
		value_printf(out, STYLE_NUMBER, "×%s",
			     format_count(times, count));
	else
		value_blank(out);
}

void
climb_rest_cell(const struct row *row, struct value *out)
{
	char count[FORMAT_BYTES];

	if (row->kind == ROW_MORE)
		value_printf(out, STYLE_DIM, "… %s more; Enter shows %d",
			     format_count(row->data, count), PAGE_ITEMS);
	else
		value_printf(out, STYLE_DIM, "… %s more roots",
			     format_count(row->data, count));
}
