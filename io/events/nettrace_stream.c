#include "io/events/nettrace_stream.h"
#include "model/base/arena.h"
#include <string.h>

enum { JOINED_FIRST_ROOM = 1 << 17 }; /* more than a block of the runtime */

void
nettrace_stream_clear(struct nettrace_stream *s)
{
	memory_free(s->joined);
	*s = (struct nettrace_stream){ 0 };
}

/* False at the end or on failure. */
static bool
stream_refill(struct nettrace_stream *s, struct error *err)
{
	if (s->has_ended || s->has_failed)
		return false;
	s->chunk_at = 0;
	s->chunk_len = 0;
	if (!s->input.next(s->input.context, &s->chunk, &s->chunk_len, err)) {
		s->has_failed = true;
		s->chunk_len = 0;
	} else if (!s->chunk_len) {
		s->has_ended = true;
	}
	return s->chunk_len > 0;
}

/* Grows with what has arrived, not with what the stream announces. */
static bool
stream_make_room(struct nettrace_stream *s, size_t have, size_t more, size_t want,
		 struct error *err)
{
	size_t room = have + more;
	uint8_t *larger;

	if (room <= s->joined_room)
		return true;
	if (room < 2 * s->joined_room)
		room = 2 * s->joined_room;
	if (room < JOINED_FIRST_ROOM)
		room = JOINED_FIRST_ROOM;
	if (room > want && want >= JOINED_FIRST_ROOM)
		room = want;
	larger = memory_resize(s->joined, room, 1, err);
	if (!larger) {
		s->has_failed = true;
		return false;
	}
	s->joined = larger;
	s->joined_room = room;
	return true;
}

static const uint8_t *
stream_join(struct nettrace_stream *s, size_t want, size_t *got, struct error *err)
{
	size_t have = 0;

	for (;;) {
		size_t part = s->chunk_len - s->chunk_at;

		if (part > want - have)
			part = want - have;
		if (part) {
			if (!stream_make_room(s, have, part, want, err))
				return NULL;
			memcpy(s->joined + have, s->chunk + s->chunk_at, part);
			s->chunk_at += part;
			s->offset += part;
			have += part;
		}
		if (have == want || !stream_refill(s, err))
			break;
	}
	*got = have;
	return have && !s->has_failed ? s->joined : NULL;
}

const uint8_t *
nettrace_stream_take(struct nettrace_stream *s, size_t len, size_t *got, struct error *err)
{
	const uint8_t *piece;

	*got = 0;
	if (s->chunk_at == s->chunk_len && !stream_refill(s, err))
		return NULL;
	if (len > s->chunk_len - s->chunk_at)
		return stream_join(s, len, got, err);
	piece = s->chunk + s->chunk_at;
	s->chunk_at += len;
	s->offset += len;
	*got = len;
	return piece;
}

bool
nettrace_stream_skip(struct nettrace_stream *s, uint64_t len, struct error *err)
{
	while (len) {
		uint64_t part = s->chunk_len - s->chunk_at;

		if (!part && !stream_refill(s, err))
			return false;
		if (!part)
			continue;
		if (part > len)
			part = len;
		s->chunk_at += (size_t)part;
		s->offset += part;
		len -= part;
	}
	return true;
}
