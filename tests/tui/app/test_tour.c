/* The tour, with the keys that it names; and what it says to other keys. */
#include "io/gcdump/gcdump.h"
#include "model/base/text.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tests/judge/same_heap.h"
#include "tui/cli/save.h"
#include "tui/cli/tour_dumps.h"
#include "tui/app/views.h"
#include <string.h>

static struct app *
tour_open(struct snapshots *all)
{
	struct error err = { 0 };
	struct app *app;

	snapshots_init(all, (struct waker){ 0 });
	tour_dumps_attach(all);
	assert_true(tour_open_dumps(all, &err));
	for (int i = 0; i < TOUR_DUMPS; i++)
		assert_true(session_require(all->tour[i], NEED_RETAINED, &err));
	snapshots_note_arrival(all);
	app = app_new(all->sessions[0], &err);
	assert_non_null(app);
	assert_true(app_command(app, "tour", &err));
	return app;
}

static void
tour_close(struct app *app, struct snapshots *all)
{
	app_free(app);
	snapshots_clear(all);
}

static void
press(struct app *app, struct screen *s, const char *keys)
{
	char one[128];

	/* A number key waits for more digits. */
	snprintf(one, sizeof one, "%s wait", keys);
	app_steps(app, s, one);
	app_poll(app);
	app_draw(app, s);
}

static void
expect_step(struct app *app, struct screen *s, unsigned step)
{
	char golden[64];

	if (app->tour.step != step)
		fail_msg("at step %u, not %u: %s", app->tour.step, step, app_view(app)->title);
	assert_int_equal(app->tour.strayed, 0);
	snprintf(golden, sizeof golden, "tour-%u-%dx%d", step + 1, s->columns, s->rows);
	expect_screen(app, s, golden, false);
}

/* Checks that every number in the text is on the screen above it. */
static void
expect_numbers(struct app *app, struct screen *s, const char *text)
{
	static const char digits[] = "0123456789,";
	struct error err = { 0 };
	char number[32], *dump, *panel;

	app_draw(app, s);
	dump = screen_dump(s, false, &err);
	assert_non_null(dump);
	panel = strstr(dump, "/14 ");
	assert_non_null(panel);
	*panel = '\0';
	for (const char *at = text; *(at += strcspn(at, "0123456789"));) {
		size_t len = strspn(at, digits);

		snprintf(number, sizeof number, "%.*s", (int)(len - (at[len - 1] == ',')), at);
		if (!strstr(dump, number))
			fail_msg("%s is not on the screen: %s", number, text);
		at += len;
	}
	memory_free(dump);
}

static void
go_through(int rows, int columns)
{
	struct screen *s = screen_for_test(rows, columns, false);
	struct snapshots all;
	struct app *app = tour_open(&all);
	unsigned step = 0;

	app_draw(app, s);
	for (; *tour_steps[step].keys; step++) {
		expect_step(app, s, step);
		press(app, s, tour_steps[step].keys);
	}
	expect_step(app, s, step);
	assert_null(tour_steps[step + 1].in);
	press(app, s, "Esc");
	assert_false(app->tour.is_on);
	tour_close(app, &all);
}

TEST(the_keys_lead_through_it)
{
	go_through(24, 80);
	go_through(10, 40);
}

/* Also where names are short. */
TEST(names_may_be_short)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct snapshots all;
	struct app *app = tour_open(&all);

	press(app, s, "z");
	for (unsigned step = 0; *tour_steps[step].keys; step++) {
		assert_int_equal(app->tour.step, step);
		expect_numbers(app, s, tour_steps[step].text);
		press(app, s, tour_steps[step].keys);
	}
	tour_close(app, &all);
}

static void
expect_prompt(struct app *app, const char *wanted)
{
	char text[256];

	assert_string_equal(tour_prompt(app, text, sizeof text), wanted);
}

