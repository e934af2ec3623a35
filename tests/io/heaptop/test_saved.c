#define _GNU_SOURCE /* O_TMPFILE */
#include "model/heap/root_gaps.h"
#include "tests/drive/heaps.h"
#include "tests/made/graphs.h"
#include "tests/drive/files.h"
#include "tests/drive/kept.h"
#include "tests/drive/run_tests.h"
#include "tests/judge/same_heap.h"
#include "io/events/walk.h"
#include "io/formats/sources.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void
expect_same_kept(const struct heap *h, struct bytes_kept kept)
{
	struct error err = { 0 };
	const struct heap *again = kept_load(&kept, LOAD_ALL, &err);

	assert_ok(again, &err);
	assert_ok(heap_check(again, &err), &err);
	expect_same_heap(h, again, SAME_ALL);
	heap_free(again);
	free(kept.data);
}

static void
expect_identity(const struct heap *h)
{
	const struct saved_how raw = { .is_raw = true };

	expect_same_kept(h, kept_save(h));
	expect_same_kept(h, kept_save_as(h, &raw));
}

/* Who reads only the types has their generations all the same. */
static void
expect_types(const struct heap *h)
{
	struct bytes_kept kept = kept_save(h);
	struct error err = { 0 };
	const struct heap *types = kept_load(&kept, LOAD_TYPES, &err);

	assert_ok(types, &err);
	assert_false(types->has_objects);
	assert_int_equal(types->types_count, h->types_count);
	assert_non_null(h->generation_counts);
	assert_memory_equal(types->generation_counts, h->generation_counts,
			    (size_t)h->types_count * GEN_COUNT * 8);
	assert_memory_equal(types->generation_bytes, h->generation_bytes,
			    (size_t)h->types_count * GEN_COUNT * 8);
	heap_free(types);
	free(kept.data);
}

TEST(test_random_heaps)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		const struct heap *h =
		    heap_of_graph(graph_mixed(seed, (uint32_t)(seed * seed * 5)));

		expect_identity(h);
		heap_free(h);
	}
}

/* Several chunks, and frames that pack better than 1:512 and are padded. */
TEST(test_long_heaps)
{
	for (int i = 0; i < 2; i++) {
		struct graph *g = i ? graph_list(400000) : graph_hub(200000);
		const struct heap *h = graph_heap(g);

		expect_identity(h);
		heap_free(h);
		graph_free(g);
	}
}

/* What graphs do not have. */
static const struct heap *
heap_of_everything(uint32_t types_count)
{
	static const struct heap_domain domains[] = {
		{ "App.exe", "App.exe", "what is known", 0, 4711, true },
		{ "App.exe", "App.exe #2", "", 0x10100, 0, false },
	};
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	struct heap_builder *b = heap_stream_builder(s);
	struct heap_info *info = heap_builder_info(b);
	char name[32];
	bool ok = true;

	for (uint32_t t = 0; t < types_count; t++) {
		snprintf(name, sizeof(name), "Some.Type%u%s", t, t % 3 ? "" : "[]");
		ok = ok && heap_builder_type(b, name, t % 5 ? "/a/b.dll" : "", &err) == t;
	}
	heap_builder_type_multiplier(b, 0, 2.5F);
	for (uint32_t i = 0; i < types_count; i++)
		ok = ok &&
		     heap_stream_object(s, 0x10000 + i * UINT64_C(40), i,
					i % 7 ? 40 : UINT64_C(6000000000) + i, 1, &err) &&
		     heap_stream_ref(s, 0x10000, &err);
	/* A second one at an address that is taken. */
	ok = ok && heap_stream_object(s, 0x10000, 0, 48, 0, &err) &&
	     heap_stream_weak(s, 0x10000, &err) && heap_stream_weak(s, 0x10000, &err) &&
	     heap_stream_root(s, 0x10028, ROOT_STATIC, true, "Größe\x1b", "l", &err) &&
	     heap_stream_range(s, 0x10000, 0x10100, GEN_2, 1, &err) &&
	     heap_stream_range(s, 0x10100, 0x20000, GEN_LOH, -1, &err) &&
	     heap_builder_warning(b, &err, "be warned");
	assert_true(ok);
	info->format = "made up";
	info->tool = "test";
	info->machine = "box";
	info->process = "api";
	info->program = "Api";
	info->pod = "api-7f-1";
	info->container = "0123456789ab";
	info->log = "collected";
	info->source = "nowhere";
	info->pid = 4711;
	info->time = 1790000000;
	info->time_ns = 123456789;
	info->commit_bytes = 1;
	info->working_set_bytes = UINT64_MAX;
	info->is_64bit = info->is_sampled = true;
	info->count_multiplier = 1.25;
	info->size_multiplier = 0.1;
	info->losses.lost_events = 3;
	info->resident = (struct resident){
		.detail = RESIDENT_MAPPINGS,
		.bytes = 7 << 20,
		.swapped_bytes = 4096,
		.cgroup_bytes = 8 << 20,
		.cgroup_limit = UINT64_C(1) << 32,
		.parts[RESIDENT_MANAGED] = { 4 << 20, 3 },
		.parts[RESIDENT_OTHER] = { 3 << 20, 9 },
	};
	info->losses.unnamed_nodes = UINT64_MAX;
	info->losses.is_unfinished = true;
	root_gaps_add_native_aot(&info->losses);
	root_gaps_add(&info->losses, GAP_FINALIZERS, GAP_ABSENT);
	info->domains = domains;
	info->domains_count = 2;
	return heap_stream_finish(s, NULL, &err);
}

