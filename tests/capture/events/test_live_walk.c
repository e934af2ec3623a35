/*
 * What captures of real processes tell besides the heap: names of types that another tool keeps
 * from us, the memory that a heap would need, and the raw events that are kept. Where there are no
 * programs, that is said, and the tests count as passed.
 */
#define _GNU_SOURCE /* asprintf() */
#include "capture/capture.h"
#include "tests/drive/captures.h"
#include "tests/drive/files.h"
#include "capture/events/tracing.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/heaps.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct heap *
capture(const struct target *t, const struct capture_options *options, struct capture_cost *cost,
	struct error *err)
{
	struct live_target target = { .pid = target_pid(t) };

	error_clear(err);
	return capture_load(&target, options, NULL, NULL, NULL, cost, err);
}

static const struct heap *
must_capture(const struct target *t, const struct capture_options *options,
	     struct capture_cost *cost)
{
	struct error err;
	const struct heap *h = capture(t, options, cost, &err);

	assert_ok(h, &err);
	return h;
}

/* ---- another tool that listens for types ------------------------------------
 */

struct listener {
	struct process process;
	struct ipc ipc;
	struct tracing session;
};

static void
listener_begin(struct listener *l, const struct target *t)
{
	struct tracing_request types = { .command = 2,
					 .buffer_mb = 8,
					 .provider = "Microsoft-Windows-DotNETRuntime",
					 .keywords = 0x1180000,
					 .level = 4 };
	struct error err = { 0 };

	assert_true(process_look(&l->process, PROC_FOLDER, target_pid(t), &err));
	assert_true(ipc_open(&l->ipc, &l->process, PROC_FOLDER, NULL, &err));
	assert_true(tracing_start(&l->session, &l->ipc, &types, &err));
}

static void
listener_end(struct listener *l)
{
	tracing_close(&l->session);
	ipc_close(&l->ipc);
}

/*
 * While another tool listens for types, the runtime tells each type once: the second capture has
 * the names that it told to the first, if it is given them.
 */
static void
check_names(const char *version)
{
	struct target *t = target_start(version, TARGET_HERE, NULL, NULL);
	struct live_target target = { .pid = target_pid(t) };
	struct capture_options none = { 0 }, keeping = { 0 };
	struct capture_cost cost;
	struct live_card card;
	struct listener other;
	const struct heap *h;
	struct error err = { 0 };

	keeping.types = walk_types_new(&err);
	listener_begin(&other, t);
	assert_true(capture_preflight(&card, &target, &none, NULL, &err));
	assert_int_equal(card.sessions, 1);
	heap_free(must_capture(t, &keeping, &cost));
	assert_int_equal(cost.walk.untyped_types, 0);

	h = must_capture(t, &none, &cost);
	assert_true(cost.is_complete);
	assert_true(cost.walk.untyped_types * 2 > cost.walk.types_count);
	assert_int_equal(h->info.losses.unnamed_types, cost.walk.untyped_types);
	assert_int_equal(h->info.losses.unnamed_nodes, cost.walk.untyped_objects);
	assert_non_null(strstr(h->info.warnings[0], " types have no names, those of "));
	assert_non_null(strstr(h->info.warnings[0], "another tracing session"));
	printf(".NET %s: %s\n", version, h->info.warnings[0]);
	heap_free(h);

	h = must_capture(t, &keeping, &cost);
	/* Some are of types that it had no objects of before. */
	assert_true(cost.walk.untyped_types * 20 < cost.walk.types_count);
	printf(".NET %s: %" PRIu64 " of %" PRIu64 " without names then\n", version,
	       cost.walk.untyped_types, cost.walk.types_count);
	heap_free(h);
	listener_end(&other);
	walk_types_free(keeping.types);
	target_free(t);
}

TEST(names_are_kept)
{
	for (int i = 0; i < VERSIONS; i++)
		if (!is_skipped(versions[i]))
			check_names(versions[i]);
}

static uint64_t
load_unnamed(struct live_capture *c)
{
	struct error err = { 0 };
	const struct heap *h;
	uint64_t unnamed;

	h = capture_live_ops.load(c, NULL, NULL, &err);
	assert_ok(h, &err);
	unnamed = h->info.losses.unnamed_types;
	heap_free(h);
	return unnamed;
}

/* What the screen does: a later capture knows the one before. */
TEST(captures_of_a_run_share_names)
{
	const struct live_options options = { .budget_ms = UINT64_MAX };
	struct live_capture *first, *again, *stranger;
	struct live_target target;
	struct listener other;
	struct target *t;
	struct error err;

	if (is_skipped("10.0"))
		return;
	error_clear(&err);
	t = target_start("10.0", TARGET_HERE, NULL, NULL);
	target = (struct live_target){ .pid = target_pid(t) };
	listener_begin(&other, t);
	first = capture_live_ops.open(&target, &options, NULL, NULL, &err);
	assert_non_null(first);
	assert_int_equal(load_unnamed(first), 0);
	again = capture_live_ops.open(NULL, &options, first, NULL, &err);
	assert_non_null(again);
	/* Who goes first takes no names along. */
	capture_live_ops.free(first);
	assert_true(load_unnamed(again) < 20);
	stranger = capture_live_ops.open(&target, &options, NULL, NULL, &err);
	assert_non_null(stranger);
	assert_true(load_unnamed(stranger) > 100);
	capture_live_ops.free(again);
	capture_live_ops.free(stranger);
	listener_end(&other);
	target_free(t);
}

/*
 * What was said before, without touching it: not 8 times too much, as of all its memory. The
 * capture itself makes a tenth of the objects.
 */
