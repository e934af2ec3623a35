#ifndef IO_CLR_VALUES_H
#define IO_CLR_VALUES_H

/*
 * The layout of objects: the fields of a type with names and declared types, structs expanded. It
 * is computed once per type, from the runtime's field records and the module's metadata:
 *
 *   class    fields at CLR_CLASS_FIELDS, those of the class itself, instance
 *            fields first; inherited ones are in the base types
 *   field    see io/runtime/fields.h
 *
 * A struct's method table is found by the name of its declared type among all loaded types; an
 * ambiguous name counts as unknown. A struct that cannot be expanded stays raw bytes.
 *
 * For one thread at a time. Costs some 20 µs a type; the first struct reads all loaded types, some
 * 20 ms.
 */
#include "io/runtime/names.h"
#include "io/runtime/runtime.h"
#include "model/heap/literal.h"
#include "model/heap/memory.h"

struct clr_part {
	const char *name; /* of the field; "" for an element itself */
	const char *type; /* as declared, in C# spelling, or "" */
	uint32_t offset;  /* from the start of the value */
	uint32_t bytes;
	/* Nullable: offset of the bool that is set if there is a value; else UINT32_MAX. */
	uint32_t has_value_at;
	uint64_t enum_table;       /* method table of the enum, or 0 */
	uint8_t depth;             /* nesting in structs; 0: a field of the object */
	uint8_t kind;              /* enum content_kind */
	uint8_t literal;           /* of CONTENT_VALUE: enum literal_kind */
	bool is_time_offset;       /* a DateTimeOffset, which has two fields */
	bool overlaps;             /* shares bytes with another field */
	uint32_t minutes_at;       /* if is_time_offset: offset of the minutes */
	bool is_big;               /* a BigInteger struct, which has two fields */
	uint32_t sign_at, bits_at; /* if is_big: their offsets */
};

enum { CLR_FIELDS_AT = 8 }; /* offset of the fields in an object */

/* The parts of a type. An absent class has, instead of its fields, one raw part of 0 bytes that
 * says so. */
struct clr_plan {
	const struct clr_part *parts;
	uint32_t count;
	uint32_t absent_count; /* number of such parts */
	/* The method table of the enum whose bits give some words of a suspended call's data their
	 * meaning (io/runtime/continuations.h); else 0. */
	uint64_t flags_table;
};

struct clr_values;

/* `rt` and `names` are borrowed. NULL sets `err`. */
struct clr_values *clr_values_new(const struct clr_runtime *rt, const struct clr_names *names,
				  struct error *err) MUST_USE;
/* Accepts NULL. */
void clr_values_free(struct clr_values *v);

/*
 * The plan of an object that is not an array. Offsets count from its first field, 8 bytes after its
 * start; `bytes` is the size from there on. A plan lives as long as the clr_values. NULL: no
 * memory.
 */
const struct clr_plan *clr_values_of_object(struct clr_values *v, uint64_t table, uint32_t bytes,
					    struct error *err) MUST_USE;
/* The plan of an array element, by its type handle; part 0 is the element. */
const struct clr_plan *clr_values_of_element(struct clr_values *v, uint64_t handle, uint32_t bytes,
					     struct error *err) MUST_USE;

#endif
