/*
 * --mem holds: whatever it is, no more is taken than that and what is kept for
 * the screen, and what is refused is said in a sentence that helps. Counted by the allocator, so
 * neither times nor pages matter.
 */
#include "io/formats/sources.h"
#include "model/base/worker.h"
#include "model/graph/reverse.h"
#include "tests/drive/heaps.h"
#include "tests/made/graphs.h"
#include "tests/drive/files.h"
#include "tests/drive/kept.h"
#include "tests/drive/shell.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/cli/batch.h"
#include "tui/session/budget.h"
#include "tui/session/job.h"
#include "tui/session/snapshots.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NODES = 300000, MIB = 1 << 20 };

static const struct heap *
mixed_heap(void)
{
	return heap_of_graph(graph_mixed(7, NODES));
}

TEST(test_counts)
{
	uint64_t before = memory_held();
	struct error err = { 0 };
	struct arena a;
	char *p;

	memory_forget_peak();
	arena_init(&a, 0);
	assert_non_null(arena_take(&a, MIB, 1, &err));
	p = memory_new(MIB, 1, &err);
	assert_in_range(memory_held() - before, 2 * MIB, 3 * MIB);
	p = memory_resize(p, 3, MIB, &err);
	assert_in_range(memory_held() - before, 4 * MIB, 5 * MIB);
	memory_free(p);
	arena_clear(&a);
	assert_int_equal(memory_held(), before);
	assert_in_range(memory_peak() - before, 4 * MIB, 8 * MIB);
}

TEST(test_limit)
{
	struct error err = { 0 };
	struct arena a;
	char *p, *small;

	arena_init(&a, 0);
	memory_limit(memory_held() + 2 * MIB);
	p = memory_new(2 * MIB + MEMORY_RESERVE_BYTES / 2, 1, &err);
	assert_non_null(p);
	assert_null(memory_new(MEMORY_RESERVE_BYTES, 1, &err));
	assert_true(err.is_limit);
	assert_non_null(strstr(err.message, "--mem"));
	error_clear(&err);
	assert_null(memory_resize(p, 3, MEMORY_RESERVE_BYTES, &err));
	assert_true(err.is_limit);
	error_clear(&err);
	assert_null(arena_take(&a, MEMORY_RESERVE_BYTES, 1, &err));
	assert_true(err.is_limit);
	error_clear(&err);
	/* Small blocks are always allocated, and a block may always shrink. */
	memory_limit(1);
	small = memory_new(MEMORY_SMALL_BYTES - 1, 1, &err);
	assert_non_null(small);
	p = memory_resize(p, MIB, 1, &err);
	assert_non_null(p);
	memory_limit(0);
	memory_free(small);
	memory_free(p);
	arena_clear(&a);
}

enum { TAKERS = 4, ROUNDS = 200, TAKEN_BYTES = 64 * MIB };
static atomic_uint takers_waiting;
static void *pieces[TAKERS];

/* All at the same moment. */
static bool
take_once(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct error refused = { 0 };

	(void)context;
	(void)part;
	atomic_fetch_add(&takers_waiting, 1);
	while (atomic_load(&takers_waiting) < TAKERS)
		sched_yield();
	pieces[thread] = memory_new(TAKEN_BYTES, 1, &refused);
	return pieces[thread] || refused.is_limit ||
	       error_set(err, refused.kind, "%s", refused.message);
}

/* There is room for one: no two are told so. */
TEST(test_limit_of_all_threads)
{
	struct error err = { 0 };

	memory_limit(memory_held() + TAKEN_BYTES);
	for (int i = 0; i < ROUNDS; i++) {
		unsigned count = 0;

		atomic_store(&takers_waiting, 0);
		memset(pieces, 0, sizeof pieces);
		assert_true(worker_run_all(TAKERS, TAKERS, take_once, NULL, &err));
		for (unsigned k = 0; k < TAKERS; k++) {
			count += pieces[k] != NULL;
			memory_free(pieces[k]);
		}
		assert_int_equal(count, 1);
	}
	memory_limit(0);
}

static void
assert_same_referrers(const struct reverse *a, const struct reverse *b)
{
	for (node_id n = 0; n < a->heap->nodes_count; n++) {
		struct referrers ra = reverse_of(a, n), rb = reverse_of(b, n);
		node_id sa, sb;

		assert_int_equal(ra.left, rb.left);
		while (referrers_next(&ra, &sa) && referrers_next(&rb, &sb))
			assert_int_equal(sa, sb);
	}
}

