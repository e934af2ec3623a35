#include "tui/session/describe.h"
#include "model/analysis/keeper.h"
#include "model/heap/names.h"
#include "model/heap/root_gaps.h"
#include "model/analysis/segments.h"
#include "model/graph/way_list.h"
#include "model/base/format.h"
#include "model/base/text.h"
#include <stdio.h>
#include <string.h>

enum {
	STEPS_SHOWN = 12,         /* of a long path; the rest is only counted */
	OBJECTS_FOLDED = 1 << 16, /* at most, into these; up to 4 ms */
	KEEPER_BYTES = 300,
};

/*
 * Returns whether the text is complete. A path that does not fit is written again with one step
 * fewer: its end, which matters most, stays. If even one step does not fit, the text is cut.
 */
static bool
is_done(struct text *t, unsigned *steps)
{
	if (!t->is_cut || *steps <= 1)
		return true;
	--*steps;
	text_shorten(t, 0);
	return false;
}

/* The end of a path: runs of objects of one type, the object's own first. */
struct last_runs {
	struct {
		type_id type;
		uint32_t count;
	} items[STEPS_SHOWN];
	unsigned count;
	uint32_t left_out; /* objects before these */
};

/* Neighbours in a list, such as the runtime's timers, can be millions. */
static struct last_runs
find_last_runs(const struct reach *reach, node_id node)
{
	struct last_runs runs = { .left_out = reach->distance[node] + 1 };

	for (uint32_t i = 0; runs.left_out && i < OBJECTS_FOLDED; i++) {
		type_id type = heap_type_of(reach->heap, node);

		if (!runs.count || runs.items[runs.count - 1].type != type) {
			if (runs.count == STEPS_SHOWN)
				break;
			runs.items[runs.count++].type = type;
		}
		runs.items[runs.count - 1].count++;
		runs.left_out--;
		node = reach->next[node];
	}
	return runs;
}

static void
add_run(struct text *s, const struct type *type, uint32_t count)
{
	char number[FORMAT_BYTES];

	if (count > 1)
		text_addf(s, " → %s × %s", format_count(count, number), type->short_name);
	else
		text_addf(s, " → %s", type->short_name);
}

/* Adds the last `most` runs of the cheapest path to an object. */
static void
add_steps(struct text *s, const struct heap *h, const struct last_runs *runs, unsigned most)
{
	unsigned count = most < runs->count ? most : runs->count;
	uint32_t left_out = runs->left_out;
	char more[FORMAT_BYTES];

	for (unsigned i = count; i < runs->count; i++)
		left_out += runs->items[i].count;
	if (left_out)
		text_addf(s, " → … %s more", format_count(left_out, more));
	while (count-- > 0)
		add_run(s, &h->types[runs->items[count].type], runs->items[count].count);
}

static bool
has_same_type(const struct heap *h, node_id a, node_id b)
{
	return heap_type_of(h, a) == heap_type_of(h, b);
}

/* Returns how many objects from `i` on, before `end`, have one type. */
static uint32_t
run_from(const struct heap *h, const node_id *nodes, uint32_t i, uint32_t end)
{
	uint32_t run = 1;

	while (i + run < end && has_same_type(h, nodes[i], nodes[i + run]))
		run++;
	return run;
}

/* Returns where the last `most` runs of a path begin. */
static uint32_t
start_of_runs(const struct heap *h, const node_id *nodes, uint32_t count, uint32_t gap,
	      unsigned most)
{
	uint32_t first = count;

	for (unsigned runs = 0; first && runs < most; runs++)
		do
			first--;
		while (first && first != gap && has_same_type(h, nodes[first - 1], nodes[first]));
	return first;
}

/* Adds the last `most` steps of a path; a run of one type is one step. The objects that are left
   out are before `gap`, or before the steps. */
