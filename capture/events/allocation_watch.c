#include "capture/events/allocation_watch.h"
#include "capture/events/code_files.h"
#include "capture/events/event_stream.h"
#include "capture/events/modules.h"
#include "capture/process/target_lock.h"
#include "io/events/allocation_events.h"
#include "io/events/nettrace_all.h"
#include "io/runtime/layout.h"
#include "model/base/clock.h"
#include <inttypes.h>
#include <stdio.h>

enum {
	LEVEL = 4,
	KEYWORD_GC = 0x1,
	KEYWORD_SURVIVAL = 0x400000, /* GCHeapSurvivalAndMovement */
	LEVEL_OF_TICKS = 5,
	/* Loaded modules, compiled and precompiled methods. */
	KEYWORDS_OF_NAMES = 0x38,
	COMMAND_OF_NAMES = 4, /* the first that lists these alone */
	BUFFER_MB = 64,
	BUFFER_MIN_MB = 8,
	/* The buffers may take this part of the memory that is left. */
	PART_OF_ROOM = 8,
	SILENT_MS = 10000, /* a large program takes seconds for its list */
};
#define KEYWORD_SAMPLES UINT64_C(0x80000000000)
enum {
	COPIES_A_LIST = 10, /* until the second list of methods */
	/* Copies and lists take at most 1/PART_OF_TIME of the time. */
	PART_OF_TIME = 20,
};

struct watch {
	struct event_stream stream, names_stream;
	struct nettrace *trace;
	struct allocation_reader *reader;
	const struct live_target *target;
	const struct live_allocations *plan;
	struct allocation_sink sink;
	int64_t next_publish_ns; /* of clock_ns() */
	int64_t counted_ns;      /* since then */
	uint64_t time_ns;        /* facts.time_ns of the newest copy */
	/* When methods may be listed again, the time from then to the next
	   list, and how many addresses the last one left without a name. */
	int64_t next_names_ns, names_interval_ns;
	uint32_t unknown_count;
};

/* --- the plan ------------------------------------------------------------- */

static const struct clr_facts *
facts_of(const struct preflight *f)
{
	return clr_facts(runtime_info_major(&f->info));
}

/* Buffers count against the limit of the target's memory. */
static bool
plan_buffer(struct live_allocations *plan, const struct event_stream *s,
	    const struct live_card *card, struct error *err)
{
	uint64_t part_mb = (card->target.headroom_bytes / PART_OF_ROOM) >> 20;

	plan->target = card->target;
	plan->sessions = card->sessions;
	plan->buffer_mb = BUFFER_MB;
	if (!card->target.headroom_bytes || part_mb >= BUFFER_MB)
		return true;
	plan->buffer_mb = (uint32_t)part_mb;
	return part_mb >= BUFFER_MIN_MB ||
	       error_set(err, ERROR_ATTACH,
			 "%s may use only %" PRIu64 " MiB more memory (%s); "
			 "recording allocations needs %d MiB of it for events "
			 "and leaves seven times as much free",
			 s->flight.ipc.who, card->target.headroom_bytes >> 20,
			 card->target.limit, BUFFER_MIN_MB);
}

/*
 * The runtime reports the survivors of a background collection while the
 * program is stopped: measured, 3.6 ns an object. How many there are is not
 * known before, and estimated as for captures.
 */
static void
plan_survival(struct live_allocations *plan, const struct live_card *card)
{
	enum { TENTHS_OF_NS_AN_OBJECT = 36 };

	plan->survival_stop_ns =
	    plan->without_survival
		? 0
		: card->objects * TENTHS_OF_NS_AN_OBJECT / 10;
}

/* Native AOT of older versions sends no samples. */
static bool
sends_samples(const struct event_stream *s, struct error *err)
{
	struct modules *m;
	bool is_native;

	if (facts_of(&s->flight)->native_samples)
		return true;
	m = modules_new(&s->flight.process, PROC_FOLDER, NULL, err);
	is_native = m && modules_are_native(m);
	modules_free(m);
	if (is_native)
		error_set(err, ERROR_ATTACH,
			  "%s is compiled by Native AOT, which does not report "
			  "what it allocates before .NET 9; nothing was done "
			  "to the process",
			  s->flight.ipc.who);
	return m && !is_native;
}

