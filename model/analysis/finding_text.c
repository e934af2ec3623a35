#include "model/analysis/finding_text.h"
#include "model/analysis/resident.h"
#include "model/table/root_text.h"
#include "model/graph/root_index.h"
#include "model/heap/root_gaps.h"
#include "model/base/format.h"
#include "model/base/text.h"
#include <string.h>

/* Columns of a type name: two of them and the words around them must fit. */
enum { NAME_SHOWN = 100, NAME_BYTES = 320 };

/* The numbers and names of a sentence. */
struct words {
	const struct facts *facts;
	const struct finding *finding;
	char count[FORMAT_BYTES], whole[FORMAT_BYTES], nodes[FORMAT_BYTES];
	char type[NAME_BYTES], other_type[NAME_BYTES]; /* "" if there is none */
};

typedef void write_part(const struct words *w, char *out, size_t size);

/* Returns the form of a verb for a count: "has" or "have". */
static const char *
verb(uint64_t count, const char *of_one, const char *of_many)
{
	return count == 1 ? of_one : of_many;
}

/* --- what: the number and the name --------------------------------------- */

static void
what_count(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s %s", w->count, w->type);
}

static void
what_holder(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "one %s", w->other_type);
}

/* The objects among all of their type. */
static void
what_part(const struct words *w, char *out, size_t size)
{
	if (w->finding->count == w->finding->whole)
		snprintf(out, size, "all %s %s", w->count, w->type);
	else
		snprintf(out, size, "%s of %s %s", w->count, w->whole, w->type);
}

/* Of objects of several types, the most frequent type. */
static void
what_mixed(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s %s", w->whole, w->type);
}

static void
what_event(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s handlers of %s", w->count, w->type);
}

/* Name the method, else the type of the object, for which they are set. */
static void
what_timer(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char method[NAME_BYTES];

	snprintf(out, size, "%s timers for %s", w->count,
		 *f->name ? text_fit(f->name, NAME_SHOWN, method, sizeof method)
			  : w->type);
}

/* An object may have registered several callbacks. */
static void
what_registration(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;

	snprintf(out, size, "%s %s%s", w->count,
		 f->count == f->nodes_count ? "" : "callbacks of ", w->type);
}

static void
what_async(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s calls of %s", w->count, w->type);
}

static void
what_table(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s %s", w->whole, w->type);
}

static void
what_array(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s large %s", w->nodes, w->type);
}

/* Write "one collectible load context" or "3 collectible load contexts". */
static void
write_contexts(const struct words *w, char *out, size_t size)
{
	uint64_t count = w->finding->count;

	snprintf(out, size, "%s collectible load context%s",
		 verb(count, "one", w->count), plural(count));
}

static void
what_context(const struct words *w, char *out, size_t size)
{
	if (*w->type)
		snprintf(out, size, "%s %s", w->nodes, w->type);
	else
		write_contexts(w, out, size);
}

static void
what_such(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s objects such as %s%s%s", w->count, w->type,
		 *w->other_type ? " and " : "", w->other_type);
}

static void
what_generation(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char share[FORMAT_BYTES];
	static const char *const heap_names[GEN_COUNT] = {
		[GEN_0] = "generation 0",
		[GEN_1] = "generation 1",
		[GEN_2] = "generation 2",
		[GEN_LOH] = "the large object heap",
		[GEN_POH] = "the pinned object heap",
	};

	snprintf(out, size, "%s of %s",
		 format_share(f->unused_bytes, f->whole, share),
		 heap_names[f->generation]);
}

static void
what_duplicate(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char text[NAME_BYTES];

	if (f->subject == NODE_NONE)
		snprintf(out, size, "%s strings", w->count);
	else
		snprintf(out, size, "%s copies of %s", w->count,
			 text_fit(f->name, NAME_SHOWN, text, sizeof text));
}

static void
what_large_string(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s string%s of 85,000 bytes or more", w->count,
		 plural(w->finding->count));
}

static void
what_boxed(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s boxed %s", w->count, w->type);
}

/* --- why: what looks wrong about them ------------------------------------ */

static void
why_dominator(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES];

	if (f->count == 1)
		snprintf(out, size, "takes %s", format_size(f->bytes, bytes));
	else
		snprintf(out, size, "retains %s %s (%s)%s%s%s", w->whole,
			 w->type, format_size(f->held_bytes, bytes),
			 f->whole == f->count ? "" : ", ",
			 f->whole == f->count ? "" : w->count,
			 f->whole == f->count ? "" : " objects in all");
}

