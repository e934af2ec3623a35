/*
 * Any bytes as what a client sends to `heaptop --mcp`, with small heaps: the server ends, every
 * line that it prints is JSON with a result or an error, and each request has one answer unless the
 * client cancels. The mutator makes requests by the schemas of the tools, so most reach a heap.
 */
#include "model/base/progress.h"
#include "tests/drive/fuzz.h"
#include "tests/drive/small_session.h"
#include "tests/made/mcp_requests.h"
#include "tui/app/settings.h"
#include "tui/cli/mcp.h"
#include "tui/cli/mcp_protocol.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INPUT_BYTES = 1 << 16, PRINTED_REQUESTS = 100000 };

/* These counts are of all inputs. They are printed at every PRINTED_REQUESTS-th request, as
   libFuzzer may end without atexit(). */
static struct {
	uint64_t requests, calls, answers, results;
} counts;

static void
print_counts(void)
{
	fprintf(stderr,
		"%" PRIu64 " requests, %" PRIu64 " of them calls; %" PRIu64 " answers, %" PRIu64
		" of them results\n",
		counts.requests, counts.calls, counts.answers, counts.results);
}

/* --- the server ----------------------------------------------------------- */

static const struct heap *
load_small(const struct loader *from, enum load_what what, struct progress *progress,
	   struct preview *preview, struct error *err)
{
	(void)from, (void)what, (void)progress, (void)preview;
	return small_heap(err);
}

/* No process is looked at, as others would change the answer. */
static struct live_process *
list_nothing(size_t *count, struct progress *progress, struct error *err)
{
	(void)progress, (void)err;
	*count = 0;
	return NULL;
}

/* Returns one open heap, the same for all inputs that do not close it. */
static struct snapshots *
heaps(void)
{
	static struct live_ops live = { .list = list_nothing };
	static struct snapshots all;
	static const struct session *first;
	struct error err = { 0 };

	progress_cancel_all(false);
	if (!all.live) {
		snapshots_init(&all, (struct waker){ 0 });
		all.live = &live;
		all.secure.by = "--mcp";
		all.file_loader.load = load_small;
	}
	while (all.count && all.sessions[all.count - 1] != first)
		snapshots_remove(&all, all.sessions[all.count - 1]);
	if (!all.count)
		first = snapshots_adopt(&all, small_session(), &err);
	return &all;
}

/* Serve a client that sends what is in the file. */
static void
serve(int in, int out)
{
	static struct settings settings;
	static struct options options = { .rows_max = UINT64_MAX };
	int standard_output = dup(STDOUT_FILENO);

	if (!options.settings) {
		settings_init(&settings);
		options.settings = &settings;
	}
	if (standard_output < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    mcp_run(heaps(), &options, "0") != 0 || dup2(standard_output, STDOUT_FILENO) < 0)
		fuzz_fail("the server failed", NULL);
	close(standard_output);
}

/* --- lines ---------------------------------------------------------------- */

/* Takes the next line, without its feed. Returns whether there is one. */
static bool
next_line(const char **at, size_t *left, const char **line, size_t *len)
{
	const char *feed = *left ? memchr(*at, '\n', *left) : NULL;

	*line = *at;
	*len = feed ? (size_t)(feed - *at) : *left;
	if (!*left)
		return false;
	*at += *len + (feed != NULL);
	*left -= *len + (feed != NULL);
	return true;
}

/* Returns how many answers are due, and whether a request is cancelled. */
static uint64_t
count_requests(const char *at, size_t left, bool *cancels)
{
	uint64_t due = 0;
	char why[256];
	const char *line;
	size_t len;

	while (next_line(&at, &left, &line, &len)) {
		json_t *m = len && line[len] == '\n' ? mcp_parse(line, len, why, sizeof why) : NULL;
		enum mcp_does does = m ? mcp_does(m) : MCP_ANSWERS;

		/* A line without a feed is none yet. */
		if (!len || line[len] != '\n')
			continue;
		if (++counts.requests % PRINTED_REQUESTS == 0)
			print_counts();
		counts.calls += does == MCP_CALLS;
		*cancels |= does == MCP_CANCELS;
		due += does == MCP_ANSWERS || does == MCP_CALLS;
		json_decref(m);
	}
	return due;
}

