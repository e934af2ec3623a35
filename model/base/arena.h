#ifndef MODEL_BASE_ARENA_H
#define MODEL_BASE_ARENA_H

/*
 * Memory with one lifetime. Everything taken from an arena is freed with it; pointers into it are
 * borrowed. Small requests share blocks, large ones get a block of their own, so that a column of a
 * heap takes no more than its size. Not thread-safe.
 */
#include "model/base/error.h"
#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *last;
	size_t used_bytes;  /* taken from the system */
	size_t limit_bytes; /* of used_bytes; 0: none */
};

struct arena_mark {
	struct arena_block *block;
	size_t block_used;
};

void arena_init(struct arena *a, size_t limit_bytes);
void arena_clear(struct arena *a);
struct arena_mark arena_mark(const struct arena *a);
/* Frees everything taken since the mark, except the first block, which the next request would
 * need. */
void arena_reset(struct arena *a, struct arena_mark mark);

/* `count * size` bytes, zeroed, aligned for anything. NULL sets `err`. */
void *arena_take(struct arena *a, size_t count, size_t size, struct error *err) MUST_USE;
#define arena_array(a, type, count, err) ((type *)arena_take(a, count, sizeof(type), err))
#define arena_new(a, type, err)          ((type *)arena_take(a, 1, sizeof(type), err))
char *arena_strndup(struct arena *a, const char *text, size_t len, struct error *err) MUST_USE;
char *arena_printf(struct arena *a, struct error *err, const char *format, ...)
    PRINTF_LIKE(3, 4) MUST_USE;

/*
 * Memory that grows or has a lifetime of its own (staging, side arrays). memory_new() zeroes;
 * memory_resize() preserves the contents and does not zero the rest, as untouched pages cost
 * nothing. NULL sets `err`. Free with memory_free().
 */
void *memory_new(size_t count, size_t size, struct error *err) MUST_USE;
void *memory_resize(void *old, size_t count, size_t size, struct error *err) MUST_USE;
/*
 * Growing arrays: `items`, their `count`, and a size_t `room` for the capacity,
 * all 0 at first. MAKE_ROOM() ensures a capacity of `wanted`, APPEND() appends
 *a value and counts it. False sets `err`. The capacity at least doubles;
 * memory_free() the array.
 *	return APPEND(s->links, s->links_count, s->links_room, err, link);
 */
#define MAKE_ROOM(items, wanted, room, err)                                                        \
	((wanted) <= (room) || memory_grow(&(items), (wanted), &(room), sizeof *(items), (err)))
#define APPEND(items, count, room, err, ...)                                                       \
	(MAKE_ROOM(items, (size_t)(count) + 1, room, err) &&                                       \
	 ((items)[count] = __VA_ARGS__, (count)++, true))
/* `array`: the address of the pointer to the items. */
bool memory_grow(void *array, size_t wanted, size_t *room, size_t size, struct error *err) MUST_USE;
void memory_free(void *p);
/*
 * The limit for all of this memory, arenas included; 0: none. Small requests may exceed it by
 * MEMORY_RESERVE_BYTES, and very small ones without limit, so that the screen can be drawn and the
 * refusal reported. Larger ones fail with is_limit.
 */
enum { MEMORY_RESERVE_BYTES = 8 << 20, MEMORY_SMALL_BYTES = 16 << 10 };
void memory_limit(uint64_t bytes);
uint64_t memory_limit_bytes(void);
/*
 * Counts memory of other origin that is only kept to avoid reading again: fails at the limit,
 * without the reserve.
 */
bool memory_keep(uint64_t bytes, struct error *err) MUST_USE;
/*
 * Memory refused to this thread: how often, and the limit that would have allowed the largest
 * request. Errors may be dropped, as much of what is read may be absent (a module without names, an
 * unknown field), but this count is not. A result computed while `count` grew is therefore invalid:
 * the job fails (tui/session/job.h) and the result is not cached. The threads of a worker count for
 * the caller. Code that can do without the memory restores the old value.
 */
struct memory_refused {
	uint64_t count, by_system; /* by_system: refused by the system */
	uint64_t needed_bytes;
};
struct memory_refused memory_refused(void);
void memory_refused_set(struct memory_refused r);
/* Adds the refusals of another thread, or a need that is known as a whole. */
void memory_refused_add(struct memory_refused more);
/* Counts a refusal by the system and sets `err`. */
bool memory_refused_by_system(struct error *err, uint64_t bytes);
/* True if nothing was refused since `before`; else `err` says how much is needed, in place of any
   error that followed from it. */
bool memory_was_enough(struct memory_refused before, struct error *err);
/* Counts memory allocated or freed by other means. */
void memory_count(int64_t bytes);
/* Memory in use, and its maximum since memory_forget_peak(). */
uint64_t memory_held(void);
uint64_t memory_peak(void);
void memory_forget_peak(void);
/*
 * Returns whole pages of memory whose contents are not needed any more to the system before the
 * allocation is freed.
 */
void memory_release(void *p, size_t len);
/* Call once at the start of the program: makes the C library return large allocations to the system
   as soon as they are freed. */
void memory_set_up(void);

#endif
