#ifndef TUI_APP_MKRC_H
#define TUI_APP_MKRC_H

/*
 * :mkrc: what differs from the defaults, as commands of a heaptoprc. Read back
 * they give the same settings and mapped keys.
 */
#include "tui/app/settings.h"

struct app;

/*
 * A line for each; "": nothing differs. Caller frees with memory_free(). NULL
 * sets `err`: also for a value that no such file can hold.
 */
char *mkrc_text(const struct settings *s, struct error *err) MUST_USE;
/*
 * Into a file, with the order of the views that are open; path "" or "-": told
 * on the screen. False sets `err`.
 */
bool mkrc_run(struct app *app, const char *path, bool may_replace,
	      struct error *err);

#endif