static void
why_collection(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "are in one %s", w->other_type);
}

static void
why_event(const struct words *w, char *out, size_t size)
{
	const struct facts *facts = w->facts;
	const struct finding *f = w->finding;
	type_id publisher = heap_type_of(facts->heap, f->subject);
	char name[NAME_BYTES];

	if (publisher == f->other_type)
		snprintf(out, size, "are registered with one %s",
			 w->other_type);
	else
		snprintf(out, size, "are registered with %s %s as %s",
			 verb(f->whole, "one", w->whole),
			 text_fit(facts_type_name(facts, publisher), NAME_SHOWN,
				  name, sizeof name),
			 w->other_type);
}

static void
why_timer(const struct words *w, char *out, size_t size)
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
		if (strlen(makers[i].type) == len &&
		    !memcmp(own, makers[i].type, len))
			return makers[i].maker;
	return NULL;
}

/* Write the type of the object that refers to the subject, or "". */
static void
write_owner(const struct words *w, char out[NAME_BYTES])
{
	const struct finding *f = w->finding;

	*out = '\0';
	if (f->owner_type != TYPE_NONE)
		text_fit(facts_type_name(w->facts, f->owner_type), NAME_SHOWN,
			 out, NAME_BYTES);
}

/* Write ": all wait for one SemaphoreSlim of Foo", or "" if it is unknown. */
static void
write_awaited(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	bool is_each = f->awaited_count == f->waiting_count;
	char waiting[FORMAT_BYTES], count[FORMAT_BYTES],
	    number[FORMAT_BYTES + 1] = "", owner[NAME_BYTES];
	const char *maker;

	*out = '\0';
	if (f->other_type == TYPE_NONE)
		return;
	maker = task_maker(w->facts->heap->types[f->other_type].raw);
	format_count(f->waiting_count, waiting);
	if (!maker)
		snprintf(number, sizeof number, "%s ",
			 f->awaited_count == 1 || is_each
			     ? "one"
			     : format_count(f->awaited_count, count));
	write_owner(w, owner);
	snprintf(out, size, ": %s wait for %s%s%s%s%s",
		 f->waiting_count == f->count ? "all" : waiting, number,
		 maker ? maker : w->other_type, *owner ? " of " : "", owner,
		 is_each && !maker ? " each" : "");
}

static void
why_async(const struct words *w, char *out, size_t size)
{
	char awaited[3 * NAME_BYTES];

	write_awaited(w, awaited, sizeof awaited);
	snprintf(out, size, "%s%s",
		 w->finding->is_guess ? "are kept, completed or not"
				      : "have not completed",
		 awaited);
}

/* Write "and 21 others ", or "" if what_mixed() names all objects. */
static void
write_others(const struct words *w, char out[FORMAT_BYTES + 16])
{
	uint64_t others = w->finding->count - w->finding->whole;
	char count[FORMAT_BYTES];

	*out = '\0';
	if (others)
		snprintf(out, FORMAT_BYTES + 16, "and %s other%s ",
			 format_count(others, count), plural(others));
}

static void
why_registration(const struct words *w, char *out, size_t size)
{
	const struct facts *facts = w->facts;
	type_id source = heap_type_of(facts->heap, w->finding->subject);
	char name[NAME_BYTES], linked[NAME_BYTES + 32] = "";

	if (*w->other_type)
		snprintf(linked, sizeof linked, " through undisposed %s",
			 w->other_type);
	snprintf(out, size, "stay registered with one %s%s",
		 text_fit(facts_type_name(facts, source), NAME_SHOWN, name,
			  sizeof name),
		 linked);
}

/* Write the resource, and what holds the objects unless a root does. */
static void
why_disposable(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char resource[NAME_BYTES], holder[NAME_BYTES + FORMAT_BYTES + 8] = "";

	if (f->other_type != f->type)
		snprintf(holder, sizeof holder, ", in %s %s",
			 verb(f->whole, "one", w->whole), w->other_type);
	text_fit(f->name, NAME_SHOWN, resource, sizeof resource);
	if (f->is_guess)
		snprintf(out, size, "own a %s each, disposed or not%s",
			 resource, holder);
	else
		snprintf(out, size, "are not disposed and own a %s each%s",
			 resource, holder);
}

