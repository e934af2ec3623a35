#include "model/table/table_writer_records.h"
#include "model/base/text.h"
#include "model/table/column_choice.h"
#include <string.h>

enum {
	ROWS_MEASURED = 1000, /* for the widths of text columns */
	INDENT = 2,
	GAP = 2,       /* between columns */
	NAME_MIN = 22, /* names keep this while columns are dropped */
	WORD_MIN = 8,  /* other texts keep this */
	CLEAN_BYTES = 4 * VALUE_TEXT_BYTES
};

/* --- for people ---------------------------------------------------------- */

/* Replaces control characters; for ASCII, all characters outside it. */
static const char *
clean_text(enum table_format format, const char *text, char *out, size_t out_size)
{
	if (format == TABLE_ASCII)
		return text_to_ascii(text, out, out_size);
	return text_clean(text, out, out_size);
}

/* Returns the cell as printed; a tree's name includes its indent. */
static const char *
cell_text(const struct listing *l, enum table_format format, const struct column *c,
	  const struct row *row, char clean[CLEAN_BYTES])
{
	char out[VALUE_TEXT_BYTES];
	struct value value;
	int indent = 0;

	listing_cell(l, c, row, &value);
	if (l->is_tree && c->width == FILL)
		indent = row->depth < 100 ? (int)row->depth * INDENT : 200;
	memset(clean, ' ', (size_t)indent);
	/* Mark closed rows, which cannot be opened in text, as incomplete. */
	if (l->is_tree && c->width == FILL && row->fold == FOLD_CLOSED) {
		clean[indent++] = '+';
		clean[indent++] = ' ';
	}
	clean_text(format, value_for_people(&value, out), clean + indent,
		   CLEAN_BYTES - (size_t)indent);
	return clean;
}

static int
larger(int a, int b)
{
	return a > b ? a : b;
}

static void
measure(const struct table_writer *t, const struct listing *l, uint64_t rows,
	int widths[COLUMNS_MAX])
{
	char clean[CLEAN_BYTES];
	struct row row;
	int width;

	for (int i = 0; i < t->columns_count; i++)
		widths[i] = larger(text_width(t->columns[i]->title), t->widths[i]);
	for (size_t r = t->rows_first; r < rows && r - t->rows_first < ROWS_MEASURED; r++) {
		listing_row(l, r, &row);
		for (int i = 0; i < t->columns_count; i++) {
			const struct column *c = t->columns[i];

			width = text_width(cell_text(l, t->format, c, &row, clean));
			if (width > widths[i])
				widths[i] = width;
		}
	}
}

/* A line without trailing blanks: they are written when text follows. */
struct text_line {
	FILE *to;
	int owed; /* blanks */
};

static void
line_add(struct text_line *l, const struct column *c, int width, const char *text)
{
	int pad = width - text_width(text);
	bool is_left = c->width <= 0;

	if (pad < 0)
		pad = 0;
	if (*text) {
		/* fprintf() took a sixth of the time of a list. */
		for (int n = l->owed + (is_left ? 0 : pad); n > 0; n--)
			putc_unlocked(' ', l->to);
		fputs(text, l->to);
		l->owed = is_left ? pad : 0;
	} else {
		l->owed += pad;
	}
	l->owed += GAP;
}

/* Returns whether the column is printed below its row. */
static bool
is_below(const struct table_writer *t, int i)
{
	return t->has_below && t->columns[i]->flags & COLUMN_BELOW;
}

static void
print_titles(FILE *to, const struct table_writer *t, const int widths[COLUMNS_MAX])
{
	struct text_line line = { to, 0 };
	char clean[CLEAN_BYTES];

	for (int i = 0; i < t->columns_count; i++)
		if (!is_below(t, i))
			line_add(&line, t->columns[i], widths[i],
				 clean_text(t->format, t->columns[i]->title, clean, sizeof clean));
	putc_unlocked('\n', to);
}

static bool
is_too_long(const struct table_writer *t, const struct column *c, int width, const char *text)
{
	/* Numbers are never cut. */
	return t->line_max && c->width <= 0 && text_width(text) > width;
}

/* Prints the lines below a row: the rest of its name, and the columns that have no room beside
   it. */
static void
print_below(FILE *to, const struct table_writer *t, const struct listing *l, const struct row *row,
	    int indent, const char *rest)
{
	char text[CLEAN_BYTES] = "", clean[CLEAN_BYTES], piece[CLEAN_BYTES];
	size_t len = strlen(rest);

	memcpy(clean, rest, len + 1);
	for (int i = 0; i < t->columns_count; i++)
		if (is_below(t, i))
			listing_add_below(l, t->columns[i], row, text, sizeof text);
	if (len && *text)
		clean[len++] = ' ';
	clean_text(t->format, text, clean + len, sizeof clean - len);
	for (int n = 0; text_line(clean, t->line_max - indent, n, piece, sizeof piece); n++)
		fprintf(to, "%*s%s\n", indent, "", piece);
}

