#include "tui/resume.h"
#include "model/arena.h"
#include "tui/app_state.h"
#include "tui/command.h"
#include "tui/snapshots.h"
#include "tui/text_file.h"
#include "tui/views.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static const char magic[] = "# heaptop session\n";
static const char heap_line[] = "# heap ";

/* --- the file ------------------------------------------------------------- */

/* "1048576 1700000000.123456789": is the file still like that? */
static bool
is_as_it_was(const char *facts, const struct stat *st)
{
	char now[80];

	snprintf(now, sizeof now, "%" PRIdMAX " %" PRIdMAX ".%09ld",
		 (intmax_t)st->st_size, (intmax_t)st->st_mtim.tv_sec,
		 st->st_mtim.tv_nsec);
	return !strncmp(facts, now, strlen(now));
}

static bool
add_heap(struct resume *r, const char *line, struct error *err)
{
	char path[SCRIPT_COMMAND_BYTES];
	const char *base;
	struct stat st;

	if (!script_argument(&line, path, sizeof path) || *path != '/')
		return error_set(err, ERROR_INPUT,
				 "%.160s names a heap without its path",
				 r->path);
	if (r->heaps_count == RESUME_HEAPS_MAX)
		return error_set(err, ERROR_INPUT,
				 "%.160s names more than %d heaps", r->path,
				 RESUME_HEAPS_MAX);
	if (stat(path, &st))
		return error_sys(err, errno,
				 "cannot come back: the heap %.160s is gone",
				 path);
	base = strrchr(path, '/') + 1;
	if (!is_as_it_was(line + strspn(line, " "), &st))
		snprintf(r->changed, sizeof r->changed, "%s", base);
	r->heaps[r->heaps_count] = memory_new(strlen(path) + 1, 1, err);
	if (!r->heaps[r->heaps_count])
		return false;
	strcpy(r->heaps[r->heaps_count++], path);
	return true;
}

static bool
find_heaps(struct resume *r, struct error *err)
{
	const char *line = r->text;
	char one[SCRIPT_COMMAND_BYTES];

	for (; *line; line += *line == '\n') {
		size_t len = strcspn(line, "\n");

		if (len < sizeof one &&
		    !strncmp(line, heap_line, strlen(heap_line))) {
			memcpy(one, line, len);
			one[len] = '\0';
			if (!add_heap(r, one + strlen(heap_line), err))
				return false;
		}
		line += len;
	}
	return r->heaps_count > 0 ||
	       error_set(err, ERROR_INPUT, "%.160s names no heap", r->path);
}

bool
resume_open(struct resume *r, const char *path, struct error *err)
{
	size_t len;
	bool ok;

	*r = (struct resume){ .path = path };
	r->text = text_file_read(path, SCRIPT_FILE_BYTES, TEXT_FILE_TRUSTED,
				 &len, err);
	if (!r->text)
		return err->kind == ERROR_NONE
			   ? error_set(err, ERROR_USAGE,
				       "there is no session %.160s; "
				       ":save-session keeps one",
				       path)
			   : false;
	ok = (strlen(r->text) == len &&
	      !strncmp(r->text, magic, strlen(magic))) ||
	     error_set(err, ERROR_INPUT, "%.160s is no session of heaptop",
		       path);
	ok = ok && find_heaps(r, err);
	if (!ok) {
		resume_clear(r);
		return false;
	}
	script_init(&r->script, r->text);
	r->script.name = path;
	r->is_running = true;
	return true;
}

void
resume_clear(struct resume *r)
{
	memory_free(r->text);
	for (int i = 0; i < r->heaps_count; i++)
		memory_free(r->heaps[i]);
	*r = (struct resume){ 0 };
}

/* --- its commands --------------------------------------------------------- */

/* What a command must wait for. */
enum wait { WAIT_HEAP, WAIT_ROWS, WAIT_WAYS };

static const struct {
	const char *name;
	enum wait wait;
} allowed[] = {
	{ "set", WAIT_HEAP },    { "heap", WAIT_HEAP },
	{ "close", WAIT_HEAP },  { "back", WAIT_HEAP },
	{ "sort", WAIT_HEAP },   { "filter", WAIT_HEAP },
	{ "where", WAIT_HEAP },  { "mark-at", WAIT_HEAP },
	{ "ignore", WAIT_WAYS }, { "row", WAIT_ROWS },
	{ "pane", WAIT_ROWS },   { "unfold-row", WAIT_ROWS },
	{ "map", WAIT_HEAP },    { "search", WAIT_ROWS },
};
static const char map[] = "map";

