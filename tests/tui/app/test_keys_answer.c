/* No key that help lists is without an answer: it changes the screen, and
   does so again. */
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/command.h"
#include "tui/app/views.h"
#include "model/heap/stream.h"
#include <string.h>

static bool
open_view(struct app *app, const struct view_ops *ops)
{
	unsigned takes = view_takes(ops);
	const char *arg = " 7fe01c001758";
	struct error err = { 0 };
	char line[128];

	if (takes == TAKES_NOTHING || takes & TAKES_OPTIONAL)
		arg = "";
	else if (!(takes & TAKES_OBJECT))
		arg = " Leaky.Session";
	snprintf(line, sizeof line, "%s%s", ops->command.name, arg);
	return app_command(app, line, &err);
}

static char *
screen_of(struct app *app, struct screen *s)
{
	struct error err = { 0 };
	char *text;

	app_poll(app);
	app_draw(app, s);
	text = screen_dump(s, true, &err);
	assert_non_null(text);
	return text;
}

/* These leave the program, draw the same anew, or ask a shell. */
static bool
is_tried(const char *key)
{
	static const char *const others[] = { "q", "Q", "F10", "^Z", "^L" };

	for (size_t i = 0; i < COUNT_OF(others); i++)
		if (!strcmp(key, others[i]))
			return false;
	return true;
}

/* As it is opened, or on the next row. */
static bool
begin(struct app *app, struct screen *s, const struct view_ops *ops, bool is_below)
{
	while (app->current)
		app_close(app);
	if (!open_view(app, ops))
		return false;
	memory_free(screen_of(app, s));
	if (is_below)
		app_key(app, 'j');
	app->message[0] = '\0';
	return true;
}

static void
expect_answer(struct app *app, struct screen *s, const char *view, const char *key,
	      const char *when)
{
	char *before = screen_of(app, s), *after;

	app_key(app, key_parse(key));
	after = screen_of(app, s);
	if (!strcmp(before, after))
		fail_msg("%s, %d columns: %s%s does nothing:\n%s", view, s->columns, key, when,
			 before);
	while (app->is_prompting || app->menu.is_open)
		app_key(app, TK_ESCAPE);
	memory_free(before);
	memory_free(after);
}
/* How many. */
static int
press_all(struct app *app, struct screen *s, const struct view_ops *ops, bool is_below)
{
	struct command_iterator it = { 0 };
	int count = 0;

	while (command_next(&it, ops)) {
		char keys[64], *rest, *key;

		snprintf(keys, sizeof keys, "%s", it.command->keys);
		for (key = strtok_r(keys, " ", &rest); key; key = strtok_r(NULL, " ", &rest)) {
			if (!is_tried(key))
				continue;
			if (!begin(app, s, ops, is_below))
				return count;
			expect_answer(app, s, ops->command.name, key, "");
			expect_answer(app, s, ops->command.name, key, ", once more,");
			count++;
		}
	}
	return count;
}

TEST(all_keys_answer)
{
	static const struct {
		int rows, columns;
		bool is_below;
	} rows[] = { { 24, 80, false }, { 24, 80, true }, { 10, 40, true } };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct app *app = app_on(leaky_heap());
		struct screen *s = screen_for_test(rows[i].rows, rows[i].columns, false);
		int count = 0;

		for (const struct view_ops *const *v = all_views; *v; v++)
			count += press_all(app, s, *v, rows[i].is_below);
		assert_true(count > 1500);
		app_end(app);
	}
}

/* A heap without objects: most views have no rows. */
TEST(all_keys_answer_on_nothing)
{
	struct error err = { 0 };
	struct heap_stream *stream = heap_stream_new(&err);
	struct app *app = app_on(heap_stream_finish(stream, NULL, &err));
	struct screen *s = screen_for_test(24, 80, false);
	int count = 0;

	for (const struct view_ops *const *v = all_views; *v; v++)
		count += press_all(app, s, *v, false);
	assert_true(count > 1000);
	app_end(app);
}
