#ifndef IO_FORMATS_HEAP_WRITER_H
#define IO_FORMATS_HEAP_WRITER_H

/* The formats in which a heap can be saved, chosen by the file's suffix. */
#include "io/heaptop/heaptop.h"

enum { HEAP_WRITER_NOTE_BYTES = 200 };

struct heap_writer {
	const char *suffix;
	/*
	 * Refuses what `how` requests but the format does not have. `note` becomes a sentence on
	 * what the file lacks; unchanged if nothing.
	 */
	bool (*write)(struct output *to, const struct heap *h, const struct saved_how *how,
		      char note[HEAP_WRITER_NOTE_BYTES], struct progress *progress,
		      struct error *err);
};

/*
 * The writer for a format's name, "gcdump", or if that is NULL for the path's suffix. Without a
 * known one, also for "-": our own format.
 */
const struct heap_writer *heap_writer_of(const char *path, const char *format);

#endif
