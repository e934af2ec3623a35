#include "io/clr/stacks.h"
#include "io/runtime/native.h"
#include "io/runtime/signal_frame.h"
#include "io/runtime/tables.h"
#include "io/runtime/threads.h"
#include "model/base/arena.h"
#include "model/base/sorted.h"
#include <stdlib.h>
#include <string.h>

enum {
	OVERFLOW = 64 << 10,
	SEEK_MAX = 1 << 20,     /* searched for a signal frame */
	RED_ZONE = 128,         /* below the pointer, but in use */
	STACK_MAX = 16 << 20,   /* of a native thread */
	STACKS_MAX = 512 << 20, /* of all threads; damage can overlap them */
	WORDS_AT_ONCE = 2048,
	PAGE = 4096,
	COMPONENTS_AT = 8,
	X64_FS_BASE = 21, /* register with the thread descriptor's address */
};

struct scanning {
	struct clr_stacks *out;
	const struct clr_heaps *heaps;
	const struct addresses *objects;
	struct clr_tables *tables;
	struct memory_reader *reader;
	uint64_t lowest, highest; /* bounds of all objects */
	uint64_t os_id;
	uint64_t bytes_left;
	bool is_local;              /* scanning a thread's variables */
	struct gc_info *gc_info;    /* NULL: no frames are read */
	struct clr_frame_refs refs; /* of the thread's frames */
	struct error *err;
};

/* True if the object at `start` extends past `address`. */
static bool
is_inside(struct scanning *s, uint64_t start, uint64_t address)
{
	const struct clr_table *table;
	uint64_t word;
	uint32_t components = 0;

	if (!memory_u64(s->reader, start, &word))
		return false;
	table = clr_tables_get(s->tables, word & ~CLR_OBJECT_MARKS);
	if (!table)
		return false;
	if (table->component_size && !memory_u32(s->reader, start + COMPONENTS_AT, &components))
		return false;
	return address - start < clr_object_size(table, components);
}

/* False: the word does not point to or into an object. */
static bool
find_object(struct scanning *s, uint64_t word, struct clr_stack_root *root)
{
	uint32_t rank;

	if (word < s->lowest || word >= s->highest)
		return false;
	root->object = word;
	root->is_interior = addresses_find(s->objects, word) == NODE_NONE;
	if (!root->is_interior)
		return true;
	rank = addresses_rank(s->objects, word);
	if (!rank)
		return false;
	root->object = addresses_of(s->objects, rank - 1);
	return is_inside(s, root->object, word);
}

static bool
scan_word(struct scanning *s, uint64_t word, uint64_t slot)
{
	struct clr_stack_root root = { .os_id = s->os_id, .slot = slot, .is_local = s->is_local };
	struct clr_stacks *out = s->out;

	if (!find_object(s, word, &root))
		return true;
	return APPEND(out->items, out->count, out->room, s->err, root);
}

/* A thread and the stacks to scan for it. */
struct stack {
	const struct memory *memory;
	const struct memory_thread *thread;
	uint64_t limit, base;          /* ordinary stack; 0, 0: unknown */
	bool is_off;                   /* runs on an alternate stack */
	bool has_frame;                /* if is_off: its signal frame was found */
	bool is_missing;               /* partly absent, so roots may be missing */
	bool is_native;                /* the runtime does not know the thread */
	uint64_t sp;                   /* stack pointer before the signal */
	struct signal_frame alternate; /* registers before the signal */
};

/* On x64, the thread descriptor ends the stack. */
static uint64_t
end_at_descriptor(const struct stack *stack, uint64_t from, uint64_t end)
{
	const struct memory_thread *thread = stack->thread;
	uint64_t descriptor;

	if (stack->memory->machine != MEMORY_X64 || thread->registers_count <= X64_FS_BASE)
		return end;
	descriptor = thread->registers[X64_FS_BASE];
	return descriptor > from && descriptor < end ? descriptor : end;
}

/* A mapping can begin as a stack and continue as other memory, even as the heap, if the two happen
 * to be adjacent. */
