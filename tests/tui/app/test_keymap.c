/* Mapped keys: what may be mapped, and what the key does then. */
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/views.h"
#include <string.h>

static const struct origin typed = { .kind = ORIGIN_PROMPT };
static struct keymap keys;

TEST(keys_are_found)
{
	struct error err = { 0 };
	char name[64];
	size_t types = views_number("types", 5), objects = views_number("objects", 7);

	keys = (struct keymap){ 0 };
	assert_true(keymap_map(&keys, "F5 sort -count", &typed, &err));
	assert_true(keymap_map(&keys, "types.X  :objects", &typed, &err));
	assert_true(keymap_map(&keys, ". last", &typed, &err));
	assert_true(keymap_map(&keys, "types.. first", &typed, &err));
	assert_true(keymap_map(&keys, "M-x 'types; last'", &typed, &err));
	assert_int_equal(keys.count, 5);
	assert_string_equal(keymap_find(&keys, TK_F5, types)->command, "sort -count");
	assert_string_equal(keymap_find(&keys, 'X', types)->command, "objects");
	assert_null(keymap_find(&keys, 'X', objects));
	assert_string_equal(keymap_find(&keys, '.', types)->command, "first");
	assert_string_equal(keymap_find(&keys, '.', objects)->command, "last");
	assert_string_equal(keymap_find(&keys, TK_ALT('x'), types)->command, "types; last");
	assert_string_equal(keymap_spell(&keys.entries[1], name), "types.X");
	/* Again is another meaning, not another entry. */
	assert_true(keymap_map(&keys, "F5 types", &typed, &err));
	assert_int_equal(keys.count, 5);
	/* In one view first or last: there it is what counts. */
	assert_true(keymap_map(&keys, "X summary", &typed, &err));
	assert_string_equal(keymap_find(&keys, 'X', types)->command, "objects");
	assert_string_equal(keymap_find(&keys, 'X', objects)->command, "summary");
	assert_true(keymap_unmap(&keys, "X", &err));
	assert_true(keymap_unmap(&keys, "types.X", &err));
	assert_null(keymap_find(&keys, 'X', types));
	assert_non_null(keymap_find(&keys, TK_F5, types));
	assert_int_equal(err.kind, ERROR_NONE);
}

TEST(mistakes_are_told)
{
	/* clang-format off */
	static const struct { const char *text, *wanted; } rows[] = {
		{ "",              "there is no key \"\"; keys are spelled x, ^X, F5, M-x, Space" },
		{ "F5",            "map wants a key and a command: map F5 sort count" },
		{ "F5 :",          "map wants a key and a command: map F5 sort count" },
		{ "gg types",      "there is no key \"gg\"; keys are spelled x, ^X, F5, M-x, Space" },
		{ "F13 types",     "there is no key \"F13\"; keys are spelled x, ^X, F5, M-x, Space" },
		{ "nowhere.X types", "there is no view \"nowhere\" to map a key in" },
		{ "Esc types",     "the key Esc cannot be mapped: it must always lead out" },
		{ "^C types",      "the key ^C cannot be mapped: it must always lead out" },
		{ "types.: types", "the key : cannot be mapped: it must always lead out" },
		{ "F5 nonsense 3", "no command \"nonsense\": see ? or heaptop --help keys" },
	};
	/* clang-format on */
	char text[KEYMAP_COMMAND_BYTES + 32];
	struct error err;

	keys = (struct keymap){ 0 };
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		error_clear(&err);
		assert_false(keymap_map(&keys, rows[i].text, &typed, &err));
		assert_string_equal(err.message, rows[i].wanted);
		assert_int_equal(keys.count, 0);
	}
	error_clear(&err);
	assert_false(keymap_unmap(&keys, "", &err));
	assert_string_equal(err.message, "unmap wants a key: unmap F5");
	error_clear(&err);
	snprintf(text, sizeof text, "F5 objects %*s", KEYMAP_COMMAND_BYTES, "x");
	assert_false(keymap_map(&keys, text, &typed, &err));
	assert_non_null(strstr(err.message, "at most 255 bytes"));
}

