#ifndef CAPTURE_EVENTS_RUN_H
#define CAPTURE_EVENTS_RUN_H

/*
 * One attempt at a heap walk: its sessions, a thread that empties the socket (drain.h), a thread
 * that decodes, and the caller's, which sends the commands. See live.h for the plans.
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
	uint64_t objects; /* an estimate; 0: unknown */
	bool is_small;    /* all events fit into the target's buffer */
	uint64_t backlog_bytes;
	struct walk_options walk;
	int keep;                    /* a file for the raw events; -1: none */
	struct capture_watch *watch; /* may be NULL, as the next two */
	struct progress *progress;
	struct preview *preview;
};

struct run; /* defined in run.c */

/*
 * Returns when the stream has ended and all of it is decoded. NULL sets `err`, and no session is
 * left open. An incomplete walk is not a failure. `is_unknown`: it failed because the runtime does
 * not know the command, which had no effect on it.
 */
struct run *run_new(const struct run_request *request, struct capture_cost *cost, bool *is_unknown,
		    struct error *err) MUST_USE;
const struct walk_report *run_report(const struct run *r);
/* See walk_wants_types(). */
bool run_wants_types(const struct run *r);
/* The stream broke off, most likely because the target died. */
bool run_is_cut(const struct run *r);
/*
 * Ends all contact with the target: waits a little for the runtime to confirm the end, and frees
 * what run_finish() does not need.
 */
void run_leave(struct run *r);
/* Builds the heap; call it once. */
const struct heap *run_finish(struct run *r, struct walk_report *report, struct progress *progress,
			      struct error *err);
/*
 * Lets run_free() not wait for the end of the flush session, which from .NET 10 on takes a tenth of
 * a second: a thread awaits it and then closes `lock`, and the program does not exit before. Had
 * the next capture begun earlier, and been cancelled at once, the runtime would keep its sessions
 * until it has something to write. False: not possible.
 */
bool run_end_beside(struct run *r, int lock);
/* Calls run_leave() first. NULL is allowed. */
void run_free(struct run *r);

#endif
