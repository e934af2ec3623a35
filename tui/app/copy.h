#ifndef TUI_APP_COPY_H
#define TUI_APP_COPY_H

/*
 * `y` copies the selected row to the terminal's clipboard, as text that makes sense by itself in a
 * ticket or a mail. `Y` prints the rows of the screen as plain, uncut lines, for selecting with the
 * terminal and for its scrollback.
 */
#include "tui/app/command.h"
#include <stddef.h>

enum copy_what { COPY_ROW, COPY_NAME, COPY_ADDRESS, COPY_WHY, COPY_WAY, COPY_KINDS };
/* Names of the parts as typed, such as "row"; ends with NULL. */
extern const char *const copy_parts[COPY_KINDS + 1];
/* Writes that part without control characters; false if the row has none. */
bool copy_text(const struct view *v, enum copy_what what, char *out, size_t out_size);

bool copy_selected(const struct call *call, struct error *err);
bool show_plain(const struct call *call, struct error *err);

#endif
