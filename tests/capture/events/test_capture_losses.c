/*
 * Captures from a fake runtime of which something is lost: events, the rest of
 * the stream, the process; and what is kept of its raw events.
 */
#include "tests/drive/fake_captures.h"
#include "tests/drive/run_tests.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct fake_walks walks;

TEST(tries_again_with_more_room)
{
	struct fake_script script = fake_script_of(&walks.lossy, &walks.whole);
	struct fake_server *f = fake_start(&script);
	const struct fake_log *log;
	struct capture_cost cost;
	const struct heap *h;
	struct error err;

	h = fake_capture(f, &cost, &err);
	check_fake_heap(h, &err);
	assert_true(cost.is_complete);
	assert_int_equal(cost.attempts, 2);
	assert_int_equal(cost.collections, 2);
	assert_int_equal(h->info.warnings_count, 0);
	log = fake_log(f);
	assert_int_equal(log->count, 10);
	assert_true(log->entries[6].buffer_mb > log->entries[1].buffer_mb);
	check_fake_sessions(f);
	heap_free(h);
	fake_free(f);
}

TEST(labels_what_is_missing)
{
	struct fake_script script = fake_script_of(&walks.lossy, NULL);
	struct fake_server *f = fake_start(&script);
	struct capture_cost cost;
	const struct heap *h;
	struct error err;

	h = fake_capture(f, &cost, &err);
	if (!h)
		fail_msg("%s", err.message);
	assert_true(heap_check(h, &err));
	assert_false(cost.is_complete);
	assert_int_equal(cost.attempts, 2);
	assert_int_equal(h->nodes_count, FAKE_OBJECTS);
	assert_true(h->info.warnings_count > 0);
	assert_non_null(strstr(h->info.warnings[0], "incomplete"));
	assert_true(losses_are_incomplete(&h->info.losses));
	assert_int_equal(h->info.losses.lost_refs,
			 FAKE_OBJECTS - h->refs_count);
	assert_int_equal(h->info.losses.lost_refs, FAKE_LOST);
	assert_int_equal(h->info.losses.partial_nodes, FAKE_LOST);
	check_fake_sessions(f);
	heap_free(h);
	fake_free(f);
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
		struct fake_script script =
		    fake_script_of(orders[i][0], orders[i][1]);
		struct fake_server *f = fake_start(&script);
		struct capture_cost cost;
		const struct heap *h;
		struct error err;

		h = fake_capture(f, &cost, &err);
		if (!h)
			fail_msg("%s", err.message);
		assert_int_equal(cost.attempts, 2);
		assert_int_equal(cost.keep_errnum, 0);
		assert_int_equal(h->nodes_count, FAKE_OBJECTS);
		assert_int_equal(h->info.losses.lost_refs, FAKE_LOST);
		check_fake_sessions(f);
		heap_free(h);
		fake_free(f);
	}
}

/* Cut anywhere: a heap that says that it is not whole, or a sentence. */
TEST(survives_streams_that_end_early)
{
	size_t len = walks.small.out.len;

	for (size_t at = 1; at < len; at += at < 300 ? 13 : len / 40 + 1) {
		struct fake_script script = fake_script_of(&walks.small, NULL);
		struct capture_cost cost;
		const struct heap *h;
		struct fake_server *f;
		struct error err;

		script.fault_at = at;
		f = fake_start(&script);
		h = fake_capture(f, &cost, &err);
		if (!h)
			assert_true(err.kind == ERROR_ATTACH && err.message[0]);
		else
			assert_true(heap_check(h, &err));
		if (h && !cost.is_complete)
			assert_true(h->info.warnings_count > 0);
		check_fake_sessions(f);
		heap_free(h);
		fake_free(f);
	}
}

/* The second attempt is not even granted: the first one is shown. */
TEST(falls_back_on_the_first_attempt)
{
	struct fake_script script = fake_script_of(&walks.lossy, NULL);
	struct capture_cost cost;
	struct fake_server *f;
	const struct heap *h;
	struct error err;

	script.walks_max = 1;
	f = fake_start(&script);
	h = fake_capture(f, &cost, &err);
	if (!h)
		fail_msg("%s", err.message);
	assert_int_equal(cost.attempts, 2);
	assert_false(cost.is_complete);
	assert_int_equal(cost.keep_errnum, 0); /* nothing was to be kept */
	assert_int_equal(h->nodes_count, FAKE_OBJECTS);
	check_fake_sessions(f);
	heap_free(h);
	fake_free(f);
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
		assert_null(capture_load(&target, &options, NULL, NULL, NULL,
					 &cost, &err));
		assert_int_equal(err.kind, ERROR_ATTACH);
		assert_non_null(strstr(
		    err.message, " has ended before its heap was described"));
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

static void
keep_name(char path[80])
{
	snprintf(path, 80, "%.40s/test_capture.%d.nettrace", fake_folder(),
		 getpid());
}

static const struct heap *
capture_keeping(struct fake_server *f, const char *path,
		struct capture_cost *cost, struct error *err)
{
	struct live_target target = { .pid = fake_pid(f) };
	struct capture_options options = { .keep_path = path };

	error_clear(err);
	return capture_load(&target, &options, NULL, NULL, NULL, cost, err);
}

TEST(keeps_the_raw_events)
{
	/* The first attempt is not kept. */
	struct fake_script script = fake_script_of(&walks.lossy, &walks.whole);
	struct fake_server *f = fake_start(&script);
	struct capture_cost cost;
	const struct heap *h;
	struct error err;
	struct stat st;
	char path[80];
	uint8_t *data;
	int fd;

	keep_name(path);
	h = capture_keeping(f, path, &cost, &err);
	check_fake_heap(h, &err);
	heap_free(h);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0 && !fstat(fd, &st));
	assert_int_equal(st.st_size, walks.whole.out.len);
	assert_int_equal(st.st_mode & 0777, 0600);
	data = malloc(walks.whole.out.len);
	assert_non_null(data);
	assert_int_equal(read(fd, data, walks.whole.out.len),
			 (int)walks.whole.out.len);
	assert_memory_equal(data, walks.whole.out.data, walks.whole.out.len);
	free(data);
	close(fd);
	unlink(path);
	fake_free(f);
}

TEST(goes_on_when_the_disk_is_full)
{
	struct fake_script script = fake_script_of(&walks.whole, NULL);
	struct rlimit old, small = { 1000, 1000 };
	struct fake_server *f = fake_start(&script);
	struct capture_cost cost;
	const struct heap *h;
	struct error err;
	char path[80], part[120];

	keep_name(path);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	h = capture_keeping(f, path, &cost, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	check_fake_heap(h, &err);
	assert_true(cost.keep_errnum != 0);
	assert_int_equal(access(path, F_OK), -1);
	snprintf(part, sizeof(part), "%s.%d.part", path, getpid());
	assert_int_equal(access(part, F_OK), -1);
	heap_free(h);
	fake_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tries_again_with_more_room),
		cmocka_unit_test(labels_what_is_missing),
		cmocka_unit_test(shows_the_better_attempt),
		cmocka_unit_test(survives_streams_that_end_early),
		cmocka_unit_test(falls_back_on_the_first_attempt),
		cmocka_unit_test(keeps_what_the_dead_have_sent),
		cmocka_unit_test(keeps_the_raw_events),
		cmocka_unit_test(goes_on_when_the_disk_is_full),
	};
	int failed;

	fake_walks_make(&walks);
	failed = run_tests(tests);
	fake_walks_free(&walks);
	return failed;
}
