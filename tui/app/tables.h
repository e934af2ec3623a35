#ifndef TUI_APP_TABLES_H
#define TUI_APP_TABLES_H

/*
 * The lists of all views and commands. Files look them up whose own views and commands are in them,
 * so they are registered at the start.
 */

/* Registers views and commands. Call it before any lookup. */
void tables_hand_in(void);

#endif
