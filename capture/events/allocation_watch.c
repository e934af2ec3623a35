#include "capture/events/allocation_watch.h"
#include "capture/events/allocation_copies.h"
#include "capture/events/code_files.h"
#include "capture/events/event_stream.h"
#include "capture/process/target_lock.h"
#include "io/events/allocation_events.h"
#include "io/events/nettrace_all.h"
#include "io/runtime/layout.h"
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

struct watch {
	struct event_stream stream, names_stream;
	struct nettrace *trace;
	const struct live_target *target;
	const struct live_allocations *plan;
	struct allocation_copies copies;
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
			 "%s may use only %" PRIu64 " MiB more memory (%s); recording allocations "
			 "needs %d MiB of it for events and leaves seven times as much free",
			 s->flight.ipc.who, card->target.headroom_bytes >> 20, card->target.limit,
			 BUFFER_MIN_MB);
}

/*
 * The runtime reports the survivors of a background collection while the program is stopped:
 * measured, 3.6 ns an object. How many there are is not known before, and estimated as for
 * captures.
 */
static void
plan_survival(struct live_allocations *plan, const struct live_card *card)
{
	enum { TENTHS_OF_NS_AN_OBJECT = 36 };

	plan->survival_stop_ns =
	    plan->without_survival ? 0 : card->objects * TENTHS_OF_NS_AN_OBJECT / 10;
}

