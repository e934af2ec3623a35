#ifndef TUI_APP_IGNORE_H
#define TUI_APP_IGNORE_H

/*
 * The commands `x` and `X`: ignore what the selected row is about, and stop ignoring. The view
 * `ignored` lists what is ignored.
 */
#include "model/table/rows.h"
#include "tui/app/command.h"

enum { IGNORE_ENTRIES_MAX = 4096 }; /* by one command */

bool ignore_selected(const struct call *call, struct error *err);
/*
 * Parses the argument of `ignore`, given instead of selecting a row: "type NAME", "kind KIND",
 * "referrer ADDRESS", "reference ADDRESS ADDRESS", "root ADDRESS [KIND [NAME]]", "roots KIND NAME".
 * The heap must be loaded. `entries` has room for IGNORE_ENTRIES_MAX.
 */
bool ignore_parse(const struct session *s, const char *arg, struct ignored_entry *entries,
		  uint32_t *count, struct error *err) MUST_USE;
bool ignore_nothing(const struct call *call, struct error *err);
/* Reports the result of ignoring once it has been computed. */
void ignore_report(struct app *app, struct session *s);
/* The same, right after the command, if jobs run synchronously. */
bool ignore_report_now(struct app *app, struct session *s, struct error *err);

#endif
