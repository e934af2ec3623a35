/* Sorting and filtering a view, undo and redo. */
#include "model/table/column_choice.h"
#include "tui/widget/view.h"
#include <string.h>

/* --- order ---------------------------------------------------------------- */

static unsigned
sort_needs(const struct view *v, int column)
{
	return column < 0 ? 0 : v->ops->table->columns[column].needs;
}

/* Shows the rows in this order with filter `f`, which the view then owns. */
static bool
show(struct view *v, int column, bool is_descending, struct filter *f, struct error *err)
{
	/* A worker may be reading what changes here. */
	view_restart(v);
	if (f != v->filter && v->filter != v->shown.filter)
		filter_free(v->filter);
	v->filter = f;
	v->awaited.is_set = sort_needs(v, column) & ~v->session->has && session_job(v->session);
	v->awaited.sort = column;
	v->awaited.is_descending = is_descending;
	if (!v->awaited.is_set) {
		v->sort = column;
		v->is_descending = is_descending;
	}
	return view_reload(v, err);
}

bool
view_sort_to(struct view *v, int column, bool is_descending, struct error *err)
{
	if (*v->trouble && !v->rows_count)
		return error_set(err, ERROR_USAGE, "there are no rows to sort");
	v->is_order_chosen = true;
	return session_want(v->session, sort_needs(v, column), err) &&
	       show(v, column, is_descending, v->filter, err);
}

static bool
cannot_sort_by(const struct view *v, const char *id, struct error *err)
{
	const struct listing l = view_listing(v);
	char ids[160] = "", meant[COLUMN_SUGGESTION_BYTES];
	size_t len = 0;

	if (v->ops->list.sorted_by && !strcmp(v->ops->list.sorted_by, id))
		return error_set(err, ERROR_USAGE, "%s are always sorted by %s",
				 v->ops->command.name, id);
	for (const struct column *c = v->ops->table->columns; c->id; c++)
		if (c->sort != UNSORTED && !listing_unavailable(&l, c) && len < sizeof ids)
			len += (size_t)snprintf(ids + len, sizeof ids - len, "%s%s",
						len ? ", " : "", c->id);
	if (!len)
		return error_set(err, ERROR_USAGE,
				 "%s does not sort by \"%.30s\" or any other column",
				 v->ops->command.name, id);
	return error_set(err, ERROR_USAGE, "%s does not sort by \"%.30s\"%s; it has %s",
			 v->ops->command.name, id,
			 column_choice_suggest(v->ops->table, id, strlen(id), meant), ids);
}

/* Refuses to sort by a column that is empty in this view. */
static bool
has_values(const struct view *v, const struct column *c, struct error *err)
{
	const struct listing l = view_listing(v);
	const char *why_not = listing_unavailable(&l, c);

	return !why_not || error_set(err, ERROR_USAGE, "\"%s\": %s", c->id, why_not);
}

bool
view_find_sort(const struct view *v, const char *text, int *column, bool *is_descending,
	       struct error *err)
{
	bool is_reversed = *text == '-', has_sign = *text && strchr("+-", *text);
	enum sort sort;

	*column = column_choice_find(v->ops->table, text + has_sign, strlen(text + has_sign));
	sort = *column < 0 ? UNSORTED : v->ops->table->columns[*column].sort;
	if (sort == UNSORTED)
		return cannot_sort_by(v, text, err);
	if (!has_values(v, &v->ops->table->columns[*column], err))
		return false;
	*is_descending = (sort == DOWN) != is_reversed;
	return true;
}

bool
view_sort(struct view *v, int column, struct error *err)
{
	const struct column *c = &v->ops->table->columns[column];
	bool is_descending = c->sort == DOWN;

	if (c->sort == UNSORTED)
		return cannot_sort_by(v, c->id, err);
	if (!has_values(v, c, err))
		return false;
	if (v->awaited.is_set && v->awaited.sort == column)
		return view_sort_to(v, column, !v->awaited.is_descending, err);
	/* Repeat the same order if its computation was stopped. */
	if (column == v->sort && (!(c->needs & ~v->session->has) || session_job(v->session)))
		is_descending = !v->is_descending;
	return view_sort_to(v, column, is_descending, err);
}

/* --- filter --------------------------------------------------------------- */

unsigned
view_filter_needs(const struct view_ops *ops, const char *text)
{
	const struct listing l = view_listing_unopened(ops);

	return filter_needs_of(&l, text);
}

/* Makes the filter, NULL for an empty text. */
static bool
make_filter(struct view *v, struct filter_value value, struct filter **out, struct error *err)
{
	const struct listing l = view_listing(v);

	*out = *value.text ? filter_new(&l, value, err) : NULL;
	if (!*out)
		return !*value.text;
	if (session_want(v->session, filter_needs(*out), err))
		return true;
	filter_free(*out);
	return false;
}

bool
view_filter_by(struct view *v, struct filter_value value, struct error *err)
{
	struct filter *f;

	if (!make_filter(v, value, &f, err))
		return false;
	if (v->awaited.is_set)
		return show(v, v->awaited.sort, v->awaited.is_descending, f, err);
	return show(v, v->sort, v->is_descending, f, err);
}

bool
view_filter(struct view *v, const char *text, struct error *err)
{
	return view_filter_by(v, (struct filter_value){ text, FILTER_ANY }, err);
}

bool
view_where(struct view *v, const char *text, struct error *err)
{
	return view_filter_by(v, (struct filter_value){ text, FILTER_EXPRESSION }, err);
}

bool
view_filter_opening(struct view *v, const char *text, struct error *err)
{
	v->opened_with = arena_strndup(&v->arena, text, strlen(text), err);
	return v->opened_with && view_where(v, text, err);
}

bool
view_filter_less(struct view *v, struct error *err)
{
	const char *least = v->opened_with ? v->opened_with : "";

	return v->filter && strcmp(filter_text(v->filter), least) != 0 && view_where(v, least, err);
}

bool
view_sort_and_filter(struct view *v, const char *sort, const char *filter, struct error *err)
{
	bool is_descending;
	int column;

	if (filter && !view_filter(v, filter, err))
		return false;
	return !sort || (view_find_sort(v, sort, &column, &is_descending, err) &&
			 view_sort_to(v, column, is_descending, err));
}

/* --- undo and redo -------------------------------------------------------- */

/* Sets order and filter together, or neither. `step` is a copy, as the undo list changes when a job
   ends. */
static bool
show_step(struct view *v, struct view_step step, struct error *err)
{
	struct filter *f;

	return session_want(v->session, sort_needs(v, step.sort), err) &&
	       make_filter(v, step.filter, &f, err) &&
	       show(v, step.sort, step.is_descending, f, err);
}

bool
view_undo(struct view *v, struct error *err)
{
	if (!v->undo.at)
		return error_set(
		    err, ERROR_USAGE,
		    "no sort or filter change to undo here; < goes to the previous view");
	return show_step(v, v->undo.steps[v->undo.at - 1], err);
}

bool
view_redo(struct view *v, struct error *err)
{
	if (v->undo.at + 1 >= v->undo.count)
		return error_set(err, ERROR_USAGE, "there is nothing to redo");
	return show_step(v, v->undo.steps[v->undo.at + 1], err);
}
