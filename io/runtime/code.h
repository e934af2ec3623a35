#ifndef IO_RUNTIME_CODE_H
#define IO_RUNTIME_CODE_H

/*
 * Finds the method that a code address lies in, among all code that the runtime has compiled or
 * loaded. It stands on the runtime's own structures:
 *
 *   map        a tree of five levels of 256 pointers, by bits 49-56, 41-48,
 *              33-40, 25-32 and 17-24 of the address; then a list of fragments
 *              of sections. Bit 0 of a pointer marks code that can be unloaded.
 *   section    code compiled at run time has a heap node (code_jitted.h), a
 *              precompiled image has a module (code_ready.h); flag 4: stubs
 *
 * Equal for .NET 8, 9, 10 and 11 on x64, apart from offsets. On arm64 an entry has no end, which
 * comes from the unwind data then; that is not tested.
 * The code of the interpreter (.NET 11, off) is not known.
 *
 * A look-up reads up to a hundred words; each step counts, so that damaged memory cannot make it
 * long.
 */
#include "io/runtime/runtime.h"

enum clr_code_kind {
	CLR_CODE_NONE,        /* no managed code */
	CLR_CODE_STUB,        /* code that the runtime generated for itself */
	CLR_CODE_JITTED,      /* compiled at run time */
	CLR_CODE_PRECOMPILED, /* in a ReadyToRun image */
};

struct clr_code {
	enum clr_code_kind kind;
	uint64_t record; /* MethodDesc; see clr_method_of_record() */
	uint64_t start;  /* first address of the method's code */
	/* Offset in the method, as its GC info counts: code that lies apart (cold code) is thought
	 * to follow the rest. */
	uint64_t offset;
	uint64_t image; /* address of the precompiled image; else 0 */
	/* The function at the address: the method, or one of its handlers. Known also where the
	 * method is not; 0, 0: unknown. */
	uint64_t entry, entry_end;
	uint64_t unwind;  /* address of the function's unwind record */
	uint64_t section; /* address that the unwind record's own addresses are relative to */
	uint64_t gc_info; /* address of the method's GC info; 0: unknown */
	const char *why;  /* no method: the reason, a sentence without its full stop; else NULL */
};

/*
 * False: no method is known there, see out->kind and out->why. A return address may be that of the
 * next method's code: ask for the address before it.
 */
bool clr_code_find(const struct clr_runtime *rt, struct memory_reader *r, uint64_t address,
		   struct clr_code *out) MUST_USE;

#endif
