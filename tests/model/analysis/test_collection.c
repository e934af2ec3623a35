/*
 * Collections, builders and lists of timers that are damaged or lead back to themselves: objects
 * made of words, whose fields are known by name.
 */
#include "model/analysis/collection_places.h"
#include "model/analysis/held_types.h"
#include "model/analysis/timers.h"
#include "model/heap/stream.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>

#define BASE UINT64_C(0x7f0000001000)
enum { EACH = 128, FIELDS = 5, CHUNKS = 65537 };

enum made {
	SORTED_SET,
	TREE_NODE,
	LINKED_LIST,
	LIST_NODE,
	LIST,
	INTS,
	DICTIONARY,
	ENTRIES,
	BUILDER,
	CHARS,
	TIMER,
	QUEUE,
	SEGMENT,
	MEMORY,
	READ_ONLY,
	READ_ONLY_PAIRS,
	IMMUTABLE,
	IMMUTABLE_NODE,
	FROZEN,
	FROZEN_PAIRS,
	KINDS
};

/* A name that begins with '#' is an int, any other a reference: 8 bytes each, behind the method
 * table. Arrays have a count there, then elements. */
/* clang-format off */
static const struct {
	const char *raw;
	const char *fields[FIELDS];
	uint32_t element_bytes;
	enum literal_kind literal;
} kinds[KINDS] = {
	[SORTED_SET] =  { "System.Collections.Generic.SortedSet<System.Int32>", { "#count", "root" }, 0, 0 },
	[TREE_NODE] =   { "Node<System.Int32>", { "#Item", "Left", "Right" }, 0, 0 },
	[LINKED_LIST] = { "System.Collections.Generic.LinkedList<System.Int32>", { "#count", "head" }, 0, 0 },
	[LIST_NODE] =   { "ListNode<System.Int32>", { "#item", "next" }, 0, 0 },
	[LIST] =        { "System.Collections.Generic.List<System.Int32>", { "#_size", "_items" }, 0, 0 },
	[INTS] =        { "System.Int32[]", { NULL }, 4, LITERAL_INT32 },
	[DICTIONARY] =  { "System.Collections.Generic.Dictionary<System.Int32,System.Int32>", { "#_count", "#_freeCount", "_entries" }, 0, 0 },
	[ENTRIES] =     { "Entry[]", { NULL }, 4, LITERAL_INT32 },
	[BUILDER] =     { "System.Text.StringBuilder", { "#m_ChunkOffset", "#m_ChunkLength", "m_ChunkPrevious", "m_ChunkChars" }, 0, 0 },
	[CHARS] =       { "System.Char[]", { NULL }, 2, LITERAL_CHAR },
	[TIMER] =       { "System.Threading.TimerQueueTimer", { "#_dueTime", "#_period", "_state", "_timerCallback", "_next" }, 0, 0 },
	[QUEUE] =       { "System.Threading.TimerQueue", { "_shortTimers", "_longTimers" }, 0, 0 },
	[SEGMENT] =     { "System.ArraySegment<System.Int32>", { "_array", "#_offset", "#_count" }, 0, 0 },
	[MEMORY] =      { "System.Memory<System.Int32>", { "_object", "#_index", "#_length" }, 0, 0 },
	[READ_ONLY] =   { "System.Collections.ObjectModel.ReadOnlyCollection<System.Int32>", { "list" }, 0, 0 },
	[READ_ONLY_PAIRS] = { "System.Collections.ObjectModel.ReadOnlyDictionary<System.Int32,System.Int32>", { "m_dictionary" }, 0, 0 },
	[IMMUTABLE] =   { "System.Collections.Immutable.ImmutableList<System.Int32>", { "_root" }, 0, 0 },
	[IMMUTABLE_NODE] = { "System.Collections.Immutable.ImmutableList<System.Int32>+Node", { "#_count", "#_key", "_left", "_right" }, 0, 0 },
	[FROZEN] =      { "System.Collections.Frozen.OrdinalStringFrozenSet_Full", { "_items" }, 0, 0 },
	[FROZEN_PAIRS] = { "System.Collections.Frozen.SmallFrozenDictionary<System.Int32,System.Int32>", { "_keys", "_values" }, 0, 0 },
};
/* clang-format on */

static struct {
	struct heap_stream *stream;
	type_id types[KINDS];
	uint8_t *bytes;
	uint8_t *kinds; /* enum made, of each object */
	uint32_t count, room;
	const struct heap *heap;
	struct error err;
} made;

