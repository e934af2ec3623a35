#include "tests/drive/lists.h"
#include "tests/drive/run_tests.h"
#include "model/analysis/groups.h"
#include <inttypes.h>
#include <string.h>

const struct view *
list_open(struct app *app, const char *line)
{
	struct error err = { 0 };

	if (!app_command(app, line, &err))
		fail_msg("%s: %s", line, err.message);
	app_poll(app);
	return app_view(app);
}

struct type_sum *
list_new_sums(const struct view *v)
{
	struct error err = { 0 };
	struct type_sum *sums =
	    memory_new((size_t)v->session->heap->types_count + 1, sizeof *sums, &err);

	assert_non_null(sums);
	return sums;
}

void
list_sum_objects(const struct view *v, struct type_sum *sums)
{
	struct row row;

	for (size_t i = 0; i < v->rows_count; i++) {
		view_row(v, i, &row);
		if (row.node == NODE_NONE)
			continue;
		sums[row.type].count++;
		sums[row.type].bytes += heap_size(v->session->heap, row.node);
	}
}

static uint64_t
number_in(const struct view *v, const char *column, const struct row *row)
{
	int i = column_by_id(v->ops->table->columns, column);
	struct value value;

	assert_true(i >= 0);
	view_cell(v, &v->ops->table->columns[i], row, &value);
	return value.number;
}

void
list_read_sums(const struct view *v, struct type_sum *sums)
{
	struct row row;

	for (size_t i = 0; i < v->rows_count; i++) {
		view_row(v, i, &row);
		sums[row.type].count = number_in(v, "count", &row);
		sums[row.type].bytes = number_in(v, "size", &row);
	}
}

void
list_expect_same(const struct view *v, const char *line, const struct type_sum *are,
		 const struct type_sum *should_be)
{
	const struct heap *h = v->session->heap;

	for (type_id t = 0; t < h->types_count; t++)
		if (are[t].count != should_be[t].count || are[t].bytes != should_be[t].bytes)
			fail_msg("%s: %" PRIu64 " of %s with %" PRIu64 " bytes, not %" PRIu64
				 " with %" PRIu64,
				 line, are[t].count, h->types[t].name, are[t].bytes,
				 should_be[t].count, should_be[t].bytes);
}

size_t
list_expect_stat(struct app *app, const char *line)
{
	const struct view *v = list_open(app, line);
	struct type_sum *listed = list_new_sums(v), *told = list_new_sums(v);
	size_t rows = v->rows_count;
	char stat[200];

	list_sum_objects(v, listed);
	snprintf(stat, sizeof stat, "%s -stat", line);
	v = list_open(app, stat);
	list_read_sums(v, told);
	list_expect_same(v, stat, told, listed);
	memory_free(listed);
	memory_free(told);
	return rows;
}

void
app_commands(struct app *app, const char *commands)
{
	struct error err = { 0 };
	struct script s;

	script_init(&s, commands);
	if (!app_script(app, &s, &err))
		fail_msg("%s: %s", commands, err.message);
}
