#include "capture/events/gc_watch.h"
#include "capture/events/event_stream.h"
#include "io/events/gc_stats.h"
#include "io/runtime/layout.h"
#include "model/base/clock.h"
#include <stdio.h>

enum {
	KEYWORD_GC = 0x1,
	LEVEL = 4,
	LEVEL_OF_JOINS = 5, /* which also has every 100 KB allocated, etc. */
};

struct watch {
	struct event_stream stream;
	struct nettrace *trace;
	struct gc_stats *stats;
};

/* Passes on the collections of a batch that has ended. */
static bool
settle(void *context, struct error *err)
{
	struct watch *w = context;

	if (!gc_stats_settle(w->stats, err))
		return false;
	gc_stats_watched(w->stats, (uint64_t)(clock_ns() - w->stream.granted_ns));
	return true;
}

static struct tracing_request
request_of(const struct watch *w, bool wants_joins)
{
	/* The other events of level 5: allocations, finalized and pinned objects, memory pressure,
	   free lists. */
	static const uint32_t unwanted[] = { 10, 29, 33, 200, 201, 209 };
	const struct clr_facts *facts = clr_facts(runtime_info_major(&w->stream.flight.info));
	struct tracing_request request = {
		.command = facts->watch_command,
		.buffer_mb = GC_WATCH_BUFFER_MB,
		.provider = "Microsoft-Windows-DotNETRuntime",
		.keywords = KEYWORD_GC,
		.level = LEVEL,
	};

	if (wants_joins && facts->filter_command) {
		request.command = facts->filter_command;
		request.level = LEVEL_OF_JOINS;
		request.unwanted = unwanted;
		request.unwanted_count = sizeof(unwanted) / sizeof(unwanted[0]);
	}
	return request;
}

static bool
begin(struct watch *w, bool wants_joins, struct gc_sink sink, struct error *err)
{
	struct tracing_request request = request_of(w, wants_joins);

	w->stream.settle = settle;
	w->stream.context = w;
	w->trace = nettrace_new(event_stream_input(&w->stream), err);
	w->stats = w->trace ? gc_stats_new(sink, err) : NULL;
	return w->stats && event_stream_begin(&w->stream, &request, err);
}

static void
describe_end(const struct watch *w, struct gc_source_facts *facts)
{
	facts->is_cut = !nettrace_status(w->trace)->has_ended;
	event_stream_describe_end(&w->stream, facts->is_cut, facts->end);
}

bool
gc_watch(const struct live_target *target, bool wants_joins, struct gc_sink sink,
	 struct output *keep, struct gc_source_facts *facts, struct progress *progress,
	 struct error *err)
{
	struct watch *w = memory_new(1, sizeof(*w), err);
	bool ok = false;

	if (!w)
		return false;
	w->stream.keep = keep;
	if (event_stream_open(&w->stream, target, progress, err)) {
		snprintf(facts->who, sizeof(facts->who), "%s", w->stream.flight.ipc.who);
		snprintf(facts->runtime, sizeof(facts->runtime), "%s",
			 w->stream.flight.info.version);
		ok = begin(w, wants_joins, sink, err) &&
		     gc_stats_take_all(w->stats, w->trace, NULL, err);
		if (ok)
			describe_end(w, facts);
	}
	event_stream_close(&w->stream);
	nettrace_free(w->trace);
	gc_stats_free(w->stats);
	memory_free(w);
	return ok;
}
