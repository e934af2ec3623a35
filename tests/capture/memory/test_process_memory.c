/*
 * The memory of a child of ours, which has the same pages as we: what is read through the kernel is
 * compared with what lies here.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "capture/memory/process_memory.h"
#include "capture/process/proc.h"
#include "model/base/arena.h"
// clang-format off
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
// clang-format on
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 16 };

struct subject {
	uint8_t *pages;  /* private: the child's differ once it writes */
	uint8_t *shared; /* what the child does; [0] != 0: change all pages */
	pid_t pid;
	struct freeze freeze;
	struct memory *memory;
};

static uint8_t
pattern(size_t i)
{
	return (uint8_t)(i * 7 + i / PAGE);
}

static void
run_child(struct subject *s)
{
	volatile uint8_t *told = s->shared;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "subject");
	told[1] = 1;
	while (!told[0])
		usleep(1000);
	memset(s->pages, 0xee, PAGE);
	memset(s->pages + (size_t)6 * PAGE, 0xee, (size_t)2 * PAGE);
	told[1] = 2;
	for (;;)
		pause();
}

static uint8_t *
map_pages(size_t count, int how)
{
	uint8_t *pages =
	    mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	return pages;
}

static void
wait_for_child(const struct subject *s, uint8_t what)
{
	const volatile uint8_t *told = s->shared;

	for (int tries = 0; told[1] != what; tries++) {
		assert_in_range(tries, 0, 120000);
		usleep(1000);
	}
}

/* Of its pages, those from 4 to 6 are missing. */
static void
subject_start(struct subject *s)
{
	struct error err = { 0 };

	s->pages = map_pages(PAGES, MAP_PRIVATE);
	s->shared = map_pages(1, MAP_SHARED);
	for (size_t i = 0; i < (size_t)PAGES * PAGE; i++)
		s->pages[i] = pattern(i);
	assert_int_equal(munmap(s->pages + (size_t)4 * PAGE, 2 * PAGE), 0);
	fflush(NULL);
	s->pid = fork();
	if (!s->pid)
		run_child(s);
	wait_for_child(s, 1);
	assert_ok(freeze_start(&s->freeze, PROC_FOLDER, s->pid, NULL, &err), &err);
	s->memory = process_memory_open(PROC_FOLDER, &s->freeze, &err);
	assert_ok(s->memory, &err);
}

static void
subject_end(struct subject *s)
{
	memory_close(s->memory);
	freeze_clear(&s->freeze);
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	munmap(s->pages, (size_t)4 * PAGE);
	munmap(s->pages + (size_t)6 * PAGE, (size_t)(PAGES - 6) * PAGE);
	munmap(s->shared, PAGE);
}

static uint64_t
page_address(const struct subject *s, size_t page)
{
	return (uintptr_t)s->pages + page * PAGE;
}

/* How many bytes come, and that they are the right ones. */
struct row {
	size_t from, len; /* in bytes of the pages */
	size_t wanted;
};

static const struct row rows[] = {
	{ 0, 1, 1 },
	{ 1, PAGE, PAGE },
	{ 0, (size_t)4 * PAGE, (size_t)4 * PAGE },
	{ 3 * PAGE + 100, (size_t)2 * PAGE, PAGE - 100 },
	{ 4 * PAGE, PAGE, 0 },
	{ 5 * PAGE + 4095, 2, 0 },
	{ 6 * PAGE, (size_t)10 * PAGE, (size_t)10 * PAGE },
	{ 15 * PAGE + 4095, 1, 1 },
};

static void
check_rows(const struct subject *s)
{
	static uint8_t bytes[PAGES * PAGE];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct row *r = &rows[i];
		size_t got = memory_copy(s->memory, page_address(s, 0) + r->from, bytes, r->len);

		if (got != r->wanted)
			fail_msg("row %zu: %zu bytes, not %zu", i, got, r->wanted);
		for (size_t k = 0; k < got; k++)
			assert_int_equal(bytes[k], pattern(r->from + k));
	}
}

