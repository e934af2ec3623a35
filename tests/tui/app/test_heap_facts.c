/* Losses are shown at any width, and no number is cut. */
#include "model/heap/memory.h"
#include "tests/drive/run_tests.h"
#include "tui/app/heap_facts.h"
#include <string.h>

static void
assert_facts(const struct session *s, int columns, const char *expected)
{
	struct error err = { 0 };
	struct screen *screen = screen_new(1, columns, &err);
	struct line line = { screen, 0, 0 };
	char *dump;

	assert_non_null(screen);
	heap_facts_draw(s, false, &line);
	dump = screen_dump(screen, false, &err);
	assert_non_null(dump);
	dump[strcspn(dump, "\n")] = '\0';
	assert_string_equal(dump + strspn(dump, " "), expected);
	memory_free(dump);
	screen_free(screen);
}

/* Four kinds of loss, and no roots. */
static struct heap
cut_heap(void)
{
	struct heap h = { .nodes_count = 24751, .bytes_count = 1460000 };

	h.info.losses.missing_bytes = 297608;
	h.info.losses.undefined_nodes = 7452;
	h.info.losses.made_up_addresses = 24751;
	h.info.warnings_count = 1;
	return h;
}

TEST(losses_follow_the_size_where_room_is_short)
{
	static const struct heap_memory memory;
	struct heap h = cut_heap();
	struct session s = { .heap = &h };

	assert_facts(&s, 120,
		     "24,751 objects, 1.39 MiB, 297,608 B or more missing, 7,452 undefined, 24,751 "
		     "without address, 1 warning (:summary)");
	assert_facts(&s, 80,
		     "24,751 objects, 1.39 MiB, 297,608 B or more missing, "
		     "7,452 undefined, 2 more");
	assert_facts(&s, 60, "24,751 objects, 1.39 MiB, 297,608 B or more missing, 3 more");
	assert_facts(&s, 50, "24,751 objects, 1.39 MiB, 4 losses (:summary)");
	/* Gaps of the memory are counted. */
	h.memory = &memory;
	assert_facts(&s, 40, "24,751 objects, 1.39 MiB, 4 losses");
	assert_facts(&s, 30, "4 losses, 1.39 MiB, …");
	assert_facts(&s, 20, "4 losses, …");
}

TEST(a_single_loss_keeps_its_name)
{
	struct heap h = { .nodes_count = 31867,
			  .bytes_count = 2310000,
			  .refs_count = 44174,
			  .roots_count = 411 };
	struct session s = { .heap = &h };

	h.info.losses.undefined_nodes = 32;
	assert_facts(&s, 80,
		     "31,867 objects, 2.20 MiB, 44,174 references, 411 roots, 32 undefined");
	assert_facts(&s, 54, "31,867 objects, 2.20 MiB, 411 roots, 32 undefined");
	assert_facts(&s, 40, "31,867 objects, 2.20 MiB, 32 undefined");
	h.info.losses.undefined_nodes = 1000;
	assert_facts(&s, 40, "1,000 undefined, 2.20 MiB, …");
	assert_facts(&s, 30, "1,000 undefined, 2.20 MiB, …");
	h.info.losses.undefined_nodes = 100000000;
	assert_facts(&s, 20, "1 loss, 2.20 MiB, …");
	assert_facts(&s, 14, "1 loss, …");
}

/* What is left of a heap without its size and what nothing holds? */
TEST(size_comes_before_counts)
{
	static const struct root roots[1];
	struct heap h = {
		.nodes_count = 10000002, .bytes_count = 2310000, .roots = roots, .roots_count = 1
	};
	struct reach reach = { .reachable_count = 9999866 };
	struct session s = { .heap = &h, .reach = &reach };

	h.info.losses.undefined_nodes = 10000;
	assert_facts(&s, 80,
		     "10,000,002 objects, 2.20 MiB, 1 root, 10,000 undefined, 136 without a root");
	assert_facts(&s, 50, "10,000,002 objects, 2.20 MiB, 10,000 undefined, …");
	assert_facts(&s, 44, "10,000 undefined, 2.20 MiB, 136 rootless, …");
	assert_facts(&s, 30, "10,000 undefined, 2.20 MiB, …");
}

/* A fact that changes the meaning of all numbers comes before them,
   shortened if necessary. */
TEST(what_it_is_stands_first)
{
	struct heap h = cut_heap();
	struct session s = { .heap = &h };

	h.info.is_sampled = true;
	assert_facts(&s, 80,
		     "SAMPLED, estimates: 24,751 objects, 1.39 MiB, 297,608 B or more missing, 3 "
		     "more");
	s.what_if.shown.items_count = 12;
	s.what_if.freed.bytes = 1 << 20;
	assert_facts(&s, 40, "12 IGNORED: SAMPLED: 4 losses, …");
}

/* Most dumps lack an object or two. */
TEST(few_undefined_objects_are_no_loss)
{
	struct heap h = { .nodes_count = 31867, .bytes_count = 2310000 };
	struct session s = { .heap = &h };

	h.info.losses.undefined_nodes = 1;
	assert_facts(&s, 80, "31,867 objects, 2.20 MiB");
}
