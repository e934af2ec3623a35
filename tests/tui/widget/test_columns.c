/* Columns chosen, moved and sized, and what the screen makes of it. */
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/settings.h"
#include "tui/app/views.h"
#include "model/table/column_choice.h"
#include <string.h>

TEST(choices_are_read)
{
	/* clang-format off */
	static const struct { const char *text, *wanted; } rows[] = {
		{ "",                 "" },
		{ "count",            "count " },
		{ "size:7,type,count:500,", "size:7 type count:500 " },
		{ "held,size",        "? size " },
		{ "siz,sizes",        "? ? " },
		{ ",",                "? " },
		{ "count:0",          "count:WIDTH needs a width from 1 to 500, not \"0\"" },
		{ "count:501",        "count:WIDTH needs a width from 1 to 500, not \"501\"" },
		{ "count:99999999999","count:WIDTH needs a width from 1 to 500, not \"99999999999\"" },
		{ "count:-1",         "count:WIDTH needs a width from 1 to 500, not \"-1\"" },
		{ "count:",           "count:WIDTH needs a width from 1 to 500, not \"\"" },
		{ "size,count:7:7",   "count:WIDTH needs a width from 1 to 500, not \"7:7\"" },
	};
	/* clang-format on */
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *at = rows[i].text;
		struct column_choice c;
		struct error err = { 0 };
		char got[200] = "";
		size_t len = 0;

		while (column_choice_next(&at, view_types.table, &c, &err)) {
			len += (size_t)snprintf(
			    got + len, sizeof got - len, "%s",
			    c.column < 0 ? "?" : view_types.table->columns[c.column].id);
			if (c.width)
				len +=
				    (size_t)snprintf(got + len, sizeof got - len, ":%d", c.width);
			len += (size_t)snprintf(got + len, sizeof got - len, " ");
		}
		assert_string_equal(err.kind ? err.message : got, rows[i].wanted);
	}
}

/* The titles of the table on the screen, from left to right. */
static void
expect_titles(struct app *app, struct screen *s, const char *steps, const char *wanted)
{
	struct error err = { 0 };
	char *dump;
	const char *line;

	app_steps(app, s, steps);
	app_draw(app, s);
	dump = screen_dump(s, false, &err);
	assert_non_null(dump);
	line = dump;
	for (int i = 0; i < app_view(app)->area.row + app_view(app)->heading_lines; i++)
		line = strchr(line, '\n') + 1;
	if (strncmp(line, wanted, strlen(wanted)) || line[strlen(wanted)] != '\n')
		fail_msg("%s: %.*s", steps, (int)strcspn(line, "\n"), line);
	memory_free(dump);
}

TEST(screen_has_their_order)
{
	struct screen *s = screen_for_test(10, 50, false);
	struct app *app = app_on(leaky_heap());

	expect_titles(app, s, ":set_columns.types=size,count",
		      " Type                              Size▼      Count");
	expect_titles(app, s, ":set_columns.types=count:12,type,size",
		      "        Count Type                            Size▼");
	/* A number is never cut; what stands behind names stays in reach. */
	expect_titles(app, s, ":set_columns.types=type:20,count:2,size",
		      " Type                  Count       Size▼");
	expect_titles(app, s, ":set_columns.types=size,module:6,type", "       Size▼ Module Type");
	app_steps(app, s, ":set_columns.types=size,count,size");
	assert_string_equal(app->message, "size is named twice");
	expect_titles(app, s, ":set_columns.types=type", " Type");
	app_end(app);
}

/* Other columns make room for the one by which the user sorts. */
TEST(a_narrow_screen_keeps_the_sorted_column)
{
	struct screen *s = screen_for_test(10, 50, false);
	struct app *app = app_on(leaky_heap());

	expect_titles(app, s, ":sort_count", " Type                     Count▼        Size  Share");
	expect_titles(app, s, ":sort_max", " Type                                Size      Max▼");
	s = screen_for_test(10, 64, false);
	expect_titles(app, s, ":sort_module",
		      " Type                      Module▲                           Size");
	app_end(app);
}

