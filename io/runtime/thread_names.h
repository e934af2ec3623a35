#ifndef IO_RUNTIME_THREAD_NAMES_H
#define IO_RUNTIME_THREAD_NAMES_H

/*
 * The names of a process's threads: managed threads in the runtime's order, then native ones. A
 * managed thread's record has a handle to its System.Threading.Thread object:
 *
 *   24  String  its name, or null
 *   40  u64     the record, which validates the object
 */
#include "model/base/u64_map.h"
#include "io/runtime/handles.h"
#include "io/runtime/runtime.h"

struct clr_thread_name {
	uint64_t address;  /* the runtime's Thread structure, or 0 */
	uint64_t os_id;    /* kernel thread id; 0: not started, or ended */
	uint64_t object;   /* System.Threading.Thread; or 0 */
	uint64_t thrown;   /* last exception, or 0 */
	uint8_t mode;      /* enum heap_thread_mode */
	uint32_t id;       /* managed thread id; 0: none */
	const char *name;  /* managed name, else the kernel's, or "" */
	bool is_unnamed;   /* the object was read, and has no name */
	const char *title; /* "thread 5 (OS 4711) leaky-0" */
};

struct clr_thread_names {
	const struct clr_thread_name *items;
	size_t count;
	struct u64_map index; /* from os_id */
};

/* Texts are allocated in `a`. `handles` may be NULL: then those of threads are read one by one.
 * False sets `err`: no memory. */
bool clr_thread_names_read(struct clr_thread_names *out, const struct clr_runtime *rt,
			   const struct clr_handles *handles, struct arena *a,
			   struct error *err) MUST_USE;
void clr_thread_names_clear(struct clr_thread_names *t);
/* Finds a thread by its kernel id, or NULL. */
const struct clr_thread_name *clr_thread_names_find(const struct clr_thread_names *t,
						    uint64_t os_id);

#endif
