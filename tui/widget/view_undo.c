/* Undo list: the orders and filters that a view had before. */
#include "tui/widget/view.h"
#include <string.h>

static struct view_step
step_shown(struct view *v)
{
	return (struct view_step){
		.sort = v->shown.sort,
		.is_descending = v->shown.is_descending,
		.filter = filter_value(v->shown.filter),
	};
}

static bool
is_same(const struct view_step *a, const struct view_step *b)
{
	return a->sort == b->sort && a->is_descending == b->is_descending &&
	       a->filter.language == b->filter.language && !strcmp(a->filter.text, b->filter.text);
}

/* A new change discards the undone steps. */
static void
append(struct view *v, struct view_step step)
{
	struct view_undo *p = &v->undo;
	struct error ignored = { 0 };

	step.filter.text =
	    arena_strndup(&v->arena, step.filter.text, strlen(step.filter.text), &ignored);
	if (!step.filter.text)
		return;
	if (p->count)
		p->at++;
	if (p->at == VIEW_STEPS_MAX) {
		memmove(p->steps, p->steps + 1, (VIEW_STEPS_MAX - 1) * sizeof p->steps[0]);
		p->at--;
	}
	p->steps[p->at] = step;
	p->count = p->at + 1;
}

void
view_undo_note(struct view *v)
{
	struct view_undo *p = &v->undo;
	struct view_step shown = step_shown(v);

	if (p->count && is_same(&shown, &p->steps[p->at]))
		return;
	/* One step back or forward, whatever caused it. */
	if (p->at && is_same(&shown, &p->steps[p->at - 1]))
		p->at--;
	else if (p->at + 1 < p->count && is_same(&shown, &p->steps[p->at + 1]))
		p->at++;
	else
		append(v, shown);
}

int
view_order_left(const struct view *v, bool *is_descending)
{
	const struct view_undo *p = &v->undo;

	for (unsigned i = p->count ? p->at + 1 : 0; i-- > 0;) {
		int sort = p->steps[i].sort;

		*is_descending = p->steps[i].is_descending;
		if (sort < 0 || !(v->ops->table->columns[sort].needs & ~v->session->has))
			return sort;
	}
	*is_descending = false;
	return -1;
}
