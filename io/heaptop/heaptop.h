#ifndef IO_HEAPTOP_HEAPTOP_H
#define IO_HEAPTOP_HEAPTOP_H

/*
 * Heaps saved in a format of our own, as heaptop-format(5) describes it: sections in zstd frames,
 * with the data as the model packs it. What the first screen needs comes first, so that a stream
 * can be shown before its end.
 *
 * About 4 bytes an object with its references. Reading decompresses and checks the frames on all
 * threads, to at most SAVED_RATIO_MAX times the file's length.
 */
#include "io/base/input.h"
#include "io/base/output.h"
#include "model/graph/derived.h"
#include "model/heap/source.h"

extern const struct source source_saved;

struct saved_how {
	/* Writes raw columns, which a reader maps instead of reading: twice the size, but memory
	   only for the parts that are used. */
	bool is_raw;
	/* Saved with the heap if not NULL, so that opening it need not compute them; computed with
	   nothing ignored except tables of statics. */
	const struct reach *reach;
	const struct dominators *dominators; /* with `reach` only */
	/* Retained sizes by type; with `dominators` only, or NULL. */
	const struct retained_sum *types;
	bool prefers_statics;
};
/*
 * `how` NULL: compressed, without derived data. Does not close `to`; errors of writing are left to
 * output_close().
 */
bool saved_write(struct output *to, const struct heap *h, const struct saved_how *how,
		 struct progress *progress, struct error *err) MUST_USE;

/* Reads bytes in memory; how->path is the source if the file has none. `keeps`: their input, which
   the heap takes over if it uses its bytes, or NULL. */
const struct heap *saved_read(const uint8_t *data, size_t len, struct input *keeps,
			      const struct load_how *how, struct error *err) MUST_USE;

/*
 * Shows the types of a heap of which only the beginning has come. Owns their names, and must stay
 * until others are shown or the preview is withdrawn. NULL: they have not come yet, or are damaged,
 * which reading all of it will report. Takes as long as reading the types.
 */
struct saved_early *saved_early_show(const uint8_t *data, size_t len,
				     struct preview *preview) MUST_USE;
void saved_early_free(struct saved_early *early);

#endif