TEST(test_everything)
{
	static const uint32_t types_counts[] = { 20, 65536, 65537, 70000 };

	for (size_t i = 0; i < 4; i++) {
		const struct heap *h = heap_of_everything(types_counts[i]);

		assert_non_null(h);
		expect_identity(h);
		expect_types(h);
		heap_free(h);
	}
}

TEST(test_reference_dumps)
{
	static const char *const names[] = { "tests/data/leaky-10.gcdump",
					     "tests/data/leaky-8.gcdump.zst",
					     "tests/data/leaky-10-server.gcdump.zst",
					     "tests/data/tiny-full.gcdump",
					     "tests/data/tiny.gcdump" };
	const struct heap *h;

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		h = heap_of_file(names[i]);
		expect_identity(h);
		heap_free(h);
	}
	h = heap_of_file(LEAKY_TRACE);
	expect_identity(h);
	heap_free(h);
}

/* An empty heap, and one of types only. */
TEST(test_little)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	const struct heap *h = heap_stream_finish(s, NULL, &err);

	assert_non_null(h);
	expect_identity(h);
	heap_free(h);
	h = heap_at("tests/data/leaky-10.gcdump", LOAD_TYPES, &err);
	assert_non_null(h);
	expect_identity(h);
	heap_free(h);
}

/* ---- files ------------------------------------------------------------------
 */

