#include "tui/tables/subject_title.h"
#include "tui/session/describe.h"
#include <stdio.h>

void
subject_title(struct view *v, const char *words)
{
	const struct target *t = &v->target;
	char name[VALUE_TEXT_BYTES];

	if (t->node == NODE_NONE && t->type == TYPE_NONE)
		return;
	snprintf(v->title, sizeof v->title, "%s%s%.200s", words, *words ? " " : "",
		 t->node == NODE_NONE ? session_type_name(v->session, t->type)
				      : describe_node(v->session, t->node, name, sizeof name));
}
