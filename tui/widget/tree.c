#include "tui/widget/tree.h"
#include "model/base/sorted.h"
#include "tui/widget/request.h"
#include <string.h>

/* --- branches ------------------------------------------------------------ */

struct branch *
branch_find(struct branch *list, uint64_t key)
{
	while (list && list->key != key)
		list = list->next;
	return list;
}

static void
branches_free(struct branch **list, void (*branch_free)(struct branch *b))
{
	while (*list) {
		struct branch *b = *list;

		*list = b->next;
		branch_free(b);
	}
}

static void
branches_move(struct branch **to, struct branch **from)
{
	struct branch **end = from;

	while (*end)
		end = &(*end)->next;
	*end = *to;
	*to = *from;
	*from = NULL;
}

/* A row has a branch for each page of rows. */
static void
branches_drop(struct tree *t, uint64_t key)
{
	struct branch **at = &t->branches;

	while (*at) {
		struct branch *b = *at;

		if (b->key != key) {
			at = &b->next;
			continue;
		}
		*at = b->next;
		t->source->branch_free(b);
	}
}

static void
close_row(struct tree *t, size_t at)
{
	size_t end = t->branches ? rows_end_of(&t->rows, at) : at;

	for (size_t i = at; i < end; i++)
		if (t->rows.items[i].fold == FOLD_OPEN)
			branches_drop(t, t->rows.items[i].key);
	rows_close(&t->rows, at);
}

/* --- rows ---------------------------------------------------------------- */

void
tree_clear(struct tree *t)
{
	if (t->branches)
		branches_free(&t->branches, t->source->branch_free);
	rows_clear(&t->rows);
	memory_free(t->shown);
	*t = (struct tree){ .source = t->source, .filters_top = t->filters_top };
}

static bool
tree_make_room(struct tree *t, struct error *err)
{
	size_t *shown;

	if (t->rows.count <= t->shown_room)
		return true;
	shown = memory_resize(t->shown, t->rows.capacity, sizeof *t->shown, err);
	if (!shown)
		return false;
	t->shown = shown;
	t->shown_room = t->rows.capacity;
	return true;
}

/* Fills the array from its end, because a row is decided after all rows below it. */
static void
tree_show_matching(struct tree *t, const struct view *v)
{
	size_t at = t->shown_room;
	uint32_t below = 0; /* depth of the last row shown, whose parent comes next */

	for (size_t i = t->rows.count; i-- > 0;) {
		const struct row *row = &t->rows.items[i];

		if (row->depth >= below && (row->depth > 0 || t->filters_top) &&
		    row->kind != ROW_MORE && !view_row_passes(v, row))
			continue;
		below = row->depth;
		t->shown[--at] = i;
	}
	t->shown_count = t->shown_room - at;
	if (t->shown_count)
		memmove(t->shown, t->shown + at, t->shown_count * sizeof *t->shown);
}

bool
tree_show(struct tree *t, struct view *v, struct error *err)
{
	if (!tree_make_room(t, err))
		return false;
	if (v->filter) {
		tree_show_matching(t, v);
	} else {
		for (size_t i = 0; i < t->rows.count; i++)
			t->shown[i] = i;
		t->shown_count = t->rows.count;
	}
	v->rows_count = t->shown_count;
	return true;
}

size_t
tree_find(const struct tree *t, uint64_t key)
{
	for (size_t i = 0; i < t->rows.count; i++)
		if (t->rows.items[i].key == key)
			return i;
	return SIZE_MAX;
}

size_t
tree_shown_at(const struct tree *t, size_t index)
{
	size_t at;

	LOWER_BOUND(at, 0, t->shown_count, t->shown[at] < index);
	return at;
}

static bool
put(struct tree *t, size_t at, const struct rows *fresh, bool replaces, struct error *err)
{
	struct row *gap;

	if (!replaces && t->rows.items[at].fold == FOLD_OPEN)
		close_row(t, at);
	gap = rows_insert(&t->rows, at + 1, fresh->count, err);
	if (!gap)
		return false;
	if (fresh->count)
		memcpy(gap, fresh->items, fresh->count * sizeof *gap);
	if (replaces)
		rows_remove(&t->rows, at, 1);
	else
		t->rows.items[at].fold = FOLD_OPEN;
	return true;
}

