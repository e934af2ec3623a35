#ifndef MODEL_GC_TEXT_H
#define MODEL_GC_TEXT_H

/* Sentences about one collection, and about all of them. */
#include "model/gc/log.h"

enum { GC_TEXT_BYTES = 512 };
/*
 * One collection, line by line from 0 on: what it was and why, where the time
 * went, what was marked, what memory there is. What is not known is left out.
 * False: no such line.
 */
enum { GC_TEXT_LINES = 4 };
bool gc_text_line(const struct gc_record *r, unsigned line,
		  char out[GC_TEXT_BYTES]);

/* All of them, likewise: counts, pauses, the rest, what is missing. */
bool gc_summary_text(const struct gc_summary *s, unsigned line,
		     char out[GC_TEXT_BYTES]);
/* In one line, for the top of a screen; what matters most first. */
const char *gc_summary_short(const struct gc_summary *s,
			     char out[GC_TEXT_BYTES]);

#endif
