#include "tui/tables/merged_opening.h"
#include "model/base/hash.h"

enum {
	FEW_STEPS = 12,  /* longer paths are the last choice */
	STEPS_MAX = 200, /* opened by one key */
};

void
merged_family_free(struct branch *b)
{
	struct merged_family *f = (struct merged_family *)b;

	for (uint32_t i = 0; i < f->count; i++)
		merged_row_clear(&f->rows[i]);
	memory_free(f->rows);
	memory_free(f);
}

void
merged_opening_clear(void *expansion)
{
	memory_free(((struct merged_opening *)expansion)->path);
}

static bool
path_add(struct merged_opening *o, const struct merged_row *set, struct error *err)
{
	return APPEND(o->path, o->path_count, o->path_room, err, set);
}

/* Rows of roots are identified by their text. */
static uint64_t
key_of_set(uint64_t parent, const struct merged_row *set)
{
	const char *name = set->root_name ? set->root_name : "";
	uint64_t hash;

	if (set->type != TYPE_NONE)
		return row_key(parent, set->type);
	hash = hash_text(HASH_START + set->root_kind, name);
	return row_key(parent, hash | UINT64_C(1) << 63);
}

static struct row
row_of_set(const struct merged_row *set, uint64_t parent, uint32_t depth)
{
	struct row row = row_of(set->type == TYPE_NONE ? ROW_ROOT : ROW_TYPE);

	row.type = set->type;
	row.depth = depth;
	row.key = key_of_set(parent, set);
	row.data = (uintptr_t)set;
	if (row.kind == ROW_TYPE)
		row.fold = FOLD_CLOSED;
	return row;
}

static bool
add_rows(struct merged_opening *o, size_t at, const struct merged_family *f, uint32_t depth,
	 struct error *err)
{
	size_t count = f->count;
	struct row *row;

	for (uint32_t i = 0; i < f->count; i++)
		count += f->rows[i].cycle_count > 0 && f->rows[i].count > 0;
	o->rows_added = count;
	if (!count)
		return true;
	row = rows_insert(&o->expansion.rows, at, count, err);
	if (!row)
		return false;
	for (uint32_t i = 0; i < f->count; i++) {
		const struct merged_row *set = &f->rows[i];

		*row = row_of_set(set, f->branch.key, depth);
		if (row->kind == ROW_TYPE && set->count)
			row++;
		else if (row->kind == ROW_ROOT) {
			row++;
			continue;
		}
		if (!set->cycle_count)
			continue;
		*row = row_of_set(set, row_key(f->branch.key, ROW_CYCLE), depth);
		row->kind = ROW_CYCLE;
		row++->fold = FOLD_NONE;
	}
	return true;
}

/* Returns the row of this family, from `first` on, that continues the path to a root. */
static size_t
row_of_way(const struct rows *rows, size_t first, const struct merged_family *f)
{
	if (f->way.row == MERGED_NO_WAY)
		return SIZE_MAX;
	while (merged_set_of(&rows->items[first]) != &f->rows[f->way.row])
		first++;
	return first;
}

/* Returns the new row to open next; SIZE_MAX at the end. */
static size_t
next_row(struct merged_opening *o, size_t first, const struct merged_family *f)
{
	size_t next = SIZE_MAX;

	o->expansion.end_key = f->branch.key;
	if (o->rule == TREE_WHILE_ALONE && o->rows_added == 1 &&
	    o->expansion.rows.items[first].kind != ROW_CYCLE)
		next = first;
	if (o->rule == TREE_TO_ROOT)
		next = row_of_way(&o->expansion.rows, first, f);
	o->is_lost = o->rule == TREE_TO_ROOT && next == SIZE_MAX;
	if (next == SIZE_MAX)
		return SIZE_MAX;
	o->expansion.end_key = o->expansion.rows.items[next].key;
	return o->expansion.rows.items[next].kind == ROW_ROOT ? SIZE_MAX : next;
}

/* Returns true if the path has come to one object that a programmer would name, behind which only
   links follow. */
static bool
is_at_keeper(struct merged_opening *o, struct keeper_search *s, const struct merged_row *set)
{
	node_id n = set->count == 1 ? set->nodes[0] : NODE_NONE;

	if (!o->stops_at_keeper || n == NODE_NONE || o->reach->distance[n] == DISTANCE_UNREACHABLE)
		return false;
	o->keeper = keeper_find(s, n);
	o->links = o->keeper.node == n ? keeper_links(s, &o->keeper) : 0;
	return o->links > 0;
}

