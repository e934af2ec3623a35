#ifndef MODEL_ANALYSIS_STRING_TABLE_H
#define MODEL_ANALYSIS_STRING_TABLE_H

/* Rows of strings_table, for views that open one. */
#include "model/analysis/strings.h"
#include "model/analysis/tables.h"

struct strings_made {
	struct strings *strings;
	const struct string_group *groups; /* array of `strings` */
	uint32_t groups_count;
};

#endif
