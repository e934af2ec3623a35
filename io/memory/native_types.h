#ifndef IO_MEMORY_NATIVE_TYPES_H
#define IO_MEMORY_NATIVE_TYPES_H

/*
 * The types of a Native AOT program by their place in it, from its symbols, and the search for
 * these: in the program, or in a file of the same build id. About 100 bytes a type; all names are
 * copied, so the files are closed again.
 *
 *   _ZTV19leaky_Leaky_Session      a type: the length of its name, the name
 *   __GCSTATICSleaky_Leaky_Cache   a pointer to the object with the static
 *                                  variables of a class that are references
 */
#include "io/base/file.h"
#include "io/pe/native_name.h"

struct native_types;

/* Is this the file of a Native AOT program? */
bool native_types_is_program(const uint8_t *data, size_t len);
/* NULL: no memory; with ERROR_NONE in `err`: the file has no such symbols. `program` is the file
 * name of the program. */
struct native_types *native_types_read(const uint8_t *data, size_t len, const char *program,
				       struct error *err) MUST_USE;
/* One more owner, who calls native_types_free(), too. Accepts NULL. */
struct native_types *native_types_share(struct native_types *t);
/* Accepts NULL. */
void native_types_free(struct native_types *t);
/* The type whose method table is so far from the program's start. */
bool native_types_has(const struct native_types *t, uint64_t offset);
/* False: no memory. Without such a type, out->name is NULL. */
bool native_types_name(const struct native_types *t, uint64_t offset, struct arena *a,
		       struct native_name *out, struct error *err) MUST_USE;

/*
 * Where a pointer to the object with the static variables of the i-th class is, from the program's
 * start. False: past the last. Accepts NULL.
 */
bool native_types_static(const struct native_types *t, size_t i, uint64_t *offset);
/* The name of that class. False: no memory. */
bool native_types_static_name(const struct native_types *t, size_t i, struct arena *a,
			      struct native_name *out, struct error *err) MUST_USE;

struct native_search {
	const struct file *program; /* NULL: only `path` is known */
	const char *path;           /* of the program, below `root` */
	const char *root;           /* of its process; NULL: this machine's */
	const char *folder;         /* to be searched first; NULL: none */
};

/*
 * Searches the program itself, then files named in its .gnu_debuglink or after it, NAME.dbg, and
 * after its build id: in the folder, beside the program, under /usr/lib/debug. If the program is
 * not given, only the folder, without comparing builds. NULL: `why` says what is missing and where
 * it belongs; or, with `err` set, no memory.
 */
enum { NATIVE_WHY_BYTES = 320 };
struct native_types *native_types_search(const struct native_search *s, char why[NATIVE_WHY_BYTES],
					 struct error *err) MUST_USE;

#endif
