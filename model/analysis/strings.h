#ifndef MODEL_ANALYSIS_STRINGS_H
#define MODEL_ANALYSIS_STRINGS_H

/*
 * The strings of a heap with memory, grouped by text: one pass over their bytes in address order.
 * The result takes 8 bytes a string and 40 to 56 bytes for each distinct text; about 200 ns a
 * string. Run it on a worker.
 */
#include "model/graph/reach.h"
#include "model/heap/object_bytes.h"

struct string_group {
	uint64_t hash[2];    /* keyed hash of the text; the key is random */
	node_id subject;     /* lowest live string; if all are dead, the lowest */
	uint32_t count;      /* strings with this text */
	uint32_t dead_count; /* unreachable strings among them */
	uint32_t units;      /* length in UTF-16 units */
};

struct strings {
	/*
	 * Sorted by the lowest string of each group, live or dead. Unless `only_live` is set, the
	 * same text has the same index whatever `reach` is.
	 */
	struct string_group *groups;
	uint32_t groups_count;
	node_id *nodes;        /* readable strings, ascending */
	uint32_t *group_of;    /* group of each of `nodes` */
	uint32_t count;        /* length of `nodes` */
	uint32_t unread_count; /* strings that are damaged or partly absent */
};

/* Group the strings. `reach` shows which are dead; if it is NULL, all count as live. With
   `only_live`, dead strings are left out. NULL sets `err`. */
struct strings *strings_find(const struct heap *h, const struct reach *reach, bool only_live,
			     struct progress *progress, struct error *err) MUST_USE;
void strings_free(struct strings *s); /* NULL is allowed */

/* Total bytes of a group; bytes of its live strings but one; bytes of its dead strings. */
uint64_t string_group_bytes(const struct heap *h, const struct string_group *g);
uint64_t string_group_wasted(const struct heap *h, const struct string_group *g);
uint64_t string_group_garbage(const struct heap *h, const struct string_group *g);
/* Returns the strings of a group, ascending: g->count of them, to be freed by memory_free(). NULL
   sets `err`. Scans all strings, about 1 ns each. */
node_id *strings_of_group(const struct strings *s, uint32_t group, struct error *err) MUST_USE;

#endif
