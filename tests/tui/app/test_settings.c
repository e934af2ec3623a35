/* Settings and heaptoprc: what is taken, what is refused, and where. */
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/rc.h"
#include "tui/app/set_command.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct origin typed = { .kind = ORIGIN_PROMPT };

/* Too large for the stack of a test under sanitizers. */
static struct settings s, again;
static struct rc rc;

static const char *
value_of(const char *name, char out[SETTING_TEXT_BYTES])
{
	struct setting_place place;
	struct error err = { 0 };

	assert_true(settings_find(name, strlen(name), &place, &err));
	return setting_show(place.setting, &s, place.view, out);
}

TEST(table_is_complete)
{
	char form[64], value[SETTING_TEXT_BYTES];
	size_t count = 0;

	settings_init(&s);
	for (const struct setting *row = settings_table; row->name; row++, count++) {
		size_t len = strlen(row->help);

		assert_true(len > 0 && row->help[len - 1] != '.');
		assert_true(strlen(setting_form(row, form)) <= 26);
		assert_int_not_equal(strncmp(row->name, "no", 2), 0);
		assert_string_equal(setting_show(row, &s, 0, value), row->initial);
		for (const struct setting *r = settings_table; r < row; r++)
			assert_string_not_equal(r->name, row->name);
	}
	assert_true(count < SETTINGS_MAX);
	for (count = 0; all_views[count]; count++)
		;
	assert_true(count < SETTING_VIEWS_MAX);
}

TEST(values_are_taken)
{
	/* clang-format off */
	static const struct { const char *text, *name, *wanted; } rows[] = {
		{ "nobar",              "bar",        "off" },
		{ "bar",                "bar",        "on" },
		{ "bar!",               "bar",        "off" },
		{ "bar!",               "bar",        "on" },
		{ "bar=no",             "bar",        "off" },
		{ "bar=1",              "bar",        "on" },
		{ "bytes=exact",        "bytes",      "exact" },
		{ "bytes=short",        "bytes",      "short" },
		{ "mem=512M",           "mem",        "512M" },
		{ "mem=1536M",          "mem",        "1536M" },
		{ "mem=2048M",          "mem",        "2G" },
		{ "mem=1000",           "mem",        "1000" },
		{ "mem=auto",           "mem",        "auto" },
		{ "budget=0.25s",       "budget",     "250ms" },
		{ "budget=5000ms",      "budget",     "5s" },
		{ "budget=none",        "budget",     "none" },
		{ "history=0",          "history",    "0" },
		{ "history=1000",       "history",    "1000" },
		{ "sort.types=-count",  "sort.types", "-count" },
		{ "sort.types=",        "sort.types", "" },
		{ "columns.types=count,size", "columns.types", "count,size" },
		{ "theme=light",        "theme",      "light" },
		{ "names=folded",       "names",      "folded" },
	};
	/* clang-format on */
	char value[SETTING_TEXT_BYTES];

	settings_init(&s);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = { 0 };

		if (!settings_set(&s, rows[i].text, &typed, NULL, &err))
			fail_msg("%s: %s", rows[i].text, err.message);
		assert_string_equal(value_of(rows[i].name, value), rows[i].wanted);
	}
}

