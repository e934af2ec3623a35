#ifndef TUI_CLI_ALLOCATION_BATCH_H
#define TUI_CLI_ALLOCATION_BATCH_H

/*
 * `heaptop -b allocations`: records what a process allocates, or reads a trace, then prints the
 * view. ^C ends the recording early; its rows are printed.
 */
#include "tui/cli/options.h"
#include "tui/session/snapshots.h"

/* Whether the first of these commands is about allocations. */
bool allocation_batch_takes(const char *commands);
/* Whether it prints, with -b or for another reason, or shows the screen. */
bool allocation_batch_prints(const struct options *o);
/*
 * `target` is a process; without one the file of `o` is read. Returns an exit code and reports
 * errors.
 */
int allocation_batch_run(struct snapshots *all, struct options *o, const struct live_target *target,
			 const char *file);
/* Prints sentences about what was recorded on standard error; the sites are those of
   allocations_mine(). */
void allocation_report(const struct allocations *a, const char *my_modules);

/* Whether it can be joined, before a heap is captured for it. */
bool allocation_batch_can_join(const char *path, struct error *err) MUST_USE;
/* Reads a recording as it was when a heap was captured: snapshots.load_samples.
 */
struct allocations *allocation_batch_samples(const char *path, const struct heap *h,
					     struct progress *progress, struct error *err);

#endif
