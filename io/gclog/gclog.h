#ifndef IO_GCLOG_GCLOG_H
#define IO_GCLOG_GCLOG_H

/*
 * Reads GC logs (.gclog) of the .NET Compact Framework's Remote Performance
 * Monitor: text, a record a line (scan.h). Loads whatever can be
 * understood; all else is told with its place (report.h) in the heap's
 * warnings, and counted in its losses.
 *
 * Several sections become one heap: an object's address is its id, plus 2^40
 * for each section before; the module of its type is the section's name. What
 * is referred to and not defined becomes an object of type "<missing object>"
 * and size 0, so that its referrers can be seen.
 *
 * Three quick passes over the text; besides it, the heap and its staging,
 * about 1.5 bytes an object.
 */
#include "model/heap/source.h"

extern const struct source source_gclog;

#define GCLOG_MISSING_TYPE "<missing object>"

/*
 * Of bytes in memory; `file` is what messages begin with. `is_forced`: also if
 * so much is bad that it is hardly a GC log.
 */
const struct heap *gclog_read(const uint8_t *data, size_t len, const char *file,
			      bool is_forced, struct progress *progress,
			      struct error *err) MUST_USE;

#endif
