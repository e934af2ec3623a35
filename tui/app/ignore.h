#ifndef TUI_APP_IGNORE_H
#define TUI_APP_IGNORE_H

/*
 * The commands `x` and `X`: leaves out what the selected row is about, and
 * nothing any more. What is left out is listed by the view `ignored`.
 */
#include "model/table/rows.h"
#include "tui/app/command.h"

enum { IGNORE_ENTRIES_MAX = 4096 }; /* at one time */

bool ignore_selected(const struct call *call, struct error *err);
/*
 * What can be typed instead of selecting a row: "type NAME", "kind KIND",
 * "referrer ADDRESS", "reference ADDRESS ADDRESS", "root ADDRESS [KIND
 * [NAME]]", "roots KIND NAME". At most IGNORE_ENTRIES_MAX; the heap is there.
 */
bool ignore_parse(const struct session *s, const char *arg,
		  struct ignored_entry *entries, uint32_t *count,
		  struct error *err) MUST_USE;
bool ignore_nothing(const struct call *call, struct error *err);
/* Says what came of it, once it is known. */
void ignore_tell(struct app *app, struct session *s);
/* The same at once where nobody is woken, and it is known already. */
bool ignore_tell_at_once(struct app *app, struct session *s, struct error *err);

#endif
