#ifndef TUI_APP_ARGUMENTS_H
#define TUI_APP_ARGUMENTS_H

/*
 * What may stand behind a command: how the usage calls each kind of argument,
 * and the words that the prompt offers for it. A new kind is a row of the table
 * in arguments.c.
 */
#include "tui/widget/call.h"

/* "ADDRESS|TYPE", "[REGEX]": what its arguments are; "" for none. */
enum { USAGE_BYTES = 64 };
const char *arguments_usage(const struct command *c, char out[USAGE_BYTES]);

/* Calls `add` with the words of a prompt of the app; see prompt_begin(). */
void arguments_complete(void *app, const char *line, size_t cursor,
			void (*add)(void *to, const char *word), void *to);

#endif