static bool
is_map(const char *line)
{
	size_t len = strcspn(line, " \t");

	return len == sizeof map - 1 && !strncmp(line, map, len);
}

static bool
find_wait(const char *line, enum wait *wait, struct error *err)
{
	size_t len = strcspn(line, " \t");
	char command[KEYMAP_COMMAND_BYTES];

	if (is_map(line) &&
	    !resume_allows_key(keymap_command(line + len, command)))
		return error_set(err, ERROR_USAGE,
				 "no key of a session runs that: %.80s", line);

	*wait = WAIT_HEAP;
	for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
		if (strlen(allowed[i].name) == len &&
		    !strncmp(allowed[i].name, line, len)) {
			*wait = allowed[i].wait;
			return true;
		}
	for (const struct view_ops *const *v = all_views; *v; v++)
		if (strlen((*v)->command.name) == len &&
		    !strncmp((*v)->command.name, line, len))
			return true;
	return error_set(err, ERROR_USAGE, "sessions have no command %.*s",
			 len < 40 ? (int)len : 40, line);
}

bool
resume_allows_key(const char *commands)
{
	char line[SCRIPT_COMMAND_BYTES];
	struct error err;
	struct script s;
	enum wait wait;

	error_clear(&err);
	script_init(&s, commands);
	while (script_next(&s, line, &err))
		if (command_is_for_shell(line) || is_map(line) ||
		    !find_wait(line, &wait, &err))
			return false;
	return err.kind == ERROR_NONE;
}

static bool
is_working(const struct app *app)
{
	const struct snapshots *all = app->snapshots;

	if (view_is_busy(app->views[app->current]) || session_job(app->session))
		return true;
	for (size_t i = 0; all && i < all->count; i++)
		if (session_job(all->sessions[i]))
			return true;
	return false;
}

/* The rows are those that will stay: sorted by what the order needs, too. */
static bool
has_rows(const struct app *app)
{
	const struct view *v = app->views[app->current];
	unsigned needs = v->sort < 0 ? 0U : v->ops->columns[v->sort].needs;

	return !v->is_waiting && !v->is_stale && !view_is_busy(v) &&
	       !(needs & ~v->session->has);
}

/* If nothing is on its way, nothing is waited for. */
static bool
is_ready(const struct app *app, enum wait wait)
{
	const struct session *s = app->session;

	if (!is_working(app))
		return true;
	switch (wait) {
	case WAIT_HEAP:
		return s->heap != NULL;
	case WAIT_ROWS:
		return has_rows(app);
	case WAIT_WAYS:
		return s->reach && !s->jobs[JOB_REACH];
	}
	return true;
}

static void
note_error(struct resume *r, struct error *err)
{
	if (err->kind == ERROR_NONE)
		return;
	script_blame(&r->script, err);
	if (!r->failed++)
		r->first = *err;
}

static void
end(struct app *app)
{
	struct resume *r = app->resume;

	r->is_running = false;
	app->message[0] = '\0';
	if (*r->changed)
		app_message(app, STYLE_WARNING,
			    "%s has changed since the session was kept: places "
			    "may be others%s%s",
			    r->changed, r->failed ? "; " : "",
			    r->failed ? r->first.message : "");
	else if (r->failed)
		app_message(app, STYLE_ERROR, "%s", r->first.message);
}

/* False: the next one has to wait, or there is none. */
static bool
run_next(struct app *app)
{
	struct resume *r = app->resume;
	enum wait wait = WAIT_HEAP;
	struct error err;

	error_clear(&err);
	if (!*r->command && !script_next(&r->script, r->command, &err)) {
		note_error(r, &err);
		/* What it says of things ignored is not the last word. */
		if (err.kind == ERROR_NONE && !app->session->jobs[JOB_REACH])
			end(app);
		return err.kind != ERROR_NONE;
	}
	if (find_wait(r->command, &wait, &err)) {
		if (!is_ready(app, wait))
			return false;
		(void)app_command(app, r->command, &err);
		app_update_view(app);
	}
	r->command[0] = '\0';
	note_error(r, &err);
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

void
resume_stop(struct app *app)
{
	struct resume *r = app->resume;

	if (!r || !r->is_running)
		return;
	r->is_running = false;
	if (!*r->command && !*r->script.at)
		return;
	app_message(app, STYLE_WARNING,
		    "a key was typed: the rest of the session is not brought "
		    "back");
}
