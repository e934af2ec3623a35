#ifndef TUI_TERM_RESCUE_H
#define TUI_TERM_RESCUE_H

/*
 * Restores the terminal when the program dies, so that the shell is usable after a crash, an abort
 * or a stray exit(). The bytes to send are prepared beforehand, because a signal handler can do
 * little more than write().
 */
#include <stddef.h>
#include <termios.h>

/* For one terminal at a time; call it before changing the modes. */
void rescue_arm(int terminal, const struct termios *modes);
/* Bytes to send as well. Copied, at most RESCUE_BYTES. */
enum { RESCUE_BYTES = 256 };
void rescue_set_bytes(const char *bytes, size_t len);
void rescue_disarm(void);
/* Restores the terminal now; also from signal handlers. Waits at most a second for a terminal that
 * accepts nothing. */
void rescue_now(void);

#endif
