#ifndef CAPTURE_PROCESS_TARGET_NEED_H
#define CAPTURE_PROCESS_TARGET_NEED_H

/*
 * Estimates the memory that a heap walk costs the target: event buffers, the collection's own need,
 * and the runtime's tables. Refuses a capture that does not fit, which could get the target killed
 * or stall it while its pages are read back.
 */
#include "model/heap/live.h"

/* With a smaller buffer events are lost, which costs another collection. */
enum { TARGET_BUFFER_MIN_MB = 64 };
/* The events of a walk take at most this multiple of the bytes of objects of ordinary size. */
enum { EVENTS_SHARE = 2 };

/*
 * The largest buffer, up to `wanted_mb`, with which a walk fits; TARGET_BUFFER_MIN_MB if none does.
 */
uint32_t target_need_buffer_mb(const struct live_card *card, uint32_t wanted_mb);
/* Fills in the card's need and, if that does not fit, its refusal. */
void target_need_judge(struct live_card *card);

#endif
