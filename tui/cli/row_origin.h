#ifndef TUI_CLI_ROW_ORIGIN_H
#define TUI_CLI_ROW_ORIGIN_H

/*
 * --origin: the members before the columns of each printed row that say where
 * its heap is from, so that the rows of many heaps can be put together. A member whose value is not
 * known is blank.
 */
#include "model/heap/origin.h"
#include "model/table/table_writer.h"

enum {
	ORIGIN_OWN = 8, /* members that every row has */
	ORIGIN_LABELS_MAX = 16,
	ORIGIN_NAME_BYTES = 32, /* of a label's name */
};

struct row_labels {
	const char *labels[ORIGIN_LABELS_MAX];
	int count;
};

struct row_origin {
	const struct table_writer *writer;
	/* The last one is never written: what a column stands for goes there.
	 */
	struct table_member members[ORIGIN_OWN + ORIGIN_LABELS_MAX + 1];
	int count;
	char names[ORIGIN_LABELS_MAX][ORIGIN_NAME_BYTES];
	int names_count;
};

/* Adds a label, which is borrowed. False sets `err`: it is not NAME=VALUE, or there are too many.
 */
bool row_origin_take_label(struct row_labels *all, const char *label, struct error *err) MUST_USE;
/*
 * Collects the members for the heap, then the labels, of which the last with a name counts, and
 * gives them to the writer, whose columns are chosen. A column with the name of a member stands for
 * it: the time of a heap walk is its own.
 */
void row_origin_give(struct row_origin *r, struct table_writer *t, const struct heap *h,
		     const struct row_labels *labels);

#endif
