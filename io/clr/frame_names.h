#ifndef IO_CLR_FRAME_NAMES_H
#define IO_CLR_FRAME_NAMES_H

/*
 * Names the frames of stacks: methods by their MethodDesc, other code by its file. A name takes
 * some 20 µs; those of the methods met last are kept, as recursion repeats them.
 */
#include "io/runtime/names.h"
#include "io/runtime/runtime.h"
#include "model/heap/memory.h"

enum { CLR_FRAME_NAMES_KEPT = 64 };

struct clr_frame_names {
	const struct clr_runtime *runtime;
	const struct clr_names *names;
	struct arena *arena; /* of the texts */
	struct error *err;
	struct content_frame kept[CLR_FRAME_NAMES_KEPT]; /* by record */
};

/* Sets the texts and the record of a frame; of an unknown method the texts are "". False: memory
 * ran out. */
bool clr_frame_name_method(struct clr_frame_names *n, uint64_t record,
			   struct content_frame *out) MUST_USE;
/* Sets the texts from the file that out->ip lies in: "libc.so.6 + 0x91f16". False: likewise. */
bool clr_frame_name_place(const struct clr_frame_names *n, struct content_frame *out) MUST_USE;

#endif
