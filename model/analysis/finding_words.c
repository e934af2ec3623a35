#include "model/analysis/finding_words.h"
#include "model/graph/reach.h"
#include "model/graph/root_index.h"
#include "model/heap/framework.h"
#include "model/table/root_text.h"
#include "model/table/value.h"

enum { OBJECTS_SAMPLED = 64 };

/* --- numbers and names --------------------------------------------------- */

const char *
words_name(struct finding_words *w, const char *name)
{
	if (!w->cuts_names || strlen(name) <= NAME_SHOWN)
		return name;
	return text_fit(name, NAME_SHOWN, w->names[w->names_count++ % WORDS_NAMES], NAME_BYTES);
}

static char *
number_room(struct finding_words *w)
{
	return w->numbers[w->numbers_count++ % WORDS_NUMBERS];
}

const char *
words_count(struct finding_words *w, uint64_t count)
{
	return format_count(count, number_room(w));
}

const char *
words_size(struct finding_words *w, uint64_t bytes)
{
	return format_size(bytes, number_room(w));
}

const char *
words_share(struct finding_words *w, uint64_t part, uint64_t whole)
{
	return format_share(part, whole, number_room(w));
}

const char *
words_type_name(struct finding_words *w, type_id type)
{
	return type == TYPE_NONE ? "" : words_name(w, facts_type_name(w->facts, type));
}

const char *
words_type(struct finding_words *w)
{
	return words_type_name(w, w->finding->type);
}

const char *
words_holder(struct finding_words *w)
{
	return words_type_name(w, w->finding->holder_type);
}

const char *
words_one_or(struct finding_words *w, uint64_t count)
{
	return count == 1 ? "one" : words_count(w, count);
}

/* --- the number and the name --------------------------------------------- */

void
what_count(struct finding_words *w, struct text *out)
{
	text_addf(out, "%s %s", words_count(w, w->finding->count), words_type(w));
}

void
what_part(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	if (f->count == f->all_count)
		text_add(out, "all ");
	text_add(out, words_count(w, f->count));
	if (f->count != f->all_count)
		text_addf(out, " of %s", words_count(w, f->all_count));
	text_addf(out, " %s", words_type(w));
}

void
what_named(struct finding_words *w, struct text *out)
{
	text_addf(out, "%s %s", words_count(w, w->finding->type_count), words_type(w));
}

void
why_others(struct finding_words *w, struct text *out)
{
	uint64_t others = w->finding->count - w->finding->type_count;

	if (others)
		text_addf(out, "and %s other%s ", words_count(w, others), plural(others));
}

void
what_such(struct finding_words *w, struct text *out)
{
	text_addf(out, "%s objects such as %s", words_count(w, w->finding->count), words_type(w));
}

/* --- what holds the objects ---------------------------------------------- */

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

/* Writes the root. The call for which a thread waits says more than the name of the thread, which
   is mostly a number. */
void
words_root(struct finding_words *w, const struct root *root, struct text *out)
{
	char text[VALUE_TEXT_BYTES];

	if (!root)
		return;
	if (is_awaited_call(w->facts, root))
		text_addf(out, "%s on %s",
			  words_type_name(w, heap_type_of(w->facts->heap, root->object)),
			  root->name);
	else if (w->cuts_names)
		text_add(out, words_name(w, describe_root(root, text, sizeof text)));
	else
		add_root(root, out);
}

/* Returns the root that keeps the subject, or NULL if it is unknown. */
static const struct root *
root_of_subject(const struct finding_words *w)
{
	const struct finding *f = w->finding;

	return f->subject != NODE_NONE && w->facts->roots
		   ? root_index_find(w->facts->roots, f->subject)
		   : NULL;
}

void
held_by_root(struct finding_words *w, struct text *out)
{
	const struct root *root = root_of_subject(w);
	const struct keeper *k = &w->finding->keeper;

	if (root && k->node != NODE_NONE) {
		keeper_text(w->facts->heap, k, w->finding->subject,
			    words_type_name(w, heap_type_of(w->facts->heap, k->node)), out);
		text_add(out, ", through ");
	}
	words_root(w, root, out);
}

/* Stacks and handles mostly keep what calls wait for by way of the calls, so a static variable that
   holds it says more than the root of the calls. */
void
held_by_same_root(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;
	const struct root *root = root_of_subject(w), *common = NULL;
	uint32_t step = f->nodes_count / OBJECTS_SAMPLED + 1;

	if (root && root->kind == ROOT_STATIC) {
		words_root(w, root, out);
		return;
	}
	for (uint32_t i = 0; w->facts->roots && i < f->nodes_count; i += step) {
		root = root_index_find(w->facts->roots, f->nodes[i]);
		if (!root)
			continue;
		if (common && common != root) {
			text_add(out, "several roots");
			return;
		}
		common = root;
	}
	words_root(w, common, out);
}

void
held_by_type(struct finding_words *w, struct text *out)
{
	text_add(out, words_holder(w));
}
