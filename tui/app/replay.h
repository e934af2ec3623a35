#ifndef TUI_APP_REPLAY_H
#define TUI_APP_REPLAY_H

/* Decides which commands a saved session may run when it is resumed. */
#include "tui/widget/call.h"

/* Returns whether a session may run this line, and what it must wait for. */
bool replay_allows(const char *line, enum replay *wait, struct error *err);
/*
 * Returns whether a session may map a key to these commands: only to those that it may run itself,
 * except `map`. Otherwise a session from a stranger could start a program at the press of a key.
 */
bool replay_allows_key(const char *commands);
/* Returns the command if a session may run it in some view, otherwise NULL. */
const struct command *replay_command(const char *line);

#endif