TEST(other_keys_are_no_harm)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct snapshots all;
	struct app *app = tour_open(&all);

	expect_prompt(app, "press j");
	press(app, s, "k");
	expect_prompt(app, "that was k; press j");
	press(app, s, "Enter");
	expect_prompt(app, "that was Enter; Backspace goes back");
	press(app, s, "Backspace");
	expect_prompt(app, "that was Backspace; press j");
	press(app, s, "j");
	assert_int_equal(app->tour.step, 1);
	press(app, s, "j");
	expect_prompt(app, "that was j; back to Leaky.Session, then P");
	/* Another way to the same place is as good. */
	press(app, s, "P");
	expect_prompt(app, "that was P; Backspace goes back");
	press(app, s, "q k");
	press(app, s, ":merged_Leaky.Session");
	assert_int_equal(app->tour.step, 2);
	press(app, s, ":tour_off");
	assert_false(app->tour.is_on);
	assert_int_equal(tour_lines(app, 80), 0);
	press(app, s, ":tour");
	assert_int_equal(app->tour.step, 0);
	assert_ptr_equal(app_view(app)->ops, &view_types);
	tour_close(app, &all);
}

static bool
says_that_escape_ends(struct app *app, struct screen *s)
{
	struct error err = { 0 };
	bool says;
	char *dump;

	app_draw(app, s);
	dump = screen_dump(s, false, &err);
	assert_non_null(dump);
	says = strstr(dump, "(Esc ends)") != NULL;
	memory_free(dump);
	return says;
}

static void
no_wake(void *context)
{
	(void)context;
}

/* Esc first stops a running job, and the panel promises nothing else until then. */
TEST(escape_does_what_it_says)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct error err = { 0 };
	struct snapshots all;
	struct app *app = tour_open(&all);

	assert_true(says_that_escape_ends(app, s));
	session_set_waker(app_session(app), (struct waker){ no_wake, NULL });
	assert_true(session_prefer_statics(app_session(app), false, &err));
	assert_non_null(app_running_job(app));
	assert_false(says_that_escape_ends(app, s));
	assert_true(app_key(app, TK_ESCAPE));
	assert_true(app->tour.is_on);
	session_stop(app_session(app));
	assert_true(says_that_escape_ends(app, s));
	assert_true(app_key(app, TK_ESCAPE));
	assert_false(app->tour.is_on);
	tour_close(app, &all);
}

/* Nothing is cut off, wherever it is read. */
TEST(texts_fit)
{
	char text[256], line[256];

	for (unsigned i = 0; tour_steps[i].in; i++) {
		snprintf(text, sizeof text, "%u/99 %s", i + 1, tour_steps[i].text);
		if (text_line(text, 40, TOUR_TEXT_LINES, line, sizeof line))
			fail_msg("step %u is too long: \"%s\" is left out", i + 1, line);
	}
}

TEST(its_dumps_are_those_of_the_tests)
{
	static const char *const from[] = { LEAKY_10, LEAKY_LATER };
	struct snapshots all;
	struct app *app = tour_open(&all);

	for (int i = 0; i < TOUR_DUMPS; i++) {
		const struct heap *h = heap_of_file(from[i]);

		expect_same_heap(h, all.tour[i]->heap, SAME_BUT_ORIGIN);
		heap_free(h);
	}
	tour_close(app, &all);
}

TEST(its_dumps_are_in_no_file)
{
	struct error err = { 0 };
	struct snapshots all;
	struct app *app = tour_open(&all);

	save_set_writers(&all);
	assert_false(app_command(app, "save-session tour.session", &err));
	assert_non_null(strstr(err.message, "leaky-1 is in no file"));
	tour_close(app, &all);
}

/* Without dumps there is none, and that is said. */
TEST(it_needs_its_dumps)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(awkward_heap());

	press(app, s, ":tour");
	assert_false(app->tour.is_on);
	assert_int_equal(app->message_style, STYLE_ERROR);
	app_end(app);
}

/* Heaps that were open before are not compared with the dumps of the tour. */
TEST(it_compares_its_dumps_alone)
{
	struct loader loader = { .path = "tests/data/leaky-10.gcdump", .load = load_path };
	struct error err = { 0 };
	struct snapshots all;
	struct app *app = tour_open(&all);
	struct session *other = snapshots_add(&all, &loader, &err);

	assert_non_null(other);
	other->is_marked = true;
	assert_true(app_command(app, "tour", &err));
	assert_false(other->is_marked);
	for (int i = 0; i < TOUR_DUMPS; i++)
		assert_true(all.tour[i]->is_marked);
	tour_close(app, &all);
}
