#ifndef TUI_TERM_TTY_H
#define TUI_TERM_TTY_H

/* A terminal as two streams: opening them, and waiting for keys and signals. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Standard input or output where that is a terminal, else /dev/tty. NULL:
 * there is none. Not inherited by other programs.
 */
FILE *tty_open(int standard, const char *mode);

/* So many milliseconds from now; -1, for ever, stays -1. */
int64_t tty_deadline(int timeout_ms);
bool tty_is_over(int64_t deadline);
/*
 * Waits for input or a signal, at most until the deadline; what happened is
 * added to `events`, see signals.h. False: the terminal is gone.
 */
bool tty_wait(int fd, int64_t deadline, unsigned *events);
/*
 * For the next byte of a key that has begun. What happens meanwhile, such as
 * work that is done, does not end it, but who wants to stop need not wait.
 * False: none comes.
 */
bool tty_wait_rest(int fd, int wait_ms, unsigned *events);
/* Could read() return at once? */
bool tty_has_input(int fd);

#endif
