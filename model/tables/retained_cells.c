#include "model/tables/retained_cells.h"

#include "model/base/format.h"
#include "model/graph/retention.h"
#include "model/table/root_text.h"

void
retained_row_name(const struct cells *in, const struct row *row, struct value *out)
{
	const struct retained_set *set = row->kind == ROW_OBJECT ? NULL : retained_set_of(row);
	char count[FORMAT_BYTES], bytes[FORMAT_BYTES];

	switch (row->kind) {
	case ROW_TYPE:
		value_printf(out, STYLE_TYPE, "%s × %.300s", format_count(set->count, count),
			     facts_type_name(in->facts, row->type));
		out->also = in->facts->types[row->type].raw;
		break;
	case ROW_GROUP:
		value_printf(out, STYLE_HEADER, "%s object%s%s", format_count(set->count, count),
			     plural(set->count), describe_rootless(in->facts->heap));
		break;
	case ROW_MORE:
		value_printf(out, STYLE_DIM, "… %s more, %s; Enter: %d",
			     format_count(set->count, count), format_size(set->sum.bytes, bytes),
			     SIBLINGS_PAGE);
		break;
	case ROW_NOTE:
		value_printf(out, STYLE_DIM, "… %s more types with %s",
			     format_count(set->count, count), format_size(set->sum.bytes, bytes));
		break;
	case ROW_SKIP:
		value_printf(out, STYLE_DIM, "… %s steps", format_count(set->count, count));
		break;
	default:
		facts_type_cell(in->facts, row->type, out);
		break;
	}
}

bool
retained_row_sum(const struct cells *in, const struct row *row, struct retained_sum *sum)
{
	if (row->kind == ROW_TYPE || row->kind == ROW_GROUP)
		*sum = retained_set_of(row)->sum;
	else if (row->kind == ROW_OBJECT)
		*sum = retained_of(in->facts->retention->retained, row->node);
	else
		return false;
	return true;
}

uint64_t
retained_row_bytes(const struct cells *in, const struct row *row)
{
	struct retained_sum sum;

	return retained_row_sum(in, row, &sum) ? sum.bytes : UINT64_MAX;
}

uint64_t
retained_row_count(const struct cells *in, const struct row *row)
{
	struct retained_sum sum;

	return retained_row_sum(in, row, &sum) ? sum.count : UINT64_MAX;
}
