#ifndef IO_RUNTIME_METHOD_RECORD_H
#define IO_RUNTIME_METHOD_RECORD_H

/*
 * Records of methods (MethodDesc), which lie in chunks:
 *
 *   record     u16 at 0, bits 0-11 low half of the token; u8 at 2 its position
 *              in the chunk, in units of 8 bytes; u16 at 4 its slot
 *   chunk      24 bytes before its first record: u64 method table at 0, u64
 *              next chunk of the class at 8, u8 last position at 16, u8 number
 *              of records less one at 17, u16 at 18, bits 0-11 high half of
 *              the token
 *
 * The layout is the same in .NET 8 to 11.
 */
#include "io/memory/memory.h"

enum {
	CLR_CHUNK_BYTES = 24, /* of a chunk's head */
	CLR_PLACE_BYTES = 8,
};

/* Reads the method table and the MethodDef row of a record. False: not one, or absent. */
bool clr_method_record_read(struct memory_reader *r, uint64_t record, uint64_t *table,
			    uint32_t *row) MUST_USE;

#endif
