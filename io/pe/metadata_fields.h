#ifndef IO_PE_METADATA_FIELDS_H
#define IO_PE_METADATA_FIELDS_H

/*
 * What a module says about the fields of its types, for whoever has their
 * values: names, declared types, and the constants of enumerations; and the
 * names of methods. Rows are those of the table Field, from 1 on. What is
 * damaged is not found.
 */
#include "io/pe/metadata.h"

/* The rows of a type definition's own fields: [*first, *end). */
bool metadata_fields_of(const struct metadata *m, uint32_t token,
			uint32_t *first, uint32_t *end);
/* In the module's bytes; "" if it does not say. */
const char *metadata_field_name(const struct metadata *m, uint32_t row);
/*
 * The declared type in the runtime's spelling, as walk_name_spell() takes it:
 * "System.Nullable`1[System.Int32]". Parameters of the declaring type are
 * replaced by `arguments`, spelt likewise. NULL without an error: it cannot be
 * said (functions, damage). In `a`.
 */
const char *metadata_field_type(const struct metadata *m, uint32_t row,
				const char *const *arguments, unsigned count,
				struct arena *a, struct error *err) MUST_USE;
/* A constant, widened to 64 bits by its sign. False: it is no number. */
bool metadata_field_constant(const struct metadata *m, uint32_t row,
			     uint64_t *value);
/* The same of its methods: rows of MethodDef, names. */
bool metadata_methods_of(const struct metadata *m, uint32_t token,
			 uint32_t *first, uint32_t *end);
const char *metadata_method_name(const struct metadata *m, uint32_t row);
/* The constants of an enumeration are bits, to be combined. */
bool metadata_is_flags(const struct metadata *m, uint32_t token);
/*
 * A structure that has its field many times: *count of an inline array, *bytes
 * of what the compiler makes for a fixed buffer; the other one is 0. False: it
 * is no such structure.
 */
bool metadata_is_buffer(const struct metadata *m, uint32_t token,
			uint32_t *count, uint32_t *bytes);

#endif