/* Nothing has changed, and the place is that of what is wrong. */
TEST(mistakes_are_told)
{
	/* clang-format off */
	static const struct { const char *text, *wanted; unsigned at; } rows[] = {
		{ "colour",          "there is no setting \"colour\"; perhaps: color", 0 },
		{ "=",               "there is no setting \"\"; :set lists them", 0 },
		{ "",                "there is no setting \"\"; :set lists them", 0 },
		{ "!",               "there is no setting \"\"; :set lists them", 0 },
		{ "no",              "there is no setting \"no\"; :set lists them", 0 },
		{ "nomem",           "mem wants a value: mem=SIZE|auto; mem? shows it", 0 },
		{ "mem",             "mem wants a value: mem=SIZE|auto; mem? shows it", 0 },
		{ "bar=maybe",       "bar is on or off, not \"maybe\"", 4 },
		{ "bytes=long",      "bytes is one of short|exact|share, not \"long\"", 6 },
		{ "mem=12X",         "mem wants a size such as 512M or 2G, not \"12X\"", 4 },
		{ "mem=SIZE",        "mem wants a size such as 512M or 2G, not \"SIZE\"", 4 },
		{ "mem= -1",         "mem wants a size such as 512M or 2G, not \" -1\"", 4 },
		{ "mem=99999999999T", "mem wants a size such as 512M or 2G, not \"99999999999T\"", 4 },
		{ "budget=5",        "budget wants a time such as 200ms, 5s or 10m, not \"5\"", 7 },
		{ "budget=nans",     "budget wants a time such as 200ms, 5s or 10m, not \"nans\"", 7 },
		{ "history=1001",    "history wants a number from 0 to 1000, not \"1001\"", 8 },
		{ "history=-1",      "history wants a number from 0 to 1000, not \"-1\"", 8 },
		{ "sort=count",      "every view has its own sort: sort.types, sort.objects", 0 },
		{ "sort.nowhere=a",  "there is no view \"nowhere\"", 0 },
		{ "sort.types=held", "types does not sort by \"held\"", 11 },
		{ "columns.types=count,xyzzy", "types has no column \"xyzzy\"", 14 },
		{ "columns.types=cuont", "types has no column \"cuont\"; perhaps: count", 14 },
		{ "columns.types=,",  "types has no column \"\"", 14 },
		{ "bar.types",       "bar is the same in every view", 0 },
		{ "theme=night",     "there is no theme “night”; perhaps: light; built-in themes are dark, default, deuteranopia, high-contrast, light, mono, tritanopia", 6 },
	};
	/* clang-format on */
	settings_init(&s);
	settings_init(&again);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = { 0 };

		assert_false(settings_set(&s, rows[i].text, &typed, NULL, &err));
		assert_string_equal(err.message, rows[i].wanted);
		assert_int_equal(err.offset, rows[i].at);
		assert_memory_equal(&s, &again, sizeof s);
	}
}

/* A value that is shown can be typed again. */
TEST(values_come_back)
{
	static const char *const words[] = {
		"nobar",      "bytes=exact",        "mem=3G", "budget=1500ms", "history=7",
		"theme=mono", "sort.objects=-size",
	};
	char value[SETTING_TEXT_BYTES];
	struct error err = { 0 };

	settings_init(&s);
	settings_init(&again);
	for (size_t i = 0; i < COUNT_OF(words); i++)
		assert_true(settings_set(&s, words[i], &typed, NULL, &err));
	for (const struct setting *row = settings_table; row->name; row++)
		for (size_t v = 0; v < SETTING_VIEWS_MAX; v++) {
			struct setting_place place = { row, v };

			if (settings_origin(&s, &place)->kind == ORIGIN_DEFAULT)
				continue;
			setting_show(row, &s, v, value);
			assert_true(setting_store(row, row->name, value, v, &again, &err));
		}
	memcpy(again.origins, s.origins, sizeof s.origins);
	assert_memory_equal(&s, &again, sizeof s);
}

/* The value and who set it are as they were. */
TEST(changes_are_taken_back)
{
	struct setting_change change;
	struct error err = { 0 };

	settings_init(&s);
	assert_true(settings_set(&s, "sort.types=count", &typed, NULL, &err));
	memcpy(&again, &s, sizeof s);
	assert_true(settings_set(&s, "sort.types=-size", &typed, &change, &err));
	settings_undo(&s, &change);
	assert_string_equal(s.sort[0], again.sort[0]);
	assert_true(settings_set(&s, "nobar", &typed, &change, &err));
	settings_undo(&s, &change);
	assert_memory_equal(s.origins, again.origins, sizeof s.origins);
	assert_int_equal(s.bar, again.bar);
}

/* --- files ---------------------------------------------------------------- */

static void
run_text(const char *text)
{
	unsetenv("HEAPTOP_RC");
	rc_find(&rc);
	settings_init(&s);
	rc_run(&rc, "/x/rc", ORIGIN_RC, text, &s);
}

