#ifndef CAPTURE_EVENTS_PREFLIGHT_H
#define CAPTURE_EVENTS_PREFLIGHT_H

/*
 * Before a capture: the connection to the runtime, what it and the kernel report, and the card made
 * of that (model/heap/live.h).
 */
#include "capture/events/live.h"

struct modules;
struct preflight {
	struct process process;
	struct ipc ipc;
	struct runtime_info info;
};

/* Asks the runtime for its description. Close it after success. */
bool preflight_open(struct preflight *f, const struct live_target *target, const char *proc,
		    struct progress *progress, struct error *err) MUST_USE;
void preflight_close(struct preflight *f);
void preflight_fill(struct live_card *card, const struct preflight *f, const char *proc,
		    const struct capture_options *options);
/*
 * Fills in what /proc shows: the process, its collector, its memory and the headroom. Plan and need
 * are left to preflight_fill().
 */
void preflight_look(struct live_card *card, const struct process *p, const char *proc);
/*
 * Takes objects, bytes and ranges from `known`, which has better numbers. The plan stays: choosing
 * one that loses events costs another collection.
 */
void preflight_learn(struct live_card *card, const struct live_card *known,
		     const struct capture_options *options);
/* False sets `err`: it is compiled by Native AOT, "which " and the text. `modules` are the
   process's; NULL: they are opened and closed. */
bool preflight_is_jitted(const struct preflight *f, struct modules *modules, const char *otherwise,
			 struct error *err) MUST_USE;
/* False sets `err`: Native AOT of older versions ignores requests for a walk, and with server GC it
   crashes. `modules` as above. */
bool preflight_sends_walks(const struct preflight *f, struct modules *modules,
			   struct error *err) MUST_USE;
/* Machine load for `pid`, the process that does the work of a capture. */
struct live_load preflight_load(const char *proc, int32_t pid);
/* Few events: all fit into the target's buffer. */
bool preflight_is_small(const struct live_card *card);
/* Estimates pause and our memory from the card's objects and bytes. */
void preflight_estimate(struct live_card *card);
/* Number of collections that a plan forces; `major` 0: unknown runtime. */
unsigned preflight_collections(enum live_plan plan, unsigned major);

#endif
