#ifndef TUI_APP_MARKING_H
#define TUI_APP_MARKING_H

/* Commands that mark objects and types; they work in every view. */
#include "tui/app/command.h"

/* Marks the selected object or type, or unmarks it; goes to the next row. */
bool marking_toggle(const struct call *call, struct error *err);
/* Marks it with a note; if run by its key, prompt for the note. */
bool marking_note(const struct call *call, struct error *err);
/* Marks the object or type that the argument names. */
bool marking_named(const struct call *call, struct error *err);
/* Removes all marks. */
bool marking_clear(const struct call *call, struct error *err);

#endif
