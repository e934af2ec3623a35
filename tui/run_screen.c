#include "tui/run_screen.h"
#include "tui/app.h"
#include "tui/outcome.h"
#include "tui/say.h"
#include "tui/views.h"
#include <locale.h>

static void
wake_term(void *term)
{
	term_wake(term);
}

/* From the open terminal to the last view closed. */
static bool
browse(struct snapshots *all, const struct options *o, struct term *term,
       struct error *err)
{
	struct session *s = all->sessions[0];
	struct app *app = snapshots_heaps(all) > 1
			      ? app_new_on(s, &view_diff, err)
			      : app_new(s, err);
	bool ok;

	if (!app)
		return false;
	if (!secure_is_on(&o->secure))
		app_keep_histories(app);
	app_set_rc(app, o->rc);
	app_set_startup(app, o->commands);
	s = app_session(app);
	if (o->settings->title)
		term_set_title(term, s->name);
	session_enter(s);
	ok = view_sort_and_filter(app_view(app), o->sort, o->filter, err);
	session_leave(s);
	ok = ok && snapshots_start_next(all, err) && app_run(app, term, err);
	app_free(app);
	return ok;
}

/* The terminal wakes for what the sessions do. */
static void
set_waker(struct snapshots *all, struct waker waker)
{
	all->waker = waker;
	for (size_t i = 0; i < all->count; i++)
		session_set_waker(all->sessions[i], waker);
}

int
run_screen(struct snapshots *all, const struct options *o)
{
	struct theme theme;
	struct error err;
	struct term *term;
	int code = EXIT_OK;

	error_clear(&err);
	setlocale(LC_CTYPE, "");
	if (!theme_load(&theme,
			o->settings->color ? o->settings->theme : "mono", &err))
		return tell(NULL, &err, EXIT_USAGE);
	term = term_open(&theme, &err);
	if (!term)
		return tell(NULL, &err, EXIT_USAGE);
	set_waker(all, (struct waker){ wake_term, term });
	if (!browse(all, o, term, &err))
		code = outcome_of_live(all->sessions[0],
				       exit_code_of_load(&err), &err);
	snapshots_stop(all);
	term_close(term);
	if (code)
		return tell(outcome_failed_path(all), &err, code);
	return outcome_tell_kept(all, code);
}
