/* The stack of open views. */
#include "tui/app/state.h"
#include "tui/app/app.h"
#include "tui/app/write_view.h"

/* Switches to the session of another view. */
static void
show_session(struct app *app, struct session *s)
{
	if (s == app->session)
		return;
	if (app->entered) {
		app_leave(app);
		app->session = s;
		app_enter(app);
	}
	app->session = s;
	app_close_pane(app);
}

void
app_close_from(struct app *app, size_t from)
{
	app->menu.is_open = false; /* it may refer to a closed view */
	while (app->views_count > from) {
		struct view *v = app->views[--app->views_count];

		write_view_forget(app, v);
		if (v->number == app->again.view)
			app_again_forget(app);
		view_close(v);
	}
}

/* Updates the current view. One that has nothing to show but its error may close. */
static bool
update_current(struct app *app, struct error *err)
{
	struct view *v = app->views[app->current];

	if (view_update(v, err))
		return true;
	if (v->ops->list.flags & VIEW_CLOSES_ON_ERROR && !v->rows_count && err->kind == ERROR_USAGE)
		app_close(app);
	return false;
}

void
app_update_view(struct app *app)
{
	struct error err;

	error_clear(&err);
	if (!update_current(app, &err))
		app_show_error(app, &err);
	error_clear(&err);
	if (app->pane && !view_update(app->pane, &err))
		app_show_error(app, &err);
	error_clear(&err);
	app_follow_with_pane(app, &err);
}

void
app_pause(struct app *app)
{
	if (!app->entered)
		return;
	app_leave(app);
	app->is_paused = true;
}

void
app_go_on(struct app *app)
{
	if (!app->is_paused)
		return;
	app->is_paused = false;
	app_enter(app);
	app_update_view(app);
}

void
app_show_view(struct app *app, size_t index)
{
	app->current = index;
	app->has_pane_focus = false;
	show_session(app, app->views[index]->session);
	app_update_view(app);
}

bool
app_open(struct app *app, const struct view_ops *ops, const struct target *target,
	 struct error *err)
{
	return app_open_in(app, app->session, ops, target, err);
}

static struct view *
open_in(struct app *app, struct session *s, const struct view_ops *ops, const struct target *target,
	struct error *err)
{
	struct session *before = app->session;
	struct view *v;

	show_session(app, s);
	v = view_open(ops, s, target, err);
	if (v)
		settings_apply_to_view(app->settings, v);
	/* Some views are about another heap than the one they start from. */
	show_session(app, v ? v->session : before);
	return v;
}

/* Opening a view for a row confirms its selection, even of the first row. */
static void
keep_selected(struct app *app, const struct target *target)
{
	if (app->views_count && !target_is_none(target))
		app->views[app->current]->has_moved = true;
}

static void
push(struct app *app, struct view *v)
{
	if (app->views_count) {
		app_close_from(app, app->current + 1);
		app->current++;
	}
	app->views[app->views_count++] = v;
	v->number = ++app->views_opened;
	app->has_pane_focus = false;
}

/* Puts the pane on the stack: it must outlive the view opened from it. */
static void
push_pane(struct app *app)
{
	struct view *pane = app->pane;

	app->pane = NULL;
	app_close_pane(app);
	push(app, pane);
}

bool
app_open_in(struct app *app, struct session *s, const struct view_ops *ops,
	    const struct target *target, struct error *err)
{
	struct view *v;

	/* Above the current view: perhaps the pane, and the new view. */
	if (!MAKE_ROOM(app->views, app->current + 3, app->views_room, err))
		return false;
	v = open_in(app, s, ops, target, err);
	if (!v)
		return false;
	keep_selected(app, target);
	if (v->source && v->source == app->pane)
		push_pane(app);
	push(app, v);
	return update_current(app, err);
}

void
app_close(struct app *app)
{
	if (!app->current)
		return;
	app_close_from(app, app->current);
	app_show_view(app, app->current - 1);
}

void
app_go_back(struct app *app)
{
	if (app->current) {
		app_show_view(app, app->current - 1);
	} else {
		app_message(app, STYLE_STATUS, "this is the first view");
	}
}

void
app_go_forward(struct app *app)
{
	if (app->current + 1 < app->views_count) {
		app_show_view(app, app->current + 1);
	} else {
		app_message(app, STYLE_STATUS, "this is the last view");
	}
}

bool
app_go_to(struct app *app, const struct view_ops *ops)
{
	for (size_t i = app->current + 1; i-- > 0;)
		if (view_is(app->views[i], ops)) {
			app_show_view(app, i);
			return true;
		}
	for (size_t i = app->current + 1; i < app->views_count; i++)
		if (view_is(app->views[i], ops)) {
			app_show_view(app, i);
			return true;
		}
	return false;
}
