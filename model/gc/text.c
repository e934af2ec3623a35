#include "model/gc/text.h"
#include "model/base/duration.h"
#include "model/gc/words.h"
#include "model/base/format.h"
#include "model/base/text.h"
#include <inttypes.h>
#include <stdarg.h>

/* ---- lists of names and numbers -------------------------------------------
 */

/* Puts a comma before it, except at the start and after "time:". */
static void PRINTF_LIKE(2, 3) add(struct text *out, const char *format, ...)
{
	va_list args;

	if (out->len)
		text_add(out, out->bytes[out->len - 1] == ':' ? " " : ", ");
	va_start(args, format);
	text_vaddf(out, format, args);
	va_end(args);
}

static void
add_time(struct text *out, const char *name, uint64_t ns)
{
	char text[FORMAT_BYTES];

	/* Omit what would be shown as 0.00. */
	if (ns != GC_UNKNOWN && ns >= 10000)
		add(out, "%s %s", name, format_ms(ns, text));
}

static void
add_size(struct text *out, const char *name, uint64_t bytes)
{
	char text[FORMAT_BYTES];

	if (bytes != GC_UNKNOWN && bytes)
		add(out, "%s %s", name, format_size(bytes, text));
}

static void
add_number(struct text *out, uint64_t number, const char *name)
{
	if (number != GC_UNKNOWN && number != GC_UNKNOWN32)
		add(out, "%" PRIu64 " %s", number, name);
}

/* ---- one collection -------------------------------------------------------
 */

/* "gen1, requested gen0, blocking, reason: allocation, …" */
static void
what_text(const struct gc_record *r, struct text *out)
{
	struct gc_decision d = gc_decision(r->reasons);
	char why[GC_DECISION_BYTES], how[GC_DECISION_BYTES];
	const char *kind = gc_kind_text(r->kind);
	const char *reason = gc_reason_text(r->reason);
	const char *compact = gc_compact_text(r->compact);

	if (r->generation != GC_UNKNOWN32)
		add(out, "gen%" PRIu32, r->generation);
	if (d.asked != GC_UNKNOWN32 && d.asked != r->generation)
		add(out, "requested gen%" PRIu32, d.asked);
	if (gc_was_not_concurrent(r))
		add(out, "blocking, though announced as background");
	else if (kind)
		add(out, "%s", kind);
	if (reason)
		add(out, "reason: %s", reason);
	if (*gc_decision_text(r, why))
		add(out, "generation due to %s", why);
	if (*gc_mechanisms_text(r, how))
		add(out, "%s", how);
	if (compact)
		add(out, "compacted for %s", compact);
}

static void
times_text(const struct gc_record *r, struct text *out)
{
	text_add(out, "ms:");
	add_time(out, "pause", r->pause_ns);
	add_time(out, "stopping threads", r->stop_ns);
	add_time(out, "preparing", r->before_ns);
	for (int i = 0; i < GC_PHASES; i++)
		add_time(out, gc_phase_text(r, i), r->phases_ns[i]);
	add_time(out, "resuming", r->after_ns);
	add_time(out, "heaps waiting for each other", r->join_wait_ns);
	if (r->pauses_count > 1)
		add_time(out, "second pause", r->pauses[1].length_ns);
	add_time(out, "from start to end", r->duration_ns);
}

static void
marks_text(const struct gc_record *r, struct text *out)
{
	text_add(out, "found alive by:");
	for (int i = 0; i < GC_MARKS; i++)
		add_size(out, gc_mark_text(i), r->marked[i]);
}

static void
memory_text(const struct gc_record *r, struct text *out)
{
	add_size(out, "committed before", r->committed_before);
	add_size(out, "after", r->committed_after);
	add_size(out, "bookkeeping", r->bookkeeping);
	add_number(out, r->pinned, "pinned");
	add_number(out, r->finalized, "to be finalized");
	add_number(out, r->handles, "handles");
	add_number(out, r->sync_blocks, "sync blocks");
	if (r->gen0_reductions != GC_UNKNOWN32 && r->gen0_reductions)
		add_number(out, r->gen0_reductions, "reductions of the gen0 budget");
	if (r->is_incomplete)
		add(out, "events of it were lost");
}

bool
gc_text_line(const struct gc_record *r, unsigned line, char out[GC_TEXT_BYTES])
{
	static void (*const texts[])(const struct gc_record *r,
				     struct text *out) = { what_text, times_text, marks_text,
							   memory_text };
	struct text text = text_in(out, GC_TEXT_BYTES);

	if (line >= GC_TEXT_LINES)
		return false;
	texts[line](r, &text);
	/* Omit a title without values. */
	if (text.len && out[text.len - 1] == ':')
		text_shorten(&text, 0);
	return text.len > 0;
}

/* ---- all collections ------------------------------------------------------
 */

