#ifndef IO_PE_NATIVE_NAME_H
#define IO_PE_NATIVE_NAME_H

/*
 * Names of types of Native AOT programs. Its compiler names the symbol of a type after the
 * assembly, the namespace and the type, with each character other than a letter or a digit replaced
 * by "_":
 *
 *   shop_Shop_Order                      Shop.Order in shop.dll
 *   S_P_CoreLib_System_Func_2<Int32__A>  System.Func`2[System.Int32,A]
 *   __Array<X>, __MDArray<X,2>, X<Pointer>, Boxed_X
 *
 * This does not tell where the assembly's name ends, nor a dot from a nested type or from "_". The
 * program's name, the framework's assemblies, repeated first parts, and the other symbols answer
 * that for nearly all names; what remains undecided becomes a dot. Takes time in the square of the
 * length, at most milliseconds, as longer names are not read; without recursion.
 */
#include "model/base/arena.h"

/* A name that can be read in several ways is decided by these. */
struct native_known {
	const char *const *names; /* of all types, in strcmp()'s order */
	size_t count;
	const char *program; /* the file's name: "shop" */
};

struct native_name {
	const char *name;   /* as reflection spells it: see name_spell() */
	const char *module; /* "System.Private.CoreLib.dll" */
};

/*
 * `mangled` without "_ZTV" and the length. The results are in `a`; a name that is not understood is
 * copied, its module is "". False: no memory.
 */
bool native_name_read(const char *mangled, const struct native_known *known, struct arena *a,
		      struct native_name *out, struct error *err) MUST_USE;

#endif
