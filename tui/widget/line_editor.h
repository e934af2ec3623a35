#ifndef TUI_WIDGET_LINE_EDITOR_H
#define TUI_WIDGET_LINE_EDITOR_H

/*
 * A line editor made from libedit, with Emacs or vi keys and ~/.editrc.
 *
 * libedit reads a whole line in one call and asks for keys when it wants them, but keys arrive here
 * one at a time. So libedit runs on a thread of its own, which sleeps while it waits for a key.
 * line_editor_key() passes one key and waits until libedit wants the next: the two threads never
 * run at the same time. libedit's terminal is a pseudo-terminal that is never read; its output goes
 * to /dev/null.
 */
#include "tui/widget/line_history.h"

enum {
	LINE_CHARS_MAX = 1000, /* further characters are refused */
	LINE_BYTES = 4 * LINE_CHARS_MAX + 64,
};

struct edited_line {
	char text[LINE_BYTES];
	size_t chars;
	size_t cursor; /* in bytes; valid while the line is edited */
};

struct line_editor;
/* `is_secure`: ignore ~/.editrc, because its keys may start programs. */
struct line_editor *line_editor_new(bool is_secure, struct error *err) MUST_USE;
void line_editor_free(struct line_editor *e); /* NULL is allowed */
/* Returns the line as edited so far; the pointer stays valid until line_editor_free(). */
const struct edited_line *line_editor_line(const struct line_editor *e);
/* Sets the history that Up and Down step through. */
void line_editor_remember(struct line_editor *e, const struct line_history *history);

/* Starts an empty line, abandoning any other. */
void line_editor_begin(struct line_editor *e);
void line_editor_abort(struct line_editor *e);
/* `key` is an enum key. Returns false if the line is finished or none was begun. */
bool line_editor_key(struct line_editor *e, int key);
bool line_editor_is_editing(const struct line_editor *e);
/* True if the line was finished by Enter and not abandoned. */
bool line_editor_is_accepted(const struct line_editor *e);
/* True in vi mode, where Esc is a key of the editor. */
bool line_editor_is_vi(const struct line_editor *e);

/* Inserts at the cursor, up to LINE_CHARS_MAX characters. */
void line_editor_insert(struct line_editor *e, const char *text);
/* Deletes `len` bytes before the cursor. */
void line_editor_delete(struct line_editor *e, size_t len);
/* Replaces the whole line. */
void line_editor_put(struct line_editor *e, const char *text);
/* Moves the cursor back to byte `at` of the line. */
void line_editor_move_back(struct line_editor *e, size_t at);

#endif
