#ifndef MODEL_ANALYSIS_RESIDENT_H
#define MODEL_ANALYSIS_RESIDENT_H

/*
 * The resident memory of a heap's process (model/heap/resident.h) as rows and sentences: is it the
 * managed heap at all? No pass over the objects.
 */
#include "model/graph/reach.h"
#include "model/table/facts.h"

struct resident_row {
	const char *id; /* "managed", "malloc" */
	const char *meaning;
	uint64_t bytes, whole;  /* whole: all resident memory */
	uint64_t count, before; /* UINT64_MAX: unknown */
};
struct resident_rows {
	struct resident_row *items;
	uint32_t count; /* 0: nothing is known */
};
/* Makes the rows: managed memory, its live, dead and free parts, the rest. */
bool resident_rows_make(struct resident_rows *rows, const struct facts *f,
			struct error *err) MUST_USE;

/* Returns the parts of a heap's process. If only sums are known, anonymous memory up to the size of
   the objects counts as managed. */
struct resident resident_of(const struct heap *h);
/*
 * Returns memory that is neither the collector's nor read from images: code, stacks, files,
 * malloc() and other. Images do not count, since the kernel can drop and read them again; nor do
 * files if only sums are known, as images are among them.
 */
uint64_t resident_native(const struct resident *r);
/* Returns the resident memory of malloc() that is known to be free, at most. */
uint64_t resident_idle(const struct heap *h);

enum { RESIDENT_TEXT_BYTES = 400 };
/* "1.20 GiB resident: 312 MiB managed (26.0%), 640 MiB native heap in 12 arenas, …"; "" if nothing
   is known. */
const char *resident_text(const struct heap *h, char out[RESIDENT_TEXT_BYTES]);
/* Writes the two largest parts of native memory: "640 MiB native heap in 12 arenas, 52.0 MiB stacks
   of 20 threads". */
const char *resident_native_text(const struct resident *r, char out[RESIDENT_TEXT_BYTES]);

#endif
