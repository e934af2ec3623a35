/*
 * The pane beside the view: the inspector for an object, or the objects of a type. Tab opens it and
 * moves the focus; it follows the selected row. On a narrow screen it is below the view.
 */
#include "tui/app/state.h"
#include "tui/app/write_view.h"
#include "tui/app/views.h"
#include "tui/widget/spot.h"

enum { COLUMNS_BESIDE = 120, ROWS_BELOW = 14 };

void
app_close_pane(struct app *app)
{
	write_view_forget(app, app->pane);
	view_close(app->pane);
	app->pane = NULL;
	app->is_pane_open = app->has_pane_focus = false;
}

/*
 * Returns the view to show in the pane; NULL if there is none. An empty list of a type's objects
 * gets no pane: it would show the same list again.
 */
static const struct view_ops *
find_pane(const struct app *app, struct target *target)
{
	const struct view *v = app->views[app->current];
	struct target t = view_target(v);
	struct error ignored = { 0 };
	struct row row;

	*target = target_none;
	if (!session_can_have(v->session, NEED_OBJECTS, &ignored) ||
	    !session_has_settled(v->session, &ignored))
		return NULL;
	if (t.node != NODE_NONE && v->ops != &view_inspect) {
		target->node = t.node;
		target->type = t.type;
		return &view_inspect;
	}
	if (t.type == TYPE_NONE || t.node != NODE_NONE || !view_selected(v, &row) ||
	    row.type != t.type)
		return NULL;
	target->type = t.type;
	return &view_objects;
}

bool
app_shows_pane(const struct app *app)
{
	struct target target;

	return app->pane && find_pane(app, &target);
}

bool
app_enter_pane(struct app *app, struct error *err)
{
	if (!app->is_pane_open) {
		app->is_pane_open = true;
		app->pane_target = target_none;
		app_follow_with_pane(app, err);
	}
	if (!app_shows_pane(app)) {
		app_close_pane(app);
		return error_set(err, ERROR_USAGE,
				 "Tab shows an object or a type beside the view: none is selected");
	}
	app->has_pane_focus = !app->has_pane_focus;
	return true;
}

void
app_follow_with_pane(struct app *app, struct error *err)
{
	const struct view_ops *ops;
	struct target target;

	if (!app->is_pane_open || app->has_pane_focus)
		return;
	ops = find_pane(app, &target);
	if (!ops || (app->pane && target.node == app->pane_target.node &&
		     target.type == app->pane_target.type))
		return;
	write_view_forget(app, app->pane);
	view_close(app->pane);
	app->pane_target = target;
	app->pane = view_open(ops, app->session, &target, err);
	if (app->pane)
		settings_apply_to_view(app->settings, app->pane);
	if (app->pane && !view_update(app->pane, err))
		app_show_error(app, err);
}

/* Splits `area` and returns the pane's part. */
static struct area
split(struct area *area)
{
	struct area pane = *area;

	if (area->width >= COLUMNS_BESIDE) {
		area->width = area->width / 2 - 1;
		pane.column = area->width + 2;
		pane.width -= pane.column;
	} else {
		area->height = (area->height - 1) / 2;
		pane.row += area->height + 1;
		pane.height -= area->height + 1;
	}
	return pane;
}

static void
draw_divider(struct screen *s, const struct area *area, const struct area *pane)
{
	if (pane->column > area->column) {
		for (int i = 0; i < area->height; i++)
			screen_put(s, area->row + i, pane->column - 2, 2, STYLE_DIM, " │");
		return;
	}
	for (int i = 0; i < area->width; i++)
		screen_put(s, pane->row - 1, area->column + i, 1, STYLE_DIM, "─");
}

void
app_draw_views(struct app *app, struct screen *s, struct area area, bool has_focus)
{
	struct view *v = app->views[app->current];
	bool is_narrow = area.width < COLUMNS_BESIDE;
	struct area pane;

	app->is_split = app_shows_pane(app) && (!is_narrow || area.height >= ROWS_BELOW);
	if (!app->is_split) {
		/* Too small for both: show the one with the focus. */
		v = app->has_pane_focus ? app->pane : v;
		view_layout(v, area);
		view_draw(v, s, has_focus);
		return;
	}
	pane = split(&area);
	view_layout(v, area);
	view_draw(v, s, has_focus && !app->has_pane_focus);
	draw_divider(s, &area, &pane);
	view_layout(app->pane, pane);
	view_draw(app->pane, s, has_focus && app->has_pane_focus);
}

bool
app_focus_at(struct app *app, int row, int column)
{
	if (!app->is_split || !app_shows_pane(app))
		return true;
	if (!area_has(&app->views[app->current]->area, row, column) &&
	    !area_has(&app->pane->area, row, column))
		return false;
	app->has_pane_focus = area_has(&app->pane->area, row, column);
	return true;
}
