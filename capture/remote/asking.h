#ifndef CAPTURE_REMOTE_ASKING_H
#define CAPTURE_REMOTE_ASKING_H

/*
 * Asks the agent over the program's one connection, and takes what all answers have in common:
 * progress, and errors, which name the side on which they happened.
 */
#include "capture/remote/link.h"

/* How long cancelling may go unnoticed. */
enum { ASKING_LOOK_MS = 50 };

/* As in remote.h. */
bool asking_open(const struct carrier_options *options, const char *version,
		 struct error *err) MUST_USE;
void asking_close(void);
/* "web-1", for messages. */
const char *asking_label(void);
/* "process 4711 (api)" becomes "web-1: process 4711 (api)" */
void asking_add_label(char *who, size_t who_size);

/* Takes the messages before the end; each function may be NULL. */
struct taking {
	bool (*take)(void *context, const struct frame *f, struct error *err);
	/* False: the progress is the agent's. */
	bool (*progress)(void *context, const struct wire_progress *now);
	void *context;
	void (*watch)(void *watched, const struct live_watch *now);
	void *watched;
};

/* link_ask() */
struct answer *asking_begin(enum frame_kind kind, const struct wire_ask *question,
			    struct error *err) MUST_USE;
/* Takes the last message; false: it is an error. */
bool asking_take_end(const struct frame *f, struct wire_end *end, struct error *err) MUST_USE;
/* Asks, and takes all messages until the end; false if that is an error. */
bool asking_ask(enum frame_kind kind, const struct wire_ask *question, const struct taking *t,
		struct wire_end *end, struct progress *progress, struct error *err) MUST_USE;

#endif
