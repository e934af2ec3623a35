#ifndef IO_PE_METADATA_H
#define IO_PE_METADATA_H

/*
 * What a .NET module says about its types (ECMA-335): only what the runtime's
 * events leave out. Nothing is copied: a module is read where it lies, tables
 * are looked up when asked for. Hostile input costs at most one pass over the
 * tables a call; what is damaged is not found.
 *
 *   PE file      io/pe/pe.h; directory 14
 *   CLI header   at 8: address and size of the metadata
 *   metadata     "BSJB", streams: "#~" tables, "#Strings" names, "#Blob"
 *                signatures
 */
#include "io/pe/pe.h"
#include "model/base/arena.h"

struct metadata;

/* `data` is borrowed: the module's file. NULL sets `err`. */
struct metadata *metadata_open(const uint8_t *data, size_t len,
			       struct error *err) MUST_USE;
/* The same of metadata alone, as they lie in a process: from BSJB on. */
struct metadata *metadata_open_root(const uint8_t *data, size_t len,
				    struct error *err) MUST_USE;
void metadata_close(struct metadata *m);
/*
 * "leaky.dll", and "leaky" of an assembly's first module: in the module's
 * bytes; "" if it does not say.
 */
const char *metadata_module_name(const struct metadata *m);
const char *metadata_assembly_name(const struct metadata *m);
/* Was the module made by that very build? False also if it does not say. */
bool metadata_is_build(const struct metadata *m, const struct pe_build *build);

/*
 * The name of a type definition (token 0x02……) with its namespace and the
 * types around it, as the runtime spells it within arguments:
 * "System.Collections.Generic.Dictionary`2+Entry". In `a`; NULL without an
 * error if there is no such type.
 */
const char *metadata_type_name(const struct metadata *m, uint32_t token,
			       struct arena *a, struct error *err) MUST_USE;

/*
 * Is the type definition of that name, or derived from it, or does it have such
 * an interface? Looks at this module alone: "maybe" if a base type is in
 * another one, and that is not the name.
 */
enum metadata_answer { METADATA_NO, METADATA_MAYBE, METADATA_YES };
enum metadata_answer metadata_type_is(const struct metadata *m, uint32_t token,
				      const char *name, struct arena *scratch);

/*
 * The static fields that can hold objects, one after another: `*row` begins at
 * 0. The name lies in the module's bytes. False: no more.
 */
bool metadata_next_static(const struct metadata *m, uint32_t *row,
			  const char **name);

struct metadata_static {
	const char *declaring; /* the type's name, spelt as above */
	/*
	 * The declared type without its arguments, spelt likewise; of arrays
	 * that of the elements; "" where it is a generic parameter.
	 */
	const char *type;
	bool is_array;         /* or an array of such arrays */
	bool is_value_type;    /* the field holds a box */
	bool is_thread_static; /* of each thread: [ThreadStatic] */
};
/* What metadata_next_static() found at the row; strings are in `a`. */
bool metadata_static_read(const struct metadata *m, uint32_t row,
			  struct metadata_static *out, struct arena *a,
			  struct error *err) MUST_USE;

#endif
