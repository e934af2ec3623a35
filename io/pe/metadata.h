#ifndef IO_PE_METADATA_H
#define IO_PE_METADATA_H

/*
 * Reads the type metadata of a .NET module (ECMA-335), as far as the runtime's events lack it.
 * Nothing is copied: the module is read in place, and tables are searched on demand. Hostile input
 * costs at most one pass over the tables a call; damaged entries are not found.
 *
 *   PE file      io/pe/pe.h; directory 14
 *   CLI header   at 8: address and size of the metadata
 *   metadata     "BSJB", streams: "#~" tables, "#Strings" names, "#Blob"
 *                signatures
 */
#include "io/pe/pe.h"
#include "model/base/arena.h"

struct metadata;

/* `data` is the module's file; borrowed. NULL sets `err`. */
struct metadata *metadata_open(const uint8_t *data, size_t len, struct error *err) MUST_USE;
/* Opens metadata in a process's memory, from BSJB on. */
struct metadata *metadata_open_root(const uint8_t *data, size_t len, struct error *err) MUST_USE;
void metadata_close(struct metadata *m);
/* "leaky.dll", and "leaky" for an assembly's manifest module, in the module's bytes; "" if
 * missing. */
const char *metadata_module_name(const struct metadata *m);
const char *metadata_assembly_name(const struct metadata *m);
/* The numbers of rows in the tables that the runtime has maps of. */
struct metadata_counts {
	uint32_t types, type_refs, methods, fields;
};
struct metadata_counts metadata_counts(const struct metadata *m);
/* True if the module has this build; false also if it records none. */
bool metadata_is_build(const struct metadata *m, const struct pe_build *build);

/*
 * The full name of a TypeDef (token 0x02……) in reflection spelling:
 * "System.Collections.Generic.Dictionary`2+Entry". In `a`; NULL without an error: no such type.
 */
const char *metadata_type_name(const struct metadata *m, uint32_t token, struct arena *a,
			       struct error *err) MUST_USE;

/*
 * Tests if the TypeDef has the name, derives from that type or implements that interface. Looks at
 * this module only: METADATA_MAYBE if a base type in another module has a different name.
 */
enum metadata_answer { METADATA_NO, METADATA_MAYBE, METADATA_YES };
enum metadata_answer metadata_type_is(const struct metadata *m, uint32_t token, const char *name,
				      struct arena *scratch);

/* Iterates over static fields that can hold objects; `*row` starts at 0. The name is in the
 * module's bytes. False: no more. */
bool metadata_next_static(const struct metadata *m, uint32_t *row, const char **name);

struct metadata_static {
	const char *declaring; /* full name of the declaring type */
	/* Declared type without arguments; for arrays, of the elements; "" for a type parameter. */
	const char *type;
	bool is_array;         /* or an array of such arrays */
	bool is_value_type;    /* the field holds a box */
	bool is_thread_static; /* [ThreadStatic] */
};
/* Describes the field at a row from metadata_next_static(), in `a`. */
bool metadata_static_read(const struct metadata *m, uint32_t row, struct metadata_static *out,
			  struct arena *a, struct error *err) MUST_USE;

#endif
