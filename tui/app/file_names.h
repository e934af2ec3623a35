#ifndef TUI_APP_FILE_NAMES_H
#define TUI_APP_FILE_NAMES_H

/*
 * Completes a file name: call `add` with every entry of the directory part of `typed` that begins
 * with the rest. Directories get a '/' at the end; hidden files are offered only after a typed '.'.
 * Names with control characters are left out, since a terminal could interpret them.
 */
void file_names_complete(const char *typed, void (*add)(void *to, const char *word), void *to);

#endif
