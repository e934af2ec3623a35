#ifndef TUI_TERM_KEY_H
#define TUI_TERM_KEY_H

/* What terminals send for a key that curses has no name for. */
#include <stddef.h>

enum { KEY_INCOMPLETE = -1 };
/*
 * The key of a sequence, `bytes` being what came after Escape, from '[' or
 * 'O' on. KEY_NONE_ (0): a sequence that means no key of ours. TK_MOUSE: one
 * for mouse_parse().
 */
int key_from_escape(const char *bytes, size_t len);

#endif