static uint64_t
end_of_current(const struct scanning *s, const struct stack *stack, uint64_t end)
{
	const struct clr_range *ranges = s->heaps->ranges;
	size_t at;
	uint64_t sp = stack->thread->sp;

	if (stack->base && !stack->is_off)
		return end_at_descriptor(stack, sp, stack->base);
	LOWER_BOUND(at, 0, s->heaps->ranges_count, ranges[at].start <= sp);
	if (at < s->heaps->ranges_count && ranges[at].start < end)
		end = ranges[at].start;
	end = end_at_descriptor(stack, sp, end);
	return end - sp > STACK_MAX ? sp + STACK_MAX : end;
}

static struct stack
find_stack(const struct clr_runtime *rt, const struct memory_thread *thread)
{
	const struct clr_thread *known =
	    clr_thread_find(rt, CLR_THREAD_BY_OS_ID, (uint64_t)thread->tid);
	struct stack stack = { .memory = rt->memory, .thread = thread };

	stack.is_native = !known && rt->are_threads_known;
	if (!known || !known->stack_base)
		return stack;
	stack.limit = known->stack_limit;
	stack.base = known->stack_base;
	stack.is_off = thread->sp < stack.limit || thread->sp >= stack.base;
	return stack;
}

/* The pointer of an overflowed stack is below its limit. */
static bool
is_in(const struct signal_frame *frame, const struct stack *stack)
{
	return frame->sp >= stack->limit - OVERFLOW && frame->sp < stack->base;
}

/* The word may be the first of a ucontext_t, or point to one. Of several frames takes the one with
 * the lowest stack pointer: it is the innermost. */
static void
look_for_frame(struct scanning *s, struct stack *stack, uint64_t word, uint64_t slot)
{
	const uint64_t places[] = { word, slot };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct signal_frame frame;

		if (!signal_frame_read(s->reader, places[i], &frame) || !is_in(&frame, stack) ||
		    (stack->has_frame && frame.sp >= stack->sp))
			continue;
		stack->has_frame = true;
		stack->sp = frame.sp;
		stack->alternate = frame;
	}
}

/* The first address after an absent page that may be present. */
static uint64_t
after_absent(const struct memory *m, uint64_t at, uint64_t end)
{
	const struct memory_mapping *next;

	at += PAGE - at % PAGE;
	next = memory_mapping_next(m, at);
	if (!next || next->start >= end)
		return end;
	return next->start > at ? next->start : at;
}

static bool
scan_words(struct scanning *s, struct stack *stack, uint64_t at, uint64_t end, bool seeks_frame)
{
	uint8_t words[8 * WORDS_AT_ONCE];
	uint64_t seek_end = at + SEEK_MAX;

	while (at < end) {
		size_t wanted = end - at < sizeof(words) ? (size_t)(end - at) : sizeof(words);
		size_t got = memory_copy(stack->memory, at, words, wanted);

		for (size_t i = 0; i < got / 8; i++) {
			uint64_t word = bytes_load_u64(words + 8 * i);

			if (!scan_word(s, word, at + 8 * i))
				return false;
			if (seeks_frame && at + 8 * i < seek_end)
				look_for_frame(s, stack, word, at + 8 * i);
		}
		at += got;
		if (got == wanted)
			continue;
		stack->is_missing = true;
		at = after_absent(stack->memory, at, end);
	}
	return true;
}

/* Scans [at, end), up to the limit for all stacks. */
static bool
scan_range(struct scanning *s, struct stack *stack, uint64_t at, uint64_t end, bool seeks_frame)
{
	at = (at + 7) & ~UINT64_C(7);
	if (end <= at)
		return true;
	if (end - at > s->bytes_left) {
		stack->is_missing = true;
		end = at + s->bytes_left;
	}
	s->bytes_left -= end - at;
	return scan_words(s, stack, at, end, seeks_frame);
}

static uint64_t
below(uint64_t sp, uint64_t lowest)
{
	return sp < lowest + RED_ZONE ? lowest : sp - RED_ZONE;
}

/* Scans what the frames do not tell of [at, end). */
static bool
scan_unknown(struct scanning *s, struct stack *stack, uint64_t at, uint64_t end, bool seeks_frame)
{
	for (size_t i = 0; i < s->refs.stretches_count; i++) {
		const struct clr_known_stretch *known = &s->refs.stretches[i];

		if (known->start > at &&
		    !scan_range(s, stack, at, known->start < end ? known->start : end, seeks_frame))
			return false;
		if (known->end > at)
			at = known->end;
	}
	return scan_range(s, stack, at, end, seeks_frame);
}

