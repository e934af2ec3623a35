#ifndef IO_EVENTS_NETTRACE_H
#define IO_EVENTS_NETTRACE_H

/*
 * Decodes the event stream of a .NET runtime ("nettrace"), event by event, from a file or from a
 * socket. Reads the formats 4 and 5:
 *
 *   "Nettrace", u32 20, "!FastSerialization.1", objects, 01
 *   object  05 05 01, u32 version, u32 oldest reader, u32 n, n bytes of name,
 *           06, content, 06
 *   "Trace"                         48 bytes: time, clock, pointer size, pid …
 *   "EventBlock", "MetadataBlock",  u32 size, zeros up to a multiple of 4 in
 *   "StackBlock", "SPBlock"         the stream, then so many bytes
 *
 * and 6:
 *
 *   "Nettrace", u32 0, u32 6, u32 minor
 *   blocks of: u32 size (24 bits) and kind (8 bits), so many bytes
 *
 * Events are delivered in place, in the chunks of the input; only a block that spans two chunks is
 * copied. Memory: that one block (at most NETTRACE_BLOCK_MAX, and at most twice what has arrived of
 * it), at most 64 bytes for each kind of event and 80 for each thread, bounded by the stream's
 * length.
 *
 * Not thread-safe: one thread decodes. Its input may block.
 */
#include "model/base/error.h"
#include <stddef.h>

enum { NETTRACE_BLOCK_MAX = 256 << 20 };

/* The source of bytes. */
struct nettrace_input {
	/*
	 * The next bytes, as many as there are; *len is 0 at the end. They stay valid until the
	 * next call, which blocks while there are none. False sets `err`, and decoding ends with
	 * NETTRACE_FAILED.
	 */
	bool (*next)(void *context, const uint8_t **data, size_t *len, struct error *err);
	void *context;
};

enum nettrace_provider {
	NETTRACE_OTHER,
	NETTRACE_RUNTIME,   /* Microsoft-Windows-DotNETRuntime */
	NETTRACE_RUNDOWN,   /* Microsoft-Windows-DotNETRuntimeRundown */
	NETTRACE_EVENTPIPE, /* Microsoft-DotNETCore-EventPipe */
};

struct nettrace_event {
	enum nettrace_provider provider;
	uint32_t id, version;
	uint64_t thread;    /* the writing thread, in the target's namespace */
	uint64_t timestamp; /* in ticks of nettrace_header.clock_hz */
	uint64_t offset;    /* of the payload in the stream */
	const uint8_t *payload;
	uint32_t payload_len;
	bool is_sorted; /* no older event follows */
	/* With nettrace_keep_stacks(): code addresses, the innermost frame first, each of
	   pointer_bytes; NULL: none. */
	const uint8_t *stack;
	uint32_t stack_len; /* in bytes */
	/*
	 * For NETTRACE_LOST: events of `thread` missing from the stream after those already
	 * delivered and before all that follow.
	 */
	uint32_t lost_count;
};

enum nettrace_item {
	NETTRACE_END,   /* see nettrace_status */
	NETTRACE_EVENT, /* valid until the next call */
	NETTRACE_LOST,
	NETTRACE_FAILED, /* the input failed, or it is not a nettrace */
};

/* Valid from the first event, or the end, on. */
struct nettrace_header {
	uint32_t major; /* 4, 6 */
	uint32_t pointer_bytes, pid, processors;
	int64_t time;     /* at clock_start: UTC, seconds since 1970 */
	uint32_t time_ms; /* and milliseconds, below 1000 */
	uint64_t clock_start, clock_hz;
};

/* Results so far; final at NETTRACE_END. */
struct nettrace_status {
	uint64_t offset;               /* bytes read */
	uint64_t events_count;         /* delivered */
	uint64_t lost_events_count;    /* by gaps in sequence numbers */
	uint64_t damaged_blocks_count; /* each skipped from the damage on */
	bool has_ended;                /* completely; false: cut short */
	/* The first damage, or the place of the cut; else ERROR_NONE. */
	struct error damage;
};

struct nettrace;

bool nettrace_accepts(const uint8_t *head, size_t head_len);
struct nettrace *nettrace_new(struct nettrace_input input, struct error *err) MUST_USE;
void nettrace_free(struct nettrace *t);
/* Events get stacks; call it before the first one. See nettrace_stacks.h. */
void nettrace_keep_stacks(struct nettrace *t);
/*
 * The next event. Damage is not an error: what can be read is delivered, and the rest is counted in
 * the status.
 */
enum nettrace_item nettrace_next(struct nettrace *t, struct nettrace_event *event,
				 struct error *err) MUST_USE;
const struct nettrace_header *nettrace_header(const struct nettrace *t);
const struct nettrace_status *nettrace_status(const struct nettrace *t);
/*
 * UTC of a timestamp, in nanoseconds since 1970; 0 if unknown. The trace gives the time of its
 * start to the millisecond.
 */
int64_t nettrace_time(const struct nettrace *t, uint64_t timestamp);

/* An input from memory; `m` must outlive the decoder. */
struct nettrace_memory {
	const uint8_t *data;
	size_t len;
	bool was_given;
};
struct nettrace_input nettrace_memory_input(struct nettrace_memory *m, const uint8_t *data,
					    size_t len);

#endif
