/*
 * The allocations of a real process, shown while they are recorded through
 * --via: the keys of the screen, and how the recording ends. The agent is the
 * static program; without it this is skipped. No event session is left.
 */
#include "capture/process/proc.h"
#include "capture/process/process.h"
#include "tests/drive/started.h"
#include "tests/drive/targets.h"
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const busy[] = { "--busy", NULL };
static const char site[] = "Leaky.Program.StartBusy";

static struct target *target;

static void
wait_for_sessions(uint32_t wanted)
{
	struct process p;
	struct error err = { 0 };

	for (int i = 0; i < 2000; i++) {
		assert_ok(process_look(&p, PROC_FOLDER, target_pid(target), &err), &err);
		if (process_sessions(&p, PROC_FOLDER) == wanted)
			return;
		poll(NULL, 0, 10);
	}
	fail_msg("never %u sessions", wanted);
}

static bool
has_static_program(void)
{
	char path[1000];

	snprintf(path, sizeof path, "%s-static", program_path());
	return !access(path, X_OK);
}

/* Skips the test if a program is missing. The command's shell becomes the agent, so that it has the
   pid in the file. */
static struct pty *
record(void)
{
	static char command[400];
	char pid[16];
	const char *trace = in_folder("trace.nettrace");
	const char *const arguments[] = { "--yes", "--via", command, "-a", pid, "-o", trace, NULL };
	struct pty *p;

	if (!target_exists("10.0") || !has_static_program())
		skip();
	target = target_start("10.0", TARGET_HERE, busy, NULL);
	snprintf(pid, sizeof pid, "%" PRId32, target_pid(target));
	snprintf(command, sizeof command, "echo $$ >'%s'; exec env TOKEN=secret TMPDIR=/tmp",
		 in_folder("agent"));
	p = started(arguments, NULL, 40, 160);
	assert_true(pty_wait_text(p, "recording "));
	assert_true(pty_wait_text(p, site));
	assert_int_equal(pty_find(p, "secret"), -1);
	return p;
}

/* The file has what was recorded, whatever has ended it; methods only if the runtime could list
   them. */
static void
end(struct pty *p, bool has_methods)
{
	char text[4000];

	pty_exits(p, 0);
	shell_prints(text, sizeof text, "%s -b allocations --csv -n 5 '%s' 2>&1", program_path(),
		     in_folder("trace.nettrace"));
	assert_non_null(strstr(text, "byte[]"));
	assert_int_equal(!strstr(text, "have no name, as the last list"), has_methods);
	unlink(in_folder("trace.nettrace"));
	unlink(in_folder("agent"));
	target_free(target);
	target = NULL;
}

TEST_AT_HOME(keys_of_a_recording)
{
	struct pty *p = record();

	pty_types(p, " ", "held still");
	pty_types(p, "  ", "held still");
	pty_types(p, " ", site);
	pty_types(p, "z", ", 1 s");
	pty_types(p, "t", "allocations types");
	pty_types(p, "c", "y captures its");
	pty_types(p, "y", "Session[] ");
	pty_types(p, ":samples\r", "alive at the capture are in the heap");
	assert_int_equal(pty_find(p, "secret"), -1);
	pty_types(p, "Q", "in no file: :save FILE.heaptop");
	pty_send(p, "Q");
	wait_for_sessions(0);
	end(p, true);
}

TEST_AT_HOME(end_of_the_process)
{
	struct pty *p = record();

	assert_int_equal(kill(target_pid(target), SIGKILL), 0);
	assert_true(pty_wait_text(p, ") has ended"));
	assert_true(pty_wait_text(p, site));
	pty_send(p, "Q");
	end(p, false);
}

static void
kill_agent(int number)
{
	size_t len;
	char *text = file_read(in_folder("agent"), &len);
	pid_t agent = (pid_t)strtol(text, NULL, 10);

	free(text);
	assert_true(agent > 1);
	assert_int_equal(kill(agent, number), 0);
}

/* An agent that is asked to end stops its session: it does not just vanish. */
TEST_AT_HOME(agent_that_is_asked_to_end)
{
	struct pty *p = record();

	kill_agent(SIGTERM);
	assert_true(pty_wait_text(p, "recorded "));
	assert_int_equal(pty_find(p, "signal 15"), -1);
	wait_for_sessions(0);
	pty_send(p, "Q");
	end(p, true);
}

TEST_AT_HOME(lost_connection)
{
	struct pty *p = record();

	kill_agent(SIGKILL);
	assert_true(pty_wait_text(p, "has ended by signal 9"));
	assert_true(pty_wait_text(p, "recorded "));
	assert_true(pty_wait_text(p, site));
	wait_for_sessions(0);
	pty_send(p, "Q");
	end(p, false);
}
