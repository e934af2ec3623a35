#ifndef CAPTURE_EVENTS_DRAIN_H
#define CAPTURE_EVENTS_DRAIN_H

/*
 * Empties a socket as fast as the kernel can copy, on a thread that does
 * nothing else: what it does not take in time, the runtime throws away, or
 * holds its program up for. The bytes wait in a chain of buffers for a decoder
 * on another thread (drain_input()); buffers are used again.
 *
 * A decoder that lags behind makes the chain longer, up to a limit; beyond it
 * the reader waits, and says so in drain_facts.
 */
#include "io/events/nettrace.h"
#include "model/base/arena.h"

struct drain;

struct drain_facts {
	uint64_t bytes;        /* read so far */
	uint64_t backlog_peak; /* bytes that waited for the decoder, at most */
	uint64_t waits_count;  /* the limit was reached so often */
	int64_t last_ns;       /* CLOCK_MONOTONIC when the last bytes came */
	bool has_ended;        /* the other end closed, or reading failed */
	int errnum;            /* of a failed read; 0: an ordinary end */
};

/* `limit_bytes` is at least some buffers; 0: an ordinary limit. */
struct drain *drain_new(uint64_t limit_bytes, struct error *err) MUST_USE;
/*
 * Reads `fd` to its end from now on; it stays the caller's, and must not be
 * closed before drain_free(). The stream is also written to `keep` (-1: not),
 * as it is decoded.
 */
bool drain_start(struct drain *d, int fd, int keep, struct error *err) MUST_USE;
/* To be called any time from any thread. */
void drain_facts(struct drain *d, struct drain_facts *facts);
/* The errno of the first write to `keep` that failed; 0: none did. */
int drain_keep_errnum(struct drain *d);

/* For the decoder's thread: ends with the stream. */
struct nettrace_input drain_input(struct drain *d);
/*
 * What comes from here on is of no interest: it is read and thrown away, and
 * the input has ended. From any thread.
 */
void drain_discard(struct drain *d);
/* Reads no more, waits for the thread, frees all. NULL is allowed. */
void drain_free(struct drain *d);

#endif
