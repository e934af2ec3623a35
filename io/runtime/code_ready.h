#ifndef IO_RUNTIME_CODE_READY_H
#define IO_RUNTIME_CODE_READY_H

/*
 * Precompiled code (ReadyToRun). The image's module leads to a description,
 * and that to the one that describes the code: its own, or that of a composite image, which has the
 * code of several modules.
 *
 *   functions  entries { u32 begin, end, unwind data }, sorted by begin: a
 *              method, its funclets, the next method
 *   cold map   pairs of indices { cold, hot }, sorted: the entries from `cold`
 *              on, up to those of the next pair, are the rest of the method
 *              `hot`
 *   methods    a hash map from the address of a method's code to its record; it
 *              has the methods that were called. 64 bytes each: four keys, four
 *              values; the first one is the header, whose first u32 is the
 *              number of the others
 *
 * A funclet is no key; the method is the first key before it. As that may be another method's where
 * this one was not called, the code's length from the method's GC info decides, less its cold code:
 * an address beyond it has no known method.
 */
#include "io/runtime/code_search.h"

/* Finds the method in the section of a precompiled image. */
bool clr_code_find_ready(struct clr_code_search *s) MUST_USE;

#endif
