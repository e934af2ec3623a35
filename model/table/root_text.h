#ifndef MODEL_TABLE_ROOT_TEXT_H
#define MODEL_TABLE_ROOT_TEXT_H

/* Roots in words, the same in every table and sentence; and the wording for objects without a root,
   which depends on whether all roots are known. */
#include "model/table/facts.h"
#include "model/table/value.h"

/* Adds "static Sessions", "strong handle" or "stack Main", or writes it to a buffer. */
void add_root(const struct root *root, struct text *out);
const char *describe_root(const struct root *root, char *out, size_t out_size);
/* Fills a cell with that text, and the source's own label for searching. */
void describe_root_value(const struct root *root, struct value *out);
/* Fills a wide cell, which also explains dependent handles. */
void describe_root_row(const struct root *root, struct value *out);
/* Fills a cell with the root that keeps an object alive; "no root", or "unknown" if some roots are
   missing. */
void describe_root_of(const struct facts *f, node_id node, struct value *out);
/* Returns the text in place of a root: "no root", or "unknown". */
const char *describe_none(const struct heap *h);
/* Returns the text after "5 objects": " without a root", or that roots are unknown. */
const char *describe_rootless(const struct heap *h);
/* Fills a cell with unreachable bytes or objects; blank if kinds of roots are missing. */
void describe_dead_bytes(const struct heap *h, uint64_t bytes, struct value *out);
void describe_dead_count(const struct heap *h, uint64_t count, struct value *out);

#endif