TEST(reads_what_is_there)
{
	static const uint64_t nowhere[] = { 0, 8, 1ULL << 47, 1ULL << 63, UINT64_MAX - 3 };
	struct subject s;
	uint8_t bytes[16];

	subject_start(&s);
	check_rows(&s);
	for (int i = 0; i < 5; i++)
		assert_int_equal(memory_copy(s.memory, nowhere[i], bytes, 16), 0);
	assert_null(memory_view(s.memory, page_address(&s, 0), 8));
	subject_end(&s);
}

TEST(knows_mappings_and_threads)
{
	const struct memory_mapping *m;
	struct subject s;

	subject_start(&s);
	m = memory_mapping_at(s.memory, page_address(&s, 2));
	if (!m) {
		fail_msg("the pages are not mapped");
		return;
	}
	assert_int_equal(m->flags, MEMORY_READ | MEMORY_WRITE);
	assert_string_equal(m->name, "");
	assert_int_equal(m->end, page_address(&s, 4));
	assert_null(memory_mapping_at(s.memory, page_address(&s, 4)));
	m = memory_mapping_at(s.memory, (uintptr_t)&rows);
	if (!m) {
		fail_msg("the program is not mapped");
		return;
	}
	assert_true(m->flags & MEMORY_FILE);
	assert_non_null(strstr(m->name, "test_process_memory"));
	for (size_t i = 1; i < s.memory->mappings_count; i++)
		assert_true(s.memory->mappings[i].start >= s.memory->mappings[i - 1].end);

	assert_int_equal(s.memory->threads_count, 1);
	assert_int_equal(s.memory->threads[0].tid, s.pid);
	assert_string_equal(s.memory->threads[0].name, "subject");
	m = memory_mapping_at(s.memory, s.memory->threads[0].sp);
	if (!m) {
		fail_msg("the stack is not mapped");
		return;
	}
	assert_string_equal(m->name, "[stack]");
	m = memory_mapping_at(s.memory, s.memory->threads[0].pc);
	assert_true(m && m->flags & MEMORY_EXECUTE);
	subject_end(&s);
}

/* The child changes all kept pages, and one that is not kept; then it ends. */
TEST(keeps_what_was)
{
	struct subject s;
	struct progress progress = { 0 };
	struct error err = { 0 };
	uint8_t byte;

	subject_start(&s);
	{
		/* Out of order, one inside another, two that touch. */
		const struct memory_stretch stretches[] = {
			{ page_address(&s, 7), page_address(&s, 12) },
			{ page_address(&s, 1) + 8, page_address(&s, 5) },
			{ page_address(&s, 6), page_address(&s, 7) },
			{ page_address(&s, 8), page_address(&s, 9) },
			{ page_address(&s, 9), page_address(&s, 9) },
		};

		assert_true(process_memory_keep(s.memory, stretches, 5, &progress, &err));
	}
	assert_int_equal(process_memory_kept_bytes(s.memory), (size_t)9 * PAGE - 8);
	assert_int_equal(progress.done, (size_t)9 * PAGE - 8);
	check_rows(&s);
	freeze_end(&s.freeze);
	s.shared[0] = 1;
	wait_for_child(&s, 2);
	assert_int_equal(memory_copy(s.memory, page_address(&s, 0), &byte, 1), 1);
	assert_int_equal(byte, 0xee);
	for (size_t i = 2; i < COUNT_OF(rows); i++) {
		const struct row *r = &rows[i];
		const uint8_t *view;

		if (r->from < PAGE || r->from + r->len > (size_t)12 * PAGE)
			continue;
		view = memory_view(s.memory, page_address(&s, 0) + r->from, r->len);
		assert_int_equal(view != NULL, r->wanted == r->len);
	}
	memset(s.shared, 0, 1);
	kill(s.pid, SIGKILL);
	waitpid(s.pid, NULL, 0);
	assert_int_equal(memory_copy(s.memory, page_address(&s, 0), &byte, 1), 0);
	assert_int_equal(memory_copy(s.memory, page_address(&s, 7), &byte, 1), 1);
	assert_int_equal(byte, pattern((size_t)7 * PAGE));
	subject_end(&s);
}

