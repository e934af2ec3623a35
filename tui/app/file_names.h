#ifndef TUI_APP_FILE_NAMES_H
#define TUI_APP_FILE_NAMES_H

/*
 * What Tab offers where a file is to be named: those in the folder that is
 * typed so far, folders with a '/' behind them, hidden ones only for a '.'.
 * Names that a terminal could take for more than names are left out.
 */
void file_names_complete(const char *typed,
			 void (*add)(void *to, const char *word), void *to);

#endif