static void
check_answers(const char *at, size_t left, uint64_t due, bool cancels)
{
	uint64_t answers = 0;
	const char *line;
	size_t len;

	while (next_line(&at, &left, &line, &len)) {
		json_t *m = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
		bool is_result = json_object_get(m, "result") != NULL;

		if (!m || line[len] != '\n')
			fuzz_fail("an answer is no line of JSON", NULL);
		if (!json_object_get(m, "method")) {
			if (is_result == (json_object_get(m, "error") != NULL))
				fuzz_fail("neither result nor error", NULL);
			counts.results += is_result;
			answers++;
		}
		json_decref(m);
	}
	counts.answers += answers;
	if (answers > due || (answers < due && !cancels))
		fuzz_fail("requests and answers differ in number", NULL);
}

/* --- the fuzzer ----------------------------------------------------------- */

/* Returns an empty file, open for all inputs. */
static int
emptied(FILE **file)
{
	int fd;

	if (!*file)
		*file = tmpfile();
	fd = *file ? fileno(*file) : -1;
	if (fd < 0 || ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
		fuzz_fail("no temporary file", NULL);
	return fd;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *files[2];
	/* A copy, as a line is looked at up to its feed. */
	char *text = calloc(1, INPUT_BYTES + 1), *printed;
	int in = emptied(&files[0]), out = emptied(&files[1]);
	bool cancels = false;
	uint64_t due;
	size_t len;

	size = size < INPUT_BYTES ? size : INPUT_BYTES;
	if (!text || (size && write(in, data, size) != (ssize_t)size) ||
	    lseek(in, 0, SEEK_SET) != 0)
		fuzz_fail("no input", NULL);
	if (size)
		memcpy(text, data, size);
	due = count_requests(text, size, &cancels);
	serve(in, out);
	len = (size_t)lseek(out, 0, SEEK_END);
	printed = malloc(len + 1);
	if (!printed || pread(out, printed, len, 0) != (ssize_t)len)
		fuzz_fail("no output", NULL);
	printed[len] = '\0';
	check_answers(printed, len, due, cancels);
	free(printed);
	free(text);
	return 0;
}

/* --- the mutator ---------------------------------------------------------- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* Returns the line that replaces one, or NULL to delete it. */
static char *
changed(const char *line, size_t len, uint64_t *random)
{
	json_t *m = json_loadb(line, len, 0, NULL);
	char *text = NULL;

	if (!m || mcp_random(random, 3) == 0) {
		json_decref(m);
		m = mcp_made_request(random);
	} else {
		mcp_change_argument(m, random);
	}
	if (mcp_random(random, 8))
		text = json_dumps(m, JSON_COMPACT);
	json_decref(m);
	return text;
}

static void
print_requests(FILE *to, uint64_t *random)
{
	for (uint32_t i = 0; i < 8; i++) {
		json_t *m = mcp_made_request(random);

		json_dumpf(m, to, JSON_COMPACT);
		putc('\n', to);
		json_decref(m);
	}
}

/* Prints the lines, with a few of them changed and some new ones. */
static void
print_changed(FILE *to, const char *at, size_t left, uint64_t *random)
{
	const char *line;
	size_t len;

	while (next_line(&at, &left, &line, &len)) {
		char *text = NULL;

		if (mcp_random(random, 4) == 0)
			text = changed(line, len, random);
		else
			fwrite(line, 1, len, to);
		if (text)
			fputs(text, to);
		free(text);
		putc('\n', to);
	}
	if (mcp_random(random, 2))
		print_requests(to, random);
}

/* Half of the inputs have other bytes, half have other requests. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	char *text = NULL;
	size_t len = 0;
	FILE *to;

	if (mcp_random(&random, 2) == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	to = open_memstream(&text, &len);
	if (!to)
		return size;
	print_changed(to, (const char *)data, size, &random);
	if (fclose(to) == 0) {
		size = len < max_size ? len : max_size;
		memcpy(data, text, size);
	}
	free(text);
	return size;
}
