#ifndef MODEL_GC_TABLE_H
#define MODEL_GC_TABLE_H

/*
 * Garbage collections as tables: one row for each collection (the view `gcs`, the lines of -g, CSV
 * and JSON), and one for each generation of each heap of one collection (the view `gc`). The rows
 * of both tables are a struct gc_cells.
 */
#include "model/gc/log.h"
#include "model/table/table.h"

struct gc_cells {
	/* gc_table: row `data` is a record of this log. */
	const struct gc_log *log;
	/* gc_part_table: row `data` is a part of this record: gc_part(). */
	const struct gc_record *record;
};

extern const struct table gc_table, gc_part_table;

/*
 * Parts of a record: its generations over all heaps, then those of each heap, GC_GENERATIONS each.
 */
struct gc_part {
	const struct gc_heap *heap; /* NULL: sums over all heaps */
	const struct gc_generation *generations;
	int generation;
};
size_t gc_parts_count(const struct gc_record *r);
struct gc_part gc_part(const struct gc_record *r, size_t part);

/* "14:02:11.123", local time; "" if unknown. */
enum { GC_TIME_BYTES = 40 };
const char *gc_time_text(int64_t time, char out[GC_TIME_BYTES]);
/* "2026-11-21T14:02:11.123456Z" */
const char *gc_time_iso(int64_t time, char out[GC_TIME_BYTES]);

#endif
