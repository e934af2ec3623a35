#ifndef MODEL_SQL_SNAPSHOT_TABLE_H
#define MODEL_SQL_SNAPSHOT_TABLE_H

/* One row for each heap of a query: where and when it was taken, and what it holds. */
#include "model/table/table.h"

extern const struct table snapshot_table;

#endif
