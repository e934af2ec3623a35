#ifndef IO_BASE_UNPACK_FILE_H
#define IO_BASE_UNPACK_FILE_H

/*
 * Files too large for memory that may be packed with zstd: unpacked into a file
 * without a name in $TMPDIR, or else /var/tmp, and mapped. It takes the disk
 * until file_close(), or until the program ends in any way. Pages of zeros
 * become holes, which take none.
 *
 * Refused where it would need more than nine tenths of what is free there: the
 * sentence says how to unpack it by hand.
 */
#include "io/base/file.h"

/* As file_open(), with FILE_ALL. */
bool unpack_file_open(struct file *f, const char *path,
		      struct progress *progress, struct error *err) MUST_USE;

#endif