/* Returns the rows below the path's last set; NULL sets `err`. */
static const struct merged_family *
find_family(struct merged_opening *o, uint64_t key, uint32_t steps, struct progress *progress,
	    struct error *err)
{
	uint32_t depth = (uint32_t)o->path_count;
	struct merged_family *f = expansion_branch(o, key, sizeof *f, err);

	return f && merged_open(&f->rows, &f->count, o->path, depth, o->reverse, progress, err) &&
		       merged_way_find(&f->way, f->rows, f->count, o->path, depth, o->reach, steps,
				       progress, err)
		   ? f
		   : NULL;
}

/* Makes the top row, which is open. */
static bool
make_top(struct merged_opening *o, struct progress *progress, struct error *err)
{
	struct merged_family *f = expansion_branch(o, 0, sizeof *f, err);
	struct row row;

	if (!f || !(f->rows = memory_new(1, sizeof *f->rows, err)))
		return false;
	f->count = 1;
	if (!(o->top_nodes ? merged_top_of(f->rows, o->heap, o->top_type, o->top_nodes,
					   o->top_nodes_count, err)
			   : merged_top(f->rows, o->heap, o->top_type, progress, err)))
		return false;
	row = row_of_set(f->rows, 0, 0);
	row.fold = FOLD_OPEN;
	o->expansion.row_key = row.key;
	return rows_append(&o->expansion.rows, &row, err) && path_add(o, f->rows, err);
}

bool
merged_opening_run(void *expansion, struct progress *progress, struct error *err)
{
	struct merged_opening *o = expansion;
	struct keeper_search search = keeper_search_of(o->heap, o->reverse, o->reach);
	uint32_t depth;
	uint64_t key;
	size_t at;

	if (o->expansion.is_top && !make_top(o, progress, err))
		return false;
	at = o->expansion.rows.count;
	depth = (uint32_t)o->path_count;
	key = o->expansion.row_key;
	for (uint32_t step = 1;; step++) {
		uint32_t few = step < FEW_STEPS ? FEW_STEPS - step : 0;
		const struct merged_family *f = find_family(o, key, few, progress, err);

		if (!f || !add_rows(o, at, f, depth, err))
			return false;
		o->end = f->way;
		at = next_row(o, at, f);
		if (at == SIZE_MAX)
			return true;
		key = o->expansion.end_key;
		if (step >= STEPS_MAX ||
		    is_at_keeper(o, &search, merged_set_of(&o->expansion.rows.items[at]))) {
			o->expansion.is_cut = true;
			return true;
		}
		if (!path_add(o, merged_set_of(&o->expansion.rows.items[at]), err))
			return false;
		o->expansion.rows.items[at].fold = FOLD_OPEN;
		depth++;
		at++;
	}
}

bool
merged_opening_take_path(struct merged_opening *o, const struct rows *rows, size_t at,
			 struct error *err)
{
	uint32_t depth = rows->items[at].depth + 1;

	for (uint32_t i = 0; i < depth; i++)
		if (!path_add(o, NULL, err))
			return false;
	for (size_t i = at + 1; i-- > 0 && depth > 0;)
		if (rows->items[i].depth < depth)
			o->path[--depth] = merged_set_of(&rows->items[i]);
	return true;
}

size_t
merged_child_of_way(const struct rows *rows, size_t at, const struct merged_family *f)
{
	size_t end = rows_end_of(rows, at);

	if (f->way.row == MERGED_NO_WAY)
		return SIZE_MAX;
	for (size_t i = at + 1; i < end; i++)
		if (rows->items[i].depth == rows->items[at].depth + 1 &&
		    merged_set_of(&rows->items[i]) == &f->rows[f->way.row])
			return i;
	return SIZE_MAX;
}

size_t
merged_only_child(const struct rows *rows, size_t at, const struct merged_family *f)
{
	if (f->count != 1 || rows->items[at + 1].kind == ROW_CYCLE ||
	    (f->rows[0].count && f->rows[0].cycle_count))
		return SIZE_MAX;
	return at + 1;
}