static void
why_finalizer(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char method[NAME_BYTES], holder[NAME_BYTES], others[FORMAT_BYTES + 16];

	write_others(w, others);
	text_fit(f->name, NAME_SHOWN, method, sizeof method);
	text_fit(f->holder, NAME_SHOWN, holder, sizeof holder);
	snprintf(out, size, "%s%s for %s%s%s%s%s%s", others,
		 verb(f->count, "waits", "wait"),
		 verb(f->count, "its finalizer", "their finalizers"),
		 *method || *holder ? "; the finalizer thread" : "",
		 *method ? " is in " : "", method,
		 *method && *holder ? " and" : "",
		 *holder ? " waits for a lock that " : "");
	if (*holder)
		snprintf(out + strlen(out), size - strlen(out), "%s holds",
			 holder);
}

static void
why_dependent(const struct words *w, char *out, size_t size)
{
	char others[FORMAT_BYTES + 16];

	write_others(w, others);
	snprintf(out, size,
		 "%s%s kept by dependent handles (ConditionalWeakTable)",
		 others, verb(w->finding->count, "is", "are"));
}

static void
why_table(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s room for %s entries",
		 verb(w->finding->whole, "has", "have"), w->count);
}

static void
why_pinned(const struct words *w, char *out, size_t size)
{
	char others[FORMAT_BYTES + 16];

	write_others(w, others);
	snprintf(out, size, "%sare pinned by handles in generations 0 to 2",
		 others);
}

static void
why_array(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s %s references in %s elements",
		 verb(w->finding->nodes_count, "has", "have"), w->count,
		 w->whole);
}

static void
why_context(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char contexts[FORMAT_BYTES + 32];

	write_contexts(w, contexts, sizeof contexts);
	if (*w->type)
		snprintf(out, size, "%s %s from being unloaded",
			 verb(f->nodes_count, "keeps", "keep"), contexts);
	else
		snprintf(out, size,
			 "%s still loaded, without objects of %s "
			 "types",
			 verb(f->count, "is", "are"),
			 verb(f->count, "its", "their"));
}

static void
why_thread_static(const struct words *w, char *out, size_t size)
{
	(void)w;
	snprintf(out, size, "are values of one variable on all threads");
}

/* Describe the objects between holes: pinned ones if these are most of them. */
static void
write_between(const struct words *w, char out[NAME_BYTES + FORMAT_BYTES + 48])
{
	const struct finding *f = w->finding;
	bool is_pinned = f->pinned_count > f->nodes_count / 2;
	char pinned[FORMAT_BYTES];

	snprintf(out, NAME_BYTES + FORMAT_BYTES + 48,
		 "between %s %sobjects such as %s",
		 is_pinned ? format_count(f->pinned_count, pinned) : w->nodes,
		 is_pinned                  ? "pinned "
		 : f->generation == GEN_LOH ? "large "
					    : "",
		 w->type);
}

static void
why_fragmentation(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES], committed[FORMAT_BYTES],
	    between[NAME_BYTES + FORMAT_BYTES + 48],
	    stay[FORMAT_BYTES + 32] = "";

	write_between(w, between);
	if (f->committed_bytes)
		snprintf(stay, sizeof stay, "; %s stay committed",
			 format_size(f->committed_bytes, committed));
	snprintf(out, size, "is free: %s in %s holes %s%s",
		 format_size(f->unused_bytes, bytes), w->count, between, stay);
}

/* Say whether the bytes are garbage or roots are missing. */
static void
write_reason(const struct words *w, char *out, size_t size)
{
	static const char *const reasons[] = {
		[UNROOTED_GARBAGE] =
		    "garbage that survived, which a full collection frees",
		[UNROOTED_GAPS] =
		    "they may be in use: the capture is incomplete",
		[UNROOTED_NOT_SENT] =
		    ("a full collection has just run, so roots that are not "
		     "reported keep them"),
		[UNROOTED_UNDECIDED] =
		    "garbage, or kept by roots that the file does not name",
	};
	const struct losses *l = &w->facts->heap->info.losses;
	char gaps[ROOT_GAPS_TEXT_BYTES];

	if (w->finding->reason == UNROOTED_GAPS && l->root_gaps)
		snprintf(out, size, "they may be in use, kept by %s",
			 root_gaps_text(l, gaps));
	else
		snprintf(out, size, "%s", reasons[w->finding->reason]);
}

