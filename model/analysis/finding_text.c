#include "model/analysis/finding_text.h"
#include "model/analysis/finding_why.h"
#include "model/table/root_text.h"
#include "model/graph/root_index.h"
#include "model/base/format.h"
#include "model/base/text.h"
#include "model/graph/reach.h"
#include "model/heap/framework.h"
#include <string.h>

/* --- what: the number and the name --------------------------------------- */

static void
what_count(const struct finding_words *w, char *out, size_t size)
{
	snprintf(out, size, "%s %s", w->count, w->type);
}

static void
what_holder(const struct finding_words *w, char *out, size_t size)
{
	snprintf(out, size, "one %s", w->other_type);
}

/* The objects among all of their type. */
static void
what_part(const struct finding_words *w, char *out, size_t size)
{
	if (w->finding->count == w->finding->whole)
		snprintf(out, size, "all %s %s", w->count, w->type);
	else
		snprintf(out, size, "%s of %s %s", w->count, w->whole, w->type);
}

/* Objects of several types are named by the type that the finding names. */
static void
what_mixed(const struct finding_words *w, char *out, size_t size)
{
	snprintf(out, size, "%s %s", w->whole, w->type);
}

static void
what_event(const struct finding_words *w, char *out, size_t size)
{
	snprintf(out, size, "%s handlers of %s", w->count, w->type);
}

/* Name the method, else the type of the object, for which they are set. */
static void
what_timer(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char method[NAME_BYTES];

	snprintf(out, size, "%s timers for %s", w->count,
		 *f->name ? text_fit(f->name, NAME_SHOWN, method, sizeof method) : w->type);
}

/* An object may have registered several callbacks. */
static void
what_registration(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;

	snprintf(out, size, "%s %s%s", w->count, f->count == f->nodes_count ? "" : "callbacks of ",
		 w->type);
}

static void
what_async(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;

	if (type_is_async(&w->facts->heap->types[f->type]))
		snprintf(out, size, "%s calls of %s", w->count, w->type);
	else /* the method is unknown, and they may have several */
		snprintf(out, size, "%s async calls", w->count);
}

static void
what_table(const struct finding_words *w, char *out, size_t size)
{
	snprintf(out, size, "%s %s", w->whole, w->type);
}

static void
what_array(const struct finding_words *w, char *out, size_t size)
{
	snprintf(out, size, "%s large %s", w->nodes, w->type);
}

static void
what_context(const struct finding_words *w, char *out, size_t size)
{
	if (*w->type)
		snprintf(out, size, "%s %s", w->nodes, w->type);
	else
		finding_contexts(w, out, size);
}

static void
what_such(const struct finding_words *w, char *out, size_t size)
{
	snprintf(out, size, "%s objects such as %s%s%s", w->count, w->type,
		 *w->other_type ? " and " : "", w->other_type);
}

static void
what_generation(const struct finding_words *w, char *out, size_t size)
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

	snprintf(out, size, "%s of %s", format_share(f->unused_bytes, f->whole, share),
		 heap_names[f->generation]);
}

static void
what_duplicate(const struct finding_words *w, char *out, size_t size)
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
what_large_string(const struct finding_words *w, char *out, size_t size)
{
	snprintf(out, size, "%s string%s of 85,000 bytes or more", w->count,
		 plural(w->finding->count));
}

static void
what_boxed(const struct finding_words *w, char *out, size_t size)
{
	snprintf(out, size, "%s boxed %s", w->count, w->type);
}

static void
what_native(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	char bytes[FORMAT_BYTES], whole[FORMAT_BYTES];

	snprintf(out, size, "%s of %s resident memory", format_size(f->bytes, bytes),
		 format_size(f->whole, whole));
}

static void
what_lock(const struct finding_words *w, char *out, size_t size)
{
	snprintf(out, size, "%s threads", w->count);
}

/* --- held by ------------------------------------------------------------- */

enum { CALLS_SAMPLED = 64 };