static void
begin(uint32_t room)
{
	memset(&made, 0, sizeof(made));
	made.stream = heap_stream_new(&made.err);
	made.bytes = calloc(room, EACH);
	made.kinds = calloc(room, 1);
	made.room = room;
	assert_true(made.stream && made.bytes && made.kinds);
	for (int i = 0; i < KINDS; i++) {
		struct heap_builder *b = heap_stream_builder(made.stream);

		made.types[i] =
		    heap_builder_type(b, kinds[i].raw, "/System.Private.CoreLib.dll", &made.err);
		if (kinds[i].element_bytes)
			heap_builder_type_flags(b, made.types[i], TYPE_ARRAY);
	}
}

static void
end(void)
{
	heap_free(made.heap);
	free(made.bytes);
	free(made.kinds);
}

static uint64_t
address_of(uint32_t object)
{
	return BASE + (uint64_t)object * EACH;
}

/* The words behind its method table; returns its number. */
static uint32_t
put(enum made kind, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	uint64_t words[] = { 0x1000 + 0x1000 * (uint64_t)kind, a, b, c, d, e };

	assert_true(made.count < made.room);
	made.kinds[made.count] = (uint8_t)kind;
	memcpy(made.bytes + (size_t)made.count * EACH, words, sizeof(words));
	assert_true(heap_stream_object(made.stream, address_of(made.count), made.types[kind], EACH,
				       0, &made.err));
	return made.count++;
}

/* --- as heaps ask for it -------------------------------------------------- */

static size_t
read_bytes(const void *source, uint64_t address, void *to, size_t len)
{
	uint64_t all = (uint64_t)made.count * EACH;

	(void)source;
	if (address < BASE || address - BASE >= all)
		return 0;
	if (len > all - (address - BASE))
		len = (size_t)(all - (address - BASE));
	memcpy(to, made.bytes + (address - BASE), len);
	return len;
}

static bool
find_field(const void *source, node_id n, const char *name, struct content_field *out,
	   struct error *err)
{
	uint64_t at = heap_address(made.heap, n);
	uint32_t object = (uint32_t)((at - BASE) / EACH);
	enum made kind = (enum made)made.kinds[object];
	uint32_t count;

	(void)source;
	(void)err;
	*out = (struct content_field){ .address = at + 16, .rows_count = 1 };
	if (kinds[kind].element_bytes) {
		memcpy(&count, made.bytes + (size_t)object * EACH + 8, 4);
		out->count = count;
		out->stride = out->bytes = kinds[kind].element_bytes;
		out->kind = CONTENT_VALUE;
		out->literal = (uint8_t)kinds[kind].literal;
		return true;
	}
	out->count = 1;
	for (int i = 0; i < FIELDS && kinds[kind].fields[i]; i++) {
		const char *field = kinds[kind].fields[i];
		bool is_int = *field == '#';

		if (strcmp(field + is_int, name) != 0)
			continue;
		out->address = at + 8 + 8 * (uint64_t)i;
		out->bytes = is_int ? 4 : 8;
		out->kind = is_int ? CONTENT_VALUE : CONTENT_REFERENCE;
		out->literal = LITERAL_INT32;
		return true;
	}
	return false;
}

static const struct contents_ops ops = { .field = find_field, .bytes = read_bytes };

static void
finish(void)
{
	struct heap_memory *m = heap_builder_memory(heap_stream_builder(made.stream), &made.err);

	assert_non_null(m);
	m->contents = &ops;
	made.heap = heap_stream_finish(made.stream, NULL, &made.err);
	if (!made.heap)
		fail_msg("%s", made.err.message);
}

/* Opens the object with that number as a collection; NULL: it is none. */
static struct collection *
open_made(uint32_t object)
{
	struct error err = { 0 };
	struct collection *c =
	    collection_open(made.heap, heap_find(made.heap, address_of(object)), &err);

	assert_int_equal(err.kind, ERROR_NONE);
	return c;
}

/* How many elements are found of those that it says to have. */
static uint64_t
count_found(uint32_t object, bool is_short)
{
	struct collection *c = open_made(object);
	struct error err = { 0 };
	uint64_t found;

	assert_non_null(c);
	assert_true(collection_find(c, c->count, &err));
	assert_int_equal(collection_is_short(c), is_short);
	found = c->count;
	collection_close(c);
	return found;
}

/* --- trees and lists ------------------------------------------------------ */