TEST(errors_have_a_place)
{
	/* clang-format off */
	static const struct { const char *text, *wanted; } rows[] = {
		{ "# mine\n\n  set colour\n", "/x/rc:3:7: there is no setting \"colour\"; perhaps: color" },
		{ "set bar mem=x",            "/x/rc:1:13: mem wants a size such as 512M or 2G, not \"x\"" },
		{ "set theme=é",              "/x/rc:1:11: there is no theme “é”; built-in themes are dark, default, deuteranopia, high-contrast, light, mono, tritanopia" },
		{ "set theme=light é=é",      "/x/rc:1:17: there is no setting \"é\"; :set lists them" },
		{ "set",                      "/x/rc:1:1: set wants a setting; heaptop --help settings lists them" },
		{ "types; nonsense 3",        "/x/rc:1:8: no command \"nonsense\": see ? or heaptop --help keys" },
		{ "map : types",              "/x/rc:1:1: the key : cannot be mapped: it must always lead out" },
		{ "map F5",                   "/x/rc:1:1: map wants a key and a command: map F5 sort count" },
		{ "unmap F5",                 "/x/rc:1:1: F5 is not mapped" },
		{ "source /dev/null/rc",       "/x/rc:1:1: cannot read /dev/null/rc: No such file or directory" },
		{ "source /dev/null",         "/x/rc:1:1: /dev/null is not a regular file: it is not read" },
	};
	/* clang-format on */
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		run_text(rows[i].text);
		assert_int_equal(rc.errors_count, 1);
		assert_string_equal(rc.errors[0].message, rows[i].wanted);
		rc_clear(&rc);
	}
}

/* A mistake does not keep the rest from counting. */
TEST(the_rest_counts)
{
	char sum[300], value[SETTING_TEXT_BYTES], where[ORIGIN_BYTES];
	struct setting_place place;
	struct error err = { 0 };

	run_text("set nonsense\nset nobar bytes=exact\nmap types.X summary\n"
		 "theme nowhere\n20\nsort -count\n");
	assert_int_equal(rc.errors_count, 2);
	assert_true(rc_sum_up(&rc, sum, sizeof sum));
	assert_string_equal(sum, "/x/rc:1:5: there is no setting \"nonsense\"; :set lists them "
				 "(and 1 more)");
	assert_string_equal(value_of("bar", value), "off");
	assert_string_equal(value_of("bytes", value), "exact");
	assert_true(settings_find("bytes", 5, &place, &err));
	assert_string_equal(origin_text(settings_origin(&s, &place), where), "/x/rc:2");
	assert_int_equal(s.keys.count, 1);
	assert_int_equal(rc.later_count, 2);
	assert_string_equal(rc.later[1].text, "sort -count");
	assert_int_equal(rc.later[1].line, 6);
	rc_clear(&rc);
}

/* Where they are; what the user says counts more than what the system says. */
TEST(files_have_an_order)
{
	char value[SETTING_TEXT_BYTES], where[ORIGIN_BYTES];
	struct setting_place place;
	struct error err = { 0 };

	unsetenv("HEAPTOP_RC");
	setenv("XDG_CONFIG_HOME", "/c", 1);
	setenv("HOME", "/h", 1);
	rc_find(&rc);
	assert_int_equal(rc.files_count, 2);
	assert_string_equal(rc.files[0].path, "/etc/heaptop/heaptoprc");
	assert_string_equal(rc.files[1].path, "/c/heaptop/heaptoprc");
	setenv("XDG_CONFIG_HOME", "no/absolute/path", 1);
	rc_find(&rc);
	assert_string_equal(rc.files[1].path, "/h/.config/heaptop/heaptoprc");
	settings_init(&s);
	rc_run(&rc, "/etc/rc", ORIGIN_SYSTEM_RC, "set nobar mem=1G", &s);
	rc_run(&rc, "/h/rc", ORIGIN_RC, "\nset mem=2G", &s);
	assert_string_equal(value_of("bar", value), "off");
	assert_string_equal(value_of("mem", value), "2G");
	assert_true(settings_find("mem", 3, &place, &err));
	assert_string_equal(origin_text(settings_origin(&s, &place), where), "~/rc:2");
	rc_clear(&rc);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	rc_find(&rc);
	assert_int_equal(rc.files_count, 1);
	rc_clear(&rc);
}

