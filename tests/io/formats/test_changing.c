/*
 * Files that somebody writes to while they are read: an error, or a sound heap of what was there at
 * some moment. All of them are large enough to be mapped.
 */
#include "tests/made/graphs.h"
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "io/gcdump/gcdump.h"
#include "io/gcdump/write.h"
#include "io/gclog/gclog.h"
#include "io/gclog/write.h"
#include "io/heaptop/heaptop.h"
#include "io/events/walk.h"
#include "io/base/zstd.h"
#include "model/base/arena.h"
#include "tests/drive/heaps.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TURNS = 8, MAPPED_BYTES = 4 << 20 };

/* ---- somebody else ----------------------------------------------------------
 */

struct vandal {
	pthread_t thread;
	atomic_bool is_done;
	uint64_t random;
};

static uint64_t
next_random(struct vandal *v)
{
	v->random = v->random * UINT64_C(6364136223846793005) + 1;
	return v->random >> 33;
}

/* A byte here and there, and now and then a page. */
static void *
write_about(void *argument)
{
	static const uint8_t page[4096] = { 0x80 };
	struct vandal *v = argument;
	int fd = open(in_folder("x"), O_WRONLY);
	struct stat st = { 0 };

	if (fd < 0 || fstat(fd, &st))
		return NULL;
	while (!atomic_load(&v->is_done)) {
		uint64_t chance = next_random(v);
		uint8_t byte = (uint8_t)(chance >> 20);
		off_t at = (off_t)(next_random(v) % (uint64_t)st.st_size);

		/* Not the head, by which it is told what it is. */
		if (at < 64)
			continue;
		if (pwrite(fd, chance % 64 ? &byte : page, chance % 64 ? 1 : sizeof(page), at) < 0)
			break;
		sched_yield();
	}
	close(fd);
	return NULL;
}

/* ---- what is read -----------------------------------------------------------
 */

static void
expect_sound(unsigned turn)
{
	struct vandal v = { .random = turn };
	struct error err = { 0 };
	const struct heap *h;
	struct stat st;

	assert_int_equal(stat(in_folder("x"), &st), 0);
	assert_in_range(st.st_size, MAPPED_BYTES, UINT32_MAX);
	assert_int_equal(pthread_create(&v.thread, NULL, write_about, &v), 0);
	h = heap_at(in_folder("x"), LOAD_ALL, &err);
	atomic_store(&v.is_done, true);
	pthread_join(v.thread, NULL);
	if (!h) {
		assert_int_equal(err.kind, ERROR_INPUT);
		assert_true(strlen(err.message) > 10);
		return;
	}
	if (!heap_check(h, &err))
		fail_msg("turn %u: %s", turn, err.message);
	heap_free(h);
}

typedef bool write_heap(struct output *to, const struct heap *h, struct error *err);

static bool
write_packed(struct output *to, const struct heap *h, struct error *err)
{
	return saved_write(to, h, NULL, NULL, err);
}

static bool
write_raw(struct output *to, const struct heap *h, struct error *err)
{
	const struct saved_how raw = { .is_raw = true };

	return saved_write(to, h, &raw, NULL, err);
}

static bool
write_gclog(struct output *to, const struct heap *h, struct error *err)
{
	return gclog_write(to, h, NULL, err);
}

static bool
write_gcdump(struct output *to, const struct heap *h, struct error *err)
{
	return gcdump_write(to, h, NULL, err);
}

static void
check_format(write_heap *write, uint32_t nodes)
{
	struct graph *g = graph_mixed(9, nodes);
	const struct heap *h = graph_heap(g);
	struct error err = { 0 };

	for (unsigned turn = 0; turn < TURNS; turn++) {
		struct output *to = output_open(in_folder("x"), true, &err);

		assert_ok(to && write(to, h, &err) && output_close(to, &err), &err);
		expect_sound(turn);
	}
	assert_int_equal(unlink(in_folder("x")), 0);
	heap_free(h);
	graph_free(g);
}

TEST(test_packed)
{
	check_format(write_packed, 2000000);
}

TEST(test_raw)
{
	check_format(write_raw, 800000);
}

TEST(test_gcdump)
{
	check_format(write_gcdump, 300000);
}

TEST(test_gclog)
{
	check_format(write_gclog, 150000);
}

TEST(test_nettrace)
{
	struct error err = { 0 };
	struct input in;

	assert_ok(input_open(&in, "tests/data/leaky-10.nettrace.zst", NULL, &err), &err);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		struct output *to = output_open(in_folder("x"), true, &err);

		assert_non_null(to);
		/* What comes behind the end of a trace is nobody's. */
		output_write(to, in.data, in.len);
		for (size_t len = in.len; len < MAPPED_BYTES; len += in.len)
			output_write(to, in.data, in.len);
		assert_true(output_close(to, &err));
		expect_sound(turn);
	}
	assert_int_equal(unlink(in_folder("x")), 0);
	input_close(&in);
}

TESTS_BETWEEN(folder_make, folder_remove);
