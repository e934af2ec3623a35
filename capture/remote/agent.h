#ifndef CAPTURE_REMOTE_AGENT_H
#define CAPTURE_REMOTE_AGENT_H

/*
 * The side of `--via` where the processes are: answers the questions of
 * frame.h that come from `in`, each on a thread of its own, until `in` ends, or has been silent for
 * too long: a connection may break without an end. Then it cancels what is under way, waits for it,
 * and returns; event sessions are stopped and processes run on.
 *
 * The heaps are captured here, within the memory limit of this process, and sent as .heaptop. The
 * events of collections and allocations are sent as they arrive and decoded on the other side.
 */
#include "model/heap/live.h"

struct agent_options {
	const char *version; /* sent first */
	uint64_t memory_bytes;
	/* How to inspect and capture processes; capture_live_ops. */
	const struct live_ops *live;
	uint32_t silent_max_ms; /* 0: no limit */
};

/* False: a message from `in` could not be read, or there is no memory. */
bool agent_serve(int in, int out, const struct agent_options *options, struct error *err) MUST_USE;

#endif
