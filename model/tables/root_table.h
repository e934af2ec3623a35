#ifndef MODEL_TABLES_ROOT_TABLE_H
#define MODEL_TABLES_ROOT_TABLE_H

/* The table of roots, and the sums of each kind of root for a view that groups them. */
#include "model/table/table.h"

/* Weak handles, which are not roots, are a group after the kinds of roots. */
enum { ROOTS_WEAK = ROOT_KIND_COUNT, ROOT_GROUPS };

/* Sums over the objects of some roots, each object once. */
struct root_group {
	size_t count; /* roots */
	uint64_t bytes, retained_bytes;
};

/* The `rows` of cells of a ROW_GROUP, whose `data` is the kind of root. */
struct root_groups {
	struct root_group items[ROOT_GROUPS];
	uint64_t *is_first;        /* bits by root: the first of a group for its object */
	uint32_t retained_results; /* results_version of retained_bytes */
};

/* Returns the group of a root; see row_of_root(). */
uint32_t root_group_of(const struct heap *h, uint32_t root);
/* Counts roots and adds up the sizes of their objects; linear in all roots. */
bool root_groups_add_up(struct root_groups *g, const struct heap *h, const uint32_t *roots,
			size_t count, struct error *err) MUST_USE;
/* Adds up retained sizes, unless it has done so for these results or they are unknown. */
void root_groups_add_retained(struct root_groups *g, const struct facts *f);
void root_groups_clear(struct root_groups *g);

#endif
