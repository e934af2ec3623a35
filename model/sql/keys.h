#ifndef MODEL_SQL_KEYS_H
#define MODEL_SQL_KEYS_H

/* Fills the trees of a database that are not filled by SQLite. The file must not be open there. */
#include "model/sql/made.h"

struct sql_roots {            /* numbers of empty root pages; 0: leave it out */
	uint32_t refs;        /* the table, without names of fields */
	uint32_t refs_target; /* indexes */
	uint32_t objects_type;
};

/* `by` has the objects of the heap by type. */
bool sql_fill_trees(int fd, const struct heap *h, const struct sql_by_type *by,
		    const struct sql_roots *roots, struct progress *progress,
		    struct error *err) MUST_USE;
/* Returns whether the names of all types fit into keys. */
bool sql_types_fit(const struct heap *h);

#endif
