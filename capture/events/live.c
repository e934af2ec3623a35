#include "capture/events/live.h"
#include "model/base/clock.h"
#include "model/base/format.h"
#include "model/base/low_priority.h"
#include "capture/process/cgroup.h"
#include "capture/process/fate.h"
#include "capture/process/smaps.h"
#include "capture/events/modules.h"
#include "capture/events/preflight.h"
#include "capture/events/run.h"
#include "capture/process/target_lock.h"
#include "capture/process/target_need.h"
#include "io/runtime/layout.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Factor by which the second attempt enlarges the target's buffer. */
enum { RETRY_FACTOR = 4, RETRY_MAX_MB = 4096 };
enum { SETTLE_MS = 1500, SETTLE_LOOK_MS = 5 };
enum { PATH_BYTES = 4096 };

struct live {
	const struct capture_options *options;
	struct preflight flight;
	struct live_card card;
	struct modules *modules;
	struct smaps smaps; /* before it starts, without its own buffers */
	struct capture_watch *watch;
	struct progress *progress;
	struct preview *preview;
	struct capture_cost *cost;
	enum walk_others others;
	struct fate fate;
	bool has_died;
	int lock;
	int keep; /* the raw events, under a temporary name until the end */
	char keep_name[PATH_BYTES];
	int64_t started_ns;
};

/* ---- the raw events ------------------------------------------------------ */

