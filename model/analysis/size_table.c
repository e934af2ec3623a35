/* Histogram of object sizes as a table: a row and bars for each power of
   two. */
#include "model/analysis/size_classes.h"
#include "model/analysis/tables.h"
#include "model/base/format.h"

enum { BAR_CELLS = 22 };

struct made {
	struct size_classes classes;
	const struct size_class *first; /* first class with objects */
	uint32_t count;                 /* classes up to the last with objects */
};

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	struct made *m = made;

	if (!size_classes_count(&m->classes, f->heap, about->type, about->nodes, about->nodes_count,
				progress, err))
		return false;
	m->first = m->classes.items + m->classes.first;
	m->count = m->classes.end - m->classes.first;
	return true;
}

static void
clear(void *made)
{
	(void)made;
}

const struct size_class *
size_class_of_row(const void *made, const struct row *row, unsigned *number)
{
	const struct made *m = made;

	*number = m->classes.first + (unsigned)row->data;
	return &m->first[row->data];
}

static unsigned
number_of(const struct cells *in, const struct row *row)
{
	unsigned number;

	(void)size_class_of_row(in->rows, row, &number);
	return number;
}

static const struct size_class *
class_of(const struct cells *in, const struct row *row)
{
	unsigned number;

	return size_class_of_row(in->rows, row, &number);
}

/* --- cells --------------------------------------------------------------- */

/* Formats a power of two: "64 B", "2 KiB". */
static void
format_power(unsigned power, char out[FORMAT_BYTES])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	enum { STEP = 10 };

	snprintf(out, FORMAT_BYTES, "%u %s", 1U << power % STEP, units[power / STEP]);
}

static void
cell_size(const struct cells *in, const struct row *row, struct value *out)
{
	unsigned class = number_of(in, row);
	char from[FORMAT_BYTES] = "0 B", to[FORMAT_BYTES];

	if (class)
		format_power(class, from);
	if (class + 1 < SIZE_CLASSES) {
		format_power(class + 1, to);
		value_printf(out, STYLE_TYPE, "%s to < %s", from, to);
	} else {
		value_printf(out, STYLE_TYPE, "%s and more", from);
	}
	out->number = size_class_start(class);
	out->has_number = true;
}

static uint64_t
number_from(const struct cells *in, const struct row *row)
{
	return size_class_start(number_of(in, row));
}

static void
cell_to(const struct cells *in, const struct row *row, struct value *out)
{
	value_exact_bytes(out, size_class_last(number_of(in, row)));
}

static void
cell_count_share(const struct cells *in, const struct row *row, struct value *out)
{
	const struct made *m = in->rows;

	value_share(out, class_of(in, row)->count, m->classes.all.count);
}

static void
cell_bytes_share(const struct cells *in, const struct row *row, struct value *out)
{
	const struct made *m = in->rows;

	value_share(out, class_of(in, row)->bytes, m->classes.all.bytes);
}

/* Draws a bar rounded to half cells; any part above 0 gets at least half a
   cell. */
static void
bar(uint64_t part, uint64_t most, struct value *out)
{
	double share = most ? (double)part / (double)most : 0;
	int halves = (int)(share * BAR_CELLS * 2 + 0.5);
	char text[4 * BAR_CELLS + 4] = "";
	size_t len = 0;

	if (part && !halves)
		halves = 1;
	for (; halves > 0; halves -= 2)
		len +=
		    (size_t)snprintf(text + len, sizeof text - len, "%s", halves > 1 ? "█" : "▌");
	value_printf(out, STYLE_BAR, "%s", text);
}

static void
cell_count_bar(const struct cells *in, const struct row *row, struct value *out)
{
	const struct made *m = in->rows;

	bar(class_of(in, row)->count, m->classes.most.count, out);
}

static void
cell_bytes_bar(const struct cells *in, const struct row *row, struct value *out)
{
	const struct made *m = in->rows;

	bar(class_of(in, row)->bytes, m->classes.most.bytes, out);
}

/* --- heading ------------------------------------------------------------- */

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct made *m = in->rows;
	const struct size_class *all = &m->classes.all;
	char count[FORMAT_BYTES], bytes[FORMAT_BYTES], mean[FORMAT_BYTES];

	if (line || !all->count)
		return false;
	value_printf(out, STYLE_ROOT, "%s object%s, %s; %s on average",
		     format_count(all->count, count), plural(all->count),
		     format_size(all->bytes, bytes), format_size(all->bytes / all->count, mean));
	return true;
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id             title      width sorts     cell              help                                          rank flags           needs */
	{ "class",        "Size",    FILL, UP,       CELL(VALUE_TEXT, cell_size),        "bytes of each object: from a power of two to below the next", 0, 0, 0 },
	{ "from",         "From",    11,   UP,       EXACT_BYTES(number_from),        "the smallest size",                          0, COLUMN_MACHINE, 0 },
	{ "to",           "To",      11,   UP,       CELL(VALUE_BYTES, cell_to),          "the largest size",                           0, COLUMN_MACHINE, 0 },
	{ "count",        "Objects", 10,   DOWN,     COUNT_AT(struct size_class, count),       "number of objects",                          0, COLUMN_ADDS, 0 },
	{ "count_share",  "Share",   6,    DOWN,     CELL(VALUE_SHARE, cell_count_share), "part of all objects counted",                4, 0,              0 },
	{ "count_bar",    "",       -22,   UNSORTED, CELL(VALUE_TEXT, cell_count_bar),   "the same as a bar; the longest bar is the maximum", 3, COLUMN_SCREEN | COLUMN_DRAWN, 0 },
	{ "bytes",        "Bytes",   11,   DOWN,     BYTES_AT(struct size_class, bytes),       "bytes of these objects",                     0, COLUMN_ADDS, 0 },
	{ "bytes_share",  "Share",   6,    DOWN,     CELL(VALUE_SHARE, cell_bytes_share), "part of all bytes counted",                  5, COLUMN_ADDS, 0 },
	{ "bytes_bar",    "",       -22,   UNSORTED, CELL(VALUE_TEXT, cell_bytes_bar),   "the same as a bar; the longest bar is the maximum", 2, COLUMN_SCREEN | COLUMN_DRAWN, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "sorting by size",
	ROWS_IN(struct made, first, count),
	.make = make,
	.clear = clear,
};

const struct table sizes_table = {
	.name = "histogram",
	.columns = columns,
	.needs = NEED_OBJECTS,
	.rows = &rows,
	.heading = heading,
};
