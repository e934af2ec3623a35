/* The sum of a view's rows, in a line above them; in text output, after
   them. */
#include "model/base/format.h"
#include "tui/widget/view.h"

static bool
add_column(const struct view *v, const struct column *c, struct view_sum *sum)
{
	struct value value;
	struct row row;

	for (size_t i = 0; i < v->rows_count; i++) {
		view_row(v, i, &row);
		view_cell(v, c, &row, &value);
		if (value.kind == VALUE_COUNT)
			sum->count += value.number;
		else if (value.kind == VALUE_BYTES)
			sum->bytes += value.number;
		else if (value.kind == VALUE_SHARE)
			sum->whole = value.whole;
		else
			return false;
	}
	return true;
}

void
view_sum_up(struct view *v)
{
	v->sum = (struct view_sum){ 0 };
	for (const struct column *c = v->ops->table->columns; c->id; c++)
		if (c->flags & COLUMN_ADDS && !add_column(v, c, &v->sum)) {
			v->sum = (struct view_sum){ 0 };
			return;
		}
}

/* Writes "3 of 163 types, 1,234 objects, 585,938 B". */
static int
describe_rows(const struct view *v, char *out, size_t out_size)
{
	const char *title = table_name_column(v->ops->table)->title;
	char shown[FORMAT_BYTES], all[FORMAT_BYTES], count[FORMAT_BYTES], bytes[FORMAT_BYTES];
	bool is_filtered = v->shown.filter != NULL;

	return snprintf(out, out_size, "%s%s%s %c%s%s, %s object%s, %s",
			format_count(v->rows_count, shown), is_filtered ? " of " : "",
			is_filtered ? format_count(v->items_count, all) : "", *title | 0x20,
			title + 1, plural(is_filtered ? v->items_count : v->rows_count),
			format_count(v->sum.count, count), plural(v->sum.count),
			format_size(v->sum.bytes, bytes));
}

bool
view_describe_sum(const struct view *v, struct value *out)
{
	const struct heap *h = v->session->heap;
	/* Estimates add up to the estimate of the whole. */
	uint64_t all = h && !h->info.is_sampled ? h->bytes_count : v->sum.whole;
	bool is_part = v->sum.whole != all;
	char rows[200], share[FORMAT_BYTES], whole[FORMAT_BYTES];

	if (v->is_waiting || !v->sum.count || !v->sum.whole ||
	    (!v->shown.filter && (!is_part || view_own_heading(v, 0, out))))
		return false;
	describe_rows(v, rows, sizeof rows);
	if (!v->shown.filter)
		value_printf(out, STYLE_DIM, "%s, %s of the heap; Share is of these", rows,
			     format_share(v->sum.bytes, all, share));
	else if (is_part || !h)
		value_printf(out, STYLE_DIM, "%s, %s of the %s without the filter", rows,
			     format_share(v->sum.bytes, v->sum.whole, share),
			     format_size(v->sum.whole, whole));
	else
		value_printf(out, STYLE_DIM, "%s, %s of the heap", rows,
			     format_share(v->sum.bytes, all, share));
	return true;
}

bool
view_has_heading(const struct view *v)
{
	return view_code(v->ops)->heading || v->ops->table->heading;
}

bool
view_own_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct table *t = v->ops->table;
	struct facts facts;
	struct cells in;

	if (!view_has_heading(v))
		return false;
	if (view_makes_rows(v->ops) && !v->made) {
		value_pending(out);
		return line == 0 && !t->rows->is_quick;
	}
	if (view_code(v->ops)->heading)
		return view_code(v->ops)->heading(v, line, out);
	in = view_cells(v, &facts);
	return t->heading(&in, line, out);
}

bool
view_heading(const struct view *v, unsigned line, struct value *out)
{
	if (view_own_heading(v, line, out))
		return true;
	return (!line || view_own_heading(v, line - 1, out)) && view_describe_sum(v, out);
}
