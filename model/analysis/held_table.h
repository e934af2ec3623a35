#ifndef MODEL_ANALYSIS_HELD_TABLE_H
#define MODEL_ANALYSIS_HELD_TABLE_H

/* Rows of held_table, for views that open one. Its argument HELD_RAW
   counts the parts of collections as objects of their own types. */
#include "model/analysis/held_types.h"
#include "model/analysis/tables.h"

#define HELD_RAW "raw"

struct held_made {
	struct held_types held;
	bool is_of_one; /* there is one holder */
};

#endif
