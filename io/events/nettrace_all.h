#ifndef IO_EVENTS_NETTRACE_ALL_H
#define IO_EVENTS_NETTRACE_ALL_H

/* Reads an event stream to its end. */
#include "io/events/nettrace.h"
#include "model/base/progress.h"

/* Takes an event, or NETTRACE_LOST; false sets `err`. */
typedef bool nettrace_take(void *context, const struct nettrace *t, enum nettrace_item item,
			   const struct nettrace_event *event, struct error *err);
/*
 * Hands each item to `take`, and the number of bytes read to `progress`, which may be NULL. False
 * sets `err`: the input or `take` failed, or `progress` was cancelled.
 */
bool nettrace_take_all(struct nettrace *t, nettrace_take *take, void *context,
		       struct progress *progress, struct error *err) MUST_USE;

#endif
