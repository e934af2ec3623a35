#include "tui/cli/run_screen.h"
#include "tui/app/state.h"
#include "tui/app/linear.h"
#include "tui/cli/outcome.h"
#include "tui/base/places.h"
#include "tui/app/save_session.h"
#include "tui/app/write_view.h"
#include "tui/cli/say.h"
#include "tui/session/recording.h"
#include "tui/term/leave.h"
#include "tui/base/text_file.h"
#include "tui/app/views.h"
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAIT_MS = 100 };
static const char first_run_hint[] = "? is help, :tour shows a leak";

/*
 * One of the two is open. `lock` guards the change from one to the other, as workers wake the
 * terminal at any time.
 */
struct terminal {
	struct term *term;
	struct line_term *lines;
	const char *awaited; /* a job that does not stop, as it was reported */
	pthread_mutex_t lock;
};

static bool
terminal_open(struct terminal *t, const struct settings *s, struct error *err)
{
	struct theme theme;

	if (s->linear) {
		t->lines = line_term_open(err);
		return t->lines != NULL;
	}
	setlocale(LC_CTYPE, "");
	if (!theme_load(&theme, s->color ? s->theme : "mono", err))
		return false;
	t->term = term_open(&theme, err);
	return t->term != NULL;
}

static void
terminal_close(struct terminal *t)
{
	term_close(t->term);
	line_term_close(t->lines);
	t->term = NULL;
	t->lines = NULL;
}

static void
terminal_wake(void *terminal)
{
	struct terminal *t = terminal;

	pthread_mutex_lock(&t->lock);
	if (t->term)
		term_wake(t->term);
	else if (t->lines)
		line_term_wake(t->lines);
	pthread_mutex_unlock(&t->lock);
}

/*
 * Switches to or from linear mode (`:set linear`). If the new terminal cannot be opened, reopens
 * the old one and shows why. A worker that ends meanwhile wakes no terminal, which is harmless: the
 * main loop starts by polling all jobs.
 */
static bool
terminal_change(struct terminal *t, struct app *app, struct error *err)
{
	struct settings *s = app->settings;
	struct error why;
	bool ok;

	error_clear(&why);
	pthread_mutex_lock(&t->lock);
	terminal_close(t);
	ok = terminal_open(t, s, &why);
	if (!ok) {
		app_show_error(app, &why);
		s->linear = !s->linear;
		ok = terminal_open(t, s, err);
	}
	pthread_mutex_unlock(&t->lock);
	return ok;
}

#define WAITING "%s does not stop; q quits without waiting for it"

static void
show_waiting(struct term *t, const char *what)
{
	struct error ignored = { 0 };
	struct screen *s;
	int rows, columns;

	term_size(t, &rows, &columns);
	s = screen_new(rows, columns, &ignored);
	if (!s)
		return;
	screen_printf(s, rows - 1, 0, columns, STYLE_WARNING, WAITING, what);
	term_show(t, s);
	screen_free(s);
}

/* While a job that should stop goes on, keys can still end the program. */
static void
wait_for_job(void *terminal, const char *what)
{
	struct terminal *t = terminal;
	char text[256];
	int key;

	if (t->term) {
		show_waiting(t->term, what);
		key = term_key(t->term, WAIT_MS);
	} else {
		snprintf(text, sizeof text, WAITING, what);
		if (t->awaited != what)
			line_term_say(t->lines, text);
		t->awaited = what;
		key = line_term_key(t->lines, WAIT_MS);
	}
	if (key == 'q' || key == 'Q' || key == TK_INTERRUPT || key == TK_QUIT)
		leave_now();
}

static bool
terminal_run(struct terminal *t, struct app *app, struct error *err)
{
	if (!t->term)
		return linear_run(app, t->lines, err);
	return app_run(app, t->term, err);
}

static bool
run_to_end(struct terminal *t, struct app *app, struct error *err)
{
	bool ok = terminal_run(t, app, err);

	while (ok && !app->has_quit)
		ok = terminal_change(t, app, err) && terminal_run(t, app, err);
	leave_within(LEAVE_SECONDS);
	return ok;
}

