#ifndef IO_RUNTIME_FIELDS_H
#define IO_RUNTIME_FIELDS_H

/*
 * The runtime's records of fields, for values and for static variables: those
 * of a class lie one behind the other, instance fields first.
 *
 *   0   u64   method table that all instances of a generic type share
 *   8   u32   bits 0-23 row in the metadata, 24 static, 25 of each thread,
 *             26 in the image
 *   12  u32   bits 0-26 offset, 27-31 kind (0x11 structure, 0x12 reference)
 */
#include "io/runtime/layout.h"

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

/* Does a method table lead to a class, and that back? */
enum clr_class_answer {
	CLR_CLASS_FOUND,
	CLR_CLASS_ABSENT, /* some of it is not in memory */
	CLR_CLASS_NONE,   /* what stands there contradicts itself */
};

/*
 * *owner: the table whose class all instances share, and *class where that is;
 * 0: it is none, or absent. Two or three small reads.
 */
enum clr_class_answer clr_class_find(const struct clr_layout *layout,
				     struct memory_reader *r, uint64_t table,
				     uint64_t *owner, uint64_t *class);

/* The records of a class, one after another. */
struct clr_fields {
	uint64_t at, end; /* 0: none; end 0: unknown */
	uint64_t owner;
};
/* Its methods may follow at once, and name the same owner. */
void clr_fields_open(const struct clr_layout *layout, struct memory_reader *r,
		     uint64_t owner, uint64_t class, struct clr_fields *out);
/* False: that was the last, or the next one is absent. */
bool clr_fields_next(struct memory_reader *r, struct clr_fields *f,
		     struct clr_field_record *out) MUST_USE;

#endif
