#ifndef IO_RUNTIME_NAMES_H
#define IO_RUNTIME_NAMES_H

/*
 * Names of types, from the runtime's own records of them (type handles):
 *
 *   a method table          bit 1 of the handle is clear; a definition in the
 *                           metadata of its module, with arguments, or an array
 *   a type description      bit 1 is set; pointers, references, parameters
 *
 * spelt as heap_builder_type() wants them and as the event source has them:
 * "System.Collections.Generic.Dictionary<System.String,Foo[,]>+Entry[]".
 * What the metadata do not tell has a number: "leaky.dll!#02000123".
 *
 * Nothing here follows a chain for ever: nesting is unrolled on a list of its
 * own, and a name has so many parts and bytes and no more ("…" stands for the
 * rest).
 */
#include "io/runtime/modules.h"

enum clr_name_flag {
	CLR_NAME_MADE_UP = 1, /* metadata are missing for some of it */
	CLR_NAME_CUT = 2,     /* it is longer, or a circle */
};

struct clr_names {
	const struct clr_layout *layout;
	struct memory_reader *reader;
	struct clr_modules *modules;
};

/*
 * The name of a handle, in `a`. *flags: enum clr_name_flag. NULL sets `err`:
 * no memory.
 */
const char *clr_name_of(const struct clr_names *n, uint64_t handle,
			struct arena *a, unsigned *flags,
			struct error *err) MUST_USE;

/*
 * The same in the runtime's own spelling, as walk_name_spell() takes it:
 * "System.Collections.Generic.List`1[System.Int32]".
 */
const char *clr_name_raw(const struct clr_names *n, uint64_t handle,
			 struct arena *a, unsigned *flags,
			 struct error *err) MUST_USE;
enum { CLR_ARGUMENTS_MAX = 256 };
/*
 * The handles of a generic type's arguments. Returns how many; 0: it has none,
 * or they cannot be read.
 */
unsigned clr_name_arguments(const struct clr_names *n, uint64_t method_table,
			    uint64_t handles[CLR_ARGUMENTS_MAX]);

/*
 * The token of a method table's definition, 0x02……; 0 if it cannot be said
 * (arrays have none, and so has what is not there).
 */
uint32_t clr_name_token(const struct clr_names *n, uint64_t method_table);
/* The address of the module that has the definition; 0: absent. */
uint64_t clr_name_module(const struct clr_names *n, uint64_t method_table);

#endif