TEST(ends_deep_trees)
{
	uint32_t deep, flat;

	begin(200);
	deep = put(SORTED_SET, 150, address_of(1), 0, 0, 0);
	for (uint32_t i = 1; i <= 150; i++)
		put(TREE_NODE, i, i < 150 ? address_of(i + 1) : 0, 0, 0, 0);
	/* As deep as one may be. */
	flat = put(SORTED_SET, TREE_DEPTH_MAX, address_of(151 - TREE_DEPTH_MAX), 0, 0, 0);
	finish();
	assert_int_equal(count_found(deep, true), 0);
	assert_int_equal(count_found(flat, false), TREE_DEPTH_MAX);
	end();
}

TEST(ends_circles)
{
	uint32_t left, right, ring, many;

	begin(20);
	left = put(SORTED_SET, 5, address_of(1), 0, 0, 0);
	put(TREE_NODE, 1, address_of(1), 0, 0, 0);
	right = put(SORTED_SET, 5, address_of(3), 0, 0, 0);
	put(TREE_NODE, 1, 0, address_of(3), 0, 0);
	ring = put(LINKED_LIST, 7, address_of(5), 0, 0, 0);
	put(LIST_NODE, 1, address_of(6), 0, 0, 0);
	put(LIST_NODE, 2, address_of(5), 0, 0, 0);
	many = put(LINKED_LIST, 21, address_of(5), 0, 0, 0);
	finish();
	assert_int_equal(count_found(left, true), 0);
	assert_int_equal(count_found(right, false), 5);
	assert_int_equal(count_found(ring, false), 7);
	/* More than the heap has objects. */
	assert_null(open_made(many));
	end();
}

/* An end has no left one, and no element; a node without is one. */
TEST(knows_the_ends_of_immutable_trees)
{
	uint32_t good, empty, longer, circle, null;

	begin(12);
	put(IMMUTABLE_NODE, 0, 0, 0, 0, 0);
	put(IMMUTABLE_NODE, 1, 1, address_of(0), address_of(0), 0);
	put(IMMUTABLE_NODE, 3, 2, address_of(1), address_of(3), 0);
	put(IMMUTABLE_NODE, 1, 3, address_of(0), address_of(0), 0);
	good = put(IMMUTABLE, address_of(2), 0, 0, 0, 0);
	empty = put(IMMUTABLE, address_of(0), 0, 0, 0, 0);
	put(IMMUTABLE_NODE, 4, 2, address_of(1), address_of(3), 0);
	longer = put(IMMUTABLE, address_of(6), 0, 0, 0, 0);
	put(IMMUTABLE_NODE, 5, 2, address_of(1), address_of(8), 0);
	circle = put(IMMUTABLE, address_of(8), 0, 0, 0, 0);
	null = put(IMMUTABLE, 0, 0, 0, 0, 0);
	finish();
	assert_int_equal(count_found(good, false), 3);
	assert_int_equal(count_found(empty, false), 0);
	assert_int_equal(count_found(longer, true), 3);
	assert_int_equal(count_found(circle, false), 5);
	assert_null(open_made(null));
	end();
}

/* A node with another method table has its fields elsewhere. */
TEST(ends_at_other_nodes)
{
	uint32_t list;

	begin(4);
	list = put(LINKED_LIST, 3, address_of(1), 0, 0, 0);
	put(LIST_NODE, 1, address_of(2), 0, 0, 0);
	put(LIST_NODE, 2, address_of(3), 0, 0, 0);
	put(LIST_NODE, 3, 0, 0, 0, 0);
	made.bytes[2 * EACH] ^= 0x80;
	finish();
	assert_int_equal(count_found(list, true), 1);
	end();
}

/* --- arrays --------------------------------------------------------------- */

TEST(refuses_counts)
{
	uint32_t good, full, table, freed, over;

	begin(10);
	put(INTS, 4, 0, 0, 0, 0);
	put(ENTRIES, 4, 0, 0, 0, 0);
	good = put(LIST, 4, address_of(0), 0, 0, 0);
	full = put(LIST, 5, address_of(0), 0, 0, 0);
	table = put(DICTIONARY, 4, 1, address_of(1), 0, 0);
	freed = put(DICTIONARY, 4, 5, address_of(1), 0, 0);
	over = put(DICTIONARY, 5, 1, address_of(1), 0, 0);
	finish();
	assert_int_equal(count_found(good, false), 4);
	assert_null(open_made(full));
	assert_int_equal(count_found(table, false), 3);
	assert_null(open_made(freed));
	assert_null(open_made(over));
	end();
}

