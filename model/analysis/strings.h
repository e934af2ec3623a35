#ifndef MODEL_ANALYSIS_STRINGS_H
#define MODEL_ANALYSIS_STRINGS_H

/*
 * All strings of a heap from memory, equal ones together: one pass over their
 * bytes in the order of their addresses. 8 bytes a string stay, and 40 to 56
 * for each different text; some 200 ns a string. Run it on a worker.
 */
#include "model/graph/reach.h"
#include "model/heap/object_bytes.h"

struct string_group {
	uint64_t hash[2];    /* of the text, with a key of its own */
	node_id subject;     /* the lowest that lives, else the lowest */
	uint32_t count;      /* strings with this text */
	uint32_t dead_count; /* of them, those that nothing keeps */
	uint32_t units;      /* of UTF-16 in each */
};

struct strings {
	/* By the lowest string of each, which lives or not: but for only_live,
	   the same text has the same number whatever `reach` says. */
	struct string_group *groups;
	uint32_t groups_count;
	node_id *nodes;        /* strings that could be read, ascending */
	uint32_t *group_of;    /* of each of those */
	uint32_t count;        /* of those */
	uint32_t unread_count; /* damaged, or absent in part */
};

/*
 * `reach` tells dead ones; NULL: none is told. With `only_live` they are left
 * out. NULL sets `err`.
 */
struct strings *strings_find(const struct heap *h, const struct reach *reach,
			     bool only_live, struct progress *progress,
			     struct error *err) MUST_USE;
void strings_free(struct strings *s); /* NULL is allowed */

/* Bytes of all strings of a group; of those that live all but one; of those
   that are dead. */
uint64_t string_group_bytes(const struct heap *h, const struct string_group *g);
uint64_t string_group_wasted(const struct heap *h,
			     const struct string_group *g);
uint64_t string_group_garbage(const struct heap *h,
			      const struct string_group *g);
/* The strings of a group, ascending, g->count of them; memory_free(). NULL
   sets `err`. Looks at all strings, some 1 ns each. */
node_id *strings_of_group(const struct strings *s, uint32_t group,
			  struct error *err) MUST_USE;

#endif
