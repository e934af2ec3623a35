#ifndef IO_GCLOG_WRITE_H
#define IO_GCLOG_WRITE_H

/*
 * Writes a heap as a GC log (scan.h), as the Remote Performance Monitor does: lower case, CR LF, a
 * section for each application domain or one for all; first the types, then the objects in order,
 * each with its roots.
 *
 * The format has no modules, fields, generations or losses, and fewer kinds of roots: other kinds
 * become handles. A heap read from a GC log is written back unchanged.
 */
#include "io/base/output.h"
#include "model/base/progress.h"
#include "model/heap/heap.h"

/* Does not close `to`; errors of writing are left to output_close(). */
bool gclog_write(struct output *to, const struct heap *h, struct progress *progress,
		 struct error *err) MUST_USE;
/* Names the features that other readers of the file may not support; NULL: the file has none. */
const char *gclog_write_warning(const struct heap *h);

#endif
