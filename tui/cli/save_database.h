#ifndef TUI_CLI_SAVE_DATABASE_H
#define TUI_CLI_SAVE_DATABASE_H

/* Writes a heap with all that can be computed about it to a database file of
   SQLite: convert FILE OUT.sqlite, -o OUT.sqlite, --format sqlite. */
#include "io/base/output.h"
#include "tui/cli/options.h"
#include "tui/session/session.h"

#define SAVE_DATABASE_SUFFIX ".sqlite"

/* Returns whether the output is to be a database. */
bool save_database_is_wanted(const struct options *o);
/* Returns whether a database can have what the options ask for. */
bool save_database_can(const struct options *o, struct error *err) MUST_USE;
/* Compute what memory allows, and write it. */
bool save_database(struct session *s, struct output *to,
		   struct error *err) MUST_USE;

#endif
