/*
 * Cores of real processes on every runtime and collector: each object's type,
 * size and generation, and each of its references, against ClrMD.
 */
#include "tests/run_tests.h"
#include "tests/cores.h"
#include "io/core_heap.h"
#include "model/heap_memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const generation_words[GEN_COUNT] = {
	"Generation0", "Generation1", "Generation2", "Large", "Pinned", "Frozen"
};

static const struct heap *
load(const struct core *c, enum load_what what)
{
	const struct heap *h;
	struct error err;

	error_clear(&err);
	h = source_core.load(c->path, what, NULL, NULL, &err);
	if (!h)
		fail_msg("%s: %s", c->setup->name, err.message);
	for (uint32_t i = 0; i < h->info.warnings_count; i++)
		fail_msg("%s: %s", c->setup->name, h->info.warnings[i]);
	assert_false(losses_any(&h->info.losses));
	return h;
}

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
compare_object(const struct core *c, const struct heap *h,
	       const struct oracle_line *line)
{
	node_id n = heap_find(h, oracle_hex(line, 0));
	const char *generation;

	if (n == NODE_NONE)
		fail_msg("%s: not found: %.*s", c->setup->name,
			 (int)line->rest_len, line->rest);
	generation = generation_words[heap_generation(h, n)];
	if (((heap_size(h, n) + 7) & ~UINT64_C(7)) != oracle_number(line, 2) ||
	    !oracle_is(line, 3, generation) ||
	    !is_same_name(heap_type(h, n)->raw, line->fields[4], line->lens[4]))
		fail_msg("%s: %s, %" PRIu64 " bytes, %s, should be %.*s",
			 c->setup->name, heap_type(h, n)->raw, heap_size(h, n),
			 generation, (int)line->rest_len, line->rest);
}

