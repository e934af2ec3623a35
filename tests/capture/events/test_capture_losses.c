/*
 * Captures from a fake runtime of which something is lost: events, the rest of the stream, the
 * process; and what is kept of its raw events.
 */
#include "tests/drive/fake_captures.h"
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NATIVE_TYPES = 4, NATIVE_OBJECTS = 40 };

/* A walk of a Native AOT program that describes only some of its types. */
static void
make_native(struct trace *t, uint32_t described)
{
	struct bulk_writer objects;

	trace_begin(t, TRACE_4, 8);
	trace_gc_start(t, 7, 2);
	for (uint32_t i = 0; i < described; i++)
		trace_native_type(t, FAKE_TYPE + 64 * i, 0, 0x1000 + 64 * i);
	bulk_begin(&objects, t, KIND_OBJECTS, 100);
	for (uint32_t i = 0; i < NATIVE_OBJECTS; i++)
		bulk_object(&objects, fake_address(i), 24, FAKE_TYPE + 64 * (i % NATIVE_TYPES), 0);
	bulk_end(&objects);
	trace_gc_end(t, 7, 2);
	trace_end(t);
}

TEST(tries_again_with_more_room)
{
	struct fake_script script = fake_script_of(&walks.lossy, &walks.whole);
	struct fake_run r;
	const struct fake_log *log;

	r = fake_run(&script, NULL);
	check_fake_heap(r.h, &r.err);
	assert_true(r.cost.is_complete);
	assert_int_equal(r.cost.attempts, 2);
	assert_int_equal(r.cost.collections, 2);
	assert_int_equal(r.h->info.warnings_count, 0);
	log = fake_log(r.f);
	assert_int_equal(log->count, 10);
	assert_true(log->entries[6].buffer_mb > log->entries[1].buffer_mb);
	check_fake_sessions(r.f);
	fake_run_end(&r);
}

TEST(labels_what_is_missing)
{
	struct fake_script script = fake_script_of(&walks.lossy, NULL);
	struct fake_run r;

	r = fake_run(&script, NULL);
	assert_ok(r.h, &r.err);
	assert_true(heap_check(r.h, &r.err));
	assert_false(r.cost.is_complete);
	assert_int_equal(r.cost.attempts, 2);
	assert_int_equal(r.h->nodes_count, FAKE_OBJECTS);
	assert_true(r.h->info.warnings_count > 0);
	assert_non_null(strstr(r.h->info.warnings[0], "incomplete"));
	assert_true(losses_are_incomplete(&r.h->info.losses));
	assert_int_equal(r.h->info.losses.lost_refs, FAKE_OBJECTS - r.h->refs_count);
	assert_int_equal(r.h->info.losses.lost_refs, FAKE_LOST);
	assert_int_equal(r.h->info.losses.partial_nodes, FAKE_LOST);
	check_fake_sessions(r.f);
	fake_run_end(&r);
}

/* Native AOT did not describe most types, and then did. */
TEST(tries_again_for_names)
{
	struct trace unnamed, named;
	struct fake_script script;
	struct fake_run r;

	make_native(&unnamed, 1);
	make_native(&named, NATIVE_TYPES);
	script = fake_script_of(&unnamed, &named);
	r = fake_run(&script, NULL);
	assert_ok(r.h, &r.err);
	assert_int_equal(r.cost.attempts, 2);
	assert_int_equal(r.h->info.losses.unnamed_types, 0);
	check_fake_sessions(r.f);
	fake_run_end(&r);
	/* Most were described: one walk is enough. */
	trace_free(&unnamed);
	make_native(&unnamed, NATIVE_TYPES - 1);
	script = fake_script_of(&unnamed, &named);
	r = fake_run(&script, NULL);
	assert_ok(r.h, &r.err);
	assert_int_equal(r.cost.attempts, 1);
	assert_int_equal(r.h->info.losses.unnamed_types, 1);
	fake_run_end(&r);
	trace_free(&unnamed);
	trace_free(&named);
}

/* More room did not help: the attempt that got more is the one to show. */
TEST(shows_the_better_attempt)
{
	const struct trace *const orders[][2] = {
		{ &walks.lossy, &walks.worse },
		{ &walks.worse, &walks.lossy },
		/* Objects count, whatever of references there is. */
		{ &walks.lossy, &walks.fewer },
		{ &walks.fewer, &walks.lossy },
	};

	for (int i = 0; i < 4; i++) {
		struct fake_script script = fake_script_of(orders[i][0], orders[i][1]);
		struct fake_run r;

		r = fake_run(&script, NULL);
		assert_ok(r.h, &r.err);
		assert_int_equal(r.cost.attempts, 2);
		assert_int_equal(r.cost.keep_errnum, 0);
		assert_int_equal(r.h->nodes_count, FAKE_OBJECTS);
		assert_int_equal(r.h->info.losses.lost_refs, FAKE_LOST);
		check_fake_sessions(r.f);
		fake_run_end(&r);
	}
}

