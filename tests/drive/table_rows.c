#include "tests/drive/table_rows.h"
#include "model/graph/reach.h"
#include "model/graph/retention.h"
#include "model/graph/reverse.h"
#include "tests/drive/run_tests.h"

void
computed_begin(struct computed *c, const struct heap *h, unsigned needs)
{
	struct facts *f = &c->facts;
	struct error err = { 0 };

	*f = (struct facts){ .heap = h,
			     .types = h->types,
			     .types_count = h->types_count,
			     .has = NEED_TYPES | NEED_OBJECTS | needs };
	if (needs & (NEED_REACH | NEED_RETAINED)) {
		f->reach = reach_compute(h, true, NULL, &err);
		assert_ok(f->reach, &err);
	}
	if (needs & NEED_RETAINED) {
		f->reverse = reverse_compute(h, NULL, &err);
		assert_ok(f->reverse, &err);
		f->retention =
		    retention_compute(h, f->reverse, f->reach, NULL, UINT64_MAX, NULL, &err);
		assert_ok(f->retention, &err);
	}
}

void
computed_end(struct computed *c)
{
	retention_free(c->facts.retention);
	reverse_free(c->facts.reverse);
	reach_free(c->facts.reach);
}

void
table_rows_make(struct table_rows *r, const struct table *t, const struct facts *f,
		const struct subject *about)
{
	struct progress progress = { 0 };
	struct error err = { 0 };

	*r = (struct table_rows){ .table = t, .cells.facts = f };
	if (table_makes_rows(t)) {
		r->made = memory_new(1, t->rows->made_size, &err);
		assert_ok(r->made && t->rows->make(r->made, f, about, &progress, &err), &err);
	}
	r->cells.rows = r->made;
	r->count = table_rows_count(t, &r->cells);
}

void
table_rows_clear(struct table_rows *r)
{
	if (r->made)
		r->table->rows->clear(r->made);
	memory_free(r->made);
}

void
table_rows_row(const struct table_rows *r, uint32_t item, struct row *out)
{
	assert_true(item < r->count);
	table_row(r->table, &r->cells, item, out);
}

void
table_rows_cell(const struct table_rows *r, uint32_t item, const char *column, struct value *out)
{
	int at = column_by_id(r->table->columns, column);
	struct row row;

	assert_true(at >= 0);
	table_rows_row(r, item, &row);
	table_cell(r->table, &r->cells, &r->table->columns[at], &row, out);
}

uint64_t
table_rows_number(const struct table_rows *r, uint32_t item, const char *column)
{
	struct value v;

	table_rows_cell(r, item, column, &v);
	return v.number;
}

uint64_t
table_rows_sum(const struct table_rows *r, const char *column)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->count; i++)
		sum += table_rows_number(r, i, column);
	return sum;
}