static void
why_unrooted(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES], share[FORMAT_BYTES],
	    reason[ROOT_GAPS_TEXT_BYTES + 64];

	write_reason(w, reason, sizeof reason);
	snprintf(out, size, "have no root: %s, %s of all bytes; %s",
		 format_size(f->bytes, bytes),
		 format_share(f->bytes, f->whole, share), reason);
}

static void
why_duplicate(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES];

	if (f->subject == NODE_NONE)
		snprintf(out, size, "repeat one of %s other texts: %s wasted",
			 w->whole, format_size(f->bytes, bytes));
	else
		snprintf(out, size, "waste %s", format_size(f->whole, bytes));
}

static void
why_large_string(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES], text[NAME_BYTES];

	snprintf(out, size, "%s %s; %s %s", verb(f->count, "takes", "take"),
		 format_size(f->bytes, bytes),
		 verb(f->count, "it begins", "the largest begins"),
		 text_fit(f->name, NAME_SHOWN, text, sizeof text));
}

static void
why_empty(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES];

	snprintf(out, size, "are empty or nearly empty: %s with unused room",
		 format_size(f->bytes + f->unused_bytes, bytes));
}

static void
why_zeros(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES];

	snprintf(out, size, "%s only zeros: %s",
		 verb(f->count, "contains", "contain"),
		 format_size(f->bytes, bytes));
}

static void
why_boxed(const struct words *w, char *out, size_t size)
{
	char bytes[FORMAT_BYTES];

	snprintf(out, size, "%s %s", verb(w->finding->count, "takes", "take"),
		 format_size(w->finding->bytes, bytes));
}

static void
what_native(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES], whole[FORMAT_BYTES];

	snprintf(out, size, "%s of %s resident memory",
		 format_size(f->bytes, bytes), format_size(f->whole, whole));
}

static void
why_native(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	const struct resident r = resident_of(w->facts->heap);
	char managed[FORMAT_BYTES], grown[FORMAT_BYTES],
	    growth[64] = "", parts[RESIDENT_TEXT_BYTES];

	if (f->count)
		snprintf(growth, sizeof growth,
			 "; it grew by %s since the capture before",
			 format_size(f->count, grown));
	snprintf(out, size, "is native, %s is managed: %.*s%s",
		 format_size(r.parts[RESIDENT_MANAGED].bytes, managed),
		 RESIDENT_TEXT_BYTES - 1, resident_native_text(&r, parts),
		 growth);
}

static void
what_lock(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s threads", w->count);
}

static void
why_lock(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char method[NAME_BYTES], holder[NAME_BYTES], owner[NAME_BYTES];

	text_fit(f->name, NAME_SHOWN, method, sizeof method);
	text_fit(*f->holder ? f->holder : "no thread", NAME_SHOWN, holder,
		 sizeof holder);
	write_owner(w, owner);
	snprintf(out, size, "wait for one lock: the %s%s%s, which %s holds%s%s",
		 w->type, *owner ? " of " : "", owner, holder,
		 *method ? " in " : "", method);
}

/* --- held by ------------------------------------------------------------- */

/* Returns the root that keeps the subject, or NULL if it is unknown. */
static const struct root *
root_of_subject(const struct words *w)
{
	const struct finding *f = w->finding;

	return f->subject != NODE_NONE && w->facts->roots
		   ? root_index_find(w->facts->roots, f->subject)
		   : NULL;
}

static void
write_root(const struct root *root, char *out, size_t size)
{
	char text[VALUE_TEXT_BYTES];

	if (root)
		text_fit(describe_root(root, text, sizeof text), NAME_SHOWN,
			 out, size);
}

static void
held_by_root(const struct words *w, char *out, size_t size)
{
	write_root(root_of_subject(w), out, size);
}

/* Stacks and handles mostly keep what is awaited by way of the calls. */
static void
held_by_static(const struct words *w, char *out, size_t size)
{
	const struct root *root = root_of_subject(w);

	if (root && root->kind == ROOT_STATIC)
		write_root(root, out, size);
}

/* Write the type of most referrers, or "" if no type is that of most. */
static void
held_by_type(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s", w->other_type);
}

static void
held_by_variable(const struct words *w, char *out, size_t size)
{
	char name[NAME_BYTES];

	snprintf(out, size, "thread static %s",
		 text_fit(w->finding->name, NAME_SHOWN, name, sizeof name));
}

