/* Where bytes come from: files of every kind, packed files, standard input. */
#define _GNU_SOURCE /* mkfifo() */
#include "tests/made/dump_writer.h"
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "io/base/input.h"
#include "io/gcdump/gcdump.h"
#include "io/base/spool.h"
#include "tests/drive/heaps.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
file_remove(void **state)
{
	unlink(in_folder("file"));
	return folder_remove(state);
}
#define TEST_WITH_FILE(name) TEST_BETWEEN(name, folder_make, file_remove)

static void
check_refused(const char *path, const char *message, enum error_kind kind)
{
	struct input in;
	struct error err = { 0 };

	assert_false(input_open(&in, path, NULL, &err));
	assert_int_equal(err.kind, kind);
	if (!strstr(err.message, message))
		fail_msg("\"%s\" instead of \"%s\"", err.message, message);
}

TEST_WITH_FILE(test_what_is_no_file)
{
	const char *file = in_folder("file");

	check_refused(file, ": No such file or directory", ERROR_SYSTEM);
	check_refused(folder_path(), "is a directory, not a dump", ERROR_INPUT);
	check_refused("/dev/null", "is a device, not a dump", ERROR_INPUT);
	assert_int_equal(mkfifo(file, 0600), 0);
	check_refused(file, "is a pipe (read it with: heaptop - <PIPE)", ERROR_INPUT);
	unlink(file);
	file_write(file, "", 0);
	check_refused(file, "is empty", ERROR_INPUT);
	chmod(file, 0);
	if (geteuid() != 0) /* root may read everything */
		check_refused(file, "you may not read ", ERROR_SYSTEM);
}

TEST_WITH_FILE(test_small_and_large)
{
	static const size_t sizes[] = { 1, INPUT_HEAD_BYTES - 1, INPUT_HEAD_BYTES, 100000,
					5 << 20 };
	const char *file = in_folder("file");

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		uint8_t *data = malloc(sizes[i]);
		struct input in;
		struct error err;

		assert_non_null(data);
		for (size_t k = 0; k < sizes[i]; k++)
			data[k] = (uint8_t)(k * 7);
		file_write(file, data, sizes[i]);
		error_clear(&err);
		assert_true(input_begin(&in, file, NULL, &err));
		assert_int_equal(in.head_len,
				 sizes[i] < INPUT_HEAD_BYTES ? sizes[i] : INPUT_HEAD_BYTES);
		assert_memory_equal(in.head, data, in.head_len);
		/* It is open and needs no name any more. */
		assert_int_equal(unlink(file), 0);
		assert_true(input_complete(&in, NULL, &err));
		assert_int_equal(in.len, sizes[i]);
		assert_memory_equal(in.data, data, sizes[i]);
		assert_true(input_is_intact(&in, &err));
		assert_int_equal(in.file.is_mapped, sizes[i] > 4 << 20);
		input_close(&in);
		free(data);
	}
}

/* Only traces have heaps with numbers. */
TEST(test_number_of_a_walk)
{
	struct error err = { 0 };

	assert_null(heap_at("tests/data/tiny.gcdump#2", LOAD_ALL, &err));
	assert_non_null(strstr(err.message, "cannot open tests/data/tiny.gcdump#2"));
}

TEST_WITH_FILE(test_packed)
{
	struct blob packed = { 0 };
	const char *file = in_folder("file");
	const struct heap *h;
	struct error err = { 0 };
	struct input in;

	assert_true(input_begin(&in, "tests/data/leaky-8.gcdump.zst", NULL, &err));
	assert_int_equal(in.head_len, sizeof(in.head));
	assert_true(source_gcdump.accepts(in.head, in.head_len));
	input_close(&in);
	/* Half of the packed bytes: a dump that was cut, and says so. */
	assert_true(blob_read_file(&packed, "tests/data/leaky-8.gcdump.zst"));
	file_write(file, packed.data, packed.len / 2);
	h = heap_at(file, LOAD_ALL, &err);
	assert_non_null(h);
	assert_true(h->info.losses.missing_bytes > 1000);
	assert_true(h->info.warnings_count > 0);
	heap_free(h);
	blob_free(&packed);
}

