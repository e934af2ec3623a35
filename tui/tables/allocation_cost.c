#include "tui/tables/allocation_cost.h"
#include "model/base/duration.h"
#include <stdio.h>

const char *
allocation_cost_text(const struct live_allocations *plan,
		     char text[ALLOCATION_COST_BYTES])
{
	char stop[DURATION_BYTES];

	if (!plan->survival_stop_ns)
		snprintf(text, ALLOCATION_COST_BYTES,
			 "up to %u MiB for events in the process; no "
			 "collection, nothing is stopped",
			 plan->buffer_mb);
	else
		snprintf(
		    text, ALLOCATION_COST_BYTES,
		    "up to %u MiB for events in the process; no "
		    "collection is forced; the process stops at the end "
		    "of every background collection for about 3.6 ns an "
		    "object, here about %s, to report what survives",
		    plan->buffer_mb,
		    duration_text((double)plan->survival_stop_ns / 1e9, stop));
	return text;
}

bool
allocation_cost_is_within(const struct live_allocations *plan,
			  uint64_t budget_ms, struct error *err)
{
	char stop[DURATION_BYTES], budget[DURATION_BYTES];

	if (plan->survival_stop_ns / 1000000 <= budget_ms)
		return true;
	return error_set(
	    err, ERROR_ATTACH,
	    "survival events may stop %s for %s at the end of every background "
	    "collection, more than the budget of %s; --no-survival records "
	    "without them; nothing was done to the process",
	    plan->who,
	    duration_text((double)plan->survival_stop_ns / 1e9, stop),
	    duration_text((double)budget_ms / 1e3, budget));
}
