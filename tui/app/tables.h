#ifndef TUI_APP_TABLES_H
#define TUI_APP_TABLES_H

/*
 * The tables of all views and commands. They name what is below them, and what
 * is below looks into them: they are handed down at the start.
 */

/* Before anything is looked up: the views, the commands, words of filters. */
void tables_hand_in(void);

#endif
