#ifndef IO_EVENTS_NETTRACE_STACKS_H
#define IO_EVENTS_NETTRACE_STACKS_H

/*
 * The stacks of events, by id. A stack block is
 *
 *   u32 first id, u32 count, count times: u32 size, so many bytes
 *
 * and a stack is an array of code addresses, the innermost frame first. Ids restart at every
 * sequence point, so a stack is looked up while its event is read, never later. Memory:
 * NETTRACE_STACKS_BYTES and a block; a stream with more between two sequence points loses the older
 * stacks.
 */
#include "io/base/bytes.h"
#include "io/events/nettrace.h"

enum { NETTRACE_STACKS_BYTES = 32 << 20 };

struct nettrace_stacks {
	uint8_t *bytes;
	size_t len, bytes_room;
	struct nettrace_stack {
		size_t at;
		uint32_t len;
	} * items; /* of the ids from `first` on */
	size_t count, room;
	uint32_t first;
};

void nettrace_stacks_clear(struct nettrace_stacks *s);
/* Forgets all stacks, but keeps the memory for the next ones. */
void nettrace_stacks_forget(struct nettrace_stacks *s);
/* Reads a block. Damage fails the cursor; false sets `err`: no memory. */
bool nettrace_stacks_read(struct nettrace_stacks *s, struct bytes *b, struct error *err) MUST_USE;
/* The bytes of a stack, valid until the next block; NULL: it is empty, or the id is unknown. */
const uint8_t *nettrace_stacks_find(const struct nettrace_stacks *s, uint32_t id, uint32_t *len);

#endif
