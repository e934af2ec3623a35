#define _GNU_SOURCE /* pipe2() */
#include "tui/app/shell.h"
#include "model/heap/live.h"
#include "tui/app/state.h"
#include "tui/base/secure.h"
#include "tui/term/signals.h"
#include "tui/session/snapshots.h"
#include "model/base/text.h"
#include "tui/app/write_view.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* --- the environment: what is selected ------------------------------------ */

enum variable { VARIABLE_FILE, VARIABLE_PID, VARIABLE_TYPE, VARIABLE_ADDRESS, VARIABLE_COUNT };
static const char *const names[VARIABLE_COUNT] = {
	[VARIABLE_FILE] = "HEAPTOP_FILE=",
	[VARIABLE_PID] = "HEAPTOP_PID=",
	[VARIABLE_TYPE] = "HEAPTOP_TYPE=",
	[VARIABLE_ADDRESS] = "HEAPTOP_ADDRESS=",
};

struct environment {
	char *own[VARIABLE_COUNT]; /* owned; NULL: not set */
	char **all;                /* ends with NULL; the other strings are borrowed */
};

static bool
set_variable(struct environment *e, enum variable which, const char *value, struct error *err)
{
	size_t name_len = strlen(names[which]);
	/* A replaced control character may become three bytes. */
	size_t room = name_len + 3 * strlen(value) + 1;

	memory_free(e->own[which]);
	e->own[which] = memory_new(room, 1, err);
	if (!e->own[which])
		return false;
	memcpy(e->own[which], names[which], name_len);
	text_clean(value, e->own[which] + name_len, room - name_len);
	return true;
}

/* Sets the selected process, or the one that the heap was captured from. */
static bool
set_pid(struct environment *e, const struct view *v, struct error *err)
{
	const struct session *s = v->session;
	int column = column_by_id(v->ops->table->columns, "pid");
	char text[VALUE_TEXT_BYTES];
	struct value value;
	struct row row;
	int32_t pid = snapshots_pid(s);

	if (column >= 0 && view_selected(v, &row)) {
		view_cell(v, &v->ops->table->columns[column], &row, &value);
		return set_variable(e, VARIABLE_PID, value_for_machines(&value, text), err);
	}
	if (!pid)
		return true;
	snprintf(text, sizeof text, "%" PRId32, pid);
	return set_variable(e, VARIABLE_PID, text, err);
}

static bool
set_selected(struct environment *e, const struct view *v, struct error *err)
{
	const struct session *s = v->session;
	struct target target = view_target(v);
	char text[VALUE_TEXT_BYTES];

	if (target.type != TYPE_NONE && target.type < s->types_count &&
	    !set_variable(e, VARIABLE_TYPE, s->types[target.type].name, err))
		return false;
	if (target.node == NODE_NONE || !s->heap || !s->heap->has_objects)
		return true;
	return set_variable(e, VARIABLE_ADDRESS,
			    address_format(heap_address(s->heap, target.node), text), err);
}

static bool
is_own(const char *variable)
{
	for (int i = 0; i < VARIABLE_COUNT; i++)
		if (!strncmp(variable, names[i], strlen(names[i])))
			return true;
	return false;
}

static bool
gather(struct environment *e, struct error *err)
{
	size_t count = 0, kept = 0;

	while (environ[count])
		count++;
	e->all = memory_new(count + VARIABLE_COUNT + 1, sizeof *e->all, err);
	if (!e->all)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!is_own(environ[i]))
			e->all[kept++] = environ[i];
	for (int i = 0; i < VARIABLE_COUNT; i++)
		if (e->own[i])
			e->all[kept++] = e->own[i];
	return true;
}

static bool
environment_make(struct environment *e, const struct view *v, struct error *err)
{
	const struct loader *l = &v->session->loader;
	bool is_file =
	    !l->capture && !l->is_live && !l->is_builtin && l->load && strcmp(l->path, "-") != 0;

	*e = (struct environment){ 0 };
	return (!is_file || set_variable(e, VARIABLE_FILE, l->path, err)) && set_pid(e, v, err) &&
	       set_selected(e, v, err) && gather(e, err);
}

static void
environment_clear(struct environment *e)
{
	for (int i = 0; i < VARIABLE_COUNT; i++)
		memory_free(e->own[i]);
	memory_free(e->all);
}

/* --- running a command ---------------------------------------------------- */

static const char *
shell_path(void)
{
	const char *shell = getenv("SHELL");

	return shell && *shell == '/' && !access(shell, X_OK) ? shell : "/bin/sh";
}

