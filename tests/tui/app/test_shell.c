/*
 * Commands of the shell: the terminal is theirs while they run, and ours afterwards, whatever they
 * did to it; what is selected reaches them in the environment alone. Runs $HEAPTOP on a terminal.
 */
#include "tests/drive/jobs.h"
#include "tests/drive/screens.h"
#include "tests/drive/started.h"
#include "tui/app/state.h"
#include "tui/term/screen.h"
#include "tui/app/shell.h"
#include "tui/session/snapshots.h"
#include "model/base/text.h"
#include <signal.h>
#include <ctype.h>
#include <dirent.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DUMP "tests/data/leaky-10.gcdump"

static struct pty *
start(void)
{
	const char *const arguments[] = { DUMP, NULL };
	const char *const variables[] = { "SHELL=/bin/sh", "PS1=inside> ", NULL };
	struct pty *p = started(arguments, variables, 24, 80);

	assert_true(pty_wait_text(p, "Session[]"));
	return p;
}

/* A key, and the screen is as it was. */
static void
go_back(struct pty *p)
{
	assert_true(pty_wait_text(p, "press any key to return to heaptop)"));
	assert_false(pty_is_alternate(p));
	pty_types(p, "\033[B", "Session[]"); /* one key, though three bytes */
	assert_true(pty_is_alternate(p));
	assert_false(pty_modes_are_kept(p));
}

TEST_AT_HOME(shows_what_it_says)
{
	struct pty *p = start();

	/* The key was for nothing else: the first row is still selected. */
	pty_types(p, "j!echo $((6 * 7)): \"$HEAPTOP_TYPE\"; echo in $HEAPTOP_FILE\r",
		  "42: Leaky.Session");
	assert_true(pty_wait_text(p, "in " DUMP));
	go_back(p);
	assert_true(pty_wait_text(p, "2/163"));
	pty_types(p, ":!exit 3\r", "(exited with status 3; press any key");
	go_back(p);
	assert_true(pty_wait_text(p, "exit 3 exited with status 3"));
	/* It is in the history, as all that worked. */
	pty_types(p, ":\033OA", ":!exit 3");
	pty_send(p, "\033");
	assert_true(pty_wait_no_text(p, ":!exit 3"));
	pty_quits(p);
}

/* Lines, echo and ^C as the shell has them. */
TEST_AT_HOME(has_the_terminal)
{
	struct pty *p = start();

	pty_types(p, "!echo at$((20 + 1)); read x; echo \"<$x>\"; stty raw -echo\r", "at21");
	assert_true(pty_modes_are_kept(p));
	assert_true(pty_cursor_is_visible(p));
	pty_types(p, "typp\177ed\r", "<typed>");
	go_back(p);
	pty_types(p, "\r", "› objects byte[]");
	pty_quits(p);
}

TEST_AT_HOME(is_interrupted_alone)
{
	struct pty *p = start();

	pty_types(p, "!echo at$((20 + 1)); exec sleep 100\r", "at21");
	pty_types(p, "\003", "(was killed by signal 2; press any key");
	pty_types(p, "\003", "Session[]"); /* a key as any other */
	pty_types(p, "!echo at$((20 + 2)); exec sleep 100\r", "at22");
	pty_types(p, "\034", "(was killed by signal 3");
	go_back(p);
	pty_quits(p);
}

/* Fields of /proc/PID/stat. */
struct state {
	int pid, parent, group, session;
	char letter;
};

static bool
read_state(const char *name, struct state *s)
{
	char path[64], text[512];
	const char *at;
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", name);
	file = fopen(path, "re");
	if (!file)
		return false;
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = '\0';
	s->pid = atoi(text);
	at = strrchr(text, ')');
	return at &&
	       sscanf(at + 1, " %c %d %d %d", &s->letter, &s->parent, &s->group, &s->session) == 4;
}

