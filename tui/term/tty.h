#ifndef TUI_TERM_TTY_H
#define TUI_TERM_TTY_H

/* Opens the terminal, and waits for keys and signals. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Standard input or output if it is a terminal, else /dev/tty. NULL: there is no terminal. Closed
 * on exec.
 */
FILE *tty_open(int standard, const char *mode);

/* A time `timeout_ms` from now; -1 (no limit) stays -1. */
int64_t tty_deadline(int timeout_ms);
bool tty_is_over(int64_t deadline);
/*
 * Waits for input or a signal, at most until the deadline; adds events, see signals.h. False: the
 * terminal is gone.
 */
bool tty_wait(int fd, int64_t deadline, unsigned *events);
/*
 * Waits for the next byte of a key that has begun. Requests to quit, interrupt or suspend end the
 * wait, other events do not. False: no byte came.
 */
bool tty_wait_rest(int fd, int wait_ms, unsigned *events);
/* Whether read() would return at once. */
bool tty_has_input(int fd);

#endif
