#ifndef IO_RUNTIME_THREAD_NAMES_H
#define IO_RUNTIME_THREAD_NAMES_H

/*
 * The threads of a process, by what people call them: managed ones as the
 * runtime lists them, then those of the system that run no managed code.
 * A managed thread's record has a handle to its System.Threading.Thread:
 *
 *   24  String  its name, or null
 *   40  u64     the record: so no other object is taken for one
 */
#include "model/base/u64_map.h"
#include "io/runtime/handles.h"
#include "io/runtime/runtime.h"

struct clr_thread_name {
	uint64_t address;  /* of the runtime's record; 0: it has none */
	uint64_t os_id;    /* 0: not started, or ended */
	uint64_t object;   /* System.Threading.Thread; or 0 */
	uint64_t thrown;   /* the last exception; or 0 */
	uint8_t mode;      /* enum heap_thread_mode */
	uint32_t id;       /* the managed one; 0: none */
	const char *name;  /* the managed one, else the system's; or "" */
	const char *title; /* "thread 4711 leaky-0": for sentences */
};

struct clr_thread_names {
	const struct clr_thread_name *items;
	size_t count;
	struct u64_map index; /* from ids in the system */
};

/* Texts are in `a`. False: no memory for it. */
bool clr_thread_names_read(struct clr_thread_names *out,
			   const struct clr_runtime *rt,
			   const struct clr_handles *handles, struct arena *a,
			   struct error *err) MUST_USE;
void clr_thread_names_clear(struct clr_thread_names *t);
/* By its id in the system; NULL: there is none. */
const struct clr_thread_name *
clr_thread_names_find(const struct clr_thread_names *t, uint64_t os_id);

#endif
