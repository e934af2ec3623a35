#include "io/formats/heap_writer.h"
#include "io/gcdump/write.h"
#include "io/gclog/write.h"
#include "io/heaptop/heaptop.h"
#include <stdio.h>
#include <string.h>

static bool
is_plain(const struct saved_how *how, struct error *err)
{
	return !how || (!how->is_raw && !how->reach) ||
	       error_set(err, ERROR_USAGE, "--%s is for .heaptop files only",
			 how->is_raw ? "raw" : "with");
}

static bool
write_gcdump(struct output *to, const struct heap *h,
	     const struct saved_how *how, struct progress *progress,
	     struct error *err)
{
	return is_plain(how, err) && gcdump_write(to, h, progress, err);
}

static bool
write_gclog(struct output *to, const struct heap *h,
	    const struct saved_how *how, struct progress *progress,
	    struct error *err)
{
	return is_plain(how, err) && gclog_write(to, h, progress, err);
}

/* What hangs beside the graph has no place in the format. */
static const char *
warn_of_saved(const struct heap *h, char *room, size_t room_size)
{
	if (!h->memory && h->info.walks_count < 2)
		return NULL;
	snprintf(room, room_size, "%s not kept: the graph alone is",
		 h->memory ? "segments, handles, threads and values of the "
			     "memory are"
			   : "the other walks of the trace are");
	return room;
}

static const struct heap_writer writers[] = {
	{ ".heaptop", saved_write, warn_of_saved },
	{ ".gcdump", write_gcdump, gcdump_write_warning },
	{ ".gclog", write_gclog, gclog_write_warning },
};

const struct heap_writer *
heap_writer_of(const char *path, const char *format)
{
	const char *dot = strrchr(path, '.');
	const char *name = format ? format : dot ? dot + 1 : "";

	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++)
		if (!strcmp(name, writers[i].suffix + 1))
			return &writers[i];
	return &writers[0];
}

const char *
heap_writer_warning(const struct heap_writer *w, const struct heap *h,
		    char room[HEAP_WRITER_WARNING_BYTES])
{
	return w->warning ? w->warning(h, room, HEAP_WRITER_WARNING_BYTES)
			  : NULL;
}