bool
tree_put(struct view *v, size_t at, const struct rows *fresh, bool replaces, struct error *err)
{
	return put(v->state, at, fresh, replaces, err) && tree_show(v->state, v, err);
}

/* --- expansions ---------------------------------------------------------- */

void *
expansion_new(const struct view *v, const struct expansion_kind *kind, size_t at, struct error *err)
{
	const struct tree *t = v->state;
	struct expansion *e = memory_new(1, kind->size, err);

	if (!e)
		return NULL;
	e->kind = kind;
	e->what = kind->what;
	e->branch_free = t->source ? t->source->branch_free : NULL;
	e->reach_version = v->session->reach_version;
	e->is_top = at == SIZE_MAX;
	if (!e->is_top)
		e->row_key = t->rows.items[at].key;
	return e;
}

void
expansion_free(void *expansion)
{
	struct expansion *e = expansion;

	branches_free(&e->branches, e->branch_free);
	rows_clear(&e->rows);
	if (e->kind->clear)
		e->kind->clear(e);
	memory_free(e);
}

void *
expansion_branch(void *expansion, uint64_t key, size_t size, struct error *err)
{
	struct expansion *e = expansion;
	struct branch *b = memory_new(1, size, err);

	if (!b)
		return NULL;
	b->key = key;
	b->next = e->branches;
	e->branches = b;
	return b;
}

static bool
put_rows(struct tree *t, struct expansion *e, size_t at, struct error *err)
{
	if (e->is_top) {
		tree_clear(t);
		t->rows = e->rows;
		e->rows = (struct rows){ 0 };
		t->reach_version = e->reach_version;
	} else if (!put(t, at, &e->rows, e->replaces, err)) {
		return false;
	}
	branches_move(&t->branches, &e->branches);
	return true;
}

/* The row to be opened may have been removed meanwhile. */
static bool
adopt(struct view *v, struct expansion *e, struct error *err)
{
	struct tree *t = v->state;
	size_t at = e->is_top ? 0 : tree_find(t, e->row_key);

	if (at == SIZE_MAX)
		return true;
	if (e->kind->take && !e->kind->take(v, e, err))
		return false;
	if (!put_rows(t, e, at, err) || !tree_show(t, v, err))
		return false;
	t->is_cut = e->is_cut && e->moves;
	if (!e->moves)
		return true;
	at = tree_find(t, e->end_key);
	if (at != SIZE_MAX)
		view_move_to(v, tree_shown_at(t, at));
	return true;
}

static void
expansion_done(struct view *v, void *context, bool ok)
{
	struct tree *t = v->state;
	struct expansion *e = context;
	struct error ignored = { 0 }; /* the job has reported the error */

	t->is_expanding = false;
	if (ok && !adopt(v, e, &ignored) && !tree_show(t, v, &ignored))
		v->rows_count = 0;
	if (e->moves && !e->is_top)
		v->has_moved = true; /* see expansion_start() */
	expansion_free(e);
}

static bool
run_expansion(void *context, struct progress *progress, struct error *err)
{
	struct expansion *e = context;

	return e->kind->make(e, progress, err);
}

bool
expansion_start(void *expansion, struct view *v, struct error *err)
{
	struct expansion *e = expansion;
	struct tree *t = v->state;
	bool ok;

	if (e->is_short) {
		ok = e->kind->make(e, NULL, err) && adopt(v, e, err);
		expansion_free(e);
		return ok;
	}
	/* Select the last row, unless the user selects another meanwhile. */
	if (e->moves && !e->is_top)
		v->has_moved = false;
	ok = view_run(v, e->what, run_expansion, expansion_done, e, err);
	t->is_expanding = v->job != NULL;
	return ok;
}

/* --- views --------------------------------------------------------------- */

