#ifndef IO_HEAPTOP_HEAPTOP_H
#define IO_HEAPTOP_HEAPTOP_H

/*
 * Heaps kept in files of our own, as heaptop-format(5) describes them: what
 * the model packs, in frames of zstd, section after section. What a first
 * screen needs comes first, so that a stream can be looked at before its end.
 *
 * About 4 bytes an object with its references. Reading unpacks and checks the
 * frames on all threads; no more comes out of a file than SAVED_RATIO_MAX times
 * its length.
 */
#include "io/base/input.h"
#include "io/base/output.h"
#include "model/graph/derived.h"
#include "model/heap/source.h"

extern const struct source source_saved;

struct saved_how {
	/* Columns as they lie in memory, which are mapped and not read: twice
	   the size, and no memory of its own but for what is looked at. */
	bool is_raw;
	/* Kept beside the heap, if there are any, and taken from there when it
	   is opened; computed with nothing ignored but tables of statics. */
	const struct reach *reach;
	const struct dominators *dominators; /* with `reach` only */
	bool prefers_statics;
};
/*
 * `how` NULL: packed, and the heap alone. Does not close `to`; what cannot be
 * written is told by output_close().
 */
bool saved_write(struct output *to, const struct heap *h,
		 const struct saved_how *how, struct progress *progress,
		 struct error *err) MUST_USE;

/*
 * Of an input, which the heap takes over where it has use for its bytes; else
 * it is the caller's as before.
 */
const struct heap *saved_read_input(struct input *in, const char *name,
				    enum load_what what,
				    struct progress *progress,
				    struct preview *preview,
				    struct error *err) MUST_USE;
/* Of bytes in memory; `name` is told as the source if the file names none. */
const struct heap *saved_read(const uint8_t *data, size_t len, const char *name,
			      enum load_what what, struct progress *progress,
			      struct preview *preview,
			      struct error *err) MUST_USE;

#endif
