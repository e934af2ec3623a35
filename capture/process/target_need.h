#ifndef CAPTURE_PROCESS_TARGET_NEED_H
#define CAPTURE_PROCESS_TARGET_NEED_H

/*
 * The memory that a walk of its heap costs the target: event buffers, the
 * collection's own need, and the runtime's tables. A process that has
 * less room than that may be killed by the kernel, or stand still while its
 * pages are fetched again: nothing is forced on it then.
 */
#include "model/heap/live.h"

/* Less is not asked for: events would be lost, and cost another collection. */
enum { TARGET_BUFFER_MIN_MB = 64 };

/*
 * The largest buffer up to `wanted_mb` with which a walk fits;
 * TARGET_BUFFER_MIN_MB if none does.
 */
uint32_t target_need_buffer_mb(const struct live_card *card,
			       uint32_t wanted_mb);
/* Fills in the card's need and, where that does not fit, its refusal. */
void target_need_judge(struct live_card *card);

#endif