TEST(keys_choose_them)
{
	/* clang-format off */
	static const struct { const char *steps, *wanted; } rows[] = {
		{ "F2 j j j Space Space", "" },
		{ "J",       "type,module,count,share,size,retained,retained_share,own,avg,max,live,dead,dead_count,gen0,gen1,gen2,loh,poh,frozen" },
		{ "K",       "" },
		{ "F8 F7 u u", "" },
		{ ":set_columns.types=count,size", "count,size" },
		{ "g +",     "count:12,size,type" },
		{ "+",       "count:14,size,type" },
		{ "Left",    "count:12,size,type" },
		{ "=",       "count,size,type" },
		{ "j K",     "size,count,type" },
		{ "j Space", "size,type" },
		{ "Space",   "size,count,type" },
		{ "u u",     "size,count,type" },
		{ "u u u u u", "count,size" },
		/* What was typed is no change of these keys. */
		{ "u",       "type,module,count,share,size,retained,retained_share,own,avg,max,live,dead,dead_count,gen0,gen1,gen2,loh,poh,frozen" },
		{ "D",       "" },
	};
	/* clang-format on */
	struct screen *s = screen_for_test(12, 80, false);
	struct app *app = app_on(leaky_heap());

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		app_steps(app, s, rows[i].steps);
		assert_string_equal(app->settings->columns[0], rows[i].wanted);
	}
	app_end(app);
}

/* As many columns as heaps: the setting takes those of any number. */
TEST(heaps_have_columns)
{
	/* clang-format off */
	static const struct { const char *id; bool is_known; } rows[] = {
		{ "size_1", true },  { "size_2", true },   { "count_17", true },
		{ "size_0", false }, { "size_02", false }, { "size_", false },
		{ "type_2", false }, { "_2", false },      { "2", false },
		{ "size_2a", false }, { "", false },       { "type", true },
	};
	/* clang-format on */
	struct error err = { 0 };
	struct settings *s = memory_new(1, sizeof *s, &err);

	assert_non_null(s);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if ((column_choice_kind(view_diff.table, rows[i].id, strlen(rows[i].id)) >= 0) !=
		    rows[i].is_known)
			fail_msg("%s", rows[i].id);
	settings_init(s);
	assert_true(settings_set(s, "columns.diff=size_1,size_2,type",
				 &(struct origin){ .kind = ORIGIN_PROMPT }, NULL, &err));
	assert_true(settings_set(s, "sort.diff=-count_2", &(struct origin){ .kind = ORIGIN_PROMPT },
				 NULL, &err));
	assert_false(settings_set(s, "columns.diff=size_2,size_2",
				  &(struct origin){ .kind = ORIGIN_PROMPT }, NULL, &err));
	assert_string_equal(err.message, "size_2 is named twice");
	memory_free(s);
}

TEST(screens)
{
	struct screen *s = screen_for_test(14, 80, false);
	struct app *app = app_on(leaky_heap());

	app_steps(app, s, "F2 j Space j + J");
	expect_screen(app, s, "columns", true);
	expect_steps(app, s, "q", "columns-chosen");
	expect_steps(app, s, "F2 g Space", "columns-name");
	expect_steps(app, s, "F2", "columns-settings");
	expect_steps(app, s, "q q :columns_nothing", "columns-nowhere");
	app_end(app);
}

/* Wanted, but the screen of the view below is too narrow for it, or the heap does not have it. */
TEST(says_what_has_no_room)
{
	struct screen *s = screen_for_test(14, 60, false);
	struct app *app = app_on(leaky_heap());

	expect_steps(app, s, "F2", "columns-no-room");
	/* Without these two there is. */
	expect_steps(app, s, "/ ^ s i z e Enter Space / ^ c o u n t Enter Space",
		     "columns-room-made");
	/* The dump has no generations. */
	expect_steps(app, s, "G", "columns-no-data");
	app_end(app);
}
