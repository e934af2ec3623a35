#ifndef IO_RUNTIME_METHOD_TABLE_H
#define IO_RUNTIME_METHOD_TABLE_H

/*
 * All that a method table says of its type, for whoever has its address: the
 * one of an object's header, or of another tool. A few small reads.
 *
 *   class    the record that instances of a generic type share: the table's
 *            own, or that of the canonical table; it leads back to that
 *   8 below  i64  how many series of references its objects have
 */
#include "io/runtime/names.h"
#include "io/runtime/runtime.h"
#include "model/heap/memory.h"

/* False sets `err`: there is none at that address. Texts are in `a`. */
bool clr_method_table_read(struct content_table *out,
			   const struct clr_runtime *rt,
			   const struct clr_names *names, uint64_t address,
			   struct arena *a, struct error *err) MUST_USE;

#endif
