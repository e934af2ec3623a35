#ifndef IO_RUNTIME_FRAME_CHAIN_H
#define IO_RUNTIME_FRAME_CHAIN_H

/*
 * The chain of Frames, objects of the runtime on a thread's stack. Managed code that calls native
 * code leaves one there, and so does an exception; each has the registers of the managed caller, or
 * leads to them. The chain goes from the innermost Frame outwards, to higher addresses:
 *
 *   Frame   word that says its kind: a number since .NET 10, before that the
 *           address of the class's table of virtual functions; next Frame,
 *           all bits set at the end; then what the kind has
 *
 * Which kind a word means comes from g_dacTable, or from the contract descriptor.
 */
#include "io/memory/x64_state.h"
#include "io/runtime/runtime.h"

struct clr_descriptor;

/* The registers that a Frame gives. */
enum clr_frame_gives {
	CLR_FRAME_GIVES_NOTHING,
	CLR_FRAME_GIVES_CALLER,      /* of a function that has called something */
	CLR_FRAME_GIVES_LEAF,        /* of a function that was stopped where it stood */
	CLR_FRAME_GIVES_INTERRUPTED, /* of a function that has thrown, or faulted */
	CLR_FRAME_GIVES_NATIVE,      /* of native code of the runtime, whose caller is wanted */
	CLR_FRAME_GIVES_ABSENT,      /* they are not in memory */
};

struct clr_chain_frame {
	enum clr_frame_kind kind; /* CLR_FRAME_UNKNOWN: `word` is no known one */
	uint64_t address, word;   /* where it is; its first word */
	uint64_t next;            /* 0: it is the last one */
	uint64_t record;          /* MethodDesc of the method that is called; 0: none, or unknown */
	bool has_thrown;          /* the managed caller was interrupted */
};

/* Fills rt->frame_words. `d` may be closed. */
void clr_frame_kinds_read(struct clr_runtime *rt, const struct clr_descriptor *d);
/* The name of a kind, "InlinedCallFrame". */
const char *clr_frame_kind_name(enum clr_frame_kind kind);
/* Reads the Frame at an address. False: absent, or no Frame can be there. */
bool clr_chain_frame_read(const struct clr_runtime *rt, struct memory_reader *r, uint64_t address,
			  struct clr_chain_frame *out) MUST_USE;
/* Sets the registers that a Frame has; others keep their value. */
enum clr_frame_gives clr_chain_frame_state(const struct clr_runtime *rt, struct memory_reader *r,
					   const struct clr_chain_frame *frame,
					   struct x64_state *state);

#endif
