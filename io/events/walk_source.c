#include "io/base/input.h"
#include "io/events/walk.h"
#include "io/events/walk_state.h"
#include "io/pe/module_files.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	EVENTS_A_LOOK = 256, /* between two checks for cancelling */
	PATH_BYTES = 4096
};

/* Reports how far the stream is; false: cancelled. */
static bool
report_progress(const struct nettrace *t, uint64_t *reported, struct progress *progress,
		struct error *err)
{
	uint64_t offset = nettrace_status(t)->offset;
	uint64_t more = offset > *reported ? offset - *reported : 0;

	*reported += more;
	return progress_add(progress, more) || error_cancelled(err);
}

/* Feeds all events to the walk. */
static bool
feed_all(struct walk *w, struct nettrace *t, struct preview *preview, struct progress *progress,
	 struct error *err)
{
	struct nettrace_event event;
	uint64_t count = 0, reported = 0, shown = 0;

	for (;;) {
		enum nettrace_item item = nettrace_next(t, &event, err);

		if (item == NETTRACE_FAILED || !walk_take(w, t, item, &event, err))
			return false;
		if (item == NETTRACE_END)
			return true;
		if (++count % EVENTS_A_LOOK)
			continue;
		if (!report_progress(t, &reported, progress, err))
			return false;
		/* 100 MB take about 0.2 s. */
		if (preview && reported - shown > 100 << 20) {
			shown = reported;
			if (!walk_publish(w, preview, err))
				return false;
		}
	}
}

/* --- lists --- */

bool
walk_list(struct walk_list *list, struct nettrace_input input, struct progress *progress,
	  struct error *err)
{
	struct walk_options options = { 0 };
	struct nettrace *t = nettrace_new(input, err);
	struct walk *w = t ? walk_new(&options, err) : NULL;
	bool is_good = false;

	*list = (struct walk_list){ 0 };
	if (w) {
		w->is_listing = true;
		w->list = list;
		is_good = feed_all(w, t, NULL, progress, err) &&
			  walk_end(w, !w->has_seen_gc && nettrace_status(t)->has_ended, err);
	}
	walk_free(w);
	nettrace_free(t);
	if (!is_good)
		walk_list_clear(list);
	return is_good;
}

void
walk_list_clear(struct walk_list *list)
{
	memory_free(list->reports);
	*list = (struct walk_list){ 0 };
}

uint32_t
walk_list_default(const struct walk_list *list)
{
	uint32_t largest = 0;

	for (uint32_t i = list->count; i-- > 0;) {
		if (walk_is_complete(&list->reports[i]))
			return i + 1;
		if (!largest ||
		    list->reports[i].objects_count > list->reports[largest - 1].objects_count)
			largest = i + 1;
	}
	return largest;
}

/* --- the source --- */

