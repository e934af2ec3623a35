#include "tests/judge/judge_delegates.h"
#include "model/heap/memory.h"
#include "tests/drive/run_tests.h"
#include <string.h>

struct counts {
	unsigned compared, several, ours_unknown, theirs_unknown, differences;
};

/* Spaces apart: "Map<System.Int32, System.String>". */
static bool
is_same_name(const char *ours, const char *theirs, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (theirs[i] == ' ')
			continue;
		if (*ours++ != theirs[i])
			return false;
	}
	return !*ours;
}

/* Generic methods have their arguments behind them: "Same[[System.Int32]]". */
static size_t
len_without_arguments(const struct oracle_line *line)
{
	const char *end = memchr(line->fields[3], '[', line->lens[3]);

	return end ? (size_t)(end - line->fields[3]) : line->lens[3];
}

/* In generic types theirs begins behind a last dot: "cctor>b__1" is ours of "<.cctor>b__1". */
static bool
is_same_method(const char *ours, const struct oracle_line *line)
{
	const char *dot = strrchr(ours, '.');
	size_t len = len_without_arguments(line);

	return is_same_name(ours, line->fields[3], len) ||
	       (dot && is_same_name(dot + 1, line->fields[3], len));
}

static void
differ(struct counts *counts, const char *what, const struct content_method *ours,
       const struct oracle_line *line)
{
	counts->differences++;
	printf("%s: ours calls %s of %s, theirs %.*s\n", what, ours->name, ours->type,
	       (int)line->rest_len, line->rest);
}

static void
compare(struct counts *counts, const char *what, const struct heap *h, node_id n,
	const struct content_method *ours, const struct oracle_line *line)
{
	bool are_several = oracle_is(line, 1, "several");
	node_id target = heap_find(h, oracle_hex(line, 2));

	if (ours->entries != NODE_NONE) {
		counts->several++;
		/* It knows no lists of .NET 11; a delegate with a list has itself as its target
		 * there. */
		if (!are_several && target != n)
			differ(counts, what, ours, line);
		return;
	}
	/* It takes the record of a virtual method for a number of delegates. */
	if (are_several || oracle_is(line, 3, "?")) {
		counts->theirs_unknown++;
		return;
	}
	if (!*ours->name) {
		counts->ours_unknown++;
		return;
	}
	counts->compared++;
	/* What is static has itself there. */
	if (target == n)
		target = NODE_NONE;
	if (!is_same_method(ours->name, line) ||
	    !is_same_name(ours->type, line->fields[4], line->lens[4]) || ours->target != target)
		differ(counts, what, ours, line);
}

void
judge_delegates(const char *what, const struct oracle *o, const struct heap *h)
{
	const struct heap_memory *m = h->memory;
	struct counts counts = { 0 };
	struct oracle_line line;
	const char *at = NULL;
	struct arena a;

	arena_init(&a, 0);
	while (oracle_next(o, "delegate", &at, &line)) {
		node_id n = heap_find(h, oracle_hex(&line, 0));
		struct content_method ours;
		struct error err = { 0 };

		if (n == NODE_NONE || !m->contents->method(m->source, n, &ours, &a, &err))
			fail_msg("%s: no delegate: %.*s %s", what, (int)line.rest_len, line.rest,
				 err.message);
		compare(&counts, what, h, n, &ours, &line);
	}
	arena_clear(&a);
	printf("%s: %u delegates call what ClrMD says, %u several, %u not known to us, %u not to "
	       "ClrMD: %u differences\n",
	       what, counts.compared, counts.several, counts.ours_unknown, counts.theirs_unknown,
	       counts.differences);
	assert_true(counts.compared > 0);
	assert_in_range(counts.ours_unknown, 0, counts.compared / 20);
	assert_int_equal(counts.differences, 0);
}
