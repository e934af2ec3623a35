#ifndef MODEL_BASE_ARENA_H
#define MODEL_BASE_ARENA_H

/*
 * Memory with one lifetime. Everything taken from an arena is freed with it;
 * pointers into it are borrowed. Small requests share blocks, large ones get a
 * block of their own, so a column of a heap costs what it holds.
 * Not thread-safe: one arena, one thread at a time.
 */
#include "model/base/error.h"
#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *last;
	size_t used_bytes;  /* taken from the system */
	size_t limit_bytes; /* 0: none; beyond it requests fail */
};

struct arena_mark {
	struct arena_block *block;
	size_t block_used;
};

void arena_init(struct arena *a, size_t limit_bytes);
void arena_clear(struct arena *a);
struct arena_mark arena_mark(const struct arena *a);
/* Frees what was taken since the mark, but for the first block: the next to
 * take something needs one. */
void arena_reset(struct arena *a, struct arena_mark mark);

/* `count * size` bytes, zeroed, aligned for anything. NULL sets `err`. */
void *arena_take(struct arena *a, size_t count, size_t size,
		 struct error *err) MUST_USE;
#define arena_array(a, type, count, err)                                       \
	((type *)arena_take(a, count, sizeof(type), err))
#define arena_new(a, type, err) ((type *)arena_take(a, 1, sizeof(type), err))
char *arena_strndup(struct arena *a, const char *text, size_t len,
		    struct error *err) MUST_USE;
char *arena_printf(struct arena *a, struct error *err, const char *format, ...)
    PRINTF_LIKE(3, 4) MUST_USE;

/*
 * Memory that grows or has a lifetime of its own (staging, side arrays).
 * memory_new() zeroes; memory_resize() keeps what fits and does not zero the
 * rest: untouched pages cost nothing. Both fail with `err` set; free with
 * memory_free().
 */
void *memory_new(size_t count, size_t size, struct error *err) MUST_USE;
void *memory_resize(void *old, size_t count, size_t size,
		    struct error *err) MUST_USE;
/*
 * Growing arrays: `items`, their `count`, and a size_t `room` of how many fit,
 * all 0 at first. MAKE_ROOM() lets `wanted` of them fit, APPEND() stores one
 * more value behind the last and counts it. False with `err` set. The array at
 * least doubles when it grows; memory_free() it.
 *
 *	return APPEND(s->links, s->links_count, s->links_room, err, link);
 */
#define MAKE_ROOM(items, wanted, room, err)                                    \
	((wanted) <= (room) ||                                                 \
	 memory_grow(&(items), (wanted), &(room), sizeof *(items), (err)))
#define APPEND(items, count, room, err, ...)                                   \
	(MAKE_ROOM(items, (size_t)(count) + 1, room, err) &&                   \
	 ((items)[count] = __VA_ARGS__, (count)++, true))
/* `array`: the address of the pointer, whatever its type. */
bool memory_grow(void *array, size_t wanted, size_t *room, size_t size,
		 struct error *err) MUST_USE;
void memory_free(void *p);
/*
 * How much all of that may be, arenas included. Beside it there is room for
 * what is small: for what the screen shows, and to say what was refused. What
 * outgrows that is refused with is_limit, unless it is very small. 0: no limit.
 */
enum { MEMORY_RESERVE_BYTES = 8 << 20, MEMORY_SMALL_BYTES = 16 << 10 };
void memory_limit(uint64_t bytes);
uint64_t memory_limit_bytes(void);
/*
 * Counts what is taken in another way to be kept, so that it need not be read
 * again: of what there is besides it gets nothing.
 */
bool memory_keep(uint64_t bytes, struct error *err) MUST_USE;
/*
 * What a thread was refused: how often, and the limit that would have allowed
 * the largest of it. An error may be dropped on the way up, since much of what
 * is read may be absent (a module without names, a field nobody has); this is
 * not. So what was computed while `count` grew is not true: it fails
 * (tui/session/job.h), and nobody keeps it for later. Threads of a worker count
 * as the one that waits for them. Who does without sets it back.
 */
struct memory_refused {
	uint64_t count, by_system; /* by_system: how many of them were */
	uint64_t needed_bytes;
};
struct memory_refused memory_refused(void);
void memory_refused_set(struct memory_refused r);
/* Of another thread, or what is known to be needed in the end. */
void memory_refused_add(struct memory_refused more);
/* The system has refused so much: counts it and sets `err`. */
bool memory_refused_by_system(struct error *err, uint64_t bytes);
/* True: nothing since `before`; else `err` says what is needed, and no other
   error that followed from it. */
bool memory_was_enough(struct memory_refused before, struct error *err);
/* What is taken in another way, or given back. */
void memory_count(int64_t bytes);
/* How much it is, and the most that it was since the latter. */
uint64_t memory_held(void);
uint64_t memory_peak(void);
void memory_forget_peak(void);
/*
 * What `len` bytes hold is of no use any more: whole pages of them go back to
 * the system before the rest does.
 */
void memory_release(void *p, size_t len);
/* Once, at the start of the program: what is large goes back to the system as
   soon as it is freed, where the C library would keep it for later. */
void memory_set_up(void);

#endif
