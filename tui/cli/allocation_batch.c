#include "tui/cli/allocation_batch.h"
#include "io/base/output.h"
#include "io/events/allocation_events.h"
#include "model/allocations/sentences.h"
#include "model/base/duration.h"
#include "tui/cli/batch.h"
#include "tui/cli/run_text.h"
#include "tui/cli/say.h"
#include "tui/session/job.h"
#include "tui/session/recording.h"
#include "tui/tables/allocation_cost.h"
#include "tui/term/signals.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { TIME_MS = 30000 };

/* A recording on a thread of its own; signals arrive on this one. */
struct batch_recording {
	const struct live_ops *live;
	const struct live_target *target;
	const char *file;   /* in place of a target */
	uint64_t budget_ms; /* most time that it may be stopped */
	struct live_allocations plan;
	struct allocations *recorded;
};

static void
wake(void *context)
{
	(void)context;
	signals_wake();
}

static void
publish(void *context, struct allocations *a)
{
	struct batch_recording *r = context;

	r->recorded = a;
}

static bool
record(void *context, struct progress *progress, struct error *err)
{
	struct batch_recording *r = context;
	const struct allocation_sink sink = { .publish = publish, .context = r };

	if (!r->file)
		return r->live->allocations(r->target, &r->plan, sink, progress, err);
	r->recorded = allocations_load(r->file, NULL, progress, err);
	return r->recorded != NULL;
}

static void
wait_for_end(struct job *job)
{
	struct pollfd fd = { .fd = signals_fd(), .events = POLLIN };

	while (!job_is_done(job)) {
		unsigned events;

		if (poll(&fd, 1, -1) < 0 && errno != EINTR)
			return;
		events = signals_take();
		if (events & EVENT_SUSPEND)
			signals_stop_here();
		if (events & (EVENT_INTERRUPT | EVENT_QUIT))
			job_cancel(job);
	}
}

static bool
run_job(struct batch_recording *r, struct error *err)
{
	const struct waker waker = { wake, NULL };
	struct job *job;
	bool ok;

	if (!signals_open(err))
		return false;
	job = job_start("recording allocations", record, r, waker, err);
	if (job)
		wait_for_end(job);
	ok = job && job_finish(job, err);
	signals_close();
	return ok;
}

static void
announce(const struct live_allocations *plan)
{
	char text[DURATION_BYTES], cost[ALLOCATION_COST_BYTES];

	say(NULL, "%s: recording allocations for %s; %s; ^C ends early", plan->who,
	    duration_text((double)plan->time_ns / 1e9, text), allocation_cost_text(plan, cost));
}

static bool
record_process(struct batch_recording *r, const struct options *o, struct error *err)
{
	bool ok;

	r->plan.time_ns = (o->time_ms ? o->time_ms : TIME_MS) * UINT64_C(1000000);
	r->plan.without_survival = o->without_survival;
	if (!r->live->plan_allocations(r->target, &r->plan, NULL, err) ||
	    !allocation_cost_is_within(&r->plan, r->budget_ms, err))
		return false;
	if (o->trace) {
		r->plan.keep = output_open(o->trace, o->may_replace, err);
		if (!r->plan.keep)
			return false;
	}
	announce(&r->plan);
	ok = run_job(r, err);
	if (!r->plan.keep)
		return ok;
	if (!ok)
		output_abandon(r->plan.keep);
	return ok && output_close(r->plan.keep, err);
}

static bool
print_stacks(void *context, FILE *to, struct error *err)
{
	return allocations_print_stacks(context, to, err);
}

void
allocation_report(const struct allocations *a, const char *my_modules)
{
	char text[ALLOCATION_TEXT_BYTES];
	enum sentence_topic topic;
	struct allocation_rows sites;
	struct error err;

	error_clear(&err);
	if (!allocation_rows_make(&sites, a, ALLOCATIONS_BY_SITE, my_modules, NULL, &err))
		say(NULL, "%s", err.message);
	for (unsigned i = 0; allocation_sentence(&sites, i, &topic, text); i++)
		say(NULL, "%s", text);
	allocation_rows_clear(&sites);
}

