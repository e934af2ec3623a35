#include "tui/term/theme.h"
#include "model/base/arena.h"
#include "themes_builtin.h"
#include "model/base/nearest.h"
#include "tui/base/places.h"
#include "model/base/text.h"
#include "tui/base/text_file.h"
#include <dirent.h>
#include <stdio.h>
#include <string.h>

enum { THEME_FILE_MAX = 65536, WORD_MAX = 32 };

static const unsigned builtin_count = sizeof(builtin_themes) / sizeof(builtin_themes[0]);

/* ---- the words of a line ---- */

struct theme_reader {
	const char *file;
	unsigned line;
	const char *at, *end; /* of the line */
	struct error *err;
};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The next word; "" at the end of the line or at a comment. */
static const char *
word_read(struct theme_reader *r, char word[WORD_MAX])
{
	size_t len = 0;

	while (r->at < r->end && is_blank(*r->at))
		r->at++;
	while (r->at < r->end && !is_blank(*r->at)) {
		if (*r->at == '=' && len > 0)
			break;
		if (len < WORD_MAX - 1)
			word[len++] = *r->at;
		if (*r->at++ == '=')
			break;
	}
	if (len == 1 && word[0] == '#')
		len = 0;
	word[len] = '\0';
	return word;
}

static bool
theme_error(const struct theme_reader *r, const char *what, const char *word)
{
	char clean[2 * WORD_MAX];

	return error_set(r->err, ERROR_INPUT, "%s:%u: %s “%s”", r->file, r->line, what,
			 text_clean(word, clean, sizeof(clean)));
}

/* ---- colours ---- */

static const char *const colour_names[] = { "black", "red",     "green", "yellow",
					    "blue",  "magenta", "cyan",  "white" };

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool
colour_parse_rgb(const char *word, struct colour *c)
{
	uint8_t parts[3];

	if (strlen(word) != 7)
		return false;
	for (int i = 0; i < 3; i++) {
		int high = hex_digit(word[1 + 2 * i]);
		int low = hex_digit(word[2 + 2 * i]);

		if (high < 0 || low < 0)
			return false;
		parts[i] = (uint8_t)(high * 16 + low);
	}
	*c = (struct colour){ COLOUR_RGB, 0, parts[0], parts[1], parts[2] };
	return true;
}

static bool
colour_parse(const char *word, struct colour *c)
{
	static const char bright[] = "bright-";
	bool is_bright = strncmp(word, bright, sizeof(bright) - 1) == 0;
	const char *name = is_bright ? word + sizeof(bright) - 1 : word;
	unsigned number = 0;

	if (word[0] == '#')
		return colour_parse_rgb(word, c);
	*c = (struct colour){ .kind = COLOUR_DEFAULT };
	if (strcmp(word, "default") == 0)
		return true;
	c->kind = COLOUR_INDEX;
	for (uint8_t i = 0; i < 8; i++) {
		if (strcmp(name, colour_names[i]) == 0) {
			c->index = is_bright ? i + 8 : i;
			return true;
		}
	}
	for (const char *at = word; *at; at++) {
		if (*at < '0' || *at > '9' || number > 255)
			return false;
		number = number * 10 + (unsigned)(*at - '0');
	}
	c->index = (uint8_t)number;
	return number <= 255 && word[0] != '\0';
}

/* The standard palette of terminals; users may change the first 16 colours. */
static void
palette_rgb(int index, int rgb[3])
{
	static const uint8_t levels[] = { 0, 95, 135, 175, 215, 255 };
	static const uint8_t ansi[16][3] = {
		{ 0, 0, 0 },       { 205, 0, 0 },   { 0, 205, 0 },   { 205, 205, 0 },
		{ 0, 0, 238 },     { 205, 0, 205 }, { 0, 205, 205 }, { 229, 229, 229 },
		{ 127, 127, 127 }, { 255, 0, 0 },   { 0, 255, 0 },   { 255, 255, 0 },
		{ 92, 92, 255 },   { 255, 0, 255 }, { 0, 255, 255 }, { 255, 255, 255 },
	};

	if (index < 16) {
		for (int i = 0; i < 3; i++)
			rgb[i] = ansi[index][i];
	} else if (index < 232) {
		rgb[0] = levels[(index - 16) / 36];
		rgb[1] = levels[(index - 16) / 6 % 6];
		rgb[2] = levels[(index - 16) % 6];
	} else {
		rgb[0] = rgb[1] = rgb[2] = 8 + 10 * (index - 232);
	}
}