/* The output of a script does not depend on the user's settings. */
TEST(batch_takes_limits_alone)
{
	char value[SETTING_TEXT_BYTES];
	struct error err = { 0 };

	unsetenv("HEAPTOP_RC");
	rc_find(&rc);
	settings_init(&s);
	s.has_screen = false;
	rc_run(&rc, "/x/rc", ORIGIN_RC, "set names=folded mem=1G bytes=exact budget=2s nostatics",
	       &s);
	assert_int_equal(rc.errors_count, 0);
	assert_string_equal(value_of("names", value), "short");
	assert_string_equal(value_of("bytes", value), "short");
	assert_string_equal(value_of("statics", value), "on");
	assert_string_equal(value_of("mem", value), "1G");
	assert_string_equal(value_of("budget", value), "2s");
	assert_true(settings_set(&s, "theme=light", &typed, NULL, &err));
	assert_string_equal(value_of("theme", value), "light");
	rc_clear(&rc);
}

static void
write_rc(const char *text, mode_t mode)
{
	const char *path = in_folder("rc");

	unlink(path);
	file_write(path, text, strlen(text));
	assert_int_equal(chmod(path, mode), 0);
}

static void
read_named(void)
{
	setenv("HEAPTOP_RC", in_folder("rc"), 1);
	rc_find(&rc);
	settings_init(&s);
	rc_read(&rc, &s);
}

TEST_IN_FOLDER(files_are_looked_at_first)
{
	char value[SETTING_TEXT_BYTES], long_line[6000];

	write_rc("\xef\xbb\xbfset nobar\r\n", 0600);
	read_named();
	assert_int_equal(rc.errors_count, 0);
	assert_int_equal(rc.files[0].state, RC_THERE);
	assert_string_equal(value_of("bar", value), "off");
	rc_clear(&rc);

	write_rc("set nobar\n", 0666);
	read_named();
	assert_int_equal(rc.errors_count, 1);
	assert_non_null(strstr(rc.errors[0].message, "can be written to by everybody"));
	assert_int_equal(rc.files[0].state, RC_REFUSED);
	assert_string_equal(value_of("bar", value), "on");
	rc_clear(&rc);

	write_rc("set nobar\n", 0660);
	read_named();
	assert_non_null(strstr(rc.errors[0].message, "can be written to by its group"));
	assert_int_equal(rc.files[0].state, RC_REFUSED);
	rc_clear(&rc);

	if (geteuid() == 0) {
		write_rc("set nobar\n", 0600);
		assert_int_equal(chown(in_folder("rc"), 1234, 1234), 0);
		read_named();
		assert_non_null(
		    strstr(rc.errors[0].message, "belongs to user 1234, not to you (0)"));
		rc_clear(&rc);
	}

	write_rc("set \x1b[31mbar\n", 0600);
	read_named();
	assert_non_null(strstr(rc.errors[0].message, "rc:1:5: expected text, not a byte 0x1b"));
	rc_clear(&rc);

	memset(long_line, 'x', sizeof long_line - 1);
	long_line[sizeof long_line - 1] = '\0';
	write_rc(long_line, 0600);
	read_named();
	assert_int_equal(rc.errors_count, 1);
	assert_non_null(strstr(rc.errors[0].message, ":1:1: the command is"));
	rc_clear(&rc);

	unlink(in_folder("rc"));
}

/* One that names itself, one that is a pipe, and none. */
TEST_IN_FOLDER(files_have_an_end)
{
	char value[SETTING_TEXT_BYTES], text[600], path[64];

	strcpy(path, in_folder("rc"));

	snprintf(text, sizeof text, "source %s\nset nobar\n", path);
	write_rc(text, 0600);
	read_named();
	assert_int_equal(rc.errors_count, 1);
	assert_non_null(strstr(rc.errors[0].message, "8 deep"));
	assert_string_equal(value_of("bar", value), "off");
	rc_clear(&rc);
	snprintf(text, sizeof text, "source %s\nsource '%s'\nsource %s\n", path, path, path);
	write_rc(text, 0600);
	read_named();
	assert_int_equal(rc.nesting.count, SCRIPT_FILES_MAX);
	assert_true(rc.errors_count < 4 * SCRIPT_FILES_MAX);
	rc_clear(&rc);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	read_named();
	assert_non_null(strstr(rc.errors[0].message, "is not a regular file"));
	rc_clear(&rc);
	unlink(path);

	read_named();
	assert_int_equal(rc.errors_count, 1);
	assert_non_null(strstr(rc.errors[0].message, "does not exist"));
	assert_int_equal(rc.files[0].state, RC_ABSENT);
	rc_clear(&rc);
	setenv("HEAPTOP_RC", "", 1);
	rc_find(&rc);
	assert_int_equal(rc.files_count, 0);
	rc_clear(&rc);
}

