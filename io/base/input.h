#ifndef IO_BASE_INPUT_H
#define IO_BASE_INPUT_H

/* The bytes of a dump: of a file, possibly packed with zstd, or of standard input ("-"). Packing is
 * recognised by content, never by name. */
#include "io/base/file.h"
#include "model/heap/source.h"

struct input {
	const uint8_t *data;
	size_t len;
	struct file file;
	uint8_t *unpacked;
	struct file_stamp stamp; /* of the file, packed or not */
	uint64_t cut_at;         /* where packed bytes ended early; 0: complete */
};

bool input_open(struct input *in, const char *path, struct progress *progress,
		struct error *err) MUST_USE;
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

/*
 * Reads the first bytes, unpacked, at most INPUT_HEAD_BYTES, for source.accepts(). Standard input
 * can still be opened afterwards; unless packed, no more of it is read.
 */
enum { INPUT_HEAD_BYTES = 128 };
bool input_head(const char *path, uint8_t head[INPUT_HEAD_BYTES], size_t *head_len,
		struct progress *progress, struct error *err) MUST_USE;

#endif
