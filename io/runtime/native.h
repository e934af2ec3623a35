#ifndef IO_RUNTIME_NATIVE_H
#define IO_RUNTIME_NATIVE_H

/*
 * The runtime inside a Native AOT program. Up to .NET 10 the program exports a description of its
 * structures, DotNetRuntimeDebugHeader, which is read by name:
 *
 *   0   "DNDH"    4  u16 major, u16 minor    8  u32 flags, u32
 *   16  *types: *type, *field, u32 offset, u32; the end: a 0
 *   24  *globals: *name, address; the end: a 0
 *
 * Since .NET 11 it exports a contract descriptor: io/runtime/native_contract.h.
 *
 * The collector, its handles and the references before a method table are those of CoreCLR. A
 * method table has no module and no class; names of types are in symbols only, and nothing
 * describes fields.
 */
#include "io/memory/elf_image.h"
#include "io/memory/native_types.h"
#include "io/runtime/runtime.h"

struct clr_native {
	uint64_t base, end;         /* of the program in memory */
	uint64_t tls_bytes;         /* its variables of each thread */
	uint32_t pointers_flag;     /* in a method table: it has references */
	struct native_types *types; /* NULL: no symbols, */
	char why[NATIVE_WHY_BYTES]; /* for this reason */
};

/* Offsets in a thread. */
struct clr_native_threads {
	uint32_t next, context, id;
};

/* Notes the program and that the runtime is in it. False: no memory. */
bool clr_native_begin(struct clr_runtime *rt, const struct elf_image *image,
		      struct error *err) MUST_USE;
/* Sets the collector's variables; false: these are not at that address. */
bool clr_native_has_variables(struct clr_runtime *rt, uint64_t address);
/* Reads the threads from the address of the first one's address on. An absent one is a doubt.
 * False: no memory. */
bool clr_native_read_threads(struct clr_runtime *rt, const struct clr_native_threads *l,
			     uint64_t list, struct error *err) MUST_USE;
/*
 * Fills in the runtime's layout and variables. False sets `err`: the description has an unknown
 * version, or lacks something.
 */
bool clr_native_open(struct clr_runtime *rt, const struct elf_image *image, uint64_t header,
		     struct error *err) MUST_USE;
/* Uses these symbols, or has none for this reason. */
void clr_native_set_symbols(struct clr_runtime *rt, struct native_types *types, const char *why);
/*
 * Searches the symbols, in `folder` first, which may be NULL. Reads a file of megabytes: not while
 * the process is stopped. False: no memory.
 */
bool clr_native_find_symbols(struct clr_runtime *rt, const char *folder,
			     struct error *err) MUST_USE;
/* Closes the symbols. Accepts a runtime of CoreCLR. */
void clr_native_close(struct clr_runtime *rt);

/* The flags of a method table as CoreCLR has them: CLR_MT_…. */
uint32_t clr_native_flags(const struct clr_native *n, uint32_t flags);
/* The kind of a field of that type, as CoreCLR has it (ECMA-335 II.23.1.16). */
uint8_t clr_native_kind(uint32_t flags);
/*
 * The type's name in the spelling of heaps, from symbols; out->name NULL: they have none. False: no
 * memory.
 */
bool clr_native_name(const struct clr_native *n, uint64_t method_table, struct arena *a,
		     struct native_name *out, struct error *err) MUST_USE;

#endif
