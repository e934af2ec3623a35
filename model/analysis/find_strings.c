/* Findings about duplicate and large strings. */
#include "model/analysis/finder.h"
#include "model/analysis/strings.h"
#include "model/table/table.h"

enum {
	LARGE_BYTES = 85000, /* bytes; such strings are in the large object heap */
	UNITS_SHOWN = 40,    /* UTF-16 units of a text that are shown */
	REFERRERS_ASKED = 16,
};

struct texts {
	struct finder *f;
	struct strings *strings;
	bool *is_reported; /* by group: reported by itself */
};

type_id
finder_holder(struct finder *f, const node_id *nodes, uint32_t count)
{
	type_id best;

	for (uint32_t i = 0; i < count; i++) {
		struct referrers r = reverse_of(f->reverse, nodes[i]);
		node_id source;

		for (int k = 0; k < REFERRERS_ASKED && referrers_next(&r, &source); k++)
			tally_add(&f->tally, f->heap, source);
	}
	best = tally_best(&f->tally);
	tally_clear(&f->tally);
	return best;
}

/* Returns the beginning as a C# literal; "" if it can no longer be read. */
static const char *
text_of(struct finder *f, node_id n)
{
	const struct heap_memory *m = f->heap->memory;
	struct error ignored = { 0 };
	const char *text;
	uint32_t units;

	return m->contents->text(m->source, n, UNITS_SHOWN, &text, &units, &f->out->arena, &ignored)
		   ? text
		   : "";
}

static struct finding *
add_strings(struct finder *f, const struct finding_kind *kind, const node_id *nodes, uint32_t count,
	    struct error *err)
{
	struct finding *out = finder_add(f, kind, err);

	if (!out || !finding_set_nodes(f, out, nodes, count, err))
		return NULL;
	out->type = heap_type_of(f->heap, nodes[0]);
	out->count = count;
	return out;
}

/* --- duplicates ---------------------------------------------------------- */

static bool
report_text(struct texts *t, uint32_t group, struct error *err)
{
	const struct string_group *g = &t->strings->groups[group];
	struct finder *f = t->f;
	struct finding *out;
	node_id *nodes = strings_of_group(t->strings, group, err);

	if (!nodes)
		return false;
	out = add_strings(f, &finding_duplicate, nodes, g->count, err);
	if (out) {
		out->subject = g->subject;
		out->name = text_of(f, g->subject);
		out->holder_type = finder_holder(f, nodes, g->count);
	}
	memory_free(nodes);
	return out != NULL;
}

/* Reports together all strings that repeat a text without a finding of its
   own. */
static bool
report_other_texts(struct texts *t, struct error *err)
{
	const struct strings *s = t->strings;
	struct finder *f = t->f;
	struct node_list again = { 0 };
	uint64_t *texts = arena_new(&f->out->arena, uint64_t, err), bytes = 0;
	struct finding *out;
	bool ok = texts != NULL;

	for (uint32_t i = 0; ok && i < s->groups_count; i++)
		*texts += !t->is_reported[i] && s->groups[i].count > 1;
	for (uint32_t i = 0; ok && i < s->count; i++) {
		const struct string_group *g = &s->groups[s->group_of[i]];

		if (t->is_reported[s->group_of[i]] || g->subject == s->nodes[i])
			continue;
		bytes += heap_size(f->heap, s->nodes[i]);
		ok = node_list_add(&again, s->nodes[i], err);
	}
	if (ok && again.count && bytes >= f->much) {
		out = add_strings(f, &finding_duplicate, again.items, again.count, err);
		ok = out != NULL;
		if (ok) {
			out->more = texts;
			out->holder_type = finder_holder(f, again.items, again.count);
		}
	}
	memory_free(again.items);
	return ok;
}

static bool
report_duplicates(struct texts *t, struct error *err)
{
	const struct strings *s = t->strings;

	for (uint32_t i = 0; i < s->groups_count; i++) {
		if (string_group_wasted(t->f->heap, &s->groups[i]) < t->f->much)
			continue;
		t->is_reported[i] = true;
		if (!report_text(t, i, err))
			return false;
	}
	return report_other_texts(t, err);
}

