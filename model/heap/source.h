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

struct source {
	const char *name, *help;
	/* Decides by content: `head` is the first bytes, up to 64. */
	bool (*accepts)(const uint8_t *head, size_t head_len);
	/* `progress` and `preview` may be NULL. NULL sets `err`. */
	const struct heap *(*load)(const char *path, enum load_what what, struct progress *progress,
				   struct preview *preview, struct error *err);
	/* Load even input that hardly looks like the format; NULL: not
	   offered. */
	const struct heap *(*load_forced)(const char *path, enum load_what what,
					  struct progress *progress, struct preview *preview,
					  struct error *err);
};

#endif