/* Takes the place of standard input. */
static void
stdin_replace(int fd)
{
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	close(fd);
}

enum { BYTES = 8 << 20, LEFT = 1 << 20 };

static uint64_t
sum_of(const struct input *in)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < in->len; i += 512)
		sum += in->data[i];
	return sum;
}

static void
write_ones(const char *file)
{
	uint8_t *data = malloc(BYTES);

	assert_non_null(data);
	memset(data, 1, BYTES);
	file_write(file, data, BYTES);
	free(data);
}

/* Who wants to change a file waits until its bytes are ours. */
TEST_WITH_FILE(test_a_file_that_is_held)
{
	const char *file = in_folder("file");
	struct input in, other;
	struct error err = { 0 };
	int fd;

	write_ones(file);
	assert_true(input_open(&in, file, NULL, &err));
	assert_true(input_open(&other, file, NULL, &err));
	assert_true(in.file.is_mapped && other.file.is_mapped);
	if (!file_is_held(&in.file)) {
		input_close(&in);
		input_close(&other);
		skip(); /* not on this file system */
	}
	fd = open(file, O_WRONLY);
	assert_int_equal(pwrite(fd, "xyz", 3, 0), 3);
	assert_int_equal(ftruncate(fd, LEFT), 0);
	assert_int_equal(sum_of(&in), BYTES / 512);
	assert_int_equal(sum_of(&other), BYTES / 512);
	assert_true(input_is_intact(&in, &err));
	input_close(&in);
	input_close(&other);
	/* While it is open for writing, it is read. */
	write_ones(file);
	assert_true(input_open(&in, file, NULL, &err));
	assert_false(in.file.is_mapped);
	input_close(&in);
	close(fd);
}

/* Fails when told to, as it does where there are too many mappings. */
static volatile sig_atomic_t fails_to_protect;
int mprotect(void *at, size_t len, int protection);
int
mprotect(void *at, size_t len, int protection)
{
	if (fails_to_protect) {
		errno = ENOMEM;
		return -1;
	}
	return (int)syscall(SYS_mprotect, at, len, protection);
}

/* The copy fails: then nobody is told that the bytes stay. */
TEST_WITH_FILE(test_a_copy_that_fails)
{
	const char *file = in_folder("file");
	struct error err = { 0 };
	struct input in;
	int fd;

	write_ones(file);
	assert_true(input_open(&in, file, NULL, &err));
	if (!file_is_held(&in.file)) {
		input_close(&in);
		skip(); /* not on this file system */
	}
	fails_to_protect = true;
	fd = open(file, O_WRONLY);
	fails_to_protect = false;
	assert_int_equal(pwrite(fd, "xyz", 3, 0), 3);
	close(fd);
	assert_false(file_is_held(&in.file));
	assert_false(input_is_intact(&in, &err));
	assert_non_null(strstr(err.message, "written to"));
	input_close(&in);
}

/* Of a file with holes, so that it takes no room. */
TEST_WITH_FILE(test_too_large_to_hold)
{
	const char *file = in_folder("file");
	struct error err = { 0 };
	struct file small, large;

	if (sizeof(size_t) < 8)
		skip();
	write_ones(file);
	assert_int_equal(truncate(file, FILE_HELD_MAX_BYTES / 2 + 1), 0);
	assert_true(file_open(&small, file, FILE_ALL, NULL, &err));
	assert_true(file_open(&large, file, FILE_ALL, NULL, &err));
	assert_true(small.is_mapped && large.is_mapped);
	assert_false(file_is_held(&large)); /* both would be too much */
	file_close(&large);
	file_close(&small);
	assert_int_equal(truncate(file, FILE_HELD_MAX_BYTES + 1), 0);
	assert_true(file_open(&large, file, FILE_ALL, NULL, &err));
	assert_true(large.is_mapped);
	assert_false(file_is_held(&large));
	assert_true(file_is_intact(&large, &err));
	assert_int_equal(truncate(file, LEFT), 0);
	assert_false(file_is_intact(&large, &err));
	file_close(&large);
}

