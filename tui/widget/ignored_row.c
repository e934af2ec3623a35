#include "tui/widget/ignored_row.h"

static bool
is_reference_left_out(const struct view *v, const struct row *row)
{
	const struct what_if *w = &v->session->what_if;
	struct ignored_entry e;

	return view_code(v->ops)->exclusions && what_if_has_references(w, row->node) &&
	       view_code(v->ops)->exclusions(v, row, true, &e, 1) && what_if_has(w, &e);
}

bool
ignored_row_is(const struct view *v, const struct row *row)
{
	const struct what_if *w = &v->session->what_if;
	struct ignored_entry e = { IGNORED_TYPE, row->type, 0 };

	if (!w->shown.items_count)
		return false;
	if (row->root != ROOT_NONE)
		return ignored_root(w->ignored, row->root);
	if (row->node != NODE_NONE)
		return ignored_all_of(w->ignored, row->node) || is_reference_left_out(v, row);
	/* Merged paths are made without ignored roots. */
	if (row->kind == ROW_ROOT)
		return false;
	if (row->type == TYPE_NONE && (!view_code(v->ops)->exclusions ||
				       !view_code(v->ops)->exclusions(v, row, false, &e, 1)))
		return false;
	return what_if_has(w, &e);
}
