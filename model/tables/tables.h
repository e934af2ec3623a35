#ifndef MODEL_TABLES_TABLES_H
#define MODEL_TABLES_TABLES_H

/* The tables of a heap and of its objects, and the list of all tables. */
#include "model/table/table.h"

extern const struct table dominators_table, fields_table, objects_table, path_table, roots_table,
    snapshot_table, types_table, walks_table;

/*
 * All tables of the model, in the order of :tables, ending with NULL. Queries read those that can
 * list their rows; the columns of all are words of the language of filters. To add a table, add it
 * here.
 */
extern const struct table *const all_tables[];

#endif
