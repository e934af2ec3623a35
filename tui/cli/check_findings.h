#ifndef TUI_CLI_CHECK_FINDINGS_H
#define TUI_CLI_CHECK_FINDINGS_H

/* The rules --no-findings and --no-new-findings. */
#include "tui/cli/check.h"

/* Reports the first word of `list`, kinds of findings separated by commas, that is no kind. */
bool check_kinds(const char *list, struct error *err);
/*
 * Fails if the heap has findings of kinds that are not in `allowed` (NULL: none is) and that are
 * new: `before` has none with the same id, nor as many such objects where that was no finding yet.
 * NULL: all count as new. Requires reach and retention of both. False sets `err`.
 */
bool check_findings(const char *allowed, const struct session *s, const struct session *before,
		    struct check_result *result, struct error *err);

#endif
