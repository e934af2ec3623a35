#ifndef MODEL_GC_WORDS_H
#define MODEL_GC_WORDS_H

/*
 * The numbers of the runtime in a gc_record, as words. What the runtime has no
 * word for is NULL: a number of a version to come.
 */
#include "model/gc/log.h"

const char *gc_reason_text(uint32_t reason);    /* "allocation" */
const char *gc_kind_text(uint32_t kind);        /* "background" */
const char *gc_mode_text(uint32_t mode);        /* "interactive" */
const char *gc_mark_text(int mark);             /* "stacks" */
const char *gc_compact_text(uint32_t compact);  /* "high fragmentation" */
const char *gc_expand_text(uint32_t expand);    /* "a new segment" */
const char *gc_generation_text(int generation); /* "0" … "loh", "poh" */
/* What phases_ns[phase] is the time of; what it is depends on the record. */
const char *gc_phase_text(const struct gc_record *r, int phase);

/* Did the program, or somebody else, ask for it? */
bool gc_is_induced(const struct gc_record *r);
/* It was announced as a background collection, but the program stood still. */
bool gc_was_not_concurrent(const struct gc_record *r);

/* reasons[] taken apart; GC_UNKNOWN32 all where it was not told. */
struct gc_decision {
	uint32_t asked, decided, budget, time;
	uint32_t conditions; /* bits */
};
struct gc_decision gc_decision(const uint32_t reasons[2]);

enum { GC_DECISION_BYTES = 400 };
/* "gen1 budget", "high memory load": what made it this generation. */
const char *gc_decision_text(const struct gc_record *r,
			     char out[GC_DECISION_BYTES]);
/* "compacting, promoting"; "" if it was not told. */
const char *gc_mechanisms_text(const struct gc_record *r,
			       char out[GC_DECISION_BYTES]);

#endif