/* Scans the stack on which the thread runs. */
static bool
scan_current(struct scanning *s, struct stack *stack)
{
	uint64_t sp = stack->thread->sp;
	const struct memory_mapping *mapping = memory_mapping_at(stack->memory, sp);

	if (!mapping) {
		stack->is_missing = true;
		return true;
	}
	return scan_unknown(s, stack, below(sp, mapping->start),
			    end_of_current(s, stack, mapping->end), stack->is_off);
}

/*
 * Scans the ordinary stack of a thread that runs on an alternate one, and the registers saved
 * there. Without a signal frame the stack pointer is unknown, so the whole stack is scanned.
 */
static bool
scan_ordinary(struct scanning *s, struct stack *stack)
{
	uint64_t at = stack->limit;

	if (stack->has_frame) {
		at = below(stack->sp, stack->limit);
		if (!scan_range(s, stack, stack->alternate.start, stack->alternate.end, false))
			return false;
	}
	return scan_range(s, stack, at, end_at_descriptor(stack, at, stack->base), false);
}

static bool
scan_stack(struct scanning *s, struct stack *stack)
{
	if (!scan_current(s, stack) || (stack->is_off && !scan_ordinary(s, stack)))
		return false;
	s->out->missing_count += stack->is_missing && !stack->is_native;
	return true;
}

/* Thread-static variables of Native AOT hang on variables that the C library keeps below its thread
 * descriptor. */
static bool
scan_locals(struct scanning *s, const struct memory_thread *thread)
{
	const struct clr_native *n = s->heaps->runtime->native;
	struct stack stack = { .memory = s->heaps->runtime->memory };
	uint64_t end;
	bool is_good;

	if (!n)
		return true;
	end = stack.memory->machine == MEMORY_X64 && thread->registers_count > X64_FS_BASE
		  ? thread->registers[X64_FS_BASE]
		  : 0;
	if (end < n->tls_bytes) {
		s->out->missing_locals_count++;
		return true;
	}
	s->is_local = true;
	is_good = scan_range(s, &stack, end - n->tls_bytes, end, false);
	s->is_local = false;
	s->out->missing_locals_count += stack.is_missing;
	return is_good;
}

/* --- frames --------------------------------------------------------------- */

static void
count_frames(struct clr_stacks *out, const struct clr_frame_refs *refs)
{
	if (!*refs->why) {
		out->frames += refs->frames;
		out->unknown_frames += refs->unknown_frames;
		if (!out->unknown_why)
			out->unknown_why = refs->unknown_why;
		return;
	}
	if (!out->unread_count++)
		memcpy(out->why, refs->why, sizeof(out->why));
}

/* Reads the frames of a managed thread. One that a signal has moved to another stack is scanned. */
static bool
read_frames(struct scanning *s, const struct stack *stack)
{
	const struct clr_runtime *rt = s->heaps->runtime;
	const struct memory_thread *thread = stack->thread;
	const struct clr_thread *known =
	    clr_thread_find(rt, CLR_THREAD_BY_OS_ID, (uint64_t)thread->tid);

	memset(&s->refs, 0, sizeof(s->refs));
	if (!s->gc_info || !known || !stack->base || stack->is_off)
		return true;
	if (!clr_frame_refs_read(&s->refs, rt, known, thread, s->gc_info, s->err))
		return false;
	count_frames(s->out, &s->refs);
	return true;
}

/* A slot that is known may point to a stack or to other memory. */
static bool
add_slots(struct scanning *s)
{
	struct clr_stacks *out = s->out;

	for (size_t i = 0; i < s->refs.slots_count; i++) {
		const struct clr_frame_slot *slot = &s->refs.slots[i];
		struct clr_stack_root root = {
			.os_id = s->os_id,
			.slot = slot->place,
			.is_known = slot->is_known,
			.is_pinned = slot->is_pinned,
			.frame = slot->frame,
			.record = slot->record,
		};

		if (find_object(s, slot->value, &root) &&
		    !APPEND(out->items, out->count, out->room, s->err, root))
			return false;
	}
	return true;
}

/* --- all threads ---------------------------------------------------------- */

/* A variable comes first, then a frame's reference, then a reference to the start of an object, as
 * the better reasons. */
