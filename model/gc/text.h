#ifndef MODEL_GC_TEXT_H
#define MODEL_GC_TEXT_H

/* Sentences about one collection, and about all of them. */
#include "model/gc/log.h"

enum { GC_TEXT_BYTES = 512 };
/*
 * Describes a collection, line by line from 0 on: its kind and reasons, times, sources of marked
 * objects, memory. Unknown values are omitted. False: no such line, or it is empty.
 */
enum { GC_TEXT_LINES = 4 };
bool gc_text_line(const struct gc_record *r, unsigned line, char out[GC_TEXT_BYTES]);

/* Whether there are none because none were recorded, as far as is known. */
bool gc_summary_is_absent(const struct gc_summary *s);
/* The same for all collections: counts, pauses, the rest, losses. */
bool gc_summary_text(const struct gc_summary *s, unsigned line, char out[GC_TEXT_BYTES]);
/* All collections in one line, for the top of a screen. */
const char *gc_summary_short(const struct gc_summary *s, char out[GC_TEXT_BYTES]);

#endif
