#include "io/formats/heap_writer.h"
#include "io/gcdump/file.h"
#include "io/gcdump/write.h"
#include "io/gclog/write.h"
#include "io/heaptop/heaptop.h"
#include <stdio.h>
#include <string.h>

static void
put_note(char note[HEAP_WRITER_NOTE_BYTES], const char *text)
{
	if (text)
		snprintf(note, HEAP_WRITER_NOTE_BYTES, "%s", text);
}

static bool
is_plain(const struct saved_how *how, struct error *err)
{
	return !how || (!how->is_raw && !how->reach) ||
	       error_set(err, ERROR_USAGE, "--%s is for .heaptop files only",
			 how->is_raw ? "raw" : "with");
}

/*
 * An unchanged .gcdump is copied, which keeps what the heap does not know of it, such as the
 * numbers of its nodes.
 */
static bool
write_gcdump(struct output *to, const struct heap *h, const struct saved_how *how,
	     char note[HEAP_WRITER_NOTE_BYTES], struct progress *progress, struct error *err)
{
	struct input in;
	struct error why;

	if (!is_plain(how, err))
		return false;
	error_clear(&why);
	if (!h->info.gcdump) {
		put_note(note, gcdump_write_warning(h));
	} else if (gcdump_file_open(&in, h, progress, &why)) {
		return gcdump_file_copy(&in, to, progress, err);
	} else if (why.kind == ERROR_CANCELLED) {
		*err = why;
		return false;
	} else {
		snprintf(note, HEAP_WRITER_NOTE_BYTES, "written anew, not copied: %.160s",
			 why.message);
	}
	return gcdump_write(to, h, progress, err);
}

static bool
write_gclog(struct output *to, const struct heap *h, const struct saved_how *how,
	    char note[HEAP_WRITER_NOTE_BYTES], struct progress *progress, struct error *err)
{
	put_note(note, gclog_write_warning(h));
	return is_plain(how, err) && gclog_write(to, h, progress, err);
}

/* The format has only the graph. */
static bool
write_saved(struct output *to, const struct heap *h, const struct saved_how *how,
	    char note[HEAP_WRITER_NOTE_BYTES], struct progress *progress, struct error *err)
{
	if (h->memory)
		put_note(note,
			 "segments, handles, threads and values from memory are not saved, only "
			 "the graph");
	else if (h->info.walks_count >= 2)
		put_note(note, "the other walks of the trace are not saved, only this graph");
	return saved_write(to, h, how, progress, err);
}

static const struct heap_writer writers[] = {
	{ ".heaptop", write_saved },
	{ ".gcdump", write_gcdump },
	{ ".gclog", write_gclog },
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
