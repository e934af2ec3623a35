#ifndef IO_BASE_NUMBER_MAP_H
#define IO_BASE_NUMBER_MAP_H

/*
 * From the numbers that a stream uses for things (threads, kinds of events,
 * types) to places in our arrays. 24 bytes an entry at most; a look-up costs
 * one cache miss. The hash is salted, so that a stream cannot be made to
 * collide.
 */
#include "model/base/error.h"
#include <stddef.h>

#define NETTRACE_MAP_NONE UINT32_MAX

struct nettrace_map_slot {
	uint64_t key;
	uint32_t value; /* NETTRACE_MAP_NONE: the slot is free */
};

struct nettrace_map { /* all zero: empty */
	struct nettrace_map_slot *slots;
	size_t count, room;
};

void nettrace_map_clear(struct nettrace_map *m);
/* NETTRACE_MAP_NONE if it is not there. */
uint32_t nettrace_map_get(const struct nettrace_map *m, uint64_t key);
/* `value` is not NETTRACE_MAP_NONE; replaces what the key had. */
bool nettrace_map_put(struct nettrace_map *m, uint64_t key, uint32_t value,
		      struct error *err) MUST_USE;

#endif