/* The example that is installed says nothing wrong. */
TEST(example_is_good)
{
	static char text[1 << 16];
	FILE *file = fopen("man/heaptoprc", "r");
	size_t len = 0;

	assert_non_null(file);
	/* Once as it is, and once with what is commented out. */
	for (int c, before = '\n'; (c = getc(file)) != EOF; before = c) {
		assert_true(len < sizeof text - 1);
		if (c == '#' && before == '\n') {
			c = getc(file);
			if (c == ' ')
				text[len++] = '#';
		}
		text[len++] = (char)c;
	}
	fclose(file);
	run_text(text);
	if (rc.errors_count)
		fail_msg("%s", rc.errors[0].message);
	assert_true(s.keys.count > 0);
	rc_clear(&rc);
}

/* --- on the screen -------------------------------------------------------- */

TEST(screen_follows)
{
	struct screen *screen = screen_for_test(14, 80, false);
	struct app *app = app_on(awkward_heap());

	expect_steps(app, screen, ":set_nobar ", "set-nobar");
	expect_steps(app, screen, ":set_nofacts_bar_bytes=exact :set_bytes?", "set-exact");
	app_end(app);
	app = app_on(leaky_heap());
	expect_steps(app, screen, ":set_sort.objects=-address_names=short :objects_Leaky.Session",
		     "set-sort");
	expect_steps(app, screen, "< :set_columns.types=avg,size", "set-columns");
	app_steps(app, screen, ":set_colour");
	assert_string_equal(app->message, "there is no setting \"colour\"; perhaps: color");
	app_end(app);
}

static const struct heap *
load_awkward(const struct loader *from, enum load_what what, struct progress *progress,
	     struct preview *preview, struct error *err)
{
	(void)from;
	(void)what;
	(void)progress;
	(void)preview;
	(void)err;
	return awkward_heap();
}

TEST(all_heaps_follow)
{
	static const struct loader loader = { .path = "a.gcdump", .load = load_awkward };
	struct snapshots all;
	struct error err = { 0 };
	struct app *app;

	snapshots_init(&all, (struct waker){ 0 });
	for (int i = 0; i < 2; i++)
		assert_non_null(snapshots_add(&all, &loader, &err));
	app = app_new(all.sessions[0], &err);
	assert_true(app_command(app, "set names=folded bytes=exact", &err));
	for (int i = 0; i < 2; i++) {
		assert_true(all.sessions[i]->folds_names);
		assert_int_equal(all.sessions[i]->bytes_shown, BYTES_EXACT);
	}
	app_free(app);
	snapshots_clear(&all);
}

static void
expect_in_order(struct app *app)
{
	const struct view *v = app_view(app);
	char before[VALUE_TEXT_BYTES] = "";
	struct value value;
	struct row row;

	assert_string_equal(v->ops->table->columns[v->sort].id, "type");
	assert_true(v->rows_count > 10);
	for (size_t i = 0; i < v->rows_count; i++) {
		view_row(v, i, &row);
		view_cell(v, &v->ops->table->columns[v->sort], &row, &value);
		if (strcmp(before, value.text) > 0)
			fail_msg("%s stands before %s", before, value.text);
		snprintf(before, sizeof before, "%s", value.text);
	}
}

/* By the names that are shown. */
TEST(order_follows_names)
{
	static const char *const views[] = { ":types", ":objects" };

	for (size_t i = 0; i < 2; i++) {
		struct screen *screen = screen_for_test(24, 80, false);
		struct app *app = app_on(leaky_heap());

		app_steps(app, screen, views[i]);
		app_steps(app, screen, ":sort_type");
		expect_in_order(app);
		for (int names = 0; names < NAMES_SHOWN_COUNT; names++) {
			app_steps(app, screen, "z");
			expect_in_order(app);
		}
		/* Also where one was not looking. */
		app_steps(app, screen, ":summary z <");
		expect_in_order(app);
		app_end(app);
	}
}

