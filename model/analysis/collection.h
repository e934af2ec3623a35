#ifndef MODEL_ANALYSIS_COLLECTION_H
#define MODEL_ANALYSIS_COLLECTION_H

/*
 * The content of a collection of the base library, as the program sees it: the elements of a list,
 * set or queue, the keys and values of a dictionary, the text of a StringBuilder, the entries of a
 * delegate. A wrapper has the elements of the collection or array behind it. Fields are found by
 * name (model/heap/contents.h); the names are those of .NET 8 to 11.
 *
 * An object that does not look like a collection is none; show its fields instead. A collection
 * that ends early, because of damage or a change while it was read, is marked as short and has the
 * elements that were found. Elements are searched only as far as requested: 10 ns for a place in a
 * hash table, 1 to 2 µs for a node of a list or tree; each row costs about 2 µs. Each element found
 * takes 8 bytes unless elements are adjacent.
 */
#include "model/heap/contents.h"

struct collection;

/* Returns NULL without an error if it is not a collection. Free it with collection_close(). */
struct collection *collection_open(const struct heap *h, node_id n, struct error *err) MUST_USE;
void collection_close(struct collection *c); /* NULL is allowed */

/*
 * Rows like those of contents_ops.rows. An element begins with a row named "[3]", or "[key]" with
 * the value; the fields of a struct follow, then a key that does not fit into a name.
 */
bool collection_rows(struct collection *c, uint64_t first, size_t count, struct content *rows,
		     size_t *rows_count, uint64_t *total, struct arena *a,
		     struct error *err) MUST_USE;

/* Returns "element", "text" (a StringBuilder has one) or "method". */
const char *collection_noun(const struct collection *c);
uint64_t collection_count(const struct collection *c);
/* Returns the number of places for elements; 0 means as many as there are elements. */
uint64_t collection_capacity(const struct collection *c);
/* Returns true if fewer elements were found than the collection claims. */
bool collection_is_short(const struct collection *c);

#endif
