#ifndef MODEL_GC_RECORDED_H
#define MODEL_GC_RECORDED_H

/*
 * The kinds of events that a trace has. A trace does not say with which keywords it was recorded.
 * So if it has no events of a kind, either nothing happened or it was not recorded; other events
 * may tell which.
 */
#include <stdbool.h>
#include <stdint.h>

enum recorded_kind {
	RECORDED_COLLECTIONS,
	RECORDED_ALLOCATIONS, /* samples */
	RECORDED_WALKS,       /* events of heap walks, not walks */
	RECORDED_SURVIVORS,   /* ranges that survived a collection */
	RECORDED_METHODS,     /* in a list at the end, for names of code */
	/* Of the keyword GC: without collections there were none. */
	RECORDED_GC,
	/* Collections that an allocation caused, so that there were some. */
	RECORDED_CAUSED,
	RECORDED_KINDS,
};

struct recorded {
	bool is_trace; /* false: a process that was asked for the events */
	uint64_t counts[RECORDED_KINDS];
};

enum { RECORDED_TEXT_BYTES = 320 };

/* Whether nothing says if events of this kind were recorded, or something says that they were not;
   of collections, allocations or walks. */
bool recorded_lacks(const struct recorded *r, enum recorded_kind kind);
/* Writes that the trace lacks them: the keywords that record them, and what the trace has in place
   of them. `extra` follows the reason, or is "". */
const char *recorded_lack_text(const struct recorded *r, enum recorded_kind kind, const char *extra,
			       char out[RECORDED_TEXT_BYTES]);

#endif
