#ifndef CAPTURE_REMOTE_LINK_H
#define CAPTURE_REMOTE_LINK_H

/*
 * The connection to an agent: questions and their answers. Any thread may ask; a thread of the
 * link's own reads all messages and hands them out.
 */
#include "capture/remote/carrier.h"
#include "capture/remote/frame.h"
#include "capture/remote/wire.h"

struct link;
struct answer; /* the messages that answer one question */

/* Connects, and checks that the agent is of this version. */
struct link *link_open(const struct carrier_options *options, const char *version,
		       struct error *err) MUST_USE;
/* Ends the agent, with all that it does. NULL is allowed. */
void link_close(struct link *l);
/* "web-1", for messages. */
const char *link_label(const struct link *l);

/* Waits for room if the command reads slowly: at most 10 s, or for ASK_FREE
   0.2 s, after which the agent keeps the capture until the end. */
struct answer *link_ask(struct link *l, enum frame_kind kind, const struct wire_ask *ask,
			struct error *err) MUST_USE;
/*
 * Waits for the next message, at most `ms`. NULL: none has come or, with `err` set, none will. The
 * message is valid until the next call.
 */
const struct frame *answer_next(struct answer *a, int ms, struct error *err) MUST_USE;
/* Asks the agent to stop; its last messages still come. Waits for room at most
   0.2 s, after which the agent goes on. */
void answer_stop(struct answer *a);
/* Cancels the question if its answer has not ended. NULL is allowed. */
void answer_free(struct answer *a);

#endif
