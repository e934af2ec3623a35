#include "io/runtime/free_lists.h"

enum {
	GENERATIONS = 5,
	RECORD_BYTES = 56, /* the part that is read */
	FIRST_LIST = 8,
	OTHER_LISTS = 48,
	LIST_BYTES = 40,
	LIST_OF_HEAP = 16, /* offset of the head, after the background GC's */
	LISTS_MAX = 64,
};
/* The first word of gen0 and gen1: a single list. */
#define YOUNG (UINT64_C(1) << 32 | 63)

/* Places of the allocators of a heap's generations. */
struct place {
	struct memory_reader *reader;
	uint64_t generations, generation_bytes, offset;
};

static uint64_t
record_of(const struct place *p, unsigned generation)
{
	return p->generations + generation * p->generation_bytes + p->offset;
}

/* The number of lists; 0: no allocator is there. */
static uint32_t
lists_of(const struct place *p, unsigned generation, uint64_t *others)
{
	uint64_t at = record_of(p, generation), word, count;

	if (!memory_u64(p->reader, at, &word) || !memory_u64(p->reader, at + OTHER_LISTS, others))
		return 0;
	count = word >> 32;
	if (generation < GEN_2)
		return word == YOUNG && !*others;
	return count > 1 && count <= LISTS_MAX && *others && *others % 8 == 0 ? (uint32_t)count : 0;
}

static bool
is_place(const struct place *p)
{
	uint64_t others;

	for (unsigned g = 0; g < GENERATIONS; g++)
		if (!lists_of(p, g, &others))
			return false;
	return true;
}

static bool
find_place(const struct clr_heaps *h, struct place *p)
{
	if (!h->heaps_count)
		return false;
	p->reader = h->runtime->reader;
	p->generations = h->heaps[0].generations;
	p->generation_bytes = h->runtime->generation_bytes;
	for (p->offset = 0; p->offset + RECORD_BYTES <= p->generation_bytes; p->offset += 8)
		if (is_place(p))
			return true;
	return false;
}

/* Reads a list, and what a background GC adds to it. */
static size_t
read_list(const struct place *p, uint64_t at, unsigned generation, struct clr_free_list *to)
{
	size_t count = 0;

	for (uint64_t part = 0; part <= LIST_OF_HEAP; part += LIST_OF_HEAP) {
		struct clr_free_list l = { .generation = (uint8_t)generation };

		if (memory_u64(p->reader, at + part, &l.head) &&
		    memory_u64(p->reader, at + part + 8, &l.tail) && (l.head || l.tail))
			to[count++] = l;
	}
	return count;
}

static size_t
read_heap(const struct place *p, struct clr_free_list *to)
{
	size_t count = 0;

	for (unsigned g = 0; g < GENERATIONS; g++) {
		uint64_t others, first = record_of(p, g) + FIRST_LIST;
		uint32_t lists = lists_of(p, g, &others);

		for (uint32_t i = 0; i < lists; i++)
			count += read_list(p, i ? others + LIST_BYTES * (uint64_t)(i - 1) : first,
					   g, to + count);
	}
	return count;
}

bool
clr_free_lists_read(const struct clr_heaps *h, const struct clr_free_list **out, size_t *count,
		    struct arena *a, struct error *err)
{
	struct clr_free_list *lists;
	struct place p;

	*out = NULL;
	*count = 0;
	if (!find_place(h, &p))
		return false;
	lists = arena_array(a, struct clr_free_list,
			    (size_t)h->heaps_count * GENERATIONS * LISTS_MAX * 2, err);
	if (!lists)
		return false;
	for (uint32_t i = 0; i < h->heaps_count; i++) {
		p.generations = h->heaps[i].generations;
		*count += read_heap(&p, lists + *count);
	}
	*out = lists;
	return true;
}