/* The same whatever the turns are, with less memory the more they are. */
TEST(test_turns)
{
	const struct heap *h = mixed_heap();
	struct progress progress = { 0 };
	struct error err = { 0 };
	const struct reverse *one = reverse_compute(h, &progress, &err);
	uint64_t peak, in_one = 0;

	assert_non_null(one);
	for (unsigned turns = 1; turns <= REVERSE_TURNS_MAX; turns *= 2) {
		uint64_t held = memory_held();
		const struct reverse *rev;

		memory_forget_peak();
		rev = reverse_compute_in_turns(h, turns, &progress, &err);
		assert_non_null(rev);
		peak = memory_peak() - held;
		/* The memory of each thread does not grow with the heap. */
		assert_true(peak <= reverse_bytes(h, turns) + worker_threads() * UINT64_C(2) * MIB);
		assert_true(turns != 4 || peak < in_one);
		assert_same_referrers(one, rev);
		if (turns == 1)
			in_one = peak;
		reverse_free(rev);
	}
	reverse_free(one);
	heap_free(h);
}

/* Whatever is allowed: all of it, or a sentence; and never more memory. */
TEST(test_budgets)
{
	static const unsigned needs[] = { NEED_REACH, NEED_REVERSE, NEED_REVERSE | NEED_REACH,
					  NEED_RETAINED };
	const struct heap *h = mixed_heap();
	struct error err = { 0 };
	unsigned done = 0, refused = 0;

	for (uint64_t allowed = heap_bytes(h); allowed < 8 * heap_bytes(h);
	     allowed += heap_bytes(h) / 4)
		for (size_t i = 0; i < COUNT_OF(needs); i++) {
			struct session *s = session_new_of_heap(h, (struct waker){ 0 }, &err);
			bool ok;

			s->memory_limit = allowed;
			memory_limit(allowed);
			memory_forget_peak();
			ok = session_require(s, needs[i], &err);
			assert_true(memory_peak() <= allowed + MEMORY_RESERVE_BYTES);
			memory_limit(0);
			done += ok;
			refused += !ok;
			assert_true(ok || strstr(err.message, "--mem "));
			assert_true(ok == !session_unavailable(s, needs[i]));
			error_clear(&err);
			s->heap = NULL; /* for the next one */
			session_free(s);
		}
	assert_true(done > 20 && refused > 20);
	heap_free(h);
}

/* The limit that the message suggests is enough. */
TEST(test_advice)
{
	const struct heap *h = mixed_heap();
	struct session *s = session_new_of_heap(h, (struct waker){ 0 }, &(struct error){ 0 });
	struct error err = { 0 };
	unsigned asked = 0;
	uint64_t mib;

	s->memory_limit = heap_bytes(h);
	while (!session_require(s, NEED_RETAINED, &err)) {
		const char *at = strstr(err.message, "--mem ");

		assert_non_null(at);
		mib = strtoull(at + strlen("--mem "), NULL, 10);
		assert_true(mib << 20 > s->memory_limit);
		s->memory_limit = mib << 20;
		assert_true(++asked <= 3);
		error_clear(&err);
	}
	assert_true(asked > 0);
	session_free(s);
}

/* Nothing of a file but its types. */
TEST(test_files)
{
	struct progress progress = { 0 };
	struct load_how how = { .path = "tests/data/leaky-10.gcdump", .progress = &progress };
	struct error err = { 0 };
	const struct heap *h;

	memory_limit(memory_held() + 100000);
	how.what = LOAD_ALL;
	h = sources_load(&how, &err);
	assert_null(h);
	assert_true(err.is_limit);
	assert_non_null(strstr(err.message, "the heap of "));
	assert_non_null(strstr(err.message, " may be used; --mem "));
	error_clear(&err);
	how.what = LOAD_TYPES;
	h = sources_load(&how, &err);
	memory_limit(0);
	assert_non_null(h);
	heap_free(h);
}

static void
poll_all(struct app *app)
{
	struct error err = { 0 };

	while (session_job(app->session) || view_is_busy(app_view(app))) {
		unsigned ended = session_ended(app->session);

		session_poll(app->session, ended);
		assert_true(view_update(app_view(app), &err));
	}
}

