#include "tui/widget/drawn_cell.h"
#include "tui/widget/ignored_row.h"
#include "tui/widget/name_cut.h"
#include <string.h>

const char *
drawn_ends(const char *text, char out[VALUE_TEXT_BYTES])
{
	size_t len = strlen(text), half = VALUE_TEXT_BYTES / 2 - 4;

	if (len <= 4 * VALUE_TEXT_BYTES)
		return text;
	snprintf(out, VALUE_TEXT_BYTES, "%.*s…%s", (int)half, text, text + len - half);
	return out;
}

/* Reads the cell of any row; false if there is no such row. */
static bool
read_cell(const struct view *v, const struct column *c, size_t index, struct value *out)
{
	struct row row;

	if (index >= v->rows_count)
		return false;
	view_row(v, index, &row);
	view_cell(v, c, &row, out);
	return true;
}

static const char *
unfolded_text(const struct view *v, const struct column *c, size_t index, struct value *value,
	      char out[VALUE_TEXT_BYTES])
{
	return read_cell(v, c, index, value) ? drawn_ends(value_for_people(value, out), out) : "";
}

static bool
is_on_its_way(const struct view *v, const struct value *value)
{
	return value->kind == VALUE_PENDING && (view_is_busy(v) || session_job(v->session));
}

const char *
drawn_text(const struct view *v, const struct column *c, size_t index, const struct value *value,
	   char out[VALUE_TEXT_BYTES])
{
	const char *text = drawn_ends(value_for_people(value, out), out);
	char room[2][VALUE_TEXT_BYTES];
	const char *folded = NULL;
	struct value beside[2];

	if (is_on_its_way(v, value))
		return "…";
	if (v->session->folds_names && value->kind == VALUE_TEXT && value->style == STYLE_TYPE &&
	    text != out && strchr(text, '<'))
		folded = name_fold_apart(text, unfolded_text(v, c, index - 1, &beside[0], room[0]),
					 unfolded_text(v, c, index + 1, &beside[1], room[1]), out,
					 VALUE_TEXT_BYTES);
	return folded ? folded : text;
}

const char *
drawn_text_of(const struct view *v, const struct column *c, size_t index, struct value *value,
	      char out[VALUE_TEXT_BYTES])
{
	return read_cell(v, c, index, value) ? drawn_text(v, c, index, value, out) : "";
}

const char *
drawn_below(const struct view *v, const struct row *row, char out[DRAWN_BELOW_BYTES])
{
	const struct column *columns = v->ops->table->columns;
	const struct listing l = view_listing(v);

	*out = '\0';
	for (int i = 0; columns[i].id; i++)
		if (columns[i].flags & COLUMN_BELOW && !v->widths[i] &&
		    view_has_column(v, &columns[i], false))
			listing_add_below(&l, &columns[i], row, out, DRAWN_BELOW_BYTES);
	return out;
}

int
drawn_below_indent(const struct view *v)
{
	int indent = 0;

	for (int n = 0; n < v->order_count; n++) {
		int i = v->order[n];

		if (v->ops->table->columns[i].width == FILL)
			break;
		if (v->widths[i])
			indent += v->widths[i] + COLUMN_GAP;
	}
	return indent && indent < v->area.width / 2 ? indent : DRAWN_INDENT;
}

int
drawn_indent(const struct view *v, const struct row *row, int width)
{
	int most = width / 2, indent;

	if (!view_code(v->ops)->tree)
		return 0;
	/* Indent deep rows no further, so that their names stay readable; the depth is drawn as a
	   number. */
	indent = row->depth > (uint32_t)most ? most : (int)row->depth * DRAWN_INDENT;
	return (indent > most ? most : indent) + DRAWN_MARK;
}

bool
drawn_as_marked(const struct view *v, const struct row *row)
{
	const struct marks *marks = v->session ? &v->session->marks : NULL;

	return marks && marks_find(marks, row->node, row->type);
}

bool
drawn_as_ignored(const struct view *v, const struct row *row)
{
	return v->session && ignored_row_is(v, row);
}

int
drawn_marks_width(const struct view *v, const struct row *row)
{
	return DRAWN_MARK * (drawn_as_marked(v, row) + drawn_as_ignored(v, row));
}
