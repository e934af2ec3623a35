#ifndef IO_RUNTIME_NATIVE_CONTRACT_H
#define IO_RUNTIME_NATIVE_CONTRACT_H

/*
 * The runtime inside a Native AOT program of .NET 11, which describes itself by a contract
 * descriptor like CoreCLR: threads, method tables, and in a sub-descriptor the collector. It leaves
 * out the collector's GcDacVars; they lie near the variable FreeObjectMethodTable, and are
 * recognised by contents.
 */
#include "io/memory/elf_image.h"
#include "io/runtime/descriptor.h"
#include "io/runtime/runtime.h"

/* Reads the version of the runtime. False sets `err`: there is none. */
bool clr_native_contract_version(struct clr_runtime *rt, const struct clr_descriptor *d,
				 struct error *err) MUST_USE;
/*
 * Fills in the runtime's variables and threads. The runtime's layout is the described one; only the
 * fields that a native runtime needs are kept. False sets `err`: the description lacks something.
 */
bool clr_native_contract_open(struct clr_runtime *rt, const struct elf_image *image,
			      const struct clr_descriptor *d, struct error *err) MUST_USE;

#endif
