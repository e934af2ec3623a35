#include "io/core_heap.h"
#include "io/core.h"

const struct heap *
core_heap_load(const char *path, const char *sysroot,
	       const struct clr_graph_options *options, struct error *err)
{
	struct memory *m = core_open(path, sysroot, options->progress, err);
	const struct heap *h;

	if (!m)
		return NULL;
	h = clr_graph_load(m, path, options, err);
	if (!core_is_intact(m, err)) {
		heap_free(h);
		h = NULL;
	}
	memory_close(m);
	return h;
}

static const struct heap *
load_core(const char *path, enum load_what what, struct progress *progress,
	  struct preview *preview, struct error *err)
{
	const struct clr_graph_options options = { .what = what,
						   .progress = progress,
						   .preview = preview };

	return core_heap_load(path, NULL, &options, err);
}

static const struct heap *
load_forced(const char *path, enum load_what what, struct progress *progress,
	    struct preview *preview, struct error *err)
{
	const struct clr_graph_options options = { .what = what,
						   .is_forced = true,
						   .progress = progress,
						   .preview = preview };

	return core_heap_load(path, NULL, &options, err);
}

const struct source source_core = {
	.name = "core",
	.help = "core of a .NET process",
	.accepts = core_accepts,
	.load = load_core,
	.load_forced = load_forced,
};
