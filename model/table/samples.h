#ifndef MODEL_TABLE_SAMPLES_H
#define MODEL_TABLE_SAMPLES_H

/*
 * Samples of allocations beside a heap of the same process: who allocated an object, and when.
 * About one object in 100 KB was sampled, so most objects have none. model/allocations/join.h makes
 * them.
 */
#include "model/base/arena.h"
#include "model/heap/heap.h"

/* The state of a sample in the heap and, outside of it, in the recording. */
enum sample_state {
	SAMPLE_IN_HEAP,     /* by its address, type and size */
	SAMPLE_NEW,         /* not, and no collection has judged it */
	SAMPLE_ALIVE,       /* not, but it was alive */
	SAMPLE_UNCONFIRMED, /* not, and only a background collection found it */
	SAMPLE_UNKNOWN,     /* not, and another object may lie in its place */
	SAMPLE_STATES
};

struct sample {
	node_id object;      /* NODE_NONE: it is not in the heap */
	uint32_t state;      /* enum sample_state */
	uint32_t rank;       /* among all, by `by` and then by age */
	uint64_t address;    /* where it lay last */
	uint64_t size;       /* as the recording says */
	uint64_t weight;     /* bytes allocated that it stands for */
	uint64_t time_ns;    /* since the recording began */
	uint64_t age_ns;     /* when the heap was captured or the recording ended */
	uint32_t generation; /* enum generation; where it lay */
	const char *type;
	const char *site;  /* the method that allocated it; "": unknown */
	const char *by;    /* "SITE ← CALLER ← CALLER" */
	const char *stack; /* all methods, the innermost first, in this form */
};

struct samples {
	/* Those in the heap come first, sorted by object. */
	struct sample *items;
	uint32_t count, in_heap;
	/* Others that cannot be confirmed: they have no type, or the object of their size in their
	   place has none. */
	uint32_t undecided;
	int64_t time;        /* when the recording began, UTC; 0: unknown */
	uint64_t dead, lost; /* samples that are not listed */
	bool is_at_heap;     /* followed until the heap was captured, and not on */
	char who[96];        /* the recording */
	struct arena arena;
};

void samples_free(struct samples *s); /* NULL is allowed */
/* The sample of an object, or NULL; `s` may be NULL. A binary search. */
const struct sample *samples_of(const struct samples *s, node_id n);

enum { SAMPLE_TEXT_BYTES = 400 };
/* Writes "SITE ← CALLER ← CALLER, 42 min ago"; returns `text`. */
const char *sample_text(const struct sample *s, char text[SAMPLE_TEXT_BYTES]);

/*
 * Writes who allocated most of the sampled objects of a type that are in the heap: "SITE ← CALLER
 * (29 of 30 samples)". False: none was sampled; `s` may be NULL. Linear in the samples; of more
 * than 64 stacks, later ones are left out.
 */
bool samples_source_text(const struct samples *s, const struct heap *h, type_id type,
			 char text[SAMPLE_TEXT_BYTES]);

#endif
