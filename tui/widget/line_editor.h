#ifndef TUI_WIDGET_LINE_EDITOR_H
#define TUI_WIDGET_LINE_EDITOR_H

/*
 * One line after the other, edited by libedit: Emacs or vi keys, ~/.editrc.
 *
 * libedit reads a line in one go and asks for keys when it wants them. We get
 * keys one at a time. So it runs on a thread of its own that sleeps whenever
 * it wants a key; line_editor_key() hands one over and waits until the next is
 * wanted: the two never run at the same time. Its terminal is a
 * pseudo-terminal that nobody reads, its output goes to /dev/null.
 */
#include "tui/widget/past.h"

enum {
	LINE_CHARS_MAX = 1000, /* typing stops there */
	LINE_BYTES = 4 * LINE_CHARS_MAX + 64,
};

struct edited_line {
	char text[LINE_BYTES];
	size_t chars;
	size_t cursor; /* in bytes; of a line that is being edited */
};

struct line_editor;
/* `is_secure`: without ~/.editrc, whose keys may start programs. */
struct line_editor *line_editor_new(bool is_secure, struct error *err) MUST_USE;
void line_editor_free(struct line_editor *e); /* NULL is allowed */
/* The same place for ever: what has been typed so far. */
const struct edited_line *line_editor_line(const struct line_editor *e);
/* What Up and Down go through, from now on. */
void line_editor_remember(struct line_editor *e, const struct past *past);

/* A line that is empty; the one before is left. */
void line_editor_begin(struct line_editor *e);
void line_editor_abort(struct line_editor *e);
/* One of enum key. False: the line is done, or was never begun. */
bool line_editor_key(struct line_editor *e, int key);
bool line_editor_is_editing(const struct line_editor *e);
/* Of a line that is done: by Enter, and not because it was left. */
bool line_editor_is_accepted(const struct line_editor *e);
/* Does Esc mean something, as in ~/.editrc's vi mode? */
bool line_editor_is_vi(const struct line_editor *e);

/* At the cursor; what is too much is left out. */
void line_editor_insert(struct line_editor *e, const char *text);
/* So many bytes before the cursor. */
void line_editor_delete(struct line_editor *e, size_t len);
/* In place of all that is there. */
void line_editor_put(struct line_editor *e, const char *text);
/* To a byte before the cursor. */
void line_editor_move_back(struct line_editor *e, size_t at);

#endif
