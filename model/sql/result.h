#ifndef MODEL_SQL_RESULT_H
#define MODEL_SQL_RESULT_H

/*
 * The rows of a query's result, as a table: 16 bytes a cell, and texts. A column that comes
 * unchanged from a table keeps its kind of value, and so does a sum, an average or an extreme of
 * one: bytes stay bytes.
 */
#include "model/base/arena.h"
#include "model/table/table.h"

enum sql_type { SQL_NULL, SQL_INTEGER, SQL_REAL, SQL_TEXT };

struct sql_value {
	uint8_t type; /* enum sql_type */
	union {
		int64_t integer;
		double real;
		const char *text;
	};
};

struct sql_result {
	struct column *columns; /* ends with {0} */
	uint32_t columns_count;
	struct sql_value *values; /* row by row */
	size_t rows_count, room;
	/* Columns with addresses of objects, names of types, and names of heaps; -1: none. */
	int address, type, heap;
	struct arena arena;
};

void sql_result_clear(struct sql_result *r);

/* Returns a cell. */
static inline const struct sql_value *
sql_value(const struct sql_result *r, size_t row, uint32_t column)
{
	return &r->values[row * r->columns_count + column];
}

/* Returns the text of a cell, or NULL if it is none or there is no such
   column. */
const char *sql_result_text(const struct sql_result *r, size_t row, int column);

#endif