/* Writes the first line of a name to `cut`. Returns the rest of the name. */
static const char *
break_name(const char *name, int width, char cut[CLEAN_BYTES])
{
	text_line(name, width, 0, cut, CLEAN_BYTES);
	name += strlen(cut);
	return name + strspn(name, " ");
}

static void
print_row(FILE *to, const struct table_writer *t, const struct listing *l,
	  const int widths[COLUMNS_MAX], const struct row *row)
{
	char clean[CLEAN_BYTES], cut[CLEAN_BYTES], shown[CLEAN_BYTES], rest[CLEAN_BYTES] = "";
	struct text_line line = { to, 0 };
	int at = 0, name_at = 0;

	for (int i = 0; i < t->columns_count; i++) {
		const struct column *c = t->columns[i];
		const char *text;

		if (is_below(t, i))
			continue;
		text = cell_text(l, t->format, c, row, clean);
		if (c->width == FILL)
			name_at = at;
		at += widths[i] + GAP;
		if (!is_too_long(t, c, widths[i], text)) {
			line_add(&line, c, widths[i], text);
			continue;
		}
		if (c->width == FILL && t->has_below)
			strcpy(rest, break_name(text, widths[i], cut));
		else
			text_fit(text, widths[i], cut, sizeof cut);
		line_add(&line, c, widths[i], clean_text(t->format, cut, shown, sizeof shown));
	}
	putc_unlocked('\n', to);
	if (t->has_below)
		print_below(to, t, l, row, name_at, rest);
}

static int
line_width(const struct table_writer *t, const int widths[COLUMNS_MAX])
{
	int width = -GAP;

	for (int i = 0; i < t->columns_count; i++)
		width += is_below(t, i) ? 0 : widths[i] + GAP;
	return width;
}

/* Narrow columns to fit the line, names first as they are the longest, and no more than
   necessary. */
static void
narrow(const struct table_writer *t, int widths[COLUMNS_MAX])
{
	int over = line_width(t, widths) - t->line_max;

	for (int pass = 0; t->line_max && pass < 2; pass++)
		for (int i = t->columns_count - 1; i >= 0 && over > 0; i--) {
			const struct column *c = t->columns[i];
			int spare = widths[i] - (pass ? WORD_MIN : NAME_MIN);

			if (c->width > 0 || (!pass && c->width != FILL) || is_below(t, i) ||
			    spare <= 0)
				continue;
			spare = spare < over ? spare : over;
			widths[i] -= spare;
			over -= spare;
		}
}

/* Returns the last column of the highest rank; -1: the others must stay. */
static int
column_to_drop(const struct table_writer *t)
{
	int drop = -1;

	for (int i = 0; i < t->columns_count; i++)
		if (t->columns[i]->rank && t->columns[i]->width != FILL && !is_below(t, i) &&
		    (drop < 0 || t->columns[i]->rank >= t->columns[drop]->rank))
			drop = i;
	return drop;
}

static bool
has_column_below(const struct table_writer *t)
{
	for (int i = 0; i < t->columns_count; i++)
		if (t->columns[i]->flags & COLUMN_BELOW)
			return true;
	return false;
}

static uint64_t
rows_end(const struct table_writer *t, const struct listing *l)
{
	uint64_t rows = l->count;

	if (rows > t->rows_first && rows - t->rows_first > t->rows_max)
		rows = t->rows_first + t->rows_max;
	return rows;
}

void
table_writer_fit(struct table_writer *t, const struct listing *l, int line_max, char *out,
		 size_t out_size)
{
	int needed[COLUMNS_MAX] = { 0 }, widths[COLUMNS_MAX], drop;
	size_t used = 0;

	*out = '\0';
	t->line_max = line_max;
	if (t->is_chosen || t->is_plain)
		return;
	measure(t, l, rows_end(t, l), needed);
	t->has_below = line_width(t, needed) > line_max && has_column_below(t);
	for (;;) {
		memcpy(widths, needed, sizeof widths);
		narrow(t, widths);
		drop = column_to_drop(t);
		if (line_width(t, widths) <= line_max || drop < 0)
			return;
		if (used < out_size)
			used += (size_t)snprintf(out + used, out_size - used, "%s%s",
						 used ? ", " : "", t->columns[drop]->id);
		t->columns_count--;
		for (int i = drop; i < t->columns_count; i++) {
			t->columns[i] = t->columns[i + 1];
			needed[i] = needed[i + 1];
		}
	}
}

static void
print_text(FILE *to, const struct table_writer *t, const struct listing *l, uint64_t rows)
{
	int widths[COLUMNS_MAX] = { 0 };
	struct row row;

	measure(t, l, rows, widths);
	narrow(t, widths);
	print_titles(to, t, widths);
	for (size_t r = t->rows_first; r < rows && table_continues(to, t, r); r++) {
		listing_row(l, r, &row);
		print_row(to, t, l, widths, &row);
	}
}

