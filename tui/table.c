#include "tui/table.h"
#include "tui/utf8.h"
#include <string.h>

enum {
	ROWS_MEASURED = 1000, /* for the widths of text columns */
	NAME_MEASURED = 60,   /* a longer name only pushes what is behind it */
	INDENT = 2,
	CLEAN_BYTES = 4 * VALUE_TEXT_BYTES
};

/* --- for programs -------------------------------------------------------- */

static bool
is_text(uint32_t c)
{
	return c >= 0x20 && c != 0x7f && !(c >= 0x80 && c < 0xa0);
}

void
table_print_field(FILE *to, enum table_format format, const char *text)
{
	bool is_quoted = format == TABLE_CSV && strpbrk(text, ",\"");
	size_t used;

	if (is_quoted)
		putc('"', to);
	for (; *text; text += used) {
		uint32_t c = utf8_decode(text, &used);

		if (c == UTF8_BROKEN || !is_text(c)) {
			for (size_t i = 0; i < used; i++)
				fprintf(to, "\\x%02x", (unsigned char)text[i]);
			continue;
		}
		if (c == '"' && is_quoted)
			putc('"', to);
		fwrite(text, 1, used, to);
	}
	if (is_quoted)
		putc('"', to);
}

static void
print_record(FILE *to, const struct view *v, enum table_format format,
	     const struct row *row)
{
	char separator = format == TABLE_CSV ? ',' : '\t';
	char out[VALUE_TEXT_BYTES];
	struct value value;
	bool is_first = true;

	if (v->ops->fold) {
		fprintf(to, "%u", row->depth);
		is_first = false;
	}
	for (const struct column *c = v->ops->columns; c->id; c++) {
		if (!view_has_column(v, c, true))
			continue;
		if (!is_first)
			putc(separator, to);
		is_first = false;
		view_cell(v, c, row, &value);
		table_print_field(to, format, value_for_machines(&value, out));
	}
	putc('\n', to);
}

static void
print_ids(FILE *to, const struct view *v, enum table_format format)
{
	char separator = format == TABLE_CSV ? ',' : '\t';
	bool is_first = true;

	if (v->ops->fold) {
		fputs("depth", to);
		is_first = false;
	}
	for (const struct column *c = v->ops->columns; c->id; c++) {
		if (!view_has_column(v, c, true))
			continue;
		if (!is_first)
			putc(separator, to);
		is_first = false;
		fputs(c->id, to);
	}
	putc('\n', to);
}

static void
print_records(FILE *to, const struct view *v, enum table_format format,
	      uint64_t rows)
{
	struct row row;

	print_ids(to, v, format);
	for (size_t i = 0; i < rows && !ferror(to); i++) {
		v->ops->row(v, i, &row);
		print_record(to, v, format, &row);
	}
}

/* --- for people ---------------------------------------------------------- */

/* The cell as it is printed, harmless; a tree's name with its indent. */
static const char *
cell_text(const struct view *v, const struct column *c, const struct row *row,
	  char clean[CLEAN_BYTES])
{
	char out[VALUE_TEXT_BYTES];
	struct value value;
	int indent = 0;

	view_cell(v, c, row, &value);
	if (v->ops->fold && c->width == FILL)
		indent = row->depth < 100 ? (int)row->depth * INDENT : 200;
	memset(clean, ' ', (size_t)indent);
	text_clean(value_for_people(&value, out), clean + indent,
		   CLEAN_BYTES - (size_t)indent);
	return clean;
}

static void
measure(const struct view *v, uint64_t rows, int widths[COLUMNS_MAX])
{
	char clean[CLEAN_BYTES];
	struct row row;
	int width;

	for (int i = 0; v->ops->columns[i].id; i++)
		widths[i] = text_width(v->ops->columns[i].title);
	for (size_t r = 0; r < rows && r < ROWS_MEASURED; r++) {
		v->ops->row(v, r, &row);
		for (int i = 0; v->ops->columns[i].id; i++) {
			const struct column *c = &v->ops->columns[i];

			if (!view_has_column(v, c, false))
				continue;
			width = text_width(cell_text(v, c, &row, clean));
			if (c->width == FILL && width > NAME_MEASURED)
				width = NAME_MEASURED;
			if (width > widths[i])
				widths[i] = width;
		}
	}
}

static bool
is_last_column(const struct view *v, const struct column *c)
{
	for (c++; c->id; c++)
		if (view_has_column(v, c, false))
			return false;
	return true;
}

static void
print_padded(FILE *to, const struct view *v, const struct column *c, int width,
	     const char *text)
{
	int pad = width - text_width(text);
	bool is_left = c->width <= 0, is_last = is_last_column(v, c);

	if (pad > 0 && !is_left)
		fprintf(to, "%*s", pad, "");
	fputs(text, to);
	if (is_last)
		putc('\n', to);
	else
		fprintf(to, "%*s", 2 + (is_left && pad > 0 ? pad : 0), "");
}

static void
print_text(FILE *to, const struct view *v, uint64_t rows)
{
	int widths[COLUMNS_MAX];
	char clean[CLEAN_BYTES];
	struct row row;

	measure(v, rows, widths);
	for (int i = 0; v->ops->columns[i].id; i++)
		if (view_has_column(v, &v->ops->columns[i], false))
			print_padded(to, v, &v->ops->columns[i], widths[i],
				     v->ops->columns[i].title);
	for (size_t r = 0; r < rows && !ferror(to); r++) {
		v->ops->row(v, r, &row);
		for (int i = 0; v->ops->columns[i].id; i++) {
			const struct column *c = &v->ops->columns[i];

			if (view_has_column(v, c, false))
				print_padded(to, v, c, widths[i],
					     cell_text(v, c, &row, clean));
		}
	}
}

/* "objects 31867": names and plain values. */
static void
print_plain(FILE *to, const struct view *v, uint64_t rows)
{
	char out[VALUE_TEXT_BYTES], clean[CLEAN_BYTES];
	struct value value;
	struct row row;

	for (size_t r = 0; r < rows && !ferror(to); r++) {
		const char *separator = "";

		v->ops->row(v, r, &row);
		for (const struct column *c = v->ops->columns; c->id; c++) {
			if (!view_has_column(v, c, true))
				continue;
			view_cell(v, c, &row, &value);
			text_clean(value_for_machines(&value, out), clean,
				   sizeof clean);
			fprintf(to, "%s%s", separator, clean);
			separator = " ";
		}
		putc('\n', to);
	}
}

static void
print_heading(FILE *to, const struct view *v)
{
	char clean[CLEAN_BYTES], out[VALUE_TEXT_BYTES];
	struct value value;

	if (!(v->ops->flags & VIEW_TELLS) || !v->ops->heading)
		return;
	for (unsigned i = 0; i < HEADING_MAX; i++) {
		if (!v->ops->heading(v, i, &value))
			return;
		fprintf(to, "%s\n",
			text_clean(value_for_people(&value, out), clean,
				   sizeof clean));
	}
}

void
table_print(FILE *to, const struct view *v, enum table_format format,
	    uint64_t rows_max)
{
	uint64_t rows = v->rows_count < rows_max ? v->rows_count : rows_max;

	if (format != TABLE_TEXT) {
		print_records(to, v, format, rows);
		return;
	}
	print_heading(to, v);
	if (v->ops->flags & VIEW_PLAIN)
		print_plain(to, v, rows);
	else if (rows)
		print_text(to, v, rows);
}
