#ifndef IO_RUNTIME_CONTINUATIONS_H
#define IO_RUNTIME_CONTINUATIONS_H

/*
 * Calls of async methods that the runtime suspends without a state machine (runtime async, since
 * .NET 11). Each is an object whose type the runtime has made for its size and the places of its
 * references, so that calls of many methods share a type. The object itself leads to the method:
 *
 *   continuation   base fields of System.Runtime.CompilerServices.Continuation:
 *                  reference Next at 8, ResumeInfo at 16, u32 flags at 24, i32
 *                  number of the await at 28; data from 32 on
 *   ResumeInfo     native: code that resumes the call at 0, an address in the
 *                  code of the method at 8
 *   flags          an enum: groups of its bits are 0, or the place of something
 *                  among the words of the data, counted from 1; its constants
 *                  say which bits these are
 */
#include "io/runtime/names.h"
#include "io/runtime/runtime.h"

enum {
	CLR_CONTINUATION_FLAGS = 24,
	CLR_CONTINUATION_DATA = 32,
	CLR_CONTINUATION_WORD = 8, /* bytes of a word of the data */
};

/*
 * The raw name of the type that stands for suspended calls of one method, as if Continuation had
 * the method's state machine as its argument, and the path of the module with the method. Each
 * place of an await has a ResumeInfo. Sets
 * *name to NULL if the method is unknown. False: no memory.
 */
bool clr_continuation_name(const struct clr_names *n, const struct clr_runtime *rt,
			   uint64_t resume_info, struct arena *a, const char **name,
			   const char **module, struct error *err) MUST_USE;

/* Names a word of a continuation's data: "execution context", "exception", "result" and so on.
 * `table` is the method table of the enum of the flags. NULL: a variable of the method. */
const char *clr_continuation_slot(const struct clr_names *n, uint64_t table, uint32_t flags,
				  uint32_t word);

#endif