static void
add_way(struct text *s, const struct heap *h, const node_id *nodes, uint32_t count,
	uint32_t left_out, unsigned most)
{
	uint32_t gap = left_out && count > WAY_FIRST_STEPS ? WAY_FIRST_STEPS : 0;
	uint32_t first = start_of_runs(h, nodes, count, gap, most), run;
	char more[FORMAT_BYTES];

	if (first >= gap && left_out + first)
		text_addf(s, " → … %s more", format_count(left_out + first, more));
	else if (first)
		text_addf(s, " → … %s more", format_count(first, more));
	for (uint32_t i = first; i < count; i += run) {
		if (i == gap && first < gap)
			text_addf(s, " → … %s more", format_count(left_out, more));
		run = run_from(h, nodes, i, i < gap ? gap : count);
		add_run(s, heap_type(h, nodes[i]), run);
	}
}

const char *
describe_way(const struct heap *h, const char *start, const node_id *nodes, uint32_t count,
	     uint32_t left_out, char *out, size_t out_size)
{
	struct text s = text_in(out, out_size);
	unsigned steps = STEPS_SHOWN;

	do {
		out[0] = '\0';
		text_addf(&s, "%.400s", start);
		add_way(&s, h, nodes, count, left_out, steps);
	} while (!is_done(&s, &steps));
	return out;
}

/* Returns whether .NET 8+ may allocate the type in the frozen heap. */
static bool
may_be_frozen(const struct type *t)
{
	static const char *const names[] = { "System.String", "System.RuntimeType",
					     "System.Object" };
	size_t len = name_folded_len(t->raw, strlen(t->raw));

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strlen(names[i]) == len && !strncmp(t->raw, names[i], len))
			return true;
	return false;
}

/* Returns why it is unknown whether unreachable objects are garbage. */
static const char *
describe_unknown(const struct heap *h, char *out, size_t out_size)
{
	const struct losses *l = &h->info.losses;
	char gaps[ROOT_GAPS_TEXT_BYTES];

	if (l->missing_bytes)
		return h->roots_count ? "some roots and references were lost where the file was cut"
				      : "the roots were lost where the file was cut";
	if (h->roots_count && losses_have_events(l))
		return "some events are lost: the path may have been in them";
	if (l->damaged_nodes)
		return "parts of the file are damaged: the path may have been there";
	if (!l->root_gaps)
		return "the file has no roots at all";
	snprintf(out, out_size, "it may be kept by %s", root_gaps_text(l, gaps));
	return out;
}

/* The Compact Framework (.gclog) has no frozen heap. */
static bool
may_have_frozen(const struct heap *h)
{
	return strncmp(h->info.format, "gclog", strlen("gclog")) != 0;
}

const char *
describe_no_root(const struct session *s, type_id type, char *out, size_t out_size)
{
	const struct heap *h = s->heap;

	if (s->what_if.ignored)
		return "no root leads here without the ignored references; X stops ignoring them";
	if (!heap_knows_roots(h))
		return describe_unknown(h, out, out_size);
	if (h->memory)
		return "garbage that no collection has freed yet";
	return may_have_frozen(h) && may_be_frozen(&h->types[type])
		   ? "garbage that survived, or in the frozen heap (.NET 8+), which has no roots"
		   : "garbage that survived the collection";
}

/* Returns whether ignoring references made the object unreachable. */
static bool
would_be_freed(const struct session *session, node_id node)
{
	const struct what_if *w = &session->what_if;

	return w->ignored && bits_has(w->before, node);
}

static void
add_no_root(struct text *s, const struct session *session, node_id node)
{
	const char *name = heap_type(session->heap, node)->short_name;

	if (would_be_freed(session, node))
		text_addf(s, "without the ignored references this %.400s would be freed", name);
	else if (heap_knows_roots(session->heap))
		text_addf(s, "no root in the file leads to this %.400s", name);
	else
		text_addf(s, "what keeps this %.400s is unknown", name);
}