TEST(test_writing_files)
{
	const char *path = in_folder("x.heaptop");
	struct error err = { 0 };
	struct output *to = output_open(path, false, &err);
	struct stat st;

	assert_non_null(to);
	output_write(to, "abc", 3);
	assert_int_equal(access(path, F_OK), -1); /* not before it is whole */
	assert_true(output_close(to, &err));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_size, 3);
	assert_null(output_open(path, false, &err));
	assert_non_null(strstr(err.message, "not overwritten without --force"));
	error_clear(&err);
	to = output_open(path, true, &err);
	assert_non_null(to);
	output_write(to, "de", 2);
	output_abandon(to);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 3);
	to = output_open(path, true, &err);
	output_write(to, "de", 2);
	assert_true(output_close(to, &err));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 2);
	assert_int_equal(unlink(path), 0);
	assert_null(output_open(in_folder("none/x"), false, &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
}

/* It came while we wrote. */
TEST(test_rival)
{
	const char *path = in_folder("x.heaptop");
	struct error err = { 0 };
	struct output *to = output_open(path, false, &err);
	int rival = open(path, O_CREAT | O_WRONLY, 0600);
	struct stat st;

	assert_non_null(to);
	assert_true(rival >= 0);
	close(rival);
	output_write(to, "abc", 3);
	assert_false(output_close(to, &err));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(unlink(path), 0);
}

/* Killed while it writes: nothing is left, not even under another name. */
TEST(test_killed)
{
	int nameless = open(folder_path(), O_TMPFILE | O_WRONLY, 0600);
	int status;
	pid_t pid;

	if (nameless < 0)
		skip(); /* the file system has no such files */
	close(nameless);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct error err = { 0 };
		struct output *to = output_open(in_folder("x.heaptop"), true, &err);
		static char much[1 << 20];

		if (to)
			output_write(to, much, sizeof(much));
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	/* Empty, or it could not be removed. */
	assert_int_equal(rmdir(folder_path()), 0);
	assert_int_equal(mkdir(folder_path(), 0700), 0);
}

TEST(test_full_disk)
{
	const struct heap *h = kept_small_heap();
	struct error err = { 0 };
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	int saved_stdout = dup(STDOUT_FILENO);
	struct output *to;

	fflush(stdout);
	if (full < 0) {
		close(saved_stdout);
		heap_free(h);
		skip();
	}
	dup2(full, STDOUT_FILENO);
	to = output_open("-", false, &err);
	assert_non_null(to);
	assert_true(saved_write(to, h, NULL, NULL, &err));
	assert_false(output_close(to, &err));
	dup2(saved_stdout, STDOUT_FILENO);
	assert_int_equal(err.kind, ERROR_SYSTEM);
	assert_non_null(strstr(err.message, "the standard output"));
	close(full);
	close(saved_stdout);
	heap_free(h);
}

/* Large enough to be mapped. */
static const struct heap *
save_raw_file(const char *path)
{
	const struct saved_how raw = { .is_raw = true };
	const struct heap *h = heap_of_graph(graph_list(1 << 20));
	struct error err = { 0 };
	struct output *to = output_open(path, true, &err);

	assert_ok(to && saved_write(to, h, &raw, NULL, &err) && output_close(to, &err), &err);
	return h;
}

/* Columns are where the file's bytes are: what is done to it must not matter.
 */
TEST(test_raw_file_changes)
{
	static const uint8_t noise[4096] = { 0xff, 0x80, 0x81 };
	const char *path = in_folder("raw.heaptop");
	const struct heap *h = save_raw_file(path), *mapped;
	struct error err = { 0 };
	struct stat st;
	int fd;

	for (int turn = 0; turn < 2; turn++) {
		/* The second time it is being written to already: it is
		   read, then. */
		fd = turn ? open(path, O_RDWR) : -1;
		mapped = heap_at(path, LOAD_ALL, &err);
		assert_ok(mapped, &err);
		assert_non_null(mapped->release);
		if (fd < 0)
			fd = open(path, O_RDWR); /* waits for the copy */
		assert_int_equal(fstat(fd, &st), 0);
		for (off_t at = 0; at < st.st_size; at += (off_t)sizeof(noise))
			assert_int_equal(pwrite(fd, noise, sizeof(noise), at), sizeof(noise));
		assert_int_equal(ftruncate(fd, 100), 0);
		close(fd);
		if (!heap_check(mapped, &err))
			fail_msg("turn %d: %s", turn, err.message);
		expect_same_heap(h, mapped, SAME_BUT_INFO);
		heap_free(mapped);
		heap_free(h);
		h = save_raw_file(path);
	}
	heap_free(h);
	assert_int_equal(unlink(path), 0);
}

/* Half of it, and the rest only when the types of the first are shown. */
struct slow_writer {
	struct bytes_kept kept;
	struct preview *preview;
	int to;
	bool has_shown;
};

static bool
is_shown(struct preview *p)
{
	bool is;

	pthread_mutex_lock(&p->lock);
	is = p->types != NULL;
	pthread_mutex_unlock(&p->lock);
	return is;
}

static void *
write_slowly(void *argument)
{
	struct slow_writer *w = argument;
	size_t half = w->kept.len / 2;

	if (write(w->to, w->kept.data, half) == (ssize_t)half) {
		for (int i = 0; i < 120000 && !is_shown(w->preview); i++)
			poll(NULL, 0, 1);
		w->has_shown = is_shown(w->preview);
		if (write(w->to, w->kept.data + half, w->kept.len - half) < 0)
			w->has_shown = false;
	}
	close(w->to);
	return NULL;
}

TEST(test_types_before_the_end)
{
	struct error err = { 0 };
	const struct heap *again, *h = heap_at("tests/data/leaky-10.gcdump", LOAD_ALL, &err);
	int pipe_fds[2], saved_stdin = dup(STDIN_FILENO);
	struct slow_writer w = { .kept = kept_save(h) };
	struct preview preview;
	pthread_t thread;

	preview_init(&preview);
	assert_int_equal(pipe(pipe_fds), 0);
	w.to = pipe_fds[1];
	w.preview = &preview;
	dup2(pipe_fds[0], STDIN_FILENO);
	close(pipe_fds[0]);
	assert_int_equal(pthread_create(&thread, NULL, write_slowly, &w), 0);
	again = sources_load(
	    &(struct load_how){ .path = "-", .what = LOAD_ALL, .preview = &preview }, &err);
	pthread_join(thread, NULL);
	dup2(saved_stdin, STDIN_FILENO);
	close(saved_stdin);
	assert_ok(again, &err);
	assert_true(w.has_shown);
	expect_same_heap(h, again, SAME_ALL);
	preview_clear(&preview);
	heap_free(again);
	heap_free(h);
	free(w.kept.data);
}

TESTS_BETWEEN(folder_make, folder_remove);