bool
allocation_plan(const struct live_target *target, struct live_allocations *plan,
		struct progress *progress, struct error *err)
{
	struct event_stream *s = memory_new(1, sizeof *s, err);
	struct live_card card = { 0 };
	bool ok;

	if (!s)
		return false;
	ok = event_stream_open(s, target, progress, err) &&
	     sends_samples(s, err);
	if (ok)
		preflight_look(&card, &s->flight.process, PROC_FOLDER);
	ok = ok && plan_buffer(plan, s, &card, err);
	if (ok) {
		plan_survival(plan, &card);
		plan->is_random = facts_of(&s->flight)->samples_allocations;
		snprintf(plan->who, sizeof plan->who, "%s", s->flight.ipc.who);
	}
	event_stream_close(s);
	memory_free(s);
	return ok;
}

/* --- recording ------------------------------------------------------------ */

static struct tracing_request
request_of(const struct preflight *f, const struct live_allocations *plan)
{
	const struct clr_facts *facts = facts_of(f);
	struct tracing_request r = {
		.command = facts->newest_command < COMMAND_OF_NAMES
			       ? facts->newest_command
			       : COMMAND_OF_NAMES,
		.buffer_mb = plan->buffer_mb,
		.provider = "Microsoft-Windows-DotNETRuntime",
		.rundown_keywords = KEYWORDS_OF_NAMES,
	};

	return r;
}

static bool
take_method(void *context, const struct nettrace *t, enum nettrace_item item,
	    const struct nettrace_event *event, struct error *err)
{
	(void)t;
	return item != NETTRACE_EVENT || methods_take(context, event, err);
}

/* Reads the methods known so far in a session that ends at once. */
static bool
list_methods(struct watch *w, struct progress *progress, struct error *err)
{
	struct event_stream *s = &w->names_stream;
	struct tracing_request r = request_of(&w->stream.flight, w->plan);
	struct nettrace *names = NULL;
	bool ok;

	s->silent_max_ms = SILENT_MS;
	s->is_forgone = true;
	ok = event_stream_open(s, w->target, progress, err);
	if (ok)
		names = nettrace_new(event_stream_input(s), err);
	ok = names && event_stream_begin(s, &r, err);
	if (ok) {
		event_stream_ask_stop(s);
		ok = nettrace_take_all(names, take_method,
				       allocation_reader_methods(w->reader),
				       NULL, err);
	}
	event_stream_close(s);
	nettrace_free(names);
	return ok &&
	       code_files_read(allocation_reader_methods(w->reader),
			       PROC_FOLDER, w->stream.flight.process.pid, err);
}

/* --- while it goes on ----------------------------------------------------- */

/*
 * Precompiled methods that are first called later send no event, so that only
 * another list names them. One that named nothing new is not repeated soon, as
 * code that is no method never has a name.
 */
static bool
is_list_due(const struct watch *w, const struct allocations *a)
{
	return a->unknown_count > w->unknown_count &&
	       clock_ns() >= w->next_names_ns &&
	       !target_is_locked(&w->stream.flight.process);
}

static void
plan_next_list(struct watch *w, int64_t took_ns)
{
	w->names_interval_ns *= 2;
	if (w->names_interval_ns < took_ns * PART_OF_TIME)
		w->names_interval_ns = took_ns * PART_OF_TIME;
	w->next_names_ns = clock_ns() + w->names_interval_ns;
}

static struct allocations *
name_so_far(struct watch *w, struct error *err)
{
	int64_t elapsed_ns = clock_ns() - w->counted_ns;

	return allocation_reader_name_so_far(w->reader, (uint64_t)elapsed_ns,
					     err);
}

/* Lists the methods again, if that could name more; makes the copy again. */
static struct allocations *
list_again(struct watch *w, struct allocations *a, struct error *err)
{
	int64_t began_ns = clock_ns();
	struct error ignored;
	bool is_listed;

	if (!is_list_due(w, a))
		return a;
	error_clear(&ignored);
	/* The process may just be ending, which the recording's own session
	   reports. */
	is_listed = list_methods(w, w->stream.progress, &ignored);
	plan_next_list(w, clock_ns() - began_ns);
	if (!is_listed)
		return a;
	allocations_free(a);
	a = name_so_far(w, err);
	if (a)
		w->unknown_count = a->unknown_count;
	return a;
}

