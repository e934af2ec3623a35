/*
 * One process by two ways: by the events of its runtime, then from its memory. Between the two
 * nothing is collected, so what the events have is at the same addresses in memory, with the same
 * types, sizes and references.
 */
#include "model/analysis/type_match.h"
#include "tests/drive/captures.h"
#include "tests/drive/ways.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <string.h>

static const struct row {
	const char *what, *version;
	const char *const *variables;
	/* Before .NET 10 the walk is followed by one more collection, in which server GC moves
	 * things about. */
	bool moves;
} rows[] = {
	{ "8.0", "8.0", NULL, false },
	{ "9.0", "9.0", NULL, false },
	{ "10.0", "10.0", NULL, false },
	{ "8.0, single file", "8.0-single", NULL, false },
	{ "9.0, single file", "9.0-single", NULL, false },
	{ "10.0, single file", "10.0-single", NULL, false },
	{ "11.0", "11.0", NULL, false },
	{ "10.0, Native AOT", "10.0-native", NULL, false },
	{ "11.0, Native AOT", "11.0-native", NULL, false },
	{ "11.0, Native AOT, server", "11.0-native-server", NULL, false },
	{ "8.0, server", "8.0", with_server, true },
	{ "9.0, server", "9.0", with_server, true },
	{ "10.0, server", "10.0", with_server, false },
};

/* Those of the program: nothing of them happens between the two. */
static bool
is_ours(const struct type *t)
{
	return !strncmp(t->raw, "Leaky.", 6) || !strncmp(t->raw, "Plugin.", 7);
}

static bool
has_same_refs(const struct heap *events, node_id e, const struct heap *memory, node_id m)
{
	struct refs ours = heap_refs(memory, m), theirs = heap_refs(events, e);
	uint64_t sum = 0, count = ours.left;
	node_id target;

	if (count != theirs.left)
		return false;
	/* Their order differs: what keeps a type comes first or last. */
	while (refs_next(&ours, &target))
		sum += heap_address(memory, target);
	while (refs_next(&theirs, &target))
		sum -= heap_address(events, target);
	return sum == 0;
}

static void
compare_objects(const char *what, const struct heap *events, const struct heap *memory,
		const struct type_match *match)
{
	uint64_t others = 0;

	for (node_id e = 0; e < events->nodes_count; e++) {
		uint64_t address = heap_address(events, e);
		const struct type *type = heap_type(events, e);
		node_id m = heap_find(memory, address);

		if (m != NODE_NONE &&
		    match->rows[0][heap_type_of(events, e)] ==
			match->rows[1][heap_type_of(memory, m)] &&
		    heap_size(events, e) == heap_size(memory, m) &&
		    has_same_refs(events, e, memory, m))
			continue;
		if (is_ours(type))
			fail_msg("%s: %s at %" PRIx64 " is another one in memory", what, type->name,
				 address);
		others++;
	}
	/* The end of the capture is work for the runtime itself. */
	if (others > events->nodes_count / 100)
		fail_msg("%s: %" PRIu64 " of %u objects differ", what, others, events->nodes_count);
	printf("%s: %u objects by events, %u in memory, %" PRIu64 " changed meanwhile\n", what,
	       events->nodes_count, memory->nodes_count, others);
}

/* Every type of the events is one of the memory's, by name and module. */
static void
compare_types(const char *what, const struct heap *events, const struct heap *memory,
	      const struct type_match *match)
{
	assert_int_equal(match->guessed_count, 0);
	assert_int_equal(match->spelled_count, 0);
	for (type_id t = 0; t < events->types_count; t++) {
		const struct type *type = &events->types[t];
		uint32_t row = match->rows[0][t];
		type_id other;

		if (!type->count)
			continue;
		other = match->types[2 * (size_t)row + 1];
		if (other == TYPE_NONE && is_ours(type))
			fail_msg("%s: no %s (%s) in memory", what, type->raw, type->module);
		if (other != TYPE_NONE && is_ours(type))
			assert_true(memory->types[other].count >= type->count);
	}
}

TEST_ROWS(agrees, rows)
{
	const struct row *r = *state;
	const struct heap *heaps[2];
	struct type_match match;
	struct capture_cost cost;
	struct target *t;
	struct error err;

	if (is_skipped(r->version))
		return;
	error_clear(&err);
	t = target_start(r->version, TARGET_HERE, NULL, r->variables);
	heaps[0] = capture_pid(target_pid(t), &cost, &err);
	if (!heaps[0])
		fail_msg("%s: %s", r->what, err.message);
	heaps[1] = heap_of_memory(target_pid(t), &err);
	if (!heaps[1] || !type_match_init(&match, heaps, 2, &err))
		fail_msg("%s: %s", r->what, err.message);
	compare_types(r->what, heaps[0], heaps[1], &match);
	if (!r->moves)
		compare_objects(r->what, heaps[0], heaps[1], &match);
	type_match_clear(&match);
	heap_free(heaps[0]);
	heap_free(heaps[1]);
	target_free(t);
}
