#ifndef TUI_CLI_SAY_H
#define TUI_CLI_SAY_H

/* Sentences on standard error: "heaptop: FILE: what, where, what to do". */
#include "model/base/error.h"
#include <stddef.h>
#include <stdio.h>

/* As the terminal can show it, and harmless. Returns out or text. */
const char *say_clean(const char *text, char *out, size_t out_size);
/* Of the terminal that `to` is; INT_MAX: it is none, or does not tell. */
int say_columns(FILE *to);
/* `file` may be NULL; names of files come from anywhere. */
void say(const char *file, const char *format, ...) PRINTF_LIKE(2, 3);
/* What begins with FILE:LINE already is said as it is. */
void say_warning(const char *file, const char *text);
/* Says what went wrong, if something did; returns `code`. */
int tell(const char *file, const struct error *err, int code);

#endif
