#ifndef IO_RUNTIME_NAMES_H
#define IO_RUNTIME_NAMES_H

/*
 * Names of types, from the runtime's type handles:
 *
 *   method table        bit 1 of the handle is clear; a type definition in the
 *                       metadata of its module, with arguments, or an array
 *   type description    bit 1 is set; pointers, by-references, type parameters
 *
 * The spelling is that of heap_builder_type() and of the event source:
 * "System.Collections.Generic.Dictionary<System.String,Foo[,]>+Entry[]". A type without metadata is
 * named by its token: "leaky.dll!#02000123".
 *
 * Damage cannot make naming endless: nesting uses an explicit stack, and the parts and bytes of a
 * name are limited: "…#" and a hash of the whole name replace the rest, or the address of the type
 * if not all of it was read.
 */
#include "io/runtime/modules.h"

enum clr_name_flag {
	CLR_NAME_MADE_UP = 1, /* metadata is missing for part of it */
	CLR_NAME_CUT = 2,     /* too long, or cyclic */
};

struct clr_names {
	const struct clr_layout *layout;
	struct memory_reader *reader;
	struct clr_modules *modules;
};

/* The name of a type handle, allocated in `a`. *flags: enum clr_name_flag. NULL sets `err`: no
 * memory. */
const char *clr_name_of(const struct clr_names *n, uint64_t handle, struct arena *a,
			unsigned *flags, struct error *err) MUST_USE;

/* Like clr_name_of(), in reflection spelling, which name_spell() reads:
 * "System.Collections.Generic.List`1[System.Int32]". */
const char *clr_name_raw(const struct clr_names *n, uint64_t handle, struct arena *a,
			 unsigned *flags, struct error *err) MUST_USE;
enum { CLR_ARGUMENTS_MAX = 256 };
/* Lists the type handles of a generic instance's arguments. Returns their number; 0: none, or
 * unreadable. */
unsigned clr_name_arguments(const struct clr_names *n, uint64_t method_table,
			    uint64_t handles[CLR_ARGUMENTS_MAX]);

/* The TypeDef token of a method table, 0x02……; 0: unknown, or an array. */
uint32_t clr_name_token(const struct clr_names *n, uint64_t method_table);
/* The address of the defining module; 0: absent. */
uint64_t clr_name_module(const struct clr_names *n, uint64_t method_table);

#endif
