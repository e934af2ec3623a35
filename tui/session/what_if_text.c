#include "tui/session/what_if_text.h"
#include "model/base/format.h"
#include "tui/session/describe.h"
#include <stdio.h>

static void
describe_entry(const struct session *s, const struct ignored_entry *e, char *out, size_t out_size)
{
	char target[VALUE_TEXT_BYTES], source[VALUE_TEXT_BYTES];
	const struct heap *h = s->heap;

	switch (e->kind) {
	case IGNORED_REFERRER:
		snprintf(out, out_size, "the references of %.400s",
			 describe_node(s, e->what, source, sizeof source));
		break;
	case IGNORED_REF:
	case IGNORED_STATIC_TABLE:
		snprintf(out, out_size, "the reference %.200s → %.200s",
			 describe_node(s, e->what, source, sizeof source),
			 describe_node(s, e->target, target, sizeof target));
		break;
	case IGNORED_ROOT:
		describe_root(&h->roots[e->what], out, out_size);
		break;
	case IGNORED_ROOT_KIND:
		snprintf(out, out_size, "all roots of the kind %s", root_kinds[e->what].title);
		break;
	case IGNORED_TYPE:
		snprintf(out, out_size, "all references of %.400s", session_type_name(s, e->what));
		break;
	}
}

const char *
what_if_describe(const struct session *s, const struct what_if_list *list, size_t item, char *out,
		 size_t out_size)
{
	const struct what_if_item *i = &list->items[item];
	char text[VALUE_TEXT_BYTES], count[FORMAT_BYTES];

	describe_entry(s, &list->entries[i->first], text, sizeof text);
	if (i->count > 1)
		snprintf(out, out_size, "%.400s, and %s like it", text,
			 format_count(i->count - 1, count));
	else
		snprintf(out, out_size, "%s", text);
	return out;
}

const char *
what_if_summary(const struct session *s, char *out, size_t out_size)
{
	const struct what_if *w = &s->what_if;
	char what[VALUE_TEXT_BYTES], count[FORMAT_BYTES], size[FORMAT_BYTES];
	size_t items = w->shown.items_count;

	if (!items) {
		snprintf(out, out_size, "nothing is ignored any more");
		return out;
	}
	if (items == 1)
		what_if_describe(s, &w->shown, 0, what, sizeof what);
	else
		snprintf(what, sizeof what, "%s things", format_count(items, count));
	snprintf(out, out_size, "ignoring %.300s: %s object%s, %s would be freed", what,
		 format_count(w->freed.count, count), w->freed.count == 1 ? "" : "s",
		 format_size(w->freed.bytes, size));
	return out;
}