bool
describe_keeper(const struct session *session, node_id node, struct text *out)
{
	struct keeper_search s = keeper_search_of(session->heap, session->reverse, session->reach);
	struct error ignored = { 0 };
	struct keeper k;
	struct arena a;

	if (!session->reverse || !keeper_is_needed(&s, node))
		return false;
	k = keeper_find(&s, node);
	if (k.node == NODE_NONE || (k.role == KEEPER_PLAIN && !keeper_links(&s, &k)))
		return false;
	arena_init(&a, 0);
	if (keeper_set_field(session->heap, &k, &a, &ignored))
		keeper_text(session->heap, &k, node, heap_type(session->heap, k.node)->short_name,
			    out);
	arena_clear(&a);
	return true;
}

static void
add_why(struct text *s, const struct session *session, node_id node, const char *keeper,
	const struct last_runs *runs, unsigned steps)
{
	const struct root *root = session_root_of(session, node);
	bool depends = root->kind == ROOT_DEPENDENT;
	char text[VALUE_TEXT_BYTES];

	text_addf(s, "kept by %s%s%s", keeper, *keeper ? ", through " : "",
		  depends ? "a dependent handle (ConditionalWeakTable)"
			  : describe_root(root, text, sizeof text));
	add_steps(s, session->heap, runs, steps);
	if (depends)
		text_addf(s, "; its key is not in the file");
}

const char *
describe_why(const struct session *session, node_id node, char *out, size_t out_size)
{
	struct text s = text_in(out, out_size);
	unsigned steps = STEPS_SHOWN;
	struct last_runs runs = { .count = 0 };
	char keeper[KEEPER_BYTES] = "";
	struct text first = text_in(keeper, sizeof keeper);

	if (session->reach && session->reach->distance[node] != DISTANCE_UNREACHABLE) {
		runs = find_last_runs(session->reach, node);
		describe_keeper(session, node, &first);
	}
	do {
		out[0] = '\0';
		if (!session->reach)
			text_addf(&s, session_unavailable(session, NEED_REACH)
					  ? "paths to roots were not computed, for lack of memory"
					  : "paths to roots are not known yet");
		else if (session->reach->distance[node] == DISTANCE_UNREACHABLE)
			add_no_root(&s, session, node);
		else
			add_why(&s, session, node, keeper, &runs, steps);
	} while (!is_done(&s, &steps));
	return out;
}

const char *
describe_why_once(const struct session *s, node_id node, struct described_why *kept)
{
	bool has_referrers = s->reverse != NULL;

	if (kept->reach_version != s->reach_version || kept->node != node ||
	    kept->has_referrers != has_referrers)
		describe_why(s, node, kept->text, sizeof kept->text);
	kept->node = node;
	kept->reach_version = s->reach_version;
	kept->has_referrers = has_referrers;
	return kept->text;
}

const char *
describe_stack_words(const struct stack_words *w, bool is_brief, char *out, size_t out_size)
{
	const char *at_least = w->is_all ? "" : "at least ";
	uint32_t direct = 0;
	char count[FORMAT_BYTES], steps[FORMAT_BYTES], away[64] = "";

	out[0] = '\0';
	if (!w->count)
		return out;
	format_count(w->count, count);
	if (is_brief) {
		snprintf(out, out_size, "%s stack slot%s too", count, plural(w->count));
		return out;
	}
	while (direct < w->count && !w->words[direct].length)
		direct++;
	if (!direct)
		snprintf(away, sizeof away, ", %s%s reference%s away",
			 w->count > 1 ? "the nearest is " : "",
			 format_count(w->words[0].length, steps), plural(w->words[0].length));
	else if (direct < w->count)
		snprintf(away, sizeof away, ", %s directly", format_count(direct, steps));
	snprintf(out, out_size, "%s%s stack slot%s may also keep it alive%s", at_least, count,
		 plural(w->count), away);
	return out;
}

const char *
describe_node(const struct session *s, node_id node, char *out, size_t out_size)
{
	char address[24];

	snprintf(out, out_size, "%.400s %s", session_type_name(s, heap_type_of(s->heap, node)),
		 address_format(heap_address(s->heap, node), address));
	return out;
}
