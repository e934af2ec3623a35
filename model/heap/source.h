#ifndef MODEL_HEAP_SOURCE_H
#define MODEL_HEAP_SOURCE_H

/* A source reads a file or a process into a heap; it neither draws nor reads the keyboard.
   io/formats/sources.c has the table. */
#include "model/base/progress.h"
#include "model/heap/heap.h"
#include <pthread.h>

enum load_what {
	LOAD_TYPES, /* types and totals only: much faster */
	LOAD_ALL,
};

/*
 * The type table while the heap is still being read. The source publishes it a few times a second;
 * the screen copies it under the lock. Names belong to the unfinished heap: a source that fails
 * withdraws the preview first.
 */
struct preview {
	pthread_mutex_t lock;
	uint64_t version;         /* grows with every change */
	const struct type *types; /* NULL: nothing to show */
	uint32_t types_count;
	bool is_final;                        /* counts will not change */
	uint64_t objects_seen, objects_total; /* total 0: unknown */
	/* Called after each change, on the source's thread; or NULL. */
	void (*wake)(void *context);
	void *wake_context;
};
void preview_init(struct preview *p);
void preview_clear(struct preview *p);
/* Copies `types` (count, bytes, …) and frees those published before. */
bool preview_publish(struct preview *p, const struct type *types, uint32_t types_count,
		     uint64_t objects_seen, uint64_t objects_total, bool is_final,
		     struct error *err);
/* Shows nothing, as before the first publication. */
void preview_withdraw(struct preview *p);

/* A source gets these options; zero or NULL means that one was not given. */
struct load_how {
	const char *path; /* "-": standard input */
	uint32_t walk;    /* of a trace, from 1; 0: choose one */
	enum load_what what;
	bool is_forced;               /* accept a file that is hardly of its format */
	bool has_conservative_stacks; /* of a core: see clr_graph_options */
	const char *symbols;          /* a folder with the symbols of Native AOT programs */
	const char *sysroot;          /* where a core looks for mapped files */
	uint32_t runtime;             /* of a core: see memory.runtime_wanted */
	uint64_t memory_bytes;        /* limit for a core and its heap together */
	struct progress *progress;
	struct preview *preview;
};

struct input;

struct source {
	const char *name, *help;
	/* Decides by content: `head` is the first bytes, at most INPUT_HEAD_BYTES. */
	bool (*accepts)(const uint8_t *head, size_t head_len);
	/* Reads what input_begin() has opened (io/base/input.h); the caller closes it. NULL sets
	   `err`. */
	const struct heap *(*load)(struct input *in, const struct load_how *how, struct error *err);
	bool has_walks; /* load_how.walk selects a heap of the file */
};

#endif