/* Restores the default action of signals that heaptop ignores or handles. */
static bool
set_signals(posix_spawnattr_t *attributes)
{
	static const int numbers[] = { SIGINT, SIGQUIT, SIGTSTP, SIGTTOU, SIGPIPE, SIGXFSZ };
	sigset_t standard, none;

	sigemptyset(&standard);
	sigemptyset(&none);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		sigaddset(&standard, numbers[i]);
	return !posix_spawnattr_setsigdefault(attributes, &standard) &&
	       !posix_spawnattr_setsigmask(attributes, &none) &&
	       !posix_spawnattr_setflags(attributes,
					 POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

/*
 * Starts a shell. posix_spawn() avoids what fork() costs with a large heap: copying its page
 * tables. `input` and `output` are descriptors, or -1 to inherit heaptop's own.
 */
static pid_t
start(const char *command, char **environment, int input, int output, struct error *err)
{
	const char *shell = shell_path();
	/* posix_spawn() takes these without const but does not change them. */
	char *argv[] = { (char *)(uintptr_t)shell, (char *)(uintptr_t) "-c",
			 (char *)(uintptr_t)command, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t pid = -1;
	int failed = ENOMEM;

	if (!*command)
		argv[1] = NULL;
	if (posix_spawn_file_actions_init(&actions))
		return error_sys(err, ENOMEM, "cannot run %.100s", shell), -1;
	if (!posix_spawnattr_init(&attributes)) {
		if (set_signals(&attributes) &&
		    (input < 0 ||
		     !posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)) &&
		    (output < 0 ||
		     !posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)))
			failed = posix_spawn(&pid, shell, &actions, &attributes, argv, environment);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	if (failed) {
		error_sys(err, failed, "cannot run %.100s", shell);
		return -1;
	}
	return pid;
}

/* Waits for the process and describes how it ended; "" on success. */
static void
describe_end(pid_t pid, char *text, size_t text_size)
{
	int status;

	*text = '\0';
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return; /* it has been waited for */
	if (WIFSIGNALED(status))
		snprintf(text, text_size, "was killed by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		snprintf(text, text_size, "exited with status %d", WEXITSTATUS(status));
}

/* The rows to write to the command's standard input. */
struct feed {
	struct view *view;
	enum table_format format;
};

static bool
open_pipe(int ends[2], FILE **to, struct error *err)
{
	if (pipe2(ends, O_CLOEXEC))
		return error_sys(err, errno, "cannot make a pipe");
	*to = fdopen(ends[1], "w");
	if (*to)
		return true;
	error_sys(err, errno, "cannot make a pipe");
	close(ends[0]);
	close(ends[1]);
	return false;
}

/* Runs a command to its end; `feed` may be NULL. See describe_end(). */
static bool
run(const char *command, const struct environment *e, const struct feed *feed, int input,
    int output, char *ended, size_t ended_size, struct error *err)
{
	int ends[2] = { -1, -1 };
	FILE *to = NULL;
	bool ok = true;
	pid_t pid;

	if (feed && !open_pipe(ends, &to, err))
		return false;
	pid = start(command, e->all, feed ? ends[0] : input, output, err);
	if (ends[0] >= 0)
		close(ends[0]);
	/* A reader that closes the pipe early is not an error. */
	if (pid >= 0 && feed)
		ok = write_view_print(feed->view, feed->format, to, err);
	if (to)
		fclose(to);
	if (pid < 0)
		return false;
	describe_end(pid, ended, ended_size);
	return ok;
}

/* An interactive shell may have left its own group in the foreground. */
static void
take_foreground(int terminal)
{
	struct sigaction before;

	if (tcgetpgrp(terminal) == getpgrp())
		return;
	signals_ignore(SIGTTOU, &before);
	tcsetpgrp(terminal, getpgrp());
	sigaction(SIGTTOU, &before, NULL);
}

static bool
run_on_terminal(struct app *app, const char *command, const struct environment *e,
		const struct feed *feed, char *ended, size_t ended_size, struct error *err)
{
	struct term *term = app->term;
	char text[128];
	bool ok;

	term_lend(term);
	ok = run(command, e, feed, term_input(term), term_output(term), ended, ended_size, err);
	take_foreground(term_input(term));
	snprintf(text, sizeof text, "(%s%spress any key to return to heaptop)", ended,
		 *ended ? "; " : "");
	app_pause(app);
	term_take_back(term, ok && *command ? text : NULL);
	app_go_on(app);
	return ok;
}

static bool
run_command(struct app *app, const char *command, const struct feed *feed, struct error *err)
{
	struct environment e;
	char ended[64] = "";
	bool ok;

	if (!app->term && !*command)
		return error_set(err, ERROR_USAGE, "! needs a command: !COMMAND");
	fflush(stdout); /* batch mode: keep the order of the output */
	ok = environment_make(&e, app_view(app), err);
	if (!feed) /* a feed still needs the rows */
		app_pause(app);
	ok = ok && (app->term ? run_on_terminal(app, command, &e, feed, ended, sizeof ended, err)
			      : run(command, &e, feed, -1, -1, ended, sizeof ended, err));
	app_go_on(app);
	environment_clear(&e);
	if (!ok || !*ended)
		return ok;
	if (!app->term)
		return error_set(err, ERROR_SYSTEM, "%.100s %s", command, ended);
	app_message(app, STYLE_WARNING, "%s %s", *command ? command : "it", ended);
	return true;
}

static bool
is_allowed(const struct app *app, enum secure_kind kind, const char *what, struct error *err)
{
	/* Permissions come with snapshots: refuse all without them. */
	if (!app->snapshots)
		return error_set(err, ERROR_USAGE, "%s: no other program can be run here", what);
	return secure_allows(&app->snapshots->secure, kind, what, err);
}

bool
shell_run(struct app *app, const char *command, struct error *err)
{
	return is_allowed(app, SECURE_SHELL, "!", err) && run_command(app, command, NULL, err);
}

bool
shell_pipe(struct app *app, const char *command, enum table_format format, struct error *err)
{
	struct feed feed = { app_view(app), format };
	bool is_whole = write_view_is_ready(feed.view);

	if (!is_allowed(app, SECURE_PIPE, "w !", err) || !run_command(app, command, &feed, err))
		return false;
	if (!is_whole)
		app_message(app, STYLE_WARNING, "%s got the rows before all values were computed",
			    command);
	return true;
}
