#include "model/base/text.h"
#include "tui/term/term.h"
#include "tui/widget/menu.h"
#include <string.h>

void
menu_clear(struct menu *m, const char *title)
{
	*m = (struct menu){ .title = title };
}

void
menu_add(struct menu *m, const char *label, const char *help, int value)
{
	if (m->count < MENU_ITEMS_MAX)
		m->items[m->count++] = (struct menu_item){ label, help, value };
}

static void
menu_move(struct menu *m, int by)
{
	m->cursor += by;
	if (m->cursor >= m->count)
		m->cursor = m->count - 1;
	if (m->cursor < 0)
		m->cursor = 0;
}

enum menu_answer
menu_key(struct menu *m, int key)
{
	switch (key == m->again ? TK_ENTER : key) {
	case TK_UP:
	case 'k':
		menu_move(m, -1);
		return MENU_OPEN;
	case TK_DOWN:
	case 'j':
		menu_move(m, 1);
		return MENU_OPEN;
	case TK_HOME:
	case 'g':
		menu_move(m, -m->count);
		return MENU_OPEN;
	case TK_END:
	case 'G':
		menu_move(m, m->count);
		return MENU_OPEN;
	case TK_ENTER:
	case ' ':
		m->is_open = false;
		return m->count ? MENU_CHOSEN : MENU_CLOSED;
	case TK_ESCAPE:
	case 'q':
		m->is_open = false;
		return MENU_CLOSED;
	default:
		return MENU_UNKNOWN_KEY;
	}
}

static int
widest_label(const struct menu *m)
{
	int widest = text_width(m->title), width;

	for (int i = 0; i < m->count; i++) {
		width = text_width(m->items[i].label);
		widest = width > widest ? width : widest;
	}
	return widest;
}

static void
draw_item(const struct menu *m, struct screen *s, int row, int column, int width, int label,
	  const struct menu_item *item)
{
	bool is_selected = item == &m->items[m->cursor];
	int room = width - label - 6;

	screen_printf(s, row, column, width, STYLE_NORMAL, "│ %-*s", width - 2, item->label);
	screen_put(s, row, column + label + 4, room, STYLE_DIM, item->help);
	if (text_width(item->help) > room)
		screen_put(s, row, column + label + 3 + room, 1, STYLE_DIM, "…");
	screen_put(s, row, column + width - 1, 1, STYLE_NORMAL, "│");
	if (is_selected) {
		screen_restyle(s, row, column + 1, width - 2, STYLE_CURSOR);
		s->cursor_row = row;
	}
}

static void
draw_edge(struct screen *s, int row, int column, int width, const char *left, const char *right,
	  const char *title)
{
	int used = screen_put(s, row, column, 1, STYLE_NORMAL, left);

	used += screen_put(s, row, column + used, width - 2, STYLE_TITLE, title);
	for (; used < width - 1; used++)
		screen_put(s, row, column + used, 1, STYLE_NORMAL, "─");
	screen_put(s, row, column + width - 1, 1, STYLE_NORMAL, right);
}

/* The menu's place: `row` is its upper edge, `top` the first item shown. */
struct box {
	int row, column, width, label, shown, top;
};

static struct box
box_of(const struct menu *m, int rows, int columns)
{
	struct box b = { .label = widest_label(m), .shown = m->count };

	b.width = b.label + 50 < columns ? b.label + 50 : columns;
	if (b.shown > rows - 4)
		b.shown = rows - 4;
	b.top = m->cursor >= b.shown ? m->cursor - b.shown + 1 : 0;
	b.row = (rows - b.shown - 2) / 2;
	b.column = (columns - b.width) / 2;
	return b;
}

void
menu_draw(const struct menu *m, struct screen *s)
{
	struct box b = box_of(m, s->rows, s->columns);

	draw_edge(s, b.row, b.column, b.width, "┌", "┐", m->title);
	for (int i = 0; i < b.shown; i++)
		draw_item(m, s, b.row + 1 + i, b.column, b.width, b.label, &m->items[b.top + i]);
	draw_edge(s, b.row + 1 + b.shown, b.column, b.width, "└", "┘", "");
}

int
menu_item_at(const struct menu *m, int rows, int columns, int row, int column)
{
	struct box b = box_of(m, rows, columns);
	int i = row - b.row - 1;

	return i >= 0 && i < b.shown && column >= b.column && column < b.column + b.width
		   ? b.top + i
		   : -1;
}
