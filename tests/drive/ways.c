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
