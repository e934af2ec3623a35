#ifndef MODEL_ANALYSIS_GROUP_TABLE_H
#define MODEL_ANALYSIS_GROUP_TABLE_H

/*
 * The rows of groups_table, for views that open one. Its argument is one of
 * grouping_ids, or the beginning of one.
 */
#include "model/analysis/groups.h"
#include "model/analysis/tables.h"

struct groups_made {
	struct groups groups;
	char (*names)[GROUP_NAME_BYTES]; /* one a group */
	bool has_retained;               /* retained sizes were there */
};

/* "": by namespace. */
bool grouping_parse(const char *text, enum grouping *by, struct error *err);

#endif
