/* Theme files: what is read, what is refused, and whether one can read it. */
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "tui/term/theme.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(lines_become_looks)
{
	/* clang-format off */
	static const struct {
		const char *line;
		enum style style;
		struct look wanted;
	} rows[] = {
		{ "cursor = reverse bold", STYLE_CURSOR,
		  { .attrs = ATTR_REVERSE | ATTR_BOLD } },
		{ "type=#87AFd7   dim\r", STYLE_TYPE,
		  { .front = { COLOUR_RGB, 0, 0x87, 0xaf, 0xd7 }, .attrs = ATTR_DIM } },
		{ "  key = 255 on bright-blue underline italic # said", STYLE_KEY,
		  { .front = { COLOUR_INDEX, 255, 0, 0, 0 }, .back = { COLOUR_INDEX, 12, 0, 0, 0 },
		    .attrs = ATTR_UNDERLINE | ATTR_ITALIC } },
		{ "bar = on #000001", STYLE_BAR,
		  { .back = { COLOUR_RGB, 0, 0, 0, 1 } } },
		{ "error = red on default", STYLE_ERROR,
		  { .front = { COLOUR_INDEX, 1, 0, 0, 0 } } },
		{ "error = normal", STYLE_ERROR, { .attrs = 0 } },
		{ "error =", STYLE_ERROR, { .attrs = 0 } },
	};
	/* clang-format on */
	struct theme theme;
	struct error err = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_true(
		    theme_parse(&theme, "a/mine.theme", rows[i].line, strlen(rows[i].line), &err));
		assert_string_equal(theme.name, "mine");
		assert_memory_equal(&theme.looks[rows[i].style], &rows[i].wanted,
				    sizeof(struct look));
	}
}

TEST(errors_name_the_line)
{
	/* clang-format off */
	static const struct { const char *text, *wanted; } rows[] = {
		{ "# mine\n\ntpye = red\n", "x.theme:3: there is no style “tpye”" },
		{ "type red",      "x.theme:1: “=” is missing after “type”" },
		{ "type",          "x.theme:1: “=” is missing after “type”" },
		{ "= red",         "x.theme:1: there is no style “=”" },
		{ "type = rde",    "x.theme:1: neither a colour nor an attribute: “rde”" },
		{ "type = 256",    "x.theme:1: neither a colour nor an attribute: “256”" },
		{ "type = 99999999999999", "x.theme:1: neither a colour nor an attribute: “99999999999999”" },
		{ "type = #12345", "x.theme:1: neither a colour nor an attribute: “#12345”" },
		{ "type = #12345g", "x.theme:1: neither a colour nor an attribute: “#12345g”" },
		{ "type = red blue", "x.theme:1: a second colour: “blue”" },
		{ "type = on",     "x.theme:1: a colour must follow “on”, not “”" },
		{ "type = on bold", "x.theme:1: a colour must follow “on”, not “bold”" },
		{ "\x1b[31m = red", "x.theme:1: there is no style “\ufffd[31m”" },
		{ "type = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  "x.theme:1: neither a colour nor an attribute: “aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa”" },
	};
	/* clang-format on */
	struct theme theme = { .name = "kept" };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = { 0 };

		assert_false(
		    theme_parse(&theme, "x.theme", rows[i].text, strlen(rows[i].text), &err));
		assert_string_equal(err.message, rows[i].wanted);
		assert_string_equal(theme.name, "kept");
	}
}

TEST(styles_not_named_look_as_in_default)
{
	struct theme standard, mine;
	struct error err = { 0 };
	static const char text[] = "type = red";

	assert_true(theme_load(&standard, "default", &err));
	assert_true(theme_parse(&mine, "m.theme", text, sizeof(text) - 1, &err));
	for (int i = 0; i < STYLE_COUNT; i++)
		if (i != STYLE_TYPE)
			assert_memory_equal(&mine.looks[i], &standard.looks[i],
					    sizeof(struct look));
	assert_int_equal(mine.looks[STYLE_TYPE].front.index, 1);
}

/* Important styles differ in every theme, in mono without colours. */
TEST(important_styles_stand_out)
{
	static const enum style styles[] = { STYLE_CURSOR, STYLE_HEADER, STYLE_STATUS,
					     STYLE_MATCH,  STYLE_CYCLE,  STYLE_WARNING,
					     STYLE_ERROR,  STYLE_ROOT,   STYLE_TAGGED };
	struct theme theme;
	struct error err = { 0 };
	const char *name;

	for (unsigned t = 0; (name = theme_builtin_name(t)) != NULL; t++) {
		assert_true(theme_load(&theme, name, &err));
		assert_string_equal(theme.name, name);
		for (size_t i = 0; i < COUNT_OF(styles); i++)
			assert_memory_not_equal(&theme.looks[styles[i]], &theme.looks[STYLE_NORMAL],
						sizeof(struct look));
	}
	assert_true(theme_load(&theme, "mono", &err));
	for (int i = 0; i < STYLE_COUNT; i++) {
		assert_int_equal(theme.looks[i].front.kind, COLOUR_DEFAULT);
		assert_int_equal(theme.looks[i].back.kind, COLOUR_DEFAULT);
	}
	assert_int_not_equal(theme.looks[STYLE_CURSOR].attrs, theme.looks[STYLE_HEADER].attrs);
}

