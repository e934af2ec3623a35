#ifndef MODEL_GC_WORDS_H
#define MODEL_GC_WORDS_H

/*
 * Names for the runtime's numbers in a gc_record. NULL: the number is not known, of a later
 * version.
 */
#include "model/gc/log.h"

const char *gc_reason_text(uint32_t reason);    /* "allocation" */
const char *gc_kind_text(uint32_t kind);        /* "background" */
const char *gc_mode_text(uint32_t mode);        /* "interactive" */
const char *gc_mark_text(int mark);             /* "stacks" */
const char *gc_compact_text(uint32_t compact);  /* "high fragmentation" */
const char *gc_expand_text(uint32_t expand);    /* "a new segment" */
const char *gc_generation_text(int generation); /* "0" … "loh", "poh" */
/* The phase timed by phases_ns[phase], which depends on the kind of record. */
const char *gc_phase_text(const struct gc_record *r, int phase);

/* Whether it was requested, by the program or from outside. */
bool gc_is_induced(const struct gc_record *r);
/* Whether it was announced as a background collection, but blocking. */
bool gc_was_not_concurrent(const struct gc_record *r);

/* reasons[] decoded; all GC_UNKNOWN32 if not reported. */
struct gc_decision {
	uint32_t asked, decided, budget, time;
	uint32_t conditions; /* bits */
};
struct gc_decision gc_decision(const uint32_t reasons[2]);

enum { GC_DECISION_BYTES = 400 };
/* Why this generation was chosen: "gen1 budget", "high memory load". */
const char *gc_decision_text(const struct gc_record *r, char out[GC_DECISION_BYTES]);
/* "compacting, promoting"; "" if not reported. */
const char *gc_mechanisms_text(const struct gc_record *r, char out[GC_DECISION_BYTES]);

#endif
