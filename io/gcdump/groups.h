#ifndef IO_GCDUMP_GROUPS_H
#define IO_GCDUMP_GROUPS_H

/*
 * Roots as a .gcdump has them: pseudo-nodes below "[.NET Roots]", named as
 * dotnet-gcdump names them; roots.h is the way back. A root's label is
 * the name of its node wherever that says what the root is. What neither tells
 * is lost: the name of a handle becomes its label, and a variable that does not
 * forbid to move its object is as good as one that does.
 *
 * Nodes are numbered from 0, the root of all first. About 60 bytes a root
 * meanwhile.
 */
#include "model/heap/heap.h"

struct gcdump_group {
	const char *name;
	uint32_t groups_first, groups_count; /* below it */
	uint32_t roots_first, roots_count;   /* of gcdump_groups.roots */
};

struct gcdump_groups {
	struct gcdump_group *groups;
	uint32_t count;
	uint32_t *roots; /* indexes into the heap's */
	struct arena texts;
};

bool gcdump_groups_init(struct gcdump_groups *g, const struct heap *h,
			struct error *err) MUST_USE;
void gcdump_groups_clear(struct gcdump_groups *g);

#endif
