#ifndef TUI_APP_COPY_H
#define TUI_APP_COPY_H

/*
 * `y`: what is selected goes to the terminal's clipboard, as text that can
 * stand alone in a ticket or a mail. `Y`: the rows of the screen as plain
 * lines, nothing cut, for the terminal's own means and its scrollback.
 */
#include "tui/app/command.h"
#include <stddef.h>

enum copy_what {
	COPY_ROW,
	COPY_NAME,
	COPY_ADDRESS,
	COPY_WHY,
	COPY_WAY,
	COPY_KINDS
};
/* "row": as they are typed. The last is NULL. */
extern const char *const copy_parts[COPY_KINDS + 1];
/* Of the selected row, made harmless; false: it has no such thing. */
bool copy_text(const struct view *v, enum copy_what what, char *out,
	       size_t out_size);

bool copy_selected(const struct call *call, struct error *err);
bool show_plain(const struct call *call, struct error *err);

#endif
