#include "model/analysis/finding_text.h"
#include "model/table/root_text.h"
#include "model/graph/root_index.h"
#include "model/heap/root_gaps.h"
#include "model/base/format.h"
#include "model/base/text.h"
#include <string.h>

/* Columns of a type name: two of them and the words around them must fit. */
enum { NAME_SHOWN = 100, NAME_BYTES = 320, ROOT_BYTES = 160 };

/* The parts of a sentence. */
struct words {
	const struct facts *facts;
	const struct finding *finding;
	char count[FORMAT_BYTES], whole[FORMAT_BYTES], nodes[FORMAT_BYTES];
	char type[NAME_BYTES], other_type[NAME_BYTES]; /* "" if there is none */
	char kept[ROOT_BYTES];           /* ", kept by static Foo"; or "" */
	char kept_comma[ROOT_BYTES + 2]; /* the same, followed by a comma */
	char most[FORMAT_BYTES + NAME_BYTES + 32]; /* ", 20 of them Foo" */
};

typedef void write_sentence(const struct words *w, char *out, size_t size);

static void
write_dominator(const struct words *w, char *out, size_t size)
{
	char bytes[FORMAT_BYTES];

	if (w->finding->count == 1)
		snprintf(out, size, "one %s of %s%s", w->other_type,
			 format_size(w->finding->bytes, bytes), w->kept);
	else
		snprintf(out, size, "one %s%s retains %s objects%s",
			 w->other_type, w->kept_comma, w->count, w->most);
}

static void
write_collection(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;

	if (f->count == f->whole)
		snprintf(out, size, "all %s %s are in one %s%s", w->count,
			 w->type, w->other_type, w->kept);
	else
		snprintf(out, size, "%s of %s %s are in one %s%s", w->count,
			 w->whole, w->type, w->other_type, w->kept);
}

static void
write_event(const struct words *w, char *out, size_t size)
{
	const struct facts *facts = w->facts;
	const struct finding *f = w->finding;
	type_id publisher = heap_type_of(facts->heap, f->subject);
	char name[NAME_BYTES], whole[FORMAT_BYTES + NAME_BYTES + 16];

	if (publisher == f->other_type)
		snprintf(whole, sizeof whole, "one event");
	else
		snprintf(whole, sizeof whole, "%s %s",
			 f->whole == 1 ? "one" : w->whole,
			 text_fit(facts_type_name(facts, publisher), NAME_SHOWN,
				  name, sizeof name));
	snprintf(out, size, "%s %s handlers of %s are registered with %s%s",
		 w->count, w->other_type, w->type, whole, w->kept);
}

static void
write_timer(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s timers are scheduled for %s", w->count,
		 w->type);
}

static void
write_async(const struct words *w, char *out, size_t size)
{
	char awaited[NAME_BYTES + 32] = "";

	if (*w->other_type)
		snprintf(awaited, sizeof awaited, ": all wait for one %s",
			 w->other_type);
	snprintf(out, size, "%s calls of %s %s%s", w->count, w->type,
		 w->finding->is_guess ? "are kept, completed or not"
				      : "have not completed",
		 awaited);
}

static void
write_finalizer(const struct words *w, char *out, size_t size)
{
	const char *name = w->finding->name;
	char method[NAME_BYTES];

	snprintf(out, size, "%s objects wait for their finalizers%s%s%s",
		 w->count, w->most,
		 *name ? "; the finalizer thread is in " : "",
		 text_fit(name, NAME_SHOWN, method, sizeof method));
}

static void
write_dependent(const struct words *w, char *out, size_t size)
{
	snprintf(out, size,
		 "%s values are kept by dependent handles "
		 "(ConditionalWeakTable)%s",
		 w->count, w->most);
}

static void
write_weak_table(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s %s %s room for %s entries", w->whole, w->type,
		 w->finding->whole == 1 ? "has" : "have", w->count);
}

