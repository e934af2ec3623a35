#include "tests/judge/judge.h"
#include "model/base/sorted.h"
#include "model/heap/memory.h"
#include "tests/judge/judge_locks.h"
#include "tests/judge/judge_tables.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What one of them says, and what the other one has. */
struct judged {
	const char *what;
	const struct oracle *oracle;
	const struct heap *heap;
};

static const char *const generation_words[GEN_COUNT] = { "Generation0", "Generation1",
							 "Generation2", "Large",
							 "Pinned",      "Frozen" };

/* The same name; they have a space behind each comma. */
static bool
is_same_name(const char *ours, const char *theirs, size_t theirs_len)
{
	for (size_t i = 0; i < theirs_len; i++) {
		if (theirs[i] == ' ' && i && theirs[i - 1] == ',')
			continue;
		if (*ours++ != theirs[i])
			return false;
	}
	return !*ours;
}

/* Of the reference program; then another definition has the same name. */
static void
compare_object(const struct judged *j, const struct oracle_line *line)
{
	const struct heap *h = j->heap;
	node_id n = heap_find(h, oracle_hex(line, 0));
	const char *generation;

	if (n == NODE_NONE)
		fail_msg("%s: not found: %.*s", j->what, (int)line->rest_len, line->rest);
	generation = generation_words[heap_generation(h, n)];
	if (((heap_size(h, n) + 7) & ~UINT64_C(7)) != oracle_number(line, 2) ||
	    !oracle_is(line, 3, generation) ||
	    !is_same_name(heap_type(h, n)->raw, line->fields[4], line->lens[4]))
		fail_msg("%s: %s, %" PRIu64 " bytes, %s, should be %.*s", j->what,
			 heap_type(h, n)->raw, heap_size(h, n), generation, (int)line->rest_len,
			 line->rest);
}

static void
compare_objects(const struct judged *j)
{
	const struct heap *h = j->heap;
	uint64_t free_count = 0, free_bytes = 0, objects_count = 0;
	struct oracle_line line;
	const char *at = NULL;

	while (oracle_next(j->oracle, "object", &at, &line)) {
		if (oracle_is(&line, 4, "Free")) {
			const struct heap_free_block *block = &h->memory->free_blocks[free_count++];

			assert_true(free_count <= h->memory->free_blocks_count);
			assert_int_equal(block->address, oracle_hex(&line, 0));
			assert_int_equal(block->bytes, oracle_number(&line, 2));
			free_bytes += block->bytes;
			continue;
		}
		objects_count++;
		compare_object(j, &line);
	}
	assert_int_equal(objects_count, h->nodes_count);
	assert_int_equal(free_count, h->memory->free_blocks_count);
	for (uint32_t i = 0; i < h->memory->segments_count; i++) {
		free_bytes -= h->memory->segments[i].free_bytes;
		objects_count -= h->memory->segments[i].objects_count;
	}
	assert_int_equal(free_bytes, 0);
	assert_int_equal(objects_count, 0);
}

/*
 * What an object of a collectible type keeps without a field: the collector follows that, and its
 * events tell it; ClrMD does not.
 */
static bool
is_hidden(const struct heap *h, node_id n, node_id target)
{
	return heap_type(h, n)->flags & TYPE_COLLECTIBLE &&
	       !strcmp(heap_type(h, target)->raw, "System.Reflection.LoaderAllocator");
}

/* How many it has, and where they lead. */
static uint64_t
take_refs(const struct heap *h, node_id n, uint64_t *addresses)
{
	struct refs refs = heap_refs(h, n);
	uint64_t count = 0;
	node_id target;

	while (refs_next(&refs, &target))
		if (!is_hidden(h, n, target))
			addresses[count++] = heap_address(h, target);
	return count;
}

static void
compare_refs_of(const struct judged *j, const struct oracle_line *line)
{
	const struct heap *h = j->heap;
	node_id n = heap_find(h, oracle_hex(line, 0));
	uint64_t room = heap_refs(h, n).left + 1, count, i = 0;
	uint64_t *ours = calloc(room, sizeof(*ours));
	uint64_t *theirs = calloc(room, sizeof(*theirs));
	const char *text = strchr(line->rest, '\t');
	const char *end = line->rest + line->rest_len;

	assert_non_null(ours);
	assert_non_null(theirs);
	count = take_refs(h, n, ours);
	while (text && text < end) {
		char *next;
		uint64_t address = strtoull(text + 1, &next, 16);

		if (i == count)
			fail_msg("%s: %s has more than %" PRIu64 " references: %.*s", j->what,
				 heap_type(h, n)->raw, count, (int)line->rest_len, line->rest);
		theirs[i++] = address;
		text = next;
	}
	SORT_NUMBERS(ours, count);
	SORT_NUMBERS(theirs, i);
	if (i != count || memcmp(ours, theirs, count * sizeof(*ours)) != 0)
		fail_msg("%s: %s has %" PRIu64 " references, should be %.*s", j->what,
			 heap_type(h, n)->raw, count, (int)line->rest_len, line->rest);
	free(ours);
	free(theirs);
}

