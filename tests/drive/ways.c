#include "tests/drive/ways.h"
#include "capture/memory/snapshot.h"
#include "tests/drive/captures.h"
#include "tests/drive/written.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/heaps.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const way_names[WAYS] = { "memory", "memory, .gcdump", "core", "events",
				      "events, .gcdump" };

const struct heap *
heap_of_memory(int32_t pid, struct error *err)
{
	struct live_options options = { .from_memory = true };
	struct live_target target = { .pid = pid };
	struct still_cost cost;
	struct live_card card;

	if (!still_preflight(&card, &target, &options, PROC_FOLDER, err))
		return NULL;
	return still_load(&card, &options, NULL, NULL, &cost, err);
}

/* createdump lies beside the program. */
static const struct heap *
heap_of_core(int32_t pid, struct error *err)
{
	char link[64], program[400] = "", path[300], command[900];
	const struct heap *h;

	snprintf(link, sizeof link, PROC_FOLDER "/%" PRId32 "/exe", pid);
	assert_true(readlink(link, program, sizeof program - 1) > 0);
	*strrchr(program, '/') = '\0';
	snprintf(path, sizeof path, "%.250s/core.%" PRId32, targets_folder(), pid);
	snprintf(command, sizeof command, "%s/createdump -f %s -h %" PRId32 " >/dev/null 2>&1",
		 program, path, pid);
	fflush(NULL);
	if (system(command))
		fail_msg("no core could be written");
	h = heap_at(path, LOAD_ALL, err);
	unlink(path);
	return h;
}

static const struct heap *
as_gcdump(const struct heap *h)
{
	struct blob b = { 0 };
	const struct heap *read;

	written(h, gcdump_write, &b);
	heap_free(h);
	read = read_gcdump(b.data, b.len);
	blob_free(&b);
	return read;
}

const struct heap *
heap_by(enum way way, int32_t pid)
{
	struct capture_cost cost;
	struct error err = { 0 };
	const struct heap *h = way == BY_MEMORY || way == BY_MEMORY_GCDUMP
				   ? heap_of_memory(pid, &err)
			       : way == BY_CORE ? heap_of_core(pid, &err)
						: capture_pid(pid, &cost, &err);

	if (!h)
		fail_msg("%s: %s", way_names[way], err.message);
	return way == BY_MEMORY_GCDUMP || way == BY_GCDUMP ? as_gcdump(h) : h;
}

/* --- the program that was asked for last ---------------------------------- */

static struct {
	char *line; /* its name, version and arguments; NULL: none */
	struct target *target;
	const struct heap *heaps[WAYS];
} kept;

/* Returns all words, each with a line's end behind it; free() it. */
static char *
join(const char *program, const char *version, const char *const arguments[])
{
	char *line;
	size_t len;
	FILE *to = open_memstream(&line, &len);

	assert_non_null(to);
	fprintf(to, "%s\n%s\n", program, version);
	for (; *arguments; arguments++)
		fprintf(to, "%s\n", *arguments);
	fclose(to);
	return line;
}

int
heaps_forget(void **state)
{
	(void)state;
	for (int way = 0; way < WAYS; way++)
		heap_free(kept.heaps[way]);
	target_free(kept.target);
	free(kept.line);
	memset(&kept, 0, sizeof kept);
	return 0;
}

const struct heap *const *
heaps_of(const char *program, const char *version, const char *const arguments[])
{
	char *line = join(program, version, arguments);

	if (kept.line && !strcmp(kept.line, line)) {
		free(line);
		return kept.heaps;
	}
	heaps_forget(NULL);
	kept.line = line;
	kept.target = target_start_program(program, version, arguments);
	for (int way = 0; way < WAYS; way++)
		kept.heaps[way] = heap_by((enum way)way, target_pid(kept.target));
	return kept.heaps;
}
