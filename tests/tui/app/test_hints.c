/* Hints above the prompt while a command is typed; commands that help runs. */
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/views.h"
#include <stdio.h>
#include <string.h>

static void
type(struct app *app, const char *text)
{
	for (; *text; text++)
		assert_true(app_key(app, *text));
}

/* clang-format off */
static const struct hint_case {
	const char *golden, *typed;
	int rows, columns;
} cases[] = {
	{ "hints",          ":s",                24, 80 },
	{ "hints-empty",    ":",                 24, 80 },
	{ "hints-one",      ":sort ",            24, 80 },
	{ "hints-second",   ":types; obj",       24, 80 },
	{ "hints-sos",      ":dumph",            24, 80 },
	{ "hints-none",     ":xyzzy",            24, 80 },
	{ "hints-narrow",   ":so",               10, 40 },
	{ "hints-narrowed", ":sourc",            10, 40 },
	{ "hints-narrowest", ":tre",             8,  20 },
};
/* clang-format on */

TEST(what_begins_so_is_shown)
{
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct screen *s = screen_for_test(cases[i].rows, cases[i].columns, false);
		struct app *app = app_on(awkward_heap());

		type(app, cases[i].typed);
		expect_screen(app, s, cases[i].golden, false);
		app_end(app);
	}
}

TEST(a_setting_leaves_them_out)
{
	static const char hint[] = "run the commands in a file";
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(awkward_heap());

	type(app, ":sou");
	assert_true(app_has_text(app, s, hint));
	/* Tab's list and the search are in its place. */
	assert_true(app_key(app, TK_CTRL('R')));
	assert_false(app_has_text(app, s, hint));
	assert_true(app_key(app, TK_ESCAPE));
	assert_true(app_key(app, TK_ESCAPE));
	app_steps(app, s, ":set_nohints");
	type(app, ":sou");
	assert_false(app_has_text(app, s, hint));
	app_end(app);
}

/* Where help was asked, and on the row that was selected there. */
TEST(help_runs_what_it_lists)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(awkward_heap());
	type_id type_before;

	type_before = view_target(app_view(app)).type;
	app_steps(app, s, "? :search_list_the_objects Enter");
	assert_string_equal(app_view(app)->ops->command.name, "objects");
	assert_int_equal(app_view(app)->target.type, type_before);
	app_steps(app, s, "q ? :search_facts_about Enter");
	assert_string_equal(app_view(app)->ops->command.name, "summary");
	app_steps(app, s, "q ? :search_run_the_commands_in Enter");
	assert_ptr_equal(app_view(app)->ops, &view_types);
	assert_true(app->is_prompting);
	assert_true(app_has_text(app, s, ":source"));
	app_steps(app, s, "Esc ? q");
	assert_ptr_equal(app_view(app)->ops, &view_types);
	/* A title runs nothing, and says so. */
	app_steps(app, s, "? Enter");
	assert_ptr_equal(app_view(app)->ops, &view_help);
	assert_int_equal(app->message_style, STYLE_ERROR);
	app_end(app);
}

/* clang-format off */
static const struct {
	const char *search, *row, *number;
} sought[] = {
	/* Over the end of a line, however wide it is; once for an entry. */
	{ "added_up_by_type",    ":totals",     "match 1 of 1" },
	{ "bookmark",            ":marks",       "match 1 of " },
	{ "OSC",                 ":copy [PART]", "match 1 of 1" },
	{ "clipboard",           ":copy [PART]", "match 1 of " },
	{ "tag",                 ":tag",        "match " },
	{ "export",              ":write ",     "match " },
	{ "in_the_order_of",     NULL,          "\"in the order of\" is in no row; / searches for something else" },
	{ "ADDED_UP",            NULL,          "\"ADDED UP\" is in no row with these capitals; lowercase letters" },
};
/* clang-format on */

static void
expect_sought(size_t at, int columns)
{
	struct screen *s = screen_for_test(24, columns, false);
	struct app *app = app_on(leaky_heap());
	char steps[128];
	const struct view *v;
	struct value name;
	struct row row;

	snprintf(steps, sizeof steps, "? :search_%s wait", sought[at].search);
	app_steps(app, s, steps);
	v = app_view(app);
	if (!app_has_text(app, s, sought[at].number))
		fail_msg("%s, %d columns: no \"%s\"", sought[at].search, columns,
			 sought[at].number);
	assert_true(view_selected(v, &row));
	assert_false(row.goes_on);
	view_cell(v, &v->ops->table->columns[1], &row, &name);
	if (sought[at].row && strncmp(name.text, sought[at].row, strlen(sought[at].row)) != 0)
		fail_msg("%s: \"%s\"", sought[at].search, name.text);
	app_end(app);
}

TEST(help_is_searched_by_entries)
{
	for (size_t i = 0; i < COUNT_OF(sought); i++) {
		expect_sought(i, 200);
		expect_sought(i, 120);
		expect_sought(i, 80);
	}
}

TEST(help_is_filtered_by_entries)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(leaky_heap());

	app_steps(app, s, "? :filter_added_up_by_type wait");
	assert_int_equal(app_view(app)->rows_count, 2);
	assert_true(app_has_text(app, s, ":totals"));
	assert_true(app_has_text(app, s, "list, added up by"));
	app_end(app);
}

/* What is refused can be mended; what is only found nowhere is over. */
TEST(mistakes_stay_at_the_prompt)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(leaky_heap());

	type(app, "&size >\n");
	assert_true(app_has_text(app, s, "at character 7: found nothing, expected a"));
	assert_true(app_has_text(app, s, "&size >\n"));
	type(app, " 60000");
	assert_false(app_has_text(app, s, "at character 7"));
	assert_true(app_has_text(app, s, "&size > 60000\n"));
	type(app, "\n");
	assert_false(app->is_prompting);
	assert_string_equal(filter_text(app_view(app)->filter), "size > 60000");

	type(app, "/foo[\n");
	assert_true(app_has_text(app, s, "\"foo[\" is not a regular expression"));
	assert_true(app_has_text(app, s, "/foo[\n"));
	assert_true(app_key(app, TK_ESCAPE));
	assert_false(app->is_prompting);
	assert_null(app_view(app)->search);

	type(app, "/Xyzzy\n");
	assert_false(app->is_prompting);
	assert_true(app_has_text(app, s, "\"Xyzzy\" is in no row"));
	app_end(app);
}

/* As in less: there is nothing to be marked. */
TEST(help_is_paged_with_space)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(leaky_heap());
	size_t page;

	app_steps(app, s, "?");
	app_draw(app, s);
	page = (size_t)app_view(app)->rows_shown;
	assert_true(app_key(app, ' '));
	assert_int_equal(app_view(app)->cursor, page);
	app_draw(app, s);
	assert_int_equal(app_view(app)->top, page);
	assert_true(app_key(app, 'b'));
	assert_int_equal(app_view(app)->cursor, 0);
	app_end(app);
}
