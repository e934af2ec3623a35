#ifndef TUI_SESSION_BUDGET_H
#define TUI_SESSION_BUDGET_H

/*
 * Whether memory allows what is to be computed about a heap, told before it
 * begins: --mem, or what is available, against all heaps that are open with
 * what is known about them and what is being computed just now. From counts
 * alone; where a heap is unlike others, the limit of model/base/arena.h has the
 * last word.
 */
#include "tui/session/session.h"

enum budget_answer {
	BUDGET_FITS,
	BUDGET_LATER, /* when something that runs has ended */
	BUDGET_NEVER, /* `err` says how much it would take, and what helps */
};

/*
 * Of JOB_REVERSE, JOB_REACH or JOB_RETENTION, which is about to begin, in place
 * of one that runs. Sets what that job is told: s->reverse_turns, as referrers
 * are found in turns where that helps, or s->job_room.
 */
enum budget_answer budget_ask(struct session *s, enum session_job kind,
			      struct error *err);

#endif
