#ifndef IO_RUNTIME_FIELDS_H
#define IO_RUNTIME_FIELDS_H

/*
 * Field records (FieldDesc). Those of a class follow one another, instance fields first:
 *
 *   0   u64   method table that all instances of a generic type share
 *   8   u32   bits 0-23 row in the metadata, 24 static, 25 thread static,
 *             26 in the image (RVA)
 *   12  u32   bits 0-26 offset, 27-31 kind (0x11 struct, 0x12 reference)
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
	bool is_static, is_thread_static, is_in_image;
};

/* Whether a method table and its class point to each other, or share the class with a sibling. */
enum clr_class_answer {
	CLR_CLASS_FOUND,
	CLR_CLASS_ABSENT, /* part of it is not in memory */
	CLR_CLASS_NONE,   /* they contradict each other */
};

/*
 * Finds the class of a method table. *owner is the method table that owns the class (the canonical
 * one of generic instances), *class its address; 0: none, or absent. Costs two or three small
 * reads.
 */
enum clr_class_answer clr_class_find(const struct clr_layout *layout, struct memory_reader *r,
				     uint64_t table, uint64_t *owner, uint64_t *class);

/*
 * True if the class belongs to another method table with the same parent, which has the class as
 * well: since .NET 11 all types of suspended calls of runtime async share one class. They are made
 * at run time, so they have no token.
 */
bool clr_class_is_shared(const struct clr_layout *layout, struct memory_reader *r, uint64_t table,
			 uint64_t class);
/* True if the method table is that of such suspended calls. */
bool clr_is_continuation(const struct clr_layout *layout, struct memory_reader *r, uint64_t table);

/* An iterator over the field records of a class. */
struct clr_fields {
	uint64_t at, end; /* at 0: no fields; end 0: unknown */
	uint64_t owner;
};
/* Method records may follow directly and have the same owner, hence `end`. */
void clr_fields_open(const struct clr_layout *layout, struct memory_reader *r, uint64_t owner,
		     uint64_t class, struct clr_fields *out);
/* False: no more fields, or the next record is absent. */
bool clr_fields_next(struct memory_reader *r, struct clr_fields *f,
		     struct clr_field_record *out) MUST_USE;

#endif
