#ifndef TUI_TABLES_SUBJECT_TITLE_H
#define TUI_TABLES_SUBJECT_TITLE_H

/* The title of a view that is about an object or a type. */
#include "tui/widget/view.h"

/*
 * Sets the title to these words and the name of the target's object, or else of its type: "paths
 * List<int> 7fe01c001d70". Without either the title stays.
 */
void subject_title(struct view *v, const char *words);

#endif
