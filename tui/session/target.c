#include "tui/session/target.h"
#include "model/base/format.h"
#include "model/heap/memory.h"
#include "model/table/lookup.h"
#include "tui/base/quoting.h"
#include <string.h>

const struct target target_none = { .node = NODE_NONE, .type = TYPE_NONE };

struct target
target_of_node(const struct session *s, node_id node)
{
	return (struct target){ .node = node, .type = heap_type_of(s->heap, node) };
}

struct target
target_of_type(type_id type)
{
	return (struct target){ .node = NODE_NONE, .type = type };
}

bool
target_is_none(const struct target *t)
{
	return t->node == NODE_NONE && t->type == TYPE_NONE && !t->address && !t->is_marked;
}

bool
target_lists_objects(const struct target *t)
{
	return t->nodes || t->calls || t->compared || t->held;
}

bool
target_fits(const struct target *t, unsigned takes)
{
	if (target_is_none(t))
		return takes & TAKES_OPTIONAL || takes == TAKES_NOTHING;
	if (t->is_marked || (t->node != NODE_NONE && takes & TAKES_OBJECT))
		return true;
	return t->type != TYPE_NONE && takes & TAKES_TYPE;
}

bool
target_parse(const struct session *s, unsigned takes, const char *text, struct target *out,
	     struct error *err)
{
	bool is_address;
	uint64_t address;
	node_id node = NODE_NONE;
	type_id type;
	const struct facts facts = session_facts(s);
	char name[QUOTING_ARGUMENT_BYTES];

	*out = target_none;
	if (!*text)
		return true;
	if (takes & TAKES_TOPIC) {
		if (strlen(text) >= sizeof out->topic)
			return error_set(err, ERROR_USAGE, "the argument is too long");
		snprintf(out->topic, sizeof out->topic, "%s", text);
		return true;
	}
	if (takes & TAKES_MARKED && !strcmp(text, "marked")) {
		out->is_marked = true;
		return true;
	}
	if (*text == '"' && quoting_decode(text, name, sizeof name))
		text = name;
	is_address = takes & (TAKES_OBJECT | TAKES_ADDRESS) && address_parse(text, &address);
	if (is_address && !(s->has & NEED_OBJECTS) &&
	    !(takes & TAKES_ADDRESS && s->has & NEED_PROCESS))
		return error_set(
		    err, ERROR_USAGE, "%s",
		    session_only_types(s)
			? session_only_types(s)
			: "the heap is still being read: addresses are known when that is done");
	if (!is_address && s->heap && heap_lacks_objects(s->heap))
		return error_set(err, ERROR_USAGE, "%s", s->heap->memory->lacks_objects);
	if (is_address)
		node = heap_find(s->heap, address);
	/* "Cafe" can be a type or an address. */
	if (takes & TAKES_TYPE && node == NODE_NONE &&
	    (!is_address || lookup_has_type(&facts, text))) {
		if (!lookup_type(&facts, text, &type, err))
			return false;
		*out = target_of_type(type);
		return true;
	}
	if (!is_address)
		return error_set(
		    err, ERROR_USAGE,
		    "\"%.60s\" is not an address such as 7fe01c001d70%s; `objects TYPE` lists "
		    "those of a type",
		    text, s->heap && s->heap->info.losses.made_up_addresses ? " or #3" : "");
	if (node == NODE_NONE && takes & TAKES_ADDRESS) {
		out->address = address;
		return true;
	}
	if (!lookup_object(s->heap, text, address, &node, err))
		return false;
	*out = target_of_node(s, node);
	return true;
}

void
target_complete(const struct session *s, unsigned takes, const char *text,
		void (*add)(void *to, const char *word), void *to)
{
	size_t len = strlen(text);

	if (!(takes & TAKES_TYPE))
		return;
	for (type_id t = 0; t < s->types_count; t++) {
		const struct type *type = &s->types[t];

		if (!type->count)
			continue;
		if (!strncmp(type->name, text, len))
			add(to, type->name);
		else if (!strncmp(type->short_name, text, len))
			add(to, type->short_name);
	}
}
