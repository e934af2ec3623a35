#ifndef TUI_APP_KEY_BAR_H
#define TUI_APP_KEY_BAR_H

/*
 * The line of keys at the bottom: what can be done with the selected row, as
 * much of it as there is room for, and the way out. Made anew for each frame,
 * from the tables of commands.
 */
#include "tui/term/screen.h"

struct app;

enum { KEY_BAR_MAX = 64 };
struct key_bar {
	struct key_bar_item {
		int key;
		const char *label; /* borrowed from tables; "" */
		int column, width; /* of the key's name and the label */
	} items[KEY_BAR_MAX];
	int count;
};

void key_bar_fill(struct key_bar *bar, struct app *app, int columns);
void key_bar_draw(const struct key_bar *bar, struct screen *s, int row);
/* The key that stands there, or 0. */
int key_bar_at(const struct key_bar *bar, int column);

#endif
