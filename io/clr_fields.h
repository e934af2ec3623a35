#ifndef IO_CLR_FIELDS_H
#define IO_CLR_FIELDS_H

/*
 * The runtime's records of fields, for values and for static variables: those
 * of a class lie one behind the other, instance fields first.
 *
 *   0   u64   method table that all instances of a generic type share
 *   8   u32   bits 0-23 row in the metadata, 24 static, 25 of each thread,
 *             26 in the image
 *   12  u32   bits 0-26 offset, 27-31 kind (0x11 structure, 0x12 reference)
 */
#include "io/clr_layout.h"

enum {
	CLR_FIELD_BYTES = 16,
	CLR_FIELD_STRUCT = 0x11,
	CLR_FIELD_REFERENCE = 0x12,
};

struct clr_field_record {
	uint32_t row, offset;
	uint8_t kind; /* CLR_FIELD_STRUCT… */
	bool is_static, is_of_thread, is_in_image;
};

/*
 * The table whose class all instances share, and in *class where that is; 0:
 * it is absent, or makes no sense.
 */
uint64_t clr_fields_owner(const struct clr_layout *layout,
			  struct memory_reader *r, uint64_t table,
			  uint64_t *class);
/* False: absent, or no field of that owner. */
bool clr_field_record_read(struct memory_reader *r, uint64_t at, uint64_t owner,
			   struct clr_field_record *out) MUST_USE;

#endif