/* Returns the root that keeps the subject, or NULL if it is unknown. */
static const struct root *
root_of_subject(const struct finding_words *w)
{
	const struct finding *f = w->finding;

	return f->subject != NODE_NONE && w->facts->roots
		   ? root_index_find(w->facts->roots, f->subject)
		   : NULL;
}

/* Returns true for the thread that waits for an async call of the
   application. */
static bool
is_awaited_call(const struct facts *facts, const struct root *root)
{
	const struct type *type = heap_type(facts->heap, root->object);
	uint32_t index = (uint32_t)(root - facts->heap->roots);

	return root->kind == ROOT_STACK_WORD && type_is_async(type) &&
	       !type_is_of_framework(type) && facts->reach &&
	       !reach_is_mere_word(facts->reach, index);
}

/* Write the root. The call for which a thread waits says more than the name of the thread, which is
   mostly a number. */
static void
write_root(const struct finding_words *w, const struct root *root, char *out, size_t size)
{
	char text[VALUE_TEXT_BYTES], call[NAME_BYTES];

	if (!root)
		return;
	if (is_awaited_call(w->facts, root)) {
		text_fit(facts_type_name(w->facts, heap_type_of(w->facts->heap, root->object)),
			 NAME_SHOWN, call, sizeof call);
		snprintf(out, size, "%s on %s", call, root->name);
		return;
	}
	text_fit(describe_root(root, text, sizeof text), NAME_SHOWN, out, size);
}

static void
held_by_root(const struct finding_words *w, char *out, size_t size)
{
	write_root(w, root_of_subject(w), out, size);
}

/*
 * Writes what keeps the calls: the static variable that holds what they wait for, as stacks and
 * handles mostly keep that by way of the calls; or else the root of the calls, if they have the
 * same one. A sample of them is enough.
 */
static void
held_by_calls(const struct finding_words *w, char *out, size_t size)
{
	const struct finding *f = w->finding;
	const struct root *root = root_of_subject(w), *common = NULL;
	uint32_t step = f->nodes_count / CALLS_SAMPLED + 1;

	if (root && root->kind == ROOT_STATIC) {
		write_root(w, root, out, size);
		return;
	}
	for (uint32_t i = 0; w->facts->roots && i < f->nodes_count; i += step) {
		root = root_index_find(w->facts->roots, f->nodes[i]);
		if (!root)
			continue;
		if (common && common != root) {
			snprintf(out, size, "several roots");
			return;
		}
		common = root;
	}
	write_root(w, common, out, size);
}

/* Write the type of most referrers, or "" if no type is that of most. */
static void
held_by_type(const struct finding_words *w, char *out, size_t size)
{
	snprintf(out, size, "%s", w->other_type);
}

static void
held_by_variable(const struct finding_words *w, char *out, size_t size)
{
	char name[NAME_BYTES];

	snprintf(out, size, "thread static %s",
		 text_fit(w->finding->name, NAME_SHOWN, name, sizeof name));
}

/* --- sentences ----------------------------------------------------------- */

/* clang-format off */
static const struct wording {
	finding_writer *what;
	finding_writer *held; /* or NULL: no one object or type holds them */
} wordings[FINDING_KIND_COUNT] = {
	[FINDING_DOMINATOR]         = { what_holder,       held_by_root },
	[FINDING_COLLECTION]        = { what_part,         held_by_root },
	[FINDING_EVENT]             = { what_event,        held_by_root },
	[FINDING_TIMER]             = { what_timer,        NULL },
	[FINDING_ASYNC]             = { what_async,        held_by_calls },
	[FINDING_REGISTRATION]      = { what_registration, held_by_root },
	[FINDING_DISPOSABLE]        = { what_count,        held_by_root },
	[FINDING_FINALIZER]         = { what_mixed,        NULL },
	[FINDING_DEPENDENT]         = { what_mixed,        NULL },
	[FINDING_WEAK_TABLE]        = { what_table,        NULL },
	[FINDING_PINNED]            = { what_mixed,        NULL },
	[FINDING_ARRAY]             = { what_array,        held_by_root },
	[FINDING_CONTEXT]           = { what_context,      held_by_root },
	[FINDING_THREAD_STATIC]     = { what_such,         held_by_variable },
	[FINDING_FRAGMENTATION]     = { what_generation,   NULL },
	[FINDING_UNROOTED]          = { what_such,         NULL },
	[FINDING_NATIVE]            = { what_native,       NULL },
	[FINDING_DUPLICATE_STRINGS] = { what_duplicate,    held_by_type },
	[FINDING_LARGE_STRINGS]     = { what_large_string, held_by_root },
	[FINDING_EMPTY_COLLECTIONS] = { what_part,         NULL },
	[FINDING_ZERO_ARRAYS]       = { what_count,        NULL },
	[FINDING_BOXES]             = { what_boxed,        held_by_type },
	[FINDING_LOCK]              = { what_lock,         held_by_root },
};
/* clang-format on */

