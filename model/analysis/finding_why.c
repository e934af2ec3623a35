#include "model/analysis/finding_why.h"
#include "model/analysis/resident.h"
#include "model/heap/root_gaps.h"
#include "model/base/format.h"
#include "model/base/text.h"
#include <string.h>

void
finding_contexts(const struct finding_words *w, char *out, size_t size)
{
	uint64_t count = w->finding->count;

	snprintf(out, size, "%s collectible load context%s", verb_for(count, "one", w->count),
		 plural(count));
}

static void
why_dominator(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES];

	if (f->count == 1)
		snprintf(out, size, "takes %s", format_size(f->bytes, bytes));
	else
		snprintf(out, size, "retains %s %s (%s)%s%s%s", w->whole, w->type,
			 format_size(f->held_bytes, bytes), f->whole == f->count ? "" : ", ",
			 f->whole == f->count ? "" : w->count,
			 f->whole == f->count ? "" : " objects in all");
}

static void
why_collection(const struct finding_words *w, char *out, size_t size)
{
	snprintf(out, size, "are in one %s", w->other_type);
}

static void
why_event(const struct finding_words *w, char *out, size_t size)
{
	const struct facts *facts = w->facts;
	const struct finding *f = w->finding;
	type_id publisher = heap_type_of(facts->heap, f->subject);
	char name[NAME_BYTES];

	if (publisher == f->other_type)
		snprintf(out, size, "are registered with one %s", w->other_type);
	else
		snprintf(out, size, "are registered with %s %s as %s",
			 verb_for(f->whole, "one", w->whole),
			 text_fit(facts_type_name(facts, publisher), NAME_SHOWN, name, sizeof name),
			 w->other_type);
}

static void
why_timer(const struct finding_words *w, char *out, size_t size)
{
	(void)w;
	snprintf(out, size, "are scheduled");
}

/* Tasks that the base library makes, by the call that returns them. */
static const char *
task_maker(const char *raw)
{
	static const struct {
		const char *type, *maker;
	} makers[] = {
		{ "DelayPromise", "Task.Delay" },
		{ "DelayPromiseWithCancellation", "Task.Delay" },
		{ "WhenAllPromise", "Task.WhenAll" },
		{ "WhenAnyPromise", "Task.WhenAny" },
		{ "TwoTaskWhenAnyPromise", "Task.WhenAny" },
		{ "CancellationPromise", "Task.WaitAsync" },
	};
	const char *own = strrchr(raw, '+');
	size_t len;

	own = own ? own + 1 : raw;
	len = strcspn(own, "<`");
	for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
		if (strlen(makers[i].type) == len && !memcmp(own, makers[i].type, len))
			return makers[i].maker;
	return NULL;
}

/* Write the type of the object that refers to the subject, or "". */
static void
write_owner(const struct finding_words *w, char out[NAME_BYTES])
{
	const struct finding *f = w->finding;

	*out = '\0';
	if (f->owner_type != TYPE_NONE)
		text_fit(facts_type_name(w->facts, f->owner_type), NAME_SHOWN, out, NAME_BYTES);
}

/* Write ": all wait for one SemaphoreSlim of Foo", or "" if it is unknown. */
static void
write_awaited(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	bool is_each = f->awaited_count == f->waiting_count;
	char waiting[FORMAT_BYTES], count[FORMAT_BYTES], number[FORMAT_BYTES + 1] = "",
									       owner[NAME_BYTES];
	const char *maker;

	*out = '\0';
	if (f->other_type == TYPE_NONE)
		return;
	maker = task_maker(w->facts->heap->types[f->other_type].raw);
	format_count(f->waiting_count, waiting);
	if (!maker)
		snprintf(number, sizeof number, "%s ",
			 f->awaited_count == 1 || is_each ? "one"
							  : format_count(f->awaited_count, count));
	write_owner(w, owner);
	snprintf(out, size, ": %s wait for %s%s%s%s%s",
		 f->waiting_count == f->count ? "all" : waiting, number,
		 maker ? maker : w->other_type, *owner ? " of " : "", owner,
		 is_each && !maker ? " each" : "");
}

static void
why_async(const struct finding_words *w, char *out, size_t size)
{
	char awaited[3 * NAME_BYTES];

	write_awaited(w, awaited, sizeof awaited);
	snprintf(out, size, "%s%s",
		 w->finding->is_guess ? "exist, completed or not" : "have not completed", awaited);
}

/* Write "and 21 others ", or "" if what_mixed() names all objects. */
static void
write_others(const struct finding_words *w, char out[FORMAT_BYTES + 16])
{
	uint64_t others = w->finding->count - w->finding->whole;
	char count[FORMAT_BYTES];

	*out = '\0';
	if (others)
		snprintf(out, FORMAT_BYTES + 16, "and %s other%s ", format_count(others, count),
			 plural(others));
}