/* Prints a whole sentence; on a terminal it is broken at blanks. */
static void
print_sentence(FILE *to, const struct table_writer *t, const char *text)
{
	char piece[CLEAN_BYTES];

	if (!t->line_max || text_width(text) <= t->line_max) {
		fprintf(to, "%s\n", text);
		return;
	}
	for (int n = 0; text_line(text, t->line_max, n, piece, sizeof piece); n++)
		fprintf(to, "%s\n", piece);
}

/* Prints lines such as "objects 31867". */
static void
print_plain(FILE *to, const struct table_writer *t, const struct listing *l, uint64_t rows)
{
	char out[VALUE_TEXT_BYTES], line[2 * CLEAN_BYTES];
	struct value value;
	struct row row;

	for (size_t r = 0; r < rows && table_continues(to, t, r); r++) {
		size_t used = 0;

		listing_row(l, r, &row);
		for (int i = 0; i < t->columns_count; i++) {
			listing_cell(l, t->columns[i], &row, &value);
			if (used && used + 1 < sizeof line)
				line[used++] = ' ';
			clean_text(t->format, value_for_machines(&value, out), line + used,
				   sizeof line - used);
			used += strlen(line + used);
		}
		line[used] = '\0';
		print_sentence(to, t, line);
	}
}

static void
print_sentences(FILE *to, const struct table_writer *t, const struct listing *l,
		table_sentence *sentence, const char *lead)
{
	char clean[CLEAN_BYTES], out[VALUE_TEXT_BYTES];
	struct value value;

	for (unsigned i = 0; sentence && sentence(l->context, i, &value); i++) {
		fputs(i ? "" : lead, to);
		print_sentence(
		    to, t,
		    clean_text(t->format, value_for_people(&value, out), clean, sizeof clean));
	}
}

/* --- which columns -------------------------------------------------------- */

static bool
shows(const struct table_writer *t, const struct listing *l, const struct column *c,
      bool for_machines)
{
	return t->shows ? t->shows(l->context, c, for_machines)
			: listing_has_column(l, c, for_machines);
}

static bool
choose_all(struct table_writer *t, const struct listing *l)
{
	for (const struct column *c = l->table->columns; c->id; c++)
		if (t->columns_count < COLUMNS_MAX && shows(t, l, c, t->format >= TABLE_CSV))
			t->columns[t->columns_count++] = c;
	return true;
}

static bool
unknown_column(const struct table_writer *t, const struct listing *l, const char *id, size_t len,
	       struct error *err)
{
	char all[400] = "", meant[COLUMN_SUGGESTION_BYTES];
	size_t used = 0;

	for (const struct column *c = l->table->columns; c->id; c++)
		if ((shows(t, l, c, true) || shows(t, l, c, false)) &&
		    used + strlen(c->id) + 2 < sizeof all)
			used += (size_t)snprintf(all + used, sizeof all - used, " %s", c->id);
	return error_set(err, ERROR_USAGE, "%s has no column \"%.*s\"%s; it has%.300s", l->name,
			 len < 40 ? (int)len : 40, id,
			 column_choice_suggest(l->table, id, len, meant), all);
}

/* Chooses the columns of the list, in its order. */
static bool
choose_some(struct table_writer *t, const struct listing *l, const char *ids, struct error *err)
{
	struct column_choice c;

	while (column_choice_next(&ids, l->table, &c, err)) {
		if (c.column < 0 || t->columns_count == COLUMNS_MAX)
			return unknown_column(t, l, c.id, c.id_len, err);
		t->widths[t->columns_count] = c.width;
		t->columns[t->columns_count++] = &l->table->columns[c.column];
	}
	if (err->kind != ERROR_NONE)
		return false;
	return t->columns_count || error_set(err, ERROR_USAGE, "--columns names no column");
}

bool
table_writer_choose(struct table_writer *t, const struct listing *l, const char *columns,
		    struct error *err)
{
	t->of = l->table;
	t->is_chosen = columns != NULL;
	t->columns_count = 0;
	return columns ? choose_some(t, l, columns, err) : choose_all(t, l);
}

uint64_t
table_writer_print(FILE *to, const struct table_writer *t, const struct listing *l,
		   const struct table_origin *origin)
{
	uint64_t rows = rows_end(t, l);

	if (t->format >= TABLE_CSV)
		return table_print_records(to, t, l, origin, rows);
	print_sentences(to, t, l, t->before, "");
	if (t->is_plain)
		print_plain(to, t, l, rows);
	else if (rows) {
		print_text(to, t, l, rows);
		print_sentences(to, t, l, t->behind, "\n");
	}
	return rows;
}
