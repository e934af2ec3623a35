#ifndef TUI_APP_MARKING_H
#define TUI_APP_MARKING_H

/* The commands about marks, which work in every view. */
#include "tui/app/command.h"

/* Marks what is selected, or takes the mark away, and goes to the next row. */
bool marking_toggle(const struct call *call, struct error *err);
/* With a note; by its key, asks for one. */
bool marking_note(const struct call *call, struct error *err);
/* The same of an object or type that is named. */
bool marking_named(const struct call *call, struct error *err);
/* All of them go. */
bool marking_clear(const struct call *call, struct error *err);

#endif
