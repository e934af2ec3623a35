#include "tui/cli/gc_lines.h"
#include "model/gc/table.h"
#include "tui/cli/gc_json.h"
#include "model/gc/text.h"
#include "model/table/table_writer_records.h"
#include "model/base/text.h"
#include <errno.h>

enum {
	TITLES_EVERY = 40, /* lines, so that a screen always shows the titles */
	CLEAN_BYTES = 4 * VALUE_TEXT_BYTES,
	GAP = 2,
	LARGEST = 1 << 30, /* format all sizes as MiB with a decimal */
};

bool
gc_lines_init(struct gc_lines *l, FILE *to, FILE *notes, enum table_format format,
	      const char *columns, struct error *err)
{
	const struct listing lines = { .table = &gc_table, .name = "gcs" };
	const struct listing parts = { .table = &gc_part_table, .name = "gc" };

	*l = (struct gc_lines){ .to = to,
				.notes = notes,
				.rows_max = UINT64_MAX,
				.table.format = format,
				.parts.format = format };
	if (format == TABLE_MD)
		return error_set(err, ERROR_USAGE,
				 "-g has no end, but a Markdown table needs one; use --csv, --tsv "
				 "or --json");
	return table_writer_choose(&l->table, &lines, columns, err) &&
	       table_writer_choose(&l->parts, &parts, NULL, err) && gc_log_init(&l->log, err);
}

void
gc_lines_clear(struct gc_lines *l)
{
	gc_log_clear(&l->log);
}

/* --- columns ------------------------------------------------------------- */

static bool
is_for_people(const struct gc_lines *l)
{
	return l->table.format <= TABLE_ASCII;
}

static int
column_width(const struct column *c)
{
	int width = c->width < 0 ? -c->width : c->width;
	int title = text_width(c->title);

	return width > title ? width : title;
}

/*
 * Rows are printed as they arrive, so columns have fixed widths and a wider cell moves the cells
 * after it. Unknown values print as "-", so that every line has as many words as there are titles.
 */
static void
print_cell(const struct gc_lines *l, const struct table_writer *t, int column, const char *text)
{
	const struct column *c = t->columns[column];
	int pad = column_width(c) - text_width(text);
	bool is_last = column + 1 == t->columns_count;

	if (pad < 0 || c->width == FILL)
		pad = 0;
	if (c->width > 0)
		fprintf(l->to, "%*s%s", pad, "", text);
	else
		fprintf(l->to, "%s%*s", text, is_last ? 0 : pad, "");
	fprintf(l->to, "%*s", is_last ? 0 : GAP, "");
}

static void
print_titles(const struct gc_lines *l, const struct table_writer *t)
{
	for (int i = 0; i < t->columns_count; i++)
		print_cell(l, t, i, t->columns[i]->title);
	putc_unlocked('\n', l->to);
}

static void
print_text(const struct gc_lines *l, const struct table_writer *t, const struct cells *in,
	   const struct row *row)
{
	char out[VALUE_TEXT_BYTES], clean[CLEAN_BYTES];
	struct value value;
	const char *text;

	for (int i = 0; i < t->columns_count; i++) {
		const struct column *c = t->columns[i];

		table_cell(t->of, in, c, row, &value);
		value.largest = LARGEST;
		text = value_for_people(&value, out);
		if (!*text)
			text = c->width == FILL ? "" : "-";
		if (t->format == TABLE_ASCII)
			text_to_ascii(text, clean, sizeof clean);
		else
			text_clean(text, clean, sizeof clean);
		print_cell(l, t, i, clean);
	}
	putc_unlocked('\n', l->to);
}

static void
print_ids(const struct gc_lines *l, const struct table_writer *t)
{
	for (int i = 0; i < t->columns_count; i++)
		fprintf(l->to, "%s%s",
			!i                       ? ""
			: t->format == TABLE_CSV ? ","
						 : "\t",
			t->columns[i]->id);
	putc_unlocked('\n', l->to);
}

