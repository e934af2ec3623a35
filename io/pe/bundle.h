#ifndef IO_PE_BUNDLE_H
#define IO_PE_BUNDLE_H

/*
 * Single-file programs: modules follow the executable, page-aligned, with a list of them at the
 * end. All numbers are little endian.
 *
 *   somewhere in the executable
 *     i64  offset of the list; 0: an ordinary program
 *     32   the signature, see bundle.c
 *   the list
 *     u32  version (2 or 6; 1 has no entries for configuration), u32 minor
 *     i32  number of files, string: an id
 *     from version 2 on: i64 × 4 (two configuration files), u64 flags
 *   each file
 *     i64  offset, i64 size
 *     from version 6 on: i64 compressed size; 0: not compressed
 *     u8   kind, string: path relative to the program's folder
 *   string: length in groups of 7 bits, the lowest first; UTF-8
 *
 * Finding the list costs a pass over the executable up to the signature.
 */
#include "io/base/bytes.h"

struct bundle {
	const uint8_t *data; /* borrowed */
	size_t len;
	size_t files_at;
	uint32_t files_count, version;
};

/* False sets `err`: not a single-file program, or its list is damaged. */
bool bundle_open(struct bundle *b, const uint8_t *data, size_t len, struct error *err) MUST_USE;
/* The embedded file that a path ends in; NULL: none, or compressed. */
const uint8_t *bundle_find(const struct bundle *b, const char *path, size_t *file_len);

#endif
