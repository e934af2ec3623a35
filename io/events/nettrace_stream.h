#ifndef IO_EVENTS_NETTRACE_STREAM_H
#define IO_EVENTS_NETTRACE_STREAM_H

/* Takes pieces from the chunks of an input, copying only pieces that span two chunks. */
#include "io/events/nettrace.h"

struct nettrace_stream {
	struct nettrace_input input;
	const uint8_t *chunk;
	size_t chunk_len, chunk_at;
	uint8_t *joined; /* the piece that spans chunks */
	size_t joined_room;
	uint64_t offset;            /* of the next byte */
	bool has_ended, has_failed; /* the input has */
};

void nettrace_stream_clear(struct nettrace_stream *s);
/*
 * The next `len` bytes, valid until the next call; fewer (`*got`) only if the stream ends or fails.
 * NULL if the stream fails or has no bytes left.
 */
const uint8_t *nettrace_stream_take(struct nettrace_stream *s, size_t len, size_t *got,
				    struct error *err);
/* Skips `len` bytes without storing them; false if there are fewer. */
bool nettrace_stream_skip(struct nettrace_stream *s, uint64_t len, struct error *err);

#endif
