#ifndef IO_BASE_INPUT_H
#define IO_BASE_INPUT_H

/* The bytes of a dump: of a file, possibly packed with zstd, or of standard input ("-"). Packing is
 * recognised by content, never by name. */
#include "io/base/file.h"
#include "model/heap/source.h"

enum { INPUT_HEAD_BYTES = 128 };

struct input {
	const char *path; /* borrowed until it is complete */
	uint8_t head[INPUT_HEAD_BYTES];
	size_t head_len;
	const uint8_t *data; /* complete inputs have the bytes, unpacked */
	size_t len;
	struct file file;
	uint8_t *unpacked;
	struct file_stamp stamp; /* of the file, packed or not */
	uint64_t cut_at;         /* where packed bytes ended early; 0: complete */
};

/*
 * Opens a file for its first bytes, unpacked: `head`, at most INPUT_HEAD_BYTES, for
 * source.accepts(). No more than these is read of standard input, unless it is packed.
 * input_close() after a success.
 */
bool input_begin(struct input *in, const char *path, struct progress *progress,
		 struct error *err) MUST_USE;
/* Returns true if only the first bytes have been read: of a pipe on standard input. */
bool input_is_partial(const struct input *in);
/* Reads the rest and sets `data`. */
bool input_complete(struct input *in, struct progress *progress, struct error *err) MUST_USE;
/* Reads the rest and hands out the file instead, which may be packed. */
bool input_take_file(struct input *in, struct file *f, struct progress *progress,
		     struct error *err) MUST_USE;
/* Opens a file and reads all of it. */
bool input_open(struct input *in, const char *path, struct progress *progress,
		struct error *err) MUST_USE;
/* The input may be closed already. */
void input_close(struct input *in);
/* After reading. False: the file changed meanwhile; see file_is_intact(). */
bool input_is_intact(const struct input *in, struct error *err) MUST_USE;
/*
 * Closes the input after its heap has been read; `heap` may be NULL with `err` set. Returns the
 * heap. NULL if the file changed meanwhile: the heap is then freed, once the preview no longer
 * shows its names.
 */
const struct heap *input_finish(struct input *in, const struct heap *heap, struct preview *preview,
				struct error *err) MUST_USE;

#endif
