#ifndef CAPTURE_REMOTE_FRAME_H
#define CAPTURE_REMOTE_FRAME_H

/*
 * The messages between heaptop and its agent on another machine. Both are of
 * the same version, so there is no other version of this protocol.
 *
 *   u32 channel, u32 kind, u32 length, little endian; then so many bytes
 *
 * heaptop asks on a channel of its own choice; the agent answers on the same
 * channel with any number of messages, the last of which is SAY_END. Several
 * channels may be open. ASK_CANCEL concerns the question on its channel. When
 * the agent's input ends, it cancels all questions and exits.
 */
#include "model/base/error.h"
#include <stddef.h>

enum frame_kind {
	ASK_LIST,        /* SAY_PROCESS for each, SAY_END */
	ASK_OPEN,        /* SAY_CARD, SAY_END with the number of the capture */
	ASK_LOAD,        /* SAY_BYTES: a .heaptop */
	ASK_FREE,        /* a capture; only SAY_END */
	ASK_COLLECTIONS, /* SAY_BYTES: the runtime's event stream */
	ASK_PLAN,        /* SAY_END with the plan */
	ASK_ALLOCATIONS, /* SAY_BYTES: the runtime's event stream */
	ASK_CANCEL,
	ASK_COUNT,
	SAY_HELLO = ASK_COUNT, /* channel 0: the agent's version */
	SAY_PROGRESS,
	SAY_PROCESS,
	SAY_CARD,
	SAY_BYTES,
	SAY_END,
};

enum { FRAME_MAX_BYTES = 256 << 10, FRAME_HEAD_BYTES = 12 };

struct frame {
	uint32_t channel, kind, len;
	uint8_t bytes[FRAME_MAX_BYTES];
};

/* A descriptor; wait() is called before each read, and false ends it. NULL: a
   read may wait without limit. */
struct frame_source {
	int fd;
	bool (*wait)(void *context);
	void *context;
};

/* Waits for the next message. False: failed, or with ERROR_NONE the end. */
bool frame_read(const struct frame_source *from, struct frame *f,
		struct error *err) MUST_USE;
/* Returns 0 or an errno. `len` is at most FRAME_MAX_BYTES. */
int frame_write(int fd, uint32_t channel, enum frame_kind kind,
		const void *bytes, size_t len);

#endif