static void
write_pinned(const struct words *w, char *out, size_t size)
{
	snprintf(out, size,
		 "%s objects in generations 0 to 2 are pinned by handles%s",
		 w->count, w->most);
}

static void
write_array(const struct words *w, char *out, size_t size)
{
	snprintf(out, size, "%s large %s: %s references in %s elements%s",
		 w->nodes, w->type, w->count, w->whole, w->kept);
}

static void
write_context(const struct words *w, char *out, size_t size)
{
	bool is_one = w->finding->count == 1;
	char contexts[FORMAT_BYTES + 32];

	snprintf(contexts, sizeof contexts, "%s collectible load context%s",
		 is_one ? "one" : w->count, is_one ? "" : "s");
	if (!*w->type)
		snprintf(out, size, "%s without objects of %s types%s",
			 contexts, is_one ? "its" : "their", w->kept);
	else
		snprintf(out, size, "%s %s%s keep%s %s from being unloaded",
			 w->nodes, w->type, w->kept_comma,
			 w->finding->nodes_count == 1 ? "s" : "", contexts);
}

static void
write_thread_static(const struct words *w, char *out, size_t size)
{
	char name[NAME_BYTES];

	snprintf(out, size, "thread static %s holds %s objects such as %s",
		 text_fit(w->finding->name, NAME_SHOWN, name, sizeof name),
		 w->count, w->type);
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
write_fragmentation(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES], share[FORMAT_BYTES], committed[FORMAT_BYTES],
	    between[NAME_BYTES + FORMAT_BYTES + 48],
	    stay[FORMAT_BYTES + 32] = "";
	static const char *const heap_names[GEN_COUNT] = {
		[GEN_0] = "generation 0",
		[GEN_1] = "generation 1",
		[GEN_2] = "generation 2",
		[GEN_LOH] = "the large object heap",
		[GEN_POH] = "the pinned object heap",
	};

	write_between(w, between);
	if (f->committed_bytes)
		snprintf(stay, sizeof stay, "; %s stay committed",
			 format_size(f->committed_bytes, committed));
	snprintf(out, size, "%s of %s is free: %s in %s holes %s%s",
		 format_share(f->unused_bytes, f->whole, share),
		 heap_names[f->generation], format_size(f->unused_bytes, bytes),
		 w->count, between, stay);
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
write_unrooted(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES], share[FORMAT_BYTES],
	    reason[ROOT_GAPS_TEXT_BYTES + 64];

	write_reason(w, reason, sizeof reason);
	snprintf(out, size,
		 "%s of all bytes have no root: %s in %s objects such as "
		 "%s%s%s; %s",
		 format_share(f->bytes, f->whole, share),
		 format_size(f->bytes, bytes), w->count, w->type,
		 *w->other_type ? " and " : "", w->other_type, reason);
}

/* Write ", held mostly by Foo", or "" if no type holds most. */
static void
write_holder(const struct words *w, char out[NAME_BYTES + 40])
{
	snprintf(out, NAME_BYTES + 40, "%s%s",
		 *w->other_type ? ", held mostly by " : "", w->other_type);
}

static void
write_duplicate(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES], holder[NAME_BYTES + 40], text[NAME_BYTES];

	write_holder(w, holder);
	if (f->subject == NODE_NONE)
		snprintf(out, size,
			 "%s strings repeat one of %s other texts: %s wasted%s",
			 w->count, w->whole, format_size(f->bytes, bytes),
			 holder);
	else
		snprintf(out, size, "%s copies of %s: %s wasted%s", w->count,
			 text_fit(f->name, NAME_SHOWN, text, sizeof text),
			 format_size(f->whole, bytes), holder);
}

static void
write_large_string(const struct words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES], text[NAME_BYTES];

	snprintf(out, size, "%s string%s of 85,000 bytes or more: %s; %s %s%s",
		 w->count, plural(f->count), format_size(f->bytes, bytes),
		 f->count == 1 ? "it begins" : "the largest begins",
		 text_fit(f->name, NAME_SHOWN, text, sizeof text), w->kept);
}

