#include "tui/tables/retained_cells.h"

#include "model/base/format.h"
#include "tui/session/describe.h"

const struct holding_set *
holding_set_of(const struct view *v, const struct row *row)
{
	const struct holding_sets *sets = v->state;

	return &sets->items[row->data];
}

void
holding_cell_name(const struct view *v, const struct row *row,
		  struct value *out)
{
	char count[FORMAT_BYTES], bytes[FORMAT_BYTES];

	switch (row->kind) {
	case ROW_TYPE:
		value_printf(out, STYLE_TYPE, "%s × %.300s",
			     format_count(holding_set_of(v, row)->count, count),
			     session_type_name(v->session, row->type));
		out->also = v->session->types[row->type].raw;
		break;
	case ROW_GROUP:
		value_printf(out, STYLE_HEADER, "%s object%s%s",
			     format_count(holding_set_of(v, row)->count, count),
			     holding_set_of(v, row)->count == 1 ? "" : "s",
			     describe_rootless(v->session->heap));
		break;
	case ROW_MORE:
		value_printf(
		    out, STYLE_DIM, "… %s more, %s; Enter: %d",
		    format_count(holding_set_of(v, row)->count, count),
		    format_size(holding_set_of(v, row)->sum.bytes, bytes),
		    SIBLINGS_PAGE);
		break;
	case ROW_NOTE:
		value_printf(
		    out, STYLE_DIM, "… %s more types with %s",
		    format_count(holding_set_of(v, row)->count, count),
		    format_size(holding_set_of(v, row)->sum.bytes, bytes));
		break;
	case ROW_SKIP:
		value_printf(
		    out, STYLE_DIM, "… %s steps",
		    format_count(holding_set_of(v, row)->count, count));
		break;
	default:
		view_type_cell(v, row->type, out);
		break;
	}
}

bool
holding_sum_of(const struct view *v, const struct row *row,
	       struct retained_sum *sum)
{
	if (row->kind == ROW_TYPE || row->kind == ROW_GROUP)
		*sum = holding_set_of(v, row)->sum;
	else if (row->kind == ROW_OBJECT)
		*sum = session_retained(v->session, row->node);
	else
		return false;
	return true;
}

void
holding_cell_retained(const struct view *v, const struct row *row,
		      struct value *out)
{
	struct retained_sum sum;

	if (holding_sum_of(v, row, &sum))
		value_bytes(out, sum.bytes);
	else
		value_blank(out);
}

void
holding_cell_share(const struct view *v, const struct row *row,
		   struct value *out)
{
	struct retained_sum sum;

	if (holding_sum_of(v, row, &sum))
		value_share(out, sum.bytes, v->session->heap->bytes_count);
	else
		value_blank(out);
}

void
holding_cell_count(const struct view *v, const struct row *row,
		   struct value *out)
{
	struct retained_sum sum;

	if (holding_sum_of(v, row, &sum))
		value_count(out, sum.count);
	else
		value_blank(out);
}
