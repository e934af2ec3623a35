#include "model/gc/words.h"
#include "model/base/text.h"
#include <stdarg.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const reasons[] = {
	"allocation",
	"induced",
	"low memory",
	"empty",
	"large allocation",
	"out of space",
	"out of space for large objects",
	"induced, not forced",
	"stress",
	"induced by low memory",
	"induced, compacting",
	"low memory of the host",
	"full, in provisional mode",
	"low memory of the host, blocking",
	"tuning of background collections",
	"tuning of background collections, large",
	"stepping of background collections",
	"induced, aggressive",
};
static const char *const kinds[] = { "blocking", "background", "foreground" };
static const char *const modes[] = { "batch", "interactive", "low latency", "sustained low latency",
				     "no GC" };
static const char *const marks[GC_MARKS] = {
	"stacks",   "finalizer queue", "handles",           "older",  "sized references",
	"overflow", "dependent",       "newly finalizable", "stolen", "background",
};
static const char *const conditions[] = {
	"induced full",
	"full, to expand",
	"high memory load",
	"very high memory load",
	"few ephemeral pages left",
	"few cards left",
	"ephemeral generations fragmented",
	"gen2 highly fragmented",
	"gen2 highly fragmented, ephemeral",
	"gen2 highly fragmented, high memory load",
	"gen2 highly fragmented, very high memory load",
	"gen1 at most",
	"before running out of memory",
	"gen2 too small",
	"induced, not forced",
	"before background GC",
	"almost maximum allocation",
	"in place of an unproductive GC",
	"provisional mode, induced full",
	"provisional mode, large allocation",
	"gen1 in provisional mode",
	"limit, before running out of memory",
	"limit, fragmented large objects",
	"limit, large objects to reclaim",
	"servo, first",
	"servo, blocking",
	"servo, background",
	"servo, postponed",
	"stress, mixed",
	"stress",
	"aggressive",
};
static const char *const compacts[] = {
	"little ephemeral space",
	"high fragmentation",
	"no gaps",
	"large objects, forced",
	"last before running out of memory",
	"induced, compacting",
	"fragmented gen0",
	"high memory load",
	"high memory load and fragmentation",
	"very high memory load and fragmentation",
	"no-GC mode",
};
static const char *const expands[] = {
	"reuse, normal fit", "reuse, best fit", "a new segment, ephemerals promoted",
	"a new segment",     "no memory",       "in the next full GC",
};
static const char *const generations[GC_GENERATIONS] = { "gen0", "gen1", "gen2", "loh", "poh" };

static const char *
word(const char *const *words, size_t count, uint32_t number)
{
	return number < count ? words[number] : NULL;
}

const char *
gc_reason_text(uint32_t reason)
{
	return word(reasons, COUNT(reasons), reason);
}

const char *
gc_kind_text(uint32_t kind)
{
	return word(kinds, COUNT(kinds), kind);
}

const char *
gc_mode_text(uint32_t mode)
{
	return word(modes, COUNT(modes), mode);
}

const char *
gc_mark_text(int mark)
{
	return word(marks, COUNT(marks), (uint32_t)mark);
}

static const char *
gc_condition_text(int bit)
{
	return word(conditions, COUNT(conditions), (uint32_t)bit);
}

/* Bit 31: it was done; the lowest bit set: the reason. */
static const char *
mechanism_text(const char *const *words, size_t count, uint32_t mechanism)
{
	enum { DONE = 31 };

	if (mechanism == GC_UNKNOWN32 || !(mechanism >> DONE))
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		if (mechanism >> i & 1)
			return words[i];
	return NULL;
}

const char *
gc_compact_text(uint32_t compact)
{
	return mechanism_text(compacts, COUNT(compacts), compact);
}

const char *
gc_expand_text(uint32_t expand)
{
	return mechanism_text(expands, COUNT(expands), expand);
}

const char *
gc_generation_text(int generation)
{
	return word(generations, COUNT(generations), (uint32_t)generation);
}