static const char *
write_with(finding_writer *write, const struct facts *facts, const struct finding *f,
	   char out[FINDING_PART_BYTES])
{
	struct finding_words w = { .facts = facts, .finding = f };

	*out = '\0';
	if (!write)
		return out;
	format_count(f->count, w.count);
	format_count(f->whole, w.whole);
	format_count(f->nodes_count, w.nodes);
	if (f->type != TYPE_NONE)
		text_fit(facts_type_name(facts, f->type), NAME_SHOWN, w.type, sizeof w.type);
	if (f->other_type != TYPE_NONE)
		text_fit(facts_type_name(facts, f->other_type), NAME_SHOWN, w.other_type,
			 sizeof w.other_type);
	write(&w, out, FINDING_PART_BYTES);
	return out;
}

const char *
finding_what(const struct facts *facts, const struct finding *f, char out[FINDING_PART_BYTES])
{
	return write_with(wordings[f->kind].what, facts, f, out);
}

const char *
finding_why(const struct facts *facts, const struct finding *f, char out[FINDING_PART_BYTES])
{
	return write_with(finding_whys[f->kind], facts, f, out);
}

const char *
finding_held(const struct facts *facts, const struct finding *f, char out[FINDING_PART_BYTES])
{
	return write_with(wordings[f->kind].held, facts, f, out);
}

/* Returns the length of a text without its last clause, which begins at a comma, colon or semicolon
   outside brackets; 0 if it is a single clause. */
static size_t
without_last_clause(const char *text, size_t len)
{
	size_t end = 0;
	int depth = 0;

	for (size_t i = 0; i + 1 < len; i++) {
		depth += strchr("<([", text[i]) != NULL;
		depth -= strchr(">)]", text[i]) != NULL;
		if (depth <= 0 && strchr(",:;", text[i]) && text[i + 1] == ' ')
			end = i;
	}
	return end;
}

bool
finding_text_without(const struct facts *facts, const struct finding *f, unsigned dropped,
		     char out[FINDING_TEXT_BYTES])
{
	char what[FINDING_PART_BYTES], why[FINDING_PART_BYTES], held[FINDING_PART_BYTES];
	size_t len = strlen(finding_why(facts, f, why));

	finding_what(facts, f, what);
	finding_held(facts, f, held);
	for (unsigned i = 0; i < dropped; i++) {
		if (!len && !*held)
			return false;
		if (!len)
			*held = '\0';
		len = without_last_clause(why, len);
	}
	snprintf(out, FINDING_TEXT_BYTES, "%s%s%.*s%s%s%s", what, len ? " " : "", (int)len, why,
		 dropped ? " …" : "",
		 !*held                                   ? ""
		 : wordings[f->kind].held == held_by_type ? ", kept mostly by "
							  : ", kept by ",
		 held);
	return true;
}

const char *
finding_text(const struct facts *facts, const struct finding *f, char out[FINDING_TEXT_BYTES])
{
	(void)finding_text_without(facts, f, 0, out);
	return out;
}
