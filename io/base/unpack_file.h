#ifndef IO_BASE_UNPACK_FILE_H
#define IO_BASE_UNPACK_FILE_H

/*
 * Opens files that may be packed with zstd and too large for memory. A packed file is unpacked into
 * an unnamed file in $TMPDIR, by default /var/tmp, and mapped. Its disk space is freed by
 * file_close(), or when the program ends in any way. Pages of zeros become holes.
 *
 * Refused if it would need more than nine tenths of the free space; the message says how to unpack
 * it by hand.
 */
#include "io/base/input.h"

/* Takes the file of an input; in any case file_close(). */
bool unpack_file_open(struct file *f, struct input *in, struct progress *progress,
		      struct error *err) MUST_USE;

#endif
