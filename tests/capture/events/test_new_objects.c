/*
 * A real process captured twice: which of its sessions are new is known, as they are appended to
 * one list.
 */
#include "model/analysis/survival.h"
#include "tests/drive/captures.h"
#include "tests/drive/ways.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <string.h>

/* clang-format off */
static const struct row {
	const char *test, *version;
	bool from_memory;
	const char *const *lines; /* told between the captures */
} rows[] = {
	{ "8.0, events",  "8.0",  false, (const char *const[]){ "grow", NULL } },
	{ "9.0, events",  "9.0",  false, (const char *const[]){ "grow", NULL } },
	{ "10.0, events", "10.0", false, (const char *const[]){ "grow", NULL } },
	{ "11.0, events", "11.0", false, (const char *const[]){ "grow", NULL } },
	{ "8.0, memory",  "8.0",  true,  (const char *const[]){ "grow", NULL } },
	{ "10.0, memory", "10.0", true,  (const char *const[]){ "grow", NULL } },
	{ "11.0, memory, with a collection", "11.0", true, (const char *const[]){ "grow", "gc", NULL } },
	{ "10.0, memory, with a collection", "10.0", true, (const char *const[]){ "grow", "gc", NULL } },
	{ "10.0, events, with collections", "10.0", false, (const char *const[]){ "gc", "grow", "gc", NULL } },
};
/* clang-format on */

static const struct heap *
capture(const struct row *r, const struct target *t)
{
	struct capture_cost cost;
	struct error err = { 0 };
	const struct heap *h = r->from_memory ? heap_of_memory(target_pid(t), &err)
					      : capture_pid(target_pid(t), &cost, &err);

	assert_ok(h, &err);
	return h;
}

static type_id
type_of_raw(const struct heap *h, const char *raw)
{
	for (type_id t = 0; t < h->types_count; t++)
		if (!strcmp(h->types[t].raw, raw) && h->types[t].count)
			return t;
	fail_msg("there is no %s", raw);
	return TYPE_NONE;
}

/* Returns the largest array of sessions, that of the list. */
static node_id
array_of_sessions(const struct heap *h)
{
	type_id type = type_of_raw(h, "Leaky.Session[]");
	node_id best = NODE_NONE;

	for (node_id n = 0; n < h->nodes_count; n++)
		if (heap_type_of(h, n) == type &&
		    (best == NODE_NONE || heap_size(h, n) > heap_size(h, best)))
			best = n;
	return best;
}

/* The list of sessions has the older ones first. */
static void
expect_new_sessions(const struct row *r, const struct survival *s, long old_count, long new_count)
{
	const struct heap *h = s->last;
	struct refs refs = heap_refs(h, array_of_sessions(h));
	long index = 0, wrong = 0;
	node_id n;

	for (; refs_next(&refs, &n); index++)
		wrong += bits_has(s->is_new, n) != (index >= old_count);
	assert_int_equal(index, old_count + new_count);
	print_message("%s: %ld of %ld sessions wrong, %" PRIu32 " objects moved, %s\n", r->test,
		      wrong, index, s->moved_count, s->is_estimate ? "an estimate" : "exact");
	assert_int_equal(wrong, 0);
}

TEST_ROWS(test_sessions, rows)
{
	const struct row *r = *state;
	const struct heap *heaps[2];
	struct error err = { 0 };
	struct type_match match;
	struct survival s;
	struct target *t;
	type_id type;
	uint32_t row;

	if (is_skipped(r->version))
		skip();
	t = target_start(r->version, TARGET_HERE, NULL, NULL);
	heaps[0] = capture(r, t);
	for (const char *const *line = r->lines; *line; line++)
		target_tell(t, *line);
	heaps[1] = capture(r, t);
	assert_ok(type_match_init(&match, heaps, 2, &err), &err);
	assert_ok(survival_compute(&s, &match, heaps, 0, 1, NULL, &err), &err);
	assert_true(s.is_known);
	type = type_of_raw(heaps[1], "Leaky.Session");
	row = match.rows[1][type];
	assert_int_equal(s.rows[row].new_count, 5000);
	assert_int_equal(s.rows[row].gone_count, 0);
	expect_new_sessions(r, &s, target_fact(t, "sessions"), 5000);
	survival_clear(&s);
	type_match_clear(&match);
	heap_free(heaps[0]);
	heap_free(heaps[1]);
	target_free(t);
}
