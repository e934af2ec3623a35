#include "model/base/format.h"
#include "tui/session/budget.h"
#include "tui/session/snapshots.h"
#include <inttypes.h>

static uint64_t
held_bytes(const struct session *s)
{
	uint64_t bytes = s->heap ? heap_bytes(s->heap) : 0;

	if (s->reverse)
		bytes += s->reverse->bytes;
	if (s->reach)
		bytes += s->reach->bytes + s->roots->bytes;
	if (s->retention)
		bytes += s->retention->bytes;
	return bytes;
}

static uint64_t
running_bytes(const struct session *s)
{
	uint64_t bytes = 0;

	for (int kind = 0; kind < JOB_KINDS; kind++)
		bytes += s->jobs[kind] ? s->job_bytes[kind] : 0;
	return bytes;
}

/*
 * Bytes freed before this job starts: those of the job that it replaces, and of the job that reads
 * what it replaces.
 */
static uint64_t
bytes_freed_before(const struct session *s, enum session_job kind)
{
	uint64_t bytes = s->jobs[kind] ? s->job_bytes[kind] : 0;

	if (kind == JOB_REACH && s->jobs[JOB_RETENTION])
		bytes += s->job_bytes[JOB_RETENTION];
	return bytes;
}

static uint64_t
sum_over_sessions(const struct session *s, uint64_t (*of)(const struct session *s))
{
	const struct snapshots *all = s->snapshots;
	uint64_t bytes = all ? 0 : of(s);

	for (size_t i = 0; all && i < all->count; i++)
		bytes += of(all->sessions[i]);
	return bytes;
}

static uint64_t
bytes_needed(const struct session *s, enum session_job kind, unsigned turns)
{
	const struct heap *h = s->heap;

	if (kind == JOB_REVERSE)
		return reverse_bytes(h, turns);
	if (kind == JOB_REACH)
		return reach_bytes(h);
	return retention_bytes(h);
}

static bool
refuse(const struct session *s, enum session_job kind, uint64_t all, struct error *err)
{
	static const struct {
		const char *what, *without;
	} words[JOB_KINDS] = {
		[JOB_REVERSE] = { "referrers are not computed",
				  "; :types and :objects TYPE work without them" },
		[JOB_REACH] = { "paths to roots are not computed",
				"; :types and :objects TYPE work without them" },
		[JOB_RETENTION] = { "retained sizes are not computed", "" },
	};
	char needed[FORMAT_BYTES], allowed[FORMAT_BYTES];
	uint64_t mib = (all >> 20) + 1;

	return error_set(err, ERROR_SYSTEM,
			 "%s: with them heaptop takes about %s, and %s are "
			 "allowed; --mem %" PRIu64 "M or :set mem=%" PRIu64 "M allows it%s",
			 words[kind].what, format_size(all, needed),
			 format_size(s->memory_limit, allowed), mib, mib, words[kind].without);
}

enum budget_answer
budget_check(struct session *s, enum session_job kind, struct error *err)
{
	uint64_t limit = s->memory_limit ? s->memory_limit : UINT64_MAX;
	uint64_t taken = sum_over_sessions(s, held_bytes);
	uint64_t running = sum_over_sessions(s, running_bytes) - bytes_freed_before(s, kind);
	uint64_t all = taken + bytes_needed(s, kind, 1);
	unsigned turns = 1;

	if (all + running > limit && running)
		return BUDGET_LATER;
	while (all > limit && kind == JOB_REVERSE && turns < REVERSE_TURNS_MAX)
		all = taken + bytes_needed(s, kind, turns *= 2);
	if (all > limit) {
		refuse(s, kind, all, err);
		return BUDGET_NEVER;
	}
	s->job_bytes[kind] = all - taken;
	if (kind == JOB_REVERSE)
		s->reverse_turns = turns;
	if (kind == JOB_RETENTION)
		s->retention_limit = s->memory_limit ? limit - taken - running : 0;
	return BUDGET_FITS;
}
