/* The findings above the types of the view that opens. */
#include "model/analysis/findings.h"
#include "tests/drive/screens.h"
#include "tests/made/suspects.h"
#include "tui/session/suspects.h"
#include <string.h>

static const char first[] = "1.12 MiB  5,000 of 5,001 Leaky.Session …, kept by static Sessions";
static const char second[] = "one Link retains 10,000 Link (320,000 B), kept by static";

TEST(three_findings_stand_above_the_types)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_with_retention(leaky_heap());

	app_draw(app, s);
	assert_true(app_has_text(app, s, first));
	assert_true(app_has_text(app, s, second));
	assert_int_equal(app_view(app)->heading_lines, 3);
	/* A filter asks for something else, */
	app_steps(app, s, ":filter_Leaky");
	assert_false(app_has_text(app, s, first));
	/* as does the list of a group. */
	app_steps(app, s, "Esc :groups j Enter");
	assert_false(app_has_text(app, s, first));
	app_end(app);
}

TEST(small_screens_have_fewer)
{
	static const struct {
		int rows, lines;
	} cases[] = { { 24, 3 }, { 19, 2 }, { 16, 1 }, { 14, 0 }, { 10, 0 } };

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct screen *s = screen_for_test(cases[i].rows, 80, false);
		struct app *app = app_with_retention(leaky_heap());

		app_draw(app, s);
		assert_int_equal(app_view(app)->heading_lines, cases[i].lines);
		app_end(app);
	}
}

static void
expect_finding(struct app *app, struct screen *s, size_t row)
{
	app_draw(app, s);
	assert_string_equal(app_view(app)->ops->command.name, "findings");
	assert_int_equal(app_view(app)->cursor, row);
}

TEST(a_key_and_a_click_open_them)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_with_retention(leaky_heap());
	struct mouse m = { MOUSE_PRESS, 4, 20 };

	app_steps(app, s, "f");
	expect_finding(app, s, 0);
	app_steps(app, s, "q 3 f");
	expect_finding(app, s, 2);
	app_steps(app, s, "q");
	app_draw(app, s);
	assert_true(app_mouse(app, &m));
	expect_finding(app, s, 1);
	app_steps(app, s, "q 9 9 f");
	assert_string_equal(app_view(app)->ops->command.name, "types");
	assert_string_equal(app->message, "there are not so many findings; 9 lists all findings");
	app_end(app);
}

/* They are looked for again when the paths that they are made of have changed. */
TEST(they_follow_the_results)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_with_retention(leaky_heap());

	assert_non_null(suspects_at(app->session, 0));
	app_steps(app, s, ":dominators x q");
	assert_int_equal(app_view(app)->heading_lines, 3);
	suspects_forget(app->session);
	assert_null(suspects_at(app->session, 0));
	app_end(app);
}

TEST(without_retained_sizes_there_are_none_yet)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(leaky_heap());

	app_steps(app, s, "f");
	assert_string_equal(app->message, "no finding is known (yet); 9 lists all findings");
	assert_int_equal(app_view(app)->heading_lines, 0);
	app_end(app);
}

/* The last line says why the selected type is alive, where a finding does. */
TEST(the_type_below_the_cursor_is_explained)
{
	struct screen *s = screen_for_test(24, 120, false);
	struct app *app = app_with_retention(leaky_heap());

	app_steps(app, s, "j");
	assert_true(app_has_text(app, s,
				 "5,000 of 5,001 Leaky.Session are in one List<Leaky.Session>, "
				 "kept by static Sessions  "));
	assert_null(suspects_about(app->session, TYPE_NONE));
	app_end(app);
}

/* A finding about the whole heap names a type only as an example. */
TEST(holes_do_not_explain_the_type_beside_them)
{
	struct app *app = app_with_retention(heap_made(make_holes, 10));
	const struct finding *f = suspects_at(app->session, 0);

	assert_non_null(f);
	assert_ptr_equal(f->kind, &finding_fragmentation);
	assert_int_not_equal(f->type, TYPE_NONE);
	assert_null(suspects_about(app->session, f->type));
	app_end(app);
}
