#include "model/allocations/sentences.h"
#include "model/base/duration.h"
#include "model/base/format.h"
#include "model/base/less.h"
#include <inttypes.h>

/* --- how much is allocated ------------------------------------------------ */

/* Rates of the last seconds. */
static void
recent_text(const struct allocation_sum *sum, const struct allocation_sum *rate,
	    const struct allocations *of, char *text)
{
	double seconds = allocations_rate_seconds(of);
	char count[FORMAT_BYTES], size[FORMAT_BYTES], objects_text[FORMAT_BYTES];
	char rates[2 * FORMAT_BYTES + 32] = "nothing was sampled";

	if (rate->samples)
		snprintf(rates, sizeof rates, "about %s/s and %s objects/s",
			 format_size(allocation_rounded(rate->bytes / seconds), size),
			 format_count(allocation_rounded(rate->objects / seconds), objects_text));
	snprintf(text, ALLOCATION_TEXT_BYTES, "last %.1f s: %s; %s sample%s in %.1f s", seconds,
		 rates, format_count(sum->samples, count), plural(sum->samples),
		 allocations_seconds(of));
}

/* Without a sample there were fewer bytes than make one likely: 95 % of such recordings have one if
   three are expected. */
static void
none_text(const struct allocations *of, char *text)
{
	enum { EXPECTED = 3 };
	const struct recorded *recorded = &of->facts.recorded;
	double seconds = allocations_seconds(of);
	uint64_t most = allocation_rounded(EXPECTED * (double)ALLOCATION_MEAN_BYTES / seconds);
	char size[FORMAT_BYTES];

	if (recorded_lacks(recorded, RECORDED_ALLOCATIONS))
		recorded_lack_text(recorded, RECORDED_ALLOCATIONS, "", text);
	else
		snprintf(text, ALLOCATION_TEXT_BYTES,
			 "no sample in %.1f s: at most about %s a second was allocated", seconds,
			 format_size(most, size));
}

void
allocation_sum_text(const struct allocation_sum *sum, const struct allocation_sum *rate,
		    const struct allocations *of, char text[ALLOCATION_TEXT_BYTES])
{
	double seconds = allocations_seconds(of);
	char count[FORMAT_BYTES], size[FORMAT_BYTES], objects_text[FORMAT_BYTES];

	if (!of->facts.total.samples) {
		none_text(of, text);
		return;
	}
	if (of->facts.recent_ns) {
		recent_text(sum, rate, of, text);
		return;
	}
	format_count(allocation_rounded(sum->objects / seconds), objects_text);
	snprintf(text, ALLOCATION_TEXT_BYTES,
		 "%s sample%s in %.1f s: about %s and %s objects a second were allocated%s",
		 format_count(sum->samples, count), plural(sum->samples), seconds,
		 format_size(allocation_rounded(sum->bytes / seconds), size),
		 sum->unsized ? "an unknown number of" : objects_text,
		 sum->unsized ? " (an old runtime, whose events lack the sizes of objects)" : "");
}

static bool
total_text(const struct allocation_rows *rows, char *text)
{
	const struct allocation_facts *f = &rows->of->facts;

	allocation_sum_text(&f->total, &f->recent, rows->of, text);
	return true;
}

/* --- what stays alive ----------------------------------------------------- */

/* Writes "gen2 118, 3 min ago". */
static void
judge_text(const struct allocation_facts *f, const struct allocation_judge *j, char *text,
	   size_t text_size)
{
	uint64_t ns = less(f->survival.now_ns, j->time_ns);
	char ago[DURATION_BYTES];

	snprintf(text, text_size, "gen%u %" PRIu32 ", %s ago", (unsigned)j->generation, j->number,
		 duration_text((double)ns / 1e9, ago));
}

/* Writes "; 3.0% unconfirmed; 2 MiB unknown", or a part of it. */
static void
doubts_text(const struct allocation_alive *a, char *text, size_t text_size)
{
	char share[FORMAT_BYTES], bytes[FORMAT_BYTES];
	uint64_t unconfirmed = allocation_rounded(a->unconfirmed_bytes);
	uint64_t unknown = allocation_rounded(a->unknown_bytes);
	bool has_both = unconfirmed && unknown;

	format_share(unconfirmed, allocation_rounded(a->sum.bytes), share);
	format_size(unknown, bytes);
	snprintf(text, text_size, "%s%s%s%s%s%s", unconfirmed || unknown ? "; " : "",
		 unconfirmed ? share : "", unconfirmed ? " unconfirmed" : "", has_both ? "; " : "",
		 unknown ? bytes : "", unknown ? " unknown" : "");
}

