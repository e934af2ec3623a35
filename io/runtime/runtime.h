#ifndef IO_RUNTIME_RUNTIME_H
#define IO_RUNTIME_RUNTIME_H

/*
 * Opens the .NET runtime in a process: its version, its variables, and its managed threads. The one
 * entry is the exported table g_dacTable: addresses of the runtime's variables in an order that no
 * version promises. So variables are recognised by their contents; contents that look wrong are
 * refused or reported as a doubt, never guessed.
 *
 * Native AOT describes itself (io/runtime/native.h). Mono has other structures and is refused with
 * a message.
 */
#include "io/runtime/doubt.h"
#include "io/runtime/layout.h"
#include "model/base/arena.h"

/* The source of the version, best first. */
enum clr_version_from {
	CLR_VERSION_TEXT,  /* version text in the runtime's data */
	CLR_VERSION_INFO,  /* structure that a single file exports */
	CLR_VERSION_PATH,  /* folder's name */
	CLR_VERSION_TABLE, /* size of g_dacTable: major version only */
};

/* The place at which the contract descriptor was found. */
enum clr_descriptor_source {
	CLR_DESCRIPTOR_NONE,
	CLR_DESCRIPTOR_IN_MEMORY,
	CLR_DESCRIPTOR_IN_FILE
};

struct clr_thread {
	uint64_t address; /* the runtime's Thread structure */
	uint64_t os_id;   /* kernel thread id; 0: not started, or ended */
	/* The allocation context; 0, 0: none. */
	uint64_t alloc_pointer, alloc_limit;
	uint32_t id; /* managed thread id */
	uint32_t state;
	uint64_t last_thrown; /* exception handle; 0: none, or unknown */
	uint8_t mode;         /* enum heap_thread_mode */
	/* The ordinary stack, [limit, base); 0, 0: unknown. */
	uint64_t stack_base, stack_limit;
};

enum clr_thread_key {
	CLR_THREAD_BY_ID,
	CLR_THREAD_BY_OS_ID,
	CLR_THREAD_BY_ADDRESS,
	CLR_THREAD_KEYS
};

/* Kinds of Frames on a thread's stack: io/runtime/frame_chain.h. */
enum clr_frame_kind {
	CLR_FRAME_CLASS_INIT_MARK,
	CLR_FRAME_SECURITY_MARK,
	CLR_FRAME_DEBUGGER_EXIT,
	CLR_FRAME_CATCH_HANDLER,
	CLR_FRAME_FAULTING,
	CLR_FRAME_FUNC_EVAL,
	CLR_FRAME_HELPER,
	CLR_FRAME_HELPER_1,
	CLR_FRAME_HELPER_2,
	CLR_FRAME_HELPER_3,
	CLR_FRAME_HELPER_PROTECT,
	CLR_FRAME_HIJACK,
	CLR_FRAME_INLINED,
	CLR_FRAME_MULTICAST,
	CLR_FRAME_PINVOKE_CALLI,
	CLR_FRAME_PRESTUB,
	CLR_FRAME_PROTECT_REFS,
	CLR_FRAME_PROTECT_VALUE,
	CLR_FRAME_RESUMABLE,
	CLR_FRAME_REDIRECTED,
	CLR_FRAME_STUB_DISPATCH,
	CLR_FRAME_CALL_COUNTING,
	CLR_FRAME_EXTERNAL,
	CLR_FRAME_DYNAMIC_HELPER,
	CLR_FRAME_FILTER,
	CLR_FRAME_SOFTWARE,
	CLR_FRAME_UNKNOWN,
	CLR_FRAME_KINDS
};

struct clr_native; /* io/runtime/native.h */
struct clr_runtime {
	const struct memory *memory;
	struct memory_reader *reader; /* for one thread at a time */
	struct arena arena;
	/* libcoreclr.so or the program; "": the core names no files. */
	const char *path;
	const char *gc_library; /* standalone GC library, or NULL */
	bool is_single_file;
	struct clr_native *native; /* of a Native AOT program; else NULL */
	uint64_t base;
	uint32_t runtimes_count; /* in the process, see io/runtime/search.h */

	uint32_t version[3]; /* 10, 0, 12 */
	enum clr_version_from version_from;
	struct clr_layout layout;
	enum clr_descriptor_source descriptor_source;
	uint32_t described_globals; /* number of the globals below that the descriptor has */

	uint64_t dac_table;
	uint32_t dac_slots_count, gc_slot;
	uint64_t gc_vars;          /* GcDacVars: io/runtime/heaps.h */
	uint64_t generation_bytes; /* bytes of a generation, 65 to 4095 */

	uint64_t thread_store, finalizer_thread, app_domain; /* or 0 */
	uint64_t code_map;                                   /* root of io/runtime/code.h, or 0 */
	/* The first word of each kind of Frame; 0: unknown. */
	uint64_t frame_words[CLR_FRAME_UNKNOWN];
	uint64_t free_table;   /* free object's method table, or 0 */
	uint64_t string_table; /* System.String's method table, or 0 */

	const struct clr_thread *threads;
	size_t threads_count;
	bool are_threads_known; /* false: the list is absent or inconsistent */
	/* Sorted by each key, for clr_thread_find(). */
	const struct clr_thread_place *thread_places[CLR_THREAD_KEYS];

	struct clr_doubts doubts;
};

/* `m` is borrowed and must outlive the runtime. NULL sets `err`. */
struct clr_runtime *clr_runtime_open(const struct memory *m, struct error *err) MUST_USE;
void clr_runtime_close(struct clr_runtime *rt);

/* Reads the flags of a method table, as CoreCLR has them. False: absent. */
bool clr_table_flags(const struct clr_runtime *rt, uint64_t method_table, uint32_t *flags) MUST_USE;

/* Reads the variable that a slot of g_dacTable points to; false: absent or 0. */
bool clr_variable(const struct clr_runtime *rt, uint32_t slot, uint64_t *value) MUST_USE;

#endif
