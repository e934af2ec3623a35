#ifndef TUI_TERM_SIGNALS_H
#define TUI_TERM_SIGNALS_H

/*
 * Signals as events: a handler only writes a byte into a pipe, and whoever
 * waits for keys waits for the pipe, too. For those that mean no harm; see
 * rescue.h for the others.
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
/* To be polled for reading. */
int signals_fd(void);
/* What has happened since the last time. Must be asked now and then: who is
 * told to end four times in two seconds or more, and does not listen, is
 * ended. */
unsigned signals_take(void);
/* From any thread or signal handler. */
void signals_wake(void);
/*
 * Another program has the terminal: ^C and ^\ are for that one alone, ^Z stops
 * both. Until signals_stand_again().
 */
void signals_stand_aside(void);
void signals_stand_again(void);
/* `before` is for sigaction(), to undo it. */
void signals_ignore(int number, struct sigaction *before);
/* Stops all of the job, as ^Z does; returns when it goes on. */
void signals_stop_here(void);

#endif
