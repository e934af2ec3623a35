#include "io/events/nettrace_all.h"

enum { EVENTS_A_LOOK = 256 }; /* between two checks for cancelling */

bool
nettrace_take_all(struct nettrace *t, nettrace_take *take, void *context, struct progress *progress,
		  struct error *err)
{
	struct nettrace_event event;
	enum nettrace_item item;
	uint64_t reported = 0;

	for (unsigned count = 0;; count++) {
		item = nettrace_next(t, &event, err);
		if (item == NETTRACE_FAILED)
			return false;
		if (item == NETTRACE_END)
			return true;
		if (!take(context, t, item, &event, err))
			return false;
		if (count % EVENTS_A_LOOK)
			continue;
		if (!progress_add(progress, nettrace_status(t)->offset - reported))
			return error_cancelled(err);
		reported = nettrace_status(t)->offset;
	}
}
