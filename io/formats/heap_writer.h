#ifndef IO_FORMATS_HEAP_WRITER_H
#define IO_FORMATS_HEAP_WRITER_H

/* In which formats a heap can be kept: the end of the file's name says it. */
#include "io/heaptop/heaptop.h"

struct heap_writer {
	const char *suffix;
	/* What `how` asks for and a format has not is refused. */
	bool (*write)(struct output *to, const struct heap *h,
		      const struct saved_how *how, struct progress *progress,
		      struct error *err);
	/* See heap_writer_warning(); or NULL. */
	const char *(*warning)(const struct heap *h, char *room,
			       size_t room_bytes);
};

/*
 * By the format's name, "gcdump", or if that is NULL by the path's suffix. One
 * that is not known, or "-": our own format.
 */
const struct heap_writer *heap_writer_of(const char *path, const char *format);

/* What to know of the heap in this format, maybe in `room`; NULL: nothing. */
enum { HEAP_WRITER_WARNING_BYTES = 200 };
const char *heap_writer_warning(const struct heap_writer *w,
				const struct heap *h,
				char room[HEAP_WRITER_WARNING_BYTES]);

#endif
