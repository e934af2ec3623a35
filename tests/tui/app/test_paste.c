/* Pasted text never acts as keys: a prompt takes its first line, everything else leaves it. */
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tests/drive/started.h"
#include <string.h>

TEST(a_prompt_takes_pasted_text)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(leaky_heap());

	app_steps(app, s, ":");
	assert_true(app_paste(app, "objects Leaky.Link; Zcx", true));
	assert_true(app->is_prompting);
	assert_true(app_has_text(app, s, ":objects Leaky.Link; Zcx"));
	assert_string_equal(app->message, "only the first line of the pasted text is here");
	/* Neither broken UTF-8 nor a hidden character is taken. */
	app_steps(app, s, "Esc /");
	assert_true(app_paste(app,
			      "a\xff\xe2\x80\xae"
			      "b",
			      false));
	assert_true(app_has_text(app, s, "/ab"));
	app_end(app);
}

TEST(elsewhere_it_does_nothing)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(leaky_heap());

	assert_true(app_paste(app, "jQxc9Z", false));
	assert_string_equal(app_view(app)->title, "types");
	assert_int_equal(app_view(app)->cursor, 0);
	assert_false(app->has_quit);
	assert_non_null(strstr(app->message, "pasted text does nothing here"));
	app_steps(app, s, "s");
	assert_true(app->menu.is_open);
	assert_true(app_paste(app, "j\r", false));
	assert_true(app->menu.is_open);
	app_end(app);
}

/* Ten kilobytes of every key, in marks of the terminal, with the end in pieces. */
TEST_AT_HOME(all_keys_pasted_change_nothing)
{
	struct pty *p = started_on_dump(NULL, 24, 80);

	assert_true(pty_wait_text(p, "kept by static Sessions"));
	assert_true(pty_has_sent(p, "\033[?2004h"));
	pty_send(p, "\033[200~");
	for (int i = 0; i < 100; i++) {
		char keys[128];
		size_t len = 0;

		for (char c = 1; c < 0x7f; c++)
			if (c != '\033' && c != 3 && c != 26 && c != 28)
				keys[len++] = c;
		pty_send_bytes(p, keys, len);
	}
	pty_types(p, "\033[201\033[201~", "pasted text does nothing here");
	pty_types(p, "j", " 2/163");
	pty_types(p, ":", "Enter run");
	pty_types(p, "\033[200~\r\n  sort count\nQQ\n\033[201~", ":sort count");
	pty_types(p, "\r", "Count");
	pty_quits(p);
}
