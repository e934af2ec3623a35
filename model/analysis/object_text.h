#ifndef MODEL_ANALYSIS_OBJECT_TEXT_H
#define MODEL_ANALYSIS_OBJECT_TEXT_H

/*
 * What the string of a row says, where contents are known: the cell has its
 * beginning. Each reads the memory of that one string; any thread may ask.
 */
#include "model/table/table.h"

/* As C# writes it; "(not in memory)"; blank: it is no string. */
void object_text_cell(const struct cells *in, const struct row *row,
		      struct value *out);
#define OBJECT_TEXT CELL(VALUE_TEXT, object_text_cell)
/* All of it, in `a`; NULL: it is no string, or not in memory. */
const char *object_text_whole(const struct heap *h, node_id n, struct arena *a);

#endif
