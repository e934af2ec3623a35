#ifndef IO_BASE_OUTPUT_H
#define IO_BASE_OUTPUT_H

/*
 * A file being written, with mode 0600. It gets its final name only when all of it is on the disk,
 * so that no incomplete file has that name. If the name is a symbolic link to a file, that file is
 * replaced; a dangling link is replaced itself. "-" is standard output. The first failure is kept,
 * so that a writer checks only once, at the end.
 */
#include "model/base/error.h"
#include <stddef.h>
#include <stdio.h>

struct output;

/* Refuses an existing file unless `may_replace`. NULL sets `err`. */
struct output *output_open(const char *path, bool may_replace, struct error *err) MUST_USE;
/* A stream to `write`, which returns 0 or an errno. NULL: no memory. */
struct output *output_to(int (*write)(void *context, const void *bytes, size_t len), void *context,
			 struct error *err) MUST_USE;
/* For one thread at a time. */
void output_write(struct output *o, const void *bytes, size_t len);
/* Passes on what is buffered, for a reader who waits for it. */
void output_flush(struct output *o);
/*
 * Runs `print` with a stream that is valid only during the call. Write errors are kept like those
 * of output_write(). Not after output_to(). False: `print` failed and set `err`.
 */
bool output_fill(struct output *o, bool (*print)(void *context, FILE *to, struct error *err),
		 void *context, struct error *err) MUST_USE;
/* Returns a descriptor, to read and write the file anywhere instead of by output_write(); -1: it is
   a stream. output_len() does not count this. */
int output_fd(const struct output *o);
uint64_t output_len(const struct output *o); /* written so far */
bool output_ok(const struct output *o);
/*
 * Completes the file and gives it its name. A reader that has closed standard output is no error.
 * False sets `err` and leaves nothing. Frees `o` in any case.
 */
bool output_close(struct output *o, struct error *err) MUST_USE;
/* Discards the file. Accepts NULL. */
void output_abandon(struct output *o);

#endif