static void
write_empty(const struct words *w, char *out, size_t size)
{
	char bytes[FORMAT_BYTES];

	snprintf(
	    out, size,
	    "%s of %s %s are empty or nearly empty: %s with unused room",
	    w->count, w->whole, w->type,
	    format_size(w->finding->bytes + w->finding->unused_bytes, bytes));
}

static void
write_zeros(const struct words *w, char *out, size_t size)
{
	char bytes[FORMAT_BYTES];

	snprintf(out, size, "%s %s contain only zeros: %s", w->count, w->type,
		 format_size(w->finding->bytes, bytes));
}

static void
write_boxed(const struct words *w, char *out, size_t size)
{
	char bytes[FORMAT_BYTES], holder[NAME_BYTES + 40];

	write_holder(w, holder);
	snprintf(out, size, "%s boxed %s: %s%s", w->count, w->type,
		 format_size(w->finding->bytes, bytes), holder);
}

static write_sentence *const writers[FINDING_KIND_COUNT] = {
	[FINDING_DOMINATOR] = write_dominator,
	[FINDING_COLLECTION] = write_collection,
	[FINDING_EVENT] = write_event,
	[FINDING_TIMER] = write_timer,
	[FINDING_ASYNC] = write_async,
	[FINDING_FINALIZER] = write_finalizer,
	[FINDING_DEPENDENT] = write_dependent,
	[FINDING_WEAK_TABLE] = write_weak_table,
	[FINDING_PINNED] = write_pinned,
	[FINDING_ARRAY] = write_array,
	[FINDING_CONTEXT] = write_context,
	[FINDING_THREAD_STATIC] = write_thread_static,
	[FINDING_FRAGMENTATION] = write_fragmentation,
	[FINDING_UNROOTED] = write_unrooted,
	[FINDING_DUPLICATE_STRINGS] = write_duplicate,
	[FINDING_LARGE_STRINGS] = write_large_string,
	[FINDING_EMPTY_COLLECTIONS] = write_empty,
	[FINDING_ZERO_ARRAYS] = write_zeros,
	[FINDING_BOXES] = write_boxed,
};

/* Set the root that keeps the subject, if the finding is about one object. */
static void
find_keeper(struct words *w)
{
	const struct finding *f = w->finding;
	const struct root *root = NULL;
	char text[VALUE_TEXT_BYTES];

	if (f->subject != NODE_NONE && w->facts->roots)
		root = root_index_find(w->facts->roots, f->subject);
	if (!root)
		return;
	snprintf(w->kept, sizeof w->kept, ", kept by %.140s",
		 describe_root(root, text, sizeof text));
	snprintf(w->kept_comma, sizeof w->kept_comma, "%s,", w->kept);
}

static void
find_most(struct words *w)
{
	const struct finding *f = w->finding;

	if (f->whole == f->count)
		snprintf(w->most, sizeof w->most, ", all of them %s", w->type);
	else
		snprintf(w->most, sizeof w->most, ", %s of them %s", w->whole,
			 w->type);
}

const char *
finding_text(const struct facts *facts, const struct finding *f,
	     char out[FINDING_TEXT_BYTES])
{
	struct words w = { .facts = facts, .finding = f };

	format_count(f->count, w.count);
	format_count(f->whole, w.whole);
	format_count(f->nodes_count, w.nodes);
	if (f->type != TYPE_NONE)
		text_fit(facts_type_name(facts, f->type), NAME_SHOWN, w.type,
			 sizeof w.type);
	if (f->other_type != TYPE_NONE)
		text_fit(facts_type_name(facts, f->other_type), NAME_SHOWN,
			 w.other_type, sizeof w.other_type);
	find_keeper(&w);
	find_most(&w);
	writers[f->kind](&w, out, FINDING_TEXT_BYTES);
	return out;
}