/* Returns whether only the shell itself still runs in the child's session. */
static bool
are_stopped(void)
{
	DIR *folder = opendir("/proc");
	struct state all[4096];
	size_t count = 0;
	struct dirent *entry;
	int session = 0;

	assert_non_null(folder);
	while (count < 4096 && (entry = readdir(folder)) != NULL)
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    read_state(entry->d_name, &all[count]))
			count++;
	closedir(folder);
	for (size_t i = 0; i < count; i++)
		if (all[i].parent == getpid())
			session = all[i].pid;
	for (size_t i = 0; i < count; i++)
		if (all[i].session == session && all[i].pid != session && all[i].letter != 'T')
			return false;
	return true;
}

/*
 * Whoever waits for a line and is told to stop takes a character that comes before it has stopped.
 */
static void
wait_until_stopped(void)
{
	for (int ms = 0; ms < 60000 && !are_stopped(); ms++)
		poll(NULL, 0, 1);
}

/* ^Z stops both, and fg goes on with both. */
TEST_AT_HOME(is_stopped_together)
{
	struct pty *p = started_in_shell(DUMP);

	assert_true(pty_wait_text(p, "Session[]"));
	pty_types(p, "!echo at$((20 + 1)); read x; echo \"<$x>\"\r", "at21");
	pty_send(p, "\032");
	/* With a prompt that reads by then. */
	assert_true(pty_wait_bytes(p, "Stopped"));
	assert_true(pty_wait_bytes(p, DUMP "\r\nready> "));
	wait_until_stopped();
	pty_types(p, "PS1='again> '; echo at$((20 + 3))\n", "at23");
	assert_true(pty_wait_text(p, "again>"));
	pty_send(p, "fg\n");
	pty_types(p, "on\n", "<on>");
	/* And while a key is waited for. */
	assert_true(pty_wait_text(p, "press any key"));
	pty_send(p, "\032");
	assert_true(pty_wait_bytes(p, DUMP "\r\nagain> "));
	wait_until_stopped();
	pty_types(p, "echo at$((20 + 4))\n", "at24");
	pty_send(p, "fg\n");
	assert_true(pty_wait_bytes(p, "fg"));
	pty_types(p, " ", "Session[]");
	pty_send(p, "Q");
	assert_true(pty_wait_cursor(p));
	pty_send(p, "exit\n");
	pty_exits(p, 0);
}

TEST_AT_HOME(is_a_shell_itself)
{
	struct pty *p = start();

	pty_types(p, "!\r", "inside>");
	pty_types(p, "echo at$((20 + 1))\r", "at21");
	pty_types(p, "exit\r", "Session[]");
	assert_true(pty_is_alternate(p));
	pty_quits(p);
}

/* Even from a shell that gave it to somebody who has gone. */
TEST_AT_HOME(takes_the_terminal_back)
{
	struct pty *p = start();

	pty_types(p, "!set -m; kill -9 $$\r", "(was killed by signal 9; press any key");
	go_back(p);
	pty_quits(p);
}

TEST_AT_HOME(resizes_meanwhile)
{
	struct pty *p = start();
	char place[128];

	pty_types(p, "!echo at$((20 + 1)); read x\r", "at21");
	pty_resize(p, 30, 100);
	pty_send(p, "\r");
	go_back(p);
	snprintf(place, sizeof place, "%*s", 100, "1/163");
	assert_true(pty_wait_text(p, place + 20));
	pty_quits(p);
}

/* Told to end while somebody else has the terminal, and while it waits. */
TEST_AT_HOME(ends_when_told)
{
	struct pty *p = start();
	int status;

	pty_types(p, "!echo at$((20 + 1)); read x\r", "at21");
	pty_signal(p, SIGTERM);
	pty_send(p, "\r");
	status = pty_wait_end(p);
	assert_true(WIFEXITED(status));
	assert_true(pty_modes_are_kept(p));
	pty_free(p);

	p = start();
	pty_types(p, "!true\r", "press any key");
	pty_signal(p, SIGTERM);
	status = pty_wait_end(p);
	assert_true(WIFEXITED(status));
	assert_true(pty_modes_are_kept(p));
	assert_false(pty_is_alternate(p));
	pty_free(p);
}

