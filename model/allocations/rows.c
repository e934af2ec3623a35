#include "model/allocations/rows.h"
#include "model/allocations/alive_cells.h"
#include "model/base/format.h"
#include "model/base/hash.h"
#include "model/base/text.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- rows ----------------------------------------------------------------- */

/* The sum of one site and type. */
struct couple {
	uint32_t site, type;
	struct allocation_sum sum, rate;
	struct allocation_alive alive;
};

struct couples {
	struct couple *items;
	uint32_t count;
	size_t room;
	struct u64_map index;
};

static bool
add_couple(struct couples *all, const struct allocations *of, uint32_t site,
	   const struct allocation_cell *cell, struct error *err)
{
	struct allocation_sum rate = allocation_cell_rate_sum(of, cell);
	struct couple c = { .site = site, .type = cell->type };
	uint64_t key = u64_map_pair(site, cell->type);
	uint32_t at = u64_map_get(&all->index, key);

	if (at == U64_MAP_NONE) {
		at = all->count;
		if (!u64_map_put(&all->index, key, at, err) ||
		    !APPEND(all->items, all->count, all->room, err, c))
			return false;
	}
	allocation_sum_merge(&all->items[at].sum, &cell->sum);
	allocation_sum_merge(&all->items[at].rate, &rate);
	if (cell->alive)
		allocation_alive_merge(&all->items[at].alive, cell->alive);
	return true;
}

static bool
add_to_row(struct allocation_rows *rows, struct u64_map *index, const struct couple *c,
	   struct error *err)
{
	bool is_by_type = rows->grouping == ALLOCATIONS_BY_TYPE;
	uint64_t key = is_by_type ? c->type : c->site;
	uint32_t at = u64_map_get(index, key);
	struct allocation_row empty = { .site = c->site, .type = c->type };
	struct allocation_row *row;

	if (at == U64_MAP_NONE) {
		at = rows->count;
		if (!u64_map_put(index, key, at, err) ||
		    !APPEND(rows->items, rows->count, rows->room, err, empty))
			return false;
	} else {
		rows->items[at].others++;
	}
	row = &rows->items[at];
	allocation_sum_merge(&row->sum, &c->sum);
	allocation_sum_merge(&row->rate, &c->rate);
	allocation_alive_merge(&row->alive, &c->alive);
	if (c->sum.bytes > row->most) {
		row->most = c->sum.bytes;
		row->site = c->site;
		row->type = c->type;
	}
	return true;
}

/* Finds the row whose live bytes rise most, even at the lower limit. */
static void
find_rising(struct allocation_rows *rows)
{
	const struct allocation_points *points = &rows->of->facts.survival.points;

	for (uint32_t i = 0; i < rows->count; i++) {
		struct allocation_growth g = allocation_growth(points, &rows->items[i].alive);

		if (!g.is_known || g.low <= 0 || (rows->rising && g.low <= rows->growth.low))
			continue;
		rows->rising = i + 1;
		rows->growth = g;
	}
}

bool
allocation_rows_make(struct allocation_rows *rows, const struct allocations *of,
		     enum allocation_grouping grouping, const char *my_modules,
		     struct progress *progress, struct error *err)
{
	struct couples couples = { 0 };
	struct u64_map index = { 0 };
	bool *mine = allocations_mine(of, my_modules, err);
	bool ok = mine != NULL;

	*rows = (struct allocation_rows){ .of = of, .grouping = grouping };
	for (uint32_t i = 0; ok && i < of->cells_count; i++) {
		const struct allocation_cell *c = &of->cells[i];

		if (!c->sum.samples && (!c->alive || !c->alive->sum.samples))
			continue; /* counted anew, and nothing of it lives */
		if (progress_is_cancelled(progress))
			ok = error_cancelled(err);
		else
			ok = add_couple(&couples, of, allocations_site(of, mine, c->node), c, err);
	}
	for (uint32_t i = 0; ok && i < couples.count; i++)
		ok = add_to_row(rows, &index, &couples.items[i], err);
	if (ok)
		find_rising(rows);
	u64_map_clear(&couples.index);
	u64_map_clear(&index);
	memory_free(couples.items);
	memory_free(mine);
	return ok;
}

const char *
allocation_row_name(const struct allocation_rows *rows, uint32_t row)
{
	const struct allocation_row *r = &rows->items[row];
	const struct allocations *of = rows->of;

	if (rows->grouping == ALLOCATIONS_BY_TYPE)
		return of->types[r->type].name;
	return r->site < of->methods_count ? of->methods[r->site].name : NULL;
}

