#include "io/clr_stacks.h"
#include "io/clr_tables.h"
#include "model/arena.h"
#include <stdlib.h>
#include <string.h>

enum {
	RED_ZONE = 128, /* below the pointer, used all the same */
	STACK_MAX = 16 << 20,
	STACKS_MAX = 512 << 20, /* of all threads; damaged ones share theirs */
	WORDS_AT_ONCE = 2048,
	COMPONENTS_AT = 8,
	X64_FS_BASE = 21, /* a register: the thread's own record */
};

struct scanning {
	struct clr_stacks *out;
	const struct clr_heaps *heaps;
	const struct addresses *objects;
	struct clr_tables *tables;
	struct memory_reader *reader;
	uint64_t lowest, highest; /* objects are here */
	uint64_t os_id;
	uint64_t bytes_left;
	struct error *err;
};

/* Does the object at `start` reach as far as that? */
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
	if (table->component_size &&
	    !memory_u32(s->reader, start + COMPONENTS_AT, &components))
		return false;
	return address - start < clr_object_size(table, components);
}

/* What the word could be; false: nothing. */
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
take_word(struct scanning *s, uint64_t word, uint64_t slot)
{
	struct clr_stack_root root = { .os_id = s->os_id, .slot = slot };
	struct clr_stacks *out = s->out;

	if (!find_object(s, word, &root))
		return true;
	if (!memory_make_room(&out->items, out->count, &out->room,
			      sizeof(*out->items), s->err))
		return false;
	out->items[out->count++] = root;
	return true;
}

/*
 * A mapping may begin as a stack and go on as something else, even as the heap
 * itself, where the two happen to touch. The C library has a thread's record
 * at the end of its stack.
 */
static uint64_t
stack_end(const struct scanning *s, const struct memory *m,
	  const struct memory_thread *thread, uint64_t end)
{
	const struct clr_range *ranges = s->heaps->ranges;
	size_t low = 0, high = s->heaps->ranges_count;
	uint64_t sp = thread->sp;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].start <= sp)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < s->heaps->ranges_count && ranges[low].start < end)
		end = ranges[low].start;
	if (m->machine == MEMORY_X64 && thread->registers_count > X64_FS_BASE) {
		uint64_t record = thread->registers[X64_FS_BASE];

		if (record > sp && record < end)
			end = record;
	}
	return end - sp > STACK_MAX ? sp + STACK_MAX : end;
}

static bool
take_stack(struct scanning *s, const struct memory *m,
	   const struct memory_thread *thread)
{
	const struct memory_mapping *mapping = memory_mapping_at(m, thread->sp);
	uint8_t words[8 * WORDS_AT_ONCE];
	uint64_t at = thread->sp - RED_ZONE, end;

	if (!mapping || !s->bytes_left) {
		s->out->missing_count++;
		return true;
	}
	if (at < mapping->start || at > thread->sp)
		at = mapping->start;
	at = (at + 7) & ~UINT64_C(7);
	end = stack_end(s, m, thread, mapping->end);
	if (end < at)
		return true;
	if (end - at > s->bytes_left)
		end = at + s->bytes_left;
	s->bytes_left -= end - at;
	while (at < end) {
		size_t wanted = end - at < sizeof(words) ? (size_t)(end - at)
							 : sizeof(words);
		size_t got = memory_copy(m, at, words, wanted);

		for (size_t i = 0; i < got / 8; i++)
			if (!take_word(s, bytes_load_u64(words + 8 * i),
				       at + 8 * i))
				return false;
		if (got < wanted)
			break;
		at += wanted;
	}
	s->out->missing_count += at < end;
	return true;
}

/* The start of an object is a better reason than a place in it. */
static int
compare_roots(const void *a, const void *b)
{
	const struct clr_stack_root *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->is_interior != y->is_interior)
		return x->is_interior ? 1 : -1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

/* Those of one thread, from `first` on. */
static void
sort_roots(struct clr_stacks *out, size_t first)
{
	struct clr_stack_root *items = out->items;
	size_t kept = first;

	if (out->count > first)
		qsort(items + first, out->count - first, sizeof(*items),
		      compare_roots);
	for (size_t i = first; i < out->count; i++)
		if (kept == first || items[kept - 1].object != items[i].object)
			items[kept++] = items[i];
	out->count = kept;
}

static bool
take_thread(struct scanning *s, const struct memory *m,
	    const struct memory_thread *thread)
{
	size_t first = s->out->count;

	s->os_id = (uint64_t)thread->tid;
	for (uint32_t i = 0;
	     i < thread->registers_count && i < MEMORY_REGISTERS_MAX; i++)
		if (!take_word(s, thread->registers[i], i))
			return false;
	if (!take_stack(s, m, thread))
		return false;
	sort_roots(s->out, first);
	return true;
}

bool
clr_stacks_read(struct clr_stacks *out, const struct clr_heaps *heaps,
		const struct addresses *objects, struct error *err)
{
	const struct memory *m = heaps->runtime->memory;
	uint32_t count = addresses_count(objects);
	struct scanning s = { .out = out,
			      .heaps = heaps,
			      .objects = objects,
			      .reader = heaps->runtime->reader,
			      .bytes_left = STACKS_MAX,
			      .err = err };
	bool is_good = true;

	memset(out, 0, sizeof(*out));
	if (!count || !heaps->ranges_count)
		return true;
	s.lowest = addresses_of(objects, 0);
	s.highest = heaps->ranges[heaps->ranges_count - 1].end;
	s.tables = clr_tables_new(heaps, err);
	if (!s.tables)
		return false;
	for (size_t i = 0; is_good && i < m->threads_count; i++)
		is_good = take_thread(&s, m, &m->threads[i]);
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