/* --- large strings ------------------------------------------------------- */

static bool
report_large(struct texts *t, struct error *err)
{
	struct finder *f = t->f;
	struct node_list large = { 0 };
	uint64_t bytes = 0, largest = 0;
	struct finding *out;
	node_id subject = NODE_NONE;
	bool ok = true;

	for (uint32_t i = 0; ok && i < t->strings->count; i++) {
		node_id n = t->strings->nodes[i];
		uint64_t size = heap_size(f->heap, n);

		if (size < LARGE_BYTES)
			continue;
		bytes += size;
		if (size > largest) {
			largest = size;
			subject = n;
		}
		ok = node_list_add(&large, n, err);
	}
	if (ok && large.count && bytes >= f->much) {
		out = add_strings(f, &finding_large_string, large.items, large.count, err);
		ok = out != NULL;
		if (ok) {
			out->subject = subject;
			out->name = text_of(f, subject);
		}
	}
	memory_free(large.items);
	return ok;
}

static bool
find_strings(struct finder *f, struct error *err)
{
	struct texts t = { .f = f };
	bool ok;

	t.strings = strings_find(f->heap, f->reach, true, f->progress, err);
	if (!t.strings)
		return false;
	t.is_reported = memory_new(t.strings->groups_count + 1UL, sizeof(*t.is_reported), err);
	ok = t.is_reported && report_duplicates(&t, err) && report_large(&t, err);
	memory_free(t.is_reported);
	strings_free(t.strings);
	return ok;
}

/* --- in words ------------------------------------------------------------ */

static void
what_duplicate(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	if (f->subject == NODE_NONE)
		text_addf(out, "%s strings", words_count(w, f->count));
	else
		text_addf(out, "%s copies of %s", words_count(w, f->count), words_name(w, f->name));
}

static void
why_duplicate(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;
	const uint64_t *texts = f->more;

	if (texts)
		text_addf(out, "repeat one of %s other texts: %s wasted", words_count(w, *texts),
			  words_size(w, f->bytes));
	else
		text_addf(out, "waste %s",
			  words_size(w, f->bytes - heap_size(w->facts->heap, f->subject)));
}

/*
 * Strings with the same text, of which all but one take `much`. `name`: its beginning in quotes;
 * `count`: the strings; `subject`: the first; `holder_type`: the type of most referrers. One more
 * finding sums up the texts below this threshold: `count`: strings that repeat a text, which are
 * the evidence; `more`: the number of texts; no `subject`.
 */
const struct finding_kind finding_duplicate = {
	.id = "duplicate",
	.title = "duplicate strings",
	.harmless = "no leak if they are short-lived; others could share one string, by "
		    "string.Intern() or a table of your own",
	.heaps = OF_CONTENTS,
	.find = find_strings,
	.what = what_duplicate,
	.why = why_duplicate,
	.held = held_by_type,
	.id_parts = ID_NAME,
	.is_waste = true,
};

static void
what_large_string(struct finding_words *w, struct text *out)
{
	uint64_t count = w->finding->count;

	text_addf(out, "%s string%s of 85,000 bytes or more", words_count(w, count), plural(count));
}

static void
why_large_string(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	text_addf(out, "%s %s; %s %s", verb_for(f->count, "takes", "take"), words_size(w, f->bytes),
		  verb_for(f->count, "it begins", "the largest begins"), words_name(w, f->name));
}

/* Strings of 85,000 bytes or more, `much` together. `subject`: the largest; `name`: its
   beginning. */
const struct finding_kind finding_large_string = {
	.id = "large-string",
	.title = "large strings",
	.harmless = "no leak if the text is needed as a whole, such as a document that is being "
		    "worked on",
	.heaps = OF_CONTENTS,
	.what = what_large_string,
	.why = why_large_string,
	.held = held_by_root,
	.is_waste = true,
};