TEST(card_is_of_the_heap)
{
	const struct live_options options = { .budget_ms = UINT64_MAX };

	for (int i = 0; i < VERSIONS; i++) {
		struct live_capture *c;
		struct live_target target;
		const struct live_card *card;
		const struct heap *h;
		struct target *t;
		struct error err;

		if (is_skipped(versions[i]))
			continue;
		error_clear(&err);
		t = target_start(versions[i], TARGET_HERE, NULL, NULL);
		target = (struct live_target){ .pid = target_pid(t) };
		c = capture_live_ops.open(&target, &options, NULL, NULL, &err);
		assert_non_null(c);
		card = capture_live_ops.card(c);
		assert_true(card->is_seen && !card->is_counted);
		h = capture_live_ops.load(c, NULL, NULL, &err);
		assert_non_null(h);
		if (card->objects < h->nodes_count * 9 / 10 || card->objects > h->nodes_count * 2 ||
		    card->heap_bytes < h->bytes_count * 9 / 10 ||
		    card->heap_bytes > h->bytes_count * 2)
			fail_msg(".NET %s: %" PRIu64 " objects in %" PRIu64
				 " bytes were expected, and there are %" PRIu32 " in %" PRIu64,
				 versions[i], card->objects, card->heap_bytes, h->nodes_count,
				 h->bytes_count);
		heap_free(h);
		capture_live_ops.free(c);
		target_free(t);
	}
}

/* ---- memory, and the events that are kept -----------------------------------
 */

static const struct heap *
load_trace(const char *path)
{
	struct error err = { 0 };
	const struct heap *h;

	h = heap_at(path, LOAD_ALL, &err);
	if (!h || !heap_check(h, &err))
		fail_msg("%s: %s", path, err.message);
	return h;
}

TEST(too_large_heaps_are_refused)
{
	struct capture_options options = { .memory_bytes = 65 << 20 };
	struct capture_cost cost;
	const struct heap *h;
	struct target *t;
	struct error err;
	char path[80];

	if (is_skipped("10.0"))
		return;
	t = target_start("10.0", TARGET_HERE, (const char *const[]){ "--list", "200000", NULL },
			 NULL);
	assert_null(capture(t, &options, &cost, &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
	assert_non_null(strstr(err.message, "keep its events with -o FILE"));
	assert_true(cost.walk.objects_count > 200000);
	assert_int_equal(cost.attempts, 1);
	options.is_elsewhere = true;
	assert_null(capture(t, &options, &cost, &err));
	assert_non_null(strstr(err.message, "-m needs less"));
	assert_null(strstr(err.message, "-o "));
	options.is_elsewhere = false;

	/* The events need no memory, and are all there. */
	snprintf(path, sizeof(path), "%s/kept.nettrace", folder_path());
	options.keep_path = path;
	assert_null(capture(t, &options, &cost, &err));
	assert_non_null(strstr(err.message, path));
	assert_int_equal(cost.keep_errnum, 0);
	h = load_trace(path);
	assert_int_equal(h->nodes_count, cost.walk.objects_count);
	assert_false(losses_any(&h->info.losses));
	heap_free(h);
	unlink(path);
	target_free(t);
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "name count", sorted, of all types that the runtime itself has. */
static char **
list_types(const struct heap *h, size_t *count)
{
	char **list = calloc(h->types_count, sizeof(*list));

	*count = 0;
	assert_non_null(list);
	for (uint32_t i = 0; i < h->types_count; i++) {
		const struct type *t = &h->types[i];

		/* Built without debugging data: nobody can tell its build. */
		if (!t->count || !strcmp(type_module_file(t), "leaky.dll"))
			continue;
		assert_true(asprintf(&list[*count], "%s %" PRIu64, t->name, t->count) > 0);
		(*count)++;
	}
	qsort(list, *count, sizeof(*list), compare_names);
	return list;
}

static void
assert_same_types(const struct heap *a, const struct heap *b)
{
	size_t a_count, b_count;
	char **as = list_types(a, &a_count), **bs = list_types(b, &b_count);

	assert_int_equal(a_count, b_count);
	assert_true(a_count > 50);
	for (size_t i = 0; i < a_count; i++) {
		assert_string_equal(as[i], bs[i]);
		free(as[i]);
		free(bs[i]);
	}
	free(as);
	free(bs);
}

static uint64_t
count_weak(const struct heap *h)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < h->weak_count; i++)
		count += h->weak[i].count;
	return count;
}

/* A capture and the events that it kept are one heap. */
TEST(kept_events_are_the_heap)
{
	for (int i = 0; i < VERSIONS; i++) {
		struct capture_options options = { 0 };
		const struct heap *live, *kept;
		struct capture_cost cost;
		struct target *t;
		char path[80];

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, NULL, NULL);
		snprintf(path, sizeof(path), "%s/kept.nettrace", folder_path());
		options.keep_path = path;
		live = must_capture(t, &options, &cost);
		kept = load_trace(path);
		assert_int_equal(live->nodes_count, kept->nodes_count);
		assert_int_equal(live->refs_count, kept->refs_count);
		assert_int_equal(live->roots_count, kept->roots_count);
		assert_int_equal(kept->info.warnings_count, 0);
		assert_same_types(live, kept);
		/* The runtime has some at any time. */
		assert_true(count_weak(live) > 10);
		assert_int_equal(count_weak(live), count_weak(kept));
		assert_true(count_weak(live) <= cost.walk.weak_count);
		printf(".NET %s: %" PRIu64 " weak handles, %" PRIu64 " to objects that are here\n",
		       versions[i], cost.walk.weak_count, count_weak(live));
		heap_free(live);
		heap_free(kept);
		unlink(path);
		target_free(t);
	}
}

TESTS_BETWEEN(folder_make, folder_remove);
