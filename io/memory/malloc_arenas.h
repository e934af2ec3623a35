#ifndef IO_MEMORY_MALLOC_ARENAS_H
#define IO_MEMORY_MALLOC_ARENAS_H

/*
 * The arenas of glibc's malloc(), without symbols: from the arena of any heap of 64 MiB, a circle
 * of pointers leads through all of them. The layout proves itself, as glibc 2.27 to 2.41 have it:
 * the circle closes, exactly one arena (the main one) lies outside of such heaps, and the bytes
 * that each other arena has from the system are the sum of its heaps. Otherwise nothing is known,
 * as in a process without a second arena. A core may lack the main arena, which is then missing.
 */
#include "io/memory/memory.h"

struct malloc_arena {
	uint64_t address;
	uint64_t system_bytes;   /* from the system */
	uint64_t top, top_bytes; /* the free chunk at its end */
};
struct malloc_arenas {
	struct malloc_arena *items; /* memory_free() */
	size_t count, room;
};

/* False sets `err`; no arenas if the layout is not proved. */
bool malloc_arenas_find(struct malloc_arenas *out, struct memory_reader *r,
			struct error *err) MUST_USE;

/* A free chunk, from its header on. Returns false to stop. */
typedef bool malloc_visit(void *context, uint64_t chunk, uint64_t bytes);
/*
 * Visits the free chunks that are in lists, so all but those at the ends of arenas and some of up
 * to 1 KiB that malloc() hands out again first; if `large`, at least those of 64 KiB or more.
 * Returns false if a list is damaged or longer than about `most` chunks, or `visit` has stopped.
 */
bool malloc_visit_free(const struct malloc_arenas *arenas, struct memory_reader *r, bool large,
		       uint32_t most, malloc_visit *visit, void *context);

/* Returns the name of another allocator that is mapped, "musl" or "jemalloc", or NULL. */
const char *malloc_other(const struct memory *m);

#endif
