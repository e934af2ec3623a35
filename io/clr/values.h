#ifndef IO_CLR_VALUES_H
#define IO_CLR_VALUES_H

/*
 * What lies where in the objects of a type: its fields with names and declared
 * types, structures taken apart. Made once a type, from the runtime's records
 * of fields and the module's metadata:
 *
 *   class    fields at CLR_CLASS_FIELDS, those of the class itself, instance
 *            fields first; inherited ones are the base type's
 *   field    see io/runtime/fields.h
 *
 * The table of a structure is found by the declared type's name among all
 * loaded types; a name that two modules have is no answer. What cannot be
 * taken apart stays raw bytes.
 *
 * One thread at a time. Some 20 µs a type; the first structure costs a look at
 * all loaded types, some 20 ms.
 */
#include "io/runtime/names.h"
#include "io/runtime/runtime.h"
#include "model/heap/literal.h"
#include "model/heap/memory.h"

struct clr_part {
	const char *name; /* of the field; "" of an element itself */
	const char *type; /* as declared, in C# spelling; "" if unknown */
	uint32_t offset;  /* from the first byte of the value */
	uint32_t bytes;
	/* Of a Nullable: offset of the bool that says whether it has a value;
	   else UINT32_MAX. */
	uint32_t has_value;
	uint64_t enum_table; /* method table of an enumeration; or 0 */
	uint8_t depth;       /* in structures; 0: a field of the object */
	uint8_t kind;        /* enum content_kind */
	uint8_t literal;     /* of CONTENT_VALUE: enum literal_kind, or */
	bool is_time_offset; /* a DateTimeOffset: two fields of its own */
	bool overlaps;       /* another field lies in some of its bytes */
	uint32_t minutes;    /* offset of the second of them */
	bool is_big;         /* a structure: a BigInteger, with two fields */
	uint32_t sign, bits; /* their offsets */
};

/* Instead of the fields of a class that is absent there is a part that says
 * so: raw, of 0 bytes. */
struct clr_plan {
	const struct clr_part *parts;
	uint32_t count;
	uint32_t absent_count; /* how many such parts */
};

struct clr_values;

/* All is borrowed. NULL sets `err`. */
struct clr_values *clr_values_new(const struct clr_runtime *rt,
				  const struct clr_names *names,
				  struct error *err) MUST_USE;
/* NULL is allowed. */
void clr_values_free(struct clr_values *v);

/*
 * Of an object that is no array, offsets from its first field: 8 bytes behind
 * its start. `bytes`: how many it has from there on. Plans stay as long as the
 * values. NULL: no memory.
 */
const struct clr_plan *clr_values_of_object(struct clr_values *v,
					    uint64_t table, uint32_t bytes,
					    struct error *err) MUST_USE;
/* Of one element, by its type handle: part 0 is the element itself. */
const struct clr_plan *clr_values_of_element(struct clr_values *v,
					     uint64_t handle, uint32_t bytes,
					     struct error *err) MUST_USE;

#endif
