#ifndef CAPTURE_EVENTS_DRAIN_H
#define CAPTURE_EVENTS_DRAIN_H

/*
 * Empties a socket as fast as the kernel can copy, on a thread of its own: when a socket is full,
 * the runtime drops events or blocks its program. The bytes wait in a chain of reusable buffers for
 * a decoder on another thread (drain_input()). The chain grows with the decoder's backlog up to a
 * limit, at which the reader waits and counts that in drain_facts.
 */
#include "io/events/nettrace.h"
#include "model/base/arena.h"

struct drain;

struct drain_facts {
	uint64_t bytes;        /* read so far */
	uint64_t backlog_peak; /* of bytes that waited for the decoder */
	uint64_t waits_count;  /* how often the reader waited at the limit */
	int64_t last_ns;       /* clock_ns() when the last bytes came */
	bool has_ended;        /* the peer closed, or reading failed */
	int errnum;            /* of a failed read; 0: an ordinary end */
};

/* `limit_bytes` is raised to a few buffers; 0: the default limit. */
struct drain *drain_new(uint64_t limit_bytes, struct error *err) MUST_USE;
/*
 * Begins to read `fd` to its end. It stays the caller's, who may close it only after drain_free().
 * The decoded stream is also written to `keep` (-1: not).
 */
bool drain_start(struct drain *d, int fd, int keep, struct error *err) MUST_USE;
/* From any thread. */
void drain_facts(struct drain *d, struct drain_facts *facts);
/* The errno of the first write to `keep` that failed; 0: none did. */
int drain_keep_errnum(struct drain *d);

/* For the decoder's thread; ends with the stream. */
struct nettrace_input drain_input(struct drain *d);
/* Reads and drops the rest of the stream, and ends the input. From any thread. */
void drain_discard(struct drain *d);
/* Stops reading, joins the thread, frees all. NULL is allowed. */
void drain_free(struct drain *d);

#endif
