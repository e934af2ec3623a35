#ifndef TUI_BASE_QUOTING_H
#define TUI_BASE_QUOTING_H

/* Quoted words in the arguments of commands: 'my file', "a\x0ab". */
#include "model/base/error.h"
#include <stdbool.h>
#include <stddef.h>

enum { QUOTING_ARGUMENT_BYTES = 4096 }; /* with the final NUL */

/*
 * Returns the length of the quoted part that begins at text[at], quotes included. 0: none begins
 * there, or its closing quote is not among the `len` bytes.
 */
size_t quoting_len(const char *text, size_t at, size_t len);
/* Removes quotes in place: "'my file'" → "my file". */
char *quoting_strip(char *argument);
/* Quotes bytes as one ASCII argument (\xHH). False: `out` is too small. */
bool quoting_encode(const char *text, char *out, size_t out_size) MUST_USE;
/* The reverse, for text between two "; copies other text. */
bool quoting_decode(const char *argument, char *out, size_t out_size) MUST_USE;
/* Takes and unquotes the next argument. False: none, or it does not fit. */
bool quoting_argument(const char **arguments, char *out, size_t out_size) MUST_USE;
/* Expands "~/". False sets `err`: too long, or HOME is not set. */
bool quoting_path(const char *argument, char *out, size_t out_size, struct error *err) MUST_USE;

#endif
