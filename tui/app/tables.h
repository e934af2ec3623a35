#ifndef TUI_APP_TABLES_H
#define TUI_APP_TABLES_H

/*
 * The tables of all views and commands. Lower folders look them up but may not name them, so they
 * are registered at the start.
 */

/* Register views, commands and filter tables. Call it before any lookup. */
void tables_hand_in(void);

#endif
