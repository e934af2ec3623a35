#ifndef IO_BASE_SPOOL_H
#define IO_BASE_SPOOL_H

/*
 * What can be read only once, a pipe, kept in memory as a file without a name:
 * an input is looked at first, and loaded then. Nothing is read ahead, so that
 * what turns out to be no dump costs its first bytes only.
 */
#include "model/base/progress.h"

struct spool {
	int from, to; /* borrowed; owned */
	uint64_t len; /* bytes that `to` has */
	bool is_at_end;
};

/* The most that is worth keeping: half of this machine's memory. */
uint64_t spool_max_bytes(void);

bool spool_open(struct spool *s, int from, struct error *err) MUST_USE;
void spool_close(struct spool *s);
/*
 * Reads on until `wanted` bytes are kept, or all; more than `max` is refused.
 * Looks for Esc while it waits.
 */
bool spool_read(struct spool *s, uint64_t wanted, uint64_t max,
		struct progress *progress, struct error *err) MUST_USE;

#endif