/* A job that fits alone waits for the other one, which is not stopped. */
TEST(test_one_after_another)
{
	const struct heap *h = mixed_heap();
	uint64_t of_reach = reach_bytes(h), of_reverse = reverse_bytes(h, 1);
	uint64_t both = heap_bytes(h) + of_reach + of_reverse;
	struct error err = { 0 };

	for (unsigned fits = 0; fits < 2; fits++) {
		struct session *s = session_on_threads(h);

		s->memory_limit = both - 1 + fits;
		assert_true(session_start(s, &err));
		assert_non_null(s->jobs[JOB_REACH]);
		assert_int_equal(s->jobs[JOB_REVERSE] != NULL, fits);
		assert_int_equal(s->waiting, fits ? 0 : NEED_REVERSE);
		while (session_job(s))
			session_poll(s, session_ended(s));
		assert_non_null(s->reach);
		assert_non_null(s->reverse);
		assert_int_equal(s->waiting, 0);
		s->heap = NULL; /* for the next one */
		session_free(s);
	}
	heap_free(h);
}

/* A job may take what is there and what no other takes meanwhile. */
TEST(test_room_of_a_job)
{
	struct error err = { 0 };
	const struct heap *h = mixed_heap();
	struct session *s = session_on_threads(h);
	uint64_t limit = 100 * heap_bytes(h), taken = heap_bytes(h);

	assert_int_equal(budget_check(s, JOB_RETENTION, &err), BUDGET_FITS);
	assert_int_equal(s->retention_limit, 0);
	s->memory_limit = limit;
	assert_int_equal(budget_check(s, JOB_RETENTION, &err), BUDGET_FITS);
	assert_int_equal(s->retention_limit, limit - taken);
	s->memory_limit = 0;
	assert_true(session_want(s, NEED_REACH, &err));
	s->memory_limit = limit;
	assert_int_equal(budget_check(s, JOB_RETENTION, &err), BUDGET_FITS);
	assert_int_equal(s->retention_limit, limit - taken - reach_bytes(h));
	session_free(s);
}

/* What ends for a job leaves its room to it: one like it, and what is made of what that
   replaces. */
TEST(test_room_of_what_ends)
{
	struct error err = { 0 };
	const struct heap *h = mixed_heap();
	struct session *s = session_on_threads(h);

	assert_true(session_want(s, NEED_REACH, &err));
	assert_non_null(s->jobs[JOB_REACH]);
	s->memory_limit = heap_bytes(h) + reach_bytes(h);
	assert_int_equal(budget_check(s, JOB_REVERSE, &err), BUDGET_LATER);
	assert_int_equal(budget_check(s, JOB_REACH, &err), BUDGET_FITS);
	s->memory_limit = 0;
	assert_true(session_want(s, NEED_RETAINED, &err));
	while (!s->jobs[JOB_RETENTION]) {
		assert_non_null(session_job(s));
		session_poll(s, session_ended(s));
	}
	s->memory_limit =
	    heap_bytes(h) + s->reverse->bytes + s->reach->bytes + s->roots->bytes + reach_bytes(h);
	assert_int_equal(budget_check(s, JOB_REVERSE, &err), BUDGET_LATER);
	assert_int_equal(budget_check(s, JOB_REACH, &err), BUDGET_FITS);
	session_free(s);
}

/* Views say why they have no rows; columns of it are not there. */
TEST(test_screen)
{
	static const char *const without[] = { "findings", "path 7fe019dbb5c0",
					       "tree 7fe019dbb5c0" };
	const struct heap *h = leaky_heap();
	struct app *app = app_on_threads(h);
	struct session *s = app->session;
	struct error err = { 0 };
	struct screen *screen = screen_for_test(24, 100, false);

	s->memory_limit = heap_bytes(h) + 100000;
	assert_true(session_start(s, &err));
	poll_all(app);
	assert_null(s->reach);
	for (size_t i = 0; i < COUNT_OF(without); i++) {
		assert_false(app_command(app, without[i], &err));
		assert_int_equal(err.kind, ERROR_SYSTEM);
		assert_non_null(strstr(err.message, ":set mem="));
		error_clear(&err);
	}
	assert_true(app_command(app, "objects Leaky.Session", &err));
	poll_all(app);
	expect_steps(app, screen, "j", "objects-refused");
	assert_true(app_command(app, "set mem=1G", &err));
	poll_all(app);
	assert_non_null(s->reach);
	assert_true(app_command(app, "findings", &err));
	app_end(app);
}

