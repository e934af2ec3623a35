#ifndef TUI_TERM_CLIPBOARD_H
#define TUI_TERM_CLIPBOARD_H

/*
 * OSC 52 asks the terminal, local or remote, to put a text into its clipboard. There is no
 * response, so nothing more than "sent" can be reported.
 *
 *   ESC ] 52 ; c ; BASE64 BEL
 *
 * Terminals accept about 74,994 bytes (hterm's limit, the smallest known). tmux gets the sequence
 * twice: for itself (set-clipboard on) and wrapped for its terminal (allow-passthrough on). GNU
 * screen passes on what is wrapped, in pieces of its own size.
 */
#include "model/base/error.h"
#include <stddef.h>

enum clipboard_way { CLIPBOARD_PLAIN, CLIPBOARD_TMUX, CLIPBOARD_SCREEN };
enum { CLIPBOARD_TEXT_MAX = 56000 }; /* bytes */

/* Depends on $TMUX and $TERM. */
enum clipboard_way clipboard_way(void);
/* "sent to …: ", and what it needs to arrive. */
const char *clipboard_sent(enum clipboard_way way);
/*
 * The bytes to send; memory_free() them. Safe for any text. NULL sets `err`: too long, or no
 * memory.
 */
char *clipboard_sequence(const char *text, enum clipboard_way way, struct error *err) MUST_USE;

#endif
