#ifndef CAPTURE_EVENTS_RUN_H
#define CAPTURE_EVENTS_RUN_H

/*
 * One attempt to have a heap walked: the sessions it needs, a thread that
 * empties the socket (drain.h), a thread that decodes, and the caller's, which
 * gives the orders. See live.h for the plans.
 */
#include "capture/events/drain.h"
#include "capture/events/live.h"

struct run_request {
	struct ipc *ipc;
	const struct process *process;
	const char *proc;
	enum live_plan plan;
	unsigned command; /* CollectTracing2 … 6, the newest to try */
	uint32_t buffer_mb;
	uint64_t objects; /* about; 0: nobody knows */
	bool is_small;    /* all events may wait in the target's buffers */
	uint64_t backlog_bytes;
	struct walk_options walk;
	int keep;                    /* a file for the raw events; -1: none */
	struct capture_watch *watch; /* may be NULL, as the next two */
	struct progress *progress;
	struct preview *preview;
};

struct run; /* defined in run.c */

/*
 * Returns when the stream has ended, with all of it decoded. NULL sets `err`,
 * and then no session is left. A walk of which something is missing is no
 * failure. `is_unknown`: it failed because the runtime does not know the
 * command, and nothing was done to it.
 */
struct run *run_new(const struct run_request *request,
		    struct capture_cost *cost, bool *is_unknown,
		    struct error *err) MUST_USE;
const struct walk_report *run_report(const struct run *r);
/* The stream broke off: the target died, most likely. */
bool run_is_cut(const struct run *r);
/*
 * Has no more to do with the target: waits a little for the runtime to say that
 * all is over, and gives back what is not needed for run_finish().
 */
void run_leave(struct run *r);
/* Makes the heap; once. */
const struct heap *run_finish(struct run *r, struct walk_report *report,
			      struct progress *progress, struct error *err);
/* Leaves first. NULL is allowed. */
void run_free(struct run *r);

#endif