/* Why a trace has no survivors. */
static const char *
unfollowed(const struct recorded *r)
{
	return r->counts[RECORDED_COLLECTIONS]
		   ? "what stays alive is unknown: the trace was recorded without the keyword "
		     "GCHeapSurvivalAndMovement (0x400000)"
		   : "what stays alive is unknown: the trace was recorded without the keywords GC "
		     "and GCHeapSurvivalAndMovement (0x400001), or no collection ended meanwhile";
}

static bool
alive_text(const struct allocation_rows *rows, char *text)
{
	const struct allocations *a = rows->of;
	const struct allocation_facts *f = &a->facts;
	const struct allocation_survival *s = &f->survival;
	char bytes[FORMAT_BYTES], doubts[96], gen2[64], latest[64];
	bool is_gen2_latest = s->latest.number == s->gen2.number;

	if (!s->collections) {
		snprintf(text, ALLOCATION_TEXT_BYTES, "%s",
			 f->is_not_followed ? "what stays alive is not followed"
			 : f->recorded.is_trace && !f->recorded.counts[RECORDED_SURVIVORS]
			     ? unfollowed(&f->recorded)
			     : "no collection has reported survivors: what stays alive is unknown");
		return f->total.samples > 0;
	}
	judge_text(f, &s->gen2, gen2, sizeof gen2);
	judge_text(f, &s->latest, latest, sizeof latest);
	format_size(allocation_rounded(a->alive.sum.bytes), bytes);
	doubts_text(&a->alive, doubts, sizeof doubts);
	if (!s->gen2_collections)
		snprintf(text, ALLOCATION_TEXT_BYTES,
			 "about %s are alive as of %s; old objects wait for a gen2 collection",
			 bytes, latest);
	else
		snprintf(text, ALLOCATION_TEXT_BYTES, "about %s are alive as of %s%s%s%s", bytes,
			 gen2, is_gen2_latest ? "" : ", young ones as of ",
			 is_gen2_latest ? "" : latest, doubts);
	return true;
}

static bool
growth_text(const struct allocation_rows *rows, char *text)
{
	const struct allocation_survival *s = &rows->of->facts.survival;
	const struct allocation_growth *g = &rows->growth;
	const char *name;
	char bytes[FORMAT_BYTES], low[FORMAT_BYTES], high[FORMAT_BYTES];
	char span[DURATION_BYTES];
	double seconds;

	if (!s->collections)
		return false;
	if (s->points.count < ALLOCATION_POINTS_MIN) {
		snprintf(text, ALLOCATION_TEXT_BYTES,
			 "warming up: growth is unknown before %d gen2 "
			 "collections, of which %" PRIu32 " %s been seen",
			 ALLOCATION_POINTS_MIN, s->points.count,
			 s->points.count == 1 ? "has" : "have");
		return true;
	}
	/* Objects that live longer than that look like a leak. */
	seconds = s->points.seconds[s->points.count - 1] - s->points.seconds[0];
	name = rows->rising ? allocation_row_name(rows, rows->rising - 1) : NULL;
	if (rows->rising)
		snprintf(text, ALLOCATION_TEXT_BYTES,
			 "live bytes rise most at %.80s: about %s a minute over %s (%s to %s)",
			 name ? name : "(without a stack)",
			 format_size(allocation_rounded(g->bytes), bytes),
			 duration_text(seconds, span), format_size(allocation_rounded(g->low), low),
			 format_size(allocation_rounded(g->high), high));
	else
		snprintf(text, ALLOCATION_TEXT_BYTES,
			 "no %s has live bytes that rise more than chance explains",
			 rows->grouping == ALLOCATIONS_BY_TYPE ? "type" : "site");
	return true;
}

/* --- doubts --------------------------------------------------------------- */

