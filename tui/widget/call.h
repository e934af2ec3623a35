#ifndef TUI_WIDGET_CALL_H
#define TUI_WIDGET_CALL_H

/*
 * A row of a table of commands, and one use of it. tui/app/command.h says what
 * is made from the tables.
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
	bool is_forced;          /* "w! FILE": of COMMAND_FORCES */
	struct request *request; /* what it wants next, see request.h */
};
typedef bool command_run(const struct call *call, struct error *err);

/* What an argument is. tui/app/arguments.c has what the prompt offers for it.
 */
enum argument_kind {
	ARG_NONE, /* there is no (further) one */
	ARG_TEXT, /* anything: the prompt offers nothing */
	ARG_WORD, /* one of `words` */
	ARG_NUMBER,
	ARG_OBJECT, /* an address */
	ARG_TYPE,
	ARG_OBJECT_OR_TYPE,
	ARG_COLUMN, /* of the current view */
	ARG_FILTER,
	ARG_FILE,
	ARG_FILE_OR_PIPE, /* or, after a '!', what a shell runs */
	ARG_COMMAND,
	ARG_VIEW,
	ARG_THEME,
	ARG_SETTING,
	ARG_KEY,     /* one that is mapped */
	ARG_MAPPING, /* a key, and the command that it runs */
	ARGUMENT_KINDS
};
struct argument {
	enum argument_kind kind;
	bool is_optional;
	const char *name;         /* in the usage; NULL: the name of its kind */
	const char *const *words; /* of ARG_WORD, ends with NULL */
};
#define MUST(its_kind)                                                         \
	{                                                                      \
		.kind = (its_kind)                                             \
	}
#define MAY(its_kind)                                                          \
	{                                                                      \
		.kind = (its_kind), .is_optional = true                        \
	}
#define MUST_AS(its_kind, text)                                                \
	{                                                                      \
		.kind = (its_kind), .name = (text)                             \
	}
#define MAY_AS(its_kind, text)                                                 \
	{                                                                      \
		.kind = (its_kind), .is_optional = true, .name = (text)        \
	}
#define MAY_BE(text, its_words)                                                \
	{                                                                      \
		ARG_WORD, true, text, its_words                                \
	}
#define WORDS(...)                                                             \
	(const char *const[])                                                  \
	{                                                                      \
		__VA_ARGS__, NULL                                              \
	}

enum command_flag {
	COMMAND_COUNTS = 1 << 0, /* a number before it means something */
	COMMAND_FORCES = 1 << 1, /* '!' behind its name replaces a file */
	COMMAND_OF_ROW = 1 << 2, /* its `needs` are those of the selected row */
	COMMAND_MAKES_ROWS = 1 << 3, /* useful where there is no row */
};
/* What a saved session waits for before it runs the command again. */
enum replay { REPLAY_NEVER, REPLAY_HEAP, REPLAY_ROWS, REPLAY_WAYS };
enum { ARGUMENTS_MAX = 2, COMMAND_KEYS_BYTES = 32 };

struct command {
	const char *name; /* at the prompt; also in help */
	/* Separated by blanks, as key_name() writes them; "": none. */
	char keys[COMMAND_KEYS_BYTES];
	char bar[16];     /* label in the key bar; "": not shown there */
	const char *help; /* one sentence, no full stop */
	command_run *run; /* NULL: opens the view that it belongs to */
	/* The rest where it differs from nothing. */
	struct argument args[ARGUMENTS_MAX];
	const char *place;    /* what a session finds again by it; or NULL */
	unsigned char flags;  /* enum command_flag */
	unsigned char needs;  /* enum need; of a view's command: view_needs() */
	unsigned char replay; /* enum replay; of a view's: replay_allows() */
};

/* enum takes: what may be typed behind it. */
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
