#ifndef IO_BASE_INPUT_H
#define IO_BASE_INPUT_H

/*
 * The bytes of a dump, wherever they are: in a file, packed with zstd, on
 * standard input ("-"). Told apart by content, never by name.
 */
#include "io/base/file.h"
#include "model/heap/source.h"

struct input {
	const uint8_t *data;
	size_t len;
	struct file file;
	uint8_t *unpacked;
	struct file_stamp stamp; /* of the file, packed or not */
	uint64_t cut_at; /* the packed bytes ended there, too early; 0: not */
};

bool input_open(struct input *in, const char *path, struct progress *progress,
		struct error *err) MUST_USE;
void input_close(struct input *in);
/* After reading: false if the file changed meanwhile, see file_is_intact(). */
bool input_is_intact(const struct input *in, struct error *err) MUST_USE;
/*
 * Closes the input after its heap has been read, or NULL with `err` set.
 * Returns the heap, or NULL if the file changed meanwhile: then the heap is
 * freed, after the preview no longer shows its names.
 */
const struct heap *input_finish(struct input *in, const struct heap *heap,
				struct preview *preview,
				struct error *err) MUST_USE;

/*
 * The first bytes, unpacked, at most INPUT_HEAD_BYTES: for source.accepts().
 * Does not use up standard input, and reads no more of it than that, unless it
 * is packed.
 */
enum { INPUT_HEAD_BYTES = 64 };
bool input_head(const char *path, uint8_t head[INPUT_HEAD_BYTES],
		size_t *head_len, struct progress *progress,
		struct error *err) MUST_USE;

#endif