TEST_AT_HOME(gets_the_rows)
{
	struct pty *p = start();

	pty_types(p, "&^leaky\\.l\r:w !cat; echo at$((20 + 1))\r", "at21");
	assert_int_equal(pty_find(p, "Session"), -1);
	assert_true(pty_find(p, "Link") >= 0);
	assert_true(pty_wait_text(p, "press any key"));
	pty_types(p, " ", "› types");
	/* One that has seen enough, of more than a pipe holds. */
	pty_types(p, ":objects Leaky.Link\r", "› objects Link");
	pty_types(p, ":w csv !head -c 12\r", "address,type");
	assert_true(pty_wait_text(p, "press any key"));
	pty_types(p, " ", "› objects Link");
	pty_quits(p);
}

/* --- names from the target --------------------------------------------------
 */

/* Whatever a type is called, it is text, and no terminal obeys it. */
TEST_AT_HOME(tells_no_evil)
{
	struct app *app = app_on(awkward_heap());
	struct snapshots nothing_is_forbidden = { 0 };
	const char *path = in_folder("told");
	char command[256], want[1024], *got;
	bool has_evil = false;

	snprintf(command, sizeof command, "printf %%s \"$HEAPTOP_TYPE\" >%s", path);
	app_enter(app);
	for (size_t i = 0; i < app_view(app)->rows_count; i++) {
		struct error err = { 0 };
		struct row row;

		view_move_to(app_view(app), i);
		assert_true(view_selected(app_view(app), &row));
		app->snapshots = &nothing_is_forbidden;
		assert_true(shell_run(app, command, &err));
		app->snapshots = NULL;
		got = file_read(path, NULL);
		text_clean(app_session(app)->types[row.type].name, want, sizeof want);
		assert_string_equal(got, want);
		assert_null(strchr(got, '\033'));
		has_evil = has_evil || strstr(got, "Evil");
		free(got);
	}
	assert_true(has_evil);
	app_leave(app);
	app_end(app);
	unlink(path);
}

/* No setting allows commands yet. */
TEST_AT_HOME(runs_nothing_without_leave)
{
	struct app *app = app_on(leaky_heap());
	const char *path = in_folder("told");
	struct error err = { 0 };
	char command[256];

	snprintf(command, sizeof command, "echo >%s", path);
	assert_false(shell_run(app, command, &err));
	assert_string_equal(err.message, "!: no other program can be run here");
	error_clear(&err);
	assert_false(shell_pipe(app, command, TABLE_CSV, &err));
	assert_string_equal(err.message, "w !: no other program can be run here");
	assert_int_not_equal(access(path, F_OK), 0);
	app_end(app);
}

/* Goes on as long as somebody waits for what it makes at the end. */
static const struct heap *
load_types(const struct loader *from, enum load_what what, struct progress *progress,
	   struct preview *preview, struct error *err)
{
	const struct heap *h = awkward_heap();

	(void)from;
	(void)what;
	while (access(in_folder("seen"), F_OK))
		sched_yield(); /* until the command runs */
	for (int i = 0; i < 3; i++)
		assert_true(
		    preview_publish(preview, h->types, h->types_count, 12, 100, false, err));
	unlink(in_folder("seen"));
	load_for_ever(from, what, progress, preview, err);
	preview_withdraw(preview);
	heap_free(h);
	return NULL;
}

/* Reading a file continues while a command runs. */
TEST_AT_HOME(holds_nobody_up)
{
	struct loader loader = { .path = "slow", .load = load_types };
	struct error err = { 0 };
	struct snapshots all;
	struct session *s;
	struct app *app;
	char line[800];

	snapshots_init(&all, jobs_on_threads());
	s = snapshots_add(&all, &loader, &err);
	assert_non_null(s);
	assert_true(session_start(s, &err));
	app = app_new(s, &err);
	assert_non_null(app);
	snprintf(line, sizeof line,
		 "!: >'%s'; i=0; while [ -e '%s' ]; do sleep 0.02; i=$((i + 1)); [ $i -lt 1000 ] "
		 "|| exit 1; done",
		 in_folder("seen"), in_folder("seen"));
	app_enter(app);
	assert_ok(app_command(app, line, &err), &err);
	app_leave(app);
	app_free(app);
	snapshots_clear(&all);
}
