#ifndef IO_BASE_OUTPUT_H
#define IO_BASE_OUTPUT_H

/*
 * A file being written: mode 0600, under a name of its own until all of it is
 * on the disk, so that nothing half-written ever has the final name. Where that
 * is a symbolic link to a file, the file is replaced; a link that leads nowhere
 * makes way itself. "-" is standard output. Keeps its first failure, like a
 * cursor: a writer is straight-line code that asks once at the end.
 */
#include "model/base/error.h"
#include <stddef.h>
#include <stdio.h>

struct output;

/* An existing file is refused unless `may_replace`. NULL sets `err`. */
struct output *output_open(const char *path, bool may_replace,
			   struct error *err) MUST_USE;
/* Not for several threads at a time. */
void output_write(struct output *o, const void *bytes, size_t len);
/*
 * What `print` writes into a stream, which is its own no longer than that. Its
 * failures are those of output_write(). False: `print` failed, which set `err`.
 */
bool output_fill(struct output *o,
		 bool (*print)(void *context, FILE *to, struct error *err),
		 void *context, struct error *err) MUST_USE;
uint64_t output_len(const struct output *o); /* written so far */
bool output_ok(const struct output *o);
/*
 * All is written: gives the file its name. That who reads standard output has
 * gone is no failure. False sets `err`, and nothing is
 * left. Frees in any case.
 */
bool output_close(struct output *o, struct error *err) MUST_USE;
/* Leaves nothing behind. NULL is allowed. */
void output_abandon(struct output *o);

#endif
