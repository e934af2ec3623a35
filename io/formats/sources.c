#include "io/formats/sources.h"
#include "io/formats/core_heap.h"
#include "io/formats/foreign.h"
#include "io/gcdump/gcdump.h"
#include "io/gclog/gclog.h"
#include "io/base/input.h"
#include "io/heaptop/heaptop.h"
#include "io/events/walk.h"
#include <stdlib.h>
#include <string.h>

static const struct source *const sources[] = { &source_gcdump, &source_nettrace, &source_saved,
						&source_gclog, &source_core };

static const struct heap *
load_by(const struct source *source, const char *path, const struct sources_options *o,
	enum load_what what, struct progress *progress, struct preview *preview, struct error *err)
{
	bool is_forced = o->is_forced && source->load_forced;
	const struct clr_graph_options core = { .symbols = o->symbols,
						.what = what,
						.runtime = o->runtime,
						.is_forced = is_forced,
						.memory_bytes = o->memory_bytes,
						.progress = progress,
						.preview = preview };

	if (source == &source_core)
		return core_heap_load(path, o->sysroot, &core, err);
	if (source == &source_nettrace)
		return walk_load(path, o->symbols, progress, preview, err);
	return (is_forced ? source->load_forced : source->load)(path, what, progress, preview, err);
}

const struct heap *
sources_load(const char *path, const struct sources_options *options, enum load_what what,
	     struct progress *progress, struct preview *preview, struct error *err)
{
	uint8_t head[INPUT_HEAD_BYTES];
	size_t head_len, file_len;
	char *file;
	bool has_head;

	walk_path_number(path, &file_len);
	file = strndup(path, file_len);
	if (!file)
		return memory_refused_by_system(err, file_len), NULL;
	has_head = input_head(file, head, &head_len, progress, err);
	free(file);
	if (!has_head)
		return NULL;
	for (size_t i = 0; !foreign_name(head, head_len) && i < sizeof sources / sizeof sources[0];
	     i++)
		if (sources[i]->accepts(head, head_len))
			return load_by(sources[i], path, options, what, progress, preview, err);
	foreign_refuse(head, head_len, err);
	return NULL;
}
