#include "model/table/table_writer_records.h"
#include "model/base/utf8.h"
#include "model/base/text.h"
#include <string.h>

/* Incremented with every incompatible change. */
enum { JSON_SCHEMA = 1 };
enum { MD_ROWS_PROBED = 1000 }; /* rows read to find a column's kind */
enum { ROWS_A_STEP = 1024 };    /* Esc takes effect within milliseconds */

/* Reads a cell; the text of a sentence is whole, in `texts`. */
static void
read_cell(const struct listing *l, const struct column *c, const struct row *row,
	  struct arena *texts, struct value *out)
{
	const struct cells in = { &l->facts, l->rows };
	const char *whole;

	listing_cell(l, c, row, out);
	if (c->from.source != SOURCE_SENTENCE || out->kind != VALUE_TEXT)
		return;
	whole = table_whole_text(&in, c, row, texts);
	if (whole)
		out->text = whole;
}

/* --- CSV and TSV ---------------------------------------------------------- */

/* Returns how many bytes need no escaping: nearly always all of them. */
static size_t
plain_len(const char *text)
{
	size_t len = 0;

	while (text[len] >= 0x20 && text[len] < 0x7f && text[len] != '"' && text[len] != '\\')
		len++;
	return len;
}

static bool
is_control(uint32_t c)
{
	return c == UTF8_BROKEN || c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/* Characters that change the direction of a text or break its line: they can hide what a person
   reads. */
static bool
is_deceptive(uint32_t c)
{
	return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

static void
print_field(FILE *to, enum table_format format, const char *before, const char *text)
{
	bool is_quoted = format == TABLE_CSV && strpbrk(text, ",\"");
	size_t used;

	if (is_quoted)
		putc_unlocked('"', to);
	fputs(before, to);
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

void
table_print_field(FILE *to, enum table_format format, const char *text)
{
	print_field(to, format, "", text);
}

/* Returns whether a spreadsheet would compute the text. */
static bool
is_formula(const struct value *value)
{
	return value->kind == VALUE_TEXT && value->text && *value->text &&
	       strchr("=+-@\t\r", *value->text);
}

static void
print_cell(FILE *to, const struct table_writer *t, const struct value *value)
{
	bool is_guarded = t->guards_formulas && is_formula(value);
	char out[VALUE_TEXT_BYTES];

	print_field(to, t->format, is_guarded ? "'" : "", value_for_machines(value, out));
}

static void
print_separated(FILE *to, const struct table_writer *t, const struct listing *l,
		const struct row *row)
{
	char separator = t->format == TABLE_CSV ? ',' : '\t';
	struct arena texts = { 0 };
	struct value value;

	for (int i = 0; i < t->members_count; i++) {
		print_cell(to, t, &t->members[i].value);
		putc_unlocked(separator, to);
	}
	if (l->is_tree)
		fprintf(to, "%u%c", row->depth, separator);
	for (int i = 0; i < t->columns_count; i++) {
		if (i)
			putc_unlocked(separator, to);
		read_cell(l, t->columns[i], row, &texts, &value);
		print_cell(to, t, &value);
	}
	putc_unlocked('\n', to);
	arena_clear(&texts);
}

static void
print_ids(FILE *to, const struct table_writer *t, const struct listing *l)
{
	char separator = t->format == TABLE_CSV ? ',' : '\t';

	for (int i = 0; i < t->members_count; i++)
		fprintf(to, "%s%c", t->members[i].name, separator);
	if (l->is_tree)
		fprintf(to, "depth%c", separator);
	for (int i = 0; i < t->columns_count; i++) {
		if (i)
			putc_unlocked(separator, to);
		fputs(t->columns[i]->id, to);
	}
	putc_unlocked('\n', to);
}

/* --- JSON ----------------------------------------------------------------- */

void
table_print_string(FILE *to, const char *text)
{
	size_t used;

	putc_unlocked('"', to);
	for (; *text; text += used) {
		uint32_t c;

		used = plain_len(text);
		if (used) {
			fwrite(text, 1, used, to);
			continue;
		}
		c = utf8_decode(text, &used);
		if (*text == '"' || *text == '\\')
			fprintf(to, "\\%c", *text);
		else if (c == UTF8_BROKEN)
			fputs("\\ufffd", to);
		else if (is_control(c) || is_deceptive(c))
			fprintf(to, "\\u%04x", (unsigned)c);
		else
			fwrite(text, 1, used, to);
	}
	putc_unlocked('"', to);
}

static void
print_json_value(FILE *to, const struct value *value)
{
	char out[VALUE_TEXT_BYTES];
	const char *text = value_for_machines(value, out);

	if (value->kind == VALUE_BLANK || value->kind == VALUE_PENDING)
		fputs("null", to);
	else if (value->kind == VALUE_TEXT || value->kind == VALUE_ADDRESS)
		table_print_string(to, text);
	else
		fputs(text, to);
}

static void
print_json_row(FILE *to, const struct table_writer *t, const struct listing *l,
	       const struct row *row)
{
	struct arena texts = { 0 };
	struct value value;

	putc_unlocked('{', to);
	for (int i = 0; i < t->members_count; i++) {
		fprintf(to, "\"%s\":", t->members[i].name);
		print_json_value(to, &t->members[i].value);
		putc_unlocked(',', to);
	}
	if (l->is_tree)
		fprintf(to, "\"depth\":%u,", row->depth);
	for (int i = 0; i < t->columns_count; i++) {
		fprintf(to, i ? ",\"%s\":" : "\"%s\":", t->columns[i]->id);
		read_cell(l, t->columns[i], row, &texts, &value);
		print_json_value(to, &value);
	}
	putc_unlocked('}', to);
	arena_clear(&texts);
}

/* Writes the members before the rows. */
static void
print_json_head(FILE *to, const struct listing *l, const struct table_origin *origin, uint64_t rows)
{
	char title[4 * VALUE_TEXT_BYTES];

	fprintf(to, "{\"schema\":%d,\"view\":\"%s\",\"title\":", JSON_SCHEMA, l->name);
	/* For people, who may see it as it is. */
	table_print_string(to, text_clean(origin->title, title, sizeof title));
	fputs(",\"source\":", to);
	table_print_string(to, origin->source);
	if (origin->format) {
		fputs(",\"format\":", to);
		table_print_string(to, origin->format);
		fprintf(to, ",\"is_complete\":%s,\"is_sampled\":%s",
			origin->is_incomplete ? "false" : "true",
			origin->is_sampled ? "true" : "false");
	}
	fprintf(to, ",\"is_cut\":%s,\n\"rows\":[", rows < l->count ? "true" : "false");
}

/* --- Markdown ------------------------------------------------------------- */

static void
print_md_text(FILE *to, const char *text)
{
	char clean[4 * VALUE_TEXT_BYTES];

	text_clean(text, clean, sizeof clean);
	for (const char *c = clean; *c; c++) {
		if (strchr("|\\`*_<>[]", *c))
			putc_unlocked('\\', to);
		putc_unlocked(*c, to);
	}
}

static void
print_md_row(FILE *to, const struct table_writer *t, const struct listing *l, const struct row *row)
{
	char out[VALUE_TEXT_BYTES];
	struct value value;

	for (int i = 0; i < t->columns_count; i++) {
		fputs("| ", to);
		listing_cell(l, t->columns[i], row, &value);
		/* Markdown drops blanks at the start of a cell. */
		if (l->is_tree && t->columns[i]->width == FILL)
			for (uint32_t k = 0; k < row->depth && k < 100; k++)
				fputs("&nbsp;&nbsp;", to);
		print_md_text(to, value_for_people(&value, out));
		putc_unlocked(' ', to);
	}
	fputs("|\n", to);
}

/* True if the column's first value is a number; addresses count as text. */
static bool
is_of_numbers(const struct listing *l, const struct column *c)
{
	struct value value;
	struct row row;

	if (c->width <= 0)
		return false;
	for (size_t i = 0; i < l->count && i < MD_ROWS_PROBED; i++) {
		listing_row(l, i, &row);
		if (row.kind == ROW_GROUP)
			continue;
		listing_cell(l, c, &row, &value);
		if (value.kind == VALUE_PENDING || value.kind == VALUE_BLANK ||
		    (value.kind == VALUE_TEXT && !*value.text))
			continue;
		return value.kind != VALUE_ADDRESS && value_is_number(&value);
	}
	return c->sort == DOWN;
}

static void
print_md_head(FILE *to, const struct table_writer *t, const struct listing *l)
{
	for (int i = 0; i < t->columns_count; i++) {
		fputs("| ", to);
		print_md_text(to, t->columns[i]->title);
		putc_unlocked(' ', to);
	}
	fputs("|\n", to);
	for (int i = 0; i < t->columns_count; i++)
		fputs(is_of_numbers(l, t->columns[i]) ? "| ---: " : "| --- ", to);
	fputs("|\n", to);
}

/* --- all ------------------------------------------------------------------ */

static void
print_record(FILE *to, const struct table_writer *t, const struct listing *l, const struct row *row,
	     bool is_first)
{
	switch (t->format) {
	case TABLE_JSON:
		fputs(is_first ? "\n" : ",\n", to);
		print_json_row(to, t, l, row);
		break;
	case TABLE_JSONL:
		print_json_row(to, t, l, row);
		putc_unlocked('\n', to);
		break;
	case TABLE_MD:
		print_md_row(to, t, l, row);
		break;
	default:
		print_separated(to, t, l, row);
		break;
	}
}

bool
table_continues(FILE *to, const struct table_writer *t, uint64_t r)
{
	return !ferror(to) && (r % ROWS_A_STEP || !r || progress_add(t->progress, ROWS_A_STEP));
}

uint64_t
table_print_records(FILE *to, const struct table_writer *t, const struct listing *l,
		    const struct table_origin *origin, uint64_t rows)
{
	uint64_t passed = 0, printed = 0;
	struct row row;

	if (t->format == TABLE_JSON)
		print_json_head(to, l, origin, rows);
	else if (t->format == TABLE_MD)
		print_md_head(to, t, l);
	else if (t->format != TABLE_JSONL)
		print_ids(to, t, l);
	for (size_t i = 0; i < l->count && passed < rows && table_continues(to, t, i); i++) {
		listing_row(l, i, &row);
		/* Group headings are for people only. */
		if (row.kind == ROW_GROUP || passed++ < t->rows_first)
			continue;
		print_record(to, t, l, &row, !printed);
		printed++;
	}
	if (t->format == TABLE_JSON)
		fputs("\n]}\n", to);
	return printed;
}
