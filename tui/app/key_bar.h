#ifndef TUI_APP_KEY_BAR_H
#define TUI_APP_KEY_BAR_H

/*
 * The bar of keys at the bottom: commands for the selected row, then those that answer a question
 * of their own, as many as fit, and the way out; in a prompt or a menu the keys of that. Computed
 * for each frame from the tables of commands.
 */
#include "tui/app/keymap.h"
#include "tui/term/screen.h"

struct app;

enum { KEY_BAR_MAX = 64 };
struct key_bar {
	struct key_bar_item {
		int key;
		const char *label; /* borrowed from the tables; may be "" */
		int column, width; /* of both the key and the label */
	} items[KEY_BAR_MAX];
	int count;
};

/* Lists the commands for the selected row of a view in the order of the bar, at most `max`. Returns
   how many there are. */
size_t key_bar_commands(const struct view *v, const struct keymap *keys, const struct command **out,
			size_t max);
void key_bar_fill(struct key_bar *bar, struct app *app, int columns);
void key_bar_draw(const struct key_bar *bar, struct screen *s, int row);
/* Returns the key at this column, or 0. */
int key_bar_at(const struct key_bar *bar, int column);

#endif
