#include "model/analysis/collection_parts.h"
#include "model/base/text.h"
#include "model/heap/framework.h"
#include <string.h>

const char *
nested_name(const char *raw)
{
	const char *name = NULL;
	int depth = 0;

	for (; *raw; raw++) {
		depth += *raw == '<';
		depth -= *raw == '>';
		if (*raw == '+' && !depth)
			name = raw + 1;
	}
	return name;
}

/* The name of a part, without its type arguments. */
static enum part_kind
nested_kind(const char *name)
{
	size_t len = strcspn(name, "<[");

	if (name[strlen(name) - 1] == ']')
		return PART_INNER;
	if (len == strlen("Node") && text_begins(name, "Node"))
		return PART_NODE;
	if (len == strlen("Tables") && text_begins(name, "Tables"))
		return PART_TABLES;
	return PART_INNER;
}

/* Events name a nested type by its innermost name alone: "Node<A,B>". */
static bool
is_bare_part(const char *raw)
{
	static const char *const names[] = {
		"Bucket", "Container", "Entry",        "Node",
		"Slot",   "Tables",    "VolatileNode", "WorkStealingQueue",
	};
	size_t len = strcspn(raw, "<[");

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (len == strlen(names[i]) && text_begins(raw, names[i]))
			return true;
	return false;
}

/* clang-format off */
static const struct part_type {
	const char *begin; /* of the raw name */
	enum part_kind kind;
} part_types[] = {
	{ "System.Collections.Concurrent.ConcurrentQueueSegment<", PART_INNER },
	{ "System.Collections.Generic.LinkedListNode<",            PART_NODE },
	{ "System.Collections.Generic.TreeSet<",                   PART_INNER },
	{ "System.Collections.Immutable.SortedInt32KeyNode<",      PART_INNER },
	{ "System.Collections.",                                   PART_COLLECTION },
	{ "System.Runtime.CompilerServices.ConditionalWeakTable<", PART_COLLECTION },
	{ "System.Text.StringBuilder",                             PART_COLLECTION },
};
/* clang-format on */

enum part_kind
part_kind_of(const struct type *t)
{
	bool is_array = t->flags & TYPE_ARRAY;
	const char *nested;

	if (is_bare_part(t->raw) && type_is_of_framework(t))
		return nested_kind(t->raw);
	if (!text_begins(t->raw, "System."))
		return is_array ? PART_ARRAY : PART_NEVER;
	if (!strcmp(t->raw, "System.Object"))
		return PART_LOCK;
	for (size_t i = 0; i < sizeof part_types / sizeof *part_types; i++) {
		if (!text_begins(t->raw, part_types[i].begin) ||
		    (!is_array && !type_is_of_framework(t)))
			continue;
		nested = nested_name(t->raw);
		if (nested && *nested)
			return nested_kind(nested);
		return is_array ? PART_ARRAY : part_types[i].kind;
	}
	return is_array ? PART_ARRAY : PART_NEVER;
}

bool
part_counts_nodes(const struct type *collection)
{
	static const char *const names[] = {
		"System.Collections.Concurrent.ConcurrentDictionary<",
		"System.Collections.Concurrent.ConcurrentStack<",
		"System.Collections.Generic.SortedDictionary<",
		"System.Collections.Generic.SortedSet<",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (text_begins(collection->raw, names[i]))
			return true;
	return false;
}
