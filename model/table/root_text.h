#ifndef MODEL_TABLE_ROOT_TEXT_H
#define MODEL_TABLE_ROOT_TEXT_H

/*
 * Roots in words, the same in every table and sentence; and what is said of
 * objects without a root, which depends on whether all roots are known.
 */
#include "model/table/facts.h"
#include "model/table/value.h"

/* "static Sessions", "strong handle", "stack Main". */
const char *describe_root(const struct root *root, char *out, size_t out_size);
/* The same as a cell, with the source's own words for searching. */
void describe_root_value(const struct root *root, struct value *out);
/* The same where there is room to say what a dependent handle is. */
void describe_root_row(const struct root *root, struct value *out);
/* The root that keeps an object; "no root", or "unknown" if some were lost. */
void describe_root_of(const struct facts *f, node_id node, struct value *out);
/* In the place of a root: "no root", or "unknown". */
const char *describe_none(const struct heap *h);
/* Behind "5 objects": " without a root", or that this is not known. */
const char *describe_rootless(const struct heap *h);
/* Unreachable bytes and objects: blank if kinds of roots are missing. */
void describe_dead_bytes(const struct heap *h, uint64_t bytes,
			 struct value *out);
void describe_dead_count(const struct heap *h, uint64_t count,
			 struct value *out);

#endif
