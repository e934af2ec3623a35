#ifndef CAPTURE_REMOTE_CARRIER_H
#define CAPTURE_REMOTE_CARRIER_H

/*
 * A command that runs a shell elsewhere, with its input and output here:
 * `ssh HOST sh`, `docker exec -i CONTAINER sh`. box.sh, sent to that shell, starts heaptop's agent
 * there: the heaptop of this version that it finds, or one that is sent.
 */
#include "model/base/error.h"
#include <stdatomic.h>
#include <sys/types.h>

enum { CARRIER_LABEL_BYTES = 48, CARRIER_LINE_BYTES = 200 };

struct carrier_options {
	const char *host;    /* for ssh; NULL: `command` */
	const char *command; /* of the shell here; "sh" is appended */
	/* The first two lines of --version there, if that heaptop will do. "": none will. */
	const char *version;
	/* Finds the static program for a machine ("x86_64"); false: none. */
	bool (*find_program)(const char *machine, char *path, size_t path_size);
	/* How long it may take nothing of what is sent; 0: a minute. */
	int silent_max_ms;
	/* Shows a line: what takes time, what the command says. */
	void (*show)(const char *line);
};

struct carrier {
	const struct carrier_options *options;
	pid_t child;
	int in, out, errors;             /* pipes of the command; or -1 */
	char label[CARRIER_LABEL_BYTES]; /* carrier_label() */
	bool is_connected;               /* its errors are kept, not shown */
	char line[CARRIER_LINE_BYTES];   /* the last one of its errors */
	size_t line_len;
	bool has_line;             /* `line` is complete */
	_Atomic int64_t end_by_ns; /* of clock_ns(), after hanging up; else 0 */
};

/*
 * Names the other side, without secrets of the command: the host, or the command's program and its
 * last harmless word, "docker web". A harmless word is plain (letters, digits and . _ - @ /, no
 * quotes), not an option, and
 * does not follow an option other than -i, -it, -T and --, as it may be its value.
 */
void carrier_label(const char *host, const char *command, char label[CARRIER_LABEL_BYTES]);
/* Starts the command and the agent; may ask for a password on the terminal. */
bool carrier_open(struct carrier *c, const struct carrier_options *options,
		  struct error *err) MUST_USE;
/* Waits for bytes on `in` or its end, and takes lines from `errors`. False: the command did not end
   in time after carrier_hang_up(). */
bool carrier_wait(void *carrier);
/* Sets `err`: the connection has ended, and what the command said last. */
bool carrier_fail(struct carrier *c, struct error *err);
/* Ends the agent's input, upon which it exits. May be called while another thread reads. */
void carrier_hang_up(struct carrier *c);
/* Closes the pipes, which ends the agent, and waits for the command. */
void carrier_close(struct carrier *c);

#endif