static void
why_registration(const struct finding_words *w, char *out, size_t size)
{
	const struct facts *facts = w->facts;
	type_id source = heap_type_of(facts->heap, w->finding->subject);
	char name[NAME_BYTES], linked[NAME_BYTES + 32] = "";

	if (*w->other_type)
		snprintf(linked, sizeof linked, " through undisposed %s", w->other_type);
	snprintf(out, size, "stay registered with one %s%s",
		 text_fit(facts_type_name(facts, source), NAME_SHOWN, name, sizeof name), linked);
}

/* Write the resource, and what holds the objects unless a root does. */
static void
why_disposable(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char resource[NAME_BYTES], holder[NAME_BYTES + FORMAT_BYTES + 8] = "";

	if (f->other_type != f->type)
		snprintf(holder, sizeof holder, ", in %s %s", verb_for(f->whole, "one", w->whole),
			 w->other_type);
	text_fit(f->name, NAME_SHOWN, resource, sizeof resource);
	if (f->is_guess)
		snprintf(out, size, "own a %s each, disposed or not%s", resource, holder);
	else
		snprintf(out, size, "are not disposed and own a %s each%s", resource, holder);
}

static void
why_finalizer(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char method[NAME_BYTES], holder[NAME_BYTES], others[FORMAT_BYTES + 16];

	write_others(w, others);
	text_fit(f->name, NAME_SHOWN, method, sizeof method);
	text_fit(f->holder, NAME_SHOWN, holder, sizeof holder);
	snprintf(out, size, "%s%s for %s%s%s%s%s%s", others, verb_for(f->count, "waits", "wait"),
		 verb_for(f->count, "its finalizer", "their finalizers"),
		 *method || *holder ? "; the finalizer thread" : "", *method ? " is in " : "",
		 method, *method && *holder ? " and" : "",
		 *holder ? " waits for a lock that " : "");
	if (*holder)
		snprintf(out + strlen(out), size - strlen(out), "%s holds", holder);
}

static void
why_dependent(const struct finding_words *w, char *out, size_t size)
{
	char others[FORMAT_BYTES + 16];

	write_others(w, others);
	snprintf(out, size, "%s%s kept by dependent handles (ConditionalWeakTable)", others,
		 verb_for(w->finding->count, "is", "are"));
}

static void
why_table(const struct finding_words *w, char *out, size_t size)
{
	snprintf(out, size, "%s room for %s entries", verb_for(w->finding->whole, "has", "have"),
		 w->count);
}

static void
why_pinned(const struct finding_words *w, char *out, size_t size)
{
	char others[FORMAT_BYTES + 16];

	write_others(w, others);
	snprintf(out, size, "%sare pinned by handles in generations 0 to 2", others);
}

static void
why_array(const struct finding_words *w, char *out, size_t size)
{
	snprintf(out, size, "%s %s references in %s elements",
		 verb_for(w->finding->nodes_count, "has", "have"), w->count, w->whole);
}

static void
why_context(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char contexts[FORMAT_BYTES + 32];

	finding_contexts(w, contexts, sizeof contexts);
	if (*w->type)
		snprintf(out, size, "%s %s from being unloaded",
			 verb_for(f->nodes_count, "keeps", "keep"), contexts);
	else
		snprintf(out, size, "%s still loaded, without objects of %s types",
			 verb_for(f->count, "is", "are"), verb_for(f->count, "its", "their"));
}

static void
why_thread_static(const struct finding_words *w, char *out, size_t size)
{
	(void)w;
	snprintf(out, size, "are values of one variable on all threads");
}

/* Describe the objects between holes: pinned ones if these are most of them. */
static void
write_between(const struct finding_words *w, char out[NAME_BYTES + FORMAT_BYTES + 48])
{
	const struct finding *f = w->finding;
	bool is_pinned = f->pinned_count > f->nodes_count / 2;
	char pinned[FORMAT_BYTES];

	snprintf(out, NAME_BYTES + FORMAT_BYTES + 48, "between %s %sobjects such as %s",
		 is_pinned ? format_count(f->pinned_count, pinned) : w->nodes,
		 is_pinned                  ? "pinned "
		 : f->generation == GEN_LOH ? "large "
					    : "",
		 w->type);
}

static void
why_fragmentation(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES], committed[FORMAT_BYTES], between[NAME_BYTES + FORMAT_BYTES + 48],
	    stay[FORMAT_BYTES + 32] = "";

	write_between(w, between);
	if (f->committed_bytes)
		snprintf(stay, sizeof stay, "; %s stay committed",
			 format_size(f->committed_bytes, committed));
	snprintf(out, size, "is free: %s in %s holes %s%s", format_size(f->unused_bytes, bytes),
		 w->count, between, stay);
}

