/* `:open FILE` reads another heap beside the open ones, and `=` compares them by their times. */
#include "tests/drive/started.h"
#include "tui/app/command.h"
#include "tui/app/replay.h"
#include "tui/app/views.h"
#include <string.h>

#define DUMP  "tests/data/leaky-10.gcdump"
#define LATER "tests/data/leaky-10-later.gcdump.zst"
#define TIMED "tests/data/survival-10.heaptop"

static struct pty *
started_with(const char *option, const char *file)
{
	const char *const arguments[] = { option, file, NULL };
	struct pty *p = started(arguments, NULL, 24, 80);

	assert_true(pty_wait_text(p, "› types"));
	assert_true(pty_wait_text(p, " 1/"));
	return p;
}

/* The heap that was opened last stands first: the other one tells that it was taken later. */
TEST_AT_HOME(a_file_is_compared_by_its_time)
{
	struct pty *p = started_with("--no-rc", TIMED);

	pty_types(p, ":open " DUMP "\r", "= compares them: leaky-10.gcdump is open");
	assert_true(pty_wait_text(p, "› types"));
	pty_types(p, "=", "2 leaky-10.gcdump → 1 survival-10.heaptop");
	pty_types(p, ":snapshots\r", "leaky-10.gcdump");
	pty_quits(p);
}

TEST_AT_HOME(other_files_change_nothing)
{
	struct pty *p = started_with("--no-rc", DUMP);

	pty_types(p, ":open Makefile\r", "does not begin like one");
	pty_types(p, ":e tests/nothing.gcdump\r", "cannot open tests/nothing.gcdump: No such file");
	pty_types(p, ":open /tmp\r", "open needs a file, and /tmp is none");
	pty_types(p, ":open -\r", "open needs a file, and - is none");
	pty_types(p, ":open ~/nothing\r", "/nothing: No such file");
	pty_types(p, ":e\r", "open needs a file: open FILE");
	pty_types(p, "j", " 2/163");
	/* Without an argument it is the command of Enter. */
	pty_types(p, ":open\r", "› objects Session");
	pty_quits(p);
}

TEST_AT_HOME(tab_completes_its_name)
{
	struct pty *p = started_with("--no-rc", DUMP);

	pty_types(p, ":open tests/data/leaky-10-later.g\t", "leaky-10-later.gcdump.zst");
	pty_types(p, "\r", "= compares them");
	pty_quits(p);
}

TEST_AT_HOME(secure_mode_opens_no_other_file)
{
	struct pty *p = started_with("--secure", DUMP);

	pty_types(p, ":open " LATER "\r", "no further files are opened");
	pty_quits(p);
}

TEST(sessions_may_not_open_files)
{
	static const char *const lines[] = { "open x.gcdump", "open\tx", "e x", "open " };
	struct error err = { 0 };
	enum replay wait;

	assert_true(replay_allows("open", &wait, &err));
	for (size_t i = 0; i < COUNT_OF(lines); i++)
		assert_false(replay_allows(lines[i], &wait, &err));
	assert_false(replay_allows_key("open x.gcdump"));
}

TEST(the_name_means_a_file_only_with_an_argument)
{
	struct error err = { 0 };

	assert_true(command_is_of(&view_types, command_by_line(&view_types, "open", &err).command));
	assert_int_equal(command_by_line(&view_types, "open x", &err).command->args[0].kind,
			 ARG_FILE);
	assert_int_equal(command_by_line(&view_types, "e x", &err).command->args[0].kind, ARG_FILE);
	assert_string_equal(command_by_line(&view_types, "sort size", &err).command->name, "sort");
}
