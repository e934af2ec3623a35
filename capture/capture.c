#include "capture/capture.h"
#include "capture/events/allocation_watch.h"
#include "capture/events/gc_watch.h"
#include "capture/events/live.h"
#include "capture/events/preflight.h"
#include "capture/memory/snapshot.h"
#include "model/base/clock.h"
#include <stdio.h>

/* Type descriptions of one process, shared by all captures of it. */
struct shared_types {
	struct walk_types *types;
	unsigned users;
};

struct live_capture {
	struct live_target target;
	struct capture_options options;
	struct live_options asked;
	struct live_card card;
	struct capture_watch watch;
	struct capture_cost cost;
	struct still_cost still; /* used instead of `cost` if from_memory */
	struct shared_types *shared;
};

static void
copy_process(struct live_process *to, const struct process *p)
{
	*to = (struct live_process){ .pid = p->pid,
				     .private_bytes = p->private_bytes,
				     .trouble = p->trouble };
	snprintf(to->name, sizeof(to->name), "%s", p->name);
	snprintf(to->user, sizeof(to->user), "%s", p->user);
	snprintf(to->runtime, sizeof(to->runtime), "%s", p->runtime);
	snprintf(to->container, sizeof(to->container), "%s", p->container);
	snprintf(to->command, sizeof(to->command), "%s", p->command);
}

static struct live_process *
list_processes(size_t *count, struct progress *progress, struct error *err)
{
	struct live_process *items = NULL;
	struct process_list list;

	*count = 0;
	progress_begin(progress, "looking for processes", "processes", 0);
	if (!process_list(&list, PROC_FOLDER, err))
		return NULL;
	capture_ask_versions(&list, PROC_FOLDER, progress);
	if (list.count)
		items = memory_new(list.count, sizeof(*items), err);
	for (size_t i = 0; items && i < list.count; i++)
		copy_process(&items[i], &list.processes[i]);
	*count = items ? list.count : 0;
	process_list_clear(&list);
	return items;
}

/* ---- size estimates and shared types ----------------------------------- */

static bool
is_same(const struct live_capture *c, const struct live_capture *before)
{
	return before && before->card.pid == c->card.pid &&
	       before->card.start_ticks == c->card.start_ticks;
}

/*
 * Prefers the counts of an earlier capture of the same process, then the collector's own ranges
 * where its memory may be read, then the estimate from private memory that the preflight made.
 */
static void
learn_size(struct live_capture *c, const struct live_capture *before)
{
	struct live_card known = c->card;

	known.is_seen = still_look(&known, 0, PROC_FOLDER);
	/* During a collection the ranges are inconsistent. */
	if (!known.is_seen)
		known.need.range_bytes = 0;
	if (is_same(c, before) && before->cost.is_complete) {
		known.is_counted = true;
		known.objects = before->cost.walk.objects_count;
		known.heap_bytes = before->cost.walk.object_bytes;
		known.ref_bytes = before->cost.walk.refs_count * sizeof(uint64_t);
	}
	preflight_learn(&c->card, &known, &c->options);
	c->options.known = &c->card;
}

static bool
share_types(struct live_capture *c, const struct live_capture *before, struct error *err)
{
	c->shared = is_same(c, before) ? before->shared : memory_new(1, sizeof(*c->shared), err);
	if (!c->shared)
		return false;
	c->shared->users++;
	if (!c->shared->types)
		c->shared->types = walk_types_new(err);
	c->options.types = c->shared->types;
	return c->shared->types != NULL;
}

static void
release_types(struct shared_types *shared)
{
	if (!shared || --shared->users)
		return;
	walk_types_free(shared->types);
	memory_free(shared);
}

/* ---- captures ----------------------------------------------------------- */

static void
free_capture(struct live_capture *c)
{
	if (!c)
		return;
	release_types(c->shared);
	memory_free(c);
}

static struct live_capture *
open_capture(const struct live_target *target, const struct live_options *options,
	     const struct live_capture *before, struct progress *progress, struct error *err)
{
	struct live_capture *c = memory_new(1, sizeof(*c), err);

	if (!c)
		return NULL;
	c->target = target ? *target : before->target;
	c->asked = *options;
	if (options->from_memory) {
		if (still_preflight(&c->card, &c->target, options, PROC_FOLDER, err))
			return c;
		free_capture(c);
		return NULL;
	}
	c->options = (struct capture_options){ .keep_path = options->keep_path,
					       .symbols = options->symbols,
					       .is_elsewhere = options->is_elsewhere,
					       .opened_ns = clock_ns(),
					       .memory_bytes = options->memory_bytes };
	if (capture_preflight(&c->card, &c->target, &c->options, progress, err) &&
	    share_types(c, before, err)) {
		learn_size(c, before);
		return c;
	}
	free_capture(c);
	return NULL;
}

static const struct live_card *
card_of(const struct live_capture *c)
{
	return &c->card;
}

static const struct heap *
load(struct live_capture *c, struct progress *progress, struct preview *preview, struct error *err)
{
	if (c->asked.from_memory)
		return still_load(&c->card, &c->asked, &c->watch, progress, &c->still, err);
	return capture_load(&c->target, &c->options, &c->watch, progress, preview, &c->cost, err);
}

static void
watch(const struct live_capture *c, struct live_watch *out)
{
	out->bytes = atomic_load(&c->watch.bytes);
	out->objects = atomic_load(&c->watch.objects);
	out->resident = atomic_load(&c->watch.resident);
}

static bool
tell_cost(const struct live_capture *c, char *text, size_t text_size)
{
	if (c->asked.from_memory) {
		still_cost_text(&c->still, text, text_size);
		return c->still.is_complete;
	}
	capture_cost_text(&c->cost, text, text_size);
	return c->cost.is_complete;
}

static int
keep_errnum(const struct live_capture *c)
{
	return c->cost.keep_errnum;
}

static bool
watch_collections(const struct live_target *target, bool wants_joins, struct gc_sink sink,
		  struct gc_source_facts *facts, struct progress *progress, struct error *err)
{
	return gc_watch(target, wants_joins, sink, NULL, facts, progress, err);
}

const struct live_ops capture_live_ops = {
	.list = list_processes,
	.open = open_capture,
	.card = card_of,
	.load = load,
	.watch = watch,
	.tell_cost = tell_cost,
	.keep_errnum = keep_errnum,
	.free = free_capture,
	.collections = watch_collections,
	.plan_allocations = allocation_plan,
	.allocations = allocation_watch,
};
