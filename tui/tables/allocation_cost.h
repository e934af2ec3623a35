#ifndef TUI_TABLES_ALLOCATION_COST_H
#define TUI_TABLES_ALLOCATION_COST_H

/* The cost of a recording of allocations for the process. */
#include "model/heap/live.h"

/*
 * The runtime walks the stack of each sample. Measured on .NET 8 and 10, which do not differ: 1 µs
 * a sample and 0.075 µs a frame, of which it walks 100.
 */
#define ALLOCATION_COST_OF_STACKS                                                                  \
	"reading stacks takes about 5 %% of a thread that allocates 1 GB/s "                       \
	"with 50 methods on its stack"

enum { ALLOCATION_COST_BYTES = 400 };
/* Writes "up to 64 MiB for events in the process; …"; returns `text`. */
const char *allocation_cost_text(const struct live_allocations *plan,
				 char text[ALLOCATION_COST_BYTES]);
/* False sets `err`: a stop may take longer than this; UINT64_MAX: no limit. */
bool allocation_cost_is_within(const struct live_allocations *plan, uint64_t budget_ms,
			       struct error *err);

#endif
