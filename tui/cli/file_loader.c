#include "tui/cli/file_loader.h"
#include "io/events/allocation_events.h"
#include "io/events/gc_stats.h"
#include "io/formats/sources.h"
#include "model/base/arena.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
file_loader_is_pipe(const char *path)
{
	struct stat st;

	return !strcmp(path, "-") || (!stat(path, &st) && S_ISFIFO(st.st_mode));
}

const char *
file_loader_path(const char *path)
{
	int fd;

	if (!strcmp(path, "-") || !file_loader_is_pipe(path))
		return path;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return path;
	if (dup2(fd, STDIN_FILENO) >= 0)
		path = "-";
	if (fd != STDIN_FILENO)
		close(fd);
	return path;
}

static const struct heap *
load(const struct loader *from, enum load_what what, struct progress *progress,
     struct preview *preview, struct error *err)
{
	const struct options *o = from->context;
	const struct load_how how = {
		.path = from->path,
		.what = what,
		.is_forced = from->is_forced,
		.has_conservative_stacks = o->settings && o->settings->stack_roots,
		.symbols = o->symbols,
		.sysroot = o->sysroot,
		.runtime = o->runtime,
		.memory_bytes = memory_limit_bytes(),
		.progress = progress,
		.preview = preview,
	};

	return sources_load(&how, err);
}

static bool
collections_of_file(const struct loader *from, struct gc_sink sink, struct gc_source_facts *facts,
		    struct progress *progress, struct error *err)
{
	return gc_stats_load(from->path, sink, facts, progress, err);
}

static bool
allocations_of_file(const struct loader *from, struct allocation_sink sink,
		    struct progress *progress, struct error *err)
{
	struct allocations *a = allocations_load(from->path, NULL, progress, err);

	if (a)
		sink.publish(sink.context, a);
	return a != NULL;
}

struct loader
file_loader(const char *path, const struct options *o)
{
	return (struct loader){ .path = path,
				.is_forced = o->may_replace,
				.load = load,
				.context = (void *)(uintptr_t)o,
				.collections = collections_of_file,
				.allocations = allocations_of_file };
}