/* Cut anywhere: a heap that says that it is not whole, or a sentence. */
TEST(survives_streams_that_end_early)
{
	size_t len = walks.small.out.len;

	for (size_t at = 1; at < len; at += at < 300 ? 13 : len / 40 + 1) {
		struct fake_script script = fake_script_of(&walks.small, NULL);
		struct fake_run r;

		script.fault_at = at;
		r = fake_run(&script, NULL);
		if (!r.h)
			assert_true(r.err.kind == ERROR_ATTACH && r.err.message[0]);
		else
			assert_true(heap_check(r.h, &r.err));
		if (r.h && !r.cost.is_complete)
			assert_true(r.h->info.warnings_count > 0);
		check_fake_sessions(r.f);
		fake_run_end(&r);
	}
}

/* The second attempt is not even granted: the first one is shown. */
TEST(falls_back_on_the_first_attempt)
{
	struct fake_script script = fake_script_of(&walks.lossy, NULL);
	struct fake_run r;

	script.walks_max = 1;
	r = fake_run(&script, NULL);
	assert_ok(r.h, &r.err);
	assert_int_equal(r.cost.attempts, 2);
	assert_false(r.cost.is_complete);
	assert_int_equal(r.cost.keep_errnum, 0); /* nothing was to be kept */
	assert_int_equal(r.h->nodes_count, FAKE_OBJECTS);
	check_fake_sessions(r.f);
	fake_run_end(&r);
}

/* What came is no heap, but its raw events are all that there will ever be. */
TEST(keeps_what_the_dead_have_sent)
{
	static const char *const kept[] = { NULL, "/tmp/test_capture.dead" };

	for (int i = 0; i < 2; i++) {
		struct fake_script script = fake_script_of(&walks.whole, NULL);
		struct capture_options options = { .keep_path = kept[i] };
		struct live_target target = { 0 };
		struct capture_cost cost;
		struct fake_server *f;
		struct error err = { 0 };

		script.fault = FAULT_DIE;
		script.fault_at = walks.whole.out.len * 3 / 4;
		f = fake_start(&script);
		target.pid = fake_pid(f);
		assert_null(capture_load(&target, &options, NULL, NULL, NULL, &cost, &err));
		assert_int_equal(err.kind, ERROR_ATTACH);
		assert_non_null(strstr(err.message, " has ended before its heap was described"));
		assert_null(strstr(err.message, "lost"));
		assert_int_equal(cost.attempts, 1);
		if (kept[i]) {
			assert_non_null(strstr(err.message, kept[i]));
			assert_int_equal(unlink(kept[i]), 0);
		}
		fake_free(f);
	}
}

/* ---- the raw events
 * ------------------------------------------------------------------ */

TEST_IN_FOLDER(keeps_the_raw_events)
{
	/* The first attempt is not kept. */
	struct fake_script script = fake_script_of(&walks.lossy, &walks.whole);
	struct fake_run r;
	struct stat st;
	const char *path = in_folder("kept.nettrace");
	char *data;

	r = fake_run(&script, path);
	check_fake_heap(r.h, &r.err);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, walks.whole.out.len);
	assert_int_equal(st.st_mode & 0777, 0600);
	data = file_read(path, NULL);
	assert_memory_equal(data, walks.whole.out.data, walks.whole.out.len);
	free(data);
	unlink(path);
	fake_run_end(&r);
}

TEST_IN_FOLDER(goes_on_when_the_disk_is_full)
{
	struct fake_script script = fake_script_of(&walks.whole, NULL);
	struct rlimit old, small = { 1000, 1000 };
	struct fake_run r;
	const char *path = in_folder("kept.nettrace");
	char part[120];

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	r = fake_run(&script, path);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	check_fake_heap(r.h, &r.err);
	assert_true(r.cost.keep_errnum != 0);
	assert_int_equal(access(path, F_OK), -1);
	snprintf(part, sizeof(part), "%s.%d.part", path, getpid());
	assert_int_equal(access(part, F_OK), -1);
	fake_run_end(&r);
}

TESTS_BETWEEN(fake_walks_make, fake_walks_free);
