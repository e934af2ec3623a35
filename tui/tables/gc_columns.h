#ifndef TUI_TABLES_GC_COLUMNS_H
#define TUI_TABLES_GC_COLUMNS_H

/*
 * What is told of a garbage collection: the columns of the view `gcs`, of the
 * lines of -g and of CSV, and the members of JSON, all from one table. And
 * those of the table of one collection, heap by heap and generation by
 * generation.
 *
 * Cells take their record out of v->state, which begins with a struct gc_cells.
 */
#include "model/gc/log.h"
#include "tui/widget/view.h"

struct gc_cells {
	/* Row `data` is a record of the log… */
	const struct gc_log *log;
	/* …or, for gc_part_columns, a part of this record: gc_part(). */
	const struct gc_record *record;
};

extern const struct column gc_columns[]; /* end with {0} */
extern const struct column gc_part_columns[];

/*
 * The parts of a record: its generations over all heaps, then those of each
 * heap. GC_GENERATIONS parts of each.
 */
struct gc_part {
	const struct gc_heap *heap; /* NULL: all together */
	const struct gc_generation *generations;
	int generation;
};
size_t gc_parts_count(const struct gc_record *r);
struct gc_part gc_part(const struct gc_record *r, size_t part);

/* "14:02:11.123", in local time; "" if it is not known. */
enum { GC_TIME_BYTES = 40 };
const char *gc_time_text(int64_t time, char out[GC_TIME_BYTES]);
/* "2026-11-21T14:02:11.123456Z" */
const char *gc_time_iso(int64_t time, char out[GC_TIME_BYTES]);

#endif
