#ifndef TUI_RESCUE_H
#define TUI_RESCUE_H

/*
 * Puts the terminal back when the program dies: after a crash, an abort or a
 * forgotten exit() the shell must be usable. What to write is worked out
 * beforehand, because a signal handler may hardly do more than write().
 */
#include <stddef.h>
#include <termios.h>

/* One terminal at a time. `bytes` are copied, at most RESCUE_BYTES. */
enum { RESCUE_BYTES = 256 };
void rescue_arm(int terminal, const struct termios *modes, const char *bytes,
		size_t len);
void rescue_disarm(void);
/* Does it now, once; from signal handlers too. */
void rescue_now(void);

#endif
