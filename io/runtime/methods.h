#ifndef IO_RUNTIME_METHODS_H
#define IO_RUNTIME_METHODS_H

/*
 * Which method it is that code begins: by the stub through which methods are
 * called, and the runtime's record that the stub leads to.
 *
 *   stub x64   an optional jmp [rip+i32] (ff 25), then mov r10, [rip+i32]
 *              (4c 8b 15): what is loaded is the record
 *   arm64      within four instructions ldr x12, literal
 *   record     u16 at 0, bits 0-11 the low half of the token; u8 at 2, its
 *              place in a chunk, in units of 8 bytes; u16 at 4 its slot
 *   chunk      24 bytes before the first: u64 method table at 0, u64 at 8 the
 *              next chunk of the class, u8 at 16 the last place, u8 at 17 how
 *              many records there are, less one, u16 at 18, bits 0-11 the high
 *              half of the token
 *
 * The same in .NET 8, 9 and 10. What is found is believed only if the type has
 * a method of that token. Code without a stub (the runtime's own functions,
 * methods made at run time) is not known.
 */
#include "io/runtime/names.h"
#include "model/heap/memory.h"

struct clr_method {
	uint64_t table;   /* of the type that declares it */
	const char *name; /* in the module's bytes */
};

/* False: nobody knows; without memory `err` is set, too. */
bool clr_method_at(const struct clr_names *n, uint64_t code,
		   struct clr_method *out, struct error *err) MUST_USE;
/* The same by the runtime's record. */
bool clr_method_of_record(const struct clr_names *n, uint64_t record,
			  struct clr_method *out, struct error *err) MUST_USE;

/*
 * All that the class of a canonical method table declares, in the order of its
 * chunks. Records are of several lengths: where one begins is told by its own
 * place and by its token. False sets `err`: there are no metadata, or no
 * memory.
 */
bool clr_methods_read(const struct clr_names *n,
		      const struct content_table *table,
		      struct content_methods *out, struct arena *a,
		      struct error *err) MUST_USE;

#endif
