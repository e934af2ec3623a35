#ifndef TUI_BASE_SECURE_H
#define TUI_BASE_SECURE_H

/*
 * --secure and HEAPTOPSECURE=1: for somebody who shall look at a heap and do
 * nothing else on the machine. Decided before the first file is opened, and
 * nothing changes it afterwards. Reading files is not forbidden, nor what goes
 * to the standard output.
 */
#include "model/base/error.h"

enum secure_kind {
	SECURE_SHELL,   /* !COMMAND, also of keys in the line editor */
	SECURE_PIPE,    /* w !COMMAND */
	SECURE_WRITE,   /* w, save, -o, --junit; the prompts' histories */
	SECURE_CAPTURE, /* PID, NAME, --port, -g of a process, capture */
	SECURE_KINDS
};

struct secure {
	const char *by; /* "--secure"; NULL: nothing is forbidden */
};

/* `variable` is the value of HEAPTOPSECURE, or NULL; "" and "0" are nothing. */
struct secure secure_of(bool is_option, const char *variable);
bool secure_is_on(const struct secure *s);
/*
 * False sets `err`: what is not done, why, and who said so. `what` is what was
 * asked for, as typed: "save".
 */
bool secure_allows(const struct secure *s, enum secure_kind kind,
		   const char *what, struct error *err) MUST_USE;

#endif
