#include "capture/events/allocation_watch.h"
#include "capture/events/code_files.h"
#include "capture/events/event_stream.h"
#include "io/events/allocation_events.h"
#include "io/events/nettrace_all.h"
#include "io/runtime/layout.h"
#include <inttypes.h>
#include <stdio.h>

enum {
	LEVEL = 4,
	KEYWORD_GC = 0x1,
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
	struct event_stream stream;
	struct nettrace *trace;
	struct allocation_reader *reader;
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
	    struct error *err)
{
	struct live_card card = { 0 };
	uint64_t part_mb;

	preflight_look(&card, &s->flight.process, PROC_FOLDER);
	part_mb = (card.target.headroom_bytes / PART_OF_ROOM) >> 20;
	plan->buffer_mb = BUFFER_MB;
	if (!card.target.headroom_bytes || part_mb >= BUFFER_MB)
		return true;
	plan->buffer_mb = (uint32_t)part_mb;
	return part_mb >= BUFFER_MIN_MB ||
	       error_set(err, ERROR_ATTACH,
			 "%s may use only %" PRIu64 " MiB more memory (%s); "
			 "recording allocations needs %d MiB of it for events "
			 "and leaves seven times as much free",
			 s->flight.ipc.who, card.target.headroom_bytes >> 20,
			 card.target.limit, BUFFER_MIN_MB);
}

bool
allocation_plan(const struct live_target *target, struct live_allocations *plan,
		struct progress *progress, struct error *err)
{
	struct event_stream *s = memory_new(1, sizeof *s, err);
	bool ok;

	if (!s)
		return false;
	ok = event_stream_open(s, target, progress, err) &&
	     plan_buffer(plan, s, err);
	if (ok) {
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
list_methods(struct watch *w, const struct live_allocations *plan,
	     struct error *err)
{
	struct tracing_request r = request_of(&w->stream.flight, plan);
	struct nettrace *names;
	bool ok;

	names = nettrace_new(event_stream_input(&w->stream), err);
	ok = names && event_stream_begin(&w->stream, &r, err);
	if (ok) {
		event_stream_ask_stop(&w->stream);
		ok = nettrace_take_all(names, take_method,
				       allocation_reader_methods(w->reader),
				       NULL, err);
		event_stream_end(&w->stream);
	}
	nettrace_free(names);
	return ok &&
	       code_files_read(allocation_reader_methods(w->reader),
			       PROC_FOLDER, w->stream.flight.process.pid, err);
}

static bool
record(struct watch *w, const struct live_allocations *plan, struct error *err)
{
	struct tracing_request r = request_of(&w->stream.flight, plan);

	r.keywords = plan->is_random ? KEYWORD_SAMPLES : KEYWORD_GC;
	r.level = plan->is_random ? LEVEL : LEVEL_OF_TICKS;
	r.wants_stacks = true;
	w->stream.keep = plan->keep;
	w->stream.time_max_ns = plan->time_ns;
	w->trace = nettrace_new(event_stream_input(&w->stream), err);
	return w->trace && event_stream_begin(&w->stream, &r, err) &&
	       allocation_reader_take_all(w->reader, w->trace, NULL, err);
}

static void
describe_end(const struct watch *w, const struct live_allocations *plan,
	     struct allocation_facts *facts)
{
	bool is_over = plan->time_ns && w->stream.has_asked_stop;

	if (!is_over || facts->is_cut)
		event_stream_describe_end(&w->stream, facts->is_cut,
					  facts->end);
}

static bool
publish(struct watch *w, struct allocation_sink sink, struct error *err)
{
	struct allocations *a = allocation_reader_name(w->reader, err);

	if (a)
		sink.publish(sink.context, a);
	return a != NULL;
}

static bool
run(struct watch *w, const struct live_allocations *plan,
    struct allocation_sink sink, struct error *err)
{
	struct allocation_facts *facts;

	w->reader = allocation_reader_new(err);
	if (!w->reader)
		return false;
	facts = allocation_reader_facts(w->reader);
	snprintf(facts->who, sizeof facts->who, "%s", w->stream.flight.ipc.who);
	facts->is_random = plan->is_random;
	if (!list_methods(w, plan, err) || !record(w, plan, err))
		return false;
	describe_end(w, plan, facts);
	return publish(w, sink, err);
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
	w->stream.silent_max_ms = SILENT_MS;
	ok = event_stream_open(&w->stream, target, progress, err) &&
	     run(w, plan, sink, err);
	event_stream_close(&w->stream);
	nettrace_free(w->trace);
	allocation_reader_free(w->reader);
	memory_free(w);
	return ok;
}