static void
compare_refs(const struct judged *j)
{
	const struct heap *h = j->heap;
	struct oracle_line line;
	const char *at = NULL;
	uint64_t with_refs = 0, lines = 0, hidden = 0;

	while (oracle_next(j->oracle, "ref", &at, &line)) {
		compare_refs_of(j, &line);
		lines++;
	}
	for (node_id n = 0; n < h->nodes_count; n++) {
		struct refs refs = heap_refs(h, n);
		node_id target;
		bool has_some = false;

		while (refs_next(&refs, &target)) {
			has_some |= !is_hidden(h, n, target);
			hidden += is_hidden(h, n, target);
		}
		with_refs += has_some;
	}
	assert_int_equal(with_refs, lines);
	assert_true(hidden > 0);
}

/* --- segments --- */

static const struct heap_segment *
find_segment(const struct heap_memory *m, uint64_t start)
{
	for (uint32_t i = 0; i < m->segments_count; i++)
		if (m->segments[i].start == start)
			return &m->segments[i];
	return NULL;
}

static void
compare_segments(const struct judged *j)
{
	struct oracle_line line;
	const char *at = NULL;
	uint32_t count = 0;

	while (oracle_next(j->oracle, "segment", &at, &line)) {
		const struct heap_segment *s = find_segment(j->heap->memory, oracle_hex(&line, 1));
		const char *word = "";

		count++;
		if (s)
			word = s->is_ephemeral ? "Ephemeral" : generation_words[s->generation];
		if (!s || !oracle_is(&line, 0, word) || s->allocated != oracle_hex(&line, 2) ||
		    s->committed != oracle_hex(&line, 4) ||
		    (uint64_t)s->heap_number != oracle_number(&line, 5))
			fail_msg("%s: segment %.*s: %s, to %" PRIx64 " and %" PRIx64, j->what,
				 (int)line.rest_len, line.rest, word, s ? s->allocated : 0,
				 s ? s->committed : 0);
	}
	assert_int_equal(count, j->heap->memory->segments_count);
}

/* --- handles --- */

static unsigned
handle_kind(const struct oracle_line *line)
{
	/* clang-format off */
	static const struct { const char *name; unsigned kind; } kinds[] = {
		{ "WeakShort", HANDLE_WEAK_SHORT }, { "WeakLong", HANDLE_WEAK_LONG },
		{ "Strong", HANDLE_STRONG }, { "Pinned", HANDLE_PINNED },
		{ "RefCounted", HANDLE_REF_COUNTED }, { "Dependent", HANDLE_DEPENDENT },
		{ "AsyncPinned", HANDLE_ASYNC_PINNED }, { "SizedRef", HANDLE_SIZED_REF },
		{ "WeakWinRT", HANDLE_WEAK_NATIVE_COM },
	};
	/* clang-format on */

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (oracle_is(line, 0, kinds[i].name))
			return kinds[i].kind;
	return (unsigned)oracle_number(line, 0);
}

