#ifndef TUI_CLI_FILE_LOADER_H
#define TUI_CLI_FILE_LOADER_H

/* Loads heaps, collections and allocations of the files that are named on the command line. */
#include "tui/cli/options.h"
#include "tui/session/session.h"

/* Returns whether the path is standard input or a pipe. */
bool file_loader_is_pipe(const char *path);
/*
 * Makes a pipe (/dev/stdin, <(…) of a shell) the standard input, which is buffered so that it can
 * be read twice, and returns "-". Other paths are returned unchanged.
 */
const char *file_loader_path(const char *path);
/* Both arguments must live as long as the loader. */
struct loader file_loader(const char *path, const struct options *o);

#endif
