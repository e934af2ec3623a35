#ifndef TUI_APP_SCRIPT_H
#define TUI_APP_SCRIPT_H

/*
 * Splits text into prompt commands: text typed after `:`, the argument of -x, and files read by
 * :source or as settings.
 *
 *   text      lines; a line that begins with # is a comment
 *   line      commands, separated by ';', each optionally after ':'
 *   quotes    a word in '…' or "…" may contain ';'; without a closing quote on
 *             the line, ' and " are ordinary characters
 *   !…        a shell command takes the rest of the line with every ';', and so
 *             does a note without " that is typed at the prompt
 *
 * Quotes are kept, as filters need them. Use:
 *
 *   struct script s;
 *   char line[SCRIPT_COMMAND_BYTES];
 *
 *   if (!script_read(&s, path, TEXT_FILE_ANY, err))
 *           return false;
 *   while (script_next(&s, line, err))
 *           if (!app_command(app, line, err)) {
 *                   script_blame(&s, err);      -- "FILE:3:1: no command …"
 *                   break;                      -- or report it and continue
 *           }
 *   script_clear(&s);
 *   return err->kind == ERROR_NONE;
 *
 * (That loop is app_script(), which also limits nested files.)
 */
#include "tui/base/text_file.h"
#include <stdbool.h>
#include <stddef.h>

enum {
	SCRIPT_COMMAND_BYTES = 4096, /* with the final NUL */
	SCRIPT_FILE_BYTES = 1 << 20,
	SCRIPT_DEPTH_MAX = 8,  /* of nested files */
	SCRIPT_FILES_MAX = 50, /* read by other files, in total */
};

struct script {
	const char *name;   /* of the file, as given; NULL: typed text */
	const char *option; /* "-x ", for messages; NULL: typed at the prompt */
	bool is_typed;      /* a note without quotes is the rest of the line */
	char *text;         /* of a file, owned; else NULL */
	const char *begin;
	/* Number and position of the current command, from 1. */
	uint32_t number, line, column; /* column: in characters */
	/* The rest of the text, and its position. */
	const char *at;
	uint32_t at_line, at_column;
};

/* `text` is borrowed. Needs no script_clear(). */
void script_init(struct script *s, const char *text);
/*
 * Reads a regular text file of at most SCRIPT_FILE_BYTES; "~/" is the home folder. `path` is
 * borrowed. If false, `err` is set, and there is nothing to clear.
 */
bool script_read(struct script *s, const char *path, enum text_file_trust trust,
		 struct error *err) MUST_USE;
void script_clear(struct script *s);

/*
 * The next command, trimmed and never empty. False at the end, or for a command that is too long:
 * then `err` is set, with its position, and the next call continues after it.
 */
bool script_next(struct script *s, char out[SCRIPT_COMMAND_BYTES], struct error *err);

/*
 * Puts the position of the current command before the message: "FILE:LINE:COLUMN: " or, for several
 * commands in one text, "command 2 of 3: ". Messages that would become too long are unchanged: of
 * nested files, the innermost position stays.
 */
void script_blame(const struct script *s, struct error *err);

/* Limits nested files: eight levels of ten files each are a hundred million. */
struct script_nesting {
	int depth;      /* of files being read */
	unsigned count; /* files read so far; reset by the caller */
};
/* Call it before reading a file. False sets `err`; do not leave then. */
bool script_enter(struct script_nesting *n, const char *path, struct error *err) MUST_USE;
void script_leave(struct script_nesting *n);

#endif