/* Within one second, too. */
TEST_WITH_FILE(test_time_of_a_change)
{
	struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	const char *path = in_folder("file");
	struct error err = { 0 };
	int before = dup(STDIN_FILENO), fd;
	struct file file;

	write_ones(path);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(futimens(fd, times), 0);
	stdin_replace(fd);
	assert_true(file_open(&file, "-", FILE_ALL, NULL, &err));
	assert_false(file_is_held(&file));
	assert_true(file_is_intact(&file, &err));
	times[1].tv_nsec = 4000000;
	assert_int_equal(futimens(STDIN_FILENO, times), 0);
	assert_false(file_is_intact(&file, &err));
	file_close(&file);
	assert_int_equal(dup2(before, STDIN_FILENO), STDIN_FILENO);
	close(before);
}

/* A file that cannot be held may shrink: bytes after its new end read as zero, and the input
   reports an error. */
TEST_WITH_FILE(test_a_file_that_shrinks)
{
	const char *file = in_folder("file");
	struct input in;
	struct error err = { 0 };
	int before = dup(STDIN_FILENO), fd;

	write_ones(file);
	fd = open(file, O_RDWR);
	assert_true(fd >= 0);
	stdin_replace(fd);
	for (int turn = 0; turn < 2; turn++) {
		assert_true(input_open(&in, "-", NULL, &err));
		assert_true(in.file.is_mapped);
		assert_false(file_is_held(&in.file));
		assert_true(input_is_intact(&in, &err));
		if (turn)
			assert_int_equal(truncate(file, LEFT), 0);
		else
			assert_int_equal(pwrite(STDIN_FILENO, "xyz", 3, 0), 3);
		if (turn)
			assert_int_equal(sum_of(&in), 'x' - 1 + LEFT / 512);
		assert_false(input_is_intact(&in, &err));
		assert_non_null(strstr(err.message, turn ? "became shorter" : "written to"));
		error_clear(&err);
		input_close(&in);
	}
	assert_int_equal(dup2(before, STDIN_FILENO), STDIN_FILENO);
	close(before);
}

/* --- standard input --- */

struct pipe_writer {
	int fd;
	const uint8_t *data;
	size_t len;
};

static void *
pipe_write(void *context)
{
	const struct pipe_writer *w = context;
	size_t done = 0;

	while (done < w->len) {
		ssize_t n = write(w->fd, w->data + done, w->len - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	close(w->fd);
	return NULL;
}

TEST(test_standard_input)
{
	struct blob packed = { 0 };
	struct pipe_writer writer;
	const struct heap *h;
	struct error err = { 0 };
	struct input in;
	pthread_t thread;
	int ends[2], before = dup(STDIN_FILENO);

	assert_true(blob_read_file(&packed, "tests/data/leaky-8.gcdump.zst"));
	assert_int_equal(pipe(ends), 0);
	writer = (struct pipe_writer){ ends[1], packed.data, packed.len };
	assert_int_equal(pthread_create(&thread, NULL, pipe_write, &writer), 0);
	stdin_replace(ends[0]);
	/* To look at it does not use it up. */
	assert_true(input_begin(&in, "-", NULL, &err));
	assert_true(source_gcdump.accepts(in.head, in.head_len));
	input_close(&in);
	h = heap_at("-", LOAD_ALL, &err);
	assert_non_null(h);
	assert_int_equal(h->nodes_count, 31873);
	heap_free(h);
	pthread_join(thread, NULL);
	stdin_replace(before);
	blob_free(&packed);
}

TEST(test_standard_input_from_a_file)
{
	struct input in;
	struct error err = { 0 };
	int before = dup(STDIN_FILENO);

	stdin_replace(open("tests/data/tiny.gcdump", O_RDONLY | O_CLOEXEC));
	assert_true(input_open(&in, "-", NULL, &err));
	assert_int_equal(in.len, 517);
	input_close(&in);
	stdin_replace(open("/dev/null", O_RDONLY | O_CLOEXEC));
	check_refused("-", "standard input is empty", ERROR_INPUT);
	stdin_replace(before);
}

/* A head is all that is taken of a pipe before somebody knows it. */
TEST(test_a_head_of_standard_input)
{
	uint8_t data[1000], rest[sizeof(data)];
	struct input in;
	struct error err;
	int ends[2], before = dup(STDIN_FILENO);

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], data, sizeof(data)), sizeof(data));
	close(ends[1]);
	stdin_replace(ends[0]);
	error_clear(&err);
	for (int i = 0; i < 2; i++) {
		assert_true(input_begin(&in, "-", NULL, &err));
		assert_int_equal(in.head_len, sizeof(in.head));
		assert_memory_equal(in.head, data, in.head_len);
		input_close(&in);
	}
	/* The rest is where it was. */
	assert_int_equal(read(STDIN_FILENO, rest, 100), 100);
	assert_memory_equal(rest, data + INPUT_HEAD_BYTES, 100);
	assert_true(input_open(&in, "-", NULL, &err));
	assert_int_equal(in.len, sizeof(data) - 100);
	input_close(&in);
	stdin_replace(before);
}