/* As people type it. */
TEST(a_switch_takes_its_state_as_a_word)
{
	struct screen *screen = screen_for_test(24, 80, false);
	struct app *app = app_on(awkward_heap());

	app_steps(app, screen, ":set_bar_off_mouse_on_facts_off");
	assert_string_equal(app->message, "facts=off");
	assert_false(app->settings->bar);
	assert_true(app->settings->mouse);
	assert_false(app->settings->facts);
	app_steps(app, screen, ":set_on");
	assert_non_null(strstr(app->message, "on"));
	assert_int_not_equal(app->message[0], '\0');
	app_end(app);
}

TEST(settings_are_listed)
{
	struct screen *screen = screen_for_test(24, 80, false);
	struct app *app = app_on(awkward_heap());

	expect_steps(app, screen,
		     ":set_nostatics_sort.types=-count :map_F5_sort_-count :map_types.X_summary "
		     ":set",
		     "set-list");
	app_steps(app, screen, "j Enter");
	assert_false(app->settings->bar);
	app_steps(app, screen, "j Enter");
	assert_true(app->is_prompting);
	expect_steps(app, screen, "Esc :map", "map-list");
	app_steps(app, screen, ":unmap_F5");
	assert_int_equal(app_view(app)->rows_count, 2);
	expect_steps(app, screen, ":help_mem", "help-setting");
	app_end(app);
}

/* Tab goes on from what is typed: names, values, and of several a list. */
TEST(tab_completes)
{
	static const struct {
		const char *keys, *wanted;
	} rows[] = {
		{ ": s e t Space n o b Tab", "set nobar " },
		{ ": s e t Space b a r Space t h e m e = l Tab", "set bar theme=light " },
		{ ": s e t Space s o r t . t y p e s = c o Tab", "set sort.types=count " },
		{ ": s e t Space t h Tab l Tab", "set theme=light " },
		{ ": t h e m e Space h Tab", "theme high-contrast " },
		{ ": m a p Space F 5 Space s u m m Tab", "map F5 summary " },
		{ ": u n m a p Space F Tab", "unmap F6 " },
	};
	struct screen *screen = screen_for_test(24, 80, false);
	struct app *app = app_on(awkward_heap());

	app_steps(app, screen, ":map_F6_types");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		app_steps(app, screen, rows[i].keys);
		assert_string_equal(prompt_line(app->prompts[PROMPT_COMMAND]), rows[i].wanted);
		app_steps(app, screen, "Esc");
	}
	app_end(app);
}

static char offered[4096];

static void
take_offer(void *to, const char *word)
{
	size_t len = strlen(offered);

	(void)to;
	snprintf(offered + len, sizeof offered - len, "%s ", word);
}

TEST(words_are_offered)
{
	offered[0] = '\0';
	set_command_complete("nob", take_offer, NULL);
	assert_non_null(strstr(offered, "bar nobar "));
	assert_non_null(strstr(offered, " theme= "));
	assert_non_null(strstr(offered, " sort.types= "));
	offered[0] = '\0';
	set_command_complete("bar bytes=", take_offer, NULL);
	assert_string_equal(offered, "bytes=short bytes=exact bytes=share ");
	offered[0] = '\0';
	set_command_complete("mem=", take_offer, NULL);
	assert_string_equal(offered, "mem=auto ");
	offered[0] = '\0';
	set_command_complete("theme=", take_offer, NULL);
	assert_non_null(strstr(offered, "theme=light "));
	offered[0] = '\0';
	set_command_complete("sort.types=c", take_offer, NULL);
	assert_non_null(strstr(offered, "sort.types=count "));
	offered[0] = '\0';
	set_command_complete("columns.types=count,s", take_offer, NULL);
	assert_non_null(strstr(offered, "columns.types=count,size "));
}

/* Hides the themes of the user who runs the tests. */
static int
forget_home(void **state)
{
	(void)state;
	return unsetenv("HOME") || unsetenv("XDG_CONFIG_HOME");
}
TESTS_BETWEEN(forget_home, NULL);