uint64_t
allocation_row_key(const struct allocation_rows *rows, uint32_t row,
		   enum allocation_grouping grouping)
{
	const struct allocation_row *r = &rows->items[row];
	const struct allocations *of = rows->of;

	if (grouping == ALLOCATIONS_BY_TYPE)
		return hash_text(HASH_START, of->types[r->type].raw);
	if (r->site >= of->methods_count)
		return HASH_START;
	return hash_text(hash_text(HASH_START, of->methods[r->site].name),
			 of->methods[r->site].module);
}

void
allocation_rows_clear(struct allocation_rows *rows)
{
	memory_free(rows->items);
	*rows = (struct allocation_rows){ 0 };
}

/* --- cells ---------------------------------------------------------------- */

static const struct allocation_row *
row_of_cells(const struct cells *in, const struct row *row)
{
	const struct allocation_rows *rows = in->rows;

	return &rows->items[row->data];
}

/* A rate a second. */
static uint64_t
per_second(const struct cells *in, double total)
{
	const struct allocation_rows *rows = in->rows;

	return allocation_rounded(total / allocations_rate_seconds(rows->of));
}

/* An upper limit of a rate, which is never rounded down. */
static uint64_t
at_most(const struct cells *in, double total)
{
	const struct allocation_rows *rows = in->rows;

	return allocation_rounded(ceil(total / allocations_rate_seconds(rows->of)));
}

static uint64_t
samples(const struct cells *in, const struct row *row)
{
	return row_of_cells(in, row)->sum.samples;
}

static uint64_t
bytes(const struct cells *in, const struct row *row)
{
	return per_second(in, row_of_cells(in, row)->rate.bytes);
}

static uint64_t
objects(const struct cells *in, const struct row *row)
{
	const struct allocation_sum *rate = &row_of_cells(in, row)->rate;

	return rate->unsized ? UINT64_MAX : per_second(in, rate->objects);
}

static bool
has_interval(const struct cells *in)
{
	const struct allocation_rows *rows = in->rows;

	return rows->of->facts.is_random;
}

/* Columns of the interval: numbers of cell_limit(). */
enum { BYTES_LOW, BYTES_HIGH, OBJECTS_LOW, OBJECTS_HIGH };

static void
cell_limit(const struct cells *in, const struct row *row, unsigned at, struct value *out)
{
	const struct allocation_sum *sum = &row_of_cells(in, row)->rate;
	struct allocation_interval i =
	    at <= BYTES_HIGH ? allocation_bytes_interval(sum) : allocation_objects_interval(sum);
	double limit = at == BYTES_LOW || at == OBJECTS_LOW ? i.low : i.high;

	if (!has_interval(in) || !sum->samples)
		value_blank(out);
	else if (at <= BYTES_HIGH)
		value_bytes(out, per_second(in, limit));
	else
		value_count(out, per_second(in, limit));
}

/* A row may only be alive, or have been sampled only before the time that rates are of; without a
   sample it has no known limit. */
static bool
has_no_samples(const struct cells *in, const struct row *row)
{
	return !row_of_cells(in, row)->rate.samples;
}

static bool
is_rough(const struct cells *in, const struct row *row)
{
	return row_of_cells(in, row)->rate.samples < ALLOCATION_SAMPLES_MIN && has_interval(in);
}

static void
cell_rate(const struct cells *in, const struct row *row, struct value *out)
{
	struct allocation_interval i = allocation_bytes_interval(&row_of_cells(in, row)->rate);
	char text[FORMAT_BYTES];

	if (has_no_samples(in, row))
		value_blank(out);
	else if (is_rough(in, row))
		value_printf(out, STYLE_DIM, "< %s", format_size(at_most(in, i.high), text));
	else
		value_printf(out, STYLE_NUMBER, "%s", format_size(bytes(in, row), text));
}

static void
cell_objects_rate(const struct cells *in, const struct row *row, struct value *out)
{
	struct allocation_interval i = allocation_objects_interval(&row_of_cells(in, row)->rate);
	char text[FORMAT_BYTES];

	if (has_no_samples(in, row) || objects(in, row) == UINT64_MAX)
		value_blank(out);
	else if (is_rough(in, row))
		value_printf(out, STYLE_DIM, "< %s", format_count(at_most(in, i.high), text));
	else
		value_printf(out, STYLE_NUMBER, "%s", format_count(objects(in, row), text));
}

