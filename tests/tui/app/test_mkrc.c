/* The output of :mkrc is read back as the same settings. */
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/mkrc.h"
#include "tui/app/rc.h"
#include "tui/app/views.h"
#include <string.h>

static const struct origin typed = { .kind = ORIGIN_PROMPT };

/* Too large for the stack of a test under sanitizers. */
static struct settings s, again;
static struct rc rc;

static uint32_t
next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void
collect(void *to, const char *word)
{
	char(*words)[64] = to;
	size_t i = 0;

	while (i < 199 && *words[i])
		i++;
	snprintf(words[i], sizeof words[i], "%s", word);
}

/* One of what Tab offers, or a number. */
static void
choose_value(const struct setting *row, const struct view_ops *ops, uint32_t *seed, char *out,
	     size_t out_size)
{
	static char words[200][64];
	size_t count = 0;

	memset(words, 0, sizeof words);
	setting_complete(row, ops, collect, words);
	while (count < 199 && *words[count])
		count++;
	if (row->kind == SETTING_COUNT)
		snprintf(out, out_size, "%u", next_random(seed) % 1000);
	else if (row->kind == SETTING_SIZE)
		snprintf(out, out_size, "%uK", 1 + next_random(seed) % 5000);
	else if (row->kind == SETTING_TIME)
		snprintf(out, out_size, "%ums", next_random(seed) % 5000);
	else
		snprintf(out, out_size, "%s", count ? words[next_random(seed) % count] : "");
}

static void
set_at_random(uint32_t *seed)
{
	size_t views = 0;

	while (all_views[views])
		views++;
	for (const struct setting *row = settings_table; row->name; row++) {
		bool has_views = row->flags & SETTING_OF_VIEWS;
		size_t view = has_views ? next_random(seed) % views : 0;
		char value[64], with_width[80];
		struct error err = { 0 };

		if (next_random(seed) % 3 == 0)
			continue;
		choose_value(row, has_views ? all_views[view] : NULL, seed, value, sizeof value);
		snprintf(with_width, sizeof with_width, "%s%s", value,
			 !strcmp(row->name, "columns") && *value ? ":12" : "");
		if (!setting_store(row, row->name, with_width, view, &s, &err))
			fail_msg("%s=%s: %s", row->name, with_width, err.message);
	}
}

static void
map_at_random(uint32_t *seed)
{
	static const char *const commands[] = {
		"F5 types",
		"types.X sort -count",
		"^X 'types; sort count'",
		"M-x \"filter 'a;b'; sort size\"",
		"Space !echo \"$HEAPTOP_TYPE\" 'x'",
		"objects.Space \"!echo 'x'; date\"",
		"J where type = 'a b' and size > 1M",
	};

	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		struct error err = { 0 };

		if (next_random(seed) % 2 && !keymap_map(&s.keys, commands[i], &typed, &err))
			fail_msg("%s: %s", commands[i], err.message);
	}
}

static void
expect_same(const char *text)
{
	char a[SETTING_TEXT_BYTES], b[SETTING_TEXT_BYTES];

	for (const struct setting *row = settings_table; row->name; row++)
		for (size_t i = 0; all_views[i]; i++) {
			if (i && !(row->flags & SETTING_OF_VIEWS))
				break;
			if (strcmp(setting_show(row, &s, i, a), setting_show(row, &again, i, b)) !=
			    0)
				fail_msg("%s: %s is %s\n%s", row->name, a, b, text);
		}
	assert_int_equal(s.keys.count, again.keys.count);
	for (size_t i = 0; i < s.keys.count; i++) {
		const struct keymap_entry *e = &s.keys.entries[i];
		const struct keymap_entry *f = &again.keys.entries[i];

		assert_int_equal(e->key, f->key);
		assert_int_equal(e->view, f->view);
		assert_string_equal(e->command, f->command);
	}
}

TEST(it_comes_back)
{
	uint32_t seed = 8;

	for (int round = 0; round < 300; round++) {
		struct error err = { 0 };
		char *text;

		settings_init(&s);
		settings_init(&again);
		set_at_random(&seed);
		map_at_random(&seed);
		text = mkrc_text(&s, &err);
		assert_ok(text, &err);
		memset(&rc, 0, sizeof rc);
		arena_init(&rc.arena, 1 << 20);
		rc_run(&rc, "written", ORIGIN_RC, text, &again);
		if (rc.errors_count)
			fail_msg("%s\n%s", rc.errors[0].message, text);
		expect_same(text);
		memory_free(text);
		rc_clear(&rc);
	}
}

TEST(defaults_are_nothing)
{
	struct error err = { 0 };
	char *text;

	settings_init(&s);
	text = mkrc_text(&s, &err);
	assert_string_equal(text, "");
	memory_free(text);
}

TEST(what_no_file_holds_is_told)
{
	struct error err = { 0 };

	settings_init(&s);
	strcpy(s.theme, "a;b");
	assert_null(mkrc_text(&s, &err));
	assert_string_equal(err.message, "a heaptoprc cannot express theme=a;b");
	error_clear(&err);
	settings_init(&s);
	assert_true(keymap_map(&s.keys, "F5 !echo '\"'; date", &typed, &err));
	assert_null(mkrc_text(&s, &err));
	assert_string_equal(err.message, "a heaptoprc cannot express the mapping of F5: it has ; "
					 "and both quotes");
}

TEST(screen_tells_it)
{
	struct screen *screen = screen_for_test(10, 80, false);
	struct app *app = app_on(leaky_heap());

	app->settings->names = NAMES_SHORT;
	app_steps(app, screen, ":mkrc");
	assert_string_equal(app->message, "nothing differs from the defaults");
	app_steps(app, screen,
		  "C :objects_Leaky.Session :set_nobar_columns.types=size:9 :map_F5_types :mkrc");
	assert_string_equal(app->message,
			    "set nobar;set columns.types=size:9;set sort.types=count;map F5 types");
	app_steps(app, screen, ":mkrc_/tmp/never");
	assert_string_equal(app->message, "no files can be written here");
	app_end(app);
}