void *
tree_new(struct view *v, const struct tree_source *source, size_t size, struct error *err)
{
	struct tree *t = arena_take(&v->arena, 1, size, err);

	v->state = t;
	if (t)
		t->source = source;
	return t;
}

void
tree_forget(struct view *v)
{
	struct tree *t = v->state;

	tree_clear(t);
	if (t->source->forget)
		t->source->forget(v);
	v->rows_count = 0;
}

void
tree_close(struct view *v)
{
	if (v->state)
		tree_forget(v);
}

void
tree_view_row(const struct view *v, size_t index, struct row *out)
{
	*out = *tree_row(v->state, index);
}

static bool
is_current(const struct tree *t, const struct session *s)
{
	return t->source->is_lasting ? t->rows.count > 0 : t->reach_version == s->reach_version;
}

bool
tree_rows(struct view *v, struct error *err)
{
	struct tree *t = v->state;
	const struct tree_source *source = t->source;

	if (!is_current(t, v->session) && !source->begin(v, err))
		return false;
	return tree_show(t, v, err) && (t->is_expanding || !source->shown || source->shown(v, err));
}

bool
tree_fold(struct view *v, size_t index, bool open, struct error *err)
{
	struct tree *t = v->state;
	size_t at = t->shown[index];
	bool is_more = t->rows.items[at].kind == ROW_MORE;

	if (open)
		return t->source->expand(v, at, is_more ? TREE_MORE : TREE_ONE, err);
	close_row(t, at);
	if (t->source->closed)
		t->source->closed(v, at);
	return tree_show(t, v, err);
}

bool
tree_more(struct view *v, struct error *err)
{
	const struct tree *t = v->state;

	view_rows_change(v);
	return t->source->expand(v, tree_selected(v), TREE_MORE, err);
}

/* --- commands ------------------------------------------------------------ */

/* Follows open rows, then opens the first that is closed. */
static bool
go_on(struct view *v, size_t at, enum tree_rule rule, struct error *err)
{
	const struct tree *t = v->state;
	size_t next;

	while (t->rows.items[at].fold == FOLD_OPEN &&
	       (next = t->source->next(v, at, rule)) != SIZE_MAX)
		at = next;
	if (t->rows.items[at].fold == FOLD_CLOSED)
		return t->source->expand(v, at, rule, err);
	view_move_to(v, tree_shown_at(t, at));
	return true;
}

/* `why_not` is shown if nothing changes. */
static bool
follow(const struct call *call, enum tree_rule rule, const char *why_not, struct error *err)
{
	struct view *v = call->view;
	const struct tree *t = v->state;
	size_t rows_before = v->rows_count, cursor_before = v->cursor, at;
	bool was_busy = v->job != NULL, ok;

	if (!rows_before)
		return true;
	view_rows_change(v);
	at = t->source->start(v, tree_selected(v), rule, err);
	ok = at != SIZE_MAX && go_on(v, at, rule, err);
	/* A job that was adding rows starts again. */
	v->is_stale |= was_busy && !v->job;
	if (!ok)
		return false;
	if (v->rows_count == rows_before && v->cursor == cursor_before && !v->job)
		request_message(call, STYLE_STATUS, "%s", why_not);
	return true;
}

bool
tree_to_root(const struct call *call, struct error *err)
{
	return follow(call, TREE_TO_ROOT, "the path to a root is already open", err);
}

bool
tree_follow(const struct call *call, struct error *err)
{
	struct row row;

	if (view_selected(call->view, &row) && row.kind == ROW_ROOT)
		return error_set(err, ERROR_USAGE, "this is a root: the path ends here");
	return follow(call, TREE_WHILE_ALONE, "more than one row follows: + opens this row", err);
}

bool
tree_list_objects(const struct call *call, const struct row *row)
{
	const struct view *v = call->view;
	struct target target = target_of_type(row->type);
	char title[VALUE_TEXT_BYTES];

	(void)view_code(v->ops)->selection(v, row, &target, title, sizeof title);
	return request_open(call, "objects", &target);
}
