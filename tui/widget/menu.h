#ifndef TUI_WIDGET_MENU_H
#define TUI_WIDGET_MENU_H

/* A list drawn over the middle of the screen, from which one item is chosen. */
#include "tui/term/screen.h"

enum { MENU_ITEMS_MAX = 32 };
struct menu_item {
	const char *label, *help; /* borrowed while the menu is open */
	int value;                /* the caller's id of the item */
};
struct menu {
	const char *title;
	struct menu_item items[MENU_ITEMS_MAX];
	int count, cursor;
	int again; /* the key that opened the menu also chooses */
	bool is_open;
};

void menu_clear(struct menu *m, const char *title);
void menu_add(struct menu *m, const char *label, const char *help, int value);

enum menu_answer { MENU_OPEN, MENU_CHOSEN, MENU_CLOSED, MENU_UNKNOWN_KEY };
/* Handles one enum key. MENU_CHOSEN: items[cursor] was chosen; MENU_UNKNOWN_KEY: the menu has not
   changed. */
enum menu_answer menu_key(struct menu *m, int key);
void menu_draw(const struct menu *m, struct screen *s);
/* Returns the index of the item at a position on a screen of that size, or
   -1. */
int menu_item_at(const struct menu *m, int rows, int columns, int row, int column);

#endif
