#ifndef TUI_CLI_GC_LINES_H
#define TUI_CLI_GC_LINES_H

/*
 * `heaptop -g` as text: a line for each collection, flushed as soon as it ends, then totals. Rows
 * go to `to`, everything else to `notes`.
 */
#include "model/gc/log.h"
#include "model/table/table_writer.h"

struct gc_lines {
	FILE *to, *notes;
	struct table_writer table, parts; /* columns of collections; of -v */
	bool is_verbose;                  /* -v: a row for each generation of each heap */
	uint64_t min_pause_ns;            /* shorter collections are counted, not printed */
	uint64_t rows_max;
	bool counts_all; /* count collections beyond rows_max too */
	uint64_t printed;
	int errnum;          /* of the first failed write; 0: none */
	uint64_t titles_due; /* lines until the titles are repeated */
	struct gc_log log;   /* the newest collections, and totals */
};

/*
 * TABLE_JSON is treated as TABLE_JSONL; TABLE_MD is refused. `columns` is as for
 * table_writer_choose(). Call gc_lines_clear() even after a failure.
 */
bool gc_lines_init(struct gc_lines *l, FILE *to, FILE *notes, enum table_format format,
		   const char *columns, struct error *err) MUST_USE;
void gc_lines_clear(struct gc_lines *l);
/* Prints a collection and empties `r`. False: stop, or writing has failed. */
bool gc_lines_take(struct gc_lines *l, struct gc_record *r);
/* Prints why the source ended, and the totals. */
void gc_lines_sum_up(FILE *notes, const struct gc_summary *s, const struct gc_source_facts *facts);

#endif
