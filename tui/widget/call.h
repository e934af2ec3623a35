#ifndef TUI_WIDGET_CALL_H
#define TUI_WIDGET_CALL_H

/* A command, as a row of a table of commands, and one invocation of it. tui/app/command.h lists
   what is made from the tables. */
#include "tui/session/target.h"

struct app;
struct request;
struct view;
struct command;

/* One invocation of a command. */
struct call {
	struct app *app;
	struct view *view; /* the current view */
	const struct command *command;
	const char *arg;         /* typed at the prompt; "" if nothing was */
	uint32_t count;          /* the 20 of `20j`; 0 if none was typed */
	int key;                 /* 0 if called by name */
	bool is_forced;          /* typed as "w! FILE"; only with COMMAND_FORCES */
	struct request *request; /* what the app does next, see request.h */
};
typedef bool command_run(const struct call *call, struct error *err);

/* Kinds of arguments; tui/app/arguments.c has the completions of each. */
enum argument_kind {
	ARG_NONE, /* no (further) argument */
	ARG_TEXT, /* free text, without completion */
	ARG_WORD, /* one of `words` */
	ARG_NUMBER,
	ARG_OBJECT, /* an address */
	ARG_TYPE,
	ARG_OBJECT_OR_TYPE,
	ARG_COLUMN, /* a column of the current view */
	ARG_FILTER,
	ARG_QUERY, /* in SQL, or the name of one */
	ARG_TABLE, /* a table of queries */
	ARG_FILE,
	ARG_FILE_OR_PIPE, /* or, after a '!', a shell command */
	ARG_COMMAND,
	ARG_VIEW,
	ARG_THEME,
	ARG_SETTING,
	ARG_KEY,     /* a key that is mapped */
	ARG_MAPPING, /* a key and the command that it runs */
	ARGUMENT_KINDS
};
struct argument {
	enum argument_kind kind;
	bool is_optional;
	const char *name;         /* shown in the usage; NULL: the name of its kind */
	const char *const *words; /* for ARG_WORD; ends with NULL */
};
#define MUST(its_kind)                                                                             \
	{                                                                                          \
		.kind = (its_kind)                                                                 \
	}
#define MAY(its_kind)                                                                              \
	{                                                                                          \
		.kind = (its_kind), .is_optional = true                                            \
	}
#define MUST_AS(its_kind, text)                                                                    \
	{                                                                                          \
		.kind = (its_kind), .name = (text)                                                 \
	}
#define MAY_AS(its_kind, text)                                                                     \
	{                                                                                          \
		.kind = (its_kind), .is_optional = true, .name = (text)                            \
	}
#define MAY_BE(text, its_words)                                                                    \
	{                                                                                          \
		ARG_WORD, true, text, its_words                                                    \
	}
#define WORDS(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

enum command_flag {
	COMMAND_COUNTS = 1 << 0,     /* takes a count, as in `20j` */
	COMMAND_FORCES = 1 << 1,     /* a '!' after its name overwrites a file */
	COMMAND_OF_ROW = 1 << 2,     /* its `needs` are those of the selected row */
	COMMAND_MAKES_ROWS = 1 << 3, /* works without a selected row */
	COMMAND_ANSWERS = 1 << 4,    /* early in the key bar: answers a question that many have */
};
/* Whether a saved session runs the command again, and what it waits for
   first. */
enum replay { REPLAY_NEVER, REPLAY_HEAP, REPLAY_ROWS, REPLAY_WAYS };
enum { ARGUMENTS_MAX = 2, COMMAND_KEYS_BYTES = 32 };

struct command {
	const char *name; /* typed at the prompt and shown in help */
	/* The keys' names as written by key_name(), separated by blanks; "": no key. */
	char keys[COMMAND_KEYS_BYTES];
	char bar[16];     /* label in the key bar; "": not shown there */
	const char *help; /* one sentence, no full stop */
	command_run *run; /* NULL: opens the view it belongs to */
	/* The remaining fields are usually zero. */
	struct argument args[ARGUMENTS_MAX];
	const char *place;    /* place key in a saved session; or NULL */
	unsigned char flags;  /* enum command_flag */
	unsigned char needs;  /* enum need; see view_needs() */
	unsigned char replay; /* enum replay; see replay_allows() */
};

/* Returns, as enum takes, what may be typed after the command's name. */
static inline unsigned
command_takes(const struct command *c)
{
	unsigned optional = c->args[0].is_optional ? TAKES_OPTIONAL : 0;

	switch (c->args[0].kind) {
	case ARG_NONE:
		return TAKES_NOTHING;
	case ARG_OBJECT:
		return TAKES_OBJECT | optional;
	case ARG_TYPE:
		return TAKES_TYPE | optional;
	case ARG_OBJECT_OR_TYPE:
		return TAKES_OBJECT | TAKES_TYPE | optional;
	default:
		return TAKES_TOPIC | TAKES_OPTIONAL;
	}
}

#endif
