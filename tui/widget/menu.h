#ifndef TUI_WIDGET_MENU_H
#define TUI_WIDGET_MENU_H

/* A small list over the middle of the screen, to choose one thing from. */
#include "tui/term/screen.h"

enum { MENU_ITEMS_MAX = 32 };
struct menu_item {
	const char *label, *help; /* borrowed while the menu is open */
	int value;                /* what it stands for */
};
struct menu {
	const char *title;
	struct menu_item items[MENU_ITEMS_MAX];
	int count, cursor;
	int again; /* this key chooses, too: the one that opened it */
	bool is_open;
};

void menu_clear(struct menu *m, const char *title);
void menu_add(struct menu *m, const char *label, const char *help, int value);

enum menu_answer { MENU_OPEN, MENU_CHOSEN, MENU_CLOSED, MENU_UNKNOWN_KEY };
/* One key of enum key; MENU_CHOSEN: it is items[cursor]. After a key that is
   none of a menu's it stays as it is. */
enum menu_answer menu_key(struct menu *m, int key);
void menu_draw(const struct menu *m, struct screen *s);
/* The item that stands there on a screen of that size, or -1. */
int menu_item_at(const struct menu *m, int rows, int columns, int row,
		 int column);

#endif
