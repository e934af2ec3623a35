#include "model/analysis/stack_tree.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { IDS_SHOWN = 12, TOP = 0 };

struct building {
	struct stack_node *nodes; /* the first one, TOP, has all threads */
	uint32_t count;
	size_t room;
	struct arena *arena;
	struct error *err;
};

static bool
is_same(const struct content_frame *a, const struct content_frame *b)
{
	return a->record && b->record ? a->record == b->record : !strcmp(a->text, b->text);
}

/* Returns the node of a call below another one. 0: memory ran out. */
static uint32_t
find_below(struct building *b, uint32_t parent, const struct content_frame *frame)
{
	uint32_t i = b->nodes[parent].first;

	while (i && !is_same(b->nodes[i].frame, frame))
		i = b->nodes[i].next;
	if (i)
		return i;
	i = b->count;
	if (!APPEND(
		b->nodes, b->count, b->room, b->err,
		(struct stack_node){ .frame = frame, .ids = "", .next = b->nodes[parent].first }))
		return 0;
	b->nodes[parent].first = i;
	return i;
}

static bool
add_id(struct building *b, struct stack_node *node, uint64_t id)
{
	node->threads_count++;
	if (node->ids_count > IDS_SHOWN)
		return true;
	if (node->ids_count++ == IDS_SHOWN)
		node->ids = arena_printf(b->arena, b->err, "%s …", node->ids);
	else
		node->ids = arena_printf(b->arena, b->err, "%s%s%" PRIu64, node->ids,
					 *node->ids ? ", " : "", id);
	return node->ids != NULL;
}

static bool
add_stack(struct building *b, const struct content_frames *frames, uint64_t id)
{
	uint32_t node = TOP;

	if (!stack_depth(frames))
		return true;
	b->nodes[TOP].threads_count++;
	for (uint32_t i = frames->count; i--;) {
		const struct content_frame *frame = &frames->items[i];

		if (frame->kind != CONTENT_FRAME_MANAGED && frame->kind != CONTENT_FRAME_FOUND)
			continue;
		node = find_below(b, node, frame);
		if (!node || !add_id(b, &b->nodes[node], id))
			return false;
	}
	b->nodes[node].ends_count++;
	return true;
}

/* --- order ---------------------------------------------------------------- */

static int
compare_nodes(const void *a, const void *b)
{
	const struct stack_node *x = *(const struct stack_node *const *)a;
	const struct stack_node *y = *(const struct stack_node *const *)b;

	if (x->threads_count != y->threads_count)
		return x->threads_count > y->threads_count ? -1 : 1;
	return strcmp(x->frame->text, y->frame->text);
}

/* Puts the nodes below one onto a stack, so that those of most threads come off first. */
static uint32_t
push_below(const struct building *b, const struct stack_node *parent, struct stack_node **waiting,
	   uint32_t count)
{
	bool is_top = parent == &b->nodes[TOP];
	uint32_t first = count, end;

	for (uint32_t i = parent->first; i; i = b->nodes[i].next)
		waiting[count++] = &b->nodes[i];
	qsort(waiting + first, count - first, sizeof *waiting, compare_nodes);
	for (uint32_t i = first; i < count; i++) {
		struct stack_node *node = waiting[i];

		node->is_branch = is_top || node->threads_count != parent->threads_count;
		node->depth = is_top ? 0 : parent->depth + (parent->is_branch || node->is_branch);
	}
	end = count;
	for (; first + 1 < end; first++, end--) {
		struct stack_node *swapped = waiting[first];

		waiting[first] = waiting[end - 1];
		waiting[end - 1] = swapped;
	}
	return count;
}

/* Trees are as deep as stacks, so nothing recurses. */
static bool
put_in_order(const struct building *b, struct stack_tree *out)
{
	struct stack_node **waiting = memory_new(b->count + (size_t)1, sizeof *waiting, b->err);
	uint32_t count;

	out->nodes = arena_array(b->arena, struct stack_node, b->count, b->err);
	if (waiting && out->nodes) {
		count = push_below(b, &b->nodes[TOP], waiting, 0);
		while (count) {
			const struct stack_node *node = waiting[--count];

			out->nodes[out->count++] = *node;
			count = push_below(b, node, waiting, count);
		}
	}
	memory_free(waiting);
	return waiting && out->nodes;
}

bool
stack_tree_make(struct stack_tree *out, struct stacks *s, const struct heap_memory *m,
		struct error *err)
{
	struct building b = { .arena = &s->arena, .err = err };
	bool ok = APPEND(b.nodes, b.count, b.room, err, (struct stack_node){ .ids = "" });

	*out = (struct stack_tree){ 0 };
	for (uint32_t i = 0; ok && i < s->count; i++) {
		const struct heap_thread *t = &m->threads[s->items[i].thread];

		ok = add_stack(&b, &s->items[i].frames, t->id ? t->id : t->os_id);
	}
	ok = ok && put_in_order(&b, out);
	if (ok)
		out->threads_count = b.nodes[TOP].threads_count;
	memory_free(b.nodes);
	return ok;
}
