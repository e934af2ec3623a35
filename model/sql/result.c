#include "model/sql/result.h"

void
sql_result_clear(struct sql_result *r)
{
	memory_free(r->values);
	arena_clear(&r->arena);
	*r = (struct sql_result){ .address = -1, .type = -1, .heap = -1 };
}

const char *
sql_result_text(const struct sql_result *r, size_t row, int column)
{
	const struct sql_value *v;

	if (column < 0)
		return NULL;
	v = sql_value(r, row, (uint32_t)column);
	return v->type == SQL_TEXT ? v->text : NULL;
}
