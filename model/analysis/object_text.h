#ifndef MODEL_ANALYSIS_OBJECT_TEXT_H
#define MODEL_ANALYSIS_OBJECT_TEXT_H

/*
 * What the string of a row says, where contents are known: the cell has its
 * beginning. Each reads the memory of that one string; any thread may ask.
 */
#include "model/heap/memory.h"
#include "model/table/table.h"

/* As C# writes it; "(not in memory)"; blank: it is no string. */
void object_text_cell(const struct cells *in, const struct row *row,
		      struct value *out);
/* All of it, in `a`; NULL: it is no string, or not in memory. */
const char *object_whole_text(const struct cells *in, const struct row *row,
			      struct arena *a);
#define OBJECT_TEXT LONG_TEXT(object_text_cell, object_whole_text)
/* The value of a field; of a reference to an object without a text its type. */
void object_content_value(const struct facts *f, const struct content *c,
			  struct value *out);

#endif
