#ifndef IO_CLR_STATICS_H
#define IO_CLR_STATICS_H

/* Static variables that refer to objects, with their declaring class: roots.
 * io/runtime/static_type.h describes where they are. */
#include "io/runtime/heaps.h"
#include "io/runtime/loaded.h"
#include "io/runtime/names.h"
#include "io/runtime/thread_names.h"

struct clr_static {
	uint64_t slot, object;
	const char *name;                     /* "Leaky.Cache.Sessions"; the class in Native AOT */
	const struct clr_thread_name *thread; /* of a thread static, else NULL */
};

/* The array that holds a thread's statics; itself a root. */
struct clr_thread_array {
	uint64_t object;
	const struct clr_thread_name *thread;
};

struct clr_statics {
	struct clr_static *items; /* by slot, unique, not null */
	size_t count, room;
	struct clr_thread_array *arrays;
	size_t arrays_count, arrays_room;
	uint32_t missing_count; /* repeated storage, and statics past the bounds */
};

/* Names are in `a`. Absent parts are left out; false sets `err`: no memory, or cancelled.
 * `progress` may be NULL. */
bool clr_statics_read(struct clr_statics *out, const struct clr_heaps *heaps,
		      const struct clr_names *names, const struct clr_loaded *loaded,
		      const struct clr_thread_names *threads, struct arena *a,
		      struct progress *progress, struct error *err) MUST_USE;
void clr_statics_clear(struct clr_statics *statics);

#endif
