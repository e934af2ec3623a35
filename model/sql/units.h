#ifndef MODEL_SQL_UNITS_H
#define MODEL_SQL_UNITS_H

/*
 * The kinds of values in the columns of a result. SQLite knows that of a column that comes
 * unchanged from a table. For an expression the text of the query is read: a sum, an average or an
 * extreme of bytes, and sums and differences of these, are bytes, too; everything else is a plain
 * number or text.
 */
#include "model/table/table.h"

/* Returns the enum value_kind that a declared type stands for, "BYTES"; kinds that no column
   declares are VALUE_BLANK. */
unsigned sql_declared_kind(const char *declared);

/* The expressions of a query's first SELECT list, as parts of its text. */
struct sql_expression {
	const char *text;
	size_t len; /* without the name after AS */
};
/* Reads the next name or keyword of a query, without its quotes; *rest moves past it. False: there
   is none. */
bool sql_next_word(const char **rest, struct sql_expression *word);
/* Returns how many it has, at most `max`; 0 if it cannot be told, as for *. */
uint32_t sql_expressions(const char *query, struct sql_expression *out, uint32_t max);
/* Returns VALUE_BYTES or VALUE_BLANK. */
unsigned sql_expression_kind(const struct sql_expression *e);

#endif
