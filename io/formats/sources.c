#include "io/formats/sources.h"
#include "io/formats/core_heap.h"
#include "io/formats/foreign.h"
#include "io/gcdump/gcdump.h"
#include "io/gclog/gclog.h"
#include "io/base/input.h"
#include "io/heaptop/heaptop.h"
#include "io/events/walk.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const struct source *const sources[] = { &source_gcdump, &source_nettrace, &source_saved,
						&source_gclog, &source_core };

static const struct source *
source_of(const struct input *in)
{
	if (foreign_name(in->head, in->head_len))
		return NULL;
	for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
		if (sources[i]->accepts(in->head, in->head_len))
			return sources[i];
	return NULL;
}

static const struct heap *
load_file(const struct load_how *how, struct error *err)
{
	const struct source *source;
	const struct heap *heap = NULL;
	struct input in;

	if (!input_begin(&in, how->path, how->progress, err))
		return NULL;
	source = source_of(&in);
	if (!source)
		foreign_refuse(in.head, in.head_len, err);
	else if (how->walk && !source->has_walks)
		error_sys(err, ENOENT, "cannot open %s#%" PRIu32, how->path, how->walk);
	else
		heap = source->load(&in, how, err);
	return input_finish(&in, heap, how->preview, err);
}

const struct heap *
sources_load(const struct load_how *how, struct error *err)
{
	struct load_how of_file = *how;
	const struct heap *heap;
	size_t file_len;
	char *file;

	of_file.walk = walk_path_number(how->path, &file_len);
	of_file.path = file = memory_new(file_len + 1, 1, err);
	if (!file)
		return NULL;
	memcpy(file, how->path, file_len);
	heap = load_file(&of_file, err);
	memory_free(file);
	return heap;
}
