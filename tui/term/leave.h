#ifndef TUI_TERM_LEAVE_H
#define TUI_TERM_LEAVE_H

/*
 * Leaves the program although something does not stop: a computation, a file system. It must not be
 * able to keep the user, or a client.
 */

/* If the program has not ended by then, it ends with code LEAVE_CODE. The first call counts, until
   one with 0: there is no limit any more. Also from signal handlers. */
enum { LEAVE_SECONDS = 10, LEAVE_CODE = 6 /* EXIT_FAILED */ };
void leave_within(unsigned seconds);
/* Restores the terminal, says why, and ends the program without waiting for
   any thread. Also from signal handlers. */
_Noreturn void leave_now(void);

#endif