static bool
refuse_job(void *context, struct progress *progress, struct error *err)
{
	void *p = memory_new(1, 2 * MEMORY_RESERVE_BYTES, err);

	(void)context;
	(void)progress;
	memory_free(p);
	return p != NULL;
}

static bool
refuse_part(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct error ignored = { 0 };

	(void)part;
	(void)thread;
	(void)err;
	(void)refuse_job(context, NULL, &ignored);
	return true;
}

/* An error that nobody looks at is known all the same, of threads too. */
TEST(test_refused)
{
	struct memory_refused before = memory_refused();
	struct waker waker = { 0 };
	struct error err = { 0 };
	struct job *j;

	memory_limit(memory_held() + MIB);
	assert_true(worker_run_all(4, 9, refuse_part, NULL, &err));
	assert_int_equal(memory_refused().count, before.count + 9);
	assert_false(memory_was_enough(before, &err));
	assert_true(err.is_limit);
	assert_true(err.needed_bytes > memory_limit_bytes());
	/* A job that has told so leaves nothing for the next. */
	before = memory_refused();
	error_clear(&err);
	j = job_start("refusing", refuse_job, NULL, waker, &err);
	assert_false(job_finish(j, &err));
	assert_true(err.is_limit);
	memory_limit(0);
	error_clear(&err);
	assert_true(memory_was_enough(before, &err));
}

/* Rows that came from a worker, and have no room in the view: told, too. */
TEST(test_rows_refused)
{
	static const struct {
		const char *view, *more;
	} of[] = {
		{ "tree", "more-rows 1 2000" },
		{ "paths", "more-rows 0 2000" },
	};
	struct graph *g = graph_hub(4 * NODES);
	const struct heap *h;
	struct bytes_kept kept;
	const char *path = in_folder("hub");

	for (node_id n = 0; n < 4000; n++)
		graph_root(g, n, ROOT_STACK, "Main");
	h = graph_heap(g);
	kept = kept_save(h);
	file_write(path, kept.data, kept.len);
	for (size_t i = 0; i < COUNT_OF(of); i++) {
		char text[256];
		int status = shell_prints(
		    text, sizeof text,
		    "%s -b types -x '%s %llx; set mem=1M; %s' %s >/dev/null 2>&1", program_path(),
		    of[i].view, (unsigned long long)heap_address(h, 2 * NODES), of[i].more, path);

		assert_int_equal(status, EXIT_FAILED);
	}
	unlink(path);
	heap_free(h);
	free(kept.data);
}

/* A sound file that needs more than is allowed is not called damaged. */
TEST(test_saved)
{
	struct graph *g = graph_mixed(7, NODES);
	struct bytes_kept kept;
	const struct heap *h;
	struct error err;
	unsigned refused = 0;

	for (node_id n = 0; n < 2 * NODES; n++)
		graph_root(g, n / 2, ROOT_STACK, "Main");
	h = graph_heap(g);
	kept = kept_save(h);
	heap_free(h);
	graph_free(g);
	for (uint64_t more = 2 * MIB;; more += 2 * MIB) {
		memory_limit(memory_held() + more);
		h = kept_load(&kept, LOAD_ALL, &err);
		memory_limit(0);
		if (h)
			break;
		assert_true(err.is_limit);
		refused++;
	}
	assert_true(refused > 3);
	heap_free(h);
	free(kept.data);
}

/* Every view tells that there are no objects, and what brings them. */
TEST(test_types_only)
{
	const struct heap *h = leaky_heap();
	struct app *app = app_on_threads(h);
	struct session *s = app->session;
	struct screen *screen = screen_for_test(24, 100, false);

	s->has_only_types = true;
	s->has = NEED_TYPES;
	s->objects_need_bytes = UINT64_C(93) << 20;
	strcpy(s->refused[JOB_LOAD], "no room");
	expect_steps(app, screen, "j", "types-only");
	app_end(app);
}

TESTS_BETWEEN(folder_make, folder_remove);
