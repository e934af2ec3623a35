#include "tests/judge/judge_strings.h"
#include "model/analysis/strings.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A line of theirs: what it says and where it is. */
struct theirs {
	const char *text;
	size_t len;
	uint64_t address;
};

static int
compare_theirs(const void *x, const void *y)
{
	const struct theirs *a = x, *b = y;
	int order = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);

	if (order)
		return order;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

static struct theirs *
take_theirs(const struct oracle *o, size_t count)
{
	struct theirs *all = calloc(count + 1, sizeof(*all));
	const char *at = NULL;
	struct oracle_line line;
	size_t i = 0;

	assert_non_null(all);
	while (oracle_next(o, "string", &at, &line))
		all[i++] = (struct theirs){ line.fields[2], line.lens[2], oracle_hex(&line, 0) };
	assert_int_equal(i, count);
	qsort(all, count, sizeof(*all), compare_theirs);
	return all;
}

static size_t
end_of_text(const struct theirs *all, size_t count, size_t from)
{
	size_t end = from;

	while (end < count && all[end].len == all[from].len &&
	       !memcmp(all[end].text, all[from].text, all[from].len))
		end++;
	return end;
}

/* The group of the first, which must be all of these and no more. */
static void
check_group(const struct heap *h, const struct strings *s, const uint32_t *group_of,
	    const struct theirs *equal, size_t count)
{
	uint32_t group = group_of[heap_find(h, equal[0].address)];

	for (size_t i = 0; i < count; i++) {
		node_id n = heap_find(h, equal[i].address);

		assert_true(n != NODE_NONE);
		if (group_of[n] != group)
			fail_msg("%" PRIx64 " is not what %" PRIx64 " is", equal[i].address,
				 equal[0].address);
	}
	assert_int_equal(s->groups[group].count, count);
}

void
judge_strings(const char *what, const struct oracle *o, const struct heap *h)
{
	size_t count = oracle_count(o, "string"), texts = 0;
	struct theirs *all = take_theirs(o, count);
	uint32_t *group_of = calloc(h->nodes_count + 1UL, sizeof(*group_of));
	uint64_t wasted = 0, ours = 0;
	struct error err = { 0 };
	struct strings *s = strings_find(h, NULL, false, NULL, &err);

	if (!s)
		fail_msg("%s: %s", what, err.message);
	assert_non_null(group_of);
	for (uint32_t i = 0; i < s->count; i++)
		group_of[s->nodes[i]] = s->group_of[i];
	for (size_t from = 0; from < count; texts++) {
		size_t end = end_of_text(all, count, from);

		check_group(h, s, group_of, all + from, end - from);
		wasted += (end - from - 1) * heap_size(h, heap_find(h, all[from].address));
		from = end;
	}
	for (uint32_t i = 0; i < s->groups_count; i++)
		ours += string_group_wasted(h, &s->groups[i]);
	printf("%s: %zu strings, %zu texts, %" PRIu64 " B wasted\n", what, count, texts, wasted);
	assert_int_equal(s->count, count);
	assert_int_equal(s->unread_count, 0);
	assert_int_equal(s->groups_count, texts);
	assert_int_equal(ours, wasted);
	strings_free(s);
	free(group_of);
	free(all);
}
