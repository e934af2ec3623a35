#ifndef IO_PE_METADATA_FIELDS_H
#define IO_PE_METADATA_FIELDS_H

/* Names and declared types of fields, constants of enums, and names and parameters of methods. Rows
 * are those of table Field or MethodDef, from 1 on. Damaged entries are not found. */
#include "io/pe/metadata.h"

/* The rows of a TypeDef's own fields: [*first, *end). */
bool metadata_fields_of(const struct metadata *m, uint32_t token, uint32_t *first, uint32_t *end);
/* Constants (literals) are not stored; the runtime has no record of them. */
bool metadata_field_is_stored(const struct metadata *m, uint32_t row);
bool metadata_field_is_static(const struct metadata *m, uint32_t row);
/* In the module's bytes; "" if missing. */
const char *metadata_field_name(const struct metadata *m, uint32_t row);
/*
 * The declared type in reflection spelling, which name_spell() reads:
 * "System.Nullable`1[System.Int32]". Type parameters are replaced by `arguments`, in the same
 * spelling. In `a`; NULL without an error: the type cannot be named (function pointers, damage).
 */
const char *metadata_field_type(const struct metadata *m, uint32_t row,
				const char *const *arguments, unsigned count, struct arena *a,
				struct error *err) MUST_USE;
/* A field's constant, sign-extended to 64 bits. False: not a number. */
bool metadata_field_constant(const struct metadata *m, uint32_t row, uint64_t *value);
/* The rows of a TypeDef's methods, and their names. */
bool metadata_methods_of(const struct metadata *m, uint32_t token, uint32_t *first, uint32_t *end);
const char *metadata_method_name(const struct metadata *m, uint32_t row);
/* The types that type parameters stand for, in reflection spelling; NULL in an array: unknown. */
struct metadata_arguments {
	const char *const *of_type, *const *of_method;
	unsigned of_type_count, of_method_count;
};
/* The types of a method's parameters, in reflection spelling and in `a`; at most `max`. Returns
 * their number; UINT32_MAX: they cannot be named, there are more, or `err` is set. */
uint32_t metadata_method_parameters(const struct metadata *m, uint32_t row,
				    const struct metadata_arguments *given, const char **out,
				    uint32_t max, struct arena *a, struct error *err) MUST_USE;
/* True if the enum has [Flags]. */
bool metadata_is_flags(const struct metadata *m, uint32_t token);
/* A struct that repeats its field: *count for an inline array, *bytes for a fixed buffer; the other
 * one is 0. False: neither. */
bool metadata_is_buffer(const struct metadata *m, uint32_t token, uint32_t *count, uint32_t *bytes);

#endif
