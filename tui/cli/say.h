#ifndef TUI_CLI_SAY_H
#define TUI_CLI_SAY_H

/*
 * Messages on standard error: "heaptop: FILE: what, where, what to do". They are wrapped to the
 * terminal, without control characters, and in ASCII unless the locale uses UTF-8.
 */
#include "model/base/error.h"
#include <stddef.h>
#include <stdio.h>

/* Returns `text`, or in `out` a copy that is safe to print on a terminal. */
const char *say_clean(const char *text, char *out, size_t out_size);
/* Returns the width of the terminal `to`; INT_MAX: unknown, or not a terminal. */
int say_columns(FILE *to);
/* Prints a message; `file` may be NULL. */
void say(const char *file, const char *format, ...) PRINTF_LIKE(2, 3);
/* Prints a warning; one that begins with FILE:LINE gets no prefix. */
void say_warning(const char *file, const char *text);
/* Prints the error unless there is none or the user cancelled; returns `code`. */
int say_error(const char *file, const struct error *err, int code);

#endif
