#ifndef TUI_TERM_CLIPBOARD_H
#define TUI_TERM_CLIPBOARD_H

/*
 * OSC 52: the terminal, wherever it is, is asked to take a text into its
 * clipboard. There is no answer, so nobody can say more than "sent".
 *
 *   ESC ] 52 ; c ; BASE64 BEL
 *
 * Terminals take some 74,994 bytes of it (hterm's limit, the smallest known).
 * tmux has it twice: for itself (set-clipboard on) and wrapped for the terminal
 * it runs in (allow-passthrough on). GNU screen passes on what is wrapped, in
 * pieces of its own size.
 */
#include "model/base/error.h"
#include <stddef.h>

enum clipboard_way { CLIPBOARD_PLAIN, CLIPBOARD_TMUX, CLIPBOARD_SCREEN };
enum { CLIPBOARD_TEXT_MAX = 56000 }; /* bytes */

/* By $TMUX and $TERM. */
enum clipboard_way clipboard_way(void);
/* "sent to …: ", and what that needs to arrive. */
const char *clipboard_sent(enum clipboard_way way);
/*
 * What to send, ended by NUL; the caller frees it with memory_free(). Any text
 * is harmless in it. NULL sets `err`: too long, or no memory.
 */
char *clipboard_sequence(const char *text, enum clipboard_way way,
			 struct error *err) MUST_USE;

#endif