static int
compare_handle_addresses(const void *a, const void *b)
{
	const struct heap_handle *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static uint64_t
address_of(const struct heap *h, node_id n)
{
	return n == NODE_NONE ? 0 : heap_address(h, n);
}

/*
 * Each processor has handles of its own. ClrMD looks at those of as many as there are heaps, and a
 * server collector may have fewer: then there are more, and all of them hold objects.
 */
static bool
may_miss_handles(const struct judged *j)
{
	struct oracle_line line;
	const char *at = NULL;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	return oracle_next(j->oracle, "heap", &at, &line) && oracle_is(&line, 3, "server") &&
	       oracle_number(&line, 2) < (uint64_t)processors;
}

static void
compare_handles(const struct judged *j)
{
	const struct heap_memory *m = j->heap->memory;
	struct oracle_line line;
	const char *at = NULL;
	uint32_t count = 0;

	while (oracle_next(j->oracle, "handle", &at, &line)) {
		struct heap_handle key = { .address = oracle_hex(&line, 1) };
		const struct heap_handle *h = bsearch(&key, m->handles, m->handles_count,
						      sizeof(key), compare_handle_addresses);

		count++;
		if (!h || h->kind != handle_kind(&line) ||
		    address_of(j->heap, h->object) != oracle_hex(&line, 2) ||
		    address_of(j->heap, h->dependent) != oracle_hex(&line, 3))
			fail_msg("%s: handle %.*s is of kind %u, of %" PRIx64, j->what,
				 (int)line.rest_len, line.rest, h ? h->kind : 99,
				 h ? address_of(j->heap, h->object) : 0);
	}
	if (may_miss_handles(j))
		assert_true(count <= m->handles_count);
	else
		assert_int_equal(count, m->handles_count);
	for (uint32_t i = 0; i < m->handles_count; i++)
		assert_true(m->handles[i].object != NODE_NONE);
}

/* --- finalizers --- */

static bool
is_finalizable(const struct heap_memory *m, node_id n, bool is_ready)
{
	for (uint32_t i = 0; i < m->finalizables_count; i++)
		if (m->finalizables[i].object == n && m->finalizables[i].is_ready == is_ready)
			return true;
	return false;
}

static void
compare_finalizers(const struct judged *j)
{
	static const char *const words[] = { "registered", "ready" };
	const struct heap_memory *m = j->heap->memory;
	struct oracle_line line;
	uint32_t count = 0;

	for (int ready = 0; ready < 2; ready++) {
		const char *at = NULL;

		while (oracle_next(j->oracle, words[ready], &at, &line)) {
			uint64_t object = oracle_hex(&line, 0);

			count++;
			if (!is_finalizable(m, heap_find(j->heap, object), ready))
				fail_msg("%s: %" PRIx64 " is not %s", j->what, object,
					 words[ready]);
		}
	}
	assert_int_equal(count, m->finalizables_count);
}

/* --- threads and their stacks --- */

/* Nothing was thrown, or that object was. */
static bool
is_thrown(const struct judged *j, node_id ours, uint64_t theirs)
{
	return ours == NODE_NONE ? !theirs : heap_address(j->heap, ours) == theirs;
}

static void
compare_threads(const struct judged *j)
{
	const struct heap_memory *m = j->heap->memory;
	struct oracle_line line;
	const char *at = NULL;

	while (oracle_next(j->oracle, "thread", &at, &line)) {
		bool is_found = false;

		for (uint32_t i = 0; i < m->threads_count; i++) {
			const struct heap_thread *t = &m->threads[i];

			is_found |=
			    t->address == oracle_hex(&line, 0) &&
			    t->os_id == oracle_number(&line, 1) &&
			    t->id == oracle_number(&line, 2) &&
			    (t->mode == THREAD_COOPERATIVE) == oracle_is(&line, 3, "cooperative") &&
			    is_thrown(j, t->thrown, oracle_hex(&line, 4));
		}
		if (!is_found)
			fail_msg("%s: thread %.*s", j->what, (int)line.rest_len, line.rest);
	}
}

/* What is surely on a stack, we take for being there; and some more. */
static uint32_t
compare_stacks(const struct judged *j)
{
	struct oracle_line line;
	const char *at = NULL;
	uint32_t stacks = 0;

	while (oracle_next(j->oracle, "root", &at, &line)) {
		node_id n = heap_find(j->heap, oracle_hex(&line, 2));
		const struct root *roots;
		bool is_found = false;
		uint32_t count;

		if (!oracle_is(&line, 0, "Stack") || n == NODE_NONE)
			continue;
		stacks++;
		roots = heap_roots_of(j->heap, n, &count);
		for (uint32_t i = 0; i < count; i++)
			is_found |= roots[i].kind == ROOT_STACK || roots[i].kind == ROOT_STACK_WORD;
		if (!is_found)
			fail_msg("%s: not on a stack: %.*s", j->what, (int)line.rest_len,
				 line.rest);
	}
	return stacks;
}

static uint32_t
count_roots(const struct heap *h, enum root_kind kind)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < h->roots_count; i++)
		count += h->roots[i].kind == kind;
	return count;
}

void
judge_heap(const char *what, const struct oracle *o, const struct heap *h)
{
	struct judged j = { what, o, h };
	uint32_t stacks;

	assert_non_null(h->memory);
	compare_objects(&j);
	compare_refs(&j);
	compare_segments(&j);
	compare_handles(&j);
	compare_finalizers(&j);
	compare_threads(&j);
	judge_locks(what, o, h);
	judge_tables(what, o, h);
	stacks = compare_stacks(&j);
	printf("%s: %" PRIu32 " objects, %" PRIu64 " references, %" PRIu32 " free blocks, %" PRIu32
	       " segments, %" PRIu32 " handles, %" PRIu32 " finalizable, %" PRIu32
	       " threads: no difference; on stacks %" PRIu32 ", we have %" PRIu32 " and %" PRIu32
	       " words that may be references\n",
	       what, h->nodes_count, h->refs_count, h->memory->free_blocks_count,
	       h->memory->segments_count, h->memory->handles_count, h->memory->finalizables_count,
	       h->memory->threads_count, stacks, count_roots(h, ROOT_STACK),
	       count_roots(h, ROOT_STACK_WORD));
}