uint32_t
walk_path_number(const char *path, size_t *file_len)
{
	const char *hash = strrchr(path, '#');
	struct stat status;
	unsigned long number;

	*file_len = strlen(path);
	if (!hash || !hash[1] || hash[1 + strspn(hash + 1, "0123456789")] ||
	    stat(path, &status) == 0)
		return 0;
	number = strtoul(hash + 1, NULL, 10);
	*file_len = (size_t)(hash - path);
	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static bool
describe_walk(struct heap_walk *to, const struct walk_report *from, const char *path,
	      uint32_t number, const struct nettrace *t, struct arena *a, struct error *err)
{
	char missing[400];

	walk_missing(from, missing, sizeof(missing));
	*to = (struct heap_walk){
		.path = arena_printf(a, err, "%s#%u", path, number),
		.missing = arena_strndup(a, missing, strlen(missing), err),
		.has_gc = from->has_gc,
		.gc_number = from->gc_number,
		.gc_generation = from->gc_generation,
		.time = nettrace_time(t, from->began_at) / INT64_C(1000000000),
		.objects_count = from->objects_count,
		.bytes_count = from->object_bytes,
		.refs_count = from->refs_count + from->dependents_count,
		.roots_count = from->roots_count + from->statics_count + from->ccws_count,
		.pause_ns = from->pause_ns,
	};
	return to->path && to->missing;
}

/* Adds a list of all walks in the file to the heap; `which` from 1. */
static bool
describe_walks(struct walk *w, const struct nettrace *t, const struct walk_list *list,
	       uint32_t which, struct error *err)
{
	const char *path = w->options.path ? w->options.path : "";
	struct heap_builder *b;
	struct heap_walk *walks;
	struct heap_info *info;

	if (!w->stream || !which || which > list->count)
		return true;
	b = heap_stream_builder(w->stream);
	info = heap_builder_info(b);
	walks = arena_array(heap_builder_arena(b), struct heap_walk, list->count, err);
	if (!walks)
		return false;
	for (uint32_t i = 0; i < list->count; i++)
		if (!describe_walk(&walks[i], &list->reports[i], path, i + 1, t,
				   heap_builder_arena(b), err))
			return false;
	info->walks = walks;
	info->walks_count = list->count;
	info->walk = which - 1;
	return list->count < 2 ||
	       heap_builder_warning(
		   b, err,
		   "the trace has %u walks of the heap, this is number %u: :walks lists them; to "
		   "open another, append #1 to #%u to the file's name",
		   list->count, which, list->count);
}

static bool
warn_of_damage(struct walk *w, const struct nettrace *t, struct error *err)
{
	const struct nettrace_status *s = nettrace_status(t);

	return s->damage.kind == ERROR_NONE || !w->stream ||
	       heap_builder_warning(heap_stream_builder(w->stream), err, "%s", s->damage.message);
}

static const struct heap *
read_walk(const uint8_t *data, size_t len, const struct walk_list *list,
	  const struct walk_options *given, struct walk_report *report, struct progress *progress,
	  struct preview *preview, struct error *err)
{
	struct nettrace_memory memory;
	struct walk_options options = *given;
	struct nettrace *t = nettrace_new(nettrace_memory_input(&memory, data, len), err);
	const struct heap *heap = NULL;
	struct walk *w;
	bool is_good;

	if (!options.which)
		options.which = walk_list_default(list);
	w = t ? walk_new(&options, err) : NULL;
	if (w)
		w->recorded.is_trace = true;
	progress_begin_bytes(progress, "reading events", len);
	is_good = w && feed_all(w, t, preview, progress, err) &&
		  describe_walks(w, t, list, options.which, err) && warn_of_damage(w, t, err);
	if (is_good)
		heap = walk_finish(w, t, report, progress, err);
	else
		walk_free(w);
	nettrace_free(t);
	return heap;
}

const struct heap *
walk_read(const uint8_t *data, size_t len, const struct walk_options *options,
	  struct walk_report *report, struct progress *progress, struct preview *preview,
	  struct error *err)
{
	struct nettrace_memory memory;
	struct walk_list list;
	const struct heap *heap;

	progress_begin_bytes(progress, "looking for walks", len);
	if (!walk_list(&list, nettrace_memory_input(&memory, data, len), progress, err))
		return NULL;
	heap = read_walk(data, len, &list, options, report, progress, preview, err);
	walk_list_clear(&list);
	return heap;
}

/* A trace also needs these files, which are not part of it. */
struct beside {
	struct module_files *modules;
	const char *symbols; /* a folder, or NULL */
	struct native_types *native;
};

static const struct metadata *
find_module(void *context, const char *path)
{
	return module_files_find(((struct beside *)context)->modules, path);
}

static const struct native_types *
find_native(void *context, const char *command_line, char why[NATIVE_WHY_BYTES], struct error *err)
{
	struct beside *b = context;
	size_t len = command_line ? strcspn(command_line, " ") : 0;
	char program[PATH_BYTES];
	const struct native_search search = { .path = program, .folder = b->symbols };

	snprintf(program, sizeof(program), "%.*s", (int)len, len ? command_line : "");
	if (!b->native)
		b->native = native_types_search(&search, why, err);
	return b->native;
}

/* Types are known only after all objects are read, so how->what makes no difference. */
static const struct heap *
load(struct input *in, const struct load_how *how, struct error *err)
{
	struct beside beside = { .modules = module_files_new(NULL, NULL, err),
				 .symbols = how->symbols };
	struct walk_options options = { .which = how->walk,
					.path = how->path,
					.module = find_module,
					.native = find_native,
					.context = &beside,
					.is_elsewhere = true };
	const struct heap *heap = NULL;

	if (beside.modules && input_complete(in, how->progress, err))
		heap =
		    walk_read(in->data, in->len, &options, NULL, how->progress, how->preview, err);
	module_files_free(beside.modules);
	native_types_free(beside.native);
	return heap;
}

const struct source source_nettrace = {
	.name = "nettrace",
	.help = "event traces of .NET with a heap walk",
	.accepts = nettrace_accepts,
	.load = load,
	.has_walks = true,
};
