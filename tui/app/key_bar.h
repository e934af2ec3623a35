#ifndef TUI_APP_KEY_BAR_H
#define TUI_APP_KEY_BAR_H

/*
 * The bar of keys at the bottom: commands for the selected row, as many as fit, and the way out.
 * Computed for each frame from the tables of commands.
 */
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

void key_bar_fill(struct key_bar *bar, struct app *app, int columns);
void key_bar_draw(const struct key_bar *bar, struct screen *s, int row);
/* Returns the key at this column, or 0. */
int key_bar_at(const struct key_bar *bar, int column);

#endif