TEST(nearest_colours)
{
	/* clang-format off */
	static const struct { struct colour c; int count, wanted; } rows[] = {
		{ { COLOUR_DEFAULT, 3, 9, 9, 9 },   256, -1 },
		{ { COLOUR_INDEX, 200, 0, 0, 0 },   256, 200 },
		{ { COLOUR_INDEX, 7, 0, 0, 0 },     8,   7 },
		{ { COLOUR_INDEX, 9, 0, 0, 0 },     16,  9 },
		{ { COLOUR_INDEX, 9, 0, 0, 0 },     8,   1 },
		{ { COLOUR_INDEX, 15, 0, 0, 0 },    8,   7 },
		{ { COLOUR_INDEX, 16, 0, 0, 0 },    16,  0 },
		{ { COLOUR_INDEX, 226, 0, 0, 0 },   16,  11 },
		{ { COLOUR_RGB, 0, 0x87, 0xaf, 0xd7 }, 256, 110 },
		{ { COLOUR_RGB, 0, 0, 0, 0 },       256, 16 },
		{ { COLOUR_RGB, 0, 255, 255, 255 }, 256, 231 },
		{ { COLOUR_RGB, 0, 8, 8, 8 },       256, 232 },
		{ { COLOUR_RGB, 0, 255, 255, 255 }, 16,  15 },
		{ { COLOUR_RGB, 0, 255, 255, 255 }, 8,   7 },
		{ { COLOUR_RGB, 0, 1, 1, 1 },       8,   0 },
		{ { COLOUR_RGB, 0, 200, 10, 10 },   8,   1 },
	};
	/* clang-format on */

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(colour_nearest(rows[i].c, rows[i].count), rows[i].wanted);
}

/* The words in front of the lines between a heading and the next one. */
static size_t
read_list(const char *heading, char words[][32], size_t most)
{
	FILE *file = fopen("themes/README", "r");
	char line[128];
	bool is_there = false;
	size_t count = 0;

	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		if (!strncmp(line, heading, strlen(heading)))
			is_there = true;
		else if (is_there && count && line[0] == '\n')
			break;
		else if (is_there && count < most && line[0] == ' ')
			assert_int_equal(sscanf(line, "%31s", words[count++]), 1);
	}
	fclose(file);
	return count;
}

/* themes/README names all styles and themes, and no others. */
TEST(readme_is_complete)
{
	char words[64][32];
	struct theme theme;
	struct error err = { 0 };
	unsigned themes = 0;

	assert_int_equal(read_list("The styles:", words, 64), STYLE_COUNT);
	for (int i = 0; i < STYLE_COUNT; i++)
		assert_string_equal(words[i], style_name((enum style)i));
	while (theme_builtin_name(themes))
		themes++;
	assert_int_equal(read_list("Themes of heaptop", words, 64), themes);
	for (unsigned i = 0; i < themes; i++) {
		assert_true(theme_load(&theme, words[i], &err));
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(words[i], words[j]);
	}
}

static char listed[1024];

static void
list_name(void *to, const char *name)
{
	size_t len = strlen(listed);

	(void)to;
	snprintf(listed + len, sizeof(listed) - len, "%s ", name);
}

TEST_IN_FOLDER(files_of_the_user)
{
	const char *path = in_folder("heaptop/themes/own.theme");
	const char *light = in_folder("heaptop/themes/light.theme");
	struct theme theme;
	struct error err = { 0 };

	setenv("XDG_CONFIG_HOME", folder_path(), 1);
	assert_false(theme_load(&theme, "no\x1bsuch", &err));
	assert_string_equal(err.message,
			    "there is no theme “no\ufffdsuch”; built-in themes are dark, default, "
			    "deuteranopia, high-contrast, light, mono, tritanopia");
	assert_int_equal(mkdir(in_folder("heaptop"), 0700), 0);
	assert_int_equal(mkdir(in_folder("heaptop/themes"), 0700), 0);
	file_write(path, "type = 17\n", 10);
	err = (struct error){ 0 };
	assert_true(theme_load(&theme, "own", &err));
	assert_string_equal(theme.name, "own");
	assert_int_equal(theme.looks[STYLE_TYPE].front.index, 17);
	assert_true(theme_load(&theme, path, &err));
	/* Of one name the user's own, and all of them are listed. */
	assert_int_equal(rename(path, light), 0);
	assert_true(theme_load(&theme, "light", &err));
	assert_int_equal(theme.looks[STYLE_TYPE].front.index, 17);
	assert_int_equal(rename(light, path), 0);
	listed[0] = '\0';
	theme_list(list_name, NULL);
	assert_non_null(strstr(listed, "dark default deuteranopia high-contrast light "));
	assert_non_null(strstr(listed, " own "));
	/* A pipe is not waited for. */
	assert_int_equal(mkfifo(light, 0600), 0);
	assert_false(theme_load(&theme, "light", &err));
	assert_non_null(strstr(err.message, "is not a regular file"));
	assert_int_equal(unlink(light), 0);
	err = (struct error){ 0 };
	assert_true(truncate(path, 1 << 20) == 0);
	assert_false(theme_load(&theme, "own", &err));
	assert_non_null(strstr(err.message, "larger than 64 KiB"));
	unlink(path);
	assert_int_equal(rmdir(in_folder("heaptop/themes")), 0);
	assert_int_equal(rmdir(in_folder("heaptop")), 0);
}