static bool
keep_open(struct live *l, struct error *err)
{
	const char *path = l->options->keep_path;

	l->keep = -1;
	if (!path)
		return true;
	if (snprintf(l->keep_name, sizeof(l->keep_name), "%s.%ld.part", path, (long)getpid()) >=
	    (int)sizeof(l->keep_name))
		return error_sys(err, ENAMETOOLONG, "cannot write %.60s", path);
	l->keep = open(l->keep_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return l->keep >= 0 || error_sys(err, errno, "cannot write %s", l->keep_name);
}

/* Drops the events of the first attempt. */
static bool
keep_rewind(struct live *l, struct error *err)
{
	if (l->keep < 0 || (!ftruncate(l->keep, 0) && lseek(l->keep, 0, SEEK_SET) == 0))
		return true;
	return error_sys(err, errno, "cannot write %s", l->keep_name);
}

static void
keep_close(struct live *l, bool is_good)
{
	if (l->keep < 0)
		return;
	is_good = is_good && !l->cost->keep_errnum;
	if (is_good && (fsync(l->keep) || rename(l->keep_name, l->options->keep_path))) {
		l->cost->keep_errnum = errno;
		is_good = false;
	}
	if (!is_good)
		unlink(l->keep_name);
	close(l->keep);
	l->keep = -1;
}

/* ---- attempts ------------------------------------------------------------ */

/*
 * The newest command that the runtime may know. A preview of a version may lack what the release
 * has, so it is tried with the newest of all and falls back.
 */
static unsigned
newest_command(const struct live *l)
{
	bool is_early = strchr(l->card.runtime, '-');

	return clr_facts(is_early ? 0 : l->card.major)->newest_command;
}

/* Our memory limit in bytes; 0: unknown. Headroom excludes what we have. */
static uint64_t
memory_allowed(const struct live *l)
{
	const struct live_need *need = &l->card.need;
	uint64_t free_bytes = l->card.ours.headroom_bytes;
	uint64_t of_target = need->bytes + need->reserve_bytes;

	if (l->options->memory_bytes)
		return l->options->memory_bytes;
	/* If both share the same limit, the target's need comes first. */
	if (l->card.target.is_shared && free_bytes > of_target)
		free_bytes -= of_target;
	return free_bytes;
}

static struct run *
attempt_plan(struct live *l, enum live_plan plan, uint32_t buffer_mb, bool *is_unknown,
	     struct error *err)
{
	struct run_request request = {
		.ipc = &l->flight.ipc,
		.process = &l->flight.process,
		.proc = PROC_FOLDER,
		.plan = plan,
		.command = newest_command(l),
		.buffer_mb = buffer_mb,
		.objects = l->card.is_counted || l->card.is_seen ? l->card.objects : 0,
		.is_small = preflight_is_small(&l->card),
		.walk = { .types = l->options->types,
			  .memory_bytes = memory_allowed(l),
			  .module = modules_find,
			  .native = modules_native,
			  .context = l->modules,
			  .mappings = &l->smaps.list,
			  .others = l->others },
		.keep = l->keep,
		.watch = l->watch,
		.progress = l->progress,
		.preview = l->preview,
	};

	*is_unknown = false;
	l->cost->plan = plan;
	l->cost->buffer_mb = buffer_mb;
	return run_new(&request, l->cost, is_unknown, err);
}

/*
 * The sessions of a capture that was just killed may still be ending: types would stay unnamed, and
 * up to .NET 9 their last collection would interfere with ours. Waiting is useless if sessions stay
 * open, such as those of recordings, so the time that the user took to answer counts.
 */
static bool
settle(struct live *l, struct error *err)
{
	bool is_first = !l->cost->attempts && l->options->opened_ns;
	int64_t begin_ns = is_first ? l->options->opened_ns : clock_ns();
	int64_t end_ns = begin_ns + SETTLE_MS * INT64_C(1000000);

	for (bool is_waiting = false; process_sessions(&l->flight.process, PROC_FOLDER);
	     is_waiting = true) {
		l->others = WALK_OTHERS_SOME;
		if (clock_ns() >= end_ns)
			return true;
		if (!is_waiting)
			progress_begin(l->progress, "waiting for other event sessions", "sessions",
				       0);
		poll(NULL, 0, SETTLE_LOOK_MS);
		if (progress_is_cancelled(l->progress))
			return error_cancelled(err);
	}
	l->others = WALK_OTHERS_NONE;
	return true;
}

/* Falls back to two sessions if a preview runtime lacks the newer commands. */
static struct run *
attempt(struct live *l, enum live_plan plan, uint32_t buffer_mb, struct error *err)
{
	bool is_unknown;
	struct run *r = NULL;

	if (!settle(l, err))
		return NULL;
	r = attempt_plan(l, plan, buffer_mb, &is_unknown, err);
	if (!r && is_unknown && plan != PLAN_TWO_SESSIONS) {
		error_clear(err);
		r = attempt_plan(l, PLAN_TWO_SESSIONS, buffer_mb, &is_unknown, err);
	}
	l->cost->attempts++;
	l->cost->collections += preflight_collections(l->cost->plan, l->card.major);
	return r;
}

static uint32_t
larger_buffer(const struct live *l)
{
	uint64_t mb = (uint64_t)l->card.buffer_mb * RETRY_FACTOR;

	return target_need_buffer_mb(&l->card, mb > RETRY_MAX_MB ? RETRY_MAX_MB : (uint32_t)mb);
}

/* The process may have grown since the first attempt. */
static bool
has_room_again(struct live *l)
{
	struct live_card now;

	preflight_look(&now, &l->flight.process, PROC_FOLDER);
	l->card.target = now.target;
	target_need_judge(&l->card);
	return l->card.refusal.kind == ERROR_NONE;
}

/* Compares two incomplete walks. */
static bool
has_more(const struct run *a, const struct run *b)
{
	const struct walk_report *x = run_report(a), *y = run_report(b);

	if (x->objects_count != y->objects_count)
		return x->objects_count > y->objects_count;
	return x->refs_count > y->refs_count;
}

/*
 * Tries once more after a loss, or if most types have no names. An incomplete walk is still better
 * than none. The raw events kept are those of the second attempt.
 */
static struct run *
attempt_again(struct live *l, struct run *first, struct error *err)
{
	const struct live_room *ours = &l->card.ours;
	struct error why;
	struct run *second;

	run_leave(first);
	if (!has_room_again(l))
		return first;
	/* Keeps both if there is room for both. */
	if (ours->headroom_bytes < 2 * l->card.our_bytes) {
		run_free(first);
		first = NULL;
	}
	error_clear(&why);
	second =
	    keep_rewind(l, &why) ? attempt(l, PLAN_TWO_SESSIONS, larger_buffer(l), &why) : NULL;
	if (!second && first && why.kind != ERROR_CANCELLED) {
		if (l->keep >= 0)
			l->cost->keep_errnum = EIO; /* they were truncated */
		return first;
	}
	if (second && first && l->keep < 0 && has_more(first, second)) {
		run_free(second);
		return first;
	}
	run_free(first);
	if (!second)
		*err = why;
	return second;
}

/* If the target died, only a complete walk counts. */
static struct run *
judge_end(struct live *l, struct run *r, struct error *err)
{
	bool is_broken = r ? run_is_cut(r) && !run_report(r)->has_end : err->kind == ERROR_ATTACH;

	if (!is_broken ||
	    fate_lives(&l->fate, &l->flight.process, PROC_FOLDER, l->flight.ipc.who, err))
		return r;
	l->has_died = true;
	run_free(r);
	return NULL;
}

static struct run *
attempts(struct live *l, struct error *err)
{
	struct run *r = attempt(l, l->card.plan, l->card.buffer_mb, err);

	r = judge_end(l, r, err);
	if (!r || run_is_cut(r) || run_report(r)->is_too_large ||
	    (walk_is_complete(run_report(r)) && !run_wants_types(r)))
		return r;
	return judge_end(l, attempt_again(l, r, err), err);
}

/* ---- the heap ------------------------------------------------------------ */

/* A heaptop elsewhere writes no file here, and has no option here. */
static const char *
advice(const struct live *l)
{
	return l->options->is_elsewhere
		   ? "-m needs less"
		   : "-m needs less, -o FILE.nettrace keeps its events, or allow more with --mem";
}

/* Refuses, before anything is forced, a heap that certainly does not fit. */
static bool
has_room(const struct live *l, struct error *err)
{
	uint64_t allowed = memory_allowed(l), least = walk_memory(0, 0);
	const struct live_card *card = &l->card;
	uint64_t likely = walk_memory(card->objects, card->objects);
	char objects[FORMAT_BYTES];

	if (l->card.refusal.kind != ERROR_NONE) {
		*err = l->card.refusal;
		return false;
	}
	if (!allowed || l->options->keep_path)
		return true;
	/* The number of objects was measured, not guessed. */
	if (allowed >= least && allowed < likely && l->options->memory_bytes &&
	    (card->is_seen || card->is_counted))
		return error_set(err, ERROR_SYSTEM,
				 "about %s objects need about %" PRIu64 " MiB, but only %" PRIu64
				 " MiB may be used: nothing was done to the process; %s",
				 format_count(card->objects, objects), likely >> 20, allowed >> 20,
				 advice(l));
	if (allowed >= least)
		return true;
	return error_set(err, ERROR_SYSTEM,
			 "events of any heap need more than %" PRIu64 " MiB, but only %" PRIu64
			 " MiB %s: nothing was done to the process; %s",
			 least >> 20, allowed >> 20,
			 l->options->memory_bytes ? "may be used" : "are free here", advice(l));
}

/* Reports a heap that does not fit, and what to do about it. */
static void
explain_size(const struct live *l, struct error *err)
{
	const struct walk_report *r = &l->cost->walk;
	const char *kept = l->options->keep_path;
	uint64_t needed = walk_memory(r->objects_count, r->refs_count);
	char objects[FORMAT_BYTES];

	error_clear(err);
	error_set(err, ERROR_SYSTEM,
		  "the heap of %s objects needs about %" PRIu64 " MiB, but only %" PRIu64
		  " MiB %s: %s%.90s",
		  format_count(r->objects_count, objects), needed >> 20, memory_allowed(l) >> 20,
		  l->options->memory_bytes ? "may be used" : "are free here",
		  kept ? "its events are in "
		  : l->options->is_elsewhere
		      ? advice(l)
		      : "keep its events with -o FILE.nettrace and open them on another machine, "
			"or allow more with --mem",
		  kept ? kept : "");
}

struct finishing {
	struct live *live;
	struct run *run;
	const struct heap *heap;
	struct error *err;
};

static void
build_heap(void *context)
{
	struct finishing *f = context;

	f->heap = run_finish(f->run, &f->live->cost->walk, f->live->progress, f->err);
}

/* Runs at low priority, since the process is running again. */
static const struct heap *
finish(struct live *l, struct run *r, struct error *err)
{
	struct finishing f = { .live = l, .run = r, .err = err };
	const struct heap *heap;

	low_priority_run(build_heap, &f);
	heap = f.heap;
	if (!heap && l->cost->walk.is_too_large)
		explain_size(l, err);
	l->cost->is_complete = heap && walk_is_complete(&l->cost->walk);
	l->cost->total_ns = clock_ns() - l->started_ns;
	return heap;
}

/* Adds to the error of a dead target where its events are. */
static void
report_kept_events(const struct live *l, struct error *err)
{
	struct error why = *err;

	if (l->cost->keep_errnum)
		return;
	error_clear(err);
	error_set(err, why.kind, "%.150s; its events up to then are in %.60s", why.message,
		  l->options->keep_path);
}

static const struct heap *
capture(struct live *l, struct error *err)
{
	const struct heap *heap = NULL;
	struct run *r = NULL;

	l->modules = modules_new(&l->flight.process, PROC_FOLDER, l->options->symbols, err);
	if (l->modules && preflight_sends_walks(&l->flight, l->modules, err))
		l->lock = target_lock(&l->flight.process, l->flight.ipc.who, err);
	if (err->kind == ERROR_NONE && keep_open(l, err) &&
	    smaps_read(&l->smaps, PROC_FOLDER, CGROUP_FOLDER, l->flight.process.pid, err)) {
		fate_begin(&l->fate, &l->flight.process, PROC_FOLDER, CGROUP_FOLDER);
		l->cost->resident_before = l->flight.process.resident_bytes;
		r = attempts(l, err);
		if (r)
			heap = finish(l, r, err);
		if (heap && run_end_beside(r, l->lock))
			l->lock = -1;
		run_free(r);
		keep_close(l, heap || l->cost->walk.is_too_large || l->has_died);
		if (l->has_died && l->options->keep_path)
			report_kept_events(l, err);
	}
	if (l->lock >= 0)
		close(l->lock);
	l->lock = -1;
	smaps_clear(&l->smaps);
	modules_free(l->modules);
	return heap;
}

const struct heap *
capture_load(const struct live_target *target, const struct capture_options *options,
	     struct capture_watch *watch, struct progress *progress, struct preview *preview,
	     struct capture_cost *cost, struct error *err)
{
	struct capture_cost own_cost = { 0 };
	struct live l = { .options = options,
			  .watch = watch,
			  .progress = progress,
			  .preview = preview,
			  .cost = cost ? cost : &own_cost,
			  .lock = -1,
			  .keep = -1,
			  .started_ns = clock_ns() };
	const struct heap *heap;

	*l.cost = (struct capture_cost){ 0 };
	if (!preflight_open(&l.flight, target, PROC_FOLDER, progress, err))
		return NULL;
	preflight_fill(&l.card, &l.flight, PROC_FOLDER, options);
	heap = has_room(&l, err) ? capture(&l, err) : NULL;
	preflight_close(&l.flight);
	return heap;
}