static bool
publish_so_far(void *context, struct error *err)
{
	struct watch *w = context;
	int64_t began_ns = clock_ns(), pause_ns;
	struct allocations *a;

	if (!w->sink.interval_ns || w->stream.has_asked_stop)
		return true;
	if (!w->counted_ns)
		w->counted_ns = w->stream.granted_ns;
	if (w->sink.counts_anew && w->sink.counts_anew(w->sink.context)) {
		allocation_reader_restart(w->reader);
		w->counted_ns = began_ns;
		w->time_ns = 0;
		w->next_publish_ns = 0;
	}
	if (began_ns < w->next_publish_ns)
		return true;
	a = name_so_far(w, err);
	pause_ns = (clock_ns() - began_ns) * PART_OF_TIME;
	if (pause_ns < (int64_t)w->sink.interval_ns)
		pause_ns = (int64_t)w->sink.interval_ns;
	if (a)
		a = list_again(w, a, err);
	w->next_publish_ns = began_ns + pause_ns;
	if (!a)
		return false;
	w->time_ns = a->facts.time_ns;
	w->sink.publish(w->sink.context, a);
	return true;
}

/* --- the recording -------------------------------------------------------- */

static bool
record(struct watch *w, struct error *err)
{
	const struct live_allocations *plan = w->plan;
	struct tracing_request r = request_of(&w->stream.flight, plan);

	r.keywords = plan->is_random ? KEYWORD_SAMPLES : KEYWORD_GC;
	if (!plan->without_survival)
		r.keywords |= KEYWORD_GC | KEYWORD_SURVIVAL;
	r.level = plan->is_random ? LEVEL : LEVEL_OF_TICKS;
	r.wants_stacks = true;
	w->stream.keep = plan->keep;
	w->stream.time_max_ns = plan->time_ns;
	w->stream.tick = publish_so_far;
	w->stream.context = w;
	w->names_interval_ns = COPIES_A_LIST * (int64_t)w->sink.interval_ns;
	w->next_names_ns = clock_ns() + w->names_interval_ns;
	w->trace = nettrace_new(event_stream_input(&w->stream), err);
	return w->trace && event_stream_begin(&w->stream, &r, err) &&
	       allocation_reader_take_all(w->reader, w->trace, NULL, err);
}

static void
describe_end(const struct watch *w, struct allocation_facts *facts)
{
	bool is_over = w->plan->time_ns && w->stream.has_asked_stop;

	if (!is_over || facts->is_cut)
		event_stream_describe_end(&w->stream, facts->is_cut,
					  facts->end);
}

static bool
run(struct watch *w, struct progress *progress, struct error *err)
{
	struct allocation_facts *facts;
	struct allocations *a;

	w->reader = allocation_reader_new(err);
	if (!w->reader || (w->sink.interval_ns &&
			   !allocation_reader_keep_recent(w->reader, err)))
		return false;
	facts = allocation_reader_facts(w->reader);
	snprintf(facts->who, sizeof facts->who, "%s", w->stream.flight.ipc.who);
	facts->is_random = w->plan->is_random;
	facts->is_not_followed = w->plan->without_survival;
	if (!list_methods(w, progress, err) || !record(w, err))
		return false;
	describe_end(w, facts);
	/* The last event of an idle process may be long ago. */
	if (facts->time_ns < w->time_ns)
		facts->time_ns = w->time_ns;
	a = allocation_reader_name(w->reader, err);
	if (a)
		w->sink.publish(w->sink.context, a);
	return a != NULL;
}

bool
allocation_watch(const struct live_target *target,
		 const struct live_allocations *plan,
		 struct allocation_sink sink, struct progress *progress,
		 struct error *err)
{
	struct watch *w = memory_new(1, sizeof *w, err);
	bool ok;

	if (!w)
		return false;
	w->target = target;
	w->plan = plan;
	w->sink = sink;
	w->stream.silent_max_ms = SILENT_MS;
	ok = event_stream_open(&w->stream, target, progress, err) &&
	     run(w, progress, err);
	event_stream_close(&w->stream);
	nettrace_free(w->trace);
	allocation_reader_free(w->reader);
	memory_free(w);
	return ok;
}
