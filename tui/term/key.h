#ifndef TUI_TERM_KEY_H
#define TUI_TERM_KEY_H

/* Decodes escape sequences of keys that curses does not know. */
#include <stddef.h>

enum { KEY_INCOMPLETE = -1 };
/*
 * The key of a sequence; `bytes` follow Escape, beginning with '[' or 'O'. KEY_NONE_ (0): not a key
 * of ours. TK_MOUSE: an event for mouse_parse().
 */
int key_from_escape(const char *bytes, size_t len);

#endif
