#ifndef TUI_BASE_TEXT_FILE_H
#define TUI_BASE_TEXT_FILE_H

/*
 * Small files of the user's as a whole: settings, themes, histories. Only
 * regular files of at most so many bytes: neither a pipe nor a device makes the
 * program wait, or grow.
 */
#include "model/base/error.h"
#include <stddef.h>

enum text_file_trust {
	TEXT_FILE_ANY,
	/* Only the user's own, or root's, that nobody else can write to. */
	TEXT_FILE_TRUSTED,
};
/*
 * The text with a NUL behind it; free with memory_free(). NULL without an
 * error: there is no such file. Messages name the path.
 */
char *text_file_read(const char *path, size_t max_bytes,
		     enum text_file_trust trust, size_t *len,
		     struct error *err) MUST_USE;
/* Makes the folders of a path that are not there, for the user alone. */
bool text_file_make_folders(const char *path, struct error *err) MUST_USE;

#endif
