#ifndef TUI_APP_MKRC_H
#define TUI_APP_MKRC_H

/* `:mkrc` writes what differs from the defaults, as a heaptoprc. */
#include "tui/app/settings.h"

struct app;

/*
 * Returns these commands, a line each, or ""; free with memory_free(). NULL sets `err`, also for a
 * value that a heaptoprc cannot hold.
 */
char *mkrc_text(const struct settings *s, struct error *err) MUST_USE;
/*
 * Writes these commands to a file, with the order of the open views. A path "" or "-" shows them on
 * the screen instead. False sets `err`.
 */
bool mkrc_run(struct app *app, const char *path, bool may_replace, struct error *err);

#endif
