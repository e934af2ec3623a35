#include "io/gcdump/report.h"
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
	const struct gcdump_origin *origin; /* NULL: as it would be written */
	struct gcdump_table table;
	struct row *rows; /* by type, then as they are printed */
	struct arena texts;
	struct output *to;
};

static bool
count_objects(struct report *r, struct progress *progress, struct error *err)
{
	const struct heap *h = r->heap;

	progress_begin(progress, "counting objects", "objects", h->nodes_count);
	for (node_id n = 0; n < h->nodes_count; n++) {
		int32_t size = (int32_t)heap_size(h, n);

		r->rows[gcdump_table_of(&r->table, n, size)].count++;
		if (n % CHUNK_NODES == 0 &&
		    !progress_add(progress, CHUNK_NODES))
			return error_cancelled(err);
	}
	return true;
}

/* Nodes that are no objects count as well, if their type has a size. */
static void
count_others(struct report *r)
{
	for (uint32_t i = 0; i < r->origin->others_count; i++) {
		struct gcdump_part part = r->origin->others[i].record;
		struct bytes_array record = { part.bytes, part.len };
		struct bytes_run run;
		int32_t head;

		if (!part.len)
			continue;
		run = bytes_array_run(&record, 0);
		if (bytes_run_next(&run, &head) && head >= 0 &&
		    (uint32_t)head / 2 < r->table.types_count)
			r->rows[head / 2].count++;
	}
}

/* From the table as it was in the file. */
static bool
read_names(struct report *r, struct error *err)
{
	const struct gcdump_origin *o = r->origin;
	struct serialization s = { .label_bytes = 4 };

	bytes_init(&s.bytes, o->head.bytes, o->head.len, err);
	bytes_seek(&s.bytes, o->types_at, "the types");
	for (uint32_t i = 0; i < o->types_count && bytes_ok(&s.bytes); i++) {
		r->rows[i].name =
		    serialization_string(&s, &r->texts, "a type's name");
		bytes_skip(&s.bytes, 4, "a type's size");
		r->rows[i].module =
		    serialization_string(&s, &r->texts, "a type's module");
		r->rows[i].suffix = "";
	}
	return bytes_ok(&s.bytes);
}

/* The largest first, then the most frequent; else as in the file. */
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

/* "1,234,567", at the right of so many columns. */
static void
put_number(struct report *r, int64_t number, int width)
{
	char digits[32], text[48];
	int len =
	    snprintf(digits, sizeof(digits), "%" PRIu64,
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
	const char *slash = strrchr(module, '/');

	put_number(r, row->size, 15);
	put_text(r, "  ");
	put_number(r, (int64_t)row->count, 8);
	put_text(r, "  ");
	put_text(r, row->name);
	put_text(r, row->suffix);
	module = slash ? slash + 1 : module;
	if (*module) {
		put_text(r, "  [");
		put_text(r, module);
		put_text(r, "]");
	}
	output_write(r->to, "\n", 1);
}

static void
put_report(struct report *r, int64_t bytes, uint64_t nodes)
{
	static const char head[] = "\n   Object Bytes     Count  Type\n";

	put_number(r, bytes, 15);
	output_write(r->to, "  GC Heap bytes\n", 16);
	put_number(r, (int64_t)nodes, 15);
	output_write(r->to, "  GC Heap objects\n", 18);
	output_write(r->to, head, sizeof(head) - 1);
	for (uint32_t i = 0; i < r->table.types_count; i++) {
		const struct row *row = &r->rows[i];

		if (row->name && *row->name && row->size && row->count)
			put_row(r, row);
	}
}

/* What the file has, or would have if it were written. */
static bool
name_rows(struct report *r, struct error *err)
{
	for (uint32_t i = 0; i < r->table.types_count; i++) {
		struct row *row = &r->rows[i];

		row->type = i;
		row->size = r->table.types[i].size;
		if (!r->origin)
			row->name = gcdump_table_name(
			    &r->table, i, &row->suffix, &row->module);
	}
	return !r->origin || read_names(r, err);
}

static bool
report_all(struct report *r, struct progress *progress, struct error *err)
{
	const struct heap *h = r->heap;
	int64_t bytes = (int64_t)h->bytes_count;
	uint64_t nodes = h->nodes_count;

	r->rows = memory_new(r->table.types_count, sizeof(*r->rows), err);
	if (!r->rows || !name_rows(r, err) || !count_objects(r, progress, err))
		return false;
	if (r->origin) {
		count_others(r);
		bytes = r->origin->total_bytes;
		nodes = r->origin->nodes_count;
	} else {
		struct gcdump_groups groups;
		bool is_good = gcdump_groups_init(&groups, h, err);

		nodes += groups.count;
		gcdump_groups_clear(&groups);
		if (!is_good)
			return false;
	}
	qsort(r->rows, r->table.types_count, sizeof(*r->rows), compare_rows);
	put_report(r, bytes, nodes);
	return true;
}

bool
gcdump_report(struct output *to, const struct heap *h,
	      struct progress *progress, struct error *err)
{
	const struct gcdump_origin *o = h->info.origin;
	struct report r = { .heap = h,
			    .origin = o && !o->lacks ? o : NULL,
			    .to = to };
	bool is_good;

	if (!h->has_objects)
		return error_set(err, ERROR_USAGE,
				 "this heap has no objects to report");
	arena_init(&r.texts, 0);
	is_good = gcdump_table_init(&r.table, h, r.origin, INT32_MAX, progress,
				    err) &&
		  report_all(&r, progress, err);
	memory_free(r.rows);
	gcdump_table_clear(&r.table);
	arena_clear(&r.texts);
	return is_good;
}