/* --- sentences ----------------------------------------------------------- */

/* clang-format off */
static const struct wording {
	write_part *what, *why;
	write_part *held; /* or NULL: no one object or type holds them */
} wordings[FINDING_KIND_COUNT] = {
	[FINDING_DOMINATOR]         = { what_holder,       why_dominator,     held_by_root },
	[FINDING_COLLECTION]        = { what_part,         why_collection,    held_by_root },
	[FINDING_EVENT]             = { what_event,        why_event,         held_by_root },
	[FINDING_TIMER]             = { what_timer,        why_timer,         NULL },
	[FINDING_ASYNC]             = { what_async,        why_async,         held_by_static },
	[FINDING_REGISTRATION]      = { what_registration, why_registration,  held_by_root },
	[FINDING_DISPOSABLE]        = { what_count,        why_disposable,    held_by_root },
	[FINDING_FINALIZER]         = { what_mixed,        why_finalizer,     NULL },
	[FINDING_DEPENDENT]         = { what_mixed,        why_dependent,     NULL },
	[FINDING_WEAK_TABLE]        = { what_table,        why_table,         NULL },
	[FINDING_PINNED]            = { what_mixed,        why_pinned,        NULL },
	[FINDING_ARRAY]             = { what_array,        why_array,         held_by_root },
	[FINDING_CONTEXT]           = { what_context,      why_context,       held_by_root },
	[FINDING_THREAD_STATIC]     = { what_such,         why_thread_static, held_by_variable },
	[FINDING_FRAGMENTATION]     = { what_generation,   why_fragmentation, NULL },
	[FINDING_UNROOTED]          = { what_such,         why_unrooted,      NULL },
	[FINDING_NATIVE]            = { what_native,       why_native,        NULL },
	[FINDING_DUPLICATE_STRINGS] = { what_duplicate,    why_duplicate,     held_by_type },
	[FINDING_LARGE_STRINGS]     = { what_large_string, why_large_string,  held_by_root },
	[FINDING_EMPTY_COLLECTIONS] = { what_part,         why_empty,         NULL },
	[FINDING_ZERO_ARRAYS]       = { what_count,        why_zeros,         NULL },
	[FINDING_BOXES]             = { what_boxed,        why_boxed,         held_by_type },
	[FINDING_LOCK]              = { what_lock,         why_lock,          held_by_root },
};
/* clang-format on */

static const char *
write_with(write_part *write, const struct facts *facts,
	   const struct finding *f, char out[FINDING_PART_BYTES])
{
	struct words w = { .facts = facts, .finding = f };

	*out = '\0';
	if (!write)
		return out;
	format_count(f->count, w.count);
	format_count(f->whole, w.whole);
	format_count(f->nodes_count, w.nodes);
	if (f->type != TYPE_NONE)
		text_fit(facts_type_name(facts, f->type), NAME_SHOWN, w.type,
			 sizeof w.type);
	if (f->other_type != TYPE_NONE)
		text_fit(facts_type_name(facts, f->other_type), NAME_SHOWN,
			 w.other_type, sizeof w.other_type);
	write(&w, out, FINDING_PART_BYTES);
	return out;
}

const char *
finding_what(const struct facts *facts, const struct finding *f,
	     char out[FINDING_PART_BYTES])
{
	return write_with(wordings[f->kind].what, facts, f, out);
}

const char *
finding_why(const struct facts *facts, const struct finding *f,
	    char out[FINDING_PART_BYTES])
{
	return write_with(wordings[f->kind].why, facts, f, out);
}

const char *
finding_held(const struct facts *facts, const struct finding *f,
	     char out[FINDING_PART_BYTES])
{
	return write_with(wordings[f->kind].held, facts, f, out);
}

const char *
finding_text(const struct facts *facts, const struct finding *f,
	     char out[FINDING_TEXT_BYTES])
{
	char what[FINDING_PART_BYTES], why[FINDING_PART_BYTES],
	    held[FINDING_PART_BYTES];

	finding_what(facts, f, what);
	finding_why(facts, f, why);
	finding_held(facts, f, held);
	snprintf(out, FINDING_TEXT_BYTES, "%s %s%s%s", what, why,
		 !*held                                   ? ""
		 : wordings[f->kind].held == held_by_type ? ", kept mostly by "
							  : ", kept by ",
		 held);
	return out;
}