static void
cell_error(const struct cells *in, const struct row *row, struct value *out)
{
	const struct allocation_sum *sum = &row_of_cells(in, row)->rate;
	struct allocation_interval i = allocation_bytes_interval(sum);

	if (!has_interval(in) || is_rough(in, row) || sum->bytes <= 0)
		value_blank(out);
	else
		value_printf(out, STYLE_DIM, "±%.0f%%",
			     ceil(100 * (i.high - sum->bytes) / sum->bytes));
}

static void
cell_share(const struct cells *in, const struct row *row, struct value *out)
{
	const struct allocation_rows *rows = in->rows;

	value_share(out, allocation_rounded(row_of_cells(in, row)->sum.bytes),
		    allocation_rounded(rows->of->facts.total.bytes));
}

static const struct allocation_method *
site_of(const struct cells *in, const struct row *row)
{
	const struct allocation_rows *rows = in->rows;
	uint32_t site = row_of_cells(in, row)->site;

	return site < rows->of->methods_count ? &rows->of->methods[site] : NULL;
}

static uint32_t
others(const struct cells *in, const struct row *row, enum allocation_grouping grouping)
{
	const struct allocation_rows *rows = in->rows;

	return rows->grouping == grouping ? row_of_cells(in, row)->others : 0;
}

static void
cell_type(const struct cells *in, const struct row *row, struct value *out)
{
	const struct allocation_rows *rows = in->rows;
	const char *name = rows->of->types[row_of_cells(in, row)->type].name;
	uint32_t more = others(in, row, ALLOCATIONS_BY_SITE);

	if (more)
		value_printf(out, STYLE_TYPE, "%.400s +%" PRIu32, name, more);
	else
		value_text(out, STYLE_TYPE, name);
}

/* Dim if it is not the application's. */
static enum style
style_of(const struct allocation_method *m)
{
	return m && !m->is_framework && !m->is_unknown ? STYLE_NORMAL : STYLE_DIM;
}

static void
cell_site(const struct cells *in, const struct row *row, struct value *out)
{
	const struct allocation_method *m = site_of(in, row);
	uint32_t more = others(in, row, ALLOCATIONS_BY_TYPE);
	const char *name = m ? m->name : "(without a stack)";
	enum style style = style_of(m);

	if (more)
		value_printf(out, style, "%.400s +%" PRIu32, name, more);
	else
		value_text(out, style, name);
}

static void
cell_module(const struct cells *in, const struct row *row, struct value *out)
{
	const struct allocation_method *m = site_of(in, row);

	value_text(out, STYLE_DIM, m ? m->module : "");
}

static void
cell_frame(const struct cells *in, const struct row *row, struct value *out)
{
	const struct allocation_rows *rows = in->rows;
	const struct allocation_method *m = site_of(in, row);

	if (!m)
		value_text(out, STYLE_TYPE, rows->of->types[row_of_cells(in, row)->type].name);
	else
		value_text(out, style_of(m), m->name);
}

static uint64_t
others_count(const struct cells *in, const struct row *row)
{
	return row_of_cells(in, row)->others;
}

/* clang-format off */
#define M COLUMN_MACHINE
#define S COLUMN_SCREEN
/* The names of a row: what it stands for fills the line, and the other is left out first, so that
   80 columns have rate, live bytes, growth and name. */
#define SITE(width, rank) { "site", "Site", width, UP, CELL(VALUE_TEXT, cell_site), "the innermost method of the application on the stack, or the innermost of all; the type's with most bytes; +N: it has N others", rank, 0, 0 }
#define TYPE(width, rank) { "type", "Type", width, UP, CELL(VALUE_TEXT, cell_type), "the type, or the site's type with most bytes; +N: it has N others", rank, 0, 0 }
	/* id            title        width sorts      cell                                        help                                                          rank flags needs */
