/*
 * Runs a filter over a whole heap: each condition tests a batch of objects with its kernel
 * (filter_kernel.h); `and`, `or` and `not` combine 64 objects at a time. Objects already decided
 * are not tested again.
 */
#include "model/base/worker.h"
#include "model/heap/bits.h"
#include "model/filter/filter_kernel.h"
#include <string.h>

/* Working memory of one thread. */
struct scan_thread {
	struct lanes stack[FILTER_STACK_MAX];
	uint64_t wanted[FILTER_STACK_MAX][BATCH_WORDS];
};

struct scan {
	const struct filter *filter;
	const struct heap *heap;
	const uint8_t *types; /* NULL: all */
	struct sweep sweep;
	struct kernel kernels[FILTER_CONDITIONS_MAX];
	struct scan_thread *threads;
	unsigned threads_count;
	uint64_t *found; /* one bit an object */
	/* One element for each chunk. */
	uint32_t *counts, *starts;
	uint64_t *bytes, *unknown_counts;
	node_id *ids;
	struct arena arena;
};

static bool
choose_kernels(struct scan *s, struct filter *f, const struct listing *l, struct error *err)
{
	s->threads_count = worker_threads();
	for (unsigned i = 0; i < f->conditions_count; i++) {
		if (!kernel_choose(&s->kernels[i], &f->conditions[i], l, &s->sweep, &s->arena, err))
			return false;
		if (s->kernels[i].is_serial)
			s->threads_count = 1;
	}
	return true;
}

/* --- running ------------------------------------------------------------- */

/* Stores the objects that are still undecided; returns their number. */
static unsigned
want(uint64_t *to, const uint64_t *from, const uint64_t *decided, unsigned words)
{
	unsigned count = 0;

	for (unsigned w = 0; w < words; w++) {
		to[w] = from[w] & ~decided[w];
		count += (unsigned)__builtin_popcountll(to[w]);
	}
	return count;
}

static void
lanes_not(struct lanes *l)
{
	struct lanes was = *l;

	memcpy(l->yes, was.no, sizeof l->yes);
	memcpy(l->no, was.yes, sizeof l->no);
}

static void
lanes_and(struct lanes *l, const struct lanes *right)
{
	for (unsigned w = 0; w < BATCH_WORDS; w++) {
		l->yes[w] &= right->yes[w];
		l->no[w] |= right->no[w];
	}
}

static void
lanes_or(struct lanes *l, const struct lanes *right)
{
	for (unsigned w = 0; w < BATCH_WORDS; w++) {
		l->yes[w] |= right->yes[w];
		l->no[w] &= right->no[w];
	}
}

/* Like run() in filter.c, for all objects of the batch at once. */
static void
run_batch(const struct scan *s, struct scan_thread *t, struct batch *b)
{
	unsigned top = 0, depth = 0, counts[FILTER_STACK_MAX] = { 0 };

	counts[0] = b->wanted_count;
	for (unsigned at = 0; at < s->filter->code_count; at++) {
		const struct instruction *i = &s->filter->code[at];
		struct lanes *last = &t->stack[top ? top - 1 : 0];

		switch ((enum op)i->op) {
		case OP_TEST:
			b->wanted = t->wanted[depth];
			b->wanted_count = counts[depth];
			s->kernels[i->operand].test(&s->kernels[i->operand], b, &t->stack[top++]);
			break;
		case OP_NOT:
			lanes_not(last);
			break;
		case OP_AND:
			lanes_and(last - 1, last);
			top--;
			depth--;
			break;
		case OP_OR:
			lanes_or(last - 1, last);
			top--;
			depth--;
			break;
		case OP_SKIP_AND:
		case OP_SKIP_OR:
			depth++;
			counts[depth] = want(t->wanted[depth], t->wanted[depth - 1],
					     i->op == OP_SKIP_AND ? last->no : last->yes, b->words);
			if (counts[depth] == 0) {
				depth--;
				at = i->operand - 1U;
			}
			break;
		}
	}
}

/* Stores the objects of the batch whose types are listed; returns their
   number. */
static unsigned
want_types(const struct scan *s, const struct batch *b, uint64_t *wanted)
{
	unsigned count = 0;

	memset(wanted, 0, sizeof(uint64_t) * BATCH_WORDS);
	for (node_id n = b->first; n < b->end; n++) {
		bool is_listed = !s->types || s->types[heap_type_of(s->heap, n)];

		wanted[(n - b->first) >> 6] |= (uint64_t)is_listed << ((n - b->first) & 63);
		count += is_listed;
	}
	return count;
}