static int
compare_roots(const void *a, const void *b)
{
	const struct clr_stack_root *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->is_local != y->is_local)
		return x->is_local ? -1 : 1;
	if (x->is_known != y->is_known)
		return x->is_known ? -1 : 1;
	if (x->is_known && x->record != y->record)
		return x->record < y->record ? -1 : 1;
	if (x->frame != y->frame)
		return x->frame < y->frame ? -1 : 1;
	if (x->is_interior != y->is_interior)
		return x->is_interior ? 1 : -1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

/* A root says no more than the one before it. Each method that refers to an object has one. */
static bool
is_duplicate(const struct clr_stack_root *before, const struct clr_stack_root *root)
{
	return before->object == root->object &&
	       (!root->is_known || before->is_local || before->record == root->record);
}

/* Sorts one thread's roots, from `first` on, and drops duplicates. */
static void
sort_roots(struct clr_stacks *out, size_t first)
{
	struct clr_stack_root *items = out->items;
	size_t kept = first;

	if (out->count > first)
		qsort(items + first, out->count - first, sizeof(*items), compare_roots);
	for (size_t i = first; i < out->count; i++) {
		if (kept == first || !is_duplicate(&items[kept - 1], &items[i]))
			items[kept++] = items[i];
		else
			items[kept - 1].is_pinned |= items[i].is_pinned;
	}
	out->count = kept;
}

static bool
scan_registers(struct scanning *s, const struct memory_thread *thread)
{
	if (s->refs.has_known_registers)
		return true;
	for (uint32_t i = 0; i < thread->registers_count && i < MEMORY_REGISTERS_MAX; i++)
		if (!scan_word(s, thread->registers[i], i))
			return false;
	return true;
}

static bool
scan_thread(struct scanning *s, const struct memory_thread *thread)
{
	struct stack stack = find_stack(s->heaps->runtime, thread);
	size_t first = s->out->count;
	bool is_good;

	s->os_id = (uint64_t)thread->tid;
	is_good = read_frames(s, &stack) && add_slots(s) && scan_registers(s, thread) &&
		  scan_stack(s, &stack) && scan_locals(s, thread);
	clr_frame_refs_clear(&s->refs);
	if (is_good)
		sort_roots(s->out, first);
	return is_good;
}

unsigned
clr_stack_ranges(const struct clr_runtime *rt, const struct memory_thread *thread,
		 struct clr_stack_range out[CLR_STACK_RANGES])
{
	struct stack stack = find_stack(rt, thread);
	const struct memory_mapping *mapping = memory_mapping_at(rt->memory, thread->sp);
	unsigned count = 0;

	if (mapping) {
		uint64_t end = mapping->end;

		if (stack.base && !stack.is_off)
			end = stack.base;
		else if (end - thread->sp > STACK_MAX)
			end = thread->sp + STACK_MAX;
		out[count++] = (struct clr_stack_range){ below(thread->sp, mapping->start), end };
	}
	if (stack.is_off)
		out[count++] = (struct clr_stack_range){ stack.limit, stack.base };
	return count;
}

bool
clr_stacks_read(struct clr_stacks *out, const struct clr_heaps *heaps,
		const struct addresses *objects, bool is_conservative, struct error *err)
{
	const struct memory *m = heaps->runtime->memory;
	uint32_t count = addresses_count(objects);
	struct scanning s = { .out = out,
			      .heaps = heaps,
			      .objects = objects,
			      .reader = heaps->runtime->reader,
			      .bytes_left = STACKS_MAX,
			      .err = err };
	bool is_good;

	memset(out, 0, sizeof(*out));
	if (!count || !heaps->ranges_count)
		return true;
	s.lowest = addresses_of(objects, 0);
	s.highest = heaps->ranges[heaps->ranges_count - 1].end;
	s.tables = clr_tables_new(heaps, err);
	s.gc_info = s.tables && !is_conservative ? gc_info_new(err) : NULL;
	is_good = s.tables && (s.gc_info || is_conservative);
	for (size_t i = 0; is_good && i < m->threads_count; i++)
		is_good = scan_thread(&s, &m->threads[i]);
	gc_info_free(s.gc_info);
	clr_tables_free(s.tables);
	if (!is_good)
		clr_stacks_clear(out);
	return is_good;
}

void
clr_stacks_clear(struct clr_stacks *stacks)
{
	memory_free(stacks->items);
	memset(stacks, 0, sizeof(*stacks));
}