/* Takes over `to`. */
static bool
write_stacks(struct output *to, struct allocations *a, struct error *err)
{
	if (output_fill(to, print_stacks, a, err))
		return output_close(to, err);
	output_abandon(to);
	return false;
}

/* Takes over `stacks`, which may be NULL. */
static int
show(struct snapshots *all, struct options *o, struct allocations *a, struct output *stacks,
     bool is_file)
{
	const struct loader loader = { .path = a->facts.who };
	struct session *s;
	struct error err;
	int code;

	error_clear(&err);
	if (stacks && !write_stacks(stacks, a, &err))
		return say_error(NULL, &err, EXIT_FAILED);
	s = snapshots_add(all, &loader, &err);
	if (!s)
		return say_error(NULL, &err, EXIT_FAILED);
	s->is_empty = true;
	/* The session frees its own hold. */
	s->recording = recording_of(allocations_hold(a), &err);
	if (!s->recording)
		return say_error(NULL, &err, EXIT_FAILED);
	code = run_text_batch(all, o);
	allocation_report(a, s->my_modules);
	if (allocations_are_lacking(a) && code == EXIT_NOTHING)
		code = EXIT_OK;
	if (!code &&
	    (a->facts.lost_events || allocations_are_lacking(a) || (is_file && a->facts.is_cut)))
		code = EXIT_INCOMPLETE;
	return code;
}

bool
allocation_batch_takes(const char *commands)
{
	static const char *const words[] = { "allocations", "callers", "callees" };
	size_t len = strcspn(commands, " ;");

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (len == strlen(words[i]) && !strncmp(commands, words[i], len))
			return true;
	return false;
}

bool
allocation_batch_prints(const struct options *o)
{
	return o->batch || !isatty(STDOUT_FILENO) || o->stacks || o->format != TABLE_TEXT ||
	       o->columns || o->rows_max != UINT64_MAX;
}

static int
exit_code_of(const struct error *err, bool is_file)
{
	return is_file || err->kind == ERROR_SYSTEM ? exit_code_of_load(err)
	       : err->kind == ERROR_CANCELLED       ? EXIT_INTERRUPTED
	       : err->kind == ERROR_USAGE           ? EXIT_USAGE
						    : EXIT_ATTACH;
}

int
allocation_batch_run(struct snapshots *all, struct options *o, const struct live_target *target,
		     const char *file)
{
	struct batch_recording r = { .live = all->live,
				     .target = target,
				     .budget_ms = all->options.budget_ms,
				     .file = file };
	struct output *stacks = NULL;
	struct error err;
	int code;

	error_clear(&err);
	/* A file that cannot be written is refused before the recording. */
	if (o->stacks) {
		stacks = output_open(o->stacks, o->may_replace, &err);
		if (!stacks)
			return say_error(NULL, &err, EXIT_FAILED);
	}
	if (file ? run_job(&r, &err) : record_process(&r, o, &err)) {
		code = show(all, o, r.recorded, stacks, file != NULL);
	} else {
		code = say_error(file, &err, exit_code_of(&err, file != NULL));
		if (stacks)
			output_abandon(stacks);
	}
	allocations_free(r.recorded);
	return code;
}

/* The message of a failed load begins with the heap's name. */
static void
blame_samples(const char *path, struct error *err)
{
	struct error why = *err;

	if (why.kind != ERROR_INPUT)
		return;
	error_clear(err);
	error_set(err, why.kind, "--samples %.80s: %s", path, why.message);
}

bool
allocation_batch_can_join(const char *path, struct error *err)
{
	if (allocations_are_in(path, err))
		return true;
	blame_samples(path, err);
	return false;
}

struct allocations *
allocation_batch_samples(const char *path, const struct heap *h, struct progress *progress,
			 struct error *err)
{
	struct allocations *a = allocations_load(path, h, progress, err);

	if (!a)
		blame_samples(path, err);
	return a;
}
