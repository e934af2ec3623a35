#include "model/tables/tables.h"
#include "model/heap/origin.h"

static const struct heap_info *
info_of(const struct cells *in)
{
	return &in->facts->heap->info;
}

static void
give_text(const char *text, struct value *out)
{
	if (text && *text)
		value_text(out, STYLE_NORMAL, text);
	else
		value_blank(out);
}

static void
cell_source(const struct cells *in, const struct row *row, struct value *out)
{
	(void)row;
	give_text(info_of(in)->source, out);
}

static void
cell_format(const struct cells *in, const struct row *row, struct value *out)
{
	(void)row;
	give_text(info_of(in)->format, out);
}

/* The program of a capture has its whole name, the process perhaps not. */
static void
cell_process(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_info *info = info_of(in);

	(void)row;
	give_text(*info->program ? info->program : info->process, out);
}

static void
cell_host(const struct cells *in, const struct row *row, struct value *out)
{
	(void)row;
	give_text(info_of(in)->machine, out);
}

static void
cell_pod(const struct cells *in, const struct row *row, struct value *out)
{
	(void)row;
	give_text(info_of(in)->pod, out);
}

static void
cell_container(const struct cells *in, const struct row *row, struct value *out)
{
	(void)row;
	give_text(info_of(in)->container, out);
}

static void
cell_id(const struct cells *in, const struct row *row, struct value *out)
{
	char id[HEAP_ID_BYTES];

	(void)row;
	heap_id(in->facts->heap, id);
	value_printf(out, STYLE_NORMAL, "%s", id);
}

/* Returns the warnings, one sentence after another; NULL: none. */
static const char *
whole_warnings(const struct cells *in, const struct row *row, struct arena *a)
{
	const struct heap_info *info = info_of(in);
	struct error ignored = { 0 };
	const char *text = NULL;

	(void)row;
	for (uint32_t i = 0; i < info->warnings_count; i++)
		text = arena_printf(a, &ignored, "%s%s%s", text ? text : "", text ? "; " : "",
				    info->warnings[i]);
	return text;
}

static void
cell_warnings(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_info *info = info_of(in);

	(void)row;
	if (info->warnings_count)
		value_printf(out, STYLE_NORMAL, "%.300s", info->warnings[0]);
	else
		value_blank(out);
}

static void
cell_time(const struct cells *in, const struct row *row, struct value *out)
{
	(void)row;
	value_time(out, info_of(in)->time);
}

static uint64_t
number_objects(const struct cells *in, const struct row *row)
{
	(void)row;
	return heap_types_objects(in->facts->heap);
}

static void
cell_complete(const struct cells *in, const struct row *row, struct value *out)
{
	(void)row;
	value_text(out, STYLE_NORMAL, losses_are_incomplete(&info_of(in)->losses) ? "no" : "yes");
}

/* The record is the heap itself. */
static const void *
record(const struct cells *in, const struct row *row)
{
	(void)row;
	return in->facts->heap;
}

static uint32_t
one(const struct cells *in)
{
	(void)in;
	return 1;
}

static void
make_row(const struct cells *in, const void *record, struct row *out)
{
	(void)in;
	(void)record;
	*out = row_of(ROW_PLAIN);
}

static const struct row_source rows = { .count = one, .row = make_row };

/* clang-format off */
static const struct column columns[] = {
	/* id        title       width sorts  cell                                 help                                                  rank flags needs */
	{ "source",   "Source",   FILL, UP,   CELL(VALUE_TEXT, cell_source),       "the file or process that it was read from",          0, 0, 0 },
	{ "format",   "Format",   -12,  UP,   CELL(VALUE_TEXT, cell_format),       "the format of that file, or the way of the capture",       0, 0, 0 },
	{ "time",     "Time",     -19,  UP,   CELL(VALUE_TEXT, cell_time),         "when it was taken, by the clock of its machine",     0, 0, 0 },
	{ "host",     "Host",     -20,  UP,   CELL(VALUE_TEXT, cell_host),         "the machine's name, where the source has it",        0, 0, 0 },
	{ "pod",      "Pod",      -20,  UP,   CELL(VALUE_TEXT, cell_pod),          "the Kubernetes pod of a capture",                    0, 0, 0 },
	{ "container","Container",-20,  UP,   CELL(VALUE_TEXT, cell_container),    "the container of a capture",                         0, 0, 0 },
	{ "process",  "Process",  -20,  UP,   CELL(VALUE_TEXT, cell_process),      "the program's name, where the source has it",        0, 0, 0 },
	{ "pid",      "PID",      8,    UP,   NONZERO_AT(VALUE_PLAIN, struct heap, info.pid),     "the process ID, where the source has it",            0, 0, 0 },
	{ "objects",  "Objects",  11,   DOWN, NUMBER(VALUE_COUNT, number_objects), "number of objects",                                  0, 0, 0 },
	{ "size",     "Size",     11,   DOWN, BYTES_AT(struct heap, bytes_count),    "bytes of all objects",                               0, 0, 0 },
	{ "refs",     "Refs",     11,   DOWN, COUNT_AT(struct heap, refs_count),    "number of references",                               0, 0, 0 },
	{ "roots",    "Roots",    11,   DOWN, COUNT_AT(struct heap, roots_count),   "number of roots",                                    0, 0, 0 },
	{ "complete", "Complete", -8,   UP,   CELL(VALUE_TEXT, cell_complete),     "yes; or no: objects, references or roots are missing", 0, 0, 0 },
	{ "missing",  "Missing",  -40,  UP,   LONG_TEXT(cell_warnings, whole_warnings), "what is missing or uncertain, as sentences",    0, 0, 0 },
	{ "heap_id",  "Heap ID",  -16,  UP,   CELL(VALUE_TEXT, cell_id),           "the same for the same heap in every file of it",     0, 0, 0 },
	{ 0 },
};
/* clang-format on */

const struct table snapshot_table = {
	.name = "snapshots",
	.columns = columns,
	.needs = NEED_OBJECTS,
	.record = record,
	.rows = &rows,
};
