#ifndef MODEL_TABLES_DOMINATOR_TABLE_H
#define MODEL_TABLES_DOMINATOR_TABLE_H

/* The table of dominators as a flat list, and where a tree of them begins. */
#include "model/graph/dominated.h"
#include "model/table/table.h"

/* Leaves out the framework's objects, so that those below them take their place; `owners` by type,
   NULL: none is left out. The application's arrays are only listed where nothing of it holds
   them. */
void siblings_choose_mine(struct siblings *s, const uint8_t *owners, bool is_top);
/* Returns the objects that are listed first: those below the subject's object, those of its type,
   or the top level. */
struct siblings siblings_of_subject(const struct dominators *d, const struct subject *about,
				    const uint8_t *owners);
/* Returns true if the subject is the whole heap. */
bool subject_is_all(const struct subject *about);

#endif
