#ifndef MODEL_ANALYSIS_GROUP_TABLE_H
#define MODEL_ANALYSIS_GROUP_TABLE_H

/* Rows of groups_table, for views that open one. Its argument is one of grouping_ids or a prefix of
   one. */
#include "model/analysis/groups.h"
#include "model/analysis/tables.h"

struct groups_made {
	struct groups groups;
	char (*names)[GROUP_NAME_BYTES]; /* indexed by group */
	bool has_retained;               /* retained sizes were known */
	bool counts_mine;                /* `set mine`: the sums of `mine` */
	struct mine mine;
};

/* Parses a grouping or a prefix of one; "" means by namespace. */
bool grouping_parse(const char *text, enum grouping *by, struct error *err);

#endif