/* A kind is known by a part of its name. */
TEST(reads_frozen_ones)
{
	uint32_t set, pairs, uneven, null;

	begin(10);
	put(INTS, 4, 0, 0, 0, 0);
	put(INTS, 3, 0, 0, 0, 0);
	set = put(FROZEN, address_of(1), 0, 0, 0, 0);
	pairs = put(FROZEN_PAIRS, address_of(0), address_of(0), 0, 0, 0);
	uneven = put(FROZEN_PAIRS, address_of(0), address_of(1), 0, 0, 0);
	null = put(FROZEN, 0, 0, 0, 0, 0);
	finish();
	assert_int_equal(count_found(set, false), 3);
	assert_int_equal(count_found(pairs, false), 4);
	assert_null(open_made(uneven));
	assert_null(open_made(null));
	end();
}

TEST(knows_kinds_by_names)
{
#define FROZEN_SET   "System.Collections.Frozen.Int32FrozenSet"
#define FROZEN_MAP   "System.Collections.Frozen.DefaultFrozenDictionary<A,B<C>>"
#define FROZEN_OTHER "System.Collections.Frozen.Table<FrozenSet>"
	static const char *const known[] = { FROZEN_SET, FROZEN_MAP }, *const others[] = {
		FROZEN_SET "[]", FROZEN_MAP "[]", FROZEN_MAP "+Entry", FROZEN_OTHER, "A.FrozenSet",
	};

	for (size_t i = 0; i < COUNT_OF(known); i++)
		assert_non_null(collection_kind_named(known[i]));
	for (size_t i = 0; i < COUNT_OF(others); i++)
		if (collection_kind_named(others[i]))
			fail_msg("%s", others[i]);
}

/* Element 0 is at this place; UINT64_MAX: it is none. */
static uint64_t
first_place(uint32_t object)
{
	struct collection *c = open_made(object);
	uint64_t place = c ? collection_place(c, 0) : UINT64_MAX;

	collection_close(c);
	return place;
}

TEST(reads_parts)
{
	uint32_t good, pinned, past, negative, longer, null;

	begin(10);
	put(INTS, 4, 0, 0, 0, 0);
	good = put(SEGMENT, address_of(0), 1, 3, 0, 0);
	pinned = put(MEMORY, address_of(0), 0x80000002, 2, 0, 0);
	past = put(SEGMENT, address_of(0), 2, 3, 0, 0);
	negative = put(MEMORY, address_of(0), 0, 0xffffffff, 0, 0);
	longer = put(MEMORY, address_of(0), 0, 5, 0, 0);
	null = put(SEGMENT, 0, 0, 0, 0, 0);
	finish();
	assert_int_equal(count_found(good, false), 3);
	assert_int_equal(first_place(good), 1);
	assert_int_equal(count_found(pinned, false), 2);
	assert_int_equal(first_place(pinned), 2);
	assert_null(open_made(past));
	assert_null(open_made(negative));
	assert_null(open_made(longer));
	assert_null(open_made(null));
	end();
}

TEST(looks_into_wrappers)
{
	uint32_t array, list, twice, circle, null, other, pairs;

	begin(10);
	put(INTS, 4, 0, 0, 0, 0);
	put(LIST, 2, address_of(0), 0, 0, 0);
	array = put(READ_ONLY, address_of(0), 0, 0, 0, 0);
	list = put(READ_ONLY, address_of(1), 0, 0, 0, 0);
	twice = put(READ_ONLY, address_of(list), 0, 0, 0, 0);
	circle = put(READ_ONLY, address_of(made.count), 0, 0, 0, 0);
	null = put(READ_ONLY, 0, 0, 0, 0, 0);
	put(LIST_NODE, 1, 0, 0, 0, 0);
	other = put(READ_ONLY, address_of(7), 0, 0, 0, 0);
	pairs = put(READ_ONLY_PAIRS, address_of(0), 0, 0, 0, 0);
	finish();
	assert_int_equal(count_found(array, false), 4);
	assert_int_equal(count_found(list, false), 2);
	assert_int_equal(count_found(twice, false), 2);
	assert_null(open_made(circle));
	assert_null(open_made(null));
	assert_null(open_made(other));
	/* It would have no keys. */
	assert_null(open_made(pairs));
	end();
}

/* --- builders ------------------------------------------------------------- */

/* Its text; NULL: it is damaged. */
static const char *
read_builder(uint32_t object, struct arena *a)
{
	struct collection *c = open_made(object);
	struct error err = { 0 };
	struct content row;
	size_t count;
	uint64_t total;
	bool ok;

	assert_non_null(c);
	ok = collection_rows(c, 0, 1, &row, &count, &total, a, &err);
	collection_close(c);
	assert_int_equal(err.kind, ok ? ERROR_NONE : ERROR_INPUT);
	return ok ? row.text : NULL;
}

