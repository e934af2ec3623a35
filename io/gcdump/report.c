#include "io/gcdump/report.h"
#include "io/base/file.h"
#include "io/gcdump/file.h"
#include "io/gcdump/groups.h"
#include "io/gcdump/table.h"
#include "io/gcdump/serialization.h"
#include <inttypes.h>
#include <stdlib.h>

struct row {
	uint64_t count;
	int32_t size;
	uint32_t type;
	const char *name, *suffix, *module; /* of the type in the file */
};

struct report {
	const struct heap *heap;
	struct row *rows; /* by type, then in the order printed */
	uint32_t rows_count;
	int64_t bytes;
	uint64_t nodes;
	struct arena texts;
	struct output *to;
};

static bool
rows_new(struct report *r, uint32_t count, struct error *err)
{
	r->rows_count = count;
	r->rows = memory_new(count, sizeof(*r->rows), err);
	for (uint32_t i = 0; r->rows && i < count; i++)
		r->rows[i].type = i;
	return r->rows != NULL;
}

/* --- from the file that was read ----------------------------------------- */

static bool
read_table(struct report *r, const struct gcdump_file *f, struct error *err)
{
	struct serialization s = { .label_bytes = 4 };

	bytes_init(&s.bytes, f->table, f->table_len, err);
	for (uint32_t i = 0; i < f->types_count && bytes_ok(&s.bytes); i++) {
		struct row *row = &r->rows[i];

		row->name = serialization_string(&s, &r->texts, "a type's name");
		row->size = bytes_i32(&s.bytes, "a type's size");
		row->module = serialization_string(&s, &r->texts, "a type's module");
		row->suffix = "";
		row->count = f->counts[i];
	}
	return bytes_ok(&s.bytes);
}

static bool
report_file(struct report *r, const struct gcdump_file *f, struct error *err)
{
	r->bytes = f->total_bytes;
	r->nodes = f->nodes_count;
	return rows_new(r, f->types_count, err) && read_table(r, f, err);
}

/* --- as the file would be written ----------------------------------------- */

static bool
count_objects(struct report *r, const struct gcdump_table *table, struct progress *progress,
	      struct error *err)
{
	const struct heap *h = r->heap;

	progress_begin(progress, "counting objects", "objects", h->nodes_count);
	for (node_id n = 0; n < h->nodes_count; n++) {
		int32_t size = (int32_t)heap_size(h, n);

		r->rows[gcdump_table_of(table, n, size)].count++;
		if (n % CHUNK_NODES == 0 && !progress_add(progress, CHUNK_NODES))
			return error_cancelled(err);
	}
	return true;
}

static bool
count_groups(struct report *r, struct error *err)
{
	struct gcdump_groups groups;
	bool is_good = gcdump_groups_init(&groups, r->heap, err);

	r->nodes += groups.count;
	gcdump_groups_clear(&groups);
	return is_good;
}

static bool
report_anew(struct report *r, struct progress *progress, struct error *err)
{
	const struct heap *h = r->heap;
	struct gcdump_table table;
	bool is_good;

	r->bytes = (int64_t)h->bytes_count;
	r->nodes = h->nodes_count;
	is_good = gcdump_table_init(&table, h, INT32_MAX, progress, err) &&
		  rows_new(r, table.types_count, err) && count_objects(r, &table, progress, err) &&
		  count_groups(r, err);
	for (uint32_t i = 0; is_good && i < r->rows_count; i++) {
		struct row *row = &r->rows[i];

		row->size = table.types[i].size;
		row->name = gcdump_table_name(&table, i, &row->suffix, &row->module);
	}
	gcdump_table_clear(&table);
	return is_good;
}

/* --- text ----------------------------------------------------------------- */

/* The largest first, then the most frequent, then in the file's order. */
static int
compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->type > y->type) - (x->type < y->type);
}

static void
put_text(struct report *r, const char *text)
{
	const uint8_t *at = (const uint8_t *)text;
	size_t len = 0;

	while (at[len]) {
		/* U+0080 to U+009F are c2 80 to c2 9f. */
		size_t bad = at[len] < ' ' || at[len] == 0x7f        ? 1
			     : at[len] == 0xc2 && at[len + 1] < 0xa0 ? 2
								     : 0;

		if (!bad) {
			len++;
			continue;
		}
		output_write(r->to, at, len);
		output_write(r->to, "\xef\xbf\xbd", 3);
		at += len + bad;
		len = 0;
	}
	output_write(r->to, at, len);
}

/* "1,234,567", right-aligned. */
static void
put_number(struct report *r, int64_t number, int width)
{
	char digits[32], text[48];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64,
			   number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
	size_t at = 0;

	if (number < 0)
		text[at++] = '-';
	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	for (int i = (int)at; i < width; i++)
		output_write(r->to, " ", 1);
	output_write(r->to, text, at);
}

static void
put_row(struct report *r, const struct row *row)
{
	const char *module = row->module ? row->module : "";

	put_number(r, row->size, 15);
	put_text(r, "  ");
	put_number(r, (int64_t)row->count, 8);
	put_text(r, "  ");
	put_text(r, row->name);
	put_text(r, row->suffix);
	module = file_base_name(module);
	if (*module) {
		put_text(r, "  [");
		put_text(r, module);
		put_text(r, "]");
	}
	output_write(r->to, "\n", 1);
}

static void
put_report(struct report *r)
{
	static const char head[] = "\n   Object Bytes     Count  Type\n";

	qsort(r->rows, r->rows_count, sizeof(*r->rows), compare_rows);
	put_number(r, r->bytes, 15);
	output_write(r->to, "  GC Heap bytes\n", 16);
	put_number(r, (int64_t)r->nodes, 15);
	output_write(r->to, "  GC Heap objects\n", 18);
	output_write(r->to, head, sizeof(head) - 1);
	for (uint32_t i = 0; i < r->rows_count; i++) {
		const struct row *row = &r->rows[i];

		if (row->name && *row->name && row->size && row->count)
			put_row(r, row);
	}
}

bool
gcdump_report(struct output *to, const struct heap *h, struct progress *progress, struct error *err)
{
	const struct gcdump_file *f = h->info.gcdump;
	struct report r = { .heap = h, .to = to };
	bool is_good;

	if (!h->has_objects)
		return error_set(err, ERROR_USAGE, "this heap has no objects to report");
	arena_init(&r.texts, 0);
	is_good = f && !f->damage ? report_file(&r, f, err) : report_anew(&r, progress, err);
	if (is_good)
		put_report(&r);
	memory_free(r.rows);
	arena_clear(&r.texts);
	return is_good;
}
