#ifndef TUI_BASE_SCRIPT_H
#define TUI_BASE_SCRIPT_H

/*
 * Commands of the prompt as text: what is typed after `:`, what -x gives, and
 * files of them: :source and the settings.
 *
 *   text      lines; one that begins with # is a comment
 *   line      commands, separated by ';', each perhaps with ':' before it
 *   quotes    a ' or " at the start of a word goes on to its like on the same
 *             line, as in filters, and a ';' between them separates nothing;
 *             without its like it is a character as any other
 *   !…        what a shell is given is the rest of the line, with every ';':
 *             takes_line() tells it; and so is a note without " that is
 *             typed at the prompt
 *
 * It only takes text apart; quotes stay, for filters have a use for them. One
 * command after another:
 *
 *   struct script s;
 *   char line[SCRIPT_COMMAND_BYTES];
 *
 *   if (!script_read(&s, path, takes_line, err))
 *           return false;
 *   while (script_next(&s, line, err))
 *           if (!app_command(app, line, err)) {
 *                   script_blame(&s, err);      -- "FILE:3:1: no command …"
 *                   break;                      -- or tell it and go on
 *           }
 *   script_clear(&s);
 *   return err->kind == ERROR_NONE;
 *
 * (That loop is app_script(), with nested files bounded.)
 */
#include "model/base/error.h"
#include <stdbool.h>
#include <stddef.h>

enum {
	SCRIPT_COMMAND_BYTES = 4096, /* with the 0 behind it */
	SCRIPT_FILE_BYTES = 1 << 20,
	SCRIPT_DEPTH_MAX = 8,  /* of files that read files */
	SCRIPT_FILES_MAX = 50, /* that others name, all together */
};

/* Is this command the rest of its line, whatever is in it? */
typedef bool script_takes_line(const char *command);

struct script {
	script_takes_line *takes_line;
	const char *name;   /* of the file, as given; NULL: it was typed */
	const char *option; /* "-x ", where that is not the prompt; or NULL */
	bool is_typed;      /* a note without quotes is the rest of the line */
	char *text;         /* of a file, owned; else NULL */
	const char *begin;
	/* Of the last command: which it is, and where it stands, from 1. */
	uint32_t number, line, column; /* in characters */
	/* What follows it, and where that stands. */
	const char *at;
	uint32_t at_line, at_column;
};

/* `text` is borrowed. Needs no script_clear(). */
void script_init(struct script *s, const char *text,
		 script_takes_line *takes_line);
/*
 * A regular file of at most SCRIPT_FILE_BYTES that is text; "~/" is the home
 * folder. `path` is borrowed. False sets `err`, and there is nothing to clear.
 */
bool script_read(struct script *s, const char *path,
		 script_takes_line *takes_line, struct error *err) MUST_USE;
void script_clear(struct script *s);

/*
 * The next command, without blanks around it and never empty. False at the
 * end, or, with `err` set and its place said, for one that is too long; the
 * next call goes on behind it.
 */
bool script_next(struct script *s, char out[SCRIPT_COMMAND_BYTES],
		 struct error *err);

/*
 * Puts before the message where the last command stands: "FILE:LINE:COLUMN: "
 * or, of several that were typed, "command 2 of 3: ". What is too long is left
 * as it is: of nested files the innermost place is said.
 */
void script_blame(const struct script *s, struct error *err);

/*
 * Files that read files have an end, and one soon: eight deep with ten in each
 * would be a hundred million.
 */
struct script_nesting {
	int depth;      /* of files that are being read */
	unsigned count; /* of those that were; whoever starts anew clears it */
};
/* Before a file is read. False sets `err`, and nothing was entered. */
bool script_enter(struct script_nesting *n, const char *path,
		  struct error *err) MUST_USE;
void script_leave(struct script_nesting *n);

/* "'my file'" → "my file": an argument between quotes, in place. */
char *script_unquote(char *argument);
/*
 * Any bytes at all as one argument between quotes that separates nothing and
 * reads the same wherever it is looked at: what is not plain ASCII becomes
 * \xHH. False: there is no room.
 */
bool script_quote(const char *text, char *out, size_t out_size) MUST_USE;
/* And back, for what stands between two "; other text is copied. */
bool script_unquote_bytes(const char *argument, char *out,
			  size_t out_size) MUST_USE;
/*
 * The next of several arguments with blanks between them, unquoted like that;
 * goes behind it. False: there is none, or no room for it.
 */
bool script_argument(const char **arguments, char *out,
		     size_t out_size) MUST_USE;
/* "~/x" in the home folder. False sets `err`: too long, or there is no home. */
bool script_path(const char *argument, char *out, size_t out_size,
		 struct error *err) MUST_USE;

#endif
