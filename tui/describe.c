#include "tui/describe.h"
#include "model/arena.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STEPS_SHOWN = 12 }; /* of a long way; the middle is counted */

const char *
describe_root(const struct root *root, char *out, size_t out_size)
{
	const struct root_kind_info *kind = &root_kinds[root->kind];
	const char *pinned =
	    root->is_pinned && root->kind != ROOT_PINNED ? " (pinned)" : "";

	if (root->name[0])
		snprintf(out, out_size, "%s %.400s%s", kind->id, root->name,
			 pinned);
	else
		snprintf(out, out_size, "%s%s", kind->title, pinned);
	return out;
}

void
describe_root_value(const struct root *root, struct value *out)
{
	char text[VALUE_TEXT_BYTES];

	value_printf(out, STYLE_ROOT, "%s",
		     describe_root(root, text, sizeof text));
	out->also = root->label;
}

/* A text that is written piece by piece; what does not fit is left out. */
struct sentence {
	char *text;
	size_t size, len;
};

static void PRINTF_LIKE(2, 3)
    sentence_add(struct sentence *s, const char *format, ...)
{
	va_list args;
	int len;

	if (s->len + 1 >= s->size)
		return;
	va_start(args, format);
	len = vsnprintf(s->text + s->len, s->size - s->len, format, args);
	va_end(args);
	s->len += len < 0 ? 0 : (size_t)len;
	if (s->len >= s->size)
		s->len = s->size - 1;
}

/* The last `count` objects of the way to `node`, outermost first. */
static uint32_t
last_steps(const struct reach *reach, node_id node, node_id *steps,
	   uint32_t count)
{
	uint32_t distance = reach->distance[node], taken = 0;

	if (count > distance + 1)
		count = distance + 1;
	for (; taken < count; taken++) {
		steps[count - 1 - taken] = node;
		if (distance-- == 0)
			node = NODE_NONE;
		else
			node = reach->next[node];
	}
	return count;
}

static void
sentence_add_steps(struct sentence *s, const struct session *session,
		   node_id node)
{
	const struct reach *reach = session->reach;
	node_id steps[STEPS_SHOWN];
	uint32_t count = last_steps(reach, node, steps, STEPS_SHOWN);
	uint32_t left_out = reach->distance[node] + 1 - count;

	if (left_out)
		sentence_add(s, " → … %u more", left_out);
	for (uint32_t i = 0; i < count; i++)
		sentence_add(s, " → %.400s",
			     heap_type(session->heap, steps[i])->short_name);
}

const char *
describe_why(const struct session *session, node_id node, char *out,
	     size_t out_size)
{
	struct sentence s = { out, out_size, 0 };
	char text[VALUE_TEXT_BYTES];

	out[0] = '\0';
	if (!session->reach) {
		sentence_add(&s, "ways to the roots are not known yet");
	} else if (session->reach->distance[node] == DISTANCE_UNREACHABLE) {
		sentence_add(&s,
			     "%.400s is not reachable from any root: "
			     "nothing in this dump keeps it",
			     heap_type(session->heap, node)->short_name);
	} else {
		sentence_add(&s, "kept by %s",
			     describe_root(session_root_of(session, node), text,
					   sizeof text));
		sentence_add_steps(&s, session, node);
	}
	return out;
}

const char *
describe_node(const struct session *s, node_id node, char *out, size_t out_size)
{
	char address[24];

	snprintf(out, out_size, "%.400s %s",
		 session_type_name(s, heap_type_of(s->heap, node)),
		 address_format(heap_address(s->heap, node), address));
	return out;
}