#define NUMBERS \
	{ "rate",         "Bytes/s",   13,   UNSORTED,  CELL(VALUE_TEXT, cell_rate),                "bytes allocated a second, estimated; while it is recorded, in the last 10 s; below 30 samples an upper limit, blank for none", 0, S, 0 }, \
	{ "bytes",        "Bytes/s",   11,   DOWN,      NUMBER(VALUE_BYTES, bytes),                 "bytes allocated a second, estimated",                        9, M | COLUMN_RATE, 0 }, \
	{ "bytes_low",    "Low",       11,   DOWN,      CELL_AT(VALUE_BYTES, cell_limit, BYTES_LOW),    "lower limit of its 95 % interval; blank if samples are not random",     9, M | COLUMN_RATE, 0 }, \
	{ "bytes_high",   "High",      11,   DOWN,      CELL_AT(VALUE_BYTES, cell_limit, BYTES_HIGH),   "upper limit of its 95 % interval; blank if samples are not random",     9, M | COLUMN_RATE, 0 }, \
	{ "error",        "Error",     5,    UNSORTED,  CELL(VALUE_TEXT, cell_error),               "half of the 95 % interval of the bytes; blank below 30 samples, or if they are not random", 5, S, 0 }, \
	{ "share",        "Share",     6,    DOWN,      CELL(VALUE_SHARE, cell_share),              "share of all bytes allocated, since the start or z",                               4, 0, 0 }, \
	{ "objects_rate", "Objects/s", 11,   UNSORTED,  CELL(VALUE_TEXT, cell_objects_rate),        "objects allocated a second, estimated, in the same time; below 30 samples an upper limit, blank for none", 6, S, 0 }, \
	{ "objects",      "Objects/s", 11,   DOWN,      NUMBER(VALUE_COUNT, objects),               "objects allocated a second, estimated",                      9, M, 0 }, \
	{ "objects_low",  "Low",       11,   DOWN,      CELL_AT(VALUE_COUNT, cell_limit, OBJECTS_LOW),  "lower limit of its 95 % interval; blank if samples are not random",     9, M, 0 }, \
	{ "objects_high", "High",      11,   DOWN,      CELL_AT(VALUE_COUNT, cell_limit, OBJECTS_HIGH), "upper limit of its 95 % interval; blank if samples are not random",     9, M, 0 }, \
	{ "samples",      "Samples",   7,    DOWN,      NUMBER(VALUE_COUNT, samples),               "objects that were sampled, about one in 100 KB",             7, 0, 0 }, \
	{ "living",       "Alive",     13,   UNSORTED,  CELL(VALUE_TEXT, cell_alive_text),          "bytes still alive, estimated; below 30 samples an upper limit; blank if no collection was reported", 1, S, 0 }, \
	{ "alive",        "Alive",     11,   DOWN,      CELL_AT(VALUE_BYTES, cell_alive, ALIVE_BYTES),  "bytes still alive, estimated; blank if no collection was reported", 9, M, 0 }, \
	{ "alive_low",    "Low",       11,   DOWN,      CELL_AT(VALUE_BYTES, cell_alive, ALIVE_LOW),    "lower limit of its 95 % interval; blank if samples are not random",     9, M, 0 }, \
	{ "alive_high",   "High",      11,   DOWN,      CELL_AT(VALUE_BYTES, cell_alive, ALIVE_HIGH),   "upper limit of its 95 % interval; blank if samples are not random",     9, M, 0 }, \
	{ "alive_objects", "Objects",  11,   DOWN,      CELL_AT(VALUE_COUNT, cell_alive, ALIVE_OBJECTS), "objects still alive, estimated",                            9, M, 0 }, \
	{ "unconfirmed",  "Unconf.",   7,    DOWN,      CELL(VALUE_SHARE, cell_unconfirmed),        "share of the live bytes that only a background collection has found", 8, 0, 0 }, \
	{ "unknown",      "Unknown",   11,   DOWN,      CELL(VALUE_BYTES, cell_unknown),            "bytes neither known to be alive nor to be dead, estimated: the program may have reused their places after a background collection", 8, COLUMN_ESTIMATE, 0 }, \
	{ "oldest",       "Age",       8,    UNSORTED,  CELL(VALUE_TEXT, cell_age_text),            "age of the oldest live sample",                              6, S, 0 }, \
	{ "age",          "Age",       8,    DOWN,      CELL(VALUE_DURATION, cell_age),             "age of the oldest live sample",                              9, M, 0 }, \
	{ "growth",       "Growth/min", 11,  DOWN,      CELL_AT(VALUE_CHANGE_BYTES, cell_growth, GROWTH_BYTES), "growth of the live and unknown bytes a minute; blank before 3 gen2 collections; dim if it may be chance", 2, COLUMN_RATE | COLUMN_ESTIMATE, 0 }, \
	{ "growth_low",   "Low",       11,   DOWN,      CELL_AT(VALUE_CHANGE_BYTES, cell_growth, GROWTH_LOW),   "lower limit of its 95 % interval",                   9, M | COLUMN_RATE, 0 }, \
	{ "growth_high",  "High",      11,   DOWN,      CELL_AT(VALUE_CHANGE_BYTES, cell_growth, GROWTH_HIGH),  "upper limit of its 95 % interval",                   9, M | COLUMN_RATE, 0 }, \
	{ "growth_error", "Error",     11,   UNSORTED,  CELL(VALUE_TEXT, cell_growth_error),        "half of the 95 % interval of the growth",                    7, S, 0 },
