#ifndef TUI_APP_SET_COMMAND_H
#define TUI_APP_SET_COMMAND_H

/* `:set`: changes settings, or shows them, and applies them to the screen. */
#include "model/base/error.h"

struct app;

/* Runs `:set`: stores and applies word by word. "NAME?" shows a value. */
bool set_command(struct app *app, const char *words, struct error *err);
/* Completes the last of `words`. */
void set_command_complete(const char *words, void (*add)(void *to, const char *word), void *to);

#endif
