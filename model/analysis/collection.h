#ifndef MODEL_ANALYSIS_COLLECTION_H
#define MODEL_ANALYSIS_COLLECTION_H

/*
 * What is in a collection of the base library, as the program sees it: the
 * elements of a list, a set, a queue, the keys and values of a dictionary, the
 * text of a StringBuilder, the entries of a delegate; of what stands before
 * another collection, or for a part of an array, the elements of that. By the
 * names of fields (model/heap/contents.h), as .NET 8, 9 and 10 have them.
 *
 * What does not look like one is none, and is to be shown as its fields. What
 * ends too early (damage, or a change while it was read) says so, and has the
 * elements that were found. Elements are looked for as far as somebody asks:
 * 10 ns a place of a hash table, 1 to 2 µs a node of a list or a tree; each row
 * costs some 2 µs. Takes 8 bytes an element that was found, where they are not
 * one behind the other.
 */
#include "model/heap/contents.h"

struct collection;

/* NULL without an error: it is none. To be closed. */
struct collection *collection_open(const struct heap *h, node_id n,
				   struct error *err) MUST_USE;
void collection_close(struct collection *c); /* NULL is allowed */

/*
 * Rows as contents_ops.rows has them: of each element "[3]", or "[key]" and
 * the value; if it is a structure its fields below; then a key that does not
 * fit in a name.
 */
bool collection_rows(struct collection *c, uint64_t first, size_t count,
		     struct content *rows, size_t *rows_count, uint64_t *total,
		     struct arena *a, struct error *err) MUST_USE;

/* What it has: "element", "text" (1 of a StringBuilder), "method". */
const char *collection_noun(const struct collection *c);
uint64_t collection_count(const struct collection *c);
/* How many places there are for elements; 0: as many as there are elements. */
uint64_t collection_capacity(const struct collection *c);
/* Fewer elements were found than it says to have. */
bool collection_is_short(const struct collection *c);

#endif