static void
counts_text(const struct gc_summary *s, struct text *out)
{
	uint64_t watched = s->totals.last_ns - s->totals.first_ns;
	char a[FORMAT_BYTES], b[DURATION_BYTES];

	text_addf(
	    out,
	    "%s collection%s in %s: %" PRIu64 " of gen0, %" PRIu64 " of gen1, %" PRIu64
	    " of gen2 (%" PRIu64 " in the background); %" PRIu64 " induced, %" PRIu64 " compacting",
	    format_count(s->count, a), plural(s->count), duration_text((double)watched / 1e9, b),
	    s->counts[0], s->counts[1], s->counts[2], s->background, s->induced, s->compacting);
}

static const char *
at_least(const struct gc_summary *s, uint64_t unknown)
{
	return unknown || gc_summary_lacks(s) ? "at least " : "";
}

/* Writes "; of 3 collections that is unknown", or nothing. */
static void
add_unknown(struct text *out, uint64_t count)
{
	char a[FORMAT_BYTES];

	if (count)
		text_addf(out, "; of %s collection%s that is unknown", format_count(count, a),
			  plural(count));
}

static void
pauses_text(const struct gc_summary *s, struct text *out)
{
	uint32_t share = gc_summary_share(s);
	uint64_t known = s->count - s->unknown_pauses;
	char a[FORMAT_BYTES], b[FORMAT_BYTES], c[FORMAT_BYTES];

	if (!s->count) {
		text_add(out, "no pauses");
		return;
	}
	text_addf(out, "paused %s%s ms in all, %u.%02u%% of the time",
		  at_least(s, s->unknown_pauses), format_ms(s->pause_ns, a), share / 100,
		  share % 100);
	if (known)
		text_addf(out, "; longest %s ms (GC %" PRIu32 "), on average %s ms",
			  format_ms(s->longest_ns, b), s->longest_number,
			  format_ms(s->known_pauses_ns / known, c));
	add_unknown(out, s->unknown_pauses);
}

static void
rest_text(const struct gc_summary *s, struct text *out)
{
	char a[FORMAT_BYTES], b[FORMAT_BYTES];

	/* Between collections: there must be two. */
	if (s->count >= 2)
		text_addf(out, "%s%s allocated between collections, ",
			  at_least(s, s->unknown_allocated), format_size(s->allocated, a));
	text_addf(out, "%s finalizers run; stopped %" PRIu64 " time%s for other reasons, %s ms",
		  format_count(s->totals.finalizers, a), s->totals.other_pauses,
		  plural(s->totals.other_pauses), format_ms(s->totals.other_ns, b));
	if (s->unknown_allocated)
		text_addf(out, "; allocations before %s collection%s are unknown",
			  format_count(s->unknown_allocated, a), plural(s->unknown_allocated));
}

static void
add_loss(struct text *out, uint64_t count, const char *what)
{
	if (count)
		text_addf(out, "%s%" PRIu64 " %s", out->len ? "; " : "", count, what);
}

/* Events and collections that the sums do not contain. */
static void
losses_text(const struct gc_summary *s, struct text *out)
{
	add_loss(out, s->totals.lost_events, "events were lost");
	add_loss(out, s->dropped, "collections were dropped before they were read: not counted");
	add_loss(out, s->totals.partial, "had started before or did not end: not counted");
}

bool
gc_summary_is_absent(const struct gc_summary *s)
{
	return !s->count && recorded_lacks(&s->totals.recorded, RECORDED_COLLECTIONS);
}

bool
gc_summary_text(const struct gc_summary *s, unsigned line, char out[GC_TEXT_BYTES])
{
	static void (*const lines[])(const struct gc_summary *s,
				     struct text *out) = { counts_text, pauses_text, rest_text,
							   losses_text };
	struct text text = text_in(out, GC_TEXT_BYTES);

	if (gc_summary_is_absent(s)) {
		recorded_lack_text(&s->totals.recorded, RECORDED_COLLECTIONS, "", out);
		return line == 0;
	}
	if (line >= sizeof lines / sizeof lines[0])
		return false;
	lines[line](s, &text);
	return text.len > 0;
}

const char *
gc_summary_short(const struct gc_summary *s, char out[GC_TEXT_BYTES])
{
	uint64_t watched = s->totals.last_ns - s->totals.first_ns;
	uint32_t share = gc_summary_share(s);
	char longest[FORMAT_BYTES], count[FORMAT_BYTES], time[DURATION_BYTES];
	struct text text = text_in(out, GC_TEXT_BYTES);

	duration_text((double)watched / 1e9, time);
	if (!s->count) {
		text_addf(&text, "%s GCs in %s", gc_summary_is_absent(s) ? "unknown" : "no", time);
		return out;
	}
	text_addf(&text, "paused %s%u.%02u%%, longest %s ms; %s GC%s in %s:",
		  at_least(s, s->unknown_pauses), share / 100, share % 100,
		  format_ms(s->longest_ns, longest), format_count(s->count, count),
		  plural(s->count), time);
	for (int i = 0; i < 3; i++)
		if (s->counts[i])
			add(&text, "%" PRIu64 " gen%d", s->counts[i], i);
	return out;
}
