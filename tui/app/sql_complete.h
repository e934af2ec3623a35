#ifndef TUI_APP_SQL_COMPLETE_H
#define TUI_APP_SQL_COMPLETE_H

/* Completion of queries in SQL: names of queries, tables after FROM and JOIN, names of types within
   quotes, elsewhere columns, functions and keywords. */
#include "tui/session/session.h"

/* Calls `add` with the words that can follow `text`. */
void sql_complete(const struct session *s, const char *text,
		  void (*add)(void *to, const char *word), void *to);
/* The same for the name of a table alone. */
void sql_complete_tables(void (*add)(void *to, const char *word), void *to);

#endif