/* Say whether the bytes are garbage or roots are missing. */
static void
write_reason(const struct finding_words *w, char *out, size_t size)
{
	static const char *const reasons[] = {
		[UNROOTED_GARBAGE] = "garbage that survived, which a full collection frees",
		[UNROOTED_GAPS] = "they may be in use: the capture is incomplete",
		[UNROOTED_NOT_SENT] =
		    ("a full collection has just run, so roots that are not reported keep them"),
		[UNROOTED_UNDECIDED] = "garbage, or kept by roots that the file does not name",
	};
	const struct losses *l = &w->facts->heap->info.losses;
	char gaps[ROOT_GAPS_TEXT_BYTES];

	if (w->finding->reason == UNROOTED_GAPS && l->root_gaps)
		snprintf(out, size, "they may be in use, kept by %s", root_gaps_text(l, gaps));
	else
		snprintf(out, size, "%s", reasons[w->finding->reason]);
}

static void
why_unrooted(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES], share[FORMAT_BYTES], reason[ROOT_GAPS_TEXT_BYTES + 64];

	write_reason(w, reason, sizeof reason);
	snprintf(out, size, "have no root: %s, %s of all bytes; %s", format_size(f->bytes, bytes),
		 format_share(f->bytes, f->whole, share), reason);
}

static void
why_duplicate(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES];

	if (f->subject == NODE_NONE)
		snprintf(out, size, "repeat one of %s other texts: %s wasted", w->whole,
			 format_size(f->bytes, bytes));
	else
		snprintf(out, size, "waste %s", format_size(f->whole, bytes));
}

static void
why_large_string(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES], text[NAME_BYTES];

	snprintf(out, size, "%s %s; %s %s", verb_for(f->count, "takes", "take"),
		 format_size(f->bytes, bytes),
		 verb_for(f->count, "it begins", "the largest begins"),
		 text_fit(f->name, NAME_SHOWN, text, sizeof text));
}

static void
why_empty(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES];

	snprintf(out, size, "are empty or nearly empty: %s with unused room",
		 format_size(f->bytes + f->unused_bytes, bytes));
}

static void
why_zeros(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES];

	snprintf(out, size, "%s only zeros: %s", verb_for(f->count, "contains", "contain"),
		 format_size(f->bytes, bytes));
}

static void
why_boxed(const struct finding_words *w, char *out, size_t size)
{
	char bytes[FORMAT_BYTES];

	snprintf(out, size, "%s %s", verb_for(w->finding->count, "takes", "take"),
		 format_size(w->finding->bytes, bytes));
}

static void
why_native(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	const struct resident r = resident_of(w->facts->heap);
	char managed[FORMAT_BYTES], grown[FORMAT_BYTES], growth[64] = "",
							 parts[RESIDENT_TEXT_BYTES];

	if (f->count)
		snprintf(growth, sizeof growth, "; it grew by %s since the capture before",
			 format_size(f->count, grown));
	snprintf(out, size, "is native, %s is managed: %.*s%s",
		 format_size(r.parts[RESIDENT_MANAGED].bytes, managed), RESIDENT_TEXT_BYTES - 1,
		 resident_native_text(&r, parts), growth);
}

static void
why_lock(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char method[NAME_BYTES], holder[NAME_BYTES], owner[NAME_BYTES];

	text_fit(f->name, NAME_SHOWN, method, sizeof method);
	text_fit(*f->holder ? f->holder : "no thread", NAME_SHOWN, holder, sizeof holder);
	write_owner(w, owner);
	snprintf(out, size, "wait for one lock: the %s%s%s, which %s holds%s%s", w->type,
		 *owner ? " of " : "", owner, holder, *method ? " in " : "", method);
}

/* --- by kind ------------------------------------------------------------- */

/* clang-format off */
finding_writer *const finding_whys[FINDING_KIND_COUNT] = {
	[FINDING_DOMINATOR]         = why_dominator,
	[FINDING_COLLECTION]        = why_collection,
	[FINDING_EVENT]             = why_event,
	[FINDING_TIMER]             = why_timer,
	[FINDING_ASYNC]             = why_async,
	[FINDING_REGISTRATION]      = why_registration,
	[FINDING_DISPOSABLE]        = why_disposable,
	[FINDING_FINALIZER]         = why_finalizer,
	[FINDING_DEPENDENT]         = why_dependent,
	[FINDING_WEAK_TABLE]        = why_table,
	[FINDING_PINNED]            = why_pinned,
	[FINDING_ARRAY]             = why_array,
	[FINDING_CONTEXT]           = why_context,
	[FINDING_THREAD_STATIC]     = why_thread_static,
	[FINDING_FRAGMENTATION]     = why_fragmentation,
	[FINDING_UNROOTED]          = why_unrooted,
	[FINDING_NATIVE]            = why_native,
	[FINDING_DUPLICATE_STRINGS] = why_duplicate,
	[FINDING_LARGE_STRINGS]     = why_large_string,
	[FINDING_EMPTY_COLLECTIONS] = why_empty,
	[FINDING_ZERO_ARRAYS]       = why_zeros,
	[FINDING_BOXES]             = why_boxed,
	[FINDING_LOCK]              = why_lock,
};
/* clang-format on */
