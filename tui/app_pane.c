/*
 * The inspector beside the list: Tab opens it and goes over, it follows the
 * selected row. Beside the view where the screen is wide, else below it.
 */
#include "tui/app_state.h"
#include "tui/spot.h"
#include "tui/views.h"
#include "tui/write_view.h"

enum { COLUMNS_BESIDE = 120, ROWS_BELOW = 14 };

void
app_close_pane(struct app *app)
{
	write_view_forget(app, app->pane);
	view_close(app->pane);
	app->pane = NULL;
	app->is_pane_open = app->has_pane_focus = false;
}

/* Not beside views that are about no object, or are an inspector already. */
static bool
shows_pane(const struct app *app)
{
	const struct view *v = app->views[app->current];

	return app->pane && v->ops != &view_inspect &&
	       view_target(v).node != NODE_NONE;
}

bool
app_enter_pane(struct app *app, struct error *err)
{
	if (!app->is_pane_open) {
		app->is_pane_open = true;
		app->pane_node = NODE_NONE;
		app_follow_with_pane(app, err);
	}
	if (!shows_pane(app)) {
		app_close_pane(app);
		return error_set(err, ERROR_USAGE,
				 "Tab looks into an object: Enter lists those "
				 "of a type");
	}
	app->has_pane_focus = !app->has_pane_focus;
	return true;
}

void
app_follow_with_pane(struct app *app, struct error *err)
{
	struct target target;

	if (!app->is_pane_open || app->has_pane_focus)
		return;
	target = view_target(app->views[app->current]);
	if (target.node == NODE_NONE || target.node == app->pane_node)
		return;
	write_view_forget(app, app->pane);
	view_close(app->pane);
	app->pane_node = target.node;
	app->pane = view_open(&view_inspect, app->session, &target, err);
	if (app->pane && !view_update(app->pane, err))
		app_show_error(app, err);
}

/* Takes the pane's place out of `area`, the view's. */
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
			screen_put(s, area->row + i, pane->column - 2, 2,
				   STYLE_DIM, " │");
		return;
	}
	for (int i = 0; i < area->width; i++)
		screen_put(s, pane->row - 1, area->column + i, 1, STYLE_DIM,
			   "─");
}

void
app_draw_views(struct app *app, struct screen *s, struct area area,
	       bool has_focus)
{
	struct view *v = app->views[app->current];
	bool is_narrow = area.width < COLUMNS_BESIDE;
	struct area pane;

	app->is_split =
	    shows_pane(app) && (!is_narrow || area.height >= ROWS_BELOW);
	if (!app->is_split) {
		/* No room for both: the one that keys go to. */
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
	if (!app->is_split || !shows_pane(app))
		return true;
	if (!area_has(&app->views[app->current]->area, row, column) &&
	    !area_has(&app->pane->area, row, column))
		return false;
	app->has_pane_focus = area_has(&app->pane->area, row, column);
	return true;
}
