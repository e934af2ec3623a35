#ifndef TUI_APP_REPLAY_H
#define TUI_APP_REPLAY_H

/* Which commands a session that was left may run when it is brought back. */
#include "tui/widget/call.h"

/* Is this a command of sessions, and what must it wait for? False sets `err`.
 */
bool replay_allows(const char *line, enum replay *wait, struct error *err);
/*
 * May a key that a session maps run this? Only what sessions may do themselves,
 * and no mapping of keys: nobody shall press one and start a program.
 */
bool replay_allows_key(const char *commands);
/* The row of that command, in whatever view it works; NULL: of no such. */
const struct command *replay_command(const char *line);

#endif