TEST(room_is_bounded)
{
	struct error err = { 0 };
	char text[32];

	keys = (struct keymap){ 0 };
	for (int i = 0; i < KEYMAP_MAX; i++) {
		snprintf(text, sizeof text, "%s%c types", i % 2 ? "M-" : "", 'A' + i / 2);
		if ('A' + i / 2 == ':')
			continue;
		assert_true(keymap_map(&keys, text, &typed, &err));
	}
	assert_int_equal(keys.count, KEYMAP_MAX);
	assert_false(keymap_map(&keys, "F5 types", &typed, &err));
	assert_string_equal(err.message, "100 keys are mapped: no more are possible");
}

/* A command without argument is about the selected row, as on its own key. */
TEST(keys_do_it)
{
	struct screen *screen = screen_for_test(14, 80, false);
	struct app *app = app_on(leaky_heap());

	app_steps(app, screen, ":map_o_merged j o");
	assert_string_equal(app_view(app)->title, "merged Leaky.Session");
	app_steps(app, screen, "< :map_F5_sort_-count F5");
	assert_true(app_view(app)->sort >= 0);
	assert_string_equal(app_view(app)->ops->table->columns[app_view(app)->sort].id, "count");
	/* A count goes to what it is a count for. */
	app_steps(app, screen, ":map_J_down g 4 J");
	assert_int_equal(app_view(app)->cursor, 4);
	/* Only in one view; and a digit. */
	app_steps(app, screen, ":map_objects.J_first :map_5_summary 5 wait");
	assert_string_equal(app_view(app)->title, "summary");
	app_steps(app, screen, "< :objects_Leaky.Session j j J");
	assert_int_equal(app_view(app)->cursor, 0);
	/* Several commands, and what was there before. */
	app_steps(app, screen, ":map_K_'types;_last' K");
	assert_string_equal(app_view(app)->title, "types");
	app_steps(app, screen, ":map_K_gchandles K");
	assert_string_equal(app_view(app)->title, "roots");
	assert_non_null(app_view(app)->filter);
	app_steps(app, screen, ":types j :map_K_gcroot K");
	assert_non_null(strstr(app->message, "needs an object"));
	app_steps(app, screen, ":unmap_K K");
	assert_int_not_equal(app->message[0], '\0');
	app_steps(app, screen, ":map_Esc_types");
	assert_non_null(strstr(app->message, "must always lead out"));
	app_end(app);
}

/* The commands of a key go on as they were, whatever they map. */
TEST(commands_may_map_keys)
{
	struct screen *screen = screen_for_test(14, 80, false);
	struct app *app = app_on(leaky_heap());

	app_steps(app, screen, ":map_F5_'unmap_F5;_groups' :map_F6_'types;_summary' F5");
	assert_string_equal(app_view(app)->title, "groups by namespace");
	app_end(app);
}

TEST(help_runs_several_commands)
{
	struct screen *screen = screen_for_test(14, 80, false);
	struct app *app = app_on(leaky_heap());

	app_steps(app, screen, ":map_F6_'groups;_summary' ? j Enter");
	assert_string_equal(app_view(app)->title, "summary");
	assert_string_equal(app->message, "");
	app_steps(app, screen, ":map_F6_'unmap_F6;_groups' :map_F7_roots ? j Enter");
	assert_string_equal(app_view(app)->title, "groups by namespace");
	app_end(app);
}

TEST(help_shows_them)
{
	struct screen *screen = screen_for_test(11, 80, false);
	struct app *app = app_on(awkward_heap());

	expect_steps(app, screen,
		     ":map_S_sort-count :map_objects.J_first :map_F6_summary ? :filter_mapped",
		     "help-mapped");
	/* Its own keys are listed as far as they are not mapped. */
	expect_steps(app, screen, ":filter q :help_sort", "help-keys-left");
	app_end(app);
}