/* The eye distinguishes greens best and blues worst. */
static int
colour_distance(const int a[3], const int b[3])
{
	int red = a[0] - b[0], green = a[1] - b[1], blue = a[2] - b[2];

	return 3 * red * red + 6 * green * green + blue * blue;
}

int
colour_nearest(struct colour c, int colours_count)
{
	int wanted[3] = { c.red, c.green, c.blue }, got[3];
	int best = -1, best_distance = 0;

	if (c.kind == COLOUR_DEFAULT)
		return -1;
	if (c.kind == COLOUR_INDEX) {
		if (c.index < colours_count)
			return c.index;
		palette_rgb(c.index, wanted);
	}
	/* With 256 colours, skip the first 16: users change them. */
	for (int i = colours_count >= 256 ? 16 : 0; i < colours_count && i < 256; i++) {
		int distance;

		palette_rgb(i, got);
		distance = colour_distance(wanted, got);
		if (best < 0 || distance < best_distance) {
			best = i;
			best_distance = distance;
		}
	}
	return best;
}

/* ---- lines ---- */

static bool
attr_parse(const char *word, uint8_t *attrs)
{
	static const struct {
		const char *name;
		uint8_t attr;
	} names[] = {
		{ "normal", 0 },
		{ "bold", ATTR_BOLD },
		{ "dim", ATTR_DIM },
		{ "reverse", ATTR_REVERSE },
		{ "underline", ATTR_UNDERLINE },
		{ "italic", ATTR_ITALIC },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(word, names[i].name) == 0) {
			*attrs |= names[i].attr;
			return true;
		}
	}
	return false;
}

static bool
look_parse(struct theme_reader *r, struct look *look)
{
	char word[WORD_MAX];
	bool has_front = false;

	*look = (struct look){ 0 };
	while (*word_read(r, word)) {
		if (attr_parse(word, &look->attrs))
			continue;
		if (strcmp(word, "on") == 0) {
			if (!colour_parse(word_read(r, word), &look->back))
				return theme_error(r, "a colour must follow “on”, not", word);
			continue;
		}
		if (!colour_parse(word, &look->front))
			return theme_error(r, "neither a colour nor an attribute:", word);
		if (has_front)
			return theme_error(r, "a second colour:", word);
		has_front = true;
	}
	return true;
}

static bool
style_parse(const char *name, enum style *style)
{
	for (int i = 0; i < STYLE_COUNT; i++) {
		if (strcmp(name, style_name((enum style)i)) == 0) {
			*style = (enum style)i;
			return true;
		}
	}
	return false;
}

static bool
line_parse(struct theme_reader *r, struct theme *theme)
{
	char name[WORD_MAX], word[WORD_MAX];
	enum style style;

	while (r->at < r->end && is_blank(*r->at))
		r->at++;
	if (r->at == r->end || *r->at == '#')
		return true;
	if (!style_parse(word_read(r, name), &style))
		return theme_error(r, "there is no style", name);
	if (strcmp(word_read(r, word), "=") != 0)
		return theme_error(r, "“=” is missing after", name);
	return look_parse(r, &theme->looks[style]);
}

static bool
lines_parse(struct theme *theme, const char *file, const char *text, size_t len, struct error *err)
{
	struct theme_reader r = { .file = file, .err = err };
	const char *end = text + len;

	while (text < end) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));

		r.line++;
		r.at = text;
		r.end = line_end ? line_end : end;
		if (!line_parse(&r, theme))
			return false;
		text = line_end ? line_end + 1 : end;
	}
	return true;
}

/* ---- themes ---- */

static const struct builtin_theme *
builtin_find(const char *name)
{
	for (unsigned i = 0; i < builtin_count; i++)
		if (strcmp(name, builtin_themes[i].name) == 0)
			return &builtin_themes[i];
	return NULL;
}

const char *
theme_builtin_name(unsigned i)
{
	return i < builtin_count ? builtin_themes[i].name : NULL;
}

bool
theme_parse(struct theme *theme, const char *file, const char *text, size_t len, struct error *err)
{
	const struct builtin_theme *base = builtin_find("default");
	const char *name = strrchr(file, '/');
	struct theme parsed = { { 0 }, { { { 0 }, { 0 }, 0 } } };
	size_t name_len;

	name = name ? name + 1 : file;
	name_len = strcspn(name, ".");
	if (name_len >= sizeof(parsed.name))
		name_len = sizeof(parsed.name) - 1;
	memcpy(parsed.name, name, name_len);
	if (base && !lines_parse(&parsed, "default.theme", base->text, strlen(base->text), err))
		return false;
	if (!lines_parse(&parsed, file, text, len, err))
		return false;
	*theme = parsed;
	return true;
}