#define REST \
	{ "module",       "Module",    -20,  UP,        CELL(VALUE_TEXT, cell_module),              "module of the site",                                         9, M, 0 }, \
	{ "others",       "Others",    6,    DOWN,      NUMBER(VALUE_COUNT, others_count),          "further types of the site, or sites of the type",            9, M, 0 }

static const struct column site_columns[] = { NUMBERS SITE(FILL, 0), TYPE(-28, 3), REST, { 0 } };
static const struct column type_columns[] = { NUMBERS SITE(-28, 3), TYPE(FILL, 0), REST, { 0 } };
/* clang-format on */

/* clang-format off */
static const struct column frame_columns[] = {
	/* id            title        width sorts      cell                                        help                                                          rank flags needs */
	{ "method",       "Method",    FILL, UNSORTED,  CELL(VALUE_TEXT, cell_frame),               "the method; below the last one, the type that it allocates", 0, 0, 0 },
	{ "rate",         "Bytes/s",   13,   UNSORTED,  CELL(VALUE_TEXT, cell_rate),                "bytes allocated a second by these stacks, estimated; while it is recorded, in the last 10 s; below 30 samples an upper limit, blank for none", 0, S, 0 },
	{ "bytes",        "Bytes/s",   11,   UNSORTED,  NUMBER(VALUE_BYTES, bytes),                 "bytes allocated a second by these stacks, estimated",        9, M | COLUMN_RATE, 0 },
	{ "bytes_low",    "Low",       11,   UNSORTED,  CELL_AT(VALUE_BYTES, cell_limit, BYTES_LOW),    "lower limit of its 95 % interval; blank if samples are not random", 9, M | COLUMN_RATE, 0 },
	{ "bytes_high",   "High",      11,   UNSORTED,  CELL_AT(VALUE_BYTES, cell_limit, BYTES_HIGH),   "upper limit of its 95 % interval; blank if samples are not random", 9, M | COLUMN_RATE, 0 },
	{ "error",        "Error",     5,    UNSORTED,  CELL(VALUE_TEXT, cell_error),               "half of the 95 % interval of the bytes; blank below 30 samples, or if they are not random", 3, S, 0 },
	{ "share",        "Share",     6,    UNSORTED,  CELL(VALUE_SHARE, cell_share),              "share of all bytes allocated, since the start or z",                               1, 0, 0 },
	{ "objects_rate", "Objects/s", 11,   UNSORTED,  CELL(VALUE_TEXT, cell_objects_rate),        "objects allocated a second, estimated, in the same time; below 30 samples an upper limit, blank for none", 4, S, 0 },
	{ "objects",      "Objects/s", 11,   UNSORTED,  NUMBER(VALUE_COUNT, objects),               "objects allocated a second, estimated",                      9, M, 0 },
	{ "samples",      "Samples",   7,    UNSORTED,  NUMBER(VALUE_COUNT, samples),               "objects that were sampled, about one in 100 KB",             5, 0, 0 },
	{ "module",       "Module",    -20,  UNSORTED,  CELL(VALUE_TEXT, cell_module),              "module of the method",                                       9, M, 0 },
	{ 0 },
};
const struct table allocation_callers_table = { .name = "callers", .columns = frame_columns };
const struct table allocation_callees_table = { .name = "callees", .columns = frame_columns };
/* clang-format on */

const struct table allocations_table = {
	.name = "allocations",
	.columns = site_columns,
};
const struct table allocations_by_type_table = {
	.name = "allocations",
	.columns = type_columns,
};

/* --- stacks --------------------------------------------------------------- */

static void
print_frame(FILE *to, const char *name)
{
	char clean[1024];

	text_clean(name, clean, sizeof clean);
	for (const char *at = clean; *at; at++)
		putc_unlocked(*at == ';' ? ':' : *at, to);
}

bool
allocations_print_stacks(const struct allocations *a, FILE *to, struct error *err)
{
	uint32_t path[ALLOCATION_FRAMES];

	(void)err;
	for (uint32_t i = 0; i < a->cells_count && !ferror(to); i++) {
		const struct allocation_cell *c = &a->cells[i];
		uint32_t depth = 0, n = c->node;

		for (; n && depth < ALLOCATION_FRAMES; n = a->nodes[n].parent)
			path[depth++] = a->nodes[n].method;
		while (depth--) {
			print_frame(to, a->methods[path[depth]].name);
			putc_unlocked(';', to);
		}
		print_frame(to, a->types[c->type].name);
		fprintf(to, " %" PRIu64 "\n", allocation_rounded(c->sum.bytes));
	}
	return true;
}
