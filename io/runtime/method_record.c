#include "io/runtime/method_record.h"

enum { HALF_BITS = 12 }; /* of a method token */

bool
clr_method_record_read(struct memory_reader *r, uint64_t record, uint64_t *table, uint32_t *row)
{
	uint16_t low, high;
	uint8_t place, last;
	uint64_t chunk;

	if (record % CLR_PLACE_BYTES || !memory_u16(r, record, &low) ||
	    !memory_u8(r, record + 2, &place))
		return false;
	chunk = record - CLR_CHUNK_BYTES - CLR_PLACE_BYTES * (uint64_t)place;
	if (!memory_u64(r, chunk, table) || !memory_u8(r, chunk + 16, &last) || place > last ||
	    !memory_u16(r, chunk + 18, &high))
		return false;
	*row = (high & ((1U << HALF_BITS) - 1)) << HALF_BITS | (low & ((1U << HALF_BITS) - 1));
	return true;
}
