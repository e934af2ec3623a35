#include "tui/app/moving.h"
#include "tui/app/state.h"

enum { NAME_STEP = 8 }; /* columns by which long names are scrolled */

static long long
call_count(const struct call *call)
{
	return call->count ? call->count : 1;
}

/* If the selection has not moved, show why. */
static bool
report_move(const struct call *call, size_t before)
{
	struct view *v = call->view;

	if (v->is_picture) /* it may show fewer rows than there are */
		(void)view_code(v->ops)->picture->layout(v);
	if (v->cursor == before)
		app_message(call->app, STYLE_STATUS, "%s",
			    !v->rows_count                ? view_no_rows(v)
			    : v->rows_count == 1          ? "this is the only row"
			    : !before                     ? "this is the first row"
			    : before == v->rows_count - 1 ? "this is the last row"
							  : "this row is already selected");
	return true;
}

static bool
move_by(const struct call *call, long long rows)
{
	size_t before = call->view->cursor;

	view_move_by(call->view, rows);
	return report_move(call, before);
}

static bool
move_to(const struct call *call, size_t row)
{
	size_t before = call->view->cursor;

	view_move_to(call->view, call->count ? call->count - 1 : row);
	return report_move(call, before);
}

bool
moving_down(const struct call *call, struct error *err)
{
	(void)err;
	return move_by(call, call_count(call));
}

bool
moving_up(const struct call *call, struct error *err)
{
	(void)err;
	return move_by(call, -call_count(call));
}

bool
moving_page_down(const struct call *call, struct error *err)
{
	long long rows = call_count(call) * (long long)call->view->rows_shown;

	(void)err;
	call->view->top += (size_t)rows;
	return move_by(call, rows);
}

bool
moving_page_up(const struct call *call, struct error *err)
{
	size_t rows = (size_t)(call_count(call) * (long long)call->view->rows_shown);

	(void)err;
	call->view->top = call->view->top > rows ? call->view->top - rows : 0;
	return move_by(call, -(long long)rows);
}

static long long
half_page(const struct call *call)
{
	return call_count(call) * ((call->view->rows_shown + 1) / 2);
}

bool
moving_half_down(const struct call *call, struct error *err)
{
	(void)err;
	return move_by(call, half_page(call));
}

bool
moving_half_up(const struct call *call, struct error *err)
{
	(void)err;
	return move_by(call, -half_page(call));
}

bool
moving_first(const struct call *call, struct error *err)
{
	(void)err;
	return move_to(call, 0);
}

bool
moving_last(const struct call *call, struct error *err)
{
	(void)err;
	return move_to(call, SIZE_MAX);
}

static size_t
parent_of(const struct view *v, const struct row *row)
{
	struct row above;

	for (size_t i = v->cursor; i > 0; i--) {
		view_row(v, i - 1, &above);
		if (above.depth < row->depth)
			return i - 1;
	}
	return v->cursor;
}

bool
moving_left(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	struct row row;

	if (!v->left && view_code(v->ops)->tree && view_selected(v, &row)) {
		if (row.fold == FOLD_OPEN)
			return view_fold(v, v->cursor, false, err);
		if (!row.depth)
			return error_set(err, ERROR_USAGE,
					 "no row is open here that could be closed");
		view_move_to(v, parent_of(v, &row));
		return true;
	}
	return view_move_names(v, -NAME_STEP) ||
	       error_set(err, ERROR_USAGE, "names are shown from their beginning");
}

bool
moving_right(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	struct row row;

	if (view_code(v->ops)->tree && view_selected(v, &row) && !v->left) {
		if (row.fold == FOLD_CLOSED)
			return view_fold(v, v->cursor, true, err);
		if (row.fold == FOLD_OPEN) {
			view_move_by(v, 1);
			return true;
		}
	}
	return view_move_names(v, NAME_STEP) ||
	       error_set(err, ERROR_USAGE,
			 v->left ? "this is the end of the longest name"
				 : "no name on the screen is cut");
}
