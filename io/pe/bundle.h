#ifndef IO_PE_BUNDLE_H
#define IO_PE_BUNDLE_H

/*
 * Programs published as a single file: the modules lie behind the executable,
 * page by page, and a list of them at its end. All little endian.
 *
 *   somewhere in the executable
 *     i64  offset of the list; 0: an ordinary program
 *     32   the signature, see bundle.c
 *   the list
 *     u32  version (2 or 6; 1 has no entries for configuration), u32 minor
 *     i32  count of files, string: an id
 *     from version 2 on: i64 × 4 (places of two configurations), u64 flags
 *   each file
 *     i64  offset, i64 size
 *     from version 6 on: i64 size when compressed; 0: it is not
 *     u8   kind, string: its path below the program's folder
 *   string: its length in groups of 7 bits, the lowest first; UTF-8
 *
 * Finding the list costs one pass over the executable's part of the file, as
 * far as the signature.
 */
#include "io/base/bytes.h"

struct bundle {
	const uint8_t *data; /* borrowed */
	size_t len;
	size_t files_at;
	uint32_t files_count, version;
};

/* False sets `err`: there are no files in this one, or the list is damaged. */
bool bundle_open(struct bundle *b, const uint8_t *data, size_t len,
		 struct error *err) MUST_USE;
/*
 * The file that a path ends in, as it lies in the program; NULL if there is
 * none, or if it is compressed.
 */
const uint8_t *bundle_find(const struct bundle *b, const char *path,
			   size_t *file_len);

#endif
