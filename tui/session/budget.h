#ifndef TUI_SESSION_BUDGET_H
#define TUI_SESSION_BUDGET_H

/*
 * Decides before a computation starts whether memory allows it: the limit (--mem, or what is
 * available) against all open heaps with their results and running jobs. Estimates from counts
 * alone; if a heap is unusual, the limit in model/base/arena.h stops the job.
 */
#include "tui/session/session.h"

enum budget_answer {
	BUDGET_FITS,
	BUDGET_LATER, /* once a running job has ended */
	BUDGET_NEVER, /* `err` says how much it needs and what helps */
};

/*
 * `kind` is JOB_REVERSE, JOB_REACH or JOB_RETENTION; a running job of the kind is about to be
 * replaced. Sets the job's parameters: s->reverse_turns, as finding referrers in several turns
 * needs less memory, or s->retention_limit.
 */
enum budget_answer budget_check(struct session *s, enum session_job kind, struct error *err);

#endif
