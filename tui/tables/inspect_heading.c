#include "tui/tables/inspect_heading.h"
#include "tui/session/describe.h"
#include "model/base/format.h"
#include "model/base/text.h"
#include <string.h>

/* True if lines are so few that the path to the root needs them all. */
static bool
has_few_lines(const struct view *v)
{
	int room = view_heading_room(v);

	return room && room < HEADING_MAX;
}

static bool
put_identity(const struct view *v, struct value *out)
{
	const struct heap *h = v->session->heap;
	const struct type *t = heap_type(h, v->target.node);
	const char *file = type_module_file(t);
	char address[24];

	if (has_few_lines(v))
		return false;
	value_printf(out, STYLE_NORMAL, "%.300s at %s%s%.100s",
		     session_type_name(v->session, heap_type_of(h, v->target.node)),
		     address_format(heap_address(h, v->target.node), address),
		     *file ? ", defined in " : "", file);
	return true;
}

/* Writes ", retains 406 B in 7 objects". */
static void
retained_text(const struct view *v, bool is_brief, char *out, size_t out_size)
{
	const struct session *s = v->session;
	char bytes[FORMAT_BYTES], count[FORMAT_BYTES];
	struct retained_sum sum;

	out[0] = '\0';
	if (!s->retention)
		return;
	sum = session_retained(s, v->target.node);
	format_size(sum.bytes, bytes);
	if (is_brief)
		snprintf(out, out_size, ", retains %s", bytes);
	else
		snprintf(out, out_size, ", retains %s in %s object%s", bytes,
			 format_count(sum.count, count), plural(sum.count));
}

/* Writes who allocated the object, or others of its type, as far as sampled. */
static void
find_allocated(const struct session *s, node_id node, struct inspect_reasons *out)
{
	const struct sample *sample = samples_of(s->samples, node);
	char text[SAMPLE_TEXT_BYTES];

	out->allocated[0] = '\0';
	if (sample)
		snprintf(out->allocated, sizeof out->allocated, "allocated by %s",
			 sample_text(sample, text));
	else if (samples_source_text(s->samples, s->heap, heap_type_of(s->heap, node), text))
		snprintf(out->allocated, sizeof out->allocated,
			 "not sampled; others of its type: allocated by %s", text);
}

void
inspect_reasons_find(const struct session *s, node_id node, struct inspect_reasons *out)
{
	struct stack_words words = { 0 };
	struct error ignored = { 0 }; /* refusals are reported at the end */

	describe_why(s, node, out->why, sizeof out->why);
	if (s->reach &&
	    !stack_words_find(&words, s->reach, s->reverse, s->what_if.ignored, node, &ignored))
		words = (struct stack_words){ 0 };
	describe_stack_words(&words, false, out->words, sizeof out->words);
	describe_stack_words(&words, true, out->brief_words, sizeof out->brief_words);
	stack_words_clear(&words);
	find_allocated(s, node, out);
}

/* Writes "a static": if other roots are listed as well, "a root" would be
   wrong. */
static void
root_text(const struct view *v, const struct inspect_reasons *why, char *out, size_t out_size)
{
	const struct root *root = session_root_of(v->session, v->target.node);
	const char *title = "root";

	if (why->words[0] && root)
		title = root_kinds[root->kind].title;
	snprintf(out, out_size, "%s %s", strchr("aeiou", title[0]) ? "an" : "a", title);
}

/* Writes ", 2 steps from a root". */
static void
steps_text(const struct view *v, const struct inspect_reasons *why, char *out, size_t out_size)
{
	const struct reach *reach = v->session->reach;
	uint32_t distance = reach ? reach->distance[v->target.node] : DISTANCE_UNREACHABLE;
	char steps[FORMAT_BYTES], root[64];

	out[0] = '\0';
	root_text(v, why, root, sizeof root);
	if (distance == 0)
		snprintf(out, out_size, ", held by %s", root);
	else if (distance != DISTANCE_UNREACHABLE)
		snprintf(out, out_size, ", %s step%s from %s", format_count(distance, steps),
			 plural(distance), root);
}

static void
write_facts(const struct view *v, const struct inspect_reasons *why, bool is_brief,
	    struct value *out)
{
	const struct heap *h = v->session->heap;
	node_id node = v->target.node;
	enum generation gen = heap_generation(h, node);
	const char *words = is_brief ? why->brief_words : why->words;
	uint32_t weak = heap_weak_of(h, node);
	char size[FORMAT_BYTES], held[2 * FORMAT_BYTES + 40], way[FORMAT_BYTES + 96],
	    count[FORMAT_BYTES], seen[FORMAT_BYTES + 32] = "";

	retained_text(v, is_brief, held, sizeof held);
	steps_text(v, why, way, sizeof way);
	/* The generation is shown elsewhere, the stack words are not. */
	if (is_brief && *words)
		gen = GEN_UNKNOWN;
	if (weak)
		snprintf(seen, sizeof seen, ", with %s weak handle%s", format_count(weak, count),
			 plural(weak));
	value_printf(out, STYLE_NORMAL, "%s%s%s%s%s%s%s%s", format_size(heap_size(h, node), size),
		     held, gen == GEN_UNKNOWN ? "" : ", ",
		     gen == GEN_UNKNOWN ? "" : generation_name(gen), is_brief ? "" : way, seen,
		     !*words    ? ""
		     : is_brief ? ", "
				: "; ",
		     words);
}

static void
put_facts(const struct view *v, const struct inspect_reasons *why, struct value *out)
{
	write_facts(v, why, false, out);
	if (has_few_lines(v) && text_width(out->text) > v->area.width)
		write_facts(v, why, true, out);
}

static bool
put_no_root(const struct view *v, struct value *out)
{
	const struct session *s = v->session;
	char why[VALUE_TEXT_BYTES];

	if (!s->reach || session_root_of(s, v->target.node))
		return false;
	value_printf(out, STYLE_DIM, "%s", describe_no_root(s, v->target.type, why, sizeof why));
	return true;
}

bool
inspect_heading(const struct view *v, const struct inspect_reasons *why, unsigned line,
		struct value *out)
{
	const unsigned allocated_line = 2;

	if (*why->allocated && line == allocated_line) {
		value_text(out, STYLE_NORMAL, why->allocated);
		return true;
	}
	line -= *why->allocated && line > allocated_line;
	switch (line) {
	case 0:
		put_facts(v, why, out);
		return true;
	case 1:
		value_text(out, STYLE_ROOT, why->why);
		return true;
	case 2:
		return put_no_root(v, out) || put_identity(v, out);
	case 3:
		return put_no_root(v, out) && put_identity(v, out);
	default:
		return false;
	}
}
