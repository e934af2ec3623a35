#ifndef TUI_CLI_SAVE_DATABASE_H
#define TUI_CLI_SAVE_DATABASE_H

/* Writes a heap with all that can be computed about it to a database file of SQLite: convert FILE
   OUT.sqlite, -o OUT.sqlite, --format sqlite, and :save OUT.sqlite. */
#include "io/base/output.h"
#include "tui/cli/options.h"
#include "tui/session/session.h"

#define SAVE_DATABASE_SUFFIX ".sqlite"

/* Returns whether the file's name is that of a database. */
bool save_database_is_named(const char *path);
/* Returns whether the output is to be a database. */
bool save_database_is_wanted(const struct options *o);
/* Returns whether a database can have what the options ask for. */
bool save_database_can(const struct options *o, struct error *err) MUST_USE;
/* Writes the heap with the results that the facts have; the file names those that it lacks. `name`
   is that of the heap. */
bool save_database(const struct facts *f, const char *name, struct output *to,
		   struct progress *progress, struct error *err) MUST_USE;

#endif
