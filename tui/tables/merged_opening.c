#include "tui/tables/merged_opening.h"
#include "model/base/hash.h"

enum {
	FEW_STEPS = 12,  /* ways with more are opened if there is no other */
	STEPS_MAX = 200, /* by one key */
};

static void
family_free(struct merged_family *f)
{
	for (uint32_t i = 0; i < f->count; i++)
		merged_row_clear(&f->rows[i]);
	memory_free(f->rows);
	memory_free(f);
}

void
merged_families_free(struct merged_family **list)
{
	while (*list) {
		struct merged_family *f = *list;

		*list = f->next;
		family_free(f);
	}
}

const struct merged_family *
merged_families_find(const struct merged_family *list, uint64_t key)
{
	while (list && list->key != key)
		list = list->next;
	return list;
}

void
merged_families_drop(struct merged_family **list, uint64_t key)
{
	while (*list && (*list)->key != key)
		list = &(*list)->next;
	if (*list) {
		struct merged_family *f = *list;

		*list = f->next;
		family_free(f);
	}
}

void
merged_opening_free(struct merged_opening *o)
{
	if (o->has_top)
		merged_row_clear(&o->top);
	merged_families_free(&o->families);
	rows_clear(&o->rows);
	memory_free(o->path);
	memory_free(o);
}

static bool
path_add(struct merged_opening *o, const struct merged_row *set,
	 struct error *err)
{
	return APPEND(o->path, o->path_count, o->path_room, err, set);
}

/* Rows of roots are told apart by their words. */
static uint64_t
key_of_set(uint64_t parent, const struct merged_row *set)
{
	const char *name = set->root_name ? set->root_name : "";
	uint64_t hash;

	if (set->type != TYPE_NONE)
		return tree_key(parent, set->type);
	hash = hash_text(HASH_START + set->root_kind, name);
	return tree_key(parent, hash | UINT64_C(1) << 63);
}

struct row
merged_row_of_set(const struct merged_row *set, uint64_t parent, uint32_t depth)
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
add_rows(struct merged_opening *o, size_t at, const struct merged_family *f,
	 uint32_t depth, struct error *err)
{
	size_t count = f->count;
	struct row *row;

	for (uint32_t i = 0; i < f->count; i++)
		count += f->rows[i].cycle_count > 0 && f->rows[i].count > 0;
	o->rows_added = count;
	if (!count)
		return true;
	row = rows_insert(&o->rows, at, count, err);
	if (!row)
		return false;
	for (uint32_t i = 0; i < f->count; i++) {
		const struct merged_row *set = &f->rows[i];

		*row = merged_row_of_set(set, f->key, depth);
		if (row->kind == ROW_TYPE && set->count)
			row++;
		else if (row->kind == ROW_ROOT) {
			row++;
			continue;
		}
		if (!set->cycle_count)
			continue;
		*row =
		    merged_row_of_set(set, tree_key(f->key, ROW_CYCLE), depth);
		row->kind = ROW_CYCLE;
		row++->fold = FOLD_NONE;
	}
	return true;
}

/* The rows of this family, from `first` on: the one to go on with. */
static size_t
row_of_way(const struct rows *rows, size_t first, const struct merged_family *f)
{
	if (f->way.row == MERGED_NO_WAY)
		return SIZE_MAX;
	while (merged_set_of(&rows->items[first]) != &f->rows[f->way.row])
		first++;
	return first;
}

/* The row among the new ones to go on with; SIZE_MAX if this is the end. */
static size_t
next_row(struct merged_opening *o, size_t first, const struct merged_family *f)
{
	size_t next = SIZE_MAX;

	o->end_key = f->key;
	if (o->rule == WHILE_ALONE && o->rows_added == 1 &&
	    o->rows.items[first].kind != ROW_CYCLE)
		next = first;
	if (o->rule == TO_ROOT)
		next = row_of_way(&o->rows, first, f);
	o->is_lost = o->rule == TO_ROOT && next == SIZE_MAX;
	if (next == SIZE_MAX)
		return SIZE_MAX;
	o->end_key = o->rows.items[next].key;
	return o->rows.items[next].kind == ROW_ROOT ? SIZE_MAX : next;
}

static struct merged_family *
find_family(struct merged_opening *o, uint64_t key, uint32_t steps,
	    struct progress *progress, struct error *err)
{
	uint32_t depth = (uint32_t)o->path_count;
	struct merged_family *f = memory_new(1, sizeof *f, err);

	if (!f)
		return NULL;
	f->key = key;
	if (!merged_open(&f->rows, &f->count, o->path, depth, o->reverse,
			 progress, err) ||
	    !merged_way_find(&f->way, f->rows, f->count, o->path, depth,
			     o->reach, steps, progress, err)) {
		family_free(f);
		return NULL;
	}
	f->next = o->families;
	o->families = f;
	return f;
}

static bool
make_top(struct merged_opening *o, struct progress *progress, struct error *err)
{
	bool is_ok =
	    o->top_nodes
		? merged_top_of(&o->top, o->heap, o->top_type, o->top_nodes,
				o->top_nodes_count, err)
		: merged_top(&o->top, o->heap, o->top_type, progress, err);

	if (!is_ok)
		return false;
	o->has_top = true;
	return path_add(o, &o->top, err);
}

bool
merged_opening_run(void *context, struct progress *progress, struct error *err)
{
	struct merged_opening *o = context;
	uint64_t key = o->row_key;
	uint32_t depth = (uint32_t)o->path_count;
	size_t at = 0;

	if (o->top_type != TYPE_NONE) {
		if (!make_top(o, progress, err))
			return false;
		depth = 1;
	}
	for (uint32_t step = 1;; step++) {
		uint32_t few = step < FEW_STEPS ? FEW_STEPS - step : 0;
		const struct merged_family *f =
		    find_family(o, key, few, progress, err);

		if (!f || !add_rows(o, at, f, depth, err))
			return false;
		o->end = f->way;
		at = next_row(o, at, f);
		if (at == SIZE_MAX)
			return true;
		key = o->end_key;
		if (step >= STEPS_MAX) {
			o->is_cut = true;
			return true;
		}
		if (!path_add(o, merged_set_of(&o->rows.items[at]), err))
			return false;
		o->rows.items[at].fold = FOLD_OPEN;
		depth++;
		at++;
	}
}

/* The sets from the top down to the row that opens. */
bool
merged_opening_take_path(struct merged_opening *o, const struct rows *rows,
			 size_t at, struct error *err)
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
merged_child_of_way(const struct rows *rows, size_t at,
		    const struct merged_family *f)
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

/* The one row below, if it is the only one. */
size_t
merged_only_child(const struct rows *rows, size_t at,
		  const struct merged_family *f)
{
	if (f->count != 1 || rows->items[at + 1].kind == ROW_CYCLE ||
	    (f->rows[0].count && f->rows[0].cycle_count))
		return SIZE_MAX;
	return at + 1;
}
