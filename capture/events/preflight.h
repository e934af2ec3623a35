#ifndef CAPTURE_EVENTS_PREFLIGHT_H
#define CAPTURE_EVENTS_PREFLIGHT_H

/*
 * What is known before a capture: the way to the runtime, and what it and the
 * kernel say of it. The card made of it is in live.h.
 */
#include "capture/events/live.h"

struct preflight {
	struct process process;
	struct ipc ipc;
	struct runtime_info info;
};

/* Asks the runtime who it is, nothing more. Close it after success. */
bool preflight_open(struct preflight *f, const struct live_target *target,
		    const char *proc, struct progress *progress,
		    struct error *err) MUST_USE;
void preflight_close(struct preflight *f);
void preflight_fill(struct live_card *card, const struct preflight *f,
		    const char *proc, const struct capture_options *options);
/*
 * What /proc tells: who it is, its collector, how much it has at most, and the
 * room there is. The rest is the plan's.
 */
void preflight_look(struct live_card *card, const struct process *p,
		    const char *proc);
/*
 * What `known` knows better of its objects, bytes and stretches. The plan
 * stays: an event that is lost costs another collection.
 */
void preflight_learn(struct live_card *card, const struct live_card *known,
		     const struct capture_options *options);
/* `pid`: who does the work of a capture. */
struct live_load preflight_load(const char *proc, int32_t pid);
/* Few events: they need not be emptied while they come. */
bool preflight_is_small(const struct live_card *card);
/* What follows from its objects and bytes: the pause and our memory. */
void preflight_estimate(struct live_card *card);
/* How many collections a plan forces; `major` of the runtime, 0: unknown. */
unsigned preflight_collections(enum live_plan plan, unsigned major);

#endif
