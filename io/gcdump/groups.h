#ifndef IO_GCDUMP_GROUPS_H
#define IO_GCDUMP_GROUPS_H

/*
 * Turns roots into pseudo-nodes below "[.NET Roots]", named as in dotnet-gcdump; roots.h does the
 * reverse. A root's label becomes the name of its node if that name has the right meaning. What
 * such names cannot express is lost: the name of a handle becomes its label, and whether a variable
 * pins its object is not kept.
 *
 * Nodes are numbered from 0, the common root first. Takes about 60 bytes a root meanwhile.
 */
#include "model/heap/heap.h"

struct gcdump_group {
	const char *name;
	uint32_t groups_first, groups_count; /* children */
	uint32_t roots_first, roots_count;   /* of gcdump_groups.roots */
};

struct gcdump_groups {
	struct gcdump_group *groups;
	uint32_t count;
	uint32_t *roots; /* indexes into heap->roots */
	struct arena texts;
};

bool gcdump_groups_init(struct gcdump_groups *g, const struct heap *h, struct error *err) MUST_USE;
void gcdump_groups_clear(struct gcdump_groups *g);

#endif
