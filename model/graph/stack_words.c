#include "model/graph/stack_words.h"

#include "model/graph/detour.h"
#include "model/heap/node_map.h"
#include <string.h>

struct step {
	node_id node;
	uint32_t from;  /* step it refers to; the first: itself */
	uint32_t depth; /* references to the object */
};

struct search {
	struct upward up;
	struct stack_words *out;
	struct step *steps; /* objects met, nearest first */
	size_t count, room;
	struct node_map met;
	uint32_t limit; /* words must be nearer, or refer to the object */
	uint64_t visits;
	struct error *err;
};

static bool
search_meet(struct search *s, node_id node, uint32_t from, uint32_t depth)
{
	if (node_map_find(&s->met, node))
		return true;
	if (!MAKE_ROOM(s->steps, s->count + 1, s->room, s->err) ||
	    !node_map_add(&s->met, node, (uint32_t)s->count, s->err))
		return false;
	s->steps[s->count++] = (struct step){ node, from, depth };
	return true;
}

static bool
add_word(struct search *s, uint32_t root, uint32_t at)
{
	uint32_t length = s->steps[at].depth;
	struct stack_word *word;

	if (s->out->count == STACK_WORDS_MAX) {
		s->out->is_all = false;
		return true;
	}
	word = &s->out->words[s->out->count];
	*word = (struct stack_word){ .root = root, .length = length };
	word->nodes = memory_new((size_t)length + 1, sizeof(*word->nodes), s->err);
	if (!word->nodes)
		return false;
	s->out->count++;
	for (uint32_t i = 0; i <= length; i++, at = s->steps[at].from)
		word->nodes[i] = s->steps[at].node;
	return true;
}

static bool
add_words(struct search *s, uint32_t at)
{
	const struct heap *h = s->up.heap;
	uint32_t count;
	const struct root *roots = heap_roots_of(h, s->steps[at].node, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t index = (uint32_t)(roots - h->roots) + i;

		if (reach_is_mere_word(s->up.reach, index) && !ignored_root(s->up.ignored, index) &&
		    !add_word(s, index, at))
			return false;
	}
	return true;
}

static bool
visit_referrers(struct search *s, uint32_t at)
{
	node_id target = s->steps[at].node, source;
	uint32_t depth = s->steps[at].depth + 1;
	struct referrers referrers = reverse_of(s->up.reverse, target);

	while (referrers_next(&referrers, &source)) {
		if (s->visits++ >= STACK_WORDS_VISITS) {
			s->out->is_all = false;
			return true;
		}
		if (upward_follows(&s->up, source, target) && !search_meet(s, source, at, depth))
			return false;
	}
	return true;
}

static bool
search_run(struct search *s, node_id object)
{
	s->out->is_all = true;
	if (!search_meet(s, object, 0, 0))
		return false;
	for (uint32_t at = 0; at < s->count; at++) {
		if (!add_words(s, at))
			return false;
		if (s->out->is_all && s->up.reverse && s->steps[at].depth + 1 < s->limit &&
		    !visit_referrers(s, at))
			return false;
	}
	return true;
}

static bool
has_words(const struct heap *h)
{
	for (uint32_t i = 0; i < h->roots_count; i++)
		if (h->roots[i].kind == ROOT_STACK_WORD)
			return true;
	return false;
}

bool
stack_words_find(struct stack_words *w, const struct reach *reach, const struct reverse *rev,
		 const struct ignored *ignored, node_id object, struct error *err)
{
	const struct root *best = reach_root(reach, object);
	struct search s = {
		.up = { .heap = reach->heap, .reverse = rev, .reach = reach, .ignored = ignored },
		.out = w,
		.limit = reach->distance[object],
		.err = err
	};
	bool is_ok;

	*w = (struct stack_words){ .is_all = true };
	if (!best || root_kinds[best->kind].tier >= root_kinds[ROOT_STACK_WORD].tier ||
	    !has_words(reach->heap))
		return true;
	is_ok = search_run(&s, object);
	memory_free(s.steps);
	node_map_clear(&s.met);
	if (!is_ok)
		stack_words_clear(w);
	return is_ok;
}

void
stack_words_clear(struct stack_words *w)
{
	for (uint32_t i = 0; i < w->count; i++)
		memory_free(w->words[i].nodes);
	*w = (struct stack_words){ 0 };
}
