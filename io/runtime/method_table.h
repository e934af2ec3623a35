#ifndef IO_RUNTIME_METHOD_TABLE_H
#define IO_RUNTIME_METHOD_TABLE_H

/*
 * Describes the type of a method table, given its address. Costs a few small reads.
 *
 *   class    EEClass, which generic instances share: the method table's own or
 *            that of the canonical one; the class points back to that
 *   8 below  i64  number of reference series in its objects (GCDesc)
 */
#include "io/runtime/names.h"
#include "io/runtime/runtime.h"
#include "model/heap/memory.h"

/* False sets `err`: no method table is at `address`. Texts are in `a`. */
bool clr_method_table_read(struct content_table *out, const struct clr_runtime *rt,
			   const struct clr_names *names, uint64_t address, struct arena *a,
			   struct error *err) MUST_USE;

#endif
