#ifndef TUI_CLI_GC_LINES_H
#define TUI_CLI_GC_LINES_H

/*
 * `heaptop -g` as text: a line for each collection as it ends, written out at
 * once, and the sums at the end. Data goes to `to`, all else to `notes`.
 */
#include "model/gc/log.h"
#include "model/table/table_writer.h"

struct gc_lines {
	FILE *to, *notes;
	struct table_writer table, parts; /* columns: of collections, of -v */
	bool is_verbose;       /* generation by generation, heap by heap */
	uint64_t min_pause_ns; /* shorter ones are counted, not printed */
	uint64_t rows_max;
	bool counts_all; /* also what is behind those */
	uint64_t printed;
	int errnum;          /* why nothing can be written any more; 0 */
	uint64_t titles_due; /* lines until they are repeated, in text */
	struct gc_log log;   /* the newest; the sums */
};

/*
 * TABLE_JSON is the same as TABLE_JSONL here; TABLE_MD is refused. `columns` as
 * for table_writer_choose().
 */
bool gc_lines_init(struct gc_lines *l, FILE *to, FILE *notes,
		   enum table_format format, const char *columns,
		   struct error *err) MUST_USE;
void gc_lines_clear(struct gc_lines *l);
/* False: no more is wanted, or nothing can be written any more. */
bool gc_lines_take(struct gc_lines *l, struct gc_record *r);
/* Why it has ended, and the sums: line by line, for people. */
void gc_lines_sum_up(FILE *notes, const struct gc_summary *s,
		     const struct gc_source_facts *facts);

#endif