static long
resident_kb(pid_t pid)
{
	char text[4096];
	const char *at;

	proc_read(PROC_FOLDER, pid, "status", text, sizeof text);
	at = strstr(text, "\nRssAnon:");
	assert_non_null(at);
	return strtol(at + strlen("\nRssAnon:"), NULL, 10);
}

/* Some kernels allocate a page that was never written when it is read. */
TEST(leaves_untouched_pages)
{
	enum { SPARSE = 16384, TOUCHED = 5000 };
	uint8_t *sparse = map_pages(SPARSE, MAP_PRIVATE), *whole;
	struct memory_stretch all = { (uintptr_t)sparse,
				      (uintptr_t)sparse + (uint64_t)SPARSE * PAGE };
	struct progress progress = { 0 };
	struct error err = { 0 };
	struct subject s;
	long before;

	madvise(sparse, (size_t)SPARSE * PAGE, MADV_NOHUGEPAGE);
	memset(sparse + (size_t)TOUCHED * PAGE, 7, PAGE);
	subject_start(&s);
	before = resident_kb(s.pid);
	assert_ok(process_memory_keep(s.memory, &all, 1, &progress, &err), &err);
	assert_in_range(resident_kb(s.pid), 0, before + 1024);
	whole = malloc((size_t)SPARSE * PAGE);
	assert_int_equal(memory_copy(s.memory, all.start, whole, (size_t)SPARSE * PAGE),
			 (size_t)SPARSE * PAGE);
	for (size_t i = 0; i < (size_t)SPARSE * PAGE; i++)
		if (whole[i] != (i / PAGE == TOUCHED ? 7 : 0))
			fail_msg("byte %zu is %d", i, whole[i]);
	free(whole);
	subject_end(&s);
	munmap(sparse, (size_t)SPARSE * PAGE);
}

TEST(stops_when_told)
{
	struct progress progress = { .is_cancelled = true };
	struct memory_stretch all;
	struct subject s;
	struct error err = { 0 };

	subject_start(&s);
	all = (struct memory_stretch){ page_address(&s, 0), page_address(&s, 4) };
	assert_false(process_memory_keep(s.memory, &all, 1, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	subject_end(&s);
}

/* A path of 1,200 line ends: "\\012" each, in one line of what is mapped. */
TEST(knows_files_with_long_names)
{
	enum { DEPTH = 6, NAME_LEN = 200 };
	char path[64 + DEPTH * (NAME_LEN + 1)] = "/tmp/test_memory.XXXXXX";
	size_t lens[DEPTH + 1];
	const struct memory_mapping *m;
	struct subject s;
	uint8_t *bytes;
	int file;

	assert_non_null(mkdtemp(path));
	lens[0] = strlen(path);
	for (int i = 1; i <= DEPTH; i++) {
		path[lens[i - 1]] = '/';
		memset(path + lens[i - 1] + 1, '\n', NAME_LEN);
		lens[i] = lens[i - 1] + 1 + NAME_LEN;
		path[lens[i]] = '\0';
		if (i < DEPTH)
			assert_int_equal(mkdir(path, 0700), 0);
	}
	file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(file >= 0);
	assert_int_equal(ftruncate(file, PAGE), 0);
	bytes = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file, 0);
	assert_ptr_not_equal(bytes, MAP_FAILED);
	close(file);
	subject_start(&s);
	m = memory_mapping_at(s.memory, (uintptr_t)bytes);
	assert_true(m && m->start == (uintptr_t)bytes);
	assert_true(m && strlen(m->name) > 4000);
	assert_true(m && m->flags == (MEMORY_READ | MEMORY_FILE));
	assert_non_null(memory_mapping_at(s.memory, page_address(&s, 2)));
	subject_end(&s);
	munmap(bytes, PAGE);
	unlink(path);
	for (int i = DEPTH; i-- > 0;) {
		path[lens[i]] = '\0';
		rmdir(path);
	}
}
