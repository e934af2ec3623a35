#ifndef TUI_CLI_OUTCOME_H
#define TUI_CLI_OUTCOME_H

/*
 * Reports after a run, on standard error: what is missing from the heaps, what captures cost, and
 * trace files that could not be written. Each function returns the exit code that follows from
 * `code` and its report.
 */
#include "tui/cli/batch.h"
#include "tui/session/snapshots.h"

/* Calls `take` with each sentence about data that the heap or the results lack, or that is an
   estimate. */
void outcome_warn(const struct session *s, void (*take)(void *context, const char *sentence),
		  void *context);
/* Replaces EXIT_BAD_FILE after a failed capture, which has no file. */
int outcome_of_load(const struct session *s, int code, const struct error *err);
/* Reports what a heap lacks, if it is loaded, and what its capture cost. */
int outcome_report_heap(const struct snapshots *all, const struct session *s,
			const struct options *o, int code);
/* Reports that of all heaps. */
int outcome_report_heaps(const struct snapshots *all, const struct options *o, int code);
/* Reports a trace (-o FILE.nettrace) that could not be written. */
int outcome_report_trace(const struct snapshots *all, int code);
/* Returns the path of the heap that an error is about. */
const char *outcome_failed_path(const struct snapshots *all);

#endif
