/* The table of the process's resident memory, by use. */
#include "model/analysis/resident.h"
#include "model/analysis/tables.h"
#include "model/base/arena.h"
#include "model/base/format.h"
#include "model/heap/memory.h"

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	(void)about;
	(void)progress;
	return resident_rows_make(made, f, err);
}

static void
clear(void *made)
{
	struct resident_rows *rows = made;

	memory_free(rows->items);
}

static void
cell_growth(const struct cells *in, const struct row *row, struct value *out)
{
	const struct resident_rows *rows = in->rows;
	const struct resident_row *r = &rows->items[row->data];

	if (r->before == UINT64_MAX)
		value_blank(out);
	else
		value_change_bytes(out, r->before, r->bytes);
}

/* --- heading ------------------------------------------------------------- */

/* "+1.20 GiB" */
static const char *
change_text(uint64_t before, uint64_t now, char out[FORMAT_BYTES + 1])
{
	out[0] = now < before ? '-' : '+';
	format_size(now < before ? before - now : now - before, out + 1);
	return out;
}

static bool
put_growth(const struct facts *f, struct value *out)
{
	const struct resident now = resident_of(f->heap);
	char all[FORMAT_BYTES], managed[FORMAT_BYTES + 1], native[FORMAT_BYTES + 1];
	bool is_less;

	if (!f->earlier || now.bytes == f->earlier->bytes)
		return false;
	is_less = now.bytes < f->earlier->bytes;
	value_printf(
	    out, STYLE_NORMAL, "%s %s than in the capture before: managed %s, native %s",
	    format_size(is_less ? f->earlier->bytes - now.bytes : now.bytes - f->earlier->bytes,
			all),
	    is_less ? "less" : "more",
	    change_text(f->earlier->parts[RESIDENT_MANAGED].bytes,
			now.parts[RESIDENT_MANAGED].bytes, managed),
	    change_text(resident_native(f->earlier), resident_native(&now), native));
	return true;
}

static bool
put_limits(const struct facts *f, struct value *out)
{
	const struct resident *r = &f->heap->info.resident;
	char used[FORMAT_BYTES], limit[FORMAT_BYTES], swapped[FORMAT_BYTES];
	char more[64] = "";

	if (r->swapped_bytes)
		snprintf(more, sizeof more, "%s%s swapped out", r->cgroup_limit ? "; " : "",
			 format_size(r->swapped_bytes, swapped));
	if (r->cgroup_limit)
		value_printf(out, STYLE_DIM, "its cgroup counts %s of %s%s",
			     format_size(r->cgroup_bytes, used),
			     format_size(r->cgroup_limit, limit), more);
	else if (*more)
		value_printf(out, STYLE_DIM, "%s", more);
	else
		return false;
	return true;
}

/* Says how much of malloc()'s memory is in use. */
static bool
put_malloc(const struct facts *f, struct value *out)
{
	const struct heap_memory *m = f->heap->memory;
	char used[FORMAT_BYTES], all[FORMAT_BYTES], count[FORMAT_BYTES];

	if (m && m->malloc.arenas_count)
		value_printf(out, STYLE_DIM, "%s arena%s of malloc %s %s of %s in use",
			     format_count(m->malloc.arenas_count, count),
			     plural(m->malloc.arenas_count),
			     m->malloc.arenas_count == 1 ? "has" : "have",
			     format_size(m->malloc.system_bytes - m->malloc.free_bytes, used),
			     format_size(m->malloc.system_bytes, all));
	else if (m && m->malloc.other)
		value_printf(out, STYLE_DIM, "malloc is that of %s, whose heaps are not read",
			     m->malloc.other);
	else
		return false;
	return true;
}

/* Says what the source cannot tell. */
static bool
put_reservation(const struct facts *f, struct value *out)
{
	const struct heap *h = f->heap;
	const char *text =
	    h->info.resident.detail == RESIDENT_SUMS
		? "its mappings may not be read: of native memory only the sum is known; run "
		  "heaptop as root"
	    : h->info.resident.detail == RESIDENT_PRESENT
		? "of memory that is in the core, without pages of zeros (above 1 GiB: about); "
		  "pages of files are mostly not in it"
	    : !h->info.resident.parts[RESIDENT_COLLECTOR].bytes
		? "events do not show the collector's tables, which are in other; -m does"
		: NULL;

	if (text)
		value_text(out, STYLE_DIM, text);
	return text != NULL;
}

static bool
put_sentence(const struct facts *f, struct value *out)
{
	char text[RESIDENT_TEXT_BYTES];

	value_printf(out, STYLE_NORMAL, "%s", resident_text(f->heap, text));
	return true;
}

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	static bool (*const lines[])(const struct facts *f,
				     struct value *out) = { put_sentence, put_growth, put_malloc,
							    put_limits, put_reservation };

	if (in->facts->heap->info.resident.detail == RESIDENT_UNKNOWN)
		return false;
	for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++)
		if (lines[i](in->facts, out) && !line--)
			return true;
	return false;
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title       width sorts     cell                                                help                                      rank flags needs */
	{ "kind",    "Kind",     -10,  UNSORTED, TEXT_AT(STYLE_HEADER, struct resident_row, id),     "use of the memory",                            0, 0, 0 },
	{ "bytes",   "Resident", 11,   DOWN,     BYTES_AT(struct resident_row, bytes),               "resident bytes; of a core the bytes in it",    0, 0, 0 },
	{ "share",   "Share",    6,    DOWN,     SHARE_AT(struct resident_row, bytes, whole),        "part of all resident memory",                  1, COLUMN_BAR, 0 },
	{ "growth",  "Growth",   11,   DOWN,     CELL(VALUE_CHANGE_BYTES, cell_growth),              "bytes since the capture of the process before it", 2, 0, 0 },
	{ "count",   "Count",    8,    DOWN,     KNOWN_AT(VALUE_COUNT, struct resident_row, count),  "regions, threads, arenas, files or mappings",  3, 0, 0 },
	{ "meaning", "Meaning",  FILL, UNSORTED, TEXT_AT(STYLE_DIM, struct resident_row, meaning),   "what it is, and the view that shows more",     0, COLUMN_SCREEN, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "adding up memory",
	.made_of = NEED_REACH,
	ROWS_IN(struct resident_rows, items, count),
	.make = make,
	.clear = clear,
};

const struct table resident_table = {
	.name = "resident",
	.columns = columns,
	.needs = NEED_OBJECTS | NEED_REACH,
	.rows = &rows,
	.heading = heading,
};
