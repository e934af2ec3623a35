#include "tui/app/state.h"
#include "tui/session/snapshots.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session *
app_session(struct app *app)
{
	return app->session;
}

struct view *
app_view(const struct app *app)
{
	if (app->has_pane_focus)
		return app->pane;
	return app->views_count ? app->views[app->current] : NULL;
}

struct session *
app_nth_session(const struct app *app, size_t n)
{
	if (!app->snapshots)
		return n ? NULL : app->session;
	return n < app->snapshots->count ? app->snapshots->sessions[n] : NULL;
}

void
app_enter(struct app *app)
{
	app->entered = app->session;
	session_enter(app->entered);
}

void
app_leave(struct app *app)
{
	session_leave(app->entered);
	app->entered = NULL;
}

void
app_message(struct app *app, enum style style, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(app->message, sizeof app->message, format, args);
	va_end(args);
	app->message_style = style;
	app->message_is_of_view = false;
	app->message_times =
	    strcmp(app->message, app->message_before) ? 1 : app->message_times_before + 1;
}

void
app_show_error(struct app *app, const struct error *err)
{
	if (err->kind == ERROR_CANCELLED)
		app_message(app, STYLE_WARNING, "stopped");
	else if (err->kind != ERROR_NONE)
		app_message(app, STYLE_ERROR, "%s", err->message);
}

void
app_again_forget(struct app *app)
{
	free(app->again.commands);
	memset(&app->again, 0, sizeof app->again);
}

void
app_begin_input(struct app *app)
{
	memcpy(app->message_before, app->message, sizeof app->message);
	app->message_times_before = app->message_times;
	app->message[0] = '\0';
	app->hint = NULL;
	app->mouse.clicked = NULL;
	app->mouse.sized = NULL;
	if (!app->again.commands) /* the user has acted: leave the selection alone */
		app_again_forget(app);
}

bool
app_may_write(const struct app *app, const char *path, bool may_replace, const char *what,
	      struct error *err)
{
	const struct snapshots *all = app->snapshots;

	if (all && !secure_allows(&all->secure, SECURE_WRITE, what, err))
		return false;
	/* Permissions come with snapshots: refuse everything without them. */
	if (!all || !all->write || !all->may_write)
		return error_set(err, ERROR_USAGE, "no files can be written here");
	return all->may_write(path, may_replace, what, err);
}

static bool
print_text(void *text, FILE *to, struct error *err)
{
	(void)err;
	fputs(text, to);
	return true;
}

bool
app_write_text(const struct app *app, const char *path, bool may_replace, char *text,
	       struct error *err)
{
	return app->snapshots->write(path, may_replace, print_text, text, err);
}