TEST(reads_builders)
{
	uint64_t units = (uint64_t)'a' | (uint64_t)'b' << 16;
	uint32_t good, longer, circle, gap, overlap;
	struct arena a;

	begin(20);
	arena_init(&a, 0);
	put(CHARS, 2, units, 0, 0, 0);
	put(BUILDER, 0, 2, 0, address_of(0), 0);
	good = put(BUILDER, 2, 1, address_of(1), address_of(0), 0);
	longer = put(BUILDER, 0, 3, 0, address_of(0), 0);
	circle = put(BUILDER, 0, 0, address_of(4), address_of(0), 0);
	gap = put(BUILDER, 3, 1, address_of(1), address_of(0), 0);
	overlap = put(BUILDER, 1, 2, address_of(1), address_of(0), 0);
	finish();
	assert_string_equal(read_builder(good, &a), "\"aba\"");
	assert_null(read_builder(longer, &a));
	assert_null(read_builder(gap, &a));
	assert_null(read_builder(overlap, &a));
	/* Empty chunks without end: its beginning is not reached. */
	assert_string_equal(read_builder(circle, &a), "\"\"…");
	arena_clear(&a);
	end();
}

TEST(cuts_long_builders)
{
	struct arena a;
	const char *text;

	begin(CHUNKS + 2);
	arena_init(&a, 0);
	put(CHARS, 1, 'x', 0, 0, 0);
	for (uint32_t i = 0; i < CHUNKS; i++)
		put(BUILDER, i, 1, i ? address_of(i) : 0, address_of(0), 0);
	finish();
	text = read_builder(CHUNKS - 1, &a);
	assert_non_null(text);
	assert_int_equal(strlen(text), CHUNKS - 1 + strlen("\"\""));
	assert_string_equal(read_builder(CHUNKS, &a), "\"\"…");
	arena_clear(&a);
	end();
}

/* --- timers --------------------------------------------------------------- */

TEST(ends_circles_of_timers)
{
	struct timers t = { 0 };
	struct error err = { 0 };

	begin(6);
	put(QUEUE, address_of(1), address_of(2), 0, 0, 0);
	put(TIMER, 10, 20, 0, 0, address_of(2));
	put(TIMER, 30, 40, 0, 0, address_of(1));
	put(TIMER, 50, 60, 0, 0, 0);
	finish();
	assert_true(timers_find(made.heap, &t, NULL, &err));
	assert_int_equal(t.count, 3);
	assert_int_equal(t.set_count, 2);
	assert_int_equal(t.items[0].list, TIMER_SHORT);
	assert_int_equal(t.items[1].list, TIMER_SHORT);
	assert_int_equal(t.items[2].list, TIMER_UNSET);
	assert_int_equal(t.items[2].due_ms, 50);
	timers_clear(&t);
	end();
}

/* --- entries of all collections of a type --------------------------------- */

static uint64_t
entries_of(const struct retained *r, enum made kind)
{
	const struct subject about = { .node = NODE_NONE, .type = made.types[kind], .text = "" };
	struct held_types held;
	struct error err = { 0 };
	uint64_t entries;

	assert_ok(held_types_compute(&held, r, &about, true, NULL, &err), &err);
	assert_int_equal(held.count, 1);
	entries = held.items[0].entries;
	held_types_clear(&held);
	return entries;
}

/* One that cannot be opened leaves the sum unknown. */
TEST(entries_are_added_up)
{
	struct error err = { 0 };
	const struct reverse *rev;
	const struct dominators *d;
	const struct retained *r;

	begin(10);
	put(INTS, 4, 0, 0, 0, 0);
	put(ENTRIES, 4, 0, 0, 0, 0);
	put(LIST, 4, address_of(0), 0, 0, 0);
	put(LIST, 1, address_of(0), 0, 0, 0);
	put(LIST, 0, address_of(0), 0, 0, 0);
	put(DICTIONARY, 4, 1, address_of(1), 0, 0);
	put(DICTIONARY, 4, 5, address_of(1), 0, 0);
	put(BUILDER, 0, 0, 0, 0, 0);
	finish();
	rev = reverse_compute(made.heap, NULL, &err);
	d = dominators_compute(made.heap, rev, NULL, 0, NULL, &err);
	r = retained_compute(d, NULL, &err);
	assert_non_null(r);
	assert_int_equal(entries_of(r, LIST), 5);
	assert_true(entries_of(r, DICTIONARY) == UINT64_MAX);
	assert_true(entries_of(r, BUILDER) == UINT64_MAX);
	assert_true(entries_of(r, INTS) == UINT64_MAX);
	retained_free(r);
	dominators_free(d);
	reverse_free(rev);
	end();
}
