#ifndef CAPTURE_REMOTE_FRAME_H
#define CAPTURE_REMOTE_FRAME_H

/*
 * The messages between heaptop and its agent on another machine. Both are of the same version, so
 * there is no other version of this protocol.
 *
 *   u32 channel, u32 kind, u32 length, little endian; then so many bytes
 *
 * heaptop asks on a channel of its own choice; the agent answers on the same channel with any
 * number of messages, the last of which is SAY_END. Several channels may be open. ASK_CANCEL
 * concerns the question on its channel. When the agent's input ends, it cancels all questions and
 * exits; the same if nothing has come for a time, for which ASK_NOTHING is sent every few seconds.
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
	ASK_METHODS,     /* SAY_CODE for each file, SAY_BYTES: the event stream */
	ASK_COUNT,
	ASK_CANCEL = ASK_COUNT, /* no answer of its own */
	ASK_NOTHING,            /* no answer */
	SAY_HELLO,              /* channel 0: the agent's version */
	SAY_PROGRESS,
	SAY_PROCESS,
	SAY_CARD,
	SAY_CODE,
	SAY_BYTES,
	SAY_END,
};

enum { FRAME_MAX_BYTES = 256 << 10, FRAME_HEAD_BYTES = 12 };

struct frame {
	uint32_t channel, kind, len;
	uint8_t bytes[FRAME_MAX_BYTES];
};

/* A descriptor; wait() is called before each read, and false ends it. NULL: a read may wait without
   limit. */
struct frame_source {
	int fd;
	bool (*wait)(void *context);
	void *context;
};

/* Waits for the next message. False: failed, or with ERROR_NONE the end, which may come within a
   message. */
bool frame_read(const struct frame_source *from, struct frame *f, struct error *err) MUST_USE;
/* A pipe that has room takes as much without waiting. */
enum { FRAME_ROOM_BYTES = 4096 };

/* A descriptor; wait() is called before each write, of at most a few KB, and false ends it. NULL: a
   write may wait without limit. */
struct frame_target {
	int fd;
	bool (*wait)(void *context);
	void *context;
};

/* Returns 0 or an errno; ETIMEDOUT: wait() has ended it. `len` is at most FRAME_MAX_BYTES. */
int frame_send(const struct frame_target *to, uint32_t channel, enum frame_kind kind,
	       const void *bytes, size_t len);
int frame_write(int fd, uint32_t channel, enum frame_kind kind, const void *bytes, size_t len);
/* Returns whether a few KB can be written without waiting, after at most
   `ms`. A descriptor that has failed can. */
bool frame_has_room(int fd, int ms);

#endif
