#ifndef TUI_TERM_SIGNALS_H
#define TUI_TERM_SIGNALS_H

/*
 * Signals as events: a handler only writes a byte into a pipe, which is polled together with the
 * keyboard. Fatal signals are handled in rescue.h.
 */
#include "model/base/error.h"
#include <signal.h>

enum event {                      /* bits */
	     EVENT_QUIT = 1,      /* SIGTERM, SIGHUP */
	     EVENT_INTERRUPT = 2, /* SIGINT */
	     EVENT_SUSPEND = 4,   /* SIGTSTP */
	     EVENT_CONTINUED = 8, /* SIGCONT */
	     EVENT_RESIZE = 16,   /* SIGWINCH */
	     EVENT_WAKE = 32,     /* signals_wake() */
};

bool signals_open(struct error *err) MUST_USE;
void signals_close(void);
/* Poll this descriptor for reading. */
int signals_fd(void);
/* The events since the last call. Call it regularly: if four requests to quit in two seconds or
 * more are not taken, the signal ends the program. */
unsigned signals_take(void);
/* May be called from any thread or signal handler. */
void signals_wake(void);
/*
 * While another program has the terminal: ^C and ^\ are for that program only, ^Z stops both. Until
 * signals_take_back().
 */
void signals_lend(void);
void signals_take_back(void);
/* Saves the old action in `before`, for sigaction(). */
void signals_ignore(int number, struct sigaction *before);
/* Stops the whole job, as ^Z does; returns when it continues. */
void signals_stop_here(void);

#endif
