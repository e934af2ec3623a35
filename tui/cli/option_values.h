#ifndef TUI_CLI_OPTION_VALUES_H
#define TUI_CLI_OPTION_VALUES_H

/* Parses the values of options; false sets `err` (ERROR_USAGE). */
#include "model/base/error.h"

/* A number of rows, for -n. */
bool option_rows(const char *text, uint64_t *out, struct error *err) MUST_USE;
/* The number of a runtime, from 1, for --runtime. */
bool option_runtime(const char *text, uint32_t *out, struct error *err) MUST_USE;
/* A time other than 0 in milliseconds. */
bool option_time(const char *option, const char *text, uint64_t *ms, struct error *err) MUST_USE;

#endif
