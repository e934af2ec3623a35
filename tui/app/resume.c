#include "tui/app/resume.h"
#include "model/base/arena.h"
#include "tui/app/replay.h"
#include "tui/app/state.h"
#include "tui/app/command.h"
#include "model/base/text.h"
#include "tui/base/quoting.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[] = "# heaptop session\n";
static const char heap_line[] = "# heap ";
static const char left_out_line[] = "# left out: ";

/* --- the file ------------------------------------------------------------- */

/* Compares a file with size and time: "1048576 1700000000.123456789". */
static bool
is_unchanged(const char *facts, const struct stat *st)
{
	char now[80];

	snprintf(now, sizeof now, "%" PRIdMAX " %" PRIdMAX ".%09ld", (intmax_t)st->st_size,
		 (intmax_t)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	return !strncmp(facts, now, strlen(now));
}

static bool
add_heap(struct resume *r, const char *line, struct error *err)
{
	char path[SCRIPT_COMMAND_BYTES];
	const char *base;
	struct stat st;

	if (!quoting_argument(&line, path, sizeof path) || *path != '/')
		return error_set(err, ERROR_INPUT, "%.160s names a heap without its full path",
				 r->path);
	if (r->heaps_count == RESUME_HEAPS_MAX)
		return error_set(err, ERROR_INPUT, "%.160s names more than %d heaps", r->path,
				 RESUME_HEAPS_MAX);
	if (stat(path, &st))
		return error_sys(err, errno, "cannot resume: the heap %.160s is gone", path);
	if (!S_ISREG(st.st_mode) || !strncmp(path, "/proc/", 6))
		return error_set(err, ERROR_INPUT, "cannot resume: %.160s is not a heap file",
				 path);
	base = strrchr(path, '/') + 1;
	if (!is_unchanged(line + strspn(line, " "), &st))
		snprintf(r->changed, sizeof r->changed, "%s", base);
	r->heaps[r->heaps_count] = memory_new(strlen(path) + 1, 1, err);
	if (!r->heaps[r->heaps_count])
		return false;
	strcpy(r->heaps[r->heaps_count++], path);
	return true;
}

static void
record_left_out(struct resume *r, const char *line)
{
	if (!r->left_out++ && !quoting_decode(line, r->first_left_out, sizeof r->first_left_out))
		snprintf(r->first_left_out, sizeof r->first_left_out, "something");
}

/* Reads a comment; some have a meaning. */
static bool
read_note(struct resume *r, const char *line, struct error *err)
{
	size_t len = sizeof heap_line - 1;

	if (!strncmp(line, heap_line, len))
		return add_heap(r, line + len, err);
	len = sizeof left_out_line - 1;
	if (!strncmp(line, left_out_line, len))
		record_left_out(r, line + len);
	return true;
}

static bool
find_heaps(struct resume *r, struct error *err)
{
	const char *line = r->script.begin;
	char one[SCRIPT_COMMAND_BYTES];

	for (; *line; line += *line == '\n') {
		size_t len = strcspn(line, "\n");

		if (len < sizeof one) {
			memcpy(one, line, len);
			one[len] = '\0';
			if (!read_note(r, one, err))
				return false;
		}
		line += len;
	}
	return r->heaps_count > 0 || error_set(err, ERROR_INPUT, "%.160s names no heap", r->path);
}

bool
resume_open(struct resume *r, const char *path, struct error *err)
{
	bool ok;

	*r = (struct resume){ .path = path };
	if (access(path, F_OK))
		return error_set(err, ERROR_USAGE,
				 "there is no session %.160s; :save-session saves one", path);
	if (!script_read(&r->script, path, TEXT_FILE_TRUSTED, err))
		return false;
	ok = !strncmp(r->script.begin, magic, strlen(magic)) ||
	     error_set(err, ERROR_INPUT, "%.160s is not a session of heaptop", path);
	r->is_running = ok && find_heaps(r, err);
	if (!r->is_running)
		resume_clear(r);
	return r->is_running;
}

void
resume_clear(struct resume *r)
{
	script_clear(&r->script);
	for (int i = 0; i < r->heaps_count; i++)
		memory_free(r->heaps[i]);
	*r = (struct resume){ 0 };
}

/* --- the commands --------------------------------------------------------- */

/* Returns whether the next command can run; without jobs it need not wait. */
static bool
is_ready(const struct app *app, enum replay wait)
{
	const struct session *s = app->session;

	if (!app_is_busy(app))
		return true;
	switch (wait) {
	case REPLAY_NEVER:
	case REPLAY_HEAP:
		return s->heap != NULL;
	case REPLAY_ROWS:
		return view_has_settled(app_view(app));
	case REPLAY_WAYS:
		return s->reach && !s->jobs[JOB_REACH];
	}
	return true;
}

/*
 * Records the first error: the place that was not found, not the line of the file, which the user
 * has never seen.
 */
static void
record_error(struct app *app, const struct error *err)
{
	const struct command *c = replay_command(app->resume->command);
	struct resume *r = app->resume;

	if (err->kind == ERROR_NONE || r->failed++)
		return;
	r->first = *err;
	if (c && c->place)
		snprintf(r->first.message, sizeof r->first.message, "%s of %s %s not found again",
			 c->place, app_view(app)->ops->command.name,
			 c->place[strlen(c->place) - 1] == 's' ? "were" : "was");
}

/* Appends a sentence about `count` things, of which `what` is the first. */
static void
add_sentence(struct text *text, const char *begin, const char *what, unsigned count)
{
	text_addf(text, "%s%s%s", text->len ? "; " : "", begin, what);
	if (count > 1)
		text_addf(text, " and %u more", count - 1);
}

static void
report_end(struct app *app)
{
	struct resume *r = app->resume;
	char bytes[sizeof app->message - 64];
	struct text text = text_in(bytes, sizeof bytes);

	r->is_running = false;
	if (*r->changed)
		add_sentence(&text,
			     "the heap has changed since the session was "
			     "saved, places may differ: ",
			     r->changed, 1);
	if (r->left_out)
		add_sentence(&text, "could not be saved, so is not restored: ", r->first_left_out,
			     r->left_out);
	if (r->failed)
		add_sentence(&text, "", r->first.message, 1);
	if (r->failed > 1)
		text_addf(&text, "; %u more of the session %s not restored", r->failed - 1,
			  r->failed > 2 ? "are" : "is");
	app_message(app, r->failed ? STYLE_ERROR : STYLE_WARNING, "%s", bytes);
}

/* Runs a command, but does not let it close the first view and so quit. */
static bool
run_command(struct app *app, const char *line, struct error *err)
{
	if (!app->current && !strcmp(line, "close"))
		return error_set(err, ERROR_USAGE, "a session may not close the first view");
	if (app->views_count >= RESUME_VIEWS_MAX)
		return error_set(err, ERROR_USAGE, "a session may open at most %d views",
				 RESUME_VIEWS_MAX);
	return app_command(app, line, err);
}

/* Returns whether `more-rows` has to run again after a job. */
static bool
is_unfinished(const struct app *app, bool has_failed)
{
	static const char more[] = "more-rows ";
	const struct view *v = app_view(app);
	struct resume *r = app->resume;
	bool was_begun = r->rows_before > 0;

	if (has_failed || strncmp(r->command, more, sizeof more - 1) != 0 || !view_is_busy(v) ||
	    (was_begun && v->rows_count <= r->rows_before)) {
		r->rows_before = 0;
		return false;
	}
	r->rows_before = v->rows_count;
	return true;
}

/* Runs the next command. False: it has to wait, or there is none. */
static bool
run_next(struct app *app)
{
	struct resume *r = app->resume;
	enum replay wait = REPLAY_HEAP;
	struct error err;

	error_clear(&err);
	if (!*r->command && !script_next(&r->script, r->command, &err)) {
		record_error(app, &err);
		/* The report on ignored items must not come later. */
		if (err.kind == ERROR_NONE && !app->session->jobs[JOB_REACH])
			report_end(app);
		return err.kind != ERROR_NONE;
	}
	if (replay_allows(r->command, &wait, &err)) {
		if (!is_ready(app, wait))
			return false;
		(void)run_command(app, r->command, &err);
		app_update_view(app);
		if (is_unfinished(app, err.kind != ERROR_NONE))
			return false;
	}
	record_error(app, &err);
	r->command[0] = '\0';
	return true;
}

void
resume_step(struct app *app)
{
	struct resume *r = app->resume;

	if (!r || !r->is_running || app->has_quit || !app->session->heap)
		return;
	while (r->is_running && run_next(app))
		;
}

bool
resume_is_running(const struct app *app)
{
	const struct resume *r = app->resume;

	return r && r->is_running && (*r->command || *r->script.at);
}

bool
resume_stop(struct app *app)
{
	bool was_running = resume_is_running(app);

	if (app->resume)
		app->resume->is_running = false;
	if (was_running)
		app_message(app, STYLE_WARNING,
			    "a key was pressed: the rest of the session is not restored");
	return was_running;
}
