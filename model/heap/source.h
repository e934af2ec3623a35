#ifndef MODEL_HEAP_SOURCE_H
#define MODEL_HEAP_SOURCE_H

/*
 * Where heaps come from. A source reads a file or a process into a heap; it
 * never draws and never looks at the keyboard. io/formats/sources.c has the
 * table.
 */
#include "model/base/progress.h"
#include "model/heap/heap.h"
#include <pthread.h>

enum load_what {
	LOAD_TYPES, /* types and totals only: much faster */
	LOAD_ALL,
};

/*
 * The type table while the heap is still being read. The source publishes a
 * few times a second; the screen copies under the lock. Names belong to the
 * heap in the making: a source that fails takes the preview back first.
 */
struct preview {
	pthread_mutex_t lock;
	uint64_t version;         /* grows with every change */
	const struct type *types; /* NULL: nothing to show (yet, or any more) */
	uint32_t types_count;
	bool is_final; /* counts will not change any more */
	uint64_t objects_seen, objects_total; /* total 0: unknown */
	/* Called after each change, on the source's thread; NULL: nobody waits.
	 */
	void (*wake)(void *context);
	void *wake_context;
};
void preview_init(struct preview *p);
void preview_clear(struct preview *p);
/* Copies `types` (count, bytes, …); frees what was published before. */
bool preview_publish(struct preview *p, const struct type *types,
		     uint32_t types_count, uint64_t objects_seen,
		     uint64_t objects_total, bool is_final, struct error *err);
/* Then nothing was counted. */
void preview_withdraw(struct preview *p);

struct source {
	const char *name, *help;
	/* By content, never by name. `head` are the first bytes, at most 64. */
	bool (*accepts)(const uint8_t *head, size_t head_len);
	/* `progress` and `preview` may be NULL. NULL sets `err`. */
	const struct heap *(*load)(const char *path, enum load_what what,
				   struct progress *progress,
				   struct preview *preview, struct error *err);
	/* The same, also of what is hardly its format; NULL: no such thing. */
	const struct heap *(*load_forced)(const char *path, enum load_what what,
					  struct progress *progress,
					  struct preview *preview,
					  struct error *err);
};

#endif
