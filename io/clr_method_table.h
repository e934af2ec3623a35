#ifndef IO_CLR_METHOD_TABLE_H
#define IO_CLR_METHOD_TABLE_H

/*
 * All that a method table says of its type, for whoever has its address: the
 * one of an object's header, or of another tool. A few small reads.
 *
 *   class    the record that instances of a generic type share: the table's
 *            own, or that of the canonical table; it leads back to that
 *   8 below  i64  how many series of references its objects have
 */
#include "io/clr_names.h"
#include "io/clr_runtime.h"
#include "model/heap_memory.h"

/* False sets `err`: there is none at that address. Texts are in `a`. */
bool clr_method_table_read(struct content_table *out,
			   const struct clr_runtime *rt,
			   const struct clr_names *names, uint64_t address,
			   struct arena *a, struct error *err) MUST_USE;

#endif