/*
 * Returns whether to greet a new user: heaptop has no state folder yet but can create one. If it
 * cannot, each run would count as the first.
 */
static bool
is_first_run(const struct options *o)
{
	const char *home = getenv("HOME");
	char folder[PLACE_BYTES];

	return !secure_is_on(&o->secure) && !o->commands && !o->is_tour && o->settings->history &&
	       home && !access(home, W_OK) && place_of_state("", folder) && access(folder, F_OK) &&
	       errno == ENOENT;
}

/* Creates the state folder, which marks the first run as done. */
static void
end_first_run(void)
{
	struct error ignored = { 0 };
	char folder[PLACE_BYTES];
	bool is_made = place_of_state("", folder) && text_file_make_folders(folder, &ignored);

	(void)is_made; /* if not, the hint is shown again */
}

/* Runs the screen on an open terminal until the user quits. */
static bool
browse(struct snapshots *all, const struct options *o, struct terminal *t, struct error *err)
{
	struct session *s = all->sessions[0];
	struct app *app = snapshots_heaps(all) > 1 && !o->is_tour ? app_new_on(s, &view_diff, err)
								  : app_new(s, err);
	bool is_first = is_first_run(o), ok;

	if (!app)
		return false;
	if (!secure_is_on(&o->secure))
		app_keep_histories(app);
	if (is_first)
		app_set_hint(app, first_run_hint);
	app_set_rc(app, o->rc);
	app_set_startup(app, o->commands);
	app_set_resume(app, o->resume);
	s = app_session(app);
	session_enter(s);
	ok = view_sort_and_filter(app_view(app), o->sort, o->filter, err) &&
	     (!o->is_tour || tour_begin(app, err));
	session_leave(s);
	ok = ok && snapshots_start_next(all, err) && run_to_end(t, app, err);
	ok = ok && save_session_at_end(app, err);
	if (ok && is_first)
		end_first_run();
	ok = write_view_end(app, err) && ok;
	app_free(app);
	return ok;
}

/* Lets the jobs of all sessions wake the terminal. */
static void
set_waker(struct snapshots *all, struct waker waker)
{
	all->waker = waker;
	for (size_t i = 0; i < all->count; i++)
		session_set_waker(all->sessions[i], waker);
}

/* Stops the jobs of a session. False: one failed, which no screen has shown. */
static bool
stop_jobs(struct session *s, struct error *err)
{
	bool saves = s->jobs[JOB_SAVE] != NULL;
	bool records = s->recording && recording_is_on(s->recording);
	const struct error *why = &s->job_errors[JOB_SAVE];

	session_stop(s);
	if (saves && why->kind == ERROR_CANCELLED)
		return error_set(err, ERROR_SYSTEM, "%s was not written", s->save_path);
	if (!(saves && why->kind != ERROR_NONE) && records)
		why = &s->recording->err;
	if ((!saves && !records) || why->kind == ERROR_NONE || why->kind == ERROR_CANCELLED)
		return true;
	return error_set(err, why->kind, "%s", why->message);
}

int
run_screen(struct snapshots *all, const struct options *o)
{
	struct terminal t = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct error err;
	int code = EXIT_OK;

	error_clear(&err);
	if (!terminal_open(&t, o->settings, &err))
		return say_error(NULL, &err, EXIT_USAGE);
	set_waker(all, (struct waker){ terminal_wake, &t });
	job_set_meanwhile(wait_for_job, &t);
	if (!browse(all, o, &t, &err))
		code = outcome_of_load(all->sessions[0], exit_code_of_load(&err), &err);
	for (size_t i = 0; i < all->count; i++)
		if (!stop_jobs(all->sessions[i], &err) && !code)
			code = EXIT_FAILED;
	leave_within(0);
	job_set_meanwhile(NULL, NULL);
	terminal_close(&t);
	if (code)
		return say_error(outcome_failed_path(all), &err, code);
	return outcome_report_trace(all, code);
}
