#ifndef IO_METADATA_H
#define IO_METADATA_H

/*
 * What a .NET module says about its types (ECMA-335): only what the runtime's
 * events leave out. Nothing is copied: a module is read where it lies, tables
 * are looked up when asked for. Hostile input costs at most one pass over the
 * tables a call; what is damaged is not found.
 *
 *   PE file      "MZ", u32 at 0x3c: offset of "PE\0\0", sections, directory 14
 *   CLI header   at 8: address and size of the metadata
 *   metadata     "BSJB", streams: "#~" tables, "#Strings" names, "#Blob"
 *                signatures
 */
#include "model/arena.h"

struct metadata;

/* `data` is borrowed: the module's file. NULL sets `err`. */
struct metadata *metadata_open(const uint8_t *data, size_t len,
			       struct error *err) MUST_USE;
void metadata_close(struct metadata *m);

/*
 * The name of a type definition (token 0x02……) with its namespace and the
 * types around it, as the runtime spells it within arguments:
 * "System.Collections.Generic.Dictionary`2+Entry". In `a`; NULL without an
 * error if there is no such type.
 */
const char *metadata_type_name(const struct metadata *m, uint32_t token,
			       struct arena *a, struct error *err) MUST_USE;

/* A static field, and whether a value of some type may stand in it. */
struct metadata_static {
	uint32_t type_token;   /* that declares it */
	const char *type_name; /* the same, spelt as above */
	/*
	 * The declared type without its arguments, as above; "" for those of
	 * generic parameters. `is_array`: an array of whatever.
	 */
	const char *field_type;
	bool is_array, is_value_type;
	bool is_thread_static; /* has [ThreadStatic] */
};
/*
 * Calls `each` for every static field of that name. All strings live until
 * it returns. False: out of memory, or `each` said so.
 */
typedef bool metadata_each_static(void *context,
				  const struct metadata_static *field,
				  struct error *err);
bool metadata_find_statics(const struct metadata *m, const char *field_name,
			   metadata_each_static *each, void *context,
			   struct error *err) MUST_USE;

#endif
