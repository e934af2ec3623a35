#ifndef IO_FORMATS_HEAP_WRITER_H
#define IO_FORMATS_HEAP_WRITER_H

/* In which formats a heap can be kept: the end of the file's name says it. */
#include "io/heaptop/heaptop.h"

enum { HEAP_WRITER_NOTE_BYTES = 200 };

struct heap_writer {
	const char *suffix;
	/*
	 * What `how` asks for and a format has not is refused. `note` becomes a
	 * sentence on what the file lacks; it stays as it is if that is
	 * nothing.
	 */
	bool (*write)(struct output *to, const struct heap *h,
		      const struct saved_how *how,
		      char note[HEAP_WRITER_NOTE_BYTES],
		      struct progress *progress, struct error *err);
};

/*
 * By the format's name, "gcdump", or if that is NULL by the path's suffix. One
 * that is not known, or "-": our own format.
 */
const struct heap_writer *heap_writer_of(const char *path, const char *format);

#endif