/* Sweeping replaces the last two phases of compaction. */
const char *
gc_phase_text(const struct gc_record *r, int phase)
{
	enum { RELOCATE = 6, COMPACT = 7 };
	static const char *const phases[GC_PHASES] = {
		"sized references", "marking", "short weak", "finalization",
		"long weak",        "plan",    "relocation", "compaction",
	};

	if (phase == RELOCATE && r->phases_ns[COMPACT] == GC_UNKNOWN &&
	    !(r->mechanisms & GC_COMPACTING))
		return "sweep";
	return word(phases, COUNT(phases), (uint32_t)phase);
}

bool
gc_is_induced(const struct gc_record *r)
{
	switch (r->reason) {
	case 1:
	case 7:
	case 9:
	case 10:
	case 17:
		return true;
	default:
		return false;
	}
}

bool
gc_was_not_concurrent(const struct gc_record *r)
{
	return r->kind == GC_BACKGROUND && r->mechanisms != GC_UNKNOWN32 &&
	       !(r->mechanisms & GC_CONCURRENT);
}

struct gc_decision
gc_decision(const uint32_t encoded[2])
{
	struct gc_decision d = { GC_UNKNOWN32, GC_UNKNOWN32, GC_UNKNOWN32, GC_UNKNOWN32, 0 };

	if (encoded[0] == GC_UNKNOWN32)
		return d;
	d.asked = encoded[0] & 3;
	d.decided = encoded[0] >> 2 & 3;
	d.budget = encoded[0] >> 4 & 3;
	d.time = encoded[0] >> 6 & 3;
	d.conditions = encoded[1] == GC_UNKNOWN32 ? 0 : encoded[1];
	return d;
}

/* ---- lists of words -------------------------------------------------------
 */

static void PRINTF_LIKE(2, 3) append(struct text *out, const char *format, ...)
{
	va_list args;

	text_add(out, out->len ? ", " : "");
	va_start(args, format);
	text_vaddf(out, format, args);
	va_end(args);
}

/*
 * A budget of generation 0 is ambiguous: it is also what the runtime reports if no budget was
 * exceeded. It counts only for gen0 collections due to allocation.
 */
static bool
has_budget(const struct gc_record *r, const struct gc_decision *d)
{
	enum { ALLOCATION = 0 };

	return d->budget != GC_UNKNOWN32 &&
	       (d->budget > 0 || (r->reason == ALLOCATION && d->decided == 0 && !d->time));
}

const char *
gc_decision_text(const struct gc_record *r, char out[GC_DECISION_BYTES])
{
	struct gc_decision d = gc_decision(r->reasons);
	struct text text = text_in(out, GC_DECISION_BYTES);

	if (has_budget(r, &d))
		append(&text, "gen%u budget", d.budget);
	if (d.time != GC_UNKNOWN32 && d.time > 0)
		append(&text, "gen%u time", d.time);
	for (int bit = 0; bit < 32; bit++) {
		const char *name = gc_condition_text(bit);

		if (!(d.conditions >> bit & 1))
			continue;
		if (name)
			append(&text, "%s", name);
		else
			append(&text, "condition %d", bit);
	}
	if (!text.len && gc_is_induced(r))
		append(&text, "request");
	return out;
}

const char *
gc_mechanisms_text(const struct gc_record *r, char out[GC_DECISION_BYTES])
{
	static const struct {
		uint32_t bit;
		const char *text;
	} words[] = {
		{ GC_CONCURRENT, "concurrent" }, { GC_COMPACTING, "compacting" },
		{ GC_PROMOTING, "promoting" },   { GC_DEMOTING, "demoting" },
		{ GC_ELEVATED, "elevated" },
	};
	struct text text = text_in(out, GC_DECISION_BYTES);

	if (r->mechanisms == GC_UNKNOWN32)
		return out;
	if (!(r->mechanisms & (GC_CONCURRENT | GC_COMPACTING)))
		append(&text, "sweeping");
	for (size_t i = 0; i < COUNT(words); i++)
		if (r->mechanisms & words[i].bit)
			append(&text, "%s", words[i].text);
	return out;
}