/* Sets `err` unless the file does not exist. */
static bool
theme_read_file(struct theme *theme, const char *path, bool *is_there, struct error *err)
{
	struct error why = { 0 };
	size_t len;
	char *text = text_file_read(path, THEME_FILE_MAX, TEXT_FILE_ANY, &len, &why);
	bool ok;

	*is_there = text || why.kind != ERROR_NONE;
	if (why.kind != ERROR_NONE)
		*err = why;
	if (!text)
		return false;
	ok = theme_parse(theme, path, text, len, err);
	memory_free(text);
	return ok;
}

/* i: 0 for the user's folder, 1 for the system's. `name` "": the folder. */
static bool
theme_path(unsigned i, const char *name, char path[PLACE_BYTES])
{
	char file[PLACE_BYTES];
	int len = snprintf(file, sizeof file, "themes/%s%s", name, *name ? ".theme" : "");

	if (len < 0 || (size_t)len >= sizeof file)
		return false;
	return i == 0 ? place_of_config(file, path) : place_of_share(file, path);
}

/* Suggests a name; copies the best one, as names are temporary. */
struct theme_meant {
	struct nearest near;
	char best[NEAREST_BYTES];
};

static void
try_name(void *to, const char *name)
{
	struct theme_meant *m = to;

	nearest_try(&m->near, name);
	if (m->near.best != name)
		return;
	text_clean(name, m->best, sizeof m->best);
	m->near.best = m->best;
}

static bool
theme_unknown(const char *name, struct error *err)
{
	struct theme_meant meant;
	char clean[64], known[128] = "";

	for (unsigned i = 0; i < builtin_count; i++) {
		size_t len = strlen(known);

		snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
			 builtin_themes[i].name);
	}
	nearest_init(&meant.near, name, strlen(name));
	theme_list(try_name, &meant);
	return error_set(err, ERROR_USAGE, "there is no theme “%s”%s%s; built-in themes are %s",
			 text_clean(name, clean, sizeof(clean)),
			 meant.near.best ? "; perhaps: " : "", meant.near.best ? meant.best : "",
			 known);
}

bool
theme_load(struct theme *theme, const char *name, struct error *err)
{
	const struct builtin_theme *builtin = builtin_find(name);
	char path[PLACE_BYTES];
	bool is_there;

	if (strchr(name, '/'))
		return theme_read_file(theme, name, &is_there, err) ||
		       (!is_there && theme_unknown(name, err));
	for (unsigned i = 0; i < 2; i++) {
		if (!theme_path(i, name, path))
			continue;
		if (theme_read_file(theme, path, &is_there, err))
			return true;
		if (is_there)
			return false;
	}
	if (!builtin)
		return theme_unknown(name, err);
	return theme_parse(theme, name, builtin->text, strlen(builtin->text), err);
}

/* Ignores files that are not named like a theme. */
static void
list_folder(const char *path, void (*add)(void *to, const char *word), void *to)
{
	enum { THEMES_MAX = 1000 };
	static const char suffix[] = ".theme";
	DIR *folder = opendir(path);
	const struct dirent *entry;
	char name[64];

	for (int i = 0; folder && i < THEMES_MAX; i++) {
		size_t len;

		entry = readdir(folder);
		if (!entry)
			break;
		len = strlen(entry->d_name);
		if (len < sizeof suffix || len - sizeof suffix + 1 >= 64 ||
		    strcmp(entry->d_name + len - sizeof suffix + 1, suffix) != 0)
			continue;
		len -= sizeof suffix - 1;
		memcpy(name, entry->d_name, len);
		name[len] = '\0';
		if (!builtin_find(name))
			add(to, name);
	}
	if (folder)
		closedir(folder);
}

void
theme_list(void (*add)(void *to, const char *word), void *to)
{
	char path[PLACE_BYTES];

	for (unsigned i = 0; i < builtin_count; i++)
		add(to, builtin_themes[i].name);
	for (unsigned i = 0; i < 2; i++)
		if (theme_path(i, "", path))
			list_folder(path, add, to);
}