static void
keep_found(struct scan *s, const struct scan_thread *t, const struct batch *b, uint32_t chunk)
{
	for (unsigned w = 0; w < b->words; w++) {
		uint64_t wanted = t->wanted[0][w];
		uint64_t yes = t->stack[0].yes[w] & wanted;
		uint64_t unknown = wanted & ~(yes | t->stack[0].no[w]);

		s->found[(b->first >> 6) + w] = yes;
		s->counts[chunk] += (uint32_t)__builtin_popcountll(yes);
		s->unknown_counts[chunk] += (uint64_t)__builtin_popcountll(unknown);
	}
}

static bool
scan_chunk(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct scan *s = context;
	struct scan_thread *t = &s->threads[thread];
	uint32_t chunk = (uint32_t)part;
	node_id end = chunk_end(s->heap, chunk);

	for (node_id n = chunk_first(chunk); n < end;) {
		struct batch b = { .first = n };

		b.end = end - n < BATCH_OBJECTS ? end : n + BATCH_OBJECTS;
		b.words = (b.end - n + 63) / 64;
		b.wanted_count = want_types(s, &b, t->wanted[0]);
		n = b.end;
		if (!b.wanted_count)
			continue;
		run_batch(s, t, &b);
		keep_found(s, t, &b, chunk);
		if (progress_is_cancelled(s->sweep.progress))
			return error_cancelled(err);
	}
	return progress_add(s->sweep.progress, end - chunk_first(chunk)) || error_cancelled(err);
}

static bool
list_chunk(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct scan *s = context;
	uint32_t chunk = (uint32_t)part;
	node_id first = chunk_first(chunk), end = chunk_end(s->heap, chunk);
	node_id *out = s->ids + s->starts[chunk];

	(void)thread;
	(void)err;
	for (; first < end; first += 64)
		for (uint64_t left = s->found[first >> 6]; left; left &= left - 1) {
			node_id n = first + (node_id)__builtin_ctzll(left);

			*out++ = n;
			s->bytes[chunk] += heap_size(s->heap, n);
		}
	return true;
}

static bool
scan_make_room(struct scan *s, struct error *err)
{
	size_t chunks = (size_t)sweep_chunks_count(s->heap) + 1;

	s->threads = arena_array(&s->arena, struct scan_thread, s->threads_count, err);
	s->found = arena_array(&s->arena, uint64_t, bits_words(s->heap->nodes_count), err);
	s->counts = arena_array(&s->arena, uint32_t, chunks, err);
	s->starts = arena_array(&s->arena, uint32_t, chunks, err);
	s->bytes = arena_array(&s->arena, uint64_t, chunks, err);
	s->unknown_counts = arena_array(&s->arena, uint64_t, chunks, err);
	return s->threads && s->found && s->counts && s->starts && s->bytes && s->unknown_counts;
}

static bool
scan_run(struct scan *s, struct filter *f, struct id_list *list, struct error *err)
{
	uint32_t chunks = sweep_chunks_count(s->heap);

	progress_begin(s->sweep.progress, "filtering", "objects", s->heap->nodes_count);
	if (!worker_run_all(s->threads_count, chunks, scan_chunk, s, err))
		return false;
	for (uint32_t c = 0; c < chunks; c++) {
		s->starts[c] = list->count;
		list->count += s->counts[c];
		f->unknown_count += s->unknown_counts[c];
	}
	list->ids = s->ids = memory_resize(NULL, (size_t)list->count + 1, sizeof(node_id), err);
	if (!s->ids || !worker_run_all(worker_threads(), chunks, list_chunk, s, err))
		return false;
	for (uint32_t c = 0; c < chunks; c++)
		list->bytes_count += s->bytes[c];
	return true;
}

bool
filter_list(struct filter *f, const struct listing *l, const uint8_t *types,
	    struct progress *progress, struct id_list *list, struct error *err)
{
	struct scan *s = memory_new(1, sizeof *s, err);
	bool ok;

	*list = (struct id_list){ 0 };
	if (!s)
		return false;
	arena_init(&s->arena, 0);
	s->filter = f;
	s->heap = l->facts.heap;
	s->types = types;
	ok = sweep_init(&s->sweep, s->heap, &s->arena, progress, err) &&
	     choose_kernels(s, f, l, err) && scan_make_room(s, err) && scan_run(s, f, list, err);
	if (!ok)
		id_list_free(list);
	arena_clear(&s->arena);
	memory_free(s);
	return ok;
}
