/* The keys at the bottom, and the first page of help, which is made of the same commands. */
#include "tests/drive/screens.h"
#include <string.h>

/* Returns the last line of the screen. */
static const char *
bar_text(struct app *app, struct screen *s, char out[1024])
{
	struct error err = { 0 };
	char *text, *line;

	app_draw(app, s);
	text = screen_dump(s, false, &err);
	assert_non_null(text);
	while ((line = strrchr(text, '\n')) && !line[1])
		*line = '\0';
	snprintf(out, 1024, "%s", line ? line + 1 : text);
	memory_free(text);
	return out;
}

static void
expect_bar(struct app *app, struct screen *s, const char *steps, const char *wanted)
{
	char bar[1024];

	app_steps(app, s, steps);
	if (!strstr(bar_text(app, s, bar), wanted))
		fail_msg("\"%s\" is not in \"%s\"", wanted, bar);
}

TEST(keys_that_answer_come_first)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_with_retention(leaky_heap());

	expect_bar(app, s, "",
		   "Enter objects  9 findings  P who holds it  Z mine  / search  ? help  q quit");
	expect_bar(app, s, "Z", "Z all types");
	/* Rows of objects: for the object first. */
	expect_bar(app, s, "Z 2 wait", "Enter inspect  p why alive  9 findings  r who holds it");
	app_end(app);
}

TEST(a_prompt_and_a_menu_show_their_own_keys)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(leaky_heap());

	expect_bar(app, s, ":", "Enter run  Esc cancel  Tab complete");
	expect_bar(app, s, "Esc /", "Enter find  Esc cancel  Up earlier");
	expect_bar(app, s, "Esc &", "Enter filter  Esc cancel  Tab complete");
	expect_bar(app, s, "Esc s", "Enter choose  Esc cancel  j down  k up");
	expect_bar(app, s, "Esc", "Enter objects");
	app_end(app);
}

TEST(help_begins_with_a_page_of_its_own)
{
	static const char *const wanted[] = {
		"Most useful here", "list the objects of this type",
		":findings",        "To move",
		"one step back",    "To ask",
		":help WORD",       "what a word means: a column, a setting",
	};
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_with_retention(leaky_heap());

	app_steps(app, s, "?");
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
		if (!app_has_text(app, s, wanted[i]))
			fail_msg("no \"%s\" on the first page", wanted[i]);
	assert_false(app_has_text(app, s, "In this view"));
	app_end(app);
}
