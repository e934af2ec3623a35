#ifndef CAPTURE_REMOTE_REMOTE_H
#define CAPTURE_REMOTE_REMOTE_H

/*
 * Processes on another machine, through its agent (agent.h); for the screen they are as those here
 * (model/heap/live.h). A heap is captured there and arrives as a .heaptop, so that it lacks what
 * that format does. It is kept in memory until it is read: about 4 bytes an object.
 *
 * There is one connection, of the whole program.
 */
#include "capture/remote/carrier.h"
#include "model/heap/live.h"

extern const struct live_ops remote_live_ops;

/* Connects; remote_live_ops needs it. May ask for a password on the terminal, and take as long as
   sending a few MB. */
bool remote_open(const struct carrier_options *options, const char *version,
		 struct error *err) MUST_USE;
/* Ends the agent and the connection, if there is one. */
void remote_close(void);

#endif
