#ifndef TUI_WIDGET_CALL_H
#define TUI_WIDGET_CALL_H

/*
 * A row of a table of commands, and one use of it. What is made from the tables
 * is told in tui/app/command.h.
 */
#include "tui/session/target.h"

struct app;
struct request;
struct view;
struct command;

/* One use of a command. */
struct call {
	struct app *app;
	struct view *view; /* the current one */
	const struct command *command;
	const char *arg;         /* typed at the prompt; "" if nothing was */
	uint32_t count;          /* of `20j`; 0 if none was typed */
	int key;                 /* 0 when called by name */
	bool is_forced;          /* "w! FILE": where `args` begins with "[!]" */
	struct request *request; /* what it wants next, see request.h */
};
typedef bool command_run(const struct call *call, struct error *err);

struct command {
	const char *name; /* at the prompt; also in help */
	const char *keys; /* separated by blanks, as key_name() writes them */
	const char *args; /* "TYPE|ADDRESS", "[REGEX]"; "" for none */
	const char *bar;  /* label in the key bar; "": not shown there */
	const char *help; /* one sentence, no full stop */
	command_run *run; /* NULL: opens the view that it belongs to */
	bool takes_count; /* a number before it means something */
};

#endif
