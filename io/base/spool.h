#ifndef IO_BASE_SPOOL_H
#define IO_BASE_SPOOL_H

/*
 * Keeps a pipe in memory as an unnamed file, since an input is examined first and then loaded.
 * Reads no more than asked for, so that rejecting an input costs only its first bytes.
 */
#include "model/base/progress.h"

struct spool {
	int from, to; /* borrowed; owned */
	uint64_t len; /* bytes in `to` */
	bool is_at_end;
};

/* The most that is kept: half of this machine's memory. */
uint64_t spool_max_bytes(void);

bool spool_open(struct spool *s, int from, struct error *err) MUST_USE;
void spool_close(struct spool *s);
/* Reads until `wanted` bytes or all are kept; more than `max` is refused. Can be cancelled while it
 * waits. */
bool spool_read(struct spool *s, uint64_t wanted, uint64_t max, struct progress *progress,
		struct error *err) MUST_USE;

#endif
