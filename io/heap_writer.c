#include "io/heap_writer.h"
#include "io/gclog_write.h"
#include "io/saved.h"
#include <string.h>

static bool
write_gclog(struct output *to, const struct heap *h,
	    const struct saved_how *how, struct progress *progress,
	    struct error *err)
{
	if (how && how->is_raw)
		return error_set(err, ERROR_USAGE,
				 "--raw is for .heaptop files only");
	return gclog_write(to, h, progress, err);
}

static const struct heap_writer writers[] = {
	{ ".heaptop", saved_write, NULL },
	{ ".gclog", write_gclog, gclog_write_warning },
};

const struct heap_writer *
heap_writer_of(const char *path)
{
	const char *suffix = strrchr(path, '.');

	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++)
		if (suffix && !strcmp(suffix, writers[i].suffix))
			return &writers[i];
	return &writers[0];
}
