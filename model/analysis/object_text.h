#ifndef MODEL_ANALYSIS_OBJECT_TEXT_H
#define MODEL_ANALYSIS_OBJECT_TEXT_H

/* The text of a row's string, if contents are known. Reads the memory of that one string; any
   thread may call these. */
#include "model/heap/memory.h"
#include "model/table/table.h"

/* Writes the beginning of the text as a C# literal, "(not in memory)", or nothing if it is not a
   string. */
void object_text_cell(const struct cells *in, const struct row *row, struct value *out);
/* Returns the text in `a`, or NULL if it is not a string or not in memory. */
const char *object_whole_text(const struct cells *in, const struct row *row, struct arena *a);
#define OBJECT_TEXT LONG_TEXT(object_text_cell, object_whole_text)
/* Writes the value of a field. A reference to an object without a text shows its type. */
void object_content_value(const struct facts *f, const struct content *c, struct value *out);

#endif
