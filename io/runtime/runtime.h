#ifndef IO_RUNTIME_RUNTIME_H
#define IO_RUNTIME_RUNTIME_H

/*
 * Which .NET runtime is in a process, where its own variables are, and its
 * managed threads. All of it from one exported table, `g_dacTable`: addresses
 * of the runtime's variables in an order that no version promises. So what is
 * looked for is recognized by what is in it, and what looks wrong is refused
 * or noted as a doubt, never guessed.
 *
 * Not for NativeAOT or Mono, whose structures are others: a sentence says so.
 */
#include "io/runtime/layout.h"
#include "model/base/arena.h"

/* How the version is known. */
enum clr_version_from {
	CLR_VERSION_TEXT,  /* words in the runtime */
	CLR_VERSION_INFO,  /* what a single file exports */
	CLR_VERSION_PATH,  /* the folder it lies in */
	CLR_VERSION_TABLE, /* the size of its table: major only */
};

/* Where it tells of itself. */
enum clr_told_in { CLR_TOLD_NOWHERE, CLR_TOLD_IN_MEMORY, CLR_TOLD_IN_FILE };

struct clr_thread {
	uint64_t address; /* of the runtime's Thread */
	uint64_t os_id;   /* 0: not started, or ended */
	/* Memory that it has taken for objects but not filled; or 0, 0. */
	uint64_t alloc_pointer, alloc_limit;
	uint32_t id; /* the managed one */
	uint32_t state;
	uint64_t last_thrown; /* handle of an exception; 0: none, not known */
	uint8_t mode;         /* enum heap_thread_mode */
	/* Its ordinary stack, [limit, base); 0, 0: not known. */
	uint64_t stack_base, stack_limit;
};

enum clr_thread_key {
	CLR_THREAD_BY_ID,
	CLR_THREAD_BY_OS_ID,
	CLR_THREAD_BY_ADDRESS,
	CLR_THREAD_KEYS
};

enum { CLR_DOUBTS_MAX = 8 };

struct clr_runtime {
	const struct memory *memory;
	struct memory_reader *reader; /* for one thread at a time */
	struct arena arena;
	/* Of libcoreclr.so, or of the program; "": the core names no files. */
	const char *path;
	const char *gc_library; /* of a stand-alone collector; or NULL */
	bool is_single_file;
	uint64_t base;
	uint32_t runtimes_count; /* in the process, see io/runtime/search.h */

	uint32_t version[3]; /* 10, 0, 12 */
	enum clr_version_from version_from;
	struct clr_layout layout;
	enum clr_told_in told_in;
	uint32_t globals_told; /* of the variables below */

	uint64_t dac_table;
	uint32_t dac_slots_count, gc_slot;
	uint64_t gc_vars;          /* GcDacVars: io/runtime/heaps.h */
	uint64_t generation_bytes; /* of one record: 65 to 4095 */

	uint64_t thread_store, finalizer_thread, app_domain; /* or 0 */
	uint64_t free_table;   /* method table of free space; or 0 */
	uint64_t string_table; /* of System.String; or 0 */

	const struct clr_thread *threads;
	size_t threads_count;
	bool are_threads_known; /* false: the list makes no sense */
	/* Sorted: see clr_thread_find(). */
	const struct clr_thread_place *thread_places[CLR_THREAD_KEYS];

	const char *doubts[CLR_DOUBTS_MAX]; /* sentences for people */
	size_t doubts_count;
};

/* `m` is borrowed and outlives it. NULL sets `err`. */
struct clr_runtime *clr_runtime_open(const struct memory *m,
				     struct error *err) MUST_USE;
void clr_runtime_close(struct clr_runtime *rt);

/* The variable that slot number `slot` leads to, and what it says; false:
 * absent. */
bool clr_variable(const struct clr_runtime *rt, uint32_t slot,
		  uint64_t *value) MUST_USE;

#endif
