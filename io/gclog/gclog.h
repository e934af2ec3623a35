#ifndef IO_GCLOG_GCLOG_H
#define IO_GCLOG_GCLOG_H

/*
 * Reads GC logs (.gclog) of the .NET Compact Framework's Remote Performance Monitor: text, one
 * record a line (scan.h). Loads whatever can be understood; everything else is reported with its
 * place (report.h) in the heap's warnings, and counted in its losses.
 *
 * Several sections become one heap: an object's address is its id plus 2^40 for each section
 * before, and the module of its type is the section's name. An object that is referenced but not
 * defined gets the type "<missing object>" and size 0, so that its referrers can be shown.
 *
 * Three fast passes over the text. Memory: the text, the heap and its staging, and about 1.5 bytes
 * an object.
 */
#include "model/heap/source.h"

extern const struct source source_gclog;

#define GCLOG_MISSING_TYPE "<missing object>"

/* Reads bytes in memory; messages begin with how->path. how->is_forced: accepts a text even if so
   many lines are bad that it is hardly a GC log. */
const struct heap *gclog_read(const uint8_t *data, size_t len, const struct load_how *how,
			      struct error *err) MUST_USE;

#endif