struct spool_case {
	const char *title;
	uint64_t wanted, max, file_limit;
	uint64_t len;        /* that is kept then */
	const char *message; /* NULL: it is good */
};

enum { SPOOL_BYTES = 3 << 20 };

static void
check_spool(const struct spool_case *c, int from)
{
	struct rlimit limit, before;
	struct spool s;
	struct error err = { 0 };
	bool is_good;

	assert_int_equal(lseek(from, 0, SEEK_SET), 0);
	assert_true(spool_open(&s, from, &err));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	if (c->file_limit)
		limit.rlim_cur = c->file_limit;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	is_good = spool_read(&s, c->wanted, c->max, NULL, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	if (is_good != !c->message || (c->message && !strstr(err.message, c->message)))
		fail_msg("%s: \"%s\"", c->title, err.message);
	if (s.len != c->len)
		fail_msg("%s: %d bytes kept", c->title, (int)s.len);
	spool_close(&s);
}

/* A file that is limited takes less than it is given, as a full memory does. */
TEST_WITH_FILE(test_spool)
{
	static const struct spool_case cases[] = {
		{ "all", FILE_ALL, SPOOL_BYTES, 0, SPOOL_BYTES, NULL },
		{ "some", 100, SPOOL_BYTES, 0, 100, NULL },
		{ "too long", FILE_ALL, 1 << 20, 0, (1 << 20) + (1 << 16),
		  "standard input is longer than 1 MiB" },
		{ "no room", FILE_ALL, SPOOL_BYTES, 100001, 100001,
		  "cannot keep standard input in memory" },
	};
	const char *file = in_folder("file");
	uint8_t *data = calloc(1, SPOOL_BYTES);
	int from;

	assert_non_null(data);
	file_write(file, data, SPOOL_BYTES);
	free(data);
	signal(SIGXFSZ, SIG_IGN);
	from = open(file, O_RDONLY | O_CLOEXEC);
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		check_spool(&cases[i], from);
	close(from);
	signal(SIGXFSZ, SIG_DFL);
	assert_true(spool_max_bytes() > SPOOL_BYTES);
}

/* Nobody writes to the pipe: only cancelling ends the wait. */
TEST(test_cancel_of_standard_input)
{
	struct progress progress = { 0 };
	struct input in;
	struct error err = { 0 };
	int ends[2], before = dup(STDIN_FILENO);

	assert_int_equal(pipe(ends), 0);
	stdin_replace(ends[0]);
	progress_cancel(&progress);
	assert_false(input_open(&in, "-", &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	stdin_replace(before);
	close(ends[1]);
}