static void
print_record(const struct gc_lines *l, const struct table_writer *t, const struct cells *in,
	     const struct row *row)
{
	char separator = t->format == TABLE_CSV ? ',' : '\t';
	char out[VALUE_TEXT_BYTES];
	struct value value;

	for (int i = 0; i < t->columns_count; i++) {
		if (i)
			putc_unlocked(separator, l->to);
		table_cell(t->of, in, t->columns[i], row, &value);
		table_print_field(l->to, t->format, value_for_machines(&value, out));
	}
	putc_unlocked('\n', l->to);
}

/* --- -v ------------------------------------------------------------------ */

static void
print_parts(const struct gc_lines *l, const struct gc_record *r)
{
	struct gc_cells cells = { .record = r };
	const struct cells in = { .rows = &cells };
	struct row row = row_of(ROW_PLAIN);

	if (is_for_people(l))
		print_titles(l, &l->parts);
	for (row.data = 0; row.data < gc_parts_count(r); row.data++) {
		if (is_for_people(l))
			print_text(l, &l->parts, &in, &row);
		else
			print_record(l, &l->parts, &in, &row);
	}
}

/* --- rows ---------------------------------------------------------------- */

/* With -v, CSV and TSV have a record for each generation of each heap. */
static void
print_for_machines(const struct gc_lines *l, const struct cells *in, const struct row *row,
		   const struct gc_record *r)
{
	if (l->table.format >= TABLE_JSON) {
		gc_json_print(l->to, &l->table, in, row, l->is_verbose);
		return;
	}
	if (!l->printed)
		print_ids(l, l->is_verbose ? &l->parts : &l->table);
	if (l->is_verbose)
		print_parts(l, r);
	else
		print_record(l, &l->table, in, row);
}

static void
print_for_people(struct gc_lines *l, const struct cells *in, const struct row *row,
		 const struct gc_record *r)
{
	char text[GC_TEXT_BYTES];

	if (!l->titles_due || l->is_verbose)
		print_titles(l, &l->table);
	l->titles_due = l->titles_due ? l->titles_due - 1 : TITLES_EVERY - 1;
	print_text(l, &l->table, in, row);
	if (!l->is_verbose)
		return;
	for (unsigned line = 0; line < GC_TEXT_LINES; line++)
		if (gc_text_line(r, line, text))
			fprintf(l->to, "       %s\n", text);
	print_parts(l, r);
	putc_unlocked('\n', l->to);
}

static bool
wants_more(const struct gc_lines *l)
{
	return (l->printed < l->rows_max || l->counts_all) && !l->errnum && !ferror(l->to);
}

bool
gc_lines_take(struct gc_lines *l, struct gc_record *r)
{
	struct gc_cells cells = { .log = &l->log };
	const struct cells in = { .rows = &cells };
	struct row row = row_of(ROW_PLAIN);
	bool is_wanted =
	    !l->min_pause_ns || (r->pause_ns != GC_UNKNOWN && r->pause_ns >= l->min_pause_ns);

	gc_log_add(&l->log, r);
	if (!is_wanted || l->printed >= l->rows_max)
		return wants_more(l);
	row.data = l->log.added - 1;
	if (is_for_people(l))
		print_for_people(l, &in, &row, gc_log_at(&l->log, row.data));
	else
		print_for_machines(l, &in, &row, gc_log_at(&l->log, row.data));
	l->printed++;
	if (fflush(l->to) && !l->errnum)
		l->errnum = errno;
	return wants_more(l);
}

/* --- totals -------------------------------------------------------------- */

void
gc_lines_sum_up(FILE *notes, const struct gc_summary *s, const struct gc_source_facts *facts)
{
	char text[GC_TEXT_BYTES], clean[CLEAN_BYTES];

	if (*facts->end)
		fprintf(notes, "heaptop: %s\n", text_clean(facts->end, clean, sizeof clean));
	for (unsigned line = 0; gc_summary_text(s, line, text); line++)
		fprintf(notes, "heaptop: %s\n", text);
}