static bool
bias_text(const struct allocation_rows *rows, char *text)
{
	const struct allocation_facts *f = &rows->of->facts;

	snprintf(text, ALLOCATION_TEXT_BYTES,
		 "%s: the rates of types and sites are biased and have no interval",
		 f->recorded.is_trace
		     ? "these samples are not random (GC at level 5; from .NET 10 on the keyword "
		       "AllocationSampling, 0x80000000000, at level 4 records random ones)"
		     : "before .NET 10 the runtime does not sample at random");
	return !f->is_random && f->total.samples;
}

/* Writes the sentence only if the count is not 0. */
static bool
count_text(uint64_t count, const char *what, char *text)
{
	char number[FORMAT_BYTES];

	snprintf(text, ALLOCATION_TEXT_BYTES, "%s: %s", what, format_count(count, number));
	return count != 0;
}

static bool
lost_text(const struct allocation_rows *rows, char *text)
{
	return count_text(rows->of->facts.lost_events, "all rates are too low, as events were lost",
			  text);
}

static bool
unfollowed_text(const struct allocation_rows *rows, char *text)
{
	return count_text(
	    rows->of->facts.survival.collections ? rows->of->facts.survival.lost_samples : 0,
	    "more may be alive than is shown, as samples could not be followed", text);
}

static bool
without_stack_text(const struct allocation_rows *rows, char *text)
{
	const struct allocation_facts *f = &rows->of->facts;

	if (!allocation_facts_lack_stacks(f))
		return count_text(f->without_stack, "samples without a stack", text);
	snprintf(text, ALLOCATION_TEXT_BYTES,
		 "no sample has a stack, so that sites are unknown: the trace was recorded without "
		 "stacks, or of a program that is compiled by Native AOT");
	return true;
}

/* A stream that is cut lacks the list at its end. */
static bool
unnamed_text(const struct allocation_rows *rows, char *text)
{
	const struct allocation_facts *f = &rows->of->facts;
	uint32_t count = rows->of->unknown_count;
	char number[FORMAT_BYTES];

	snprintf(text, ALLOCATION_TEXT_BYTES, "%s code address%s no name, as %s",
		 format_count(count, number), count == 1 ? " has" : "es have",
		 f->is_cut ? "the last list of methods is missing"
			   : "the trace was recorded without the list of methods at its end "
			     "(rundown)");
	return count && (f->is_cut || allocations_lack_names(rows->of));
}

static bool
folded_text(const struct allocation_rows *rows, char *text)
{
	return count_text(rows->of->facts.folded,
			  "samples without their type or whole stack, as there were too many "
			  "different ones",
			  text);
}

static bool
end_text(const struct allocation_rows *rows, char *text)
{
	snprintf(text, ALLOCATION_TEXT_BYTES, "%s", rows->of->facts.end);
	return *text != '\0';
}

/* --- all ------------------------------------------------------------------ */

typedef bool sentence_text(const struct allocation_rows *rows, char *text);

bool
allocation_sentence(const struct allocation_rows *rows, unsigned number, enum sentence_topic *topic,
		    char text[ALLOCATION_TEXT_BYTES])
{
	static const struct {
		enum sentence_topic topic;
		sentence_text *text;
	} all[] = {
		{ SENTENCE_TOTAL, total_text },         { SENTENCE_ALIVE, alive_text },
		{ SENTENCE_GROWTH, growth_text },       { SENTENCE_DOUBT, bias_text },
		{ SENTENCE_DOUBT, lost_text },          { SENTENCE_DOUBT, unfollowed_text },
		{ SENTENCE_DOUBT, without_stack_text }, { SENTENCE_DOUBT, unnamed_text },
		{ SENTENCE_DOUBT, folded_text },        { SENTENCE_DOUBT, end_text },
	};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		*topic = all[i].topic;
		if (all[i].text(rows, text) && !number--)
			return true;
	}
	return false;
}

bool
allocation_sentence_waits(const struct allocations *a, enum sentence_topic topic)
{
	const struct allocation_survival *s = &a->facts.survival;

	if (topic == SENTENCE_ALIVE)
		return !s->collections && !a->facts.is_not_followed;
	return topic == SENTENCE_GROWTH && s->points.count < ALLOCATION_POINTS_MIN;
}
