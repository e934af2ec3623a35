#ifndef TUI_BASE_TEXT_FILE_H
#define TUI_BASE_TEXT_FILE_H

/*
 * Reads small files of the user as a whole: settings, themes, histories. Only regular files up to a
 * size limit, so that neither a pipe nor a device can block the program or exhaust memory.
 */
#include "model/base/error.h"
#include <stddef.h>

enum text_file_trust {
	TEXT_FILE_ANY,
	/* Owned by the user or root, and not writable by others. */
	TEXT_FILE_TRUSTED,
};
/*
 * The text, NUL-terminated; memory_free() it. NULL without an error: the file does not exist.
 * Messages name the path.
 */
char *text_file_read(const char *path, size_t max_bytes, enum text_file_trust trust, size_t *len,
		     struct error *err) MUST_USE;
/* Creates the missing folders of a path, private to the user. */
bool text_file_make_folders(const char *path, struct error *err) MUST_USE;

#endif
