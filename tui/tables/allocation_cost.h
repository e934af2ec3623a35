#ifndef TUI_TABLES_ALLOCATION_COST_H
#define TUI_TABLES_ALLOCATION_COST_H

/* The cost of a recording of allocations for the process. */
#include "model/heap/live.h"

enum { ALLOCATION_COST_BYTES = 240 };
/* Writes "up to 64 MiB for events in the process; …"; returns `text`. */
const char *allocation_cost_text(const struct live_allocations *plan,
				 char text[ALLOCATION_COST_BYTES]);
/* False sets `err`: a stop may take longer than this; UINT64_MAX: no limit. */
bool allocation_cost_is_within(const struct live_allocations *plan,
			       uint64_t budget_ms, struct error *err);

#endif
