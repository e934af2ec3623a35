#ifndef TUI_APP_ARGUMENTS_H
#define TUI_APP_ARGUMENTS_H

/*
 * Arguments of commands: how the usage names each kind, and what the prompt offers for it. To add a
 * kind, add a row to the table in arguments.c.
 */
#include "tui/widget/call.h"

/* Write the usage: "ADDRESS|TYPE", "[REGEX]", or "" for no arguments. */
enum { USAGE_BYTES = 64 };
const char *arguments_usage(const struct command *c, char out[USAGE_BYTES]);

/* Completes a line of the app's prompt; the callback of prompt_begin(). */
void arguments_complete(void *app, const char *line, size_t cursor,
			void (*add)(void *to, const char *word), void *to);

#endif
