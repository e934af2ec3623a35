#ifndef TUI_TERM_THEME_H
#define TUI_TERM_THEME_H

/*
 * The look of each style. A theme is a file of lines `style = words`:
 *   cursor = reverse bold
 *   type   = #87afd7 bold        (or colour names, or 0–255, `on` a background)
 * Other styles keep the look of the default theme. The built-in themes are the files in themes/,
 * turned into C by the Makefile.
 */
#include "tui/term/screen.h"

enum { ATTR_BOLD = 1, ATTR_DIM = 2, ATTR_REVERSE = 4, ATTR_UNDERLINE = 8, ATTR_ITALIC = 16 };
enum colour_kind { COLOUR_DEFAULT, COLOUR_INDEX, COLOUR_RGB };
struct colour {
	uint8_t kind, index, red, green, blue;
};
struct look {
	struct colour front, back;
	uint8_t attrs;
};
struct theme {
	char name[32];
	struct look looks[STYLE_COUNT];
};

/*
 * Loads a theme by path (with a '/') or by name: from the user's theme folder, the installed one,
 * or built in.
 */
bool theme_load(struct theme *theme, const char *name, struct error *err) MUST_USE;
/* Errors name the line: "mine.theme:3: …". */
bool theme_parse(struct theme *theme, const char *file, const char *text, size_t len,
		 struct error *err) MUST_USE;
/* Calls `add` with the names of all themes; a name may occur twice. */
void theme_list(void (*add)(void *to, const char *word), void *to);
/* The i-th built-in name, or NULL. */
const char *theme_builtin_name(unsigned i);
/* The nearest of the first `colours_count` (8, 16, 256) terminal colours. */
int colour_nearest(struct colour c, int colours_count);

#endif