static void
compare_objects(const struct core *c, const struct heap *h)
{
	uint64_t free_count = 0, free_bytes = 0, objects_count = 0;
	struct oracle_line line;
	const char *at = NULL;

	while (oracle_next(c->oracle, "object", &at, &line)) {
		if (oracle_is(&line, 4, "Free")) {
			const struct heap_free_block *block =
			    &h->memory->free_blocks[free_count++];

			assert_true(free_count <= h->memory->free_blocks_count);
			assert_int_equal(block->address, oracle_hex(&line, 0));
			assert_int_equal(block->bytes, oracle_number(&line, 2));
			free_bytes += block->bytes;
			continue;
		}
		objects_count++;
		compare_object(c, h, &line);
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

static int
compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * What an object of a collectible type keeps without a field: the collector
 * follows that, and its events tell it; ClrMD does not.
 */
static bool
is_hidden(const struct heap *h, node_id n, node_id target)
{
	return heap_type(h, n)->flags & TYPE_COLLECTIBLE &&
	       !strcmp(heap_type(h, target)->raw,
		       "System.Reflection.LoaderAllocator");
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
compare_refs_of(const struct core *c, const struct heap *h,
		const struct oracle_line *line)
{
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
			fail_msg("%s: %s has more than %" PRIu64
				 " references: %.*s",
				 c->setup->name, heap_type(h, n)->raw, count,
				 (int)line->rest_len, line->rest);
		theirs[i++] = address;
		text = next;
	}
	qsort(ours, count, sizeof(*ours), compare_u64);
	qsort(theirs, i, sizeof(*theirs), compare_u64);
	if (i != count || memcmp(ours, theirs, count * sizeof(*ours)) != 0)
		fail_msg("%s: %s has %" PRIu64 " references, should be %.*s",
			 c->setup->name, heap_type(h, n)->raw, count,
			 (int)line->rest_len, line->rest);
	free(ours);
	free(theirs);
}

static void
compare_refs(const struct core *c, const struct heap *h)
{
	struct oracle_line line;
	const char *at = NULL;
	uint64_t with_refs = 0, lines = 0, hidden = 0;

	while (oracle_next(c->oracle, "ref", &at, &line)) {
		compare_refs_of(c, h, &line);
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

/* The same totals without the objects. */
static void
compare_types(const struct core *c, const struct heap *h)
{
	const struct heap *types = load(c, LOAD_TYPES);

	assert_false(types->has_objects);
	assert_int_equal(types->types_count, h->types_count);
	assert_int_equal(types->bytes_count, h->bytes_count);
	for (type_id t = 0; t < h->types_count; t++) {
		assert_string_equal(types->types[t].name, h->types[t].name);
		assert_int_equal(types->types[t].count, h->types[t].count);
		assert_int_equal(types->types[t].bytes, h->types[t].bytes);
	}
	heap_free(types);
}

/* What a core lacks comes from files; without them there are numbers. */
static void
check_without_files(const struct core *c, const struct heap *h)
{
	const struct clr_graph_options options = { .what = LOAD_ALL };
	const struct heap *other;
	struct error err;

	if (c->setup->writer != CORE_GDB)
		return;
	error_clear(&err);
	other = core_heap_load(c->path, "/nowhere", &options, &err);
	if (!other)
		fail_msg("%s: %s", c->setup->name, err.message);
	assert_int_equal(other->nodes_count, h->nodes_count);
	assert_int_equal(other->refs_count, h->refs_count);
	assert_int_equal(other->types_count, h->types_count);
	assert_int_equal(other->bytes_count, h->bytes_count);
	assert_true(other->info.warnings_count > 0);
	assert_non_null(
	    strstr(other->info.warnings[other->info.warnings_count - 1],
		   "types have a number for a name: the metadata of "));
	for (type_id t = 0; t < other->types_count; t++)
		assert_true(other->types[t].flags & TYPE_UNNAMED ||
			    !strcmp(other->types[t].module, "Plugin"));
	heap_free(other);
}

/* What the reference program is known to have, on every runtime. */
static const struct {
	const char *name, *module;
	uint32_t flags; /* of those that only memory tells */
	uint64_t count; /* at least */
} known_types[] = {
	{ "Leaky.Session", "leaky.dll", 0, 5000 },
	{ "Leaky.Holder<List<Leaky.Session>>.Inner<int[]>", "leaky.dll", 0, 1 },
	{ "int[,]", "System.Private.CoreLib.dll", TYPE_ARRAY, 1 },
	{ "Leaky.Pending", "leaky.dll", TYPE_FINALIZABLE, 1 },
	{ "EventHandler", "System.Private.CoreLib.dll", TYPE_DELEGATE, 200 },
	{ "Plugin.Thing", "Plugin", TYPE_COLLECTIBLE, 1 },
};

static void
check_known_types(const struct heap *h)
{
	const uint32_t told = TYPE_ARRAY | TYPE_DELEGATE | TYPE_FINALIZABLE |
			      TYPE_COLLECTIBLE | TYPE_UNNAMED;

	for (size_t i = 0; i < sizeof(known_types) / sizeof(known_types[0]);
	     i++) {
		const struct type *found = NULL;

		for (type_id t = 0; t < h->types_count; t++)
			if (!strcmp(h->types[t].name, known_types[i].name))
				found = &h->types[t];
		if (!found)
			fail_msg("there is no %s", known_types[i].name);
		assert_string_equal(type_module_file(found),
				    known_types[i].module);
		assert_int_equal(found->flags & told, known_types[i].flags);
		if (found->count < known_types[i].count)
			fail_msg("only %" PRIu64 " of %s", found->count,
				 found->name);
	}
}

static void
test_core(void **state)
{
	const struct core_setup *setup = *state;
	const struct core *c = core_of(setup);
	const struct heap *h;
	struct error err;

	if (!c)
		skip();
	error_clear(&err);
	h = load(c, LOAD_ALL);
	if (!heap_check(h, &err))
		fail_msg("%s: %s", setup->name, err.message);
	check_known_types(h);
	if (c->oracle) {
		compare_objects(c, h);
		compare_refs(c, h);
	}
	compare_types(c, h);
	check_without_files(c, h);
	heap_free(h);
}

int
main(void)
{
	enum { TESTS_MAX = 64 };
	struct CMUnitTest tests[TESTS_MAX];
	size_t count = 0;

	for (; count < core_setups_count && count < TESTS_MAX; count++)
		tests[count] = (struct CMUnitTest){
			.name = core_setups[count].name,
			.test_func = test_core,
			.initial_state = (void *)(uintptr_t)&core_setups[count],
		};
	return run_tests_named(__FILE__, tests, count);
}
