#include "tui/table.h"
#include "tui/utf8.h"
#include <string.h>

enum {
	ROWS_MEASURED = 1000, /* for the widths of text columns */
	NAME_MEASURED = 60,   /* a longer name only pushes what is behind it */
	INDENT = 2,
	GAP = 2, /* between columns */
	CLEAN_BYTES = 4 * VALUE_TEXT_BYTES
};

/* --- for programs -------------------------------------------------------- */

/* How many bytes can be written as they are: nearly always all of them. */
static size_t
plain_len(const char *text)
{
	size_t len = 0;

	while (text[len] >= 0x20 && text[len] < 0x7f && text[len] != '"')
		len++;
	return len;
}

static bool
is_control(uint32_t c)
{
	return c == UTF8_BROKEN || c < 0x20 || (c >= 0x7f && c < 0xa0);
}

void
table_print_field(FILE *to, enum table_format format, const char *text)
{
	bool is_quoted = format == TABLE_CSV && strpbrk(text, ",\"");
	size_t used;

	if (is_quoted)
		putc_unlocked('"', to);
	for (; *text; text += used) {
		used = plain_len(text);
		if (used) {
			fwrite(text, 1, used, to);
			continue;
		}
		if (is_control(utf8_decode(text, &used))) {
			for (size_t i = 0; i < used; i++)
				fprintf(to, "\\x%02x", (unsigned char)text[i]);
			continue;
		}
		if (*text == '"' && is_quoted)
			putc_unlocked('"', to);
		fwrite(text, 1, used, to);
	}
	if (is_quoted)
		putc_unlocked('"', to);
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
			putc_unlocked(separator, to);
		is_first = false;
		view_cell(v, c, row, &value);
		table_print_field(to, format, value_for_machines(&value, out));
	}
	putc_unlocked('\n', to);
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
			putc_unlocked(separator, to);
		is_first = false;
		fputs(c->id, to);
	}
	putc_unlocked('\n', to);
}

static void
print_records(FILE *to, const struct view *v, enum table_format format,
	      uint64_t rows)
{
	struct row row;

	print_ids(to, v, format);
	for (size_t i = 0; i < v->rows_count && rows && !ferror(to); i++) {
		v->ops->row(v, i, &row);
		/* Headings of groups are for people. */
		if (row.kind == ROW_GROUP)
			continue;
		print_record(to, v, format, &row);
		rows--;
	}
}

/* --- for people ---------------------------------------------------------- */

/* Harmless, and as the terminal can show it. */
static const char *
clean_text(enum table_format format, const char *text, char *out,
	   size_t out_size)
{
	if (format == TABLE_ASCII)
		return text_to_ascii(text, out, out_size);
	return text_clean(text, out, out_size);
}

/* The cell as it is printed; a tree's name with its indent. */
static const char *
cell_text(const struct view *v, enum table_format format,
	  const struct column *c, const struct row *row,
	  char clean[CLEAN_BYTES])
{
	char out[VALUE_TEXT_BYTES];
	struct value value;
	int indent = 0;

	view_cell(v, c, row, &value);
	if (v->ops->fold && c->width == FILL)
		indent = row->depth < 100 ? (int)row->depth * INDENT : 200;
	memset(clean, ' ', (size_t)indent);
	/* Where nobody can open the row it shall not look like an end. */
	if (v->ops->fold && c->width == FILL && row->fold == FOLD_CLOSED) {
		clean[indent++] = '+';
		clean[indent++] = ' ';
	}
	clean_text(format, value_for_people(&value, out), clean + indent,
		   CLEAN_BYTES - (size_t)indent);
	return clean;
}

static void
measure(const struct view *v, enum table_format format, uint64_t rows,
	int widths[COLUMNS_MAX])
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
			width =
			    text_width(cell_text(v, format, c, &row, clean));
			if (c->width == FILL && width > NAME_MEASURED)
				width = NAME_MEASURED;
			if (width > widths[i])
				widths[i] = width;
		}
	}
}

/* A line without blanks at its end: they are owed until text follows. */
struct text_line {
	FILE *to;
	int owed; /* blanks */
};

static void
line_add(struct text_line *l, const struct column *c, int width,
	 const char *text)
{
	int pad = width - text_width(text);
	bool is_left = c->width <= 0;

	if (pad < 0)
		pad = 0;
	if (*text) {
		fprintf(l->to, "%*s%s", l->owed + (is_left ? 0 : pad), "",
			text);
		l->owed = is_left ? pad : 0;
	} else {
		l->owed += pad;
	}
	l->owed += GAP;
}

static void
print_titles(FILE *to, const struct view *v, enum table_format format,
	     const int widths[COLUMNS_MAX])
{
	struct text_line line = { to, 0 };
	char clean[CLEAN_BYTES];

	for (int i = 0; v->ops->columns[i].id; i++) {
		const struct column *c = &v->ops->columns[i];

		if (view_has_column(v, c, false))
			line_add(
			    &line, c, widths[i],
			    clean_text(format, c->title, clean, sizeof clean));
	}
	putc_unlocked('\n', to);
}

static void
print_row(FILE *to, const struct view *v, enum table_format format,
	  const int widths[COLUMNS_MAX], const struct row *row)
{
	struct text_line line = { to, 0 };
	char clean[CLEAN_BYTES];

	for (int i = 0; v->ops->columns[i].id; i++) {
		const struct column *c = &v->ops->columns[i];

		if (view_has_column(v, c, false))
			line_add(&line, c, widths[i],
				 cell_text(v, format, c, row, clean));
	}
	putc_unlocked('\n', to);
}

static void
print_text(FILE *to, const struct view *v, enum table_format format,
	   uint64_t rows)
{
	int widths[COLUMNS_MAX] = { 0 };
	struct row row;

	measure(v, format, rows, widths);
	print_titles(to, v, format, widths);
	for (size_t r = 0; r < rows && !ferror(to); r++) {
		v->ops->row(v, r, &row);
		print_row(to, v, format, widths, &row);
	}
}

/* "objects 31867": names and plain values. */
static void
print_plain(FILE *to, const struct view *v, enum table_format format,
	    uint64_t rows)
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
			clean_text(format, value_for_machines(&value, out),
				   clean, sizeof clean);
			fprintf(to, "%s%s", separator, clean);
			separator = " ";
		}
		putc_unlocked('\n', to);
	}
}

static void
print_heading(FILE *to, const struct view *v, enum table_format format)
{
	char clean[CLEAN_BYTES], out[VALUE_TEXT_BYTES];
	struct value value;

	if (!(v->ops->flags & VIEW_TELLS) || !v->ops->heading)
		return;
	for (unsigned i = 0; i < HEADING_MAX; i++) {
		if (!v->ops->heading(v, i, &value))
			return;
		fprintf(to, "%s\n",
			clean_text(format, value_for_people(&value, out), clean,
				   sizeof clean));
	}
}

void
table_print(FILE *to, const struct view *v, enum table_format format,
	    uint64_t rows_max)
{
	uint64_t rows = v->rows_count < rows_max ? v->rows_count : rows_max;

	if (format >= TABLE_CSV) {
		print_records(to, v, format, rows);
		return;
	}
	print_heading(to, v, format);
	if (v->ops->flags & VIEW_PLAIN)
		print_plain(to, v, format, rows);
	else if (rows)
		print_text(to, v, format, rows);
}
