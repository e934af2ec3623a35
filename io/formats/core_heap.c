#include "io/formats/core_heap.h"
#include "io/memory/core.h"

const struct heap *
core_heap_load(const char *path, const char *sysroot,
	       const struct clr_graph_options *options, struct error *err)
{
	struct clr_graph_options how = *options;
	struct memory *m = core_open(path, sysroot, options->progress, err);
	const struct heap *h;
	bool is_kept;

	if (!m)
		return NULL;
	m->runtime_wanted = options->runtime;
	how.kept = m; /* with LOAD_ALL */
	h = clr_graph_load(m, path, &how, err);
	is_kept = h && how.what == LOAD_ALL;
	if (!core_is_intact(m, err)) {
		heap_free(h);
		h = NULL;
	}
	if (!is_kept)
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
