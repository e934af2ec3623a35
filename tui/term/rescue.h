#ifndef TUI_TERM_RESCUE_H
#define TUI_TERM_RESCUE_H

/*
 * Puts the terminal back when the program dies: after a crash, an abort or a
 * forgotten exit() the shell must be usable. What to write is worked out
 * beforehand, because a signal handler may hardly do more than write().
 */
#include <stddef.h>
#include <termios.h>

/* One terminal at a time; before its modes are changed. */
void rescue_arm(int terminal, const struct termios *modes);
/* What it is sent besides. Copied, at most RESCUE_BYTES. */
enum { RESCUE_BYTES = 256 };
void rescue_set_bytes(const char *bytes, size_t len);
void rescue_disarm(void);
/* Does it now; from signal handlers too. A terminal that takes nothing is
 * waited for a second, no more. */
void rescue_now(void);

#endif