/* Native AOT of older versions sends no samples. */
static bool
sends_samples(const struct event_stream *s, struct error *err)
{
	return facts_of(&s->flight)->native_samples ||
	       preflight_is_jitted(
		   &s->flight, NULL,
		   "does not report what it allocates before .NET 9; nothing was done to the "
		   "process",
		   err);
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
	ok = event_stream_open(s, target, progress, err) && sends_samples(s, err);
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
request_of(const struct preflight *f, uint32_t buffer_mb)
{
	const struct clr_facts *facts = facts_of(f);
	struct tracing_request r = {
		.command = facts->newest_command < COMMAND_OF_NAMES ? facts->newest_command
								    : COMMAND_OF_NAMES,
		.buffer_mb = buffer_mb,
		.provider = "Microsoft-Windows-DotNETRuntime",
		.rundown_keywords = KEYWORDS_OF_NAMES,
	};

	return r;
}

/* Reads the methods known so far in a session that ends at once. */
static bool
read_list(struct event_stream *s, const struct live_target *target, uint32_t buffer_mb,
	  struct methods *m, struct progress *progress, struct error *err)
{
	struct tracing_request r;
	struct nettrace *names = NULL;
	bool ok;

	s->silent_max_ms = SILENT_MS;
	s->is_forgone = true;
	ok = event_stream_open(s, target, progress, err);
	if (ok)
		names = nettrace_new(event_stream_input(s), err);
	if (names) {
		r = request_of(&s->flight, buffer_mb);
		ok = event_stream_begin(s, &r, err);
	}
	if (names && ok) {
		event_stream_ask_stop(s);
		ok = methods_take_all(m, names, err);
	}
	event_stream_close(s);
	nettrace_free(names);
	return names && ok;
}

static bool
list_methods(struct watch *w, struct progress *progress, struct error *err)
{
	struct methods *m = allocation_reader_methods(w->copies.reader);

	return read_list(&w->names_stream, w->target, w->plan->buffer_mb, m, progress, err) &&
	       code_files_read(m, PROC_FOLDER, w->stream.flight.process.pid, err);
}

/* --- while it goes on ----------------------------------------------------- */

static bool
list_for_copies(void *context)
{
	struct watch *w = context;
	struct error ignored;

	if (target_is_locked(&w->stream.flight.process))
		return false;
	error_clear(&ignored);
	/* The process may just be ending, which the recording's own session reports. */
	allocation_copies_listed(&w->copies, list_methods(w, w->stream.progress, &ignored));
	return true;
}

static bool
publish_so_far(void *context, struct error *err)
{
	struct watch *w = context;

	return w->stream.has_asked_stop ||
	       allocation_copies_publish(&w->copies, w->stream.granted_ns, err);
}

/* --- the recording -------------------------------------------------------- */

static bool
begin(struct event_stream *s, const struct live_allocations *plan, struct error *err)
{
	struct tracing_request r = request_of(&s->flight, plan->buffer_mb);

	r.keywords = plan->is_random ? KEYWORD_SAMPLES : KEYWORD_GC;
	if (!plan->without_survival)
		r.keywords |= KEYWORD_GC | KEYWORD_SURVIVAL;
	r.level = plan->is_random ? LEVEL : LEVEL_OF_TICKS;
	r.wants_stacks = true;
	s->silent_max_ms = SILENT_MS;
	s->keep = plan->keep;
	s->time_max_ns = plan->time_ns;
	return event_stream_begin(s, &r, err);
}

static bool
record(struct watch *w, struct error *err)
{
	w->stream.tick = publish_so_far;
	w->stream.context = w;
	w->trace = nettrace_new(event_stream_input(&w->stream), err);
	return w->trace && begin(&w->stream, w->plan, err) &&
	       allocation_reader_take_all(w->copies.reader, w->trace, NULL, err);
}

static void
describe_end(const struct event_stream *s, const struct live_allocations *plan, bool is_cut,
	     char text[EVENT_STREAM_END_BYTES])
{
	bool is_over = plan->time_ns && s->has_asked_stop;

	*text = '\0';
	if (!is_over || is_cut)
		event_stream_describe_end(s, is_cut, text);
}

static bool
run(struct watch *w, struct progress *progress, struct error *err)
{
	const struct allocation_facts *facts;
	char end[EVENT_STREAM_END_BYTES];

	if (!allocation_copies_begin(&w->copies, w->stream.flight.ipc.who, w->plan, err) ||
	    !list_methods(w, progress, err) || !record(w, err))
		return false;
	facts = allocation_reader_facts(w->copies.reader);
	describe_end(&w->stream, w->plan, facts->is_cut, end);
	return allocation_copies_end(&w->copies, end, err);
}

bool
allocation_watch(const struct live_target *target, const struct live_allocations *plan,
		 struct allocation_sink sink, struct progress *progress, struct error *err)
{
	struct watch *w = memory_new(1, sizeof *w, err);
	bool ok;

	if (!w)
		return false;
	w->target = target;
	w->plan = plan;
	w->copies =
	    (struct allocation_copies){ .sink = sink, .list = list_for_copies, .context = w };
	ok = event_stream_open(&w->stream, target, progress, err) && run(w, progress, err);
	event_stream_close(&w->stream);
	nettrace_free(w->trace);
	allocation_copies_clear(&w->copies);
	memory_free(w);
	return ok;
}

/* --- events that are decoded elsewhere ------------------------------------ */

static bool
forget(void *context, const struct nettrace *t, enum nettrace_item item,
       const struct nettrace_event *event, struct error *err)
{
	(void)context, (void)t, (void)item, (void)event, (void)err;
	return true;
}

bool
allocation_events(const struct live_target *target, const struct live_allocations *plan,
		  char end[EVENT_STREAM_END_BYTES], struct progress *progress, struct error *err)
{
	struct event_stream *s = memory_new(1, sizeof *s, err);
	struct nettrace *trace = NULL;
	bool ok;

	if (!s)
		return false;
	ok = event_stream_open(s, target, progress, err);
	if (ok)
		trace = nettrace_new(event_stream_input(s), err);
	ok = trace && begin(s, plan, err) && nettrace_take_all(trace, forget, NULL, NULL, err);
	if (ok)
		describe_end(s, plan, nettrace_status(trace)->damage.kind != ERROR_NONE, end);
	event_stream_close(s);
	nettrace_free(trace);
	memory_free(s);
	return ok;
}

bool
allocation_methods(const struct live_target *target, uint32_t buffer_mb, struct output *keep,
		   struct progress *progress, struct error *err)
{
	struct event_stream *s = memory_new(1, sizeof *s, err);
	bool ok;

	if (!s)
		return false;
	s->keep = keep;
	ok = read_list(s, target, buffer_mb, NULL, progress, err);
	memory_free(s);
	return ok;
}
