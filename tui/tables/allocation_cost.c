#include "tui/tables/allocation_cost.h"
#include "model/base/duration.h"
#include "model/base/text.h"

const char *
allocation_cost_text(const struct live_allocations *plan, char text[ALLOCATION_COST_BYTES])
{
	struct text out = text_in(text, ALLOCATION_COST_BYTES);
	char stop[DURATION_BYTES];

	text_addf(&out,
		  "up to %u MiB for events in the process; " ALLOCATION_COST_OF_STACKS
		  "; no collection is forced; ",
		  plan->buffer_mb);
	if (!plan->survival_stop_ns)
		text_add(&out, "nothing is stopped");
	else
		text_addf(
		    &out,
		    "the process stops at the end of every background collection for about 3.6 ns "
		    "an object, here about %s, to report what survives",
		    duration_text((double)plan->survival_stop_ns / 1e9, stop));
	return text;
}

bool
allocation_cost_is_within(const struct live_allocations *plan, uint64_t budget_ms,
			  struct error *err)
{
	char stop[DURATION_BYTES], budget[DURATION_BYTES];

	if (plan->survival_stop_ns / 1000000 <= budget_ms)
		return true;
	return error_set(
	    err, ERROR_ATTACH,
	    "survival events may stop %s for %s at the end of every background collection, more "
	    "than the budget of %s; --no-survival records without them; nothing was done to the "
	    "process",
	    plan->who, duration_text((double)plan->survival_stop_ns / 1e9, stop),
	    duration_text((double)budget_ms / 1e3, budget));
}
