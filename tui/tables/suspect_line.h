#ifndef TUI_TABLES_SUSPECT_LINE_H
#define TUI_TABLES_SUSPECT_LINE_H

/* A finding as one line. */
#include "model/analysis/finding_text.h"

/* Writes the sentence. If it is wider than that, leaves out namespaces, then the last clauses of
   the reason, or who keeps the objects. */
const char *suspect_line(const struct facts *facts, const struct finding *f, int width,
			 char out[FINDING_TEXT_BYTES]);

#endif
