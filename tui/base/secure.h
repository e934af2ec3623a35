#ifndef TUI_BASE_SECURE_H
#define TUI_BASE_SECURE_H

/*
 * --secure and HEAPTOPSECURE=1: restricts the program for a user who may look
 * at a heap and do nothing else on the machine. Decided before the first file is opened, and never
 * changed afterwards. Reading the files of the command line and writing to standard output remain
 * allowed.
 */
#include "model/base/error.h"

enum secure_kind {
	SECURE_SHELL,   /* !COMMAND, and keys of the line editor */
	SECURE_PIPE,    /* w !COMMAND */
	SECURE_WRITE,   /* w, save, -o, --junit; the prompts' histories */
	SECURE_OPEN,    /* open FILE: files that the command line does not name */
	SECURE_CAPTURE, /* PID, NAME, --port, -g of a process, capture */
	SECURE_KINDS
};

struct secure {
	const char *by; /* "--secure"; NULL: not restricted */
};

/* `variable` is the value of HEAPTOPSECURE or NULL; "" and "0" mean off. */
struct secure secure_of(bool is_option, const char *variable);
bool secure_is_on(const struct secure *s);
/* False sets `err`. `what` is the request as typed: "save". */
bool secure_allows(const struct secure *s, enum secure_kind kind, const char *what,
		   struct error *err) MUST_USE;

#endif
